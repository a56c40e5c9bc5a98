#pragma once

/// \file
/// What the plans of all residual strategies share: checks before the kernels, loads and constraints after
/// them.

#include <tessera/core/cost.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/space/function_space.hpp>
#include <tessera/core/weak_form/weak_form.hpp>
#include <tessera/strategies/common/check_range.hpp>
#include <tessera/strategies/common/in_use.hpp>
#include <tessera/strategies/common/preparation.hpp>
#include <tessera/strategies/common/status.hpp>
#include <tessera/strategies/residual/detail/element_arrays.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <type_traits>

namespace tessera {

namespace detail {

/// Natural loads are subtracted.
template <class ExecutionSpace, class Scalar>
struct SubtractLoads {
  Kokkos::View<Scalar*, ExecutionSpace> r;
  Kokkos::View<const Ordinal*, ExecutionSpace> dofs;
  Kokkos::View<const double*, ExecutionSpace> values;
  KOKKOS_FUNCTION void operator()(Ordinal i) const { r(dofs(i)) -= Scalar(values(i)); }
};

/// Constrained degrees of freedom have no residual.
template <class ExecutionSpace, class Scalar>
struct ClearConstrained {
  Kokkos::View<Scalar*, ExecutionSpace> r;
  Equations<ExecutionSpace> equations;
  KOKKOS_FUNCTION void operator()(Ordinal node) const {
    if (equations.mask(node) == 0) return;
    for (int c = 0; c < equations.components; ++c)
      if (equations.is_constrained(node, c)) r(node * equations.components + c) = Scalar(0);
  }
};

/// The numbering of vectors over all degrees of freedom.
template <class ExecutionSpace>
Equations<ExecutionSpace> all_dofs(int components, Ordinal nodes) {
  Equations<ExecutionSpace> equations;
  equations.components = components;
  equations.count = nodes * components;
  return equations;
}

/// Plans whose options may not fit a form. Concepts at namespace scope: nvcc takes a requirement that names
/// the plan within its own base for unmet.
template <class Plan, class Scalar, class Kernel>
concept Validates =
    requires(const Plan& plan, const Kernel& kernel) { plan.template validate<Scalar>(kernel); };

} // namespace detail

/// Base of residual plans. A plan has a `strategy_name` and a member `accumulate(kernel, u, r)`, which
/// computes the sum of the element residuals of a weak form's pointwise `kernel` in every entry of r and
/// reports elements whose residual is not finite to `status()`. Where the strategy has the paper's setting
/// too, a member `accumulate_elements(kernel, arrays)`.
///
/// A plan serves one thread at a time: a call that meets another thread's throws ArgumentError, and so does
/// any call of a plan that was moved from. Copies share the plan's memory and count as the same plan.
template <class Plan, class ElementType, class ExecutionSpace>
class ResidualPlan {
public:
  using Element = ElementType;
  using Space = FunctionSpace<Element, ExecutionSpace>;

  /// Seconds and bytes that the plan took.
  const PlanReport& report() const { return report_; }

  /// Checks that the plan can take a form on vectors of `Scalar`, and brings constraints and loads that have
  /// changed to the device.
  /// \throws ArgumentError if the form has not the space's number of components, or an auxiliary field does
  ///   not fit the mesh; FormError for coefficients out of range; UnsupportedError with the numbers if a team
  ///   cannot have the threads or the scratch memory that the options ask for, or single precision the
  ///   elements' size (`check_range`)
  template <class Scalar = double, class Form>
  const PlanReport& prepare(const Form& form) const {
    const auto call = use_.begin(Plan::strategy_name);
    const auto weak = as_weak_form(form);
    check_form(weak);
    check_elements<Scalar>();
    const auto kernel = weak.kernel(space_.mesh().kernel());
    if constexpr (detail::Validates<Plan, Scalar, std::remove_const_t<decltype(kernel)>>)
      plan().template validate<Scalar>(kernel);
    space_.equations(exec_);
    space_.nodal_loads(exec_);
    space_.robin(exec_);
    return report_;
  }

  /// r = integral of phi . f0 + grad phi : f1, of h (u - g) . phi on Robin sides, minus the space's natural
  /// loads; zero where a degree of freedom is constrained. Returns when the result is there.
  ///
  /// \param form a `WeakForm`, or a physics that has no auxiliary fields
  /// \param u,r all degrees of freedom, node * components + component, float or double, on the device; u
  ///   holds the prescribed values where it is constrained, and r is another view
  /// \throws as `enqueue` and `check`
  template <class Form, class U, class R>
  void integrate(const Form& form, const U& u, const R& r) const {
    enqueue(form, u, r);
    check();
  }

  /// Begins `integrate` on the plan's execution space instance and returns without waiting for it; nothing is
  /// allocated unless constraints or loads have changed since `prepare`. `check` says later whether all
  /// elements had a residual. In single precision the first call after the mesh has moved waits for a look at
  /// its elements' size.
  /// \throws as `prepare`; ArgumentError for other extents. r is then as it was.
  template <class Form, class U, class R>
  void enqueue(const Form& form, const U& u, const R& r) const {
    using Scalar = typename R::non_const_value_type;
    const auto call = use_.begin(Plan::strategy_name);
    const Kokkos::Profiling::ScopedRegion region(std::string("Tessera::") + Plan::strategy_name +
                                                 "::integrate");
    const auto weak = as_weak_form(form);
    check_form(weak);
    check_elements<Scalar>();
    check_extent("u", u.extent(0));
    check_extent("r", r.extent(0));
    if (static_cast<const void*>(u.data()) == r.data() && r.extent(0) > 0)
      throw ArgumentError(name() + ": u and r must be distinct");
    plan().accumulate(weak.kernel(space_.mesh().kernel()), Kokkos::View<const Scalar*, ExecutionSpace>(u),
                      Kokkos::View<Scalar*, ExecutionSpace>(r));
    finish<Scalar>(u, r);
  }

