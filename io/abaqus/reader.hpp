// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Reader of the meshes of Abaqus and CalculiX decks.

#include <tessera/io/detail/input_file.hpp>
#include <tessera/io/mesh_data.hpp>

#include <string>

namespace tessera::io {

/// Reads the mesh of an Abaqus or CalculiX input deck: *NODE, *NGEN along straight lines, *ELEMENT and *ELGEN
/// of the types of linear and quadratic triangles and tetrahedra, quadrilaterals of 4 and 8 and hexahedra of
/// 8 and 20 nodes, wedges of 6 and pyramids of 5, and linear lines, by whatever name (C3D4, C3D10M, C3D20R,
/// CPS4R, S4, T3D2; a message lists all), *NSET and *ELSET (also GENERATE and sets of sets), *SURFACE of
/// elements' faces or of nodes (a set of nodes, called `NAME.SURFACE` where another has its name), *SOLID
/// SECTION (materials, numbered from 1 in the order of *MATERIAL) and *INCLUDE (relative to the including
/// file). Sets of elements that are sides of others, as Gmsh writes them, become side sets and node sets.
/// Names are in capitals. Keywords that are no part of the mesh are passed over. CellBlock::formulations
/// keeps the element types' names.
///
/// *PART, *ASSEMBLY and *INSTANCE make one mesh of all instances, each shifted and turned as its data lines
/// say. Sets and surfaces of an instance are called `INSTANCE.SET`; those of the only instance as in the
/// part, unless the assembly has a set of that name. Numbers may repeat between instances: messages name
/// nodes and elements as `INSTANCE.NUMBER` (Numbering::name), and the ids of all but the first instance
/// differ from their numbers.
///
/// \throws FileError with file and line if the deck cannot be read, holds another element type (which it
///         names), a keyword that makes nodes or elements in another way, or something that refers to what is
///         not there.
MeshData read_abaqus(const std::string& path, const ReadOptions& options = {});

} // namespace tessera::io
