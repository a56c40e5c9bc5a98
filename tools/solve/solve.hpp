#pragma once

/// \file
/// From mesh to solution on one backend, each stage timed.

#include <tessera/core/execution_spaces.hpp>
#include <tessera/solvers/likely_cause.hpp>
#include <tessera/strategies/catalogue/any_assembly.hpp>

#include "linear_solver.hpp"
#include "support/problem.hpp"
#ifdef TESSERA_HAVE_VTK
#include <tessera/io/vtk/picture.hpp>
#include <tessera/io/vtk/writer.hpp>
#endif

#include <Kokkos_Core.hpp>
#include <Kokkos_Timer.hpp>

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tessera::tools {

/// What is solved, beyond the problem.
struct SolveOptions {
  Problem problem;
  std::string deck;                                 ///< stands for the problem and all conditions
  std::vector<std::string> fixes, loads, pressures; ///< SET=VALUES
  std::string strategy, solver = "automatic", treatment = "removed", output, picture, unit;
  std::string displacements, reference; ///< of a deck: a file to write, and one to compare with
  double digits = 5;                    ///< that the reference's displacements must agree to
  double tolerance = 1e-8;
  int max_iterations = 100000;
  bool back = false; ///< the picture shows the back
};

/// What came out.
struct Solution {
  Ordinal elements = 0, unknowns = 0;
  Offset nonzeros = 0;
  solvers::CgResult iteration;
  std::string cause;                                  ///< why the iteration did not converge; empty if it did
  SolverNotes solver_notes;                           ///< what the solver has to say beside
  double energy = 0;                                  ///< half the load's work, 1/2 f.x
  std::vector<std::pair<double, double>> extremes;    ///< of each component
  std::vector<std::pair<std::string, double>> stages; ///< name, seconds
  Kokkos::View<double*, Kokkos::HostSpace> values;    ///< node * components + component
};

/// Prints sizes, iterations, extremes and times; `title` says what was solved.
void print(const SolveOptions& options, const std::string& title, const Solution& solution);

/// Told what begins.
using StageProgress = std::function<void(const std::string&)>;

/// "clamped=0,0,0" as set and values; an empty or "-" value is not a number.
struct SetValues {
  std::string set;
  std::vector<std::string> values;
};

/// \throws ArgumentError naming the option unless `text` is SET=V,V,... with `components` values
inline SetValues parse_set_values(const std::string& text, const std::string& option, int components) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw ArgumentError(option + ": expected SET=VALUE,..., got '" + text + "'");
  SetValues result{text.substr(0, equals), split(text.substr(equals + 1), ',', option)};
  if (static_cast<int>(result.values.size()) != components)
    throw ArgumentError(option + ": expected " + std::to_string(components) + " values, got '" + text + "'");
  return result;
}

/// Supports on node sets (or the nodes of side sets), loads and pressures on side sets.
template <class Element, class ExecutionSpace>
void apply_conditions(const SolveOptions& options, FunctionSpace<Element, ExecutionSpace>& space) {
  const auto& mesh = space.mesh();
  for (const std::string& text : options.fixes) {
    const SetValues fix = parse_set_values(text, "--fix", space.components());
    for (int c = 0; c < space.components(); ++c)
      if (fix.values[c] != "-") space.constrain(mesh.node_set(fix.set), c, to_number(fix.values[c], "--fix"));
  }
  for (const std::string& text : options.loads) {
    const SetValues load = parse_set_values(text, "--load", space.components());
    std::vector<double> traction;
    for (const std::string& value : load.values) traction.push_back(to_number(value, "--load"));
    space.add_load(mesh.side_set(load.set), traction);
  }
  for (const std::string& text : options.pressures) {
    const SetValues pressure = parse_set_values(text, "--pressure", 1);
    space.add_pressure(mesh.side_set(pressure.set), to_number(pressure.values[0], "--pressure"));
  }
}

