// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/error.hpp>
#include <tessera/io/detail/cell_groups.hpp>
#include <tessera/io/detail/left_out.hpp>
#include <tessera/io/detail/side_matching.hpp>
#include <tessera/io/detail/text.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace tessera::io {

namespace {

void add_cell_sets(MeshData& data, const CellGroup& group) {
  data.material_names[group.number] = group.name;
  for (const auto& [type, ranges] : group.cells) {
    CellSet& set = data.find(type)->cell_sets[group.name];
    set.insert(set.end(), ranges.begin(), ranges.end());
    normalize(set);
  }
}

void add_node_set(MeshData& data, const CellGroup& group) {
  std::vector<Ordinal>& set = data.node_sets[group.name];
  for (const auto& [type, ranges] : group.cells) {
    const CellBlock& block = *data.find(type);
    const auto nodes = static_cast<std::ptrdiff_t>(type.nodes());
    for (const CellRange& range : ranges) {
      const auto first = block.nodes.begin() + range.first * nodes;
      set.insert(set.end(), first, first + range.count * nodes);
    }
  }
  std::sort(set.begin(), set.end());
  set.erase(std::unique(set.begin(), set.end()), set.end());
}

/// Appends the corners of each cell of a group as match_sides takes them.
void append_corners(const MeshData& data, const CellGroup& group, std::vector<Ordinal>& corners) {
  for (const auto& [type, ranges] : group.cells) {
    const CellBlock& block = *data.find(type);
    for (const CellRange& range : ranges)
      for (Ordinal cell = range.first; cell < range.first + range.count; ++cell) {
        const auto first = block.nodes.begin() + std::ptrdiff_t{cell} * type.nodes();
        std::copy_n(first, type.corners(), std::back_inserter(corners));
        corners.insert(corners.end(), static_cast<std::size_t>(4 - type.corners()), -1);
      }
  }
}

/// Cell `number` of a group, counted from 0 in the order of append_corners, as a message names it.
std::string describe_cell(const MeshData& data, const CellGroup& group, Ordinal number) {
  for (const auto& [type, ranges] : group.cells)
    for (const CellRange& range : ranges) {
      if (number < range.count) {
        const CellBlock& block = *data.find(type);
        const auto nodes = static_cast<std::size_t>(type.nodes());
        const Ordinal cell = range.first + number;
        return element_name(block.ids, data.node_ids, cell,
                            std::span(block.nodes).subspan(static_cast<std::size_t>(cell) * nodes, nodes));
      }
      number -= range.count;
    }
  return {};
}

[[noreturn]] void refuse_partial(const MeshData& data, const CellGroup& group,
                                 std::span<const std::optional<SideOf>> sides, std::size_t missing) {
  const auto first = std::find(sides.begin(), sides.end(), std::nullopt) - sides.begin();
  throw FileError(
      data.source, 0,
      "group " + in_quotes(group.name) + " has " + std::to_string(sides.size()) + " sides, of which " +
          std::to_string(missing) + " are sides of no cell, the first " +
          describe_cell(data, group, static_cast<Ordinal>(first)) +
          "; repair them, or accept the group as a set of nodes alone with ReadOptions::allow_partial "
          "(--allow-partial)");
}

} // namespace

std::string group_name(int dimension, std::int32_t number) {
  static constexpr const char* kinds[] = {"point", "curve", "surface", "volume"};
  return kinds[dimension] + std::to_string(number);
}

void add_groups(MeshData& data, const std::vector<CellGroup>& groups, const ReadOptions& options) {
  const int dimension = data.dimension();
  std::vector<Ordinal> corners;
  std::vector<std::pair<const CellGroup*, std::size_t>> side_groups; // with the end of its sides
  for (const CellGroup& group : groups) {
    if (group.dimension == dimension) {
      add_cell_sets(data, group);
      continue;
    }
    add_node_set(data, group);
    if (group.dimension != dimension - 1) continue;
    append_corners(data, group, corners);
    side_groups.emplace_back(&group, corners.size() / 4);
  }
  const std::vector<std::optional<SideOf>> sides = match_sides(data, corners);
  std::size_t first = 0;
  LeftOut left_out;
  for (const auto& [group, last] : side_groups) {
    const auto of_group = std::span(sides).subspan(first, last - first);
    const std::size_t missing = add_side_set(data, group->name, of_group);
    if (missing > 0 && missing < of_group.size()) {
      if (!options.allow_partial) refuse_partial(data, *group, of_group, missing);
      left_out.add("sides of group " + in_quotes(group->name) + ", a set of nodes alone, as " +
                       std::to_string(missing) + " are sides of no cell",
                   static_cast<std::int64_t>(of_group.size()));
    }
    first = last;
  }
  left_out.tell(data.source, options.left_out);
}

} // namespace tessera::io
