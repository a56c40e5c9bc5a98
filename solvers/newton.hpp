#pragma once

/// \file
/// Newton's method for weak forms.

#include <tessera/core/system/linear_system.hpp>
#include <tessera/core/weak_form/weak_form.hpp>
#include <tessera/solvers/bicgstab.hpp>
#include <tessera/solvers/detail/newton_kernels.hpp>
#include <tessera/solvers/solve.hpp>
#include <tessera/strategies/assembly/element_atomic.hpp>
#include <tessera/strategies/residual/recomputing_residual.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <cmath>
#include <cstdio>
#include <ostream>
#include <string>
#include <vector>

namespace tessera::solvers {

/// When Newton's method stops, and how it shortens steps.
struct NewtonOptions {
  double relative_tolerance = 1e-10; ///< of |r|, relative to the first residual under the constraints
  double absolute_tolerance = 0;     ///< of |r|
  double step_tolerance = 0;         ///< of |du|, relative to |u|
  int max_iterations = 30;
  double decrease = 1e-4; ///< a fraction s of a step is taken if |r| falls by the factor 1 - decrease * s
  int max_halvings = 20;  ///< of a step
  std::ostream* progress = nullptr; ///< a line after every iteration
};

/// One iteration.
struct NewtonIteration {
  double residual = 0; ///< |r| after it
  double step = 0;     ///< |du| of the whole step
  double fraction = 1; ///< of the step that was taken
  int linear_iterations = 0;
};

/// Why Newton's method stopped.
enum class NewtonStop { relative_tolerance, absolute_tolerance, step_tolerance, max_iterations };

/// How Newton's method went. Norms are Euclidean, over all degrees of freedom.
struct NewtonResult {
  NewtonStop reason = NewtonStop::max_iterations;
  double initial_residual = 0; ///< |r| of the first state, before constraints act on it
  std::vector<NewtonIteration> history;

  bool converged() const { return reason != NewtonStop::max_iterations; }
  int iterations() const { return static_cast<int>(history.size()); }
  double residual() const { return history.empty() ? initial_residual : history.back().residual; }
};

/// Conjugate gradients for symmetric Jacobians, BiCGStab for others, with Jacobi's preconditioner: the linear
/// solver of `Newton::solve` unless the application brings its own.
/// \throws SolverError if it does not converge, besides theirs
template <bool Symmetric>
struct KrylovWithJacobi {
  CgOptions options{.relative_tolerance = 1e-10};

  template <class System, class Solution, class ExecutionSpace>
  CgResult operator()(const ExecutionSpace& exec, const System& system, const Solution& x) const {
    const CgResult result = [&] {
      if constexpr (Symmetric)
        return cg(exec, system, x, options);
      else
        return bicgstab(exec, system, x, options);
    }();
    if (!result.converged())
      throw SolverError("Newton: the linear solver stopped after " + std::to_string(result.iterations) +
                        " iterations at a residual of " + std::to_string(result.residual));
    return result;
  }
};

/// Newton's method on one space: graph and plans are made once, `solve` is called as often as loads,
/// prescribed values or forms change.
///
/// Each step solves with the Jacobian, assembled by `Assembly`, and takes the largest of the fractions 1,
/// 1/2, 1/4, ... whose residual, computed by `Residual`, falls (C. T. Kelley, "Iterative Methods for Linear
/// and Nonlinear Equations", section 8.2). Where prescribed values differ from u's, the first step brings u
/// there along the linearised problem, so that nodes inside move with the boundary.
template <class Element, class ExecutionSpace, class Assembly = assembly::ElementAtomic,
          class Residual = residual::RecomputingResidual>
class Newton {
public:
  using Space = FunctionSpace<Element, ExecutionSpace>;
  using Vector = Kokkos::View<double*, ExecutionSpace>;
  using System = LinearSystem<double, ExecutionSpace>;

  /// \throws ArgumentError for options that make no sense; what the strategies' plans throw
  explicit Newton(const Space& space, const NewtonOptions& options = {}, const Assembly& assembly = {},
                  const Residual& residual = {}, const ExecutionSpace& exec = ExecutionSpace())
      : exec_(exec), space_(space), options_(options), system_(space),
        assembly_(assembly.plan(space, system_.graph(), exec)), residual_(residual.plan(space, exec)) {
    if (!(options.relative_tolerance >= 0) || !(options.absolute_tolerance >= 0) ||
        !(options.step_tolerance >= 0) || options.max_iterations < 0 || options.max_halvings < 0 ||
        !(options.decrease > 0 && options.decrease < 1))
      throw ArgumentError("Newton: tolerances and counts must be at least 0, decrease inside (0, 1)");
  }

