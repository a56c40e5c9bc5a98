// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Newton's method for weak forms.

#include <tessera/core/system/linear_system.hpp>
#include <tessera/core/weak_form/weak_form.hpp>
#include <tessera/solvers/bicgstab.hpp>
#include <tessera/solvers/crs_operator.hpp>
#include <tessera/solvers/detail/newton_kernels.hpp>
#include <tessera/solvers/detail/newton_state.hpp>
#include <tessera/solvers/krylov_with_jacobi.hpp>
#include <tessera/solvers/newton_result.hpp>
#include <tessera/strategies/assembly/element_atomic.hpp>
#include <tessera/strategies/common/in_use.hpp>
#include <tessera/strategies/residual/recomputing_residual.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

namespace tessera::solvers {

/// Newton's method on one space: graph and plans are made once, `solve` is called as often as loads,
/// prescribed values or forms change.
///
/// Each step solves with the Jacobian, assembled by `Assembly`, and takes the largest of the fractions 1,
/// 1/2, 1/4, ... whose residual, computed by `Residual`, falls (C. T. Kelley, "Iterative Methods for Linear
/// and Nonlinear Equations", section 8.2). A whole step whose residual does not fall is taken all the same if
/// the step after it is shorter by a quarter: slender bodies that bend are stretched by a step, which costs a
/// residual that the next step takes away. Where prescribed values differ from u's, the first step brings u
/// there along the linearised problem, so that nodes inside move with the boundary.
///
/// \tparam Element the mesh's, or for a `MixedSpace` the `Blocks` of its mesh (`strategies/blocks/` plans
/// those)
template <class Element, class ExecutionSpace, class Assembly = assembly::ElementAtomic,
          class Residual = residual::RecomputingResidual>
class Newton {
public:
  using Space = typename tessera::detail::SpaceOver<Element, ExecutionSpace>::type;
  using Vector = Kokkos::View<double*, ExecutionSpace>;
  using System = LinearSystem<double, ExecutionSpace>;

  /// \throws ArgumentError for options that make no sense; what the strategies' plans throw
  Newton(const ExecutionSpace& exec, const Space& space, const NewtonOptions& options = {},
         const Assembly& assembly = {}, const Residual& residual = {})
      : exec_(exec), space_(space), options_(options), system_(exec, space),
        assembly_(assembly.plan(exec, space, system_.graph())), residual_(residual.plan(exec, space)) {
    if (!(options.relative_tolerance >= 0) || !(options.absolute_tolerance >= 0) ||
        !(options.step_tolerance >= 0) || options.max_iterations < 0 || options.max_halvings < 0 ||
        !(options.decrease > 0 && options.decrease < 1))
      throw ArgumentError("Newton: tolerances and counts must be at least 0, decrease inside (0, 1)");
  }
  /// The same on the default instance.
  explicit Newton(const Space& space, const NewtonOptions& options = {}, const Assembly& assembly = {},
                  const Residual& residual = {})
      : Newton(default_instance<ExecutionSpace>(), space, options, assembly, residual) {}

