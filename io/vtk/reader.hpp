// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Readers of VTK's unstructured grids. They need a library built with VTK.

#include <tessera/io/detail/input_file.hpp>
#include <tessera/io/mesh_data.hpp>

#include <string>

namespace tessera::io {

/// Reads an unstructured grid of VTK's legacy format (.vtk), text or binary.
///
/// Cells of every supported type may stand together, each type becomes a block. A cell field `material`, as
/// write_vtu makes it, or else `CellEntityIds` (Gmsh) or `MaterialIds`, gives the material numbers. The cells
/// of one number make a set, called as the file names it (see write_vtu), else `volume`, `surface`, `curve`
/// or `point` with the number: of the highest dimension a cell set, of lower dimension a node set, and of
/// sides a side set too. The sets of write_vtu come back under their names. Arrays of numbers on the points
/// and cells become fields, in double precision; of plane cells without a third component that is zero
/// everywhere, as write_vtu adds it. Nodes and cells have VTK's numbers, from 0 on.
///
/// VTK itself does not survive every damaged file, so that it reads in a child process, within bounds of
/// memory and time (see read_in_child).
///
/// Memory: VTK's grid, and a mesh of the same size; then that mesh and its copy in the calling process.
///
/// \throws FileError if the file cannot be read, is damaged, crashes VTK, holds no unstructured grid, cells
/// of other
///         types, which the message lists, a coordinate that is not finite, a material number that is no
///         32-bit integer, or more than 2^31-1 nodes or cells
MeshData read_vtk(const std::string& path, const ReadOptions& options = {});

/// Reads an unstructured grid of VTK's XML format (.vtu), in every encoding, as read_vtk.
/// \throws FileError as read_vtk
MeshData read_vtu(const std::string& path, const ReadOptions& options = {});

} // namespace tessera::io
