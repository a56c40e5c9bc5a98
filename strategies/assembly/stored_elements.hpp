// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// StoredElements: element matrices through memory, computed by the form's coefficients at each point and
/// gathered row by row.

#include <tessera/strategies/assembly/common/assembly_plan.hpp>
#include <tessera/strategies/assembly/common/system_kernel.hpp>
#include <tessera/strategies/assembly/detail/reduction/reduction_traffic.hpp>
#include <tessera/strategies/assembly/detail/stored_elements/element_tiles.hpp>
#include <tessera/strategies/assembly/detail/stored_elements/gather_rows.hpp>
#include <tessera/strategies/assembly/detail/stored_elements/row_data.hpp>
#include <tessera/strategies/assembly/detail/stored_elements/whole_elements.hpp>
#include <tessera/strategies/common/with_default_instance.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

namespace TESSERA_KERNELS::assembly {

/// First every element's matrix is computed once and written to memory by rows, then the lanes of a thread
/// read the rows of the elements around a node and write the node's rows of the system: no value is zeroed or
/// written twice, no addition is atomic, and the result is the same in every run.
///
/// For elements that need quadrature: curved ones, coefficients that vary within them, an application's own
/// forms. What a form is at a point is worked out once and pulled back to the reference element
/// (`point_coefficients.hpp`), so that an entry costs as much for any physics. Small matrices lie in the
/// registers of a thread, larger ones go in tiles to the warps of a team. The plan holds the matrices of
/// `memory_budget` bytes of elements, and takes as many passes as they need.
struct StoredElements : WithDefaultInstance<StoredElements> {
  using WithDefaultInstance<StoredElements>::plan;
  static constexpr const char* name = "StoredElements";
  static constexpr const char* source = "paper 1, section 4.2 (GlobalNZ); J. Brown, 2010";
  static constexpr bool deterministic = true;

  /// Bytes that element matrices may take in global memory; more passes where it does not hold all.
  std::int64_t memory_budget = std::numeric_limits<std::int64_t>::max();

  template <class Element, class ExecutionSpace>
  class Plan;

  /// \throws ArgumentError if the graph does not fit the space or the budget is not positive;
  ///   UnsupportedError, with the bytes, if the budget does not hold one element, if scratch does not hold
  ///   the rows of a node or for rows beyond 65535 entries; OutOfMemoryError
  template <class Element, class ExecutionSpace>
  Plan<Element, ExecutionSpace> plan(const ExecutionSpace& exec,
                                     const FunctionSpace<Element, ExecutionSpace>& space,
                                     const SparsityGraph<ExecutionSpace>& graph) const {
    return {exec, space, graph, *this};
  }