  /// Solves r(u) = 0 under the space's constraints and loads.
  ///
  /// \param form a `WeakForm`, or a physics that has no auxiliary fields
  /// \param u all degrees of freedom, node * components + component: the first state on entry, the solution
  /// on
  ///   return, the last state if `max_iterations` are reached; unchanged if the call throws
  /// \param linear `linear(exec, system, x)` solves the system's matrix and right-hand side for x, which is
  ///   zero on entry, and throws where it cannot; its result's `iterations`, if it has them, are reported.
  ///   `linear(exec, system, x, state)` is handed the state that the matrix belongs to as well
  /// \throws ArgumentError as the strategies; FormError naming the element where the first state has no
  /// residual;
  ///   SolverError if no fraction of a step lowers the residual, naming the iteration and, where elements
  ///   turned inside out or were not a number, the last of them; or if the linear solver throws one, or
  ///   returns without a solution. ArgumentError where `linear` calls its own Newton's `solve`
  ///
  /// A residual that rounding leaves is a success, `NewtonStop::rounding`: one up to
  /// ε √(‖|J||u|‖² + ‖loads‖²), one after a step that is rounding beside u, one that no fraction of a
  /// step lowers where it is at most 16 times the first, or its changes do not shrink with the fraction, and
  /// one that has fallen to where its square is lost to underflow, as where the solution is zero. A step
  /// counts as short where the linear solver has halved its residual at least, else SolverError says that it
  /// has not solved. A state that solves the problem on entry is left as it is.
  template <class Form, class LinearSolver>
  NewtonResult solve(const Form& form, const Vector& u, const LinearSolver& linear) {
    const Kokkos::Profiling::ScopedRegion region("Tessera::Newton::solve");
    const InUse::Call call = in_use_.begin("Newton");
    const auto weak = as_weak_form(form);
    State state(exec_, space_, static_cast<std::size_t>(system_.num_rows()));
    residual_.template prepare<double>(weak);
    if (u.extent(0) != state.u.extent(0))
      throw ArgumentError("Newton: u has " + std::to_string(u.extent(0)) + " entries, the space has " +
                          std::to_string(state.u.extent(0)) + " degrees of freedom");
    Kokkos::deep_copy(exec_, state.u, u);
    space_.linear().interpolate(exec_, state.u);
    residual_.integrate(weak, state.u, state.r);
    NewtonResult result;
    double norm = result.initial_residual = state.norm(state.r);
    bool constrained = state.meets_constraints();
    double first = constrained ? norm : 0; // tolerances refer to a state under the constraints
    while (!stops(result, norm, first, constrained, state) && result.iterations() < options_.max_iterations) {
      const int number = result.iterations() + 1;
      assembly_.assemble(jacobian(weak, space_.mesh(), state.u), system_);
      if (constrained && norm <= rounding(state)) {
        result.reason = NewtonStop::rounding;
        break;
      }
      NewtonIteration iteration;
      const bool was_constrained = constrained;
      iteration.linear_iterations = step(state, linear, constrained, number);
      iteration.step = state.difference(state.next, state.u);
      if (!std::isfinite(iteration.step))
        throw SolverError("Newton: iteration " + std::to_string(number) +
                          ": the linear solver's step is not finite");
      if (constrained && is_short(iteration.step, state)) require_solution(state, norm, number);
      if (!search(weak, state, linear, was_constrained ? norm : INFINITY, number, iteration)) {
        result.reason = NewtonStop::rounding;
        break;
      }
      norm = iteration.residual;
      constrained = was_constrained || iteration.fraction == 1;
      if (constrained && first == 0) first = std::max(norm, result.initial_residual);
      result.history.push_back(iteration);
      report(result);
    }
    Kokkos::deep_copy(exec_, u, state.u);
    exec_.fence("Tessera::Newton::solve");
    return result;
  }

  /// The same with `KrylovWithJacobi`.
  template <class Form>
  NewtonResult solve(const Form& form, const Vector& u) {
    return solve(form, u, KrylovWithJacobi<is_symmetric<decltype(as_weak_form(form))>()>());
  }

private:
  using State = detail::NewtonState<ExecutionSpace>;

  /// Whether a weak form's Jacobian is symmetric; those by block do not say.
  template <class Weak>
  static constexpr bool is_symmetric() {
    if constexpr (requires { Weak::symmetric; })
      return Weak::symmetric;
    else
      return false;
  }
  bool stops(NewtonResult& result, double norm, double first, bool constrained, const State& state) const {
    if (!constrained) return false;
    if (norm <= options_.absolute_tolerance)
      result.reason = NewtonStop::absolute_tolerance;
    else if (norm == 0 || (!result.history.empty() && norm <= options_.relative_tolerance * first))
      result.reason = NewtonStop::relative_tolerance;
    else if (!result.history.empty() &&
             result.history.back().step <= options_.step_tolerance * state.norm(state.u))
      result.reason = NewtonStop::step_tolerance;
    else if (stagnates(result, state) ||
             (!result.history.empty() && (result.history.back().step <= epsilon * state.norm(state.u) ||
                                          (norm < detail::smallest_norm && first >= detail::smallest_norm))))
      result.reason = NewtonStop::rounding;
    else
      return false;
    return true;
  }

  /// Whether the last step, of a state to half its digits, halved neither the residual nor the step before
  /// it, where Newton's method squares them, and the residual is near what rounding leaves. Sums whose order
  /// differs from run to run would go on by chance, a little lower each time.
  bool stagnates(const NewtonResult& result, const State& state) const {
    const std::size_t steps = result.history.size();
    if (steps < 2 || !state.is_solved()) return false;
    const NewtonIteration &last = result.history[steps - 1], &before = result.history[steps - 2];
    return last.residual > 0.5 * before.residual && last.step > 0.5 * before.step &&
           last.step <= std::sqrt(epsilon) * state.norm(state.u) &&
           last.residual <= elements_to_matrix * elements_to_matrix * rounding(state);
  }

  /// Whether a step is short enough to be the last.
  bool is_short(double step, const State& s) const {
    return step <= std::max(epsilon, options_.step_tolerance) * std::max(s.norm(s.u), s.norm(s.next));
  }

