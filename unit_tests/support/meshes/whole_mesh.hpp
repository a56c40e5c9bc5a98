// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Whether what a reader gave holds together.

#include <tessera/io/mesh_data.hpp>

#include <cmath>
#include <cstddef>
#include <string>

namespace tessera::test {

/// What is wrong with a block of a mesh of so many nodes; empty if nothing is.
inline std::string flaw_of(const io::CellBlock& block, Ordinal nodes) {
  const auto cells = static_cast<std::size_t>(block.cells());
  if (block.nodes.size() != cells * static_cast<std::size_t>(block.type.nodes()))
    return "number of cells' nodes";
  if (block.ids.size() != block.cells()) return "number of cells' numbers";
  for (const Ordinal node : block.nodes)
    if (node < 0 || node >= nodes) return "node of a cell";
  for (const auto& [name, set] : block.cell_sets)
    for (const io::CellRange& range : set)
      if (range.first < 0 || range.count <= 0 || range.first > block.cells() - range.count)
        return "cell set '" + name + "'";
  for (const auto& [name, set] : block.side_sets)
    for (const io::Side& side : set)
      if (side.cell < 0 || side.cell >= block.cells() || side.side < 0 || side.side >= block.type.sides())
        return "side set '" + name + "'";
  return "";
}

/// Whether two readings of a mesh hold the same nodes, cells, materials and sets.
inline bool same(const io::MeshData& a, const io::MeshData& b) {
  if (a.points != b.points || a.node_sets != b.node_sets || a.blocks.size() != b.blocks.size()) return false;
  for (std::size_t i = 0; i < a.blocks.size(); ++i) {
    const io::CellBlock &x = a.blocks[i], &y = b.blocks[i];
    if (x.type != y.type || x.nodes != y.nodes || x.material != y.material || x.cell_sets != y.cell_sets ||
        x.side_sets != y.side_sets)
      return false;
  }
  return true;
}

/// What is wrong with a mesh; empty if every index in it is in its range and every coordinate finite.
inline std::string flaw_of(const io::MeshData& data) {
  if (data.points.size() != 3 * static_cast<std::size_t>(data.node_ids.size())) return "number of nodes";
  for (const double x : data.points)
    if (!std::isfinite(x)) return "coordinate";
  for (const auto& [name, set] : data.node_sets)
    for (const Ordinal node : set)
      if (node < 0 || node >= data.nodes()) return "node set '" + name + "'";
  for (const io::CellBlock& block : data.blocks)
    if (const std::string flaw = flaw_of(block, data.nodes()); !flaw.empty())
      return flaw + " of the " + block.type.name() + " cells";
  return "";
}

} // namespace tessera::test
