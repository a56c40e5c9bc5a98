// SPDX-License-Identifier: BSD-3-Clause
// tessera-paper5: the matrix-free operators of paper 5 and Tessera's own on the paper's meshes and in space.

#include <Kokkos_Core.hpp>

#include "measure.hpp"
#include "operators.hpp"
#include "report.hpp"
#include "support/options/options.hpp"
#include "support/report/result.hpp"
#include "support/run_tool.hpp"
#include <algorithm>
#include <cstdio>

namespace {

using namespace tessera;
using namespace tessera::tools;

void measure(const std::string& problem, Measurement& m) {
  const auto colon = problem.find('=');
  const std::string kind = problem.substr(0, colon);
  const std::string mesh = colon == std::string::npos ? "" : problem.substr(colon + 1);
  if (kind == "hex")
    measure_hex_elasticity(mesh, m);
  else if (kind == "tet")
    measure_tet_laplace(mesh, m);
  else if (kind == "tet-elasticity")
    measure_tet_elasticity(mesh, m);
  else if (kind == "tet2")
    measure_tet2_heat(mesh, m);
  else if (kind == "quad")
    measure_quad_elasticity(mesh, m);
  else if (kind[0] == 'H')
    measure_quad_heat(kind, mesh, m);
  else if (kind[0] == 'C' || kind[0] == 'L')
    measure_quad_elasticity(kind, m);
  else
    throw ArgumentError("unknown problem '" + problem +
                        "'; there are C1 to C5, L1 to L5, H1 to H5, such as C1/4 with a fourth of "
                        "the squares along each edge, or H1=FILE with a mesh of the plate, and quad=, hex=, "
                        "tet=, tet-elasticity= and tet2= "
                        "with a box, such as hex=box:64x64x64");
}

/// What --strategies takes.
std::vector<std::string> known_strategies() {
  std::vector<std::string> names{"assembled"};
  for_each_operator([&](const auto& variant) {
    names.push_back(variant.name);
    if (has_float_storage(variant.name)) names.push_back(variant.name + float_storage);
  });
  return names;
}

int run(int argc, char** argv) {
  std::vector<std::string> problems{"C1", "C2", "C3", "C4", "C5", "L1", "L2", "L3",
                                    "L4", "L5", "H1", "H2", "H3", "H4", "H5"};
  Measurement m;
  std::string json_file;
  bool help = false;
  Options options("tessera-paper5 [options]");
  options.list("--problems", problems,
               "C1..C5, L1..L5, H1..H5, C1/4 with a fourth of the squares along each edge, H1=FILE "
               "(examples/geometries/paper5_plate.geo), quad=BOX, hex=BOX, "
               "tet=BOX, tet-elasticity=BOX, tet2=BOX");
  options.list("--strategies", m.strategies,
               "names of the catalogue, with or without ' (float storage)', and 'assembled', or all");
  options.count("--repetitions", m.repetitions, 1, "repetitions that count");
  options.count("--products", m.products, 1, "products in one repetition");
  options.count("--cg", m.cg_iterations, 0,
                "solve with at most this many iterations, to 1e-8, plain and by Jacobi");
  options.output("--json", json_file, "file for the results");
  options.flag("--help", help, "this text");
  options.parse(argc, argv);
  if (help) {
    std::printf("%s", options.help().c_str());
    return 0;
  }
  m.strategies = choose(m.strategies, known_strategies(), "strategy");
  const Machine machine = measure_machine(Kokkos::DefaultExecutionSpace());
  std::printf("%s: copy %.0f GB/s, multiply-add %.0f GF/s\n", Kokkos::DefaultExecutionSpace::name(),
              machine.bytes_per_second * 1e-9, machine.flops_per_second * 1e-9);
  for (const std::string& problem : problems) {
    measure(problem, m);
    // After each problem, so that a run that is cut short leaves what it has.
    if (!json_file.empty()) write_file(json_file, operators_json(machine, m.results));
  }
  const bool agree =
      std::all_of(m.results.begin(), m.results.end(), [](const OperatorResult& r) { return r.agrees; });
  if (!agree) std::printf("NOT all products agree with the assembled matrix's.\n");
  return agree ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) { return tessera::tools::run_tool("tessera-paper5", run, argc, argv); }
