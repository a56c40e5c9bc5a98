// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// From mesh to solution on one backend, each stage timed.

#include <tessera/core/blocks/mixed_space.hpp>
#include <tessera/core/execution_spaces.hpp>
#include <tessera/core/system/constrained_system.hpp>
#include <tessera/solvers/free_motions.hpp>
#include <tessera/solvers/likely_cause.hpp>
#include <tessera/solvers/motions_left.hpp>
#include <tessera/strategies/assembly/element_atomic.hpp>
#include <tessera/strategies/blocks/mixed_assembly.hpp>
#include <tessera/strategies/catalogue/any_assembly.hpp>

#include "linear_solver.hpp"
#include "support/options/solve_options.hpp"
#include "support/problem/conditions.hpp"
#include "support/problem/problem.hpp"
#ifdef TESSERA_HAVE_VTK
#include <tessera/io/vtk/picture.hpp>
#include <tessera/io/vtk/writer.hpp>
#endif

#include <Kokkos_Core.hpp>
#include <Kokkos_Timer.hpp>

#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tessera::tools {

/// What came out.
struct Solution {
  Ordinal elements = 0, unknowns = 0;
  Offset nonzeros = 0;
  solvers::CgResult iteration;
  std::vector<double> errors;                      ///< largest of each component, estimated; empty: not known
  std::string pinned;                              ///< what nothing held before; empty if all was
  std::string cause;                               ///< why the iteration did not converge; empty if it did
  SolverNotes solver_notes;                        ///< what the solver has to say beside
  double energy = 0;                               ///< half the load's work, 1/2 f.x
  std::vector<std::pair<double, double>> extremes; ///< of each component
  std::vector<std::pair<std::string, double>> stages; ///< name, seconds
  Kokkos::View<double*, Kokkos::HostSpace> values;    ///< node * components + component
  std::map<Ordinal, double> beyond; ///< values of what constraints join to the unknowns of the space
};

/// Equations between unknowns, and loads on those beyond the space's.
struct Joined {
  LinearConstraints constraints;
  std::map<Ordinal, double> loads_beyond;
};

/// Digits of the largest value of any component that are right everywhere; 0 where that is not known.
int digits(const Solution& solution);

/// Of a solution that is to be relied on.
inline constexpr int least_digits = 2;

/// 0 for a solution, 1 where the iteration did not converge, 3 where fewer than `least_digits` are sure.
int exit_status(const Solution& solution);

/// Prints sizes, iterations, extremes and times; `title` says what was solved.
void print(const SolveOptions& options, const std::string& title, const Solution& solution);

/// Told what begins.
using StageProgress = std::function<void(const std::string&)>;

template <class ExecutionSpace>
double dot(const Kokkos::View<double*, ExecutionSpace>& x, const Kokkos::View<double*, ExecutionSpace>& y) {
  double sum = 0;
  Kokkos::parallel_reduce(
      "Tessera::tools::dot", Kokkos::RangePolicy<ExecutionSpace>(0, x.extent(0)),
      KOKKOS_LAMBDA(std::size_t i, double& partial) { partial += x(i) * y(i); }, sum);
  return sum;
}

/// Sum of a motion's entries times those of a vector over all degrees of freedom.
inline double work_of(const solvers::FreePart& part, std::size_t motion,
                      const Kokkos::View<double*, Kokkos::HostSpace>& vector) {
  double sum = 0;
  for (std::size_t k = 0; k < part.dofs.size(); ++k) sum += part.fields[motion][k] * vector(part.dofs[k]);
  return sum;
}

/// Whether loads do work on a motion, beyond 1e-6 of what they would do if they pointed along it.
inline bool drives(const Kokkos::View<double*, Kokkos::HostSpace>& loads, const solvers::FreePart& part,
                   std::size_t motion) {
  double of_loads = 0, of_motion = 0;
  for (std::size_t k = 0; k < part.dofs.size(); ++k) {
    of_loads = std::hypot(of_loads, loads(part.dofs[k]));
    of_motion = std::hypot(of_motion, part.fields[motion][k]);
  }
  return std::abs(work_of(part, motion, loads)) > 1e-6 * of_motion * of_loads;
}

