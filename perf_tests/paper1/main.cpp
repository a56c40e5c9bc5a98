// SPDX-License-Identifier: BSD-3-Clause
// tessera-paper1: the tables and figures of paper 1, section 6, on this machine. See docs/papers/1.md.

#include <tessera/core/error.hpp>

#include <Kokkos_Core.hpp>

#include "heat.hpp"
#include "measure.hpp"
#include "report.hpp"
#include "support/options/options.hpp"
#include "support/report/records.hpp"
#include "support/report/result.hpp"
#include "support/run_tool.hpp"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>

namespace {

using namespace tessera;
using namespace tessera::tools;

/// Cells of boxes with about the nodes of the paper's eight meshes (Table VI).
constexpr Ordinal mesh_cells[8][2] = {{12, 13},   {24, 25},   {49, 50},   {97, 98},
                                      {194, 194}, {386, 386}, {774, 774}, {1548, 1548}};
/// Table VI's errors: all four methods of the paper agree.
constexpr double paper_error[8] = {TESSERA_PAPER1_TABLE6};

/// What was measured, in words.
std::string outcome(const Row& row) {
  if (!row.unsupported.empty()) return row.unsupported;
  if (row.seconds > 0)
    return std::to_string(row.ns_per_element()) + " ns per element, plan " +
           std::to_string(row.plan_seconds) + " s";
  if (row.part == "table6") return "error " + format("%.1e", row.error);
  if (row.part == "table4") return std::to_string(row.numbers[2]) + " numbers of element data";
  return "plan " + std::to_string(row.plan_seconds) + " s, " + std::to_string(row.plan_cpu_seconds) +
         " s of processor time";
}

struct Study {
  std::vector<std::string> parts{"table4", "table5", "table6", "figure3", "figure12", "figure13", "plans"};
  std::vector<std::string> strategies{"all"};
  std::vector<std::string> colors{"0", "8", "12", "16", "24", "32", "64", "128"};
  int meshes = 8, orders = max_order, figure3_elements = 4800000, figure13_unknowns = 1000000;
  double jitter = 0.1;
  Repetitions repetitions;
  std::vector<Row> rows;
  bool agrees = true;

  bool wants_part(const std::string& part) const {
    return std::find(parts.begin(), parts.end(), part) != parts.end();
  }
  template <class Strategy>
  bool wants() const {
    return std::find(strategies.begin(), strategies.end(), Strategy::name) != strategies.end();
  }

  void add(const std::string& part, Row row) {
    row.part = part;
    std::printf("%-9s %-23s %-8s order %d  %8lld nodes  %s\n", part.c_str(), row.strategy.c_str(),
                row.kernel.c_str(), row.order, static_cast<long long>(row.nodes), outcome(row).c_str());
    std::fflush(stdout);
    rows.push_back(std::move(row));
  }
};

template <class Visit>
void for_each_compared(const Visit& visit) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (visit(std::tuple_element_t<I, Compared>{}), ...);
  }(std::make_index_sequence<std::tuple_size_v<Compared>>());
}

/// Times Algorithm 1; leaves its result in `reference`.
template <int Order>
Row time_serial(const HeatProblem<Order>& problem, SerialAssembly<Order>& reference,
                const Repetitions& repetitions) {
  const auto seconds = time_repeatedly(
      Kokkos::DefaultHostExecutionSpace(), std::min(repetitions.count, 5), [&] { reference.run(); },
      repetitions.seconds);
  Row row;
  row.strategy = "Serial";
  row.order = Order;
  row.nodes = problem.mesh.num_nodes();
  row.elements = problem.mesh.num_elements();
  row.nonzeros = static_cast<std::int64_t>(problem.graph.num_entries());
  row.seconds = median(seconds);
  row.seconds_min = *std::min_element(seconds.begin(), seconds.end());
  return row;
}

/// The serial reference and every strategy on one mesh.
/// \param trivial whether the dummy kernel is timed, too, by the catalogue's options
template <int Order>
void time_all(Study& study, const std::string& part, const HeatProblem<Order>& problem, bool trivial) {
  SerialAssembly<Order> reference(problem);
  study.add(part, time_serial(problem, reference, study.repetitions));
  for_each_compared([&]<class Strategy>(const Strategy&) {
    if (!study.wants<Strategy>()) return;
    for (const auto& variant : as_in_the_paper<Strategy>()) {
      const Row row = time_heat(variant, problem, reference, study.repetitions);
      study.agrees = study.agrees && row.error < 1e-12;
      study.add(part, row);
      if (trivial && variant.name == Strategy::name && row.unsupported.empty())
        study.add(part, time_trivial<Strategy>(problem, study.repetitions));
    }
  });
}

void table6(Study& study) {
  for (int m = 0; m < study.meshes; ++m) {
    const auto [x, y] = mesh_cells[m];
    const HeatProblem<1> exact(x, y, study.jitter), rounded(x, y, study.jitter, true);
    SerialAssembly<1> reference(exact);
    reference.run();
    Row row;
    row.scalar = "float";
    row.nodes = exact.mesh.num_nodes();
    row.elements = exact.mesh.num_elements();
    row.nonzeros = static_cast<std::int64_t>(exact.graph.num_entries());
    for_each_compared([&]<class Strategy>(const Strategy&) {
      if (!study.wants<Strategy>()) return;
      row.strategy = Strategy::name;
      row.error = single_precision_error<Strategy>(rounded, reference);
      const double factor = row.error / paper_error[m];
      if (!(factor <= 2 && factor >= 0.5)) {
        study.agrees = false;
        std::printf("NOT within a factor of two of the paper's %.1e: ", paper_error[m]);
      }
      study.add("table6", row);
    });
  }
}

