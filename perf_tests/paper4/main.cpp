// tessera-paper4: Tables 1 to 6 and Figures 6 and 7 of paper 4, on the paper's meshes as far as they can be
// had.

#include <Kokkos_Core.hpp>

#include "measure.hpp"
#include "report.hpp"
#include "support/options.hpp"
#include "support/result.hpp"
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
    std::fprintf(stderr, "tessera-paper4: %s, sigma %g ...\n", name.c_str(), sigma);
    results.push_back(measure_mesh(name, source, sigma, sigma > 1 ? jumps : study));
  }
}

int run(int argc, char** argv) {
  std::vector<std::string> meshes{"Regular=regular4:3"};
  std::string json_file, markdown_file;
  Study study{.inner = 5};
  bool no_series = false, no_assembly = false, no_plain = false, help = false;
  Options options("tessera-paper4 [options]");
  options.list("--meshes", meshes,
               "NAME=MESH, a generator's name or a file; Regular, Irregular, Heart, Brain and Blobs have the "
               "paper's numbers beside them");
  options.count("--repetitions", study.repetitions, 1, "repetitions that count");
  options.count("--inner", study.inner, 0, "inner iterations of Figure 7: up to so many");
  options.flag("--no-series", no_series, "without Figure 6");
  options.flag("--no-assembly", no_assembly, "without Table 2");
  options.flag("--no-cg", no_plain, "without plain conjugate gradients");
  options.output("--json", json_file, "file for the results");
  options.output("--markdown", markdown_file, "file for the tables; default: the screen");
  options.flag("--help", help, "this text");
  options.parse(argc, argv);
  if (help) {
    std::printf("%s", options.help().c_str());
    return 0;
  }
  study.assembly = !no_assembly;
  study.plain = !no_plain;
  std::vector<MeshResult> results, series;
  for (const std::string& mesh : meshes) measure(mesh, study, results);
  Study bare{.repetitions = 1, .assembly = false, .plain = study.plain};
  for (int level = 0; level <= 3 && !no_series; ++level) {
    const std::string source = "regular4:" + std::to_string(level);
    series.push_back(measure_mesh(source, source, 1, bare));
  }
  if (!json_file.empty()) write_file(json_file, multigrid_json(results));
  const std::string text = multigrid_markdown(results, series);
  if (markdown_file.empty())
    std::printf("%s", text.c_str());
  else
    write_file(markdown_file, text);
  return 0;
}

} // namespace

int main(int argc, char** argv) { return tessera::tools::run_tool("tessera-paper4", run, argc, argv); }
