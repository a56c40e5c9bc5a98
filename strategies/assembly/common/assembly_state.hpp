// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// What assembly plans keep and do that depends on neither strategy nor form: checks before the kernels, and
/// after them natural loads, Robin sides and rows of constrained degrees of freedom.

#include <tessera/core/allocate.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/system/add_natural_terms.hpp>
#include <tessera/core/system/linear_system.hpp>
#include <tessera/core/system/sparsity_graph.hpp>
#include <tessera/strategies/assembly/common/assembly_options.hpp>
#include <tessera/strategies/assembly/common/system_kernel.hpp>
#include <tessera/strategies/common/plan_state.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <string>

namespace tessera::detail {

/// Rows of constrained degrees of freedom that the system keeps: the identity, and the prescribed value.
template <class ExecutionSpace, class Scalar>
struct SetConstrainedRows {
  SystemKernel<ExecutionSpace, Scalar> system;
  Kokkos::View<const Ordinal*, ExecutionSpace> columns;

  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    const int components = system.equations.components;
    if (!system.equations.is_constrained(row / components, row % components)) return;
    for (Offset k = system.row_map(row); k < system.row_map(row + 1); ++k)
      system.values(k) = columns(k) == row ? Scalar(1) : Scalar(0);
    system.rhs(row) = Scalar(system.equations.prescribed(row));
  }
};

/// Completes a system after a form's elements, without waiting for it. Where the form was added to what the
/// system held, the space's own part is there already.
template <class Element, class ExecutionSpace, class Scalar>
void finish_system(const ExecutionSpace& exec, const FunctionSpace<Element, ExecutionSpace>& space,
                   const SparsityGraph<ExecutionSpace>& graph,
                   const SystemKernel<ExecutionSpace, Scalar>& system) {
  if (!system.add) add_natural_terms(exec, space, system.equations, graph, system.values, system.rhs);
  if (system.equations.constrained && !system.equations.removed)
    Kokkos::parallel_for("Tessera::AssemblyPlan::constrained_rows",
                         Kokkos::RangePolicy<ExecutionSpace>(exec, 0, system.equations.count),
                         SetConstrainedRows<ExecutionSpace, Scalar>{system, graph.columns});
}

/// What assembly plans keep beside that, and the checks before their kernels. A class of its own, which is
/// compiled once for an element and not for every strategy.
template <class Element, class ExecutionSpace>
class AssemblyState : public PlanState<Element, ExecutionSpace> {
  using Base = PlanState<Element, ExecutionSpace>;

public:
  using Space = typename Base::Space;
  using Graph = SparsityGraph<ExecutionSpace>;

  /// \throws ArgumentError if the graph was not built for this space as it is
  AssemblyState(const char* strategy, const ExecutionSpace& exec, const Space& space, const Graph& graph)
      : Base(strategy, exec, space), region_("Tessera::" + strategy_ + "::assemble"), graph_(graph) {
    if (!graph.fits(space))
      throw ArgumentError(strategy_ +
                          ": the graph was built for another mesh, another number of components or other "
                          "constraints than this space has now; build it again");
  }

  /// Zeros where a strategy adds to the system, unless it is to keep what it holds.
  template <class Scalar>
  static void clear(const ExecutionSpace& exec, const SystemKernel<ExecutionSpace, Scalar>& system) {
    if (system.add) return;
    Kokkos::deep_copy(exec, system.values, Scalar(0));
    Kokkos::deep_copy(exec, system.rhs, Scalar(0));
  }

  /// Clears a system with entries that no element of the space writes, unless it is to keep what it holds.
  /// \return whether a strategy that writes values once is to add them to what is there instead
  template <class Scalar>
  bool clear_foreign(const ExecutionSpace& exec, const SystemKernel<ExecutionSpace, Scalar>& system) const {
    if (!graph_.own) clear(exec, system);
    return system.add || !graph_.own;
  }

  const Graph& graph() const { return graph_; }

  [[noreturn]] void throw_unprepared() const {
    Base::throw_unprepared("form, options", "assemble(form, system, options)");
  }

  void check_graph(bool can_add) const {
    if (!graph_.own && !can_add)
      throw UnsupportedError(strategy_ + ": writes every value once, and the graph has entries that no "
                                         "element of the space has; take a strategy that adds");
  }
  void check_options(const AssemblyOptions& options, bool can_add) const {
    if (options.add && !can_add)
      throw UnsupportedError(strategy_ + ": writes every value once and adds to no system; assemble "
                                         "sum(a, b), or a system of its own for LinearSystem::add");
  }
  template <class Scalar>
  void check_system(const LinearSystem<Scalar, ExecutionSpace>& system) const {
    if (!graph_.fits(space_))
      throw ArgumentError(strategy_ + ": the space has got other constraints since the plan was made");
    if (system.graph().row_map.data() != graph_.row_map.data())
      throw ArgumentError(strategy_ + ": the system has another graph than the plan");
  }

  void hold_spare_rhs(std::size_t scalar_bytes) {
    const std::size_t bytes = scalar_bytes * graph_.num_rows(), old = spare_rhs_.extent(0);
    if (old >= bytes) return;
    spare_rhs_ = {};
    spare_rhs_ = allocate<decltype(spare_rhs_)>(exec_, "Tessera::AssemblyPlan::spare_rhs", bytes);
    this->hold(bytes, old);
  }
  bool holds_spare_rhs(const AssemblyOptions& options, std::size_t scalar_bytes) const {
    return !options.matrix_alone || spare_rhs_.extent(0) >= scalar_bytes * graph_.num_rows();
  }

  template <class Scalar>
  SystemKernel<ExecutionSpace, Scalar> system_kernel(const LinearSystem<Scalar, ExecutionSpace>& system,
                                                     const AssemblyOptions& options = {}) const {
    SystemKernel<ExecutionSpace, Scalar> target{space_.equations(exec_), system.graph().row_map,
                                                system.values(), system.rhs(), options.add};
    if (options.matrix_alone)
      target.rhs = decltype(target.rhs)(reinterpret_cast<Scalar*>(spare_rhs_.data()), system.rhs().extent(0));
    return target;
  }

protected:
  using Base::strategy_, Base::exec_, Base::space_;

  std::string region_; ///< of an assembly, in profiles
  Graph graph_;
  Kokkos::View<char*, ExecutionSpace> spare_rhs_; ///< of any scalar, where the matrix is assembled alone
};

} // namespace tessera::detail
