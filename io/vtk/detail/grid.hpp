// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// From meshes to VTK's grids. Includes VTK, so only sources named vtk_* may include it.

#include <tessera/io/detail/mesh_arrays.hpp>

#include <vtkDoubleArray.h>
#include <vtkNew.h>
#include <vtkUnstructuredGrid.h>

#include <cstddef>
#include <span>
#include <string_view>

namespace tessera::io {

/// How the names of arrays of a file begin that hold its sets: nodes, or cell and side.
inline constexpr std::string_view node_set_prefix = "node_set:", side_set_prefix = "side_set:";

/// `items x components` values as `items x 3` where there are two components, else as they are (borrowed).
vtkNew<vtkDoubleArray> to_vtk_array(std::span<const double> values, std::size_t items,
                                    std::size_t components);

/// The grid of a mesh, which borrows the mesh's arrays, but the nodes of cells that VTK numbers otherwise.
/// Cells of order 1 and 2 become VTK's linear and (bi-, tri-) quadratic cells, others its Lagrange cells.
/// \throws ArgumentError that begins with `function` if the arrays' sizes do not fit or a node is out of
/// range
vtkNew<vtkUnstructuredGrid> to_vtk_grid(const MeshArrays& mesh, const char* function);

/// The same for blocks over the coordinates of the first: the cells of one after those of the one before.
/// Copies the cells of several.
vtkNew<vtkUnstructuredGrid> to_vtk_grid(std::span<const MeshArrays> blocks, const char* function);

} // namespace tessera::io
