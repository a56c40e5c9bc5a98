// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Reader of AVS' unstructured cell data (AVS Developer's Guide, "UCD file format"), in text.

#include <tessera/io/detail/input_file.hpp>
#include <tessera/io/mesh_data.hpp>

#include <string>

namespace tessera::io {

/// Whether a file begins as AVS UCD does: below comments five integers stand on a line.
/// \throws FileError if it cannot be read
bool begins_as_ucd(const std::string& path);

/// Reads a mesh of points, lines, triangles, quadrilaterals and linear solids. Materials keep their
/// numbers. Cells that are sides of others, and points and lines beside solids, with material k, other than
/// 0, make the node set `marker<k>` and, of sides, the side set `marker<k>`. Data on nodes and cells become
/// fields of their labels; data of the whole model are left out.
/// \throws FileError with file and line if the file cannot be read, is damaged, or
///         refers to a node that is not there
MeshData read_ucd(const std::string& path, const ReadOptions& options = {});

} // namespace tessera::io
