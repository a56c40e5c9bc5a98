#pragma once

/// \file
/// What every assembly plan shares: checks before the kernels, constraints and loads after them.

#include <tessera/core/cost.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/linear_system.hpp>
#include <tessera/strategies/assembly/common/system_kernel.hpp>
#include <tessera/strategies/common/form_kernel.hpp>
#include <tessera/strategies/common/preparation.hpp>
#include <tessera/strategies/common/status.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <string>

namespace tessera {

namespace detail {

template <class ExecutionSpace, class Scalar>
struct AddNodalLoads {
  SystemKernel<ExecutionSpace, Scalar> system;
  Kokkos::View<const Ordinal*, ExecutionSpace> dofs;
  Kokkos::View<const double*, ExecutionSpace> values;

  KOKKOS_FUNCTION void operator()(Ordinal i) const {
    const Ordinal node = dofs(i) / system.equations.components;
    const int c = dofs(i) % system.equations.components;
    if (!system.equations.is_constrained(node, c))
      system.rhs(system.equations.equation(node, c)) += Scalar(values(i));
  }
};

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

} // namespace detail

/// Base of assembly plans. A plan has a `strategy_name` and a member
/// `accumulate(kernel, SystemKernel<ExecutionSpace, Scalar>)`, which computes every value and every entry of
/// the right-hand side but for natural loads and the rows of constrained degrees of freedom; it reports
/// elements that cannot be integrated to `status()`. If it reports that there are some, but not which, the
/// plan also has a member `name_failure` with the same parameters, which is called then and reports the
/// element.
template <class Plan, class Element, class ExecutionSpace>
class AssemblyPlan {
public:
  using Space = FunctionSpace<Element, ExecutionSpace>;
  using Graph = SparsityGraph<ExecutionSpace>;

  /// Seconds and bytes that the plan took.
  const PlanReport& report() const { return report_; }

  /// Assembles the matrix and the right-hand side of `form` into `system`, whose former contents are lost.
  /// Returns when the result is there.
  /// \throws ArgumentError if form, system or constraints are not those that the plan was made for;
  ///   FormError for coefficients out of range, or naming the first element that cannot be integrated
  template <class Form, class Scalar>
  void assemble(const Form& form, const LinearSystem<Scalar, ExecutionSpace>& system) const {
    Kokkos::Profiling::ScopedRegion region(std::string("Tessera::") + Plan::strategy_name + "::assemble");
    check(form, system);
    const SystemKernel<ExecutionSpace, Scalar> target{space_.equations(exec_), system.graph().row_map,
                                                      system.values(), system.rhs()};
    const auto kernel = form_kernel(form);
    const auto* const plan = static_cast<const Plan*>(this);
    status_.reset();
    plan->accumulate(kernel, target);
    finish(target);
    if (!status_.failed(exec_)) return;
    if constexpr (requires { plan->name_failure(kernel, target); }) plan->name_failure(kernel, target);
    status_.check(exec_, Plan::strategy_name);
  }

protected:
  /// \throws ArgumentError if the graph was not built for this space as it is
  AssemblyPlan(const ExecutionSpace& exec, const Space& space, const Graph& graph)
      : preparation_(Plan::strategy_name), exec_(exec), space_(space), graph_(graph) {
    if (!graph.fits(space))
      throw ArgumentError(std::string(Plan::strategy_name) +
                          ": the graph was built for another mesh, another number of components or other "
                          "constraints than this space has now; build it again");
  }

  /// Closes the plan's preparation: notes its memory and the time since its base was made.
  void prepared(std::size_t bytes) {
    exec_.fence("Tessera::AssemblyPlan::prepared");
    report_ = {preparation_.finish(), bytes};
  }

  const ExecutionSpace& exec() const { return exec_; }
  const Space& space() const { return space_; }
  const Graph& graph() const { return graph_; }
  const Status<ExecutionSpace>& status() const { return status_; }

private:
  template <class Form, class Scalar>
  void check(const Form& form, const LinearSystem<Scalar, ExecutionSpace>& system) const {
    const std::string name = Plan::strategy_name;
    if (Form::components != space_.components())
      throw ArgumentError(name + ": the form has " + std::to_string(Form::components) +
                          " components per node, the plan was made for " +
                          std::to_string(space_.components()));
    if (!graph_.fits(space_))
      throw ArgumentError(name + ": the space has got other constraints since the plan was made");
    if (system.graph().row_map.data() != graph_.row_map.data())
      throw ArgumentError(name + ": the system has another graph than the plan");
    if constexpr (requires { form.template check<ExecutionSpace>(1, 1); })
      form.template check<ExecutionSpace>(space_.mesh().num_materials(), space_.mesh().num_elements());
  }

  template <class Scalar>
  void finish(const SystemKernel<ExecutionSpace, Scalar>& system) const {
    const auto loads = space_.nodal_loads(exec_);
    if (loads.dofs.extent(0) > 0)
      Kokkos::parallel_for(
          "Tessera::AssemblyPlan::nodal_loads",
          Kokkos::RangePolicy<ExecutionSpace>(exec_, 0, static_cast<Ordinal>(loads.dofs.extent(0))),
          detail::AddNodalLoads<ExecutionSpace, Scalar>{system, loads.dofs, loads.values});
    if (system.equations.constrained && !system.equations.removed)
      Kokkos::parallel_for("Tessera::AssemblyPlan::constrained_rows",
                           Kokkos::RangePolicy<ExecutionSpace>(exec_, 0, system.equations.count),
                           detail::SetConstrainedRows<ExecutionSpace, Scalar>{system, graph_.columns});
  }

  Preparation preparation_;
  ExecutionSpace exec_;
  Space space_;
  Graph graph_;
  Status<ExecutionSpace> status_;
  PlanReport report_;
};

} // namespace tessera