  /// Solves r(u) = 0 under the space's constraints and loads.
  ///
  /// \param form a `WeakForm`, or a physics that has no auxiliary fields
  /// \param u all degrees of freedom, node * components + component: the first state on entry, the solution
  /// on
  ///   return, the last state if `max_iterations` are reached; unchanged if the call throws
  /// \param linear `linear(exec, system, x)` solves the system's matrix and right-hand side for x, which is
  /// zero
  ///   on entry, and throws where it cannot; its result's `iterations`, if it has them, are reported
  /// \throws ArgumentError as the strategies; FormError naming the element where the first state has no
  /// residual;
  ///   SolverError if no fraction of a step lowers the residual, naming the iteration and, where elements
  ///   turned inside out or were not a number, the last of them
  template <class Form, class LinearSolver>
  NewtonResult solve(const Form& form, const Vector& u, const LinearSolver& linear) {
    const Kokkos::Profiling::ScopedRegion region("Tessera::Newton::solve");
    const auto weak = as_weak_form(form);
    State state(*this);
    residual_.template prepare<double>(weak);
    if (u.extent(0) != state.u.extent(0))
      throw ArgumentError("Newton: u has " + std::to_string(u.extent(0)) + " entries, the space has " +
                          std::to_string(state.u.extent(0)) + " degrees of freedom");
    Kokkos::deep_copy(exec_, state.u, u);
    residual_.integrate(weak, state.u, state.r);
    NewtonResult result;
    double norm = result.initial_residual = state.norm(state.r);
    bool constrained = state.meets_constraints();
    double first = constrained ? norm : 0; // tolerances refer to a state under the constraints
    while (!stops(result, norm, first, constrained, state) && result.iterations() < options_.max_iterations) {
      NewtonIteration iteration;
      const bool was_constrained = constrained;
      iteration.linear_iterations = step(weak, state, linear, constrained);
      iteration.step = state.difference(state.next, state.u);
      if (!std::isfinite(iteration.step))
        throw SolverError("Newton: iteration " + std::to_string(result.iterations() + 1) +
                          ": the linear solver's step is not finite");
      iteration.fraction =
          search(weak, state, was_constrained ? norm : INFINITY, result.iterations() + 1, iteration.residual);
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
    using Weak = decltype(as_weak_form(form));
    return solve(form, u, KrylovWithJacobi<tessera::detail::is_symmetric<typename Weak::Physics>()>());
  }

private:
  /// Vectors of one call.
  struct State {
    ExecutionSpace exec;
    Equations<ExecutionSpace> equations;
    Vector u, next, trial, r, x, product;

    explicit State(const Newton& newton) : exec(newton.exec_), equations(newton.space_.equations(exec)) {
      const auto vector = [&](const char* label, std::size_t extent) {
        return allocate<Vector>(exec, std::string("Tessera::Newton::") + label, extent);
      };
      const auto dofs = static_cast<std::size_t>(newton.space_.num_dofs());
      u = vector("u", dofs);
      next = vector("next", dofs);
      trial = vector("trial", dofs);
      r = vector("r", dofs);
      x = vector("x", newton.system_.num_rows());
      product = vector("product", newton.system_.num_rows());
    }
    template <class Functor>
    void for_all(const char* label, std::size_t count, const Functor& functor) const {
      Kokkos::parallel_for(label, Kokkos::RangePolicy<ExecutionSpace>(exec, 0, count), functor);
    }
    double norm(const Vector& v) const { return std::sqrt(sum(detail::SumOfSquares<ExecutionSpace>{v, {}})); }
    double difference(const Vector& a, const Vector& b) const {
      return std::sqrt(sum(detail::SumOfSquares<ExecutionSpace>{a, b}));
    }
    bool meets_constraints() const {
      return !equations.constrained || sum(detail::ConstraintGap<ExecutionSpace>{u, equations}) == 0;
    }
    template <class Term>
    double sum(const Term& term) const {
      double total = 0;
      Kokkos::parallel_reduce("Tessera::Newton::sum",
                              Kokkos::RangePolicy<ExecutionSpace>(exec, 0, u.extent(0)), term, total);
      return total;
    }
  };

  bool stops(NewtonResult& result, double norm, double first, bool constrained, const State& state) const {
    if (!constrained) return false;
    if (norm <= options_.absolute_tolerance)
      result.reason = NewtonStop::absolute_tolerance;
    else if (norm == 0 || (!result.history.empty() && norm <= options_.relative_tolerance * first))
      result.reason = NewtonStop::relative_tolerance;
    else if (!result.history.empty() &&
             result.history.back().step <= options_.step_tolerance * state.norm(state.u))
      result.reason = NewtonStop::step_tolerance;
    else
      return false;
    return true;
  }

  /// Leaves the state after a whole step in `next`; returns the linear solver's iterations.
  template <class Weak, class LinearSolver>
  int step(const Weak& weak, const State& s, const LinearSolver& linear, bool constrained) {
    assembly_.assemble(jacobian(weak, space_.mesh(), s.u), system_);
    const std::size_t rows = system_.num_rows();
    s.for_all("Tessera::Newton::to_equations", s.u.extent(0),
              detail::ToEquations<ExecutionSpace>{{s.equations}, s.u, s.x});
    if (constrained) { // K du = -r
      Kokkos::deep_copy(exec_, system_.rhs(), 0.0);
      s.for_all("Tessera::Newton::negative_residual", s.u.extent(0),
                detail::NegativeResidual<ExecutionSpace>{{s.equations}, s.r, system_.rhs()});
    } else { // K du = (K u - r) - K u, of which constrained columns times prescribed values were taken away
      const auto& graph = system_.graph();
      const CrsOperator<double, ExecutionSpace> matrix(exec_, graph.row_map, graph.columns, system_.values());
      matrix.apply(exec_, s.x, s.product);
      s.for_all("Tessera::Newton::subtract", rows,
                detail::Subtract<ExecutionSpace>{s.product, system_.rhs()});
    }
    Kokkos::deep_copy(exec_, s.product, 0.0);
    int iterations = 0;
    if constexpr (requires { linear(exec_, system_, s.product).iterations; })
      iterations = linear(exec_, system_, s.product).iterations;
    else
      linear(exec_, system_, s.product);
    s.for_all("Tessera::Newton::next", s.u.extent(0),
              detail::NextState<ExecutionSpace>{{s.equations}, s.u, s.product, s.next});
    return iterations;
  }

  /// Takes the largest fraction of the step whose residual falls enough; `limit` is infinite where any will
  /// do.
  template <class Weak>
  double search(const Weak& weak, State& s, double limit, int iteration, double& norm) const {
    std::string failure;
    double fraction = 1;
    for (int halvings = 0; halvings <= options_.max_halvings; ++halvings, fraction /= 2) {
      s.for_all("Tessera::Newton::trial", s.u.extent(0),
                detail::Between<ExecutionSpace>{s.u, s.next, fraction, s.trial});
      try {
        residual_.integrate(weak, s.trial, s.r);
        norm = s.norm(s.r);
      } catch (const FormError& error) {
        failure = error.what();
        continue;
      }
      if (!(norm <= (1 - options_.decrease * fraction) * limit)) continue;
      std::swap(s.u, s.trial);
      return fraction;
    }
    char numbers[96];
    std::snprintf(numbers, sizeof numbers, "no fraction of the step down to %.1e lowers the residual %.3e",
                  2 * fraction, limit);
    throw SolverError("Newton: iteration " + std::to_string(iteration) + ": " + numbers +
                      (failure.empty() ? "" : "; longer steps failed: " + failure));
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
      std::declval<Space>(), std::declval<System>().graph(), std::declval<ExecutionSpace>()));
  using ResidualPlan =
      decltype(std::declval<Residual>().plan(std::declval<Space>(), std::declval<ExecutionSpace>()));

  ExecutionSpace exec_;
  Space space_;
  NewtonOptions options_;
  System system_;
  AssemblyPlan assembly_;
  ResidualPlan residual_;
};

} // namespace tessera::solvers
