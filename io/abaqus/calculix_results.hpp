// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Displacements as CalculiX writes them, to compare with.

#include <tessera/io/mesh_data.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace tessera::io {

/// Displacements along the three axes by the deck's numbers of the nodes.
using NodalDisplacements = std::map<std::int64_t, std::array<double, 3>>;

/// Orthogonal axes of nodes, axis after axis, by the deck's numbers of the nodes.
using NodalAxes = std::map<std::int64_t, std::array<std::array<double, 3>, 3>>;

/// Reads the displacements at the end of a step of a file, by default its first one: the tables that *NODE
/// PRINT makes in a .dat file, or the block DISP that *NODE FILE makes in a .frd file, in its long text form
/// (CalculiX CrunchiX User's Manual, "Result format"). Which of the two it is follows from the first line.
///
/// \throws FileError with file and line if there are none, a number is damaged, the file ends in the middle
///         of a line or a .frd file's block, tables of its node sets end at different times, or displacements
///         are along axes of the node's own that are not known
NodalDisplacements read_calculix_displacements(const std::string& path, std::size_t step = 1);

/// The same of a file that goes with a deck, whose mesh says what has to be there: every node that cells use,
/// or, in a table of a set that the mesh has, those of the set.
/// \throws FileError besides for a table that lacks a node
/// \param axes of nodes by their numbers, which lines of a .dat file that end with an L refer to
NodalDisplacements read_calculix_displacements(const std::string& path, const MeshData& mesh,
                                               const NodalAxes& axes = {}, std::size_t step = 1);

/// Whether a file has displacements at the end of a step at all. \throws FileError for damaged ones
bool has_calculix_displacements(const std::string& path, const NodalAxes& axes = {}, std::size_t step = 1);

/// Writes displacements as the table of a .dat file, in the order of the numbers, with seven digits.
/// \throws FileError if the file cannot be written
void write_calculix_displacements(const std::string& path, const NodalDisplacements& displacements);

/// How far displacements are from a reference.
struct DisplacementDifference {
  std::size_t nodes = 0;   ///< that both have
  std::int64_t worst = 0;  ///< node of the largest difference
  double difference = 0.0; ///< largest difference of a component, in the unit of length
  double largest = 0.0;    ///< largest component of the reference at these nodes

  /// Digits of the largest displacement to which all components agree; infinite where nothing differs.
  double digits() const noexcept;
};

/// Compares the nodes that both have; nodes of the reference alone, as the middle of an expanded plane
/// element, have nothing to be compared with.
DisplacementDifference compare(const NodalDisplacements& found, const NodalDisplacements& reference);

} // namespace tessera::io
