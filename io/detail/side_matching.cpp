// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/elements/detail/turn.hpp>
#include <tessera/io/detail/side_matching.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace tessera::io {

namespace {

struct Entry {
  SideKey key;
  std::size_t side;
};

} // namespace

SideKey side_key(std::span<const Ordinal> corners) {
  SideKey key;
  std::copy(corners.begin(), corners.end(), key.corners.begin());
  std::sort(key.corners.begin(), key.corners.end());
  key.turn = tessera::detail::turn_of(corners);
  return key;
}

std::vector<std::optional<SideOf>> match_sides(const MeshData& data, std::span<const Ordinal> corners) {
  std::vector<std::optional<SideOf>> found(corners.size() / 4);
  std::vector<Entry> entries;
  entries.reserve(found.size());
  std::vector<bool> settled(found.size(), false);
  std::vector<bool> on_side(static_cast<std::size_t>(data.nodes()), false);
  for (std::size_t side = 0; side < found.size(); ++side) {
    auto of_side = corners.subspan(4 * side, 4);
    of_side = of_side.first(
        static_cast<std::size_t>(std::find(of_side.begin(), of_side.end(), -1) - of_side.begin()));
    for (const Ordinal node : of_side) on_side[static_cast<std::size_t>(node)] = true;
    entries.push_back({side_key(of_side), side});
  }
  const auto less = [](const Entry& a, const Entry& b) { return a.key.corners < b.key.corners; };
  std::sort(entries.begin(), entries.end(), less);

  const int dimension = data.dimension();
  std::size_t left = found.size(); // that may be found yet, or turned the right way
  for (std::size_t b = 0; b < data.blocks.size() && left > 0; ++b) {
    const CellBlock& block = data.blocks[b];
    if (block.type.dimension() != dimension) continue;
    const auto nodes = static_cast<std::size_t>(block.type.nodes());
    for (Ordinal cell = 0; cell < block.cells() && left > 0; ++cell) {
      const Ordinal* node = block.nodes.data() + static_cast<std::size_t>(cell) * nodes;
      unsigned marked = 0;
      for (int corner = 0; corner < block.type.corners(); ++corner)
        marked |= static_cast<unsigned>(on_side[static_cast<std::size_t>(node[corner])]) << corner;
      if (marked == 0) continue;
      for (int side = 0; side < block.type.sides(); ++side) {
        std::array<Ordinal, 4> of_side{};
        bool all = true;
        std::size_t k = 0;
        for (const int corner : block.type.side_corners(side)) {
          all = all && (marked >> corner & 1u) != 0;
          of_side[k++] = node[corner];
        }
        if (!all) continue;
        const Entry wanted{side_key(std::span(of_side).first(k)), 0};
        const auto [first, last] = std::equal_range(entries.begin(), entries.end(), wanted, less);
        for (auto entry = first; entry != last; ++entry) {
          const bool turned = entry->key.turn == wanted.key.turn;
          if (found[entry->side] && (settled[entry->side] || !turned)) continue;
          found[entry->side] = SideOf{b, {cell, side}};
          settled[entry->side] = turned;
          left -= turned ? 1 : 0;
        }
      }
    }
  }
  return found;
}

std::size_t add_side_set(MeshData& data, const std::string& name,
                         std::span<const std::optional<SideOf>> sides) {
  const auto missing = static_cast<std::size_t>(std::count(sides.begin(), sides.end(), std::nullopt));
  if (missing > 0) return missing;
  for (const std::optional<SideOf>& side : sides)
    data.blocks[side->block].side_sets[name].push_back(side->side);
  for (CellBlock& block : data.blocks) {
    const auto set = block.side_sets.find(name);
    if (set == block.side_sets.end()) continue;
    std::sort(set->second.begin(), set->second.end());
    set->second.erase(std::unique(set->second.begin(), set->second.end()), set->second.end());
  }
  return 0;
}

} // namespace tessera::io
