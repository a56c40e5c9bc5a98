// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Vectors of hypre's.

#include <tessera/core/types.hpp>
#include <tessera/distributed/equations.hpp>
#include <tessera/distributed/hypre/detail/call.hpp>
#include <tessera/distributed/hypre/types.hpp>

#include <Kokkos_Core.hpp>

#include <utility>

namespace tessera::distributed::detail {

/// A rank's range of the equations of all, in hypre's numbers.
struct HypreRange {
  HYPRE_BigInt first = 0, last = -1; ///< last: first - 1 without equations

  HypreRange() = default;
  explicit HypreRange(const GlobalEquations& equations)
      : first(static_cast<HYPRE_BigInt>(equations.first)), last(first + equations.owned - 1) {}
};

/// A vector of the owned equations in hypre's memory. Copies share it.
template <class ExecutionSpace>
class HypreVector {
public:
  using Types = HypreTypes<ExecutionSpace>;
  using Values = typename Types::template Array<double>;
  using Local = Kokkos::View<double*, ExecutionSpace>;

  /// Collective: a vector of zeros.
  HypreVector(const Communicator& ranks, const HypreRange& range) {
    hypre_calls(ranks, "HYPRE_IJVectorAssemble", [&] {
      HYPRE_IJVector made = nullptr;
      HYPRE_IJVectorCreate(ranks.own(), range.first, range.last, &made);
      owner_ = HypreHandle<HYPRE_IJVector>(made, HYPRE_IJVectorDestroy);
      HYPRE_IJVectorSetObjectType(made, HYPRE_PARCSR);
      HYPRE_IJVectorInitialize_v2(made, Types::memory);
      HYPRE_IJVectorAssemble(made);
      vector_ = hypre_object<HYPRE_ParVector>(made, HYPRE_IJVectorGetObject);
      HYPRE_ParVectorSetConstantValues(vector_, 0);
    });
    fence_hypre<ExecutionSpace>("Tessera::HypreVector");
    hypre_Vector* const local = hypre_ParVectorLocalVector(vector_);
    values_ = Values(hypre_VectorData(local), to_size(range.last - range.first + 1));
  }

  HYPRE_ParVector get() const { return vector_; }
  const Values& values() const { return values_; }

  /// Takes the first entries of a rank's vector: owned equations come first.
  void take(const ExecutionSpace& exec, const Local& from) const {
    fence_hypre<ExecutionSpace>("Tessera::HypreVector::take");
    Kokkos::deep_copy(exec, values_, owned(from));
    exec.fence("Tessera::HypreVector::take");
  }
  /// Gives them back.
  void give(const ExecutionSpace& exec, const Local& to) const {
    fence_hypre<ExecutionSpace>("Tessera::HypreVector::give");
    Kokkos::deep_copy(exec, owned(to), values_);
    exec.fence("Tessera::HypreVector::give");
  }

private:
  auto owned(const Local& all) const {
    return Kokkos::subview(all, std::make_pair(std::size_t(0), values_.extent(0)));
  }

  HypreHandle<HYPRE_IJVector> owner_;
  HYPRE_ParVector vector_ = nullptr;
  Values values_;
};

} // namespace tessera::distributed::detail