/// A plan that is prepared for a form: of the strategy that the options name.
template <class Form, class Element, class ExecutionSpace>
auto prepared_plan(const SolveOptions& options, const Form& form,
                   const FunctionSpace<Element, ExecutionSpace>& space,
                   const SparsityGraph<ExecutionSpace>& graph) {
  auto plan = make_assembly(options.strategy, space, graph);
  plan->prepare(form, double());
  return plan;
}

/// The plan of a form on one of several element types: of the strategy that the options name where the
/// catalogue is compiled for the form, else of ElementAtomic.
/// \throws ArgumentError if the options ask for another one there
template <class Form, class Element, class ExecutionSpace>
auto plan_on_block(const SolveOptions& options, const Form& form,
                   const FunctionSpace<Element, ExecutionSpace>& space,
                   const SparsityGraph<ExecutionSpace>& graph) {
  if constexpr (requires { make_assembly(options.strategy, space, graph)->prepare(form, double()); }) {
    return catalogue::detail::NamedPlan<Element, ExecutionSpace>(
        make_assembly(options.strategy, space, graph));
  } else {
    if (options.strategy != assembly_strategies().front().name &&
        options.strategy != assembly::ElementAtomic::name)
      throw ArgumentError("--strategy: elements with reduced integration and materials that vary with "
                          "direction or temperature are assembled by " +
                          std::string(assembly::ElementAtomic::name) + " alone, not by " + options.strategy);
    return assembly::ElementAtomic().plan(space, graph);
  }
}

/// The same for several element types, with one form or one by block.
template <class Form, class... Elements, class ExecutionSpace>
auto prepared_plan(const SolveOptions& options, const Form& form,
                   const MixedSpace<Blocks<Elements...>, ExecutionSpace>& space,
                   const SparsityGraph<ExecutionSpace>& graph) {
  const auto on_block = [&]<class Element>(const FunctionSpace<Element, ExecutionSpace>& block) {
    return plan_on_block(options, detail::form_of_block(form, block.mesh()), block, graph);
  };
  using Plan = MixedAssembly<MixedSpace<Blocks<Elements...>, ExecutionSpace>,
                             decltype(on_block(space.template block<Elements>()))...>;
  auto plan = std::make_unique<Plan>(space, on_block);
  plan->template prepare<double>(form);
  return plan;
}

/// Pins what nothing holds, on a space without those constraints yet.
/// \throws SolverError where the loads drive it, naming the motion
template <class Space, class Form>
void pin(const SolveOptions& options, const Form& form, Space space, const solvers::FreeMotions& free) {
  const LinearSystem<double, typename Space::execution_space> system(space);
  const auto plan = prepared_plan(options, form, space, system.graph());
  plan->assemble(form, system);
  const auto loads = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), space.expand(system.rhs()));
  for (const solvers::FreePart& part : free.parts)
    for (std::size_t m = 0; m < part.fields.size(); ++m)
      if (drives(loads, part, m))
        throw SolverError(
            "--pin: the loads are not in balance, so that pins would carry them: nothing holds " +
            free.description([&](Ordinal e) { return space.mesh().element_name(e); }));
  for (const Ordinal dof : free.pins())
    space.constrain(dof / space.components(), dof % space.components(), 0.0);
}

/// Takes the part of what was pinned out of a solution, which leaves the one of least norm.
inline void remove_motions(const solvers::FreeMotions& free,
                           const Kokkos::View<double*, Kokkos::HostSpace>& values) {
  for (const solvers::FreePart& part : free.parts)
    for (std::size_t m = 0; m < part.fields.size(); ++m) {
      const double share = work_of(part, m, values);
      for (std::size_t k = 0; k < part.dofs.size(); ++k) values(part.dofs[k]) -= share * part.fields[m][k];
    }
}

