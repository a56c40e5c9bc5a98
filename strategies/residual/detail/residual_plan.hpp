// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// What the plans of all residual strategies share: checks before the kernels, loads and constraints after
/// them.

#include <tessera/core/allocate.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/space/function_space.hpp>
#include <tessera/core/weak_form/weak_form.hpp>
#include <tessera/strategies/common/plan_state.hpp>
#include <tessera/strategies/residual/detail/element_arrays.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <cstddef>
#include <string>
#include <tuple>
#include <type_traits>

namespace TESSERA_KERNELS::residual {

namespace detail {

/// Natural loads are subtracted.
template <class ExecutionSpace, class Scalar>
struct SubtractLoads {
  Kokkos::View<Scalar*, ExecutionSpace> r;
  Kokkos::View<const Ordinal*, ExecutionSpace> dofs;
  Kokkos::View<const double*, ExecutionSpace> values;
  KOKKOS_FUNCTION void operator()(Ordinal i) const { r(dofs(i)) -= Scalar(values(i)); }
};

/// The numbering of vectors over all degrees of freedom.
template <class ExecutionSpace>
Equations<ExecutionSpace> all_dofs(int components, Ordinal nodes) {
  Equations<ExecutionSpace> equations;
  equations.components = components;
  equations.count = nodes * components;
  return equations;
}

} // namespace detail

/// Base of residual plans: `plan` made what depends on the mesh, `prepare` makes what depends on the form,
/// `integrate` computes. `integrate` does all that is left to do, and waits; `enqueue` and `check` are its
/// two halves for applications that go on meanwhile. Where `Mesh::move` has moved the mesh, `prepare` and
/// `integrate` follow it, and `enqueue` refuses until they have.
///
/// A plan has a `strategy_name` and a member `accumulate(kernel, u, r) const`, which computes the sum of the
/// element residuals of a weak form's pointwise `kernel` in every entry of r, allocates nothing, does not
/// wait, and reports elements whose residual is not finite to `status()`; and a member
/// `make_ready<Scalar>(kernel) const`, which throws UnsupportedError if there is no way to take a form, and
/// returns the way's name for the report. Where the strategy has the paper's setting too, it has a member
/// `accumulate_elements(kernel, arrays)`.
///
/// A plan serves one thread at a time: a call that meets another thread's throws ArgumentError, and so does
/// any call of a plan that was moved from. Copies share the plan's memory and count as the same plan.
template <class Plan, class ElementType, class ExecutionSpace>
class ResidualPlan : private tessera::detail::PlanState<ElementType, ExecutionSpace> {
  using State = tessera::detail::PlanState<ElementType, ExecutionSpace>;

public:
  using Element = ElementType;
  using typename State::Space;

  /// Seconds and bytes that plan and preparation took so far, and the path that was chosen last.
  const PlanReport& report() const { return this->report_; }

  /// Makes the plan ready for vectors of `Scalar` and forms of this type, whose values may change afterwards:
  /// chooses the path, checks that it can run, and brings constraints and loads that have changed to the
  /// device. Does nothing where there is nothing to do.
  /// \throws ArgumentError if the form has not the space's number of components, or an auxiliary field does
  ///   not fit the mesh; FormError for coefficients out of range; UnsupportedError with the numbers if a team
  ///   cannot have the threads or the scratch memory that the options ask for, or for elements that single
  ///   precision cannot take (`check_range`)
  template <class Scalar = double, class Form>
  const PlanReport& prepare(const Form& form) {
    const auto call = this->use_.begin(Plan::strategy_name);
    prepare_within<Scalar>(as_weak_form(form));
    return report();
  }

  /// r = integral of phi . f0 + grad phi : f1, of the form's functions on sides, of h (u - g) . phi on Robin
  /// sides, minus the space's natural loads; zero where a degree of freedom is constrained. Prepares first
  /// where that was not done. Returns when the result is there.
  ///
  /// \param form a `WeakForm`, or a physics that has no auxiliary fields
  /// \param u,r all degrees of freedom, node * components + component, float or double, on the device; u
  ///   holds the prescribed values where it is constrained, and r is another view
  /// \throws what `prepare`, `enqueue` and `check` throw
  template <class Form, class U, class R>
  void integrate(const Form& form, const U& u, const R& r) {
    const auto call = this->use_.begin(Plan::strategy_name);
    const auto weak = as_weak_form(form);
    check_vectors(u, r);
    prepare_within<typename R::non_const_value_type>(weak);
    run(weak, u, r);
    check_within();
  }

