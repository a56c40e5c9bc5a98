// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// What every reader and generator yields: a mesh on the host, whatever its cells, with its sets and
/// materials.

#include <tessera/core/mesh/material_label.hpp>
#include <tessera/core/types.hpp>
#include <tessera/io/detail/cell_type.hpp>
#include <tessera/io/detail/numbering.hpp>
#include <tessera/io/field.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tessera::io {

/// `count` consecutive cells of a block, from cell `first` on.
struct CellRange {
  Ordinal first = 0;
  Ordinal count = 0;
  friend bool operator==(const CellRange&, const CellRange&) = default;
};

/// A set of cells of one block: ranges, so that a whole part of ten million cells costs eight bytes. After
/// `normalize`, sorted and disjoint.
using CellSet = std::vector<CellRange>;

/// Appends cells to a set, merging with its last range where they follow it.
void append(CellSet& set, CellRange range);

/// Sorts the ranges and merges those that overlap or touch.
void normalize(CellSet& set);

/// Cells in a normalized set.
Ordinal size(const CellSet& set);

/// Side `side` of cell `cell` of the block that holds the set (numbers as CellType::side_corners).
struct Side {
  Ordinal cell = 0;
  Ordinal side = 0;
  friend auto operator<=>(const Side&, const Side&) = default;
  friend bool operator==(const Side&, const Side&) = default; // nvcc does not derive it
};

/// All cells of one type, in the order of the file, with the sets that they belong to.
struct CellBlock {
  CellType type;
  std::vector<Ordinal> nodes;               ///< cell x type.nodes(): indices of points, VTK's numbering
  std::vector<std::int32_t> material;       ///< material number per cell; 0 where the file gives none
  Numbering ids;                            ///< the file's numbers of the cells
  std::map<std::string, CellSet> cell_sets; ///< named sets of cells
  std::map<std::string, std::vector<Side>> side_sets; ///< named sets of sides, sorted, each side once
  std::map<std::string, CellSet> formulations; ///< cells by the file's element name, e.g. C3D8I; may be empty
  std::vector<Field> fields;                   ///< values on the cells, where the reader keeps them

  Ordinal cells() const noexcept { return static_cast<Ordinal>(material.size()); }
};

/// A mesh as a file holds it. Blocks of sides (triangles around tetrahedra, lines around triangles) may
/// accompany the blocks of the highest dimension; `select` takes one block out.
struct MeshData {
  std::string source;                                    ///< file or generator, for messages
  std::vector<double> points;                            ///< node x 3, in the file's unit of length
  Numbering node_ids;                                    ///< the file's numbers of the nodes
  std::vector<CellBlock> blocks;                         ///< at most one block per cell type
  std::map<std::string, std::vector<Ordinal>> node_sets; ///< named sets of nodes, sorted, each node once
  std::map<std::int32_t, std::string> material_names;    ///< names of the material numbers that have one
  /// Gmsh's physical groups with cells: dimension and number, and what the sets are called; empty elsewhere.
  std::map<std::pair<int, std::int32_t>, std::string> group_names;
  std::vector<Field> node_fields; ///< values on the nodes, where the reader keeps them

  Ordinal nodes() const noexcept { return static_cast<Ordinal>(points.size() / 3); }

  /// The block of a type, or nullptr.
  const CellBlock* find(CellType type) const noexcept;
  CellBlock* find(CellType type) noexcept;

  /// The block of a type, made empty at the end of `blocks` if there is none.
  CellBlock& block(CellType type);

  /// Largest dimension of the cells, 0 if there are none.
  int dimension() const noexcept;

  /// What is inside, for messages: "1200 tet2 and 360 tri2 cells".
  std::string contents() const;
};

/// Whether what a mesh cannot take of a file is left out, and who hears of it in a sentence.
struct Partial {
  bool allowed = false;
  std::function<void(const std::string&)> left_out{};

  Partial(bool allow = false, std::function<void(const std::string&)> hears = {})
      : allowed(allow), left_out(std::move(hears)) {}
};

/// An element by the file's numbers, for messages: "element 12 (nodes 4 5 31)". Nodes beyond the file's are
/// left out.
std::string element_name(const Numbering& cells, const Numbering& nodes, Ordinal cell,
                         std::span<const Ordinal> nodes_of_cell);

/// Numbers the materials of a block's cells 0, 1, ... in the order of their numbers, which it returns with
/// their names; an empty list where the file names no materials.
std::vector<MaterialLabel> number_materials(CellBlock& block,
                                            const std::map<std::int32_t, std::string>& names);
/// The same over several blocks.
std::vector<MaterialLabel> number_materials(std::span<CellBlock> blocks,
                                            const std::map<std::int32_t, std::string>& names);

/// Whether the nodes of a block lie in a plane z = constant, to a mesher's rounding.
bool lies_in_plane(const MeshData& data, const CellBlock& block);

/// The mesh of one cell type: only that block, only the nodes that its cells use (in their old order), and
/// the sets that are left. Node sets that lose all their nodes stay, empty. Takes its input's memory; where
/// every node is used, nothing is copied. Cells of less dimensions are taken for sides and points of sets.
/// \throws MeshError if no cell has the type (the message lists what is inside), if cells of another type and
///         no less dimensions would be dropped, unless `partial` allows it (which hears of them and of what
///         sets lose; the message lists them and their side sets), or if the type is plane and its nodes do
///         not lie in a plane z = constant.
MeshData select(MeshData&& data, CellType type, const Partial& partial = {},
                std::vector<Ordinal>* renumbered = nullptr);

/// The mesh of the cells of several types of one dimension: a block of each in their order, empty where there
/// are no such cells, and the nodes that any of them uses. \throws as above
MeshData select(MeshData&& data, std::span<const CellType> types, const Partial& partial = {},
                std::vector<Ordinal>* renumbered = nullptr);

/// The type of the cells if all cells of the highest dimension have the same type.
/// \throws MeshError if there are no cells or several types (the message lists them).
CellType single_type(const MeshData& data);

/// Coordinates of a selected mesh as `node x dimension`; for dimension 3 this is data.points itself.
std::vector<double> coordinates(const MeshData& data, int dimension);

} // namespace tessera::io
