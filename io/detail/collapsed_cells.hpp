// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Cells that name a node twice because they have fewer corners than their type.

#include <tessera/io/detail/cell_groups.hpp>
#include <tessera/io/detail/input_file.hpp>
#include <tessera/io/mesh_data.hpp>

#include <cstddef>
#include <vector>

namespace tessera::io {

/// How many cells of a block became cells of another.
struct CollapsedCells {
  CellType from, to;
  Ordinal cells = 0;
  std::size_t lost_sides = 0; ///< of side sets, which are no sides any more but edges or points
};

/// Makes of each cell that names nodes twice the one that it is: of a quadrilateral a triangle, of a
/// hexahedron a wedge, a pyramid or a tetrahedron, of a wedge a pyramid or a tetrahedron, of a pyramid a
/// tetrahedron; of first order, and of second order without nodes inside faces, where the nodes on edges that
/// fall together do so too. Sides of sets stay where they are, with the numbers of the new type, and cells
/// stand behind those that the new type's block has. Cells that are nothing of the kind, such as a hexahedron
/// with seven corners, stay as they are, for Mesh to refuse. Takes the cells of `groups` along.
std::vector<CollapsedCells> collapse_cells(MeshData& data, std::vector<CellGroup>& groups);

/// The same where ReadOptions::collapsed is given, which then hears of it. To be called by readers where
/// `turn_cells` is, and before it.
void collapse_cells(MeshData& data, std::vector<CellGroup>& groups, const ReadOptions& options);
/// The same without groups.
void collapse_cells(MeshData& data, const ReadOptions& options);

} // namespace tessera::io