  /// Begins a residual on the plan's execution space instance and returns without waiting for it; nothing is
  /// allocated unless constraints or loads have changed since `prepare`. `check` says later whether all
  /// elements had a residual.
  /// \throws ArgumentError if the plan is not prepared for the form, the vectors' numbers and the mesh as it
  ///   is, for a form or auxiliary fields that do not fit, or for other extents; FormError for coefficients
  ///   out of range. r is then as it was.
  template <class Form, class U, class R>
  void enqueue(const Form& form, const U& u, const R& r) const {
    const auto call = this->use_.begin(Plan::strategy_name);
    const auto weak = as_weak_form(form);
    check_vectors(u, r);
    require_prepared<typename R::non_const_value_type>(weak, "integrate(form, u, r)");
    run(weak, u, r);
  }

  /// Waits for the execution space instance and for all that was enqueued there.
  /// \throws FormError naming the first element whose residual was not finite since the last `check`: the
  ///   values of the results are then unspecified
  void check() const {
    const auto call = this->use_.begin(Plan::strategy_name);
    check_within();
  }

  /// The paper's setting: geometry and coefficients by element in, element vectors out, nothing assembled.
  /// Prepares first where that was not done.
  /// \throws what `prepare`, `enqueue_elements` and `check` throw
  template <class Form, class Scalar>
  void integrate_elements(const Form& form, const ElementArrays<Element, ExecutionSpace, Scalar>& arrays) {
    const auto call = this->use_.begin(Plan::strategy_name);
    const auto weak = as_weak_form(form);
    prepare_within<Scalar>(weak);
    run_elements(weak, arrays);
    check_within();
  }

  /// Begins `integrate_elements` and returns without waiting for it.
  /// \throws as `enqueue`; ArgumentError for arrays of another mesh or form
  template <class Form, class Scalar>
  void enqueue_elements(const Form& form,
                        const ElementArrays<Element, ExecutionSpace, Scalar>& arrays) const {
    const auto call = this->use_.begin(Plan::strategy_name);
    const auto weak = as_weak_form(form);
    require_prepared<Scalar>(weak, "integrate_elements(form, arrays)");
    run_elements(weak, arrays);
  }

protected:
  ResidualPlan(const ExecutionSpace& exec, const Space& space) : State(Plan::strategy_name, exec, space) {}

  using State::exec, State::space, State::status, State::prepared;
  static std::string name() { return Plan::strategy_name; }

private:
  std::tuple<Kokkos::View<float*, ExecutionSpace>, Kokkos::View<double*, ExecutionSpace>> copies_;

  const Plan& plan() const { return *static_cast<const Plan*>(this); }

