// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Side sets of Exodus files, whose sides have numbers that depend on the kind of their element.

#include <tessera/io/detail/input_file.hpp>
#include <tessera/io/mesh_data.hpp>
#include <tessera/io/vtk/detail/exodus_types.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace tessera::io {

/// Where the elements of a block of the file went.
struct ExodusPlace {
  std::int64_t first = 0; ///< element, counted from 0 in the file
  CellType type;
  Ordinal cell = 0; ///< of the first element, in the block of its type
  ExodusEdges edges = ExodusEdges::from_one;
  bool left_out = false; ///< the file's elements are of a kind that is not known
};

/// A set's entries, counted from 1 in the file.
struct ExodusSet {
  std::string name;
  std::vector<std::int64_t> items;
  std::vector<std::int64_t> sides; ///< of side sets
};

/// Adds side sets to a mesh that has its cells, and turns these where that is asked for (see turn_cells).
/// Faces of shells are those of the solids that they lie on.
/// \param places   in the order of the file
/// \param elements of the file
/// \throws FileError for elements and sides that are not there; for sides of plane elements that programs
///         number differently and for faces of shells that are sides of no solid, unless
///         ReadOptions::leaves_out_others, which leaves such sets out; and as turn_cells
void add_exodus_side_sets(MeshData& data, std::vector<ExodusPlace> places, std::int64_t elements,
                          const std::vector<ExodusSet>& sets, const ReadOptions& options);

} // namespace tessera::io
