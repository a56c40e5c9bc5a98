// SPDX-License-Identifier: BSD-3-Clause
// The evaluation of paper 2 (section 5): a cantilever of 16 x 2 x 2 hexahedra, the meshes of Table 3, with
// the box's numbering and with shuffled numbers, or a mesh of hexahedra from a file: what Table 1 (ways to
// the Jacobian) and Figures 10 to 14 (throughput, bandwidth, time, ratio to a thread per element) are made
// of. See docs/papers/2.md.

#include <tessera/core/forms/linear_elasticity.hpp>
#include <tessera/core/system/reference_assembly.hpp>
#include <tessera/core/system/system_error.hpp>
#include <tessera/io/generate/box.hpp>
#include <tessera/io/read_mesh.hpp>
#include <tessera/strategies/best/machine.hpp>
#include <tessera/strategies/catalogue/detail/make_plan.hpp>
#include <tessera/strategies/catalogue/detail/planned_assembly.hpp>

#include "shuffled.hpp"
#include "support/agreement.hpp"
#include "support/options/options.hpp"
#include "support/report/records.hpp"
#include "support/report/result.hpp"
#include "support/run_tool.hpp"
#include "timed.hpp"
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

namespace {

using namespace tessera;
using namespace tessera::tools;
using Element = Hex<1>;
using ExecutionSpace = Kokkos::DefaultExecutionSpace;
using MeshType = Mesh<Element, ExecutionSpace>;
using Space = FunctionSpace<Element, ExecutionSpace>;

struct Study {
  std::vector<std::string> meshes{"1", "2", "3", "4"}; ///< of Table 3
  std::vector<std::string> divisions;                  ///< in place of Table 3's
  std::string file, scalar = "both", numbering = "both", only;
  int repetitions = 30;
};

/// One strategy on one mesh.
struct Row {
  std::string mesh = {}, numbering = {}, scalar = {}, strategy = {};
  int elements = 0, nodes = 0;
  std::array<double, 3> extent{}; ///< of the mesh along each axis, in metres
  double plan_seconds = 0, seconds = 0;
  double ratio = 0;                        ///< of the time of ElementLocal to this
  double paper_ratio = 0;                  ///< of the time of `paper_baseline` to this, the paper's speed-up
  double model_bytes = 0, model_flops = 0; ///< by the strategy's cost model
  double error = 0;                        ///< against the oracle, in all rows or a sample
  bool agrees = true;
};

/// \throws ArgumentError listing all names unless one holds `part`
void check_only(const std::string& part) {
  std::string known;
  for (const std::string& name : timed_names()) {
    if (name.find(part) != std::string::npos) return;
    known += (known.empty() ? "" : ", ") + name;
  }
  throw ArgumentError("--only: no strategy's name holds '" + part + "'; there are " + known);
}

void print_header() {
  std::printf("%-58s %10s %10s %9s %9s %9s %8s %8s %9s\n", "strategy", "plan s", "ms", "ns/elem", "GB/s",
              "GFLOP/s", "paper's", "ratio", "error");
}

void print(const Row& row) {
  std::printf("%-58s %10.3f %10.3f %9.3f %9.0f %9.0f %8.2f %8.2f %9.1e%s\n", row.strategy.c_str(),
              row.plan_seconds, 1e3 * row.seconds, 1e9 * row.seconds / row.elements,
              1e-9 * row.model_bytes / row.seconds, 1e-9 * row.model_flops / row.seconds, row.paper_ratio,
              row.ratio, row.error, row.agrees ? "" : " WRONG");
  std::fflush(stdout);
}

constexpr double young = 200e9, poisson = 0.333; // Table 2
const LinearElasticity<3> form{.young = young, .poisson = poisson};

/// What both scalars are checked against.
struct Oracle {
  Space space;
  SparsityGraph<ExecutionSpace> graph;
  ReferenceSystem reference;
  std::array<double, 3> extent; ///< of the mesh along each axis
};

/// The plan of a variant: the catalogue's, which is compiled, or the baseline's for the form alone.
template <class Strategy>
auto plan_of(const Variant<Strategy>& variant, const Space& space,
             const SparsityGraph<ExecutionSpace>& graph) {
  if constexpr (std::is_same_v<Strategy, Baseline>) {
    using Forms = std::tuple<LinearElasticity<3>>;
    using Planned = tessera::catalogue::detail::PlannedAssembly<Baseline, Element, ExecutionSpace, Forms>;
    return std::unique_ptr<AnyAssembly<Element, ExecutionSpace, Forms>>(std::make_unique<Planned>(
        ExecutionSpace(), tessera::catalogue::detail::info_of(variant), variant.strategy, space, graph));
  } else {
    return tessera::catalogue::detail::make_plan(ExecutionSpace(), variant, space, graph);
  }
}

/// Length, breadth and height of what encloses a mesh.
std::array<double, 3> extent_of(const MeshType& mesh) {
  const auto x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mesh.coordinates());
  std::array<double, 3> extent;
  for (int d = 0; d < 3; ++d) {
    double least = x(0, d), most = x(0, d);
    for (Ordinal n = 1; n < mesh.num_nodes(); ++n) {
      least = std::min(least, x(n, d));
      most = std::max(most, x(n, d));
    }
    extent[d] = most - least;
  }
  return extent;
}

