// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// VTK's types of cells, and how they number their nodes.

#include <tessera/io/detail/cell_type.hpp>
#include <tessera/io/detail/node_order.hpp>

#include <optional>

namespace tessera::io {

/// The VTK type that a cell is written as: the linear and (bi-, tri-) quadratic cells, and Lagrange cells
/// from order three on.
int vtk_type(CellType type) noexcept;

/// Where each place of a cell of `vtk_type(type)` has its node; empty where VTK numbers as this library.
NodeOrder vtk_order(CellType type) noexcept;

/// A VTK cell that this library reads.
struct VtkCell {
  CellType type;
  NodeOrder order; ///< empty where VTK numbers as this library
};

/// What a VTK cell of a type and a number of nodes is, or nothing if it is not supported. Lagrange cells of
/// orders one and two, pixels and voxels are read as well as the types that are written.
std::optional<VtkCell> vtk_cell(int vtk_type, std::int64_t nodes) noexcept;

} // namespace tessera::io