/// Finds what nothing holds; refuses it, or pins it where options say so.
/// \throws SolverError naming the motions
template <class Space, class Form>
solvers::FreeMotions held(const SolveOptions& options, const Form& form, const Space& space,
                          solvers::Unseen unseen, const LinearConstraints& constraints, Solution& solution) {
  auto free = solvers::free_motions(space, unseen);
  if (free.unexamined > 0)
    solution.solver_notes.push_back(std::to_string(free.unexamined) +
                                    " pieces hang together at nodes or edges alone, too many to look for "
                                    "mechanisms");
  if (!free.none() && solvers::motions_left(free, constraints) == 0) free.parts.clear();
  if (free.none()) return free;
  const std::string what = free.description([&](Ordinal e) { return space.mesh().element_name(e); });
  if (!constraints.empty())
    throw SolverError("the problem has no unique solution: supports do not hold " + what +
                      ", and equations do not hold all of that");
  if (!options.pin)
    throw SolverError("the problem has no unique solution, as nothing holds " + what +
                      ". Hold it by supports, or by --pin if the loads are in balance");
  pin(options, form, space, free);
  solution.pinned = what;
  return free;
}

/// Takes what held parts could move by out of the nodal values on the device, and notes them and their
/// extremes.
template <class Values>
void note_values(Solution& solution, const solvers::FreeMotions& free, const Values& full, int components) {
  solution.values = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), full);
  remove_motions(free, solution.values);
  Kokkos::deep_copy(full, solution.values);
  solution.extremes.assign(components, {INFINITY, -INFINITY});
  for (std::size_t i = 0; i < solution.values.extent(0); ++i) {
    auto& [low, high] = solution.extremes[i % components];
    low = std::min(low, solution.values(i));
    high = std::max(high, solution.values(i));
  }
}

/// Notes each component's largest error: how far its nodal values would move.
inline void note_errors(Solution& solution, const solvers::FreeMotions& free,
                        const Kokkos::View<double*, Kokkos::HostSpace>& moved) {
  remove_motions(free, moved);
  solution.errors.assign(solution.extremes.size(), 0);
  for (std::size_t i = 0; i < moved.extent(0); ++i) {
    double& error = solution.errors[i % solution.errors.size()];
    error = std::max(error, std::abs(moved(i) - solution.values(i)));
  }
}

/// Assembles and solves a form on a space, a `FunctionSpace` or a `MixedSpace`, that has all its conditions.
/// \param unseen fields that the form does not see, if there are any
/// \param joined equations that the unknowns satisfy besides
/// \throws SolverError where nothing holds some of them, unless they are pinned
template <class Space, class Form>
Solution solve_space(const SolveOptions& options, const Form& form, const Space& space,
                     std::optional<solvers::Unseen> unseen, Solution solution, const StageProgress& progress,
                     const Joined& joined = {}) {
  using ExecutionSpace = typename Space::execution_space;
  options.check_dimension(static_cast<int>(space.mesh().coordinates().extent(1)));
  Kokkos::Timer timer;
  const auto stage = [&](const std::string& name) {
    Kokkos::fence("Tessera::tools::stage");
    solution.stages.emplace_back(name, timer.seconds());
    timer.reset();
  };
  progress("supports");
  solvers::FreeMotions free;
  if (unseen) free = held(options, form, space, *unseen, joined.constraints, solution);
  stage("supports");
  progress("graph");
  LinearSystem<double, ExecutionSpace> system(space);
  stage("graph");
  progress("plan and assembly");
  const auto plan = prepared_plan(options, form, space, system.graph());
  stage("plan");
  plan->assemble(form, system);
  stage("assembly");
  std::optional<ConstrainedSystem<ExecutionSpace>> constrained;
  if (!joined.constraints.empty() || !joined.loads_beyond.empty()) {
    constrained.emplace(space, system, joined.constraints, joined.loads_beyond);
    system = constrained->system();
    stage("equations");
  }
  progress("solution by " + options.solver);
  const Kokkos::View<double*, ExecutionSpace> x("Tessera::tools::solution", system.num_rows());
  SolverNotes notes;
  const Solved<ExecutionSpace> solved =
      solve(options.solver, system, NodeCoordinates<ExecutionSpace>(space.mesh().coordinates()), x,
            {.relative_tolerance = options.tolerance, .max_iterations = options.max_iterations}, notes);
  solution.iteration = solved.iteration;
  solution.solver_notes.insert(solution.solver_notes.end(), notes.begin(), notes.end());
  stage("solution");
  solution.elements = static_cast<Ordinal>(space.mesh().num_elements());
  solution.unknowns = system.num_rows();
  solution.nonzeros = system.graph().num_entries();
  solution.energy = 0.5 * dot(x, system.rhs());
  if (constrained) {
    constrained->recover(x);
    solution.beyond = constrained->beyond(x);
    if (solved.corrected) constrained->recover(*solved.corrected);
  }
  const auto full = space.expand(x);
  note_values(solution, free, full, space.components());
  if (solved.corrected)
    note_errors(solution, free,
                Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), space.expand(*solved.corrected)));
  if (exit_status(solution) != 0) solution.cause = solvers::likely_cause(system, true);
