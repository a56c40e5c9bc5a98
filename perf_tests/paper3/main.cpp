// SPDX-License-Identifier: BSD-3-Clause
// tessera-paper3: residuals by thread transposition and what the paper sets it against, in the paper's
// setting, beside its model; then from nodal vector to nodal vector. See docs/papers/3.md.

#include <tessera/core/error.hpp>

#include <Kokkos_Core.hpp>

#include "rows.hpp"
#include "support/options/options.hpp"
#include "support/report/result.hpp"
#include "support/run_tool.hpp"
#include <cstdio>

namespace {

using namespace tessera;
using namespace tessera::paper3;

std::vector<Row> measure(const std::string& part, const Settings& settings) {
  std::vector<Row> rows;
  if (part == "model")
    rows = model_rows();
  else if (part == "table")
    measure_table(settings, rows);
  else if (part == "triangles") {
    measure_triangles1(settings, rows);
    measure_triangles2(settings, rows);
    measure_triangles3(settings, rows);
  } else if (part == "tetrahedra") {
    measure_tetrahedra1(settings, rows);
    measure_tetrahedra2(settings, rows);
    measure_tetrahedra3(settings, rows);
  } else if (part == "whole") {
    measure_whole(settings, rows);
  } else {
    measure_file(settings, rows);
  }
  return rows;
}

int run(int argc, char** argv) {
  Settings settings;
  bool help = false;
  std::string json_file;
  const std::vector<std::string> known{"model", "table", "triangles", "tetrahedra", "whole"};
  std::vector<std::string> parts = known;
  tools::Options options("tessera-paper3 [options]");
  options.list("--parts", parts, "of model, table, triangles, tetrahedra, whole");
  options.text(
      "--mesh", settings.mesh,
      "file of linear triangles or tetrahedra, or a generator's name: measured besides, as it is numbered "
      "and along the Hilbert curve");
  options.number("--cells", settings.cells, "cells of the large meshes");
  options.number("--small-cells", settings.small_cells, "cells of what stands for the paper's mesh");
  options.count("--repetitions", settings.repetitions, 1, "repetitions that count");
  options.output("--json", json_file, "file for the results");
  options.flag("--help", help, "this text");
  options.parse(argc, argv);
  if (help) {
    std::printf("%s", options.help().c_str());
    return 0;
  }
  if (!(settings.cells >= 100)) throw ArgumentError("--cells must be at least 100");
  if (!(settings.small_cells >= 2)) throw ArgumentError("--small-cells must be at least 2");
  parts = tools::choose(parts, known, "part");
  if (!settings.mesh.empty()) parts.insert(parts.begin(), "mesh"); // what is wrong with it is said at once
  const tessera::Machine machine = tessera::measure_machine(Kokkos::DefaultExecutionSpace());
  std::printf("%s: copy %.0f GB/s\n", Kokkos::DefaultExecutionSpace::name(), 1e-9 * machine.bytes_per_second);
  std::vector<Row> rows;
  for (const std::string& part : parts) {
    for (const Row& row : measure(part, settings)) {
      print(row, machine.bytes_per_second);
      rows.push_back(row);
    }
    // After each part, so that a run that is cut short leaves what it has.
    if (!json_file.empty()) tools::write_file(json_file, rows_json(machine, rows));
  }
  return 0;
}

} // namespace

int main(int argc, char** argv) { return tessera::tools::run_tool("tessera-paper3", run, argc, argv); }