  /// Input, lists and output once; element matrices written and read.
  template <class Element, class Form, class Scalar, class ExecutionSpace>
  static Cost cost(const FunctionSpace<Element, ExecutionSpace>& space,
                   const SparsityGraph<ExecutionSpace>& graph) {
    Cost cost = detail::row_cost<Element, Form, Scalar>(space, graph);
    cost.bytes += 2.0 * detail::RowData<Element, Form::components, Scalar>::element_entries * sizeof(Scalar) *
                  space.mesh().num_elements();
    return cost;
  }
};

template <class Element, class ExecutionSpace>
class StoredElements::Plan
    : public AssemblyPlan<StoredElements::Plan<Element, ExecutionSpace>, Element, ExecutionSpace> {
  using Base = AssemblyPlan<Plan, Element, ExecutionSpace>;

public:
  static constexpr const char* strategy_name = StoredElements::name;
  static constexpr bool can_add = true;

  Plan(const ExecutionSpace& exec, const typename Base::Space& space, const typename Base::Graph& graph,
       const StoredElements& options)
      : Base(exec, space, graph) {
    const int dofs = Element::nodes * space.components();
    element_bytes_ = sizeof(double) * static_cast<std::size_t>(dofs) * (static_cast<std::size_t>(dofs) + 1);
    elements_of_pass_ = elements_within(options.memory_budget);
    lists_ = detail::gather_lists(exec, name, space, graph);
    memory_ = allocate<decltype(memory_)>(exec, "Tessera::StoredElements::memory",
                                          to_size(elements_of_pass_) * element_bytes_ / sizeof(double));
    this->prepared(lists_.bytes() + bytes_of(memory_));
  }

  /// Number of passes in which the elements go through the memory budget.
  Ordinal passes() const {
    const Ordinal elements = this->space().mesh().num_elements();
    return elements == 0 ? 1 : (elements + elements_of_pass_ - 1) / elements_of_pass_;
  }

  template <class Scalar, class Kernel>
  std::string make_ready(const Kernel&) const {
    require_scratch("rows of a node", Gather<Scalar, Kernel::components>::scratch_bytes(lists_.longest, 1));
    if constexpr (!in_tiles<Scalar, Kernel>)
      require_scratch("rows of a team's elements", Stage<Kernel, Scalar>::scratch_bytes());
    return in_tiles<Scalar, Kernel> ? "elements in tiles by coefficients at points"
                                    : integration_path<Element, Kernel, Scalar>();
  }

  template <class Kernel, class Scalar>
  void accumulate(const Kernel& kernel, const SystemKernel<ExecutionSpace, Scalar>& system) const {
    const auto mesh = this->space().mesh().kernel();
    const Ordinal elements = this->space().mesh().num_elements();
    const detail::RowData<Element, Kernel::components, Scalar> data{
        reinterpret_cast<Scalar*>(memory_.data())};
    for (Ordinal pass = 0; pass < passes(); ++pass) {
      const Ordinal first = pass * elements_of_pass_, end = std::min(elements, first + elements_of_pass_);
      Stage<Kernel, Scalar>{kernel, mesh, this->status(), data, first, end}.run(this->exec());
      Gather<Scalar, Kernel::components>{.mesh = mesh,
                                         .lists = lists_,
                                         .system = system,
                                         .data = data,
                                         .first = first,
                                         .end = end,
                                         .add = system.add || pass > 0}
          .run(this->exec());
    }
  }

private:
  template <class Scalar, int components>
  using Gather = detail::GatherRows<Element, ExecutionSpace, Scalar, components>;

  /// Whether a form's elements go in tiles: those that a GPU's thread has no registers for. Of several
  /// components where the form states its coefficients; to be asked for whole blocks was not timed.
  template <class Scalar, class Kernel>
  static constexpr bool in_tiles = [] {
    using Real = element_real_t<ExecutionSpace, Scalar>;
    using namespace tessera::detail;
    if constexpr (HasPointCoefficients<Kernel, Element, Real> &&
                  (Kernel::components == 1 || !IsProbed<Kernel, Element, Real>) &&
                  !HasClosedForm<Element, Kernel, Scalar> && !HasMoments<Element, Kernel, Scalar> &&
                  !element_system_t<Element, Kernel, Scalar>::in_registers)
      return assembly::detail::ElementTiles<Element, ExecutionSpace, Scalar, Kernel>::fit;
    else
      return false;
  }();
  template <class Kernel, class Scalar>
  using Stage = std::conditional_t<in_tiles<Scalar, Kernel>,
                                   detail::ElementTiles<Element, ExecutionSpace, Scalar, Kernel>,
                                   detail::WholeElements<Element, ExecutionSpace, Scalar, Kernel>>;

  /// \throws UnsupportedError where a team has no scratch for so many bytes
  static void require_scratch(const std::string& what, std::size_t needed) {
    const std::size_t most = scratch_limit<ExecutionSpace>();
    if (needed > most)
      throw UnsupportedError(std::string(name) + ": the " + what + " need " + std::to_string(needed) +
                             " bytes of scratch, on " + ExecutionSpace::name() + " a team has at most " +
                             std::to_string(most));
  }

  Ordinal elements_within(std::int64_t budget) const {
    if (budget <= 0)
      throw ArgumentError(std::string(name) + ": memory_budget must be positive, got " +
                          std::to_string(budget) + " bytes");
    const std::int64_t most = budget / static_cast<std::int64_t>(element_bytes_);
    if (most == 0)
      throw UnsupportedError(std::string(name) + ": memory_budget is " + std::to_string(budget) +
                             " bytes, the matrix of one element takes " + std::to_string(element_bytes_));
    return static_cast<Ordinal>(std::min<std::int64_t>(most, this->space().mesh().num_elements()));
  }

  std::size_t element_bytes_ = 0; ///< in double precision, which have room for single precision
  Ordinal elements_of_pass_ = 0;
  detail::GatherLists<Element, ExecutionSpace> lists_;
  Kokkos::View<double*, ExecutionSpace> memory_;
};

} // namespace TESSERA_KERNELS::assembly
