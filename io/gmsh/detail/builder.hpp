// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Collects the nodes, cells and physical groups of a Gmsh file of any version into a MeshData.

#include <tessera/io/detail/left_out.hpp>
#include <tessera/io/detail/node_order.hpp>
#include <tessera/io/gmsh/detail/stream.hpp>
#include <tessera/io/mesh_data.hpp>

#include <map>
#include <utility>

namespace tessera::io {

/// Collects what the sections of a Gmsh file hold. The sections must come nodes first.
class GmshBuilder {
public:
  GmshBuilder(GmshStream& stream, const ReadOptions& options) : stream_(stream), options_(options) {
    data_.source = stream.file().path();
  }

  /// Names a physical group.
  void name_group(int dimension, int tag, std::string name) { names_[{dimension, tag}] = std::move(name); }

  /// Announces nodes; `count` has been checked against the file's size.
  void expect_nodes(std::int64_t count) { data_.points.reserve(static_cast<std::size_t>(3 * count)); }

  /// Gives the next index to a node; its coordinates may follow later.
  void add_node_id(std::int64_t id) { data_.node_ids.append(id); }

  /// The coordinates of the next node that has none.
  void add_point(double x, double y, double z) {
    data_.points.push_back(x);
    data_.points.push_back(y);
    data_.points.push_back(z);
  }

  /// Ends the nodes. \throws FileError if a number was given twice.
  void finish_nodes();

  bool has_nodes() const noexcept { return nodes_finished_; }

  /// The entry of an element type. \throws FileError if the type is not supported.
  const GmshType& type(std::int64_t number) const;

  /// Nodes of an element of a type that is not supported and may be left out; 0 for a type that is.
  /// \throws FileError as `type` if it may not, or its nodes are not known
  int left_out_nodes(std::int64_t number) const;

  /// Passes over the nodes of elements of such a type.
  void leave_out(std::int64_t number, std::int64_t nodes);

  /// The block of a type with room for `count` more cells.
  CellBlock& block(CellType type, std::int64_t count);

  /// Reads the node numbers of one cell and appends it to the block.
  void read_cell(CellBlock& block, const GmshType& type, std::int64_t id, std::int32_t material);

  /// Takes back the last cell if it repeats the one before; version 2 writes a cell once for each of its
  /// groups. Returns whether it did.
  bool drop_repeated(CellBlock& block);

  /// Puts cells of a block into a physical group; tag 0 is no group.
  void add_to_group(int tag, CellType type, CellRange range);

  /// Ends the file: groups of the highest dimension become cell sets and material names, groups of lower
  /// dimension node sets, and those of sides side sets too. \throws FileError as add_groups, and for an
  /// element that is defined twice
  MeshData finish();

private:
  using GroupKey = std::pair<int, int>; ///< dimension, tag

  GmshStream& stream_;
  const ReadOptions& options_;
  MeshData data_;
  std::map<GroupKey, std::string> names_;
  std::map<GroupKey, std::map<CellType, CellSet>> groups_;
  LeftOut left_out_;
  bool nodes_finished_ = false;
};

} // namespace tessera::io
