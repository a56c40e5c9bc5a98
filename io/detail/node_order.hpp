// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// How the formats number the nodes and sides of a cell, as tables towards this library's numbering (VTK's).

#include <tessera/io/detail/cell_type.hpp>

#include <cstdint>
#include <span>
#include <string>

namespace tessera::io {

/// `order[i]` is the place in the file's list of node i of this library's numbering; empty for the same
/// order.
using NodeOrder = std::span<const std::int8_t>;

/// A Gmsh element type which this library reads.
struct GmshType {
  int number = 0; ///< as in the file
  CellType type;
  NodeOrder order;
};

/// The entry of a Gmsh element type, or nullptr if it is not supported.
const GmshType* gmsh_type(std::int64_t number) noexcept;

/// Description of a Gmsh element type for messages, e.g. "type 6 (6-node prism)".
std::string gmsh_type_name(std::int64_t number);

/// Nodes of an element of a type that this library does not read; 0 if it is not known at all.
int other_gmsh_nodes(std::int64_t number) noexcept;

/// An Abaqus or CalculiX element type which this library reads.
struct AbaqusType {
  std::string_view name; ///< in capitals
  CellType type;
  std::string_view obstacle;          ///< why statics does without it: "has no displacements"; empty for most
  std::span<const std::int8_t> sides; ///< sides[k] is this library's side for face S(k+1), P(k+1)
  bool reduced = false; ///< the obstacle is two Gauss points an axis, which ReducedElasticity has
  NodeOrder order{};
};

/// The entry of an element type's name in capitals, or nullptr if it is not supported.
const AbaqusType* abaqus_type(std::string_view name) noexcept;

/// What elements of a name are that is known and not supported.
struct RefusedAbaqusType {
  std::string_view beginning; ///< of names, in capitals
  std::string_view kind;      ///< "a cohesive layer", say
  bool has_volume = true;     ///< or an area, or may have one
};

/// The entry of an element type's name in capitals, or nullptr if there is none.
const RefusedAbaqusType* refused_abaqus_type(std::string_view name) noexcept;

/// The supported Abaqus names that statics takes, "C3D4, C3D8, ...", and that there are others of their
/// shapes.
std::string abaqus_type_names();

/// A cell type of AVS UCD which this library reads.
struct UcdType {
  std::string_view name;
  CellType type;
  NodeOrder order;
};

/// The entry of a name, or nullptr if it is not supported.
const UcdType* ucd_type(std::string_view name) noexcept;

/// Order of TetGen's tetrahedra with 4 or 10 nodes, and of Triangle's triangles with 3 or 6; never empty.
NodeOrder tetgen_order(CellType type) noexcept;

} // namespace tessera::io