void figure3(Study& study) {
  const auto cells = static_cast<Ordinal>(std::lround(std::sqrt(study.figure3_elements / 2.0)));
  const HeatProblem<1> problem(cells, cells);
  SerialAssembly<1> reference(problem);
  reference.run();
  for (const std::string& colors : study.colors)
    for (auto variant : as_in_the_paper<assembly::ElementLocal>()) {
      variant.strategy.colors = static_cast<Ordinal>(to_number(colors, "--colors"));
      Row row = time_heat(variant, problem, reference, study.repetitions);
      row.colors = variant.strategy.colors;
      study.agrees = study.agrees && row.error < 1e-12;
      study.add("figure3", row);
    }
}

void plans(Study& study) {
  const auto cells = static_cast<Ordinal>(std::lround(std::sqrt(study.figure3_elements / 2.0)));
  const HeatProblem<1> problem(cells, cells);
  for_each_compared([&]<class Strategy>(const Strategy&) {
    if (!study.wants<Strategy>()) return;
    auto variants = variants_of<Strategy>();
    for (const auto& variant : as_in_the_paper<Strategy>())
      if (std::none_of(variants.begin(), variants.end(),
                       [&](const auto& v) { return v.name == variant.name; }))
        variants.push_back(variant);
    for (const auto& variant : variants) study.add("plans", time_plan(variant, problem));
  });
}

void figure12(Study& study) {
  for (int m = 0; m < study.meshes; ++m)
    time_all(study, "figure12", HeatProblem<1>(mesh_cells[m][0], mesh_cells[m][1]), false);
}

template <int Order>
void figure13(Study& study) {
  if (Order > study.orders) return;
  const double points = std::sqrt(static_cast<double>(study.figure13_unknowns));
  const Ordinal cells = std::max<Ordinal>(1, static_cast<Ordinal>(std::lround(points / Order)));
  time_all(study, "figure13", HeatProblem<Order>(cells, cells), true);
}

int run(int argc, char** argv) {
  Study study;
  std::string json_file;
  bool help = false;
  Options options("tessera-paper1: tables IV to VI and figures 3, 12, 13 and 14 of Cecka, Lew and Darve.");
  options.list("--parts", study.parts,
               "of table4, table5 (comes with figure13), table6, figure3, figure12, figure13, plans");
  options.list("--strategies", study.strategies, "names of the catalogue, or all");
  options.list("--colors", study.colors,
               "least numbers of colors for figure3; 0: as few as the coloring finds");
  options.count("--meshes", study.meshes, 1, "how many of the paper's eight meshes, from the smallest");
  options.count("--orders", study.orders, 1, "highest order in figure13");
  options.count("--figure3-elements", study.figure3_elements, 2, "size of the mesh of figure3 and plans");
  options.count("--figure13-unknowns", study.figure13_unknowns, 1,
                "nodes of the meshes of figure13, at every order");
  options.number("--jitter", study.jitter, "largest move of a node in table6, in units of a cell");
  options.count("--repetitions", study.repetitions.count, 1, "repetitions that count");
  options.number("--seconds", study.repetitions.seconds, "stop repeating after so long (three at least)");
  options.output("--json", json_file, "file for all results");
  options.flag("--help", help, "this text");
  options.parse(argc, argv);
  if (help) return std::printf("%s", options.help().c_str()), 0;
  if (study.meshes > 8) throw ArgumentError("--meshes: the paper has 8");
  const std::vector<std::string> known = Study().parts;
  study.parts = choose(study.parts, known, "part");
  std::vector<std::string> names;
  for_each_compared([&]<class Strategy>(const Strategy&) { names.push_back(Strategy::name); });
  study.strategies = choose(study.strategies, names, "strategy");

  const Machine machine = measure_machine(Kokkos::DefaultExecutionSpace());
  std::printf("%s: copy %.0f GB/s, multiply-add %.0f GFLOP/s\n", Kokkos::DefaultExecutionSpace::name(),
              machine.bytes_per_second * 1e-9, machine.flops_per_second * 1e-9);
  const auto write = [&] {
    if (!json_file.empty()) write_file(json_file, study_json(machine, study.rows));
  };
  if (study.wants_part("table4"))
    for (const Row& row : storage_rows()) study.add(row.part, row);
  // Written after each part, so that a run that is cut short leaves what it has.
  if (study.wants_part("table6")) table6(study), write();
  if (study.wants_part("figure12")) figure12(study), write();
  if (study.wants_part("figure13") || study.wants_part("table5")) {
    figure13<1>(study), write();
    figure13<2>(study), write();
    figure13<3>(study), write();
    figure13<4>(study), write();
    figure13<5>(study), write();
  }
  if (study.wants_part("figure3")) figure3(study), write();
  if (study.wants_part("plans")) plans(study);
  write();
  if (!study.agrees) std::cout << "NOT all results agree with the reference.\n";
  return study.agrees ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) { return tessera::tools::run_tool("tessera-paper1", run, argc, argv); }
