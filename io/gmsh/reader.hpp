// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Reader of Gmsh meshes (Gmsh Reference Manual, "MSH file format").

#include <tessera/io/detail/input_file.hpp>
#include <tessera/io/mesh_data.hpp>

#include <string>

namespace tessera::io {

/// Reads a Gmsh file of version 2, 2.1, 2.2, 3 with the sections of 2.2, or 4.1, text or binary of either
/// byte order, or of version 1 or 4.0 in text.
///
/// Physical groups become sets under their names; an unnamed group is called `point`, `curve`, `surface` or
/// `volume` with its number, e.g. `surface4`. Groups of the mesh's highest dimension are cell sets, and the
/// number of a cell's first group is its material number. Groups of lower dimension are node sets, and those
/// of sides (surfaces around solids, curves around faces) side sets as well, unless none of their cells is a
/// side of a cell of the highest dimension; a group of which only some are is refused unless
/// ReadOptions::allow_partial. Sections other than the mesh's own (fields, periodicity) are
/// passed over.
///
/// Memory: the mesh, and besides it about as much as the parts of it that are sides or are not numbered in
/// order. \throws FileError with file and line (binary: with the byte) if the file cannot be read, is
/// damaged, refers to a
///         node that it does not define, holds an element type that is not supported, or more than 2^31-1
///         nodes or cells.
MeshData read_gmsh(const std::string& path, const ReadOptions& options = {});

} // namespace tessera::io