  /// A short step says that the state is a solution only if the linear system is solved.
  /// \throws SolverError where the linear solver has left more of it than rounding of the residual `norm`
  void require_solution(const State& s, double norm, int iteration) const {
    if (s.is_solved() || norm <= elements_to_matrix * rounding(s)) return;
    char numbers[128];
    std::snprintf(numbers, sizeof numbers,
                  "the linear solver has not solved: its step is as good as none, and leaves a residual of "
                  "%.1e, relative to |b|",
                  s.left);
    throw SolverError("Newton: iteration " + std::to_string(iteration) + ": " + numbers);
  }

  CrsOperator<double, ExecutionSpace> matrix() const {
    const auto& graph = system_.graph();
    return {exec_, graph.row_map, graph.columns, system_.values()};
  }

  /// What rounding leaves of a solution's residual, with the Jacobian just assembled.
  double rounding(const State& s) const {
    s.for_all("Tessera::Newton::to_equations", s.u.extent(0),
              detail::ToEquations<ExecutionSpace>{{s.equations}, s.u, s.x});
    matrix().apply_absolute(exec_, s.x, s.product);
    const double inner = s.norm(s.product), loads = s.norm(space_.nodal_loads(exec_).values);
    return epsilon * std::hypot(inner, loads);
  }

  /// Solves K x = right-hand side into `s.product`; returns the linear solver's iterations.
  template <class LinearSolver>
  int solve_linear(const State& s, const LinearSolver& linear, int iteration) const {
    Kokkos::deep_copy(exec_, s.product, 0.0);
    try {
      const auto call = [&] {
        using ConstVector = Kokkos::View<const double*, ExecutionSpace>;
        if constexpr (std::is_invocable_v<const LinearSolver&, const ExecutionSpace&, const System&,
                                          const Vector&, const ConstVector&>)
          return linear(exec_, system_, s.product, ConstVector(s.u));
        else
          return linear(exec_, system_, s.product);
      };
      if constexpr (requires { call().iterations; })
        return call().iterations;
      else
        call();
    } catch (const SolverError& error) {
      throw SolverError("Newton: iteration " + std::to_string(iteration) +
                        ": the linear solver failed: " + error.what());
    }
    return 0;
  }

  /// Right-hand side −r.
  void take_residual(const State& s, const Vector& r) const {
    Kokkos::deep_copy(exec_, system_.rhs(), 0.0);
    s.for_all("Tessera::Newton::negative_residual", s.u.extent(0),
              detail::NegativeResidual<ExecutionSpace>{{s.equations}, r, system_.rhs()});
  }

  /// Leaves the state after a whole step in `next`; returns the linear solver's iterations.
  template <class LinearSolver>
  int step(State& s, const LinearSolver& linear, bool constrained, int iteration) const {
    if (constrained) { // K du = −r
      take_residual(s, s.r);
    } else { // K du = (K u − r) − K u, of which constrained columns times prescribed values were taken away
      s.for_all("Tessera::Newton::to_equations", s.u.extent(0),
                detail::ToEquations<ExecutionSpace>{{s.equations}, s.u, s.x});
      matrix().apply(exec_, s.x, s.product);
      s.for_all("Tessera::Newton::subtract", system_.num_rows(),
                detail::Subtract<ExecutionSpace>{s.product, system_.rhs()});
    }
    const int iterations = solve_linear(s, linear, iteration);
    matrix().apply(exec_, s.product, s.x);
    const double b = s.norm(system_.rhs());
    s.left = b > 0 ? s.difference(s.x, system_.rhs()) / b : 0;
    s.for_all("Tessera::Newton::next", s.u.extent(0),
              detail::NextState<ExecutionSpace>{{s.equations}, s.u, s.product, s.next});
    space_.linear().interpolate(exec_, s.next);
    return iterations;
  }

  /// Residual `trial_r` of a fraction of the step.
  template <class Weak>
  double residual_of(const Weak& weak, const State& s, double fraction) const {
    s.for_all("Tessera::Newton::trial", s.u.extent(0),
              detail::Between<ExecutionSpace>{s.u, s.next, fraction, s.trial});
    residual_.enqueue(weak, s.trial, s.trial_r); // `solve` has prepared
    residual_.check();
    return s.norm(s.trial_r);
  }

