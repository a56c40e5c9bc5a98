// SPDX-License-Identifier: BSD-3-Clause
// tessera-multigrid: set-up, refresh and solution of `Multigrid` on boxes, timed, with several options.

#include <tessera/core/elements/elements.hpp>
#include <tessera/core/forms/helmholtz.hpp>
#include <tessera/core/forms/linear_elasticity.hpp>
#include <tessera/core/system/linear_system.hpp>
#include <tessera/io/generate/box.hpp>
#include <tessera/solvers/cg.hpp>
#include <tessera/solvers/crs_operator.hpp>
#include <tessera/solvers/multigrid/multigrid.hpp>
#include <tessera/strategies/assembly/element_atomic.hpp>
#include <tessera/strategies/matrix_free/recomputing_element_by_element.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Timer.hpp>

#include "support/options/options.hpp"
#include "support/run_tool.hpp"
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace {

using namespace tessera;
using namespace tessera::tools;
using Space = Kokkos::DefaultExecutionSpace;
using Vector = Kokkos::View<double*, Space>;

struct Settings {
  int cells = 32, repetitions = 3, run_length = 0;
  double jitter = 0, stretch = 1, inside = 1, lambda = 1, range = 0;
  std::optional<double> tolerance; // as solvers::CgOptions
  std::string problem = "helmholtz", aggregation = "automatic", storage = "automatic", finest = "rows";
  bool no_coordinates = false, levels = false;
  solvers::MultigridOptions options;
};

/// Moves inner nodes by up to `jitter` of a cell, and flattens the box.
template <class Element>
Mesh<Element, Space> make_mesh(const Settings& s) {
  const bool beam = s.problem == "elasticity";
  const double length = beam ? 1.0 : 4.0;
  const auto box = beam ? io::Box{{4 * s.cells, s.cells, s.cells}, {4, 1, 1}}
                        : io::Box{{s.cells, s.cells, s.cells}, {4, 4, 4}};
  auto mesh = io::box_mesh<Element, Space>(box);
  const auto from = mesh.coordinates();
  const typename Mesh<Element, Space>::Coordinates x("Tessera::tools::coordinates", mesh.num_nodes());
  const double amplitude = s.jitter * length / s.cells, stretch = s.stretch;
  Kokkos::parallel_for(
      "Tessera::tools::move", Kokkos::RangePolicy<Space>(0, mesh.num_nodes()),
      KOKKOS_LAMBDA(const Ordinal n) {
        for (int d = 0; d < 3; ++d) {
          std::uint32_t h =
              (static_cast<std::uint32_t>(n) * 3u + static_cast<std::uint32_t>(d)) * 0x9e3779b9u;
          h = (h ^ (h >> 16)) * 0x85ebca6bu;
          h = (h ^ (h >> 13)) * 0xc2b2ae35u;
          const bool inner = from(n, d) > 0 && from(n, d) < length;
          x(n, d) = from(n, d) + (inner ? amplitude * ((h >> 8) / 8388608.0 - 1.0) : 0.0);
        }
        x(n, 2) /= stretch;
      });
  Kokkos::fence("Tessera::tools::move");
  mesh.move(x);
  return mesh;
}

/// `inside` in eight overlapping balls, one elsewhere.
template <class Element>
CellField ball_field(const Settings& s, const Mesh<Element, Space>& mesh) {
  const Vector values(Kokkos::view_alloc(std::string("Tessera::tools::sigma")), mesh.num_elements());
  const auto x = mesh.coordinates();
  const auto connectivity = mesh.connectivity();
  const double inside = s.inside;
  Kokkos::parallel_for(
      "Tessera::tools::sigma", Kokkos::RangePolicy<Space>(0, mesh.num_elements()),
      KOKKOS_LAMBDA(const Ordinal e) {
        bool in = false;
        for (int ball = 0; ball < 8; ++ball) {
          double square = 0;
          for (int d = 0; d < 3; ++d) {
            const double center = 1.1 + 1.7 * ((ball >> d) & 1) + 0.13 * ((ball * (d + 2)) % 3);
            const double difference = x(connectivity(e, 0), d) - center;
            square += difference * difference;
          }
          in = in || square < 0.49;
        }
        values(e) = in ? inside : 1;
      });
  Kokkos::fence("Tessera::tools::sigma");
  return CellField::per_element(values);
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

/// Times of solutions, and how the last one went.
struct Solutions {
  std::vector<double> seconds;
  solvers::CgResult result;
  std::size_t bytes = 0; // of the hierarchy
  bool solved = true;    // each of them

  template <class A>
  void add(const Settings& s, const A& a, const solvers::Multigrid<Space>& multigrid, const Vector& b,
           const Vector& x) {
    bytes = multigrid.report().bytes;
    for (int again = 0; again < 2; ++again) {
      Kokkos::deep_copy(x, 0.0);
      Kokkos::fence("Tessera::tools::measure");
      const Kokkos::Timer timer;
      result = solvers::cg(Space(), a, multigrid, b, x,
                           {.relative_tolerance = s.tolerance, .max_iterations = 1000});
      solved = solved && result.converged();
      seconds.push_back(timer.seconds());
    }
  }
};

void print_time(const char* name, double seconds, double unknowns) {
  std::printf("  %-10s %9.3f ms %8.3f ms/M\n", name, 1e3 * seconds, 1e9 * seconds / unknowns);
}

void print(const char* title, const Solutions& solutions, double unknowns) {
  const auto& result = solutions.result;
  std::printf("  %s: %d iterations, %s, true residual %.2e of %.2e; %.0f bytes per unknown\n", title,
              result.iterations, to_string(result.reason).c_str(), result.true_residual,
              result.history.front(), static_cast<double>(solutions.bytes) / unknowns);
  const double seconds = median(solutions.seconds);
  print_time("solve", seconds, unknowns);
  print_time("iteration", seconds / std::max(1, result.iterations), unknowns);
}

/// Solves by elements: the product in double, and on the finest level of the cycle in single precision.
template <class Element, class Form>
void solve_by_elements(const Settings& s, const FunctionSpace<Element, Space>& space, const Form& form,
                       const Vector& b, solvers::Multigrid<Space>& multigrid, const Vector& x,
                       Solutions& solutions) {
  const std::map<std::string, Conflicts> conflicts = {{"atomics", Conflicts::atomics},
                                                      {"colors", Conflicts::colors},
                                                      {"gather", Conflicts::gather},
                                                      {"patches", Conflicts::patches}};
  const auto plan = matrix_free::RecomputingElementByElement{.conflicts = conflicts.at(s.finest)}.plan(space);
  const auto a = plan.template prepare<double>(form);
  multigrid.replace_rows(plan.template prepare<float>(form));
  solutions.add(s, a, multigrid, b, x);
}

/// Whether all solutions were found.
template <class Element, class Form>
bool measure(const Settings& s, const FunctionSpace<Element, Space>& space, const Form& form) {
  const Space exec;
  const LinearSystem<double, Space> system(space);
  auto plan = assembly::ElementAtomic{}.plan(space, system.graph());
  plan.prepare(form);
  plan.assemble(form, system);
  const auto& graph = system.graph();
  const solvers::CrsOperator<double, Space> a(exec, graph.row_map, graph.columns, system.values());
  const Vector x("Tessera::tools::x", system.num_rows());
  auto nodes = solvers::Multigrid<Space>::nodes_of(exec, graph.equations, space.mesh().coordinates());
  if (s.no_coordinates) nodes.coordinates = {};
  if (s.problem != "elasticity") Kokkos::deep_copy(system.rhs(), 1.0);
  std::vector<double> setup, refresh;
  Solutions by_rows, by_elements;
  solvers::MultigridReport report;
  for (int repetition = 0; repetition < s.repetitions; ++repetition) {
    Kokkos::fence("Tessera::tools::measure");
    solvers::Multigrid<Space> multigrid(exec, graph.row_map, graph.columns, system.values(), nodes,
                                        s.options);
    setup.push_back(multigrid.report().setup_seconds);
    by_rows.add(s, a, multigrid, system.rhs(), x);
    if (s.finest != "rows") solve_by_elements(s, space, form, system.rhs(), multigrid, x, by_elements);
    multigrid.refresh(system);
    refresh.push_back(multigrid.report().refresh_seconds);
    report = multigrid.report();
  }
  const double unknowns = system.num_rows();
  std::printf("%s, cells %d, jitter %g, stretch %g, inside %g: %d unknowns, %zu entries\n", s.problem.c_str(),
              s.cells, s.jitter, s.stretch, s.inside, system.num_rows(), graph.num_entries());
  for (std::size_t l = 0; s.levels && l < report.levels.size(); ++l)
    std::printf("  level %zu: %d rows, %zu entries, bound %.3f, %s\n", l, report.levels[l].rows,
                report.levels[l].entries, report.levels[l].spectral_bound,
                report.levels[l].aggregation.c_str());
  std::printf("  complexity %.3f\n", report.operator_complexity);
  if (report.coarsest_shift > 0)
    std::printf("  coarsest level indefinite by rounding: %g added to its diagonal\n", report.coarsest_shift);
  print_time("set-up", median(setup), unknowns);
  print_time("refresh", median(refresh), unknowns);
  print("by rows", by_rows, unknowns);
  if (s.finest != "rows") print(("by elements, " + s.finest).c_str(), by_elements, unknowns);
  std::fflush(stdout);
  return by_rows.solved && by_elements.solved;
}

/// \throws ArgumentError for options that have no effect beside others, or numbers out of range
void check(const Options& parser, const Settings& s) {
  if (s.problem == "elasticity")
    for (const char* name : {"--inside", "--lambda"})
      if (parser.given(name))
        throw ArgumentError(std::string(name) + " has no meaning for --problem elasticity");
  if (parser.given("--run-length") && s.aggregation != "automatic" && s.aggregation != "runs")
    throw ArgumentError("--run-length has no meaning for --aggregation " + s.aggregation);
  for (const auto& [name, value] : {std::pair("--stretch", s.stretch), std::pair("--inside", s.inside)})
    if (!(value > 0))
      throw ArgumentError(std::string(name) + ": expected a number above 0, got " + std::to_string(value));
}

int run(int argc, char** argv) {
  Settings s;
  bool help = false;
  Options parser("tessera-multigrid: times Multigrid on a box. Exit status 1: not every solution was found.");
  parser.choice("--problem", s.problem, {"helmholtz", "elasticity"},
                "tetrahedra, or a cantilever of hexahedra");
  parser.count("--cells", s.cells, 1, "cells along the (shortest) edge");
  parser.number("--jitter", s.jitter, "share of a cell by which nodes are moved");
  parser.number("--stretch", s.stretch, "how much flatter the cells are");
  parser.number("--inside", s.inside, "diffusion in eight balls");
  parser.number("--lambda", s.lambda, "reaction");
  parser.number("--tolerance", s.tolerance, "relative residual; without it 1e-8, or what rounding allows");
  parser.count("--repetitions", s.repetitions, 1, "set-ups");
  parser.choice("--aggregation", s.aggregation, {"automatic", "runs", "independent-sets", "matched-pairs"},
                "aggregates");
  parser.choice("--storage", s.storage, {"automatic", "half", "single"}, "storage of the cycle's matrices");
  parser.choice("--finest", s.finest, {"rows", "atomics", "colors", "gather", "patches"},
                "solve by rows only, or also by elements whose results are added so");
  parser.number("--range", s.range, "smoothing range; without it the solver's own");
  parser.number("--strength", s.options.strength, "share of the strongest coupling below which one is weak");
  parser.count("--run-length", s.run_length, 2, "nodes in a run; without it as the solver chooses");
  parser.count("--coarsest", s.options.coarsest_rows, 1, "rows of the coarsest level");
  parser.flag("--no-coordinates", s.no_coordinates, "the solver knows no coordinates");
  parser.flag("--levels", s.levels, "print the levels");
  parser.flag("--help", help, "print this");
  parser.parse(argc, argv);
  if (help) return std::cout << parser.help(), 0;
  check(parser, s);
  if (parser.given("--run-length")) s.options.run_length = s.run_length;
  if (parser.given("--range")) s.options.smoothing_range = s.range;
  using Aggregation = solvers::Aggregation;
  using Storage = solvers::MultigridStorage;
  s.options.aggregation = s.aggregation == "runs"               ? Aggregation::runs
                          : s.aggregation == "independent-sets" ? Aggregation::independent_sets
                          : s.aggregation == "matched-pairs"    ? Aggregation::matched_pairs
                                                                : Aggregation::automatic;
  s.options.storage = s.storage == "half"     ? Storage::half
                      : s.storage == "single" ? Storage::single
                                              : Storage::automatic;
  if (s.problem == "elasticity") {
    const auto mesh = make_mesh<Hex<1>>(s);
    FunctionSpace<Hex<1>, Space> space(mesh, 3);
    space.constrain(mesh.node_set("xmin"), {0, 0, 0});
    const LinearElasticity<3> form{.young = 200e9, .poisson = 0.3, .body_force = {0, 0, -1}};
    return measure(s, space, form) ? 0 : 1;
  } else {
    const auto mesh = make_mesh<Tet<1>>(s);
    const Helmholtz<> form{.sigma = ball_field(s, mesh), .lambda = s.lambda, .source = 1.0};
    return measure(s, FunctionSpace<Tet<1>, Space>(mesh, 1), form) ? 0 : 1;
  }
}

} // namespace

int main(int argc, char** argv) { return run_tool("tessera-multigrid", run, argc, argv); }
