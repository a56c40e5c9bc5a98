#pragma once

/// \file
/// What every assembly plan shares: its three steps, checks before the kernels, constraints and loads after
/// them.

#include <tessera/core/cost.hpp>
#include <tessera/core/element_system.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/form.hpp>
#include <tessera/core/linear_system.hpp>
#include <tessera/strategies/assembly/common/assembly_options.hpp>
#include <tessera/strategies/assembly/common/finish_system.hpp>
#include <tessera/strategies/assembly/common/system_kernel.hpp>
#include <tessera/strategies/common/form_kernel.hpp>
#include <tessera/strategies/common/preparation.hpp>
#include <tessera/strategies/common/status.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

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
/// `assemble` follow it.
///
/// A plan has a `strategy_name` and a member `accumulate(kernel, SystemKernel<ExecutionSpace, Scalar>)
/// const`, which computes every value and every entry of the right-hand side but for natural loads and the
/// rows of constrained degrees of freedom, allocates nothing, does not wait, and reports elements that cannot
/// be integrated to `status()`. It may have
///
/// - `can_add` that is true: where `system.add` says so, `accumulate` adds to what the system holds (`clear`
///   sees to it);
/// - `make_ready<Scalar>(kernel)`: makes lists and memory for a form's kernel (see `hold`), throws
///   UnsupportedError or ArgumentError if there is no way, and returns the way's name for the report;
/// - `is_ready<Scalar>(kernel) const`: whether a kernel of a type that was made ready for needs nothing more,
///   where that depends on its values;
/// - `take_coordinates()`: copies what the plan keeps of the mesh's coordinates once more;
/// - `name_failure(kernel, system) const`: reports the element, where `accumulate` reports only that there is
///   one.
template <class Plan, class Element, class ExecutionSpace>
class AssemblyPlan {
public:
  using Space = FunctionSpace<Element, ExecutionSpace>;
  using Graph = SparsityGraph<ExecutionSpace>;
  static constexpr bool can_add = false; ///< see `AssemblyOptions::add`

  /// Seconds and bytes that plan and preparation took so far, and the path that was chosen last.
  const PlanReport& report() const { return report_; }

  /// Makes the plan ready for systems of `Scalar` and forms of this type, whose values may change afterwards:
  /// chooses the path, checks that it can run, and makes its lists and memory. Waits until they are there.
  /// Does nothing where there is nothing to do.
  /// \throws ArgumentError for another number of components than the plan's, or an option that does not suit
  ///   the form; UnsupportedError, with the numbers, where the device cannot serve it, or the strategy the
  ///   options; FormError for coefficients out of range; OutOfMemoryError
  template <class Scalar = double, class Form>
  const PlanReport& prepare(const Form& form, const AssemblyOptions& options = {}) {
    check_options(options);
    require_form_kernel<std::remove_const_t<decltype(form_kernel(form))>, Element, Scalar>();
    check_form(form);
    // Constraints and loads that have changed reach the device.
    space_.equations(exec_);
    space_.nodal_loads(exec_);
    space_.robin(exec_);
    follow_mesh();
    if (options.matrix_alone) hold_spare_rhs(sizeof(Scalar) * graph_.num_rows());
    const auto kernel = form_kernel(form);
    if (is_prepared<Scalar>(kernel)) return report_;
    Preparation preparation(Plan::strategy_name, "prepare");
    report_.path = choose_path<Scalar>(kernel);
    if (!knows<Scalar>(kernel)) prepared_.push_back(mark_of<Scalar>(kernel));
    exec_.fence("Tessera::AssemblyPlan::prepare");
    report_.prepare_seconds += preparation.finish();
    return report_;
  }