  /// \name The steps of a call that has begun.
  ///@{
  template <class Scalar, class Weak>
  void prepare_within(const Weak& weak) {
    this->check_form(weak);
    this->update_space();
    const auto kernel = weak.kernel(space().mesh().kernel());
    const void* const mark = this->template mark_of<Scalar>(kernel);
    const bool known = this->knows(mark);
    this->prepare_sides(weak, tessera::detail::SidePart::vector);
    if (!known || !this->follows_mesh()) this->template check_range<Scalar>();
    this->note_mesh(); // plans keep nothing else that follows from coordinates
    if (known) return;
    Preparation preparation(Plan::strategy_name, "prepare");
    make_copy<Scalar>();
    this->report_.path = plan().template make_ready<Scalar>(kernel);
    this->note_prepared(mark, preparation);
  }
  template <class Scalar, class Weak>
  void require_prepared(const Weak& weak, const char* numeric_step) const {
    this->check_form(weak);
    const auto kernel = weak.kernel(space().mesh().kernel());
    if (!this->knows(this->template mark_of<Scalar>(kernel)) || !this->follows_mesh() ||
        !this->has_sides(weak, tessera::detail::SidePart::vector))
      this->throw_unprepared("form", numeric_step);
  }
  template <class Weak, class U, class R>
  void run(const Weak& weak, const U& u, const R& r) const {
    using Scalar = typename R::non_const_value_type;
    const Kokkos::Profiling::ScopedRegion region("Tessera::" + name() + "::integrate");
    const auto state = interpolated(Kokkos::View<const Scalar*, ExecutionSpace>(u));
    plan().accumulate(weak.kernel(space().mesh().kernel()), state, Kokkos::View<Scalar*, ExecutionSpace>(r));
    space().linear().fold(exec(), Kokkos::View<Scalar*, ExecutionSpace>(r));
    if constexpr (tessera::detail::HasSideTerms<Weak>)
      this->sides_.add_residual(exec(), space().mesh(), weak.side_terms(), status(), state,
                                Kokkos::View<Scalar*, ExecutionSpace>(r));
    finish<Scalar>(state, r);
  }
  /// The unknown as the kernels read it: where linear components follow from corners a copy, in which they
  /// do.
  template <class Scalar>
  Kokkos::View<const Scalar*, ExecutionSpace>
  interpolated(const Kokkos::View<const Scalar*, ExecutionSpace>& u) const {
    if (!space().linear().any()) return u;
    const auto& copy = std::get<Kokkos::View<Scalar*, ExecutionSpace>>(copies_);
    Kokkos::deep_copy(exec(), copy, u);
    space().linear().interpolate(exec(), copy);
    return copy;
  }
  /// Memory for it.
  template <class Scalar>
  void make_copy() {
    auto& copy = std::get<Kokkos::View<Scalar*, ExecutionSpace>>(copies_);
    if (!space().linear().any() || copy.extent(0) > 0) return;
    copy = allocate<Kokkos::View<Scalar*, ExecutionSpace>>(exec(), "Tessera::ResidualPlan::unknown",
                                                           to_size(space().num_dofs()));
    this->hold(copy.span() * sizeof(Scalar));
  }
  template <class Weak, class Scalar>
  void run_elements(const Weak& weak, const ElementArrays<Element, ExecutionSpace, Scalar>& arrays) const {
    static_assert(
        !tessera::detail::HasSideTerms<Weak>,
        "tessera::residual::ResidualPlan::integrate_elements: vectors of elements have no part on sides; "
        "`integrate` adds functions on sides");
    const Kokkos::Profiling::ScopedRegion region("Tessera::" + name() + "::integrate_elements");
    const auto kernel = weak.kernel(space().mesh().kernel());
    using Kernel = std::remove_const_t<decltype(kernel)>;
    arrays.check(name(), space().mesh().num_elements(), Kernel::components,
                 Tabulation<Element, Kernel::template degree<Element>>::points);
    plan().accumulate_elements(kernel, arrays);
  }
  void check_within() const {
    status().check(
        exec(), name(), space().mesh(),
        "has a residual that is not finite: f0, f1, an auxiliary field or the unknown is not a number "
        "there, or the element is inverted; the values of the result are unspecified");
  }
  ///@}

  template <class U, class R>
  void check_vectors(const U& u, const R& r) const {
    check_extent("u", u.extent(0));
    check_extent("r", r.extent(0));
    if (static_cast<const void*>(u.data()) == r.data() && r.extent(0) > 0)
      throw ArgumentError(name() + ": u and r must be distinct");
  }
  void check_extent(const char* what, std::size_t extent) const {
    if (extent != static_cast<std::size_t>(space().num_dofs()))
      throw ArgumentError(name() + ": " + what + " has " + std::to_string(extent) +
                          " entries, the space has " + std::to_string(space().num_dofs()) +
                          " degrees of freedom");
  }
  template <class Scalar>
  void finish(const Kokkos::View<const Scalar*, ExecutionSpace>& u,
              const Kokkos::View<Scalar*, ExecutionSpace>& r) const {
    using Range = Kokkos::RangePolicy<ExecutionSpace>;
    const auto equations = space().equations(exec());
    const auto robin = space().robin(exec());
    tessera::detail::for_each_robin_node(
        exec(), "Tessera::ResidualPlan::add_robin", robin,
        tessera::detail::AddRobinResidual<ExecutionSpace, Scalar>{robin, equations, false, u, r});
    const auto loads = space().nodal_loads(exec());
    if (loads.dofs.extent(0) > 0)
      Kokkos::parallel_for("Tessera::ResidualPlan::subtract_loads", Range(exec(), 0, loads.dofs.extent(0)),
                           detail::SubtractLoads<ExecutionSpace, Scalar>{r, loads.dofs, loads.values});
    tessera::detail::clear_constrained(exec(), equations, space().mesh().num_nodes(), r);
  }
};

} // namespace TESSERA_KERNELS::residual