template <class Scalar>
void run(const Study& study, const Oracle& oracle, const std::string& name, const std::string& numbering,
         std::vector<Row>& rows) {
  const char* scalar = sizeof(Scalar) == 8 ? "double" : "float";
  const auto& [space, graph, reference, extent] = oracle;
  const MeshType& mesh = space.mesh();
  const LinearSystem<Scalar, ExecutionSpace> system(graph);
  double local = 0, paper = 0; // seconds that the ratios refer to
  std::printf("\nMesh %s: %d elements, %d nodes, %s numbering, %s\n", name.c_str(), mesh.num_elements(),
              mesh.num_nodes(), numbering.c_str(), scalar);
  print_header();
  const auto measure = [&](const std::string& strategy, auto& plan) {
    Row row{.mesh = name,
            .numbering = numbering,
            .scalar = scalar,
            .strategy = strategy,
            .elements = mesh.num_elements(),
            .nodes = mesh.num_nodes(),
            .extent = extent,
            .plan_seconds = plan.prepare(form, Scalar()).total_seconds()};
    const Cost cost = plan.cost(form, Scalar());
    row.model_bytes = cost.bytes;
    row.model_flops = cost.flops;
    // What an earlier strategy wrote must not count for this one.
    Kokkos::deep_copy(system.values(), Scalar(NAN));
    Kokkos::deep_copy(system.rhs(), Scalar(NAN));
    row.seconds =
        median(time_repeatedly(ExecutionSpace(), study.repetitions, [&] { plan.assemble(form, system); }));
    row.error = system_error<Scalar>(system, reference).max();
    row.agrees = row.error <= agreement_tolerance<Scalar>;
    return row;
  };
  const auto add = [&](Row row) {
    if (local == 0) local = row.seconds;
    if (paper == 0) paper = row.seconds;
    row.ratio = local / row.seconds;
    row.paper_ratio = paper / row.seconds;
    print(row);
    rows.push_back(row);
  };
  std::vector<Row> baselines;
  const auto add_baselines = [&] {
    for (const Row& row : baselines) add(row);
    baselines.clear();
  };
  for_each_timed([&](const auto& variant) {
    if (variant.name.find(study.only) == std::string::npos) return;
    const auto plan = plan_of(variant, space, system.graph());
    const Row row = measure(variant.name, *plan);
    if (variant.name == "ElementLocal") local = row.seconds;
    if (variant.name == paper_baseline) paper = row.seconds;
    if (variant.name.starts_with("ElementLocal")) {
      baselines.push_back(row);
    } else {
      add_baselines();
      add(row);
    }
  });
  add_baselines();
}

/// \param write is called after each part, so that a run that is cut short leaves what it has
void run(const Study& study, const MeshType& mesh, const std::string& name, std::vector<Row>& rows,
         const std::function<void()>& write) {
  for (const std::string numbering : {"original", "shuffled"}) {
    if (study.numbering != "both" && study.numbering != numbering) continue;
    const MeshType numbered = numbering == "original" ? mesh : shuffled(mesh);
    const Space space(numbered, 3);
    const LinearSystem<double, ExecutionSpace> system(space);
    const Oracle oracle{
        space, system.graph(),
        reference_assembly(form, space, system.graph(), rows_to_check(system.num_rows(), false)),
        extent_of(numbered)};
    if (study.scalar != "float") run<double>(study, oracle, name, numbering, rows), write();
    if (study.scalar != "double") run<float>(study, oracle, name, numbering, rows), write();
  }
}

/// Divisions of the beam's height, Table 3: 8n x n x n elements.
Ordinal divisions(const std::string& mesh) {
  constexpr Ordinal table[] = {24, 32, 50, 64};
  if (mesh.size() != 1 || mesh[0] < '1' || mesh[0] > '4')
    throw ArgumentError("--meshes: 1 to 4 (paper 2, Table 3), got '" + mesh + "'");
  return table[mesh[0] - '1'];
}