  /// Assembles the matrix and the right-hand side of `form` into `system`, whose former contents are lost
  /// unless the options say otherwise. Prepares first where that was not done. Returns when the result is
  /// there.
  /// \throws what `prepare`, `enqueue` and `check` throw
  template <class Form, class Scalar>
  void assemble(const Form& form, const LinearSystem<Scalar, ExecutionSpace>& system,
                const AssemblyOptions& options = {}) {
    check_system(system);
    prepare<Scalar>(form, options);
    enqueue(form, system, options);
    check(form, system);
  }

  /// Begins an assembly on the plan's execution space instance and returns without waiting for it; nothing is
  /// allocated. `check` says later whether all elements could be integrated.
  /// \throws ArgumentError if the plan is not prepared for the form and the options, or form, system or
  ///   constraints are not those that the plan was made for; UnsupportedError for options that the strategy
  ///   cannot serve; FormError for coefficients out of range. The system is then as it was.
  template <class Form, class Scalar>
  void enqueue(const Form& form, const LinearSystem<Scalar, ExecutionSpace>& system,
               const AssemblyOptions& options = {}) const {
    const Kokkos::Profiling::ScopedRegion region(name() + "::assemble");
    check_options(options);
    check_form(form);
    check_system(system);
    const auto kernel = form_kernel(form);
    if (!is_prepared<Scalar>(kernel) || !follows_mesh() || !holds_spare_rhs<Scalar>(options))
      throw ArgumentError(std::string(Plan::strategy_name) +
                          ": the plan is not prepared for this form, scalar, options or state of the mesh; "
                          "call prepare(form, options), or assemble(form, system, options), which does");
    auto target = system_kernel(system);
    target.add = options.add;
    if (options.matrix_alone)
      target.rhs = decltype(target.rhs)(reinterpret_cast<Scalar*>(spare_rhs_.data()), system.rhs().extent(0));
    plan().accumulate(kernel, target);
    detail::finish_system(exec_, space_, graph_, target);
  }

  /// Waits for the execution space instance and for all that was enqueued there.
  /// \throws FormError naming the first element that an assembly since the last `check` could not integrate
  template <class Form, class Scalar>
  void check(const Form& form, const LinearSystem<Scalar, ExecutionSpace>& system) const {
    if (!status_.failed(exec_)) return;
    const auto kernel = form_kernel(form);
    const auto target = system_kernel(system);
    if constexpr (detail::NamesFailures<Plan, decltype(kernel), decltype(target)>)
      plan().name_failure(kernel, target);
    status_.check(exec_, Plan::strategy_name, space_.mesh());
  }

protected:
  /// \throws ArgumentError if the graph was not built for this space as it is
  AssemblyPlan(const ExecutionSpace& exec, const Space& space, const Graph& graph)
      : preparation_(Plan::strategy_name, "plan"), exec_(exec), space_(space), graph_(graph),
        mesh_revision_(space.mesh().revision()) {
    if (!graph.fits(space))
      throw ArgumentError(std::string(Plan::strategy_name) +
                          ": the graph was built for another mesh, another number of components or other "
                          "constraints than this space has now; build it again");
  }

  /// Closes the making of the plan: notes its memory and the time since its base was made.
  void prepared(std::size_t bytes) {
    exec_.fence("Tessera::AssemblyPlan::prepared");
    report_.seconds = preparation_.finish();
    report_.bytes = bytes;
  }
  /// Notes memory that `make_ready` took, less what it gave back.
  void hold(std::size_t bytes, std::size_t given_back = 0) { report_.bytes += bytes - given_back; }

  /// Zeros where a strategy adds to the system, unless it is to keep what it holds.
  template <class Scalar>
  static void clear(const ExecutionSpace& exec, const SystemKernel<ExecutionSpace, Scalar>& system) {
    if (system.add) return;
    Kokkos::deep_copy(exec, system.values, Scalar(0));
    Kokkos::deep_copy(exec, system.rhs, Scalar(0));
  }

