// tessera-paper3: residuals by thread transposition and what the paper sets it against, in the paper's
// setting, beside its model and its numbers; then from nodal vector to nodal vector.

#include <tessera/strategies/residual/recomputing_residual.hpp>
#include <tessera/strategies/residual/thread_transposition.hpp>

#include "measure.hpp"
#include "rows.hpp"
#include "support/machine.hpp"
#include "support/options.hpp"
#include "support/run_tool.hpp"
#include <cstdio>

namespace {

using namespace tessera;
using namespace tessera::paper3;
using ExecutionSpace = Kokkos::DefaultExecutionSpace;

/// Nodal vector in, nodal vector out.
void measure_whole(const Settings& settings) {
  const auto mesh = box_of<Tet<1>, ExecutionSpace>(1.2 * settings.cells);
  const Kokkos::View<double*, ExecutionSpace> by_cell("Tessera::Paper3::by_cell", mesh.num_elements());
  Kokkos::deep_copy(by_cell, 1.5);
  std::printf("\nFrom nodal vector to nodal vector, %d linear tetrahedra, double\n", mesh.num_elements());
  const auto print = [&](const std::string& form, const std::string& strategy, double seconds) {
    std::printf("%-24s %-28s %8.5f ns/element %8.2f GDOF/s\n", form.c_str(), strategy.c_str(),
                1e9 * seconds / mesh.num_elements(), 1e-9 * mesh.num_nodes() / seconds);
    std::fflush(stdout);
  };
  const auto measure = [&](const std::string& name, const auto& form) {
    for (const auto& [suffix, strategy] : residual::RecomputingResidual::variants())
      print(name, "RecomputingResidual" + suffix,
            whole_seconds<double>(ExecutionSpace(), strategy, form, mesh, settings.repetitions));
  };
  measure("Laplace", Laplace{});
  measure("coefficient by cell", weak_form(VariableLaplace{}, CellField::per_element(by_cell)));
  measure("neo-Hookean", NeoHookean<3>{});
  print("Laplace", "ThreadTransposition",
        whole_seconds<double>(ExecutionSpace(), residual::ThreadTransposition{}, Laplace{}, mesh,
                              settings.repetitions));
}

int run(int argc, char** argv) {
  Settings settings;
  bool help = false;
  std::vector<std::string> parts{"model", "table", "triangles", "tetrahedra", "whole"};
  tools::Options options("tessera-paper3 [options]");
  options.list("--parts", parts, "of model, table, triangles, tetrahedra, whole");
  options.number("--cells", settings.cells,
                 "cells of the large meshes; the paper's own sizes are measured besides");
  options.count("--repetitions", settings.repetitions, 1, "repetitions that count");
  options.flag("--help", help, "this text");
  options.parse(argc, argv);
  if (help) {
    std::printf("%s", options.help().c_str());
    return 0;
  }
  if (!(settings.cells >= 1000)) throw ArgumentError("--cells must be at least 1000");
  settings.copy_bandwidth = tools::measure_machine(ExecutionSpace()).bytes_per_second;
  std::printf("%s: copy %.0f GB/s\n", ExecutionSpace::name(), 1e-9 * settings.copy_bandwidth);
  for (const std::string& part : parts)
    if (part == "model")
      print_model(settings);
    else if (part == "table")
      print_table(measure_table(settings));
    else if (part == "triangles")
      print_rows(measure_triangles(settings), settings);
    else if (part == "tetrahedra")
      print_rows(measure_tetrahedra(settings), settings);
    else if (part == "whole")
      measure_whole(settings);
    else
      throw ArgumentError("--parts: there is no " + part +
                          "; there are model, table, triangles, tetrahedra and whole");
  return 0;
}

} // namespace

int main(int argc, char** argv) { return tessera::tools::run_tool("tessera-paper3", run, argc, argv); }
