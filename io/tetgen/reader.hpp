// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Reader of TetGen's and Triangle's meshes (TetGen User's Manual, "File formats"; Triangle's page of the
/// same name).

#include <tessera/io/detail/input_file.hpp>
#include <tessera/io/mesh_data.hpp>

#include <string>
#include <vector>

namespace tessera::io {

/// Reads NAME.node and NAME.ele, and NAME.face, or of two dimensions NAME.edge, if it is there; `path` names
/// the .node or the .ele file. Numbering from 0 or from 1; tetrahedra of 4 or 10 nodes, triangles of 3 or 6
/// (-o2).
///
/// The first attribute of a cell, an integer, is its material number. Nodes with boundary marker k,
/// other than 0, make the node set `marker<k>`, e.g. `marker3`; faces or edges with marker k make the side
/// set `marker<k>` and add their nodes to the node set. \throws FileError with file and line if a file cannot
/// be read, is damaged, or refers to a node that is not there.
MeshData read_tetgen(const std::string& path, const ReadOptions& options = {});

/// The files that read_tetgen reads, whether they are there or not.
std::vector<std::string> files_of_tetgen(const std::string& path);

} // namespace tessera::io
