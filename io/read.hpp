// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// One entry for all mesh files.

#include <tessera/io/detail/input_file.hpp>
#include <tessera/io/mesh_data.hpp>

#include <string>
#include <vector>

namespace tessera::io {

/// Reads a mesh of any format that is known: Gmsh (.msh), Abaqus and CalculiX decks (.inp), AVS UCD
/// (.inp), TetGen and Triangle (.node, .ele), and, in a library built with VTK, VTK's unstructured grids
/// (.vtk, .vtu) and Exodus II (.e, .exo and others). The format follows from how the file begins, whatever it
/// is called, and where that does not tell, from the extension.
///
/// \throws FileError as the format's reader, or if the format is none of these (the message lists them) or
///         needs VTK where that is not
MeshData read_mesh_data(const std::string& path, const ReadOptions& options = {});

/// The files that read_mesh_data reads for a path: itself, what a deck includes, TetGen's other files. A path
/// that cannot be read, or is no mesh, stands for itself.
std::vector<std::string> files_of_mesh(const std::string& path);

} // namespace tessera::io