template <class ExecutionSpace>
double dot(const Kokkos::View<double*, ExecutionSpace>& x, const Kokkos::View<double*, ExecutionSpace>& y) {
  double sum = 0;
  Kokkos::parallel_reduce(
      "Tessera::tools::dot", Kokkos::RangePolicy<ExecutionSpace>(0, x.extent(0)),
      KOKKOS_LAMBDA(std::size_t i, double& partial) { partial += x(i) * y(i); }, sum);
  return sum;
}

inline ConstraintTreatment treatment_of(const SolveOptions& options) {
  return options.treatment == "removed" ? ConstraintTreatment::removed : ConstraintTreatment::zeroed;
}

/// Assembles and solves a form on a space that has all its conditions.
template <class Element, class ExecutionSpace, class Form>
Solution solve_space(const SolveOptions& options, const Form& form,
                     const FunctionSpace<Element, ExecutionSpace>& space, Solution solution,
                     const StageProgress& progress) {
  Kokkos::Timer timer;
  const auto stage = [&](const std::string& name) {
    Kokkos::fence("Tessera::tools::stage");
    solution.stages.emplace_back(name, timer.seconds());
    timer.reset();
  };
  progress("graph");
  const LinearSystem<double, ExecutionSpace> system(space);
  stage("graph");
  progress("plan and assembly by " + options.strategy);
  const auto plan = make_assembly(options.strategy, space, system.graph());
  plan->prepare(form, double());
  stage("plan");
  plan->assemble(form, system);
  stage("assembly");
  progress("solution by " + options.solver);
  const Kokkos::View<double*, ExecutionSpace> x("Tessera::tools::solution", system.num_rows());
  solution.iteration =
      solve(options.solver, system, NodeCoordinates<ExecutionSpace>(space.mesh().coordinates()), x,
            {.relative_tolerance = options.tolerance, .max_iterations = options.max_iterations},
            solution.solver_notes);
  stage("solution");
  if (!solution.iteration.converged()) solution.cause = solvers::likely_cause(system);
  solution.elements = space.mesh().num_elements();
  solution.unknowns = system.num_rows();
  solution.nonzeros = system.graph().num_entries();
  solution.energy = 0.5 * dot(x, system.rhs());
  const auto full = space.expand(x);
  solution.values = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), full);
  solution.extremes.assign(Form::components, {INFINITY, -INFINITY});
  for (std::size_t i = 0; i < solution.values.extent(0); ++i) {
    auto& [low, high] = solution.extremes[i % Form::components];
    low = std::min(low, solution.values(i));
    high = std::max(high, solution.values(i));
  }
#ifdef TESSERA_HAVE_VTK
  if (!solution.iteration.converged()) return solution; // an earlier good result stays
  const std::string name = Form::components == 1 ? "temperature" : "displacement";
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
template <class Element, class ExecutionSpace, class Form>
Solution solve_form(const SolveOptions& options, const Form& form, const Mesh<Element, ExecutionSpace>& mesh,
                    Solution solution, const StageProgress& progress) {
  const Kokkos::Timer timer;
  FunctionSpace<Element, ExecutionSpace> space(mesh, Form::components, treatment_of(options));
  apply_conditions(options, space);
  solution.stages.emplace_back("conditions", timer.seconds());
  return solve_space(options, form, space, std::move(solution), progress);
}

/// Solves a problem on one backend with one element.
template <class Element, class ExecutionSpace>
Solution solve_on(const SolveOptions& options, const StageProgress& progress) {
  progress("mesh");
  const Kokkos::Timer timer;
  const auto mesh = make_mesh<Element, ExecutionSpace>(options.problem, ExecutionSpace());
  Solution solution;
  solution.stages.emplace_back("mesh", timer.seconds());
  if (options.problem.form == "elasticity")
    return solve_form(
        options, make_elasticity<ExecutionSpace, Element::dimension>(options.problem, mesh.num_elements()),
        mesh, solution, progress);
  return solve_form(options, make_helmholtz<ExecutionSpace>(options.problem, mesh.num_elements()), mesh,
                    solution, progress);
}

} // namespace tessera::tools
