// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Cells whose nodes a file numbers the other way round.

#include <tessera/io/detail/input_file.hpp>
#include <tessera/io/mesh_data.hpp>

namespace tessera::io {

/// Turns round the cells of the highest dimension whose nodes are numbered the other way round: those of
/// which the Jacobian is negative at every corner, be it one cell or all. The first two reference axes change
/// places, and sides of sets keep their corners. A block of faces is looked at where all of it lies in a
/// plane z = constant. Cells that are flat or folded stay as they are, for Mesh to refuse. Returns how many
/// were turned.
/// \throws MeshError, naming both, if a turned cell and a neighbour lie at one side of the face between them:
///         then it is the nodes' places that are wrong and not their order
Ordinal turn_cells(MeshData& data);

/// The same where ReadOptions::turned is given, which then hears of it. To be called by readers after sides
/// that a file names by their numbers, and before those that it names by their nodes (`match_sides`).
void turn_cells(MeshData& data, const ReadOptions& options);

} // namespace tessera::io