  const ExecutionSpace& exec() const { return exec_; }
  const Space& space() const { return space_; }
  const Graph& graph() const { return graph_; }
  const Status<ExecutionSpace>& status() const { return status_; }

private:
  static std::string name() { return std::string("Tessera::") + Plan::strategy_name; }
  Plan& plan() { return *static_cast<Plan*>(this); }
  const Plan& plan() const { return *static_cast<const Plan*>(this); }

  /// An address that stands for a type of kernel and scalar.
  template <class Scalar, class Kernel>
  static const void* mark_of(const Kernel&) {
    static constexpr char mark = 0;
    return &mark;
  }
  template <class Scalar, class Kernel>
  bool knows(const Kernel& kernel) const {
    return std::find(prepared_.begin(), prepared_.end(), mark_of<Scalar>(kernel)) != prepared_.end();
  }
  /// Whether what the plan keeps of the coordinates, if anything, is as the mesh is.
  bool follows_mesh() const {
    if constexpr (detail::TakesCoordinates<Plan>)
      return mesh_revision_ == space_.mesh().revision();
    else
      return true;
  }
  void follow_mesh() {
    if (follows_mesh()) return;
    if constexpr (detail::TakesCoordinates<Plan>) plan().take_coordinates();
    mesh_revision_ = space_.mesh().revision();
  }

  template <class Scalar, class Kernel>
  bool is_prepared(const Kernel& kernel) const {
    if (!knows<Scalar>(kernel)) return false;
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

  template <class Scalar>
  SystemKernel<ExecutionSpace, Scalar>
  system_kernel(const LinearSystem<Scalar, ExecutionSpace>& system) const {
    return {space_.equations(exec_), system.graph().row_map, system.values(), system.rhs()};
  }

  template <class Form>
  void check_form(const Form& form) const {
    const std::string name = Plan::strategy_name;
    if (Form::components != space_.components())
      throw ArgumentError(name + ": the form has " + std::to_string(Form::components) +
                          " components per node, the plan was made for " +
                          std::to_string(space_.components()));
    if constexpr (requires { form.template check<ExecutionSpace>(1, 1); })
      form.template check<ExecutionSpace>(space_.mesh().num_materials(), space_.mesh().num_elements());
  }
  template <class Scalar>
  void check_system(const LinearSystem<Scalar, ExecutionSpace>& system) const {
    const std::string name = Plan::strategy_name;
    if (!graph_.fits(space_))
      throw ArgumentError(name + ": the space has got other constraints since the plan was made");
    if (system.graph().row_map.data() != graph_.row_map.data())
      throw ArgumentError(name + ": the system has another graph than the plan");
  }

  static void check_options(const AssemblyOptions& options) {
    if (options.add && !Plan::can_add)
      throw UnsupportedError(std::string(Plan::strategy_name) +
                             ": writes every value once and adds to no system; assemble sum(a, b), or a "
                             "system of its own for LinearSystem::add");
  }
  void hold_spare_rhs(std::size_t bytes) {
    const std::size_t old = spare_rhs_.extent(0);
    if (old >= bytes) return;
    spare_rhs_ = {};
    spare_rhs_ = allocate<decltype(spare_rhs_)>(exec_, "Tessera::AssemblyPlan::spare_rhs", bytes);
    hold(bytes, old);
  }
  template <class Scalar>
  bool holds_spare_rhs(const AssemblyOptions& options) const {
    return !options.matrix_alone || spare_rhs_.extent(0) >= sizeof(Scalar) * graph_.num_rows();
  }

  Preparation preparation_;
  ExecutionSpace exec_;
  Space space_;
  Graph graph_;
  Status<ExecutionSpace> status_;
  PlanReport report_;
  std::size_t mesh_revision_;         ///< of the coordinates that the plan keeps, where it keeps any
  std::vector<const void*> prepared_; ///< marks of scalars and kernels
  Kokkos::View<char*, ExecutionSpace> spare_rhs_; ///< of any scalar, where the matrix is assembled alone
};

} // namespace tessera
