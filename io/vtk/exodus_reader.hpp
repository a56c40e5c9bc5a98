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
/// Read are spheres, bars of 2 and 3 nodes, triangles of 3 and 6, quadrilaterals and shells of 4 and 9,
/// tetrahedra of 4 and 10, and hexahedra of 8 and 27 nodes. Results are passed over. The Exodus library reads
/// in a child process (see read_in_child), because damaged files can crash it.
///
/// \throws FileError if the file cannot be read, is damaged, holds elements of other types (the message
///         names the block), side sets on faces of shells, or more than 2^31-1 nodes or cells
MeshData read_exodus(const std::string& path, const ReadOptions& options = {});

} // namespace tessera::io
