// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/io/detail/cell_groups.hpp>
#include <tessera/io/detail/collapsed_cells.hpp>
#include <tessera/io/detail/turned_cells.hpp>
#include <tessera/io/gmsh/detail/builder.hpp>

#include <algorithm>
#include <array>

namespace tessera::io {

namespace {

constexpr std::size_t most_nodes = 32;

/// Room for `extra` more entries that costs few copies even if it is asked for many times.
template <class T>
void reserve_more(std::vector<T>& entries, std::size_t extra) {
  const std::size_t wanted = entries.size() + extra;
  if (wanted > entries.capacity())
    entries.reserve(entries.empty() ? wanted : std::max(wanted, entries.capacity() + entries.capacity() / 2));
}

} // namespace

void GmshBuilder::finish_nodes() {
  if (const auto repeated = data_.node_ids.build_index())
    stream_.fail("node " + std::to_string(*repeated) + " is defined twice");
  nodes_finished_ = true;
}

const GmshType& GmshBuilder::type(std::int64_t number) const {
  const GmshType* entry = gmsh_type(number);
  if (entry == nullptr)
    stream_.fail(
        "elements of Gmsh's " + gmsh_type_name(number) +
        " are not supported; read are points, lines and triangles to order 5, tetrahedra to order 3, "
        "quadrangles, hexahedra and prisms to order 2, and pyramids of 5 and 13 nodes");
  return *entry;
}

int GmshBuilder::left_out_nodes(std::int64_t number) const {
  if (gmsh_type(number) != nullptr) return 0;
  const int nodes = other_gmsh_nodes(number);
  if (nodes == 0 || !options_.allow_partial) type(number);
  return nodes;
}

void GmshBuilder::leave_out(std::int64_t number, std::int64_t nodes) {
  for (std::int64_t n = 0; n < nodes; ++n) stream_.tag("a node number");
  stream_.end_record("an element's node");
  left_out_.add("elements of " + gmsh_type_name(number));
}

CellBlock& GmshBuilder::block(CellType type, std::int64_t count) {
  CellBlock& block = data_.block(type);
  const auto cells = static_cast<std::size_t>(count);
  reserve_more(block.nodes, cells * static_cast<std::size_t>(type.nodes()));
  reserve_more(block.material, cells);
  return block;
}

void GmshBuilder::read_cell(CellBlock& block, const GmshType& type, std::int64_t id, std::int32_t material) {
  const auto nodes = static_cast<std::size_t>(type.type.nodes());
  std::array<Ordinal, most_nodes> in_file;
  for (std::size_t i = 0; i < nodes; ++i) {
    const std::int64_t node = stream_.tag("a node number");
    in_file[i] = data_.node_ids.find(node);
    if (in_file[i] < 0) {
      stream_.end_record("an element's node");
      stream_.fail("element " + std::to_string(id) + " has node " + std::to_string(node) +
                   ", which the file does not define");
    }
  }
  stream_.end_record("an element's node");
  if (type.order.empty())
    block.nodes.insert(block.nodes.end(), in_file.begin(),
                       in_file.begin() + static_cast<std::ptrdiff_t>(nodes));
  else
    for (const std::int8_t place : type.order)
      block.nodes.push_back(in_file[static_cast<std::size_t>(place)]);
  block.material.push_back(material);
  block.ids.append(id);
}

bool GmshBuilder::drop_repeated(CellBlock& block) {
  if (block.cells() < 2) return false;
  const auto nodes = static_cast<std::ptrdiff_t>(block.type.nodes());
  if (!std::equal(block.nodes.end() - nodes, block.nodes.end(), block.nodes.end() - 2 * nodes)) return false;
  block.nodes.resize(block.nodes.size() - static_cast<std::size_t>(nodes));
  block.material.pop_back();
  block.ids.drop_last();
  return true;
}

void GmshBuilder::add_to_group(int tag, CellType type, CellRange range) {
  // A negative tag says that the group turns its cells' sense round.
  if (tag != 0) append(groups_[{type.dimension(), std::abs(tag)}][type], range);
}

MeshData GmshBuilder::finish() {
  if (data_.blocks.empty() && left_out_.total() > 0)
    throw FileError(data_.source, 0, "has no elements but " + left_out_.list() + ", which are not supported");
  left_out_.tell(data_.source, options_.left_out);
  for (const CellBlock& block : data_.blocks) {
    Numbering ids = block.ids;
    if (const auto repeated = ids.build_index())
      throw FileError(data_.source, 0, "element " + std::to_string(*repeated) + " is defined twice");
  }
  std::vector<CellGroup> groups;
  for (auto& [key, cells] : groups_) {
    const auto named = names_.find(key);
    for (auto& [type, ranges] : cells) normalize(ranges);
    const std::string name = named != names_.end() ? named->second : group_name(key.first, key.second);
    data_.group_names[key] = name;
    groups.push_back({key.first, key.second, name, std::move(cells)});
  }
  collapse_cells(data_, groups, options_);
  turn_cells(data_, options_);
  add_groups(data_, groups, options_);
  for (CellBlock& block : data_.blocks)
    // Version 2 in text tells the number of all elements only, so that blocks of sides were given too much.
    if (block.nodes.capacity() > 2 * block.nodes.size()) {
      block.nodes.shrink_to_fit();
      block.material.shrink_to_fit();
    }
  return std::move(data_);
}

} // namespace tessera::io
