#include <tessera/io/gmsh_builder.hpp>
#include <tessera/io/side_matching.hpp>

#include <algorithm>
#include <array>
#include <iterator>

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
        " are not supported; read are points, lines and triangles to order 5, tetrahedra to order 3, and "
        "complete quadrangles and hexahedra to order 2");
  return *entry;
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

std::string GmshBuilder::group_name(const GroupKey& key) const {
  static constexpr const char* kinds[] = {"point", "curve", "surface", "volume"};
  const auto named = names_.find(key);
  return named != names_.end() ? named->second : kinds[key.first] + std::to_string(key.second);
}

void GmshBuilder::add_node_set(const std::string& name, const std::map<CellType, CellSet>& cells) {
  std::vector<Ordinal>& set = data_.node_sets[name];
  for (const auto& [type, ranges] : cells) {
    const CellBlock& block = *data_.find(type);
    const auto nodes = static_cast<std::ptrdiff_t>(type.nodes());
    for (const CellRange& range : ranges) {
      const auto first = block.nodes.begin() + range.first * nodes;
      set.insert(set.end(), first, first + range.count * nodes);
    }
  }
  std::sort(set.begin(), set.end());
  set.erase(std::unique(set.begin(), set.end()), set.end());
}

MeshData GmshBuilder::finish() {
  const int dimension = data_.dimension();
  std::vector<Ordinal> corners;
  std::vector<std::pair<std::string, std::size_t>> side_groups; // name, end of its sides
  for (auto& [key, cells] : groups_) {
    const std::string name = group_name(key);
    for (auto& [type, ranges] : cells) normalize(ranges);
    if (key.first == dimension) {
      data_.material_names[key.second] = name;
      for (auto& [type, ranges] : cells) {
        CellSet& set = data_.find(type)->cell_sets[name];
        set.insert(set.end(), ranges.begin(), ranges.end());
        normalize(set);
      }
      continue;
    }
    add_node_set(name, cells);
    if (key.first != dimension - 1) continue;
    for (const auto& [type, ranges] : cells) {
      const CellBlock& block = *data_.find(type);
      for (const CellRange& range : ranges)
        for (Ordinal cell = range.first; cell < range.first + range.count; ++cell) {
          const auto first = block.nodes.begin() + std::ptrdiff_t{cell} * type.nodes();
          std::copy_n(first, type.corners(), std::back_inserter(corners));
          corners.insert(corners.end(), static_cast<std::size_t>(4 - type.corners()), -1);
        }
    }
    side_groups.emplace_back(name, corners.size() / 4);
  }
  // A group that lies only in part on cells (say, on a shell beside a solid) stays a node set: a load on half
  // of it would be wrong without a word.
  const std::vector<std::optional<SideOf>> sides = match_sides(data_, corners);
  std::size_t first = 0;
  for (const auto& [name, last] : side_groups) {
    add_side_set(data_, name, std::span(sides).subspan(first, last - first));
    first = last;
  }
  for (CellBlock& block : data_.blocks)
    // Version 2 in text tells the number of all elements only, so that blocks of sides were given too much.
    if (block.nodes.capacity() > 2 * block.nodes.size()) {
      block.nodes.shrink_to_fit();
      block.material.shrink_to_fit();
    }
  return std::move(data_);
}

} // namespace tessera::io