/// Divisions that are asked for by their number.
Ordinal height(const std::string& n) {
  const double value = to_number(n, "--divisions");
  if (!(value >= 1 && value <= 100 && value == std::floor(value)))
    throw ArgumentError("--divisions: whole numbers from 1 to 100, got '" + n + "'");
  return static_cast<Ordinal>(value);
}

const Fields<Row>& fields() {
  static const Fields<Row> all{
      {"mesh", true, [](const Row& r) { return r.mesh; }},
      {"numbering", true, [](const Row& r) { return r.numbering; }},
      {"scalar", true, [](const Row& r) { return r.scalar; }},
      {"strategy", true, [](const Row& r) { return r.strategy; }},
      {"elements", false, [](const Row& r) { return std::to_string(r.elements); }},
      {"nodes", false, [](const Row& r) { return std::to_string(r.nodes); }},
      {"length", false, [](const Row& r) { return number(r.extent[0]); }},
      {"breadth", false, [](const Row& r) { return number(r.extent[1]); }},
      {"height", false, [](const Row& r) { return number(r.extent[2]); }},
      {"young", false, [](const Row&) { return number(young); }},
      {"poisson", false, [](const Row&) { return number(poisson); }},
      {"plan_seconds", false, [](const Row& r) { return number(r.plan_seconds); }},
      {"seconds_median", false, [](const Row& r) { return number(r.seconds); }},
      {"paper_ratio", false, [](const Row& r) { return number(r.paper_ratio); }},
      {"ratio", false, [](const Row& r) { return number(r.ratio); }},
      {"model_bytes", false, [](const Row& r) { return number(r.model_bytes); }},
      {"model_flops", false, [](const Row& r) { return number(r.model_flops); }},
      {"error", false, [](const Row& r) { return number(r.error); }},
      {"agrees", false, [](const Row& r) { return std::string(r.agrees ? "true" : "false"); }}};
  return all;
}

int run(int argc, char** argv) {
  Study study;
  std::string json_file;
  bool help = false;
  Options options("tessera-paper2 [options]");
  options.list("--meshes", study.meshes, "of Table 3, 1 to 4");
  options.list("--divisions", study.divisions,
               "divisions of the height, beams of 8n x n x n in place of Table 3's");
  options.input("--mesh", study.file,
                "a file of hexahedra in place of Table 3's (examples/geometries/hex_bracket.geo)");
  options.count("--repetitions", study.repetitions, 1, "repetitions that count");
  options.choice("--scalar", study.scalar, {"double", "float", "both"}, "numbers of the matrix");
  options.choice("--numbering", study.numbering, {"original", "shuffled", "both"},
                 "numbers of nodes and elements");
  options.text("--only", study.only, "strategies whose name holds this");
  options.output("--json", json_file, "file for the results");
  options.flag("--help", help, "this text");
  options.parse(argc, argv);
  if (help) return std::cout << options.help(), 0;
  options.exclude("--mesh", {"--meshes", "--divisions"});
  options.exclude("--meshes", {"--divisions"});
  check_only(study.only);

  const Machine machine = measure_machine(ExecutionSpace());
  std::vector<Row> rows;
  const auto write = [&] {
    if (!json_file.empty())
      write_file(json_file, json_report(ExecutionSpace::name(), machine, fields(), rows));
  };
  const auto beam = [&](const std::string& name, Ordinal n) {
    run(study, io::box_mesh<Element, ExecutionSpace>({{8 * n, n, n}, {16.0, 2.0, 2.0}}), name, rows, write);
  };
  if (!study.file.empty())
    run(study, io::read_mesh<Element, ExecutionSpace>(study.file), study.file, rows, write);
  else if (!study.divisions.empty())
    for (const std::string& n : study.divisions) beam("n = " + n, height(n));
  else
    for (const std::string& mesh : study.meshes) beam(mesh, divisions(mesh));
  std::printf(
      "\nGB/s and GFLOP/s by each strategy's cost model, not measured; paper's: time of a thread per element "
      "with paper 2's choices of memory (ElementLocal/paper2/separate, or the first row where it is absent) "
      "over the "
      "strategy's, as the paper's speed-ups; ratio: ElementLocal's time over the strategy's; error: against "
      "the "
      "oracle, in a sample of the rows.\n");
  const bool agree = std::all_of(rows.begin(), rows.end(), [](const Row& row) { return row.agrees; });
  if (!agree) std::cout << "NOT all strategies agree with the oracle.\n";
  return agree ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) { return tessera::tools::run_tool("tessera-paper2", run, argc, argv); }
