// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// hypre's conjugate gradients, as `JudgedIteration` asks for them.

#include <tessera/distributed/hypre/detail/call.hpp>
#include <tessera/distributed/hypre/detail/rows.hpp>
#include <tessera/distributed/hypre/detail/vector.hpp>
#include <tessera/distributed/hypre/system.hpp>
#include <tessera/distributed/hypre/types.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdint>
#include <limits>

namespace tessera::distributed::detail {

/// to = |from|; both may be the same.
template <class Values>
struct TakeAbsolute {
  Values to, from;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { to(i) = Kokkos::abs(from(i)); }
};

template <class Values>
void take_absolute(const Values& to, const Values& from) {
  using Space = typename Values::execution_space;
  Kokkos::parallel_for(
      "Tessera::hypre_cg::absolute",
      Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(0, static_cast<std::int64_t>(to.extent(0))),
      TakeAbsolute<Values>{to, from});
  Space().fence("Tessera::hypre_cg::absolute");
}

/// By a preconditioner with the members `execution_space`, `system()`, and `precondition(pcg)`, which tells
/// hypre's solver of it.
template <class Preconditioner>
class HypreCg {
  using ExecutionSpace = typename Preconditioner::execution_space;

public:
  /// Collective.
  explicit HypreCg(const Preconditioner& preconditioner)
      : system_(preconditioner.system()), preconditioner_(preconditioner), x_(make()), kept_(make()),
        work_(make()) {}

  const HypreVector<ExecutionSpace>& x() const { return x_; }

  double rhs_norm() const { return norm(system_.rhs()); }

  double residual_norm() const {
    HYPRE_ParVectorCopy(system_.rhs(), work_.get());
    HYPRE_ParCSRMatrixMatvec(-1.0, system_.matrix(), x_.get(), 1.0, work_.get());
    return norm(work_.get());
  }

  void keep() const { HYPRE_ParVectorCopy(x_.get(), kept_.get()); }
  void restore() const { HYPRE_ParVectorCopy(kept_.get(), x_.get()); }

  /// Collective: ε ‖|A||x| + |b|‖₂, as `solvers::attainable_residual`, by a copy of the matrix.
  double attainable() const {
    const HypreHandle<HYPRE_ParCSRMatrix> sizes(hypre_ParCSRMatrixClone(system_.matrix(), 1),
                                                HYPRE_ParCSRMatrixDestroy);
    const HypreParts<ExecutionSpace> parts(sizes.get());
    const HypreVector<ExecutionSpace> x = make();
    fence_hypre<ExecutionSpace>("Tessera::hypre_cg::attainable");
    take_absolute(parts.diag, parts.diag);
    take_absolute(parts.offd, parts.offd);
    take_absolute(x.values(), x_.values());
    take_absolute(work_.values(), system_.hypre_rhs().values());
    HYPRE_ParCSRMatrixMatvec(1.0, sizes.get(), x.get(), 1.0, work_.get());
    return std::numeric_limits<double>::epsilon() * norm(work_.get());
  }

  bool iterate(double factor, int most, int& done) const {
    HypreHandle<HYPRE_Solver> pcg;
    HYPRE_Int iterations = 0, converged = 0;
    const double aim = factor * residual_norm();
    hypre_calls(system_.ranks(), "HYPRE_ParCSRPCGSolve", [&] {
      HYPRE_Solver made = nullptr;
      HYPRE_ParCSRPCGCreate(system_.ranks().own(), &made);
      pcg = HypreHandle<HYPRE_Solver>(made, HYPRE_ParCSRPCGDestroy);
      HYPRE_ParCSRPCGSetTwoNorm(made, 1);
      HYPRE_ParCSRPCGSetTol(made, 0);
      HYPRE_ParCSRPCGSetAbsoluteTol(made, aim);
      HYPRE_ParCSRPCGSetMaxIter(made, most);
      preconditioner_.precondition(made);
      HYPRE_ParCSRPCGSetup(made, system_.matrix(), system_.rhs(), x_.get());
      HYPRE_ParCSRPCGSolve(made, system_.matrix(), system_.rhs(), x_.get());
      HYPRE_ParCSRPCGGetNumIterations(made, &iterations);
      HYPRE_PCGGetConverged(made, &converged);
    });
    done += static_cast<int>(iterations);
    return converged != 0;
  }

private:
  HypreVector<ExecutionSpace> make() const { return {system_.ranks(), HypreRange(system_.equations())}; }

  static double norm(HYPRE_ParVector vector) {
    double square = 0;
    HYPRE_ParVectorInnerProd(vector, vector, &square);
    return std::sqrt(square);
  }

  HypreSystem<ExecutionSpace> system_;
  Preconditioner preconditioner_;
  HypreVector<ExecutionSpace> x_, kept_, work_;
};

} // namespace tessera::distributed::detail