  /// Takes the largest fraction of the step that is good enough; `limit` is the residual before it, infinite
  /// where any will do. False if the residual is rounding, which no fraction lowers.
  template <class Weak, class LinearSolver>
  bool search(const Weak& weak, State& s, const LinearSolver& linear, double limit, int number,
              NewtonIteration& iteration) {
    std::string failure;
    double fraction = 1;
    for (int halvings = 0; halvings <= options_.max_halvings; ++halvings, fraction /= 2) {
      try {
        iteration.residual = residual_of(weak, s, fraction);
      } catch (const FormError& error) {
        failure = error.what();
        continue;
      }
      const bool falls = iteration.residual <= (1 - options_.decrease * fraction) * limit;
      if (!falls && options_.max_halvings > 0 &&
          !(fraction == 1 && next_is_shorter(weak, s, linear, number, iteration)))
        continue;
      if (!std::isfinite(iteration.residual)) continue;
      std::swap(s.u, s.trial);
      std::swap(s.r, s.trial_r);
      iteration.fraction = fraction;
      return true;
    }
    if (failure.empty() &&
        (limit <= elements_to_matrix * rounding(s) || (s.is_solved() && is_rounding(weak, s))))
      return false;
    char numbers[96];
    std::snprintf(numbers, sizeof numbers, "no fraction of the step down to %.1e lowers the residual %.3e",
                  2 * fraction, limit);
    throw SolverError("Newton: iteration " + std::to_string(number) + ": " + numbers +
                      (failure.empty() ? "" : "; longer steps failed: " + failure));
  }

  /// Whether Newton's step from the state after the whole one is shorter than that by a quarter. Costs a
  /// Jacobian and a solution.
  template <class Weak, class LinearSolver>
  bool next_is_shorter(const Weak& weak, const State& s, const LinearSolver& linear, int number,
                       NewtonIteration& iteration) {
    if (!std::isfinite(iteration.residual)) return false;
    try {
      assembly_.assemble(jacobian(weak, space_.mesh(), s.trial), system_);
      take_residual(s, s.trial_r);
      iteration.linear_iterations += solve_linear(s, linear, number);
    } catch (const SolverError&) {
      return false; // a fraction is tried
    }
    return s.norm(s.product) <= 0.75 * iteration.step;
  }

  /// Whether the residual's changes along the step are rounding: those of small fractions are as large as the
  /// whole step's, or none.
  template <class Weak>
  bool is_rounding(const Weak& weak, const State& s) const {
    residual_of(weak, s, 1);
    const double whole = s.difference(s.trial_r, s.r);
    for (const double fraction : {0x1p-4, 0x1p-8, 0x1p-12}) {
      residual_of(weak, s, fraction);
      const double change = s.difference(s.trial_r, s.r);
      if (change != 0 && !(change >= 0.25 * whole)) return false;
    }
    return true;
  }

  void report(const NewtonResult& result) const {
    if (options_.progress == nullptr) return;
    const NewtonIteration& i = result.history.back();
    char line[128];
    std::snprintf(line, sizeof line, "newton %2d: |r| %.3e, step %.3e, fraction %.3g, %d linear iterations\n",
                  result.iterations(), i.residual, i.step, i.fraction, i.linear_iterations);
    *options_.progress << line;
  }

  using AssemblyPlan = decltype(std::declval<Assembly>().plan(
      std::declval<ExecutionSpace>(), std::declval<Space>(), std::declval<System>().graph()));
  using ResidualPlan =
      decltype(std::declval<Residual>().plan(std::declval<ExecutionSpace>(), std::declval<Space>()));

  static constexpr double epsilon = std::numeric_limits<double>::epsilon();
  /// Elements add up with more rounding than their sum, the matrix, shows.
  static constexpr double elements_to_matrix = 16;

  ExecutionSpace exec_;
  Space space_;
  InUse in_use_;
  NewtonOptions options_;
  System system_;
  AssemblyPlan assembly_;
  ResidualPlan residual_;
};

// Of a FunctionSpace or a MixedSpace.
template <template <class, class> class Space, class Element, class ExecutionSpace,
          class Assembly = assembly::ElementAtomic, class Residual = residual::RecomputingResidual>
Newton(const ExecutionSpace&, const Space<Element, ExecutionSpace>&, const NewtonOptions& = {},
       const Assembly& = {}, const Residual& = {}) -> Newton<Element, ExecutionSpace, Assembly, Residual>;
template <template <class, class> class Space, class Element, class ExecutionSpace,
          class Assembly = assembly::ElementAtomic, class Residual = residual::RecomputingResidual>
Newton(const Space<Element, ExecutionSpace>&, const NewtonOptions& = {}, const Assembly& = {},
       const Residual& = {}) -> Newton<Element, ExecutionSpace, Assembly, Residual>;

} // namespace tessera::solvers
