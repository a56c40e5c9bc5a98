// SPDX-License-Identifier: BSD-3-Clause
#include "report.hpp"

#include <tessera/distributed/mesh/detail/box_blocks.hpp>
#include <tessera/io/output_file.hpp>
#include <tessera/strategies/best/machine.hpp>

#include <Kokkos_Core.hpp>

#include "support/report/records.hpp"
#include "support/report/report.hpp"
#include <algorithm>
#include <cstdio>

namespace tessera::ranks {

namespace {

using tools::number;

Line line_of(MPI_Comm ranks, const Row& row) {
  const auto all = [ranks](auto mine) { return extremes(ranks, static_cast<double>(mine)); };
  return {.part = row.part,
          .what = row.what,
          .elements = all(row.elements),
          .ghost_elements = all(row.elements - row.owned_elements),
          .nodes = all(row.nodes),
          .ghost_nodes = all(row.nodes - row.owned_nodes),
          .mesh_seconds = all(row.mesh_seconds),
          .system_seconds = all(row.system_seconds),
          .plan_seconds = all(row.plan_seconds),
          .bytes = all(row.bytes),
          .median = median(row.seconds),
          .least = *std::min_element(row.seconds.begin(), row.seconds.end()),
          .most = *std::max_element(row.seconds.begin(), row.seconds.end()),
          .iterations = row.iterations};
}

/// Rates of a rank beside those on the fewest ranks.
void compare(const Settings& settings, std::vector<Line>& lines) {
  for (Line& line : lines) {
    if (line.part != "ranks") continue;
    const auto first = std::ranges::find_if(
        lines, [&](const Line& other) { return other.part == line.part && other.what == line.what; });
    const double work = settings.strong ? double(first->ranks) / line.ranks : 1;
    line.kept = work * first->median / line.median;
  }
}

tools::Fields<Line> fields(const Settings& settings) {
  tools::Fields<Line> all{{"problem", true, [&](const Line&) { return settings.problem; }},
                          {"scaling", true, [&](const Line&) { return settings.strong ? "strong" : "weak"; }},
                          {"part", true, [](const Line& l) { return l.part; }},
                          {"ranks", false, [](const Line& l) { return std::to_string(l.ranks); }},
                          {"what", true, [](const Line& l) { return l.what; }},
                          {"seconds_median", false, [](const Line& l) { return number(l.median); }},
                          {"seconds_min", false, [](const Line& l) { return number(l.least); }},
                          {"seconds_max", false, [](const Line& l) { return number(l.most); }},
                          {"ns_per_element", false, [](const Line& l) { return number(l.ns_per_element); }},
                          {"iterations", false, [](const Line& l) { return std::to_string(l.iterations); }},
                          {"kept", false, [](const Line& l) { return number(l.kept); }}};
  const auto add = [&](const char* least, const char* most, Extremes Line::* member) {
    all.push_back({least, false, [member](const Line& l) { return number((l.*member).least); }});
    all.push_back({most, false, [member](const Line& l) { return number((l.*member).most); }});
  };
  add("elements_min", "elements_max", &Line::elements);
  add("ghost_elements_min", "ghost_elements_max", &Line::ghost_elements);
  add("nodes_min", "nodes_max", &Line::nodes);
  add("ghost_nodes_min", "ghost_nodes_max", &Line::ghost_nodes);
  add("mesh_seconds_min", "mesh_seconds_max", &Line::mesh_seconds);
  add("system_seconds_min", "system_seconds_max", &Line::system_seconds);
  add("plan_seconds_min", "plan_seconds_max", &Line::plan_seconds);
  add("bytes_min", "bytes_max", &Line::bytes);
  return all;
}

void print(const Settings& settings, const std::vector<Line>& lines) {
  std::printf("%s on %s, %s scaling, %d cells of %s along each axis; least and most of the ranks\n",
              settings.problem.c_str(), Kokkos::DefaultExecutionSpace::name(),
              settings.strong ? "strong" : "weak", settings.cells, settings.strong ? "all" : "a rank");
  std::printf("%-6s %5s %-26s %10s %9s %6s %21s %21s %17s %17s %17s\n", "part", "ranks", "what", "ms",
              "ns/elem.", "kept", "elements", "ghost elements", "ghost nodes", "plan s", "MB");
  for (const Line& l : lines) {
    std::printf(
        "%-6s %5d %-26s %10.4f %9.4f %6s %10.0f %10.0f %10.0f %10.0f %8.0f %8.0f %8.3f %8.3f %8.1f %8.1f\n",
        l.part.c_str(), l.ranks, l.what.c_str(), 1e3 * l.median, l.ns_per_element,
        l.kept > 0 ? tools::format("%.3f", l.kept).c_str() : "", l.elements.least, l.elements.most,
        l.ghost_elements.least, l.ghost_elements.most, l.ghost_nodes.least, l.ghost_nodes.most,
        l.plan_seconds.least, l.plan_seconds.most, 1e-6 * l.bytes.least, 1e-6 * l.bytes.most);
  }
  for (const Line& l : lines)
    if (l.iterations > 0) std::printf("ranks %d, %s: %d iterations\n", l.ranks, l.what.c_str(), l.iterations);
  for (const Line& l : lines)
    for (const Line& alone : lines)
      if (l.part == "ranks" && alone.part == "alone" && l.what == alone.what && l.ranks == alone.ranks)
        std::printf("%s: %.1f %% longer than alone\n", l.what.c_str(), 100 * (l.median / alone.median - 1));
  std::string previous;
  for (const Line& l : lines) {
    const std::string part = l.part + ", " + std::to_string(l.ranks);
    if (part != previous)
      std::printf("%s: mesh %.3f to %.3f s, system %.3f to %.3f s\n", part.c_str(), l.mesh_seconds.least,
                  l.mesh_seconds.most, l.system_seconds.least, l.system_seconds.most);
    previous = part;
  }
}

} // namespace

std::array<int, 3> Settings::blocks(int ranks) const {
  const int n = strong ? cells : ranks; // any cube of which each has a share
  return slabs ? std::array<int, 3>{1, 1, ranks}
               : distributed::detail::choose_blocks({{n, n, n}, {1.0, 1.0, 1.0}}, 3, ranks);
}

io::Box Settings::box(int ranks) const {
  if (strong) return {{cells, cells, cells}, {1.0, 1.0, 1.0}};
  io::Box all;
  for (std::size_t d = 0; d < 3; ++d) {
    all.cells[d] = cells * blocks(ranks)[d];
    all.lengths[d] = blocks(ranks)[d];
  }
  return all;
}

double Settings::elements(int ranks) const {
  const double of_cell = problem == "helmholtz" ? 6.0 : 1.0;
  return of_cell * cells * cells * cells * (strong ? 1 : ranks);
}

std::vector<Line> lines_of(MPI_Comm ranks, const Settings& settings, const std::vector<Row>& rows) {
  int size = 1;
  MPI_Comm_size(ranks, &size);
  std::vector<Line> lines;
  for (const Row& row : rows) {
    Line line = line_of(ranks, row);
    line.ranks = size;
    line.ns_per_element = 1e9 * line.median * size / settings.elements(size);
    lines.push_back(line);
  }
  return lines;
}

void report(const Settings& settings, std::vector<Line> lines, const std::string& command) {
  compare(settings, lines);
  print(settings, lines);
  if (settings.json.empty() && settings.report.empty()) return;
  using Space = Kokkos::DefaultExecutionSpace;
  const std::string json =
      tools::json_report(Space::name(), measure_machine(Space()), fields(settings), lines);
  if (!settings.json.empty()) io::write_file(settings.json, json);
  if (settings.report.empty()) return;
  const tools::Report page(settings.report);
  const std::string part = page.part("scaling.json");
  io::write_file(part, json);
  page.write_parts("Tessera: strategies on ranks", {"scaling:" + part + ':' + command});
}

} // namespace tessera::ranks
