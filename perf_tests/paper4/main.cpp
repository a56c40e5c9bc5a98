// SPDX-License-Identifier: BSD-3-Clause
// tessera-paper4: what Tables 1 to 6 and Figures 6 and 7 of paper 4 are made of, on the paper's meshes as far
// as they can be had. See docs/papers/4.md.

#include <Kokkos_Core.hpp>

#include "measure.hpp"
#include "report.hpp"
#include "support/options/options.hpp"
#include "support/report/result.hpp"
#include "support/run_tool.hpp"
#include <cstdio>

namespace {

using namespace tessera;
using namespace tessera::tools;

/// NAME=MESH, of which Blobs has three problems.
void measure(const std::string& text, const Study& study, std::vector<MeshResult>& results) {
  const auto equals = text.find('=');
  if (equals == std::string::npos)
    throw ArgumentError("--meshes wants NAME=MESH, a generator's name or a file, got '" + text + "'");
  const std::string name = text.substr(0, equals), source = text.substr(equals + 1);
  Study jumps = study;
  jumps.assembly = false;
  jumps.inner = 0;
  for (double sigma : {1.0, 10.0, 100.0}) {
    if (sigma > 1 && name != "Blobs") break;
    results.push_back(measure_mesh(name, source, sigma, sigma > 1 ? jumps : study));
    print(results.back());
  }
}

int run(int argc, char** argv) {
  std::vector<std::string> meshes{"Regular=regular4:3"};
  std::string json_file;
  Study study{.inner = 5};
  int series_levels = 4;
  bool no_assembly = false, no_plain = false, help = false;
  Options options("tessera-paper4 [options]");
  options.list("--meshes", meshes,
               "NAME=MESH, a generator's name or a file; Blobs is solved with three jumps of its material");
  options.count("--repetitions", study.repetitions, 1, "repetitions that count");
  options.count("--inner", study.inner, 0, "inner iterations of Figure 7: up to so many");
  options.count("--series", series_levels, 0, "regular meshes of Figure 6, at most 4");
  options.flag("--no-assembly", no_assembly, "without Table 2");
  options.flag("--no-cg", no_plain, "without plain conjugate gradients");
  options.output("--json", json_file, "file for the results");
  options.flag("--help", help, "this text");
  options.parse(argc, argv);
  if (help) {
    std::printf("%s", options.help().c_str());
    return 0;
  }
  if (series_levels > 4) throw ArgumentError("--series: there are 4 regular meshes");
  study.assembly = !no_assembly;
  study.plain = !no_plain;
  const Machine machine = measure_machine(Kokkos::DefaultExecutionSpace());
  std::vector<MeshResult> results, series;
  const auto write = [&] { // after each mesh, so that a run that is cut short leaves what it has
    if (!json_file.empty()) write_file(json_file, meshes_json(machine, results, series));
  };
  for (const std::string& mesh : meshes) measure(mesh, study, results), write();
  const Study bare{.repetitions = 1, .assembly = false, .plain = study.plain};
  for (int level = 0; level < series_levels; ++level) {
    const std::string source = "regular4:" + std::to_string(level);
    series.push_back(measure_mesh(source, source, 1, bare));
    print(series.back());
    write();
  }
  return 0;
}

} // namespace

int main(int argc, char** argv) { return tessera::tools::run_tool("tessera-paper4", run, argc, argv); }
