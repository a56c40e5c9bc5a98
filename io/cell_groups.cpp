#include <tessera/io/cell_groups.hpp>
#include <tessera/io/side_matching.hpp>

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

} // namespace

std::string group_name(int dimension, std::int32_t number) {
  static constexpr const char* kinds[] = {"point", "curve", "surface", "volume"};
  return kinds[dimension] + std::to_string(number);
}

void add_groups(MeshData& data, const std::vector<CellGroup>& groups) {
  const int dimension = data.dimension();
  std::vector<Ordinal> corners;
  std::vector<std::pair<std::string, std::size_t>> side_groups; // name, end of its sides
  for (const CellGroup& group : groups) {
    if (group.dimension == dimension) {
      add_cell_sets(data, group);
      continue;
    }
    add_node_set(data, group);
    if (group.dimension != dimension - 1) continue;
    append_corners(data, group, corners);
    side_groups.emplace_back(group.name, corners.size() / 4);
  }
  // A group that lies only in part on cells (say, on a shell beside a solid) stays a node set: a load on half
  // of it would be wrong without a word.
  const std::vector<std::optional<SideOf>> sides = match_sides(data, corners);
  std::size_t first = 0;
  for (const auto& [name, last] : side_groups) {
    add_side_set(data, name, std::span(sides).subspan(first, last - first));
    first = last;
  }
}

} // namespace tessera::io
