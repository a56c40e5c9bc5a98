// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Fields and sets of VTK's grids. Includes VTK, so only sources in io/vtk may include it.

#include <tessera/io/detail/left_out.hpp>
#include <tessera/io/mesh_data.hpp>

#include <vtkDataArray.h>
#include <vtkUnstructuredGrid.h>

#include <string_view>

namespace tessera::io {

/// Keeps the arrays of numbers on the points and cells of a grid, whose cells are in `data` by their numbers.
/// \param materials the array of the cells' materials, which is left out, or nullptr
void read_grid_fields(vtkUnstructuredGrid* grid, vtkDataArray* materials, MeshData& data);

/// Reads the sets that write_vtu writes. Where cells are left out, sides of theirs are so, too.
/// \throws FileError for one that names what is not there
void read_grid_sets(vtkUnstructuredGrid* grid, MeshData& data, LeftOut& left_out);

/// Whether an array of a file holds such a set.
bool is_grid_set(std::string_view array) noexcept;

} // namespace tessera::io