#ifdef TESSERA_HAVE_VTK
  if (!solution.iteration.converged()) return solution; // an earlier good result stays
  const std::string name = space.components() == 1 ? "temperature" : "displacement";
  if (!options.output.empty()) {
    progress("writing " + options.output);
    io::write_vtu(options.output, space.mesh(), {{name, full}});
    stage("output");
  }
  if (!options.picture.empty()) {
    progress("drawing " + options.picture);
    io::draw_solution(options.picture, space.mesh(), {name, full}, options.unit,
                      {.title = options.deck.empty()
                                    ? options.problem.mesh_name() + ", " + options.problem.form
                                    : options.deck,
                       .back = options.back});
    stage("picture");
  }
#endif
  return solution;
}

/// Solves a problem of one form with the conditions of the command line.
template <class Space, class Form>
Solution solve_form(const SolveOptions& options, const Form& form, const typename Space::MeshType& mesh,
                    std::optional<solvers::Unseen> unseen, Solution solution, const StageProgress& progress) {
  const Kokkos::Timer timer;
  Space space(mesh, Form::components, treatment_of(options));
  apply_conditions(options, space);
  solution.stages.emplace_back("conditions", timer.seconds());
  return solve_space(options, form, space, unseen, std::move(solution), progress);
}

/// Solves a problem on one backend with one element.
template <class Element, class ExecutionSpace>
Solution solve_on(const SolveOptions& options, const StageProgress& progress) {
  progress("mesh");
  const Kokkos::Timer timer;
  const auto mesh = make_mesh<Element, ExecutionSpace>(ExecutionSpace(), options.problem);
  Solution solution;
  solution.stages.emplace_back("mesh", timer.seconds());
  return with_form<Element, ExecutionSpace>(options.problem, mesh.num_elements(),
                                            [&](const auto& form, const auto& unseen) {
                                              return solve_form<FunctionSpace<Element, ExecutionSpace>>(
                                                  options, form, mesh, unseen, solution, progress);
                                            });
}

/// Solves a problem on one backend with several element types.
template <class List, class ExecutionSpace>
Solution solve_mixed_on(const SolveOptions& options, const StageProgress& progress) {
  check_coefficients<List>(options.problem);
  progress("mesh");
  const Kokkos::Timer timer;
  const auto mesh = make_mixed_mesh<List>(ExecutionSpace(), options.problem);
  Solution solution;
  solution.stages.emplace_back("mesh", timer.seconds());
  return with_form<List, ExecutionSpace>(
      options.problem, 0, [&](const auto& form, const auto& unseen) { // its coefficients are constant
        return solve_form<MixedSpace<List, ExecutionSpace>>(options, form, mesh, unseen, solution, progress);
      });
}

} // namespace tessera::tools
