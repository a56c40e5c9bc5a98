// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// What every assembly plan shares: its three steps, checks before the kernels, constraints and loads after
/// them.

#include <tessera/core/forms/form.hpp>
#include <tessera/strategies/assembly/common/assembly_options.hpp>
#include <tessera/strategies/assembly/common/assembly_state.hpp>
#include <tessera/strategies/common/check_coefficients.hpp>
#include <tessera/strategies/common/check_symmetry.hpp>
#include <tessera/strategies/common/integration_path.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <string>
#include <type_traits>

namespace tessera {

namespace detail {

// What a plan may have. Concepts, not requirements where they are used: there nvcc's front end does not find
// a plan's members and leaves the kernels out that only they launch.
template <class Plan, class Scalar, class Kernel>
concept MakesReady = requires(Plan& plan, const Kernel& kernel) { plan.template make_ready<Scalar>(kernel); };
template <class Plan, class Scalar, class Kernel>
concept KnowsReady =
    requires(const Plan& plan, const Kernel& kernel) { plan.template is_ready<Scalar>(kernel); };
template <class Plan>
concept TakesCoordinates = requires(Plan& plan) { plan.take_coordinates(); };
template <class Plan, class Kernel, class System>
concept NamesFailures = requires(const Plan& plan, const Kernel& kernel, const System& system) {
  plan.name_failure(kernel, system);
};

} // namespace detail

/// Base of assembly plans: `plan` made what depends on the mesh, `prepare` makes what depends on the form,
/// `assemble` computes. `assemble` does all that is left to do, and waits; `enqueue` and `check` are its two
/// halves for applications that go on meanwhile. Where `Mesh::move` has moved the mesh, `prepare` and
/// `assemble` follow it, and `enqueue` refuses until they have.
///
/// A plan serves one thread at a time: a call that meets another thread's throws ArgumentError, and so does
/// any call of a plan that was moved from. Copies share the plan's memory and count as the same plan.
///
/// A plan has a `strategy_name` and a member `accumulate(kernel, SystemKernel<ExecutionSpace, Scalar>)
/// const`, which computes every value and every entry of the right-hand side but for natural loads and the
/// rows of constrained degrees of freedom, allocates nothing, does not wait, and reports elements that cannot
/// be integrated to `status()`. It may have
///
/// - `can_add` that is true: where `system.add` says so, `accumulate` adds to what the system holds (`clear`
///   sees to it), and it clears entries that no element of the space has (`graph_for`; `clear_foreign` sees
///   to it);
/// - `make_ready<Scalar>(kernel)`: makes lists and memory for a form's kernel (see `hold`), throws
///   UnsupportedError or ArgumentError if there is no way, and returns the way's name for the report;
/// - `is_ready<Scalar>(kernel) const`: whether a kernel of a type that was made ready for needs nothing more,
///   where that depends on its values;
/// - `take_coordinates()`: copies what the plan keeps of the mesh's coordinates once more;
/// - `name_failure(kernel, system) const`: reports the element, where `accumulate` reports only that there is
///   one.
template <class Plan, class Element, class ExecutionSpace>
class AssemblyPlan : private detail::AssemblyState<Element, ExecutionSpace> {
  using State = detail::AssemblyState<Element, ExecutionSpace>;

public:
  using typename State::Space, typename State::Graph;
  static constexpr bool can_add = false; ///< see `AssemblyOptions::add`

  /// Seconds and bytes that plan and preparation took so far, and the path that was chosen last.
  const PlanReport& report() const { return this->report_; }

  /// Makes the plan ready for systems of `Scalar` and forms of this type, whose values may change afterwards:
  /// chooses the path, checks that it can run, and makes its lists and memory. Waits until they are there.
  /// Does nothing where there is nothing to do.
  /// \throws ArgumentError for another number of components than the plan's, or an option that does not suit
  ///   the form; UnsupportedError, with the numbers, where the device cannot serve it, the strategy the
  ///   options, or single precision the elements' size (`check_range`); FormError for coefficients out of
  ///   range, a form that says that it is symmetric and is not (`check_symmetry`), or one whose entries are
  ///   not bilinear (`check_coefficients`); OutOfMemoryError
  template <class Scalar = double, class Form>
  const PlanReport& prepare(const Form& form, const AssemblyOptions& options = {}) {
    const auto call = this->use_.begin(Plan::strategy_name);
    prepare_within<Scalar>(form, options);
    return report();
  }

  /// Assembles the matrix and the right-hand side of `form` into `system`, whose former contents are lost
  /// unless the options say otherwise. Prepares first where that was not done. Returns when the result is
  /// there.
  /// \throws what `prepare`, `enqueue` and `check` throw
  template <class Form, class Scalar>
  void assemble(const Form& form, const LinearSystem<Scalar, ExecutionSpace>& system,
                const AssemblyOptions& options = {}) {
    const auto call = this->use_.begin(Plan::strategy_name);
    this->check_system(system);
    prepare_within<Scalar>(form, options);
    enqueue_within(form, system, options);
    check_within(form, system);
  }

