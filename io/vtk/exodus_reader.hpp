// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Reader of Exodus II meshes, through the Exodus library that comes with VTK. It needs a library built with
/// VTK.

#include <tessera/io/detail/input_file.hpp>
#include <tessera/io/mesh_data.hpp>

#include <string>

namespace tessera::io {

/// Reads an Exodus II file (Mills-Curran, Gilkes, Flanagan: "EXODUS II: A Finite Element Data Model",
/// SAND92-2137).
///
/// Element blocks become materials under the blocks' numbers, and cell sets under their names; node sets and
/// side sets keep their names. What has no name is called `block`, `nodeset` or `sideset` with its number.
/// Read are spheres, bars of 2 and 3 nodes, triangles of 3 and 6, quadrilaterals and shells of 4, 8 and 9,
/// tetrahedra of 4 and 10, hexahedra of 8, 20 and 27, wedges of 6 and pyramids of 5 nodes. Results are passed
/// over. The Exodus library reads in a child process (see read_in_child), because damaged files can crash it.
///
/// Sides 1 and 2 of SHELL, and in three dimensions of TRI, are its faces, and its edges begin at 3. Programs
/// differ about QUAD in three dimensions and TRISHELL in two: where a side beyond the number of edges stands
/// in the file, they are numbered as shells, else their sides are refused. Faces of shells are taken for
/// those of the solids that they lie on.
///
/// \throws FileError if the file cannot be read, is damaged, holds elements of other types (the message
///         names the block), or more than 2^31-1 nodes or cells; for side sets with sides that programs
///         number differently; for side sets with faces of shells that lie on no solid, unless
///         ReadOptions::allow_partial, which leaves them out
MeshData read_exodus(const std::string& path, const ReadOptions& options = {});

} // namespace tessera::io