  /// Waits for the execution space instance and for all that was enqueued there.
  /// \throws FormError naming the first element whose residual was not finite since the last `check`: the
  ///   values of the results are then unspecified
  void check() const {
    const auto call = use_.begin(Plan::strategy_name);
    status_.check(
        exec_, name(), space_.mesh(),
        "has a residual that is not finite: f0, f1, an auxiliary field or the unknown is not a number "
        "there, or the element is inverted; the values of the result are unspecified");
  }

  /// The paper's setting: geometry and coefficients by element in, element vectors out, nothing assembled.
  /// \throws as `enqueue_elements` and `check`
  template <class Form, class Scalar>
  void integrate_elements(const Form& form,
                          const ElementArrays<Element, ExecutionSpace, Scalar>& arrays) const {
    enqueue_elements(form, arrays);
    check();
  }

  /// Begins `integrate_elements` and returns without waiting for it.
  /// \throws as `prepare`; ArgumentError for arrays of another mesh or form
  template <class Form, class Scalar>
  void enqueue_elements(const Form& form,
                        const ElementArrays<Element, ExecutionSpace, Scalar>& arrays) const {
    const auto call = use_.begin(Plan::strategy_name);
    const Kokkos::Profiling::ScopedRegion region(std::string("Tessera::") + Plan::strategy_name +
                                                 "::integrate_elements");
    const auto weak = as_weak_form(form);
    check_form(weak);
    check_elements<Scalar>();
    const auto kernel = weak.kernel(space_.mesh().kernel());
    using Kernel = std::remove_const_t<decltype(kernel)>;
    arrays.check(name(), space_.mesh().num_elements(), Kernel::components,
                 Tabulation<Element, Kernel::template degree<Element>>::points);
    plan().accumulate_elements(kernel, arrays);
  }

protected:
  ResidualPlan(const ExecutionSpace& exec, const Space& space)
      : preparation_(Plan::strategy_name, "plan"), exec_(exec), space_(space) {}

  /// Closes the plan's preparation.
  void prepared(std::size_t bytes) {
    exec_.fence("Tessera::ResidualPlan::prepared");
    report_.seconds = preparation_.finish();
    report_.bytes = bytes;
  }

  const ExecutionSpace& exec() const { return exec_; }
  const Space& space() const { return space_; }
  const Status<ExecutionSpace>& status() const { return status_; }
  static std::string name() { return Plan::strategy_name; }

private:
  const Plan& plan() const { return *static_cast<const Plan*>(this); }

  template <class Weak>
  void check_form(const Weak& weak) const {
    if (Weak::components != space_.components())
      throw ArgumentError(name() + ": the form has " + std::to_string(Weak::components) +
                          " components per node, the plan was made for " +
                          std::to_string(space_.components()));
    weak.check(space_.mesh());
  }
  /// `check_range`, once for each position of the mesh.
  template <class Scalar>
  void check_elements() const {
    if (std::is_same_v<Scalar, double> || checked_revision_ == space_.mesh().revision()) return;
    check_range<Scalar>(Plan::strategy_name, exec_, space_.mesh());
    checked_revision_ = space_.mesh().revision();
  }
  void check_extent(const char* what, std::size_t extent) const {
    if (extent != static_cast<std::size_t>(space_.num_dofs()))
      throw ArgumentError(name() + ": " + what + " has " + std::to_string(extent) +
                          " entries, the space has " + std::to_string(space_.num_dofs()) +
                          " degrees of freedom");
  }
  template <class Scalar>
  void finish(const Kokkos::View<const Scalar*, ExecutionSpace>& u,
              const Kokkos::View<Scalar*, ExecutionSpace>& r) const {
    using Range = Kokkos::RangePolicy<ExecutionSpace>;
    const auto equations = space_.equations(exec_);
    const auto robin = space_.robin(exec_);
    detail::for_each_robin_node(
        exec_, "Tessera::ResidualPlan::add_robin", robin,
        detail::AddRobinResidual<ExecutionSpace, Scalar>{robin, equations, false, u, r});
    const auto loads = space_.nodal_loads(exec_);
    if (loads.dofs.extent(0) > 0)
      Kokkos::parallel_for("Tessera::ResidualPlan::subtract_loads", Range(exec_, 0, loads.dofs.extent(0)),
                           detail::SubtractLoads<ExecutionSpace, Scalar>{r, loads.dofs, loads.values});
    if (equations.constrained)
      Kokkos::parallel_for("Tessera::ResidualPlan::clear_constrained",
                           Range(exec_, 0, space_.mesh().num_nodes()),
                           detail::ClearConstrained<ExecutionSpace, Scalar>{r, equations});
  }
  Preparation preparation_;
  ExecutionSpace exec_;
  Space space_;
  Status<ExecutionSpace> status_;
  InUse use_;
  PlanReport report_;
  mutable std::optional<std::size_t> checked_revision_; ///< of the mesh
};

} // namespace tessera
