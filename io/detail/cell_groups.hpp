// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Groups of cells of any dimension, as several formats have them, turned into a mesh's sets.

#include <tessera/io/detail/input_file.hpp>
#include <tessera/io/mesh_data.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tessera::io {

/// Cells of one dimension that a file calls by one number and name.
struct CellGroup {
  int dimension = 0;
  std::int32_t number = 0;
  std::string name;
  std::map<CellType, CellSet> cells;
};

/// `point`, `curve`, `surface` or `volume` with the number, e.g. `surface4`: the name of a group that the
/// file does not name.
std::string group_name(int dimension, std::int32_t number);

/// Adds the groups' sets to the mesh: groups of its highest dimension become cell sets and material names,
/// groups of lower dimension node sets, and those of sides side sets too, unless none of their cells is a
/// side of a cell of the highest dimension, as those of a shell beside a solid.
/// \throws FileError naming the first cell that is no side in a group where others are, unless
///         ReadOptions::allow_partial, which leaves such groups node sets and tells: a load on half of it
///         would be wrong without a word
void add_groups(MeshData& data, const std::vector<CellGroup>& groups, const ReadOptions& options);

} // namespace tessera::io