  /// Begins an assembly on the plan's execution space instance and returns without waiting for it; nothing is
  /// allocated. `check` says later whether all elements could be integrated.
  /// \throws ArgumentError if the plan is not prepared for the form and the options, or form, system or
  ///   constraints are not those that the plan was made for; UnsupportedError for options that the strategy
  ///   cannot serve; FormError for coefficients out of range. The system is then as it was.
  template <class Form, class Scalar>
  void enqueue(const Form& form, const LinearSystem<Scalar, ExecutionSpace>& system,
               const AssemblyOptions& options = {}) const {
    const auto call = this->use_.begin(Plan::strategy_name);
    enqueue_within(form, system, options);
  }

  /// Waits for the execution space instance and for all that was enqueued there.
  /// \throws FormError naming the first element that an assembly since the last `check` could not integrate:
  ///   what the system holds is then worthless
  template <class Form, class Scalar>
  void check(const Form& form, const LinearSystem<Scalar, ExecutionSpace>& system) const {
    const auto call = this->use_.begin(Plan::strategy_name);
    check_within(form, system);
  }

protected:
  /// \throws ArgumentError if the graph was not built for this space as it is; UnsupportedError for one with
  ///   more entries (`graph_for`), where the strategy does not add
  AssemblyPlan(const ExecutionSpace& exec, const Space& space, const Graph& graph)
      : State(Plan::strategy_name, exec, space, graph) {
    this->check_graph(Plan::can_add);
  }

  using State::exec, State::space, State::graph, State::status, State::prepared, State::hold, State::clear,
      State::clear_foreign;

private:
  Plan& plan() { return *static_cast<Plan*>(this); }
  const Plan& plan() const { return *static_cast<const Plan*>(this); }

  /// \name The steps of a call that has begun.
  ///@{
  template <class Scalar, class Form>
  void prepare_within(const Form& form, const AssemblyOptions& options) {
    this->check_options(options, Plan::can_add);
    require_form_kernel<std::remove_const_t<decltype(detail::element_kernel(form))>, Element, Scalar>();
    this->check_form(form);
    this->update_space();
    follow_mesh();
    if (options.matrix_alone) this->hold_spare_rhs(sizeof(Scalar));
    this->prepare_sides(form, detail::SidePart::matrix);
    const auto kernel = detail::element_kernel(form);
    if (is_prepared<Scalar>(kernel)) return;
    Preparation preparation(Plan::strategy_name, "prepare");
    if (!this->knows(this->template mark_of<Scalar>(kernel))) {
      this->template check_range<Scalar>();
      check_symmetry<Form>(exec(), Plan::strategy_name, space().mesh(), kernel);
      check_coefficients<Form>(exec(), Plan::strategy_name, space().mesh(), kernel);
    }
    this->report_.path = choose_path<Scalar>(kernel);
    this->note_prepared(this->template mark_of<Scalar>(kernel), preparation);
  }
  template <class Form, class Scalar>
  void enqueue_within(const Form& form, const LinearSystem<Scalar, ExecutionSpace>& system,
                      const AssemblyOptions& options) const {
    const Kokkos::Profiling::ScopedRegion region(this->region_);
    this->check_options(options, Plan::can_add);
    this->check_form(form);
    this->check_system(system);
    const auto kernel = detail::element_kernel(form);
    if (!is_prepared<Scalar>(kernel) || !this->follows_mesh() ||
        !this->holds_spare_rhs(options, sizeof(Scalar)) || !this->has_sides(form, detail::SidePart::matrix))
      this->throw_unprepared();
    const auto target = this->system_kernel(system, options);
    plan().accumulate(kernel, target);
    if constexpr (detail::HasSideTerms<Form>)
      this->sides_.add_jacobian(exec(), space().mesh(), form.side_terms(), status(), graph().columns, target);
    detail::finish_system(exec(), space(), graph(), target);
  }
  template <class Form, class Scalar>
  void check_within(const Form& form, const LinearSystem<Scalar, ExecutionSpace>& system) const {
    if (!status().failed(exec())) return;
    const auto kernel = detail::element_kernel(form);
    const auto target = this->system_kernel(system);
    if constexpr (detail::NamesFailures<Plan, decltype(kernel), decltype(target)>)
      plan().name_failure(kernel, target);
    status().check(exec(), Plan::strategy_name, space().mesh());
  }
  ///@}

  void follow_mesh() {
    if (this->follows_mesh()) return;
    if constexpr (detail::TakesCoordinates<Plan>) plan().take_coordinates();
    this->note_mesh();
  }

  template <class Scalar, class Kernel>
  bool is_prepared(const Kernel& kernel) const {
    if (!this->knows(this->template mark_of<Scalar>(kernel))) return false;
    if constexpr (detail::KnowsReady<Plan, Scalar, Kernel>)
      return plan().template is_ready<Scalar>(kernel);
    else
      return true;
  }
  template <class Scalar, class Kernel>
  std::string choose_path(const Kernel& kernel) {
    if constexpr (detail::MakesReady<Plan, Scalar, Kernel>)
      return plan().template make_ready<Scalar>(kernel);
    else
      return integration_path<Element, Kernel, Scalar>();
  }
};

} // namespace tessera
