// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Finds the sides of cells that a file names by their nodes.

#include <tessera/io/mesh_data.hpp>

#include <array>
#include <compare>
#include <optional>
#include <span>
#include <vector>

namespace tessera::io {

/// A side, whichever cell it is of, and which way round its corners go.
struct SideKey {
  std::array<Ordinal, 4> corners{-1, -1, -1, -1}; ///< ascending, -1 first where there are fewer than four
  Ordinal turn = 0;                               ///< as `tessera::detail::turn_of`
  friend auto operator<=>(const SideKey&, const SideKey&) = default;
  friend bool operator==(const SideKey&, const SideKey&) = default; // nvcc does not derive it
};

/// The key of the side with the given corners, one after the other.
SideKey side_key(std::span<const Ordinal> corners);

/// Where a side lies: side of a cell of a block of MeshData::blocks.
struct SideOf {
  std::size_t block = 0;
  Side side;
};

/// For each of the given sides the cell of which it is a side, or nothing. `corners` holds four node indices
/// per side, the unused ones -1 at the end; on the boundary in any order. A side between two cells is given
/// to the one that the normal of its corners, by the right-hand rule, points out of (of an edge, the cell at
/// its left), so that neighbours that a file turns alike lie on cells at one side of it; where the corners go
/// round neither way, to the first in the order of the blocks and of the file. Takes time in proportion to
/// the cells, and memory in proportion to the sides asked for and one bit per node.
std::vector<std::optional<SideOf>> match_sides(const MeshData& data, std::span<const Ordinal> corners);

/// Adds to the blocks of MeshData the side set `name` of the given sides (as in match_sides).
/// Returns how many of them are sides of no cell; the set is added only if there are none.
std::size_t add_side_set(MeshData& data, const std::string& name,
                         std::span<const std::optional<SideOf>> sides);

} // namespace tessera::io
