#include "report.hpp"

#include <tessera/core/error.hpp>
#include <tessera/io/output_file.hpp>

#include <Kokkos_Core.hpp>

#include <tessera/strategies/best/machine.hpp>
#include "support/records.hpp"
#include <algorithm>
#include <cstdio>
#include <mpi.h>

namespace tessera::ranks {

namespace {

using tessera::median;
using tools::number;

/// Least and most of the ranks.
struct Extremes {
  double least, most;
};

Extremes extremes(double mine) {
  double both[2] = {-mine, mine};
  MPI_Allreduce(MPI_IN_PLACE, both, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return {-both[0], both[1]};
}

struct Line {
  std::string part, what;
  Extremes elements, ghost_elements, nodes, ghost_nodes, mesh_seconds, system_seconds, plan_seconds, bytes;
  double median, least, most, ns_per_owned_element;
};

Line line_of(const Row& row) {
  Line line{row.part,
            row.what,
            extremes(row.elements),
            extremes(row.elements - row.owned_elements),
            extremes(row.nodes),
            extremes(row.nodes - row.owned_nodes),
            extremes(row.mesh_seconds),
            extremes(row.system_seconds),
            extremes(row.plan_seconds),
            extremes(static_cast<double>(row.bytes)),
            median(row.seconds),
            *std::min_element(row.seconds.begin(), row.seconds.end()),
            *std::max_element(row.seconds.begin(), row.seconds.end()),
            0};
  return line;
}

tools::Fields<Line> fields() {
  tools::Fields<Line> all{
      {"part", true, [](const Line& l) { return l.part; }},
      {"what", true, [](const Line& l) { return l.what; }},
      {"seconds_median", false, [](const Line& l) { return number(l.median); }},
      {"seconds_min", false, [](const Line& l) { return number(l.least); }},
      {"seconds_max", false, [](const Line& l) { return number(l.most); }},
      {"ns_per_element", false, [](const Line& l) { return number(l.ns_per_owned_element); }}};
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
  std::printf(
      "%s, %d x %d x %d ranks on %s, %d cells of a rank along each axis; least and most of the ranks\n",
      settings.problem.c_str(), settings.blocks[0], settings.blocks[1], settings.blocks[2],
      Kokkos::DefaultExecutionSpace::name(), settings.cells);
  std::printf("%-6s %-26s %10s %9s %21s %21s %17s %17s %17s\n", "part", "what", "ms", "ns/elem.", "elements",
              "ghost elements", "ghost nodes", "plan s", "MB");
  for (const Line& l : lines) {
    std::printf("%-6s %-26s %10.4f %9.4f %10.0f %10.0f %10.0f %10.0f %8.0f %8.0f %8.3f %8.3f %8.1f %8.1f\n",
                l.part.c_str(), l.what.c_str(), 1e3 * l.median, l.ns_per_owned_element, l.elements.least,
                l.elements.most, l.ghost_elements.least, l.ghost_elements.most, l.ghost_nodes.least,
                l.ghost_nodes.most, l.plan_seconds.least, l.plan_seconds.most, 1e-6 * l.bytes.least,
                1e-6 * l.bytes.most);
  }
  for (const Line& l : lines)
    for (const Line& alone : lines)
      if (l.part == "ranks" && alone.part == "alone" && l.what == alone.what)
        std::printf("%s: %.1f %% longer than alone\n", l.what.c_str(), 100 * (l.median / alone.median - 1));
  for (const auto* part : {"ranks", "alone"})
    for (const Line& l : lines)
      if (l.part == part) {
        std::printf("%s: mesh %.3f to %.3f s, system %.3f to %.3f s\n", part, l.mesh_seconds.least,
                    l.mesh_seconds.most, l.system_seconds.least, l.system_seconds.most);
        break;
      }
}

} // namespace

void report(const Settings& settings, const std::vector<Row>& rows) {
  std::vector<Line> lines;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  // What a rank has to do: its block, whose elements it would have alone.
  const double block = settings.problem == "helmholtz" ? 6.0 : 1.0;
  const double owned = block * settings.cells * settings.cells * settings.cells;
  for (const Row& row : rows) {
    Line line = line_of(row);
    line.ns_per_owned_element = 1e9 * line.median / owned;
    lines.push_back(line);
  }
  if (rank != 0) return;
  print(settings, lines);
  if (settings.json.empty()) return;
  using Space = Kokkos::DefaultExecutionSpace;
  io::write_file(settings.json,
                 tools::json_report(Space::name(), tessera::measure_machine(Space()), fields(), lines));
}

} // namespace tessera::ranks
