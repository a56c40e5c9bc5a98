// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/error.hpp>
#include <tessera/io/detail/text.hpp>
#include <tessera/io/mesh_data.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace tessera::io {

void append(CellSet& set, CellRange range) {
  if (range.count <= 0) return;
  if (!set.empty() && set.back().first + set.back().count == range.first)
    set.back().count += range.count;
  else
    set.push_back(range);
}

void normalize(CellSet& set) {
  std::sort(set.begin(), set.end(), [](const CellRange& a, const CellRange& b) { return a.first < b.first; });
  CellSet merged;
  for (const CellRange& range : set) {
    if (merged.empty() || range.first > merged.back().first + merged.back().count) {
      merged.push_back(range);
      continue;
    }
    CellRange& last = merged.back();
    last.count = std::max(last.first + last.count, range.first + range.count) - last.first;
  }
  set = std::move(merged);
}

Ordinal size(const CellSet& set) {
  Ordinal cells = 0;
  for (const CellRange& range : set) cells += range.count;
  return cells;
}

const Field& find_field(const std::vector<Field>& fields, const std::string& name) {
  std::string known;
  for (const Field& field : fields) {
    if (field.name == name) return field;
    known += (known.empty() ? "" : ", ") + field.name;
  }
  throw ArgumentError("there is no field '" + name + "'; there " +
                      (known.empty() ? "are none" : "are " + known));
}

const CellBlock* MeshData::find(CellType type) const noexcept {
  const auto found =
      std::find_if(blocks.begin(), blocks.end(), [&](const CellBlock& block) { return block.type == type; });
  return found == blocks.end() ? nullptr : &*found;
}

CellBlock* MeshData::find(CellType type) noexcept {
  return const_cast<CellBlock*>(std::as_const(*this).find(type));
}

CellBlock& MeshData::block(CellType type) {
  if (CellBlock* found = find(type)) return *found;
  blocks.emplace_back();
  blocks.back().type = type;
  return blocks.back();
}

int MeshData::dimension() const noexcept {
  int dimension = 0;
  for (const CellBlock& block : blocks) dimension = std::max(dimension, block.type.dimension());
  return dimension;
}

std::string MeshData::contents() const {
  std::map<CellType, Ordinal> cells;
  for (const CellBlock& block : blocks) cells[block.type] += block.cells();
  std::string list;
  std::size_t i = 0;
  for (const auto& [type, count] : cells) {
    if (i > 0) list += i + 1 == cells.size() ? " and " : ", ";
    list += std::to_string(count) + " " + type.name();
    ++i;
  }
  return list.empty() ? "no cells" : list + " cells";
}

CellType single_type(const MeshData& data) {
  const CellBlock* found = nullptr;
  for (const CellBlock& block : data.blocks) {
    if (block.type.dimension() == 0 || block.type.dimension() < data.dimension()) continue;
    if (found != nullptr)
      throw MeshError(data.source + ": has cells of several types (" + data.contents() +
                      "); ask for the mesh of one of them");
    found = &block;
  }
  if (found == nullptr)
    throw MeshError(data.source + ": has no lines, faces or solids, but " + data.contents());
  return found->type;
}

namespace {

/// New index of each node, -1 for the nodes that no cell uses.
std::vector<Ordinal> used_nodes(const MeshData& data, Ordinal& used) {
  std::vector<Ordinal> renumbered(static_cast<std::size_t>(data.nodes()), -1);
  for (const CellBlock& block : data.blocks)
    for (const Ordinal node : block.nodes) renumbered[static_cast<std::size_t>(node)] = 0;
  used = 0;
  for (Ordinal& node : renumbered)
    if (node == 0) node = used++;
  return renumbered;
}

void drop_unused_values(Field& field, const std::vector<Ordinal>& renumbered, std::size_t used) {
  const std::size_t components = field.values.size() / renumbered.size();
  for (std::size_t node = 0; node < renumbered.size(); ++node)
    if (renumbered[node] >= 0)
      for (std::size_t c = 0; c < components; ++c)
        field.values[components * static_cast<std::size_t>(renumbered[node]) + c] =
            field.values[components * node + c];
  field.values.resize(components * used);
}

/// Returns the new index of each node, or nothing if no node goes.
std::vector<Ordinal> drop_unused_nodes(MeshData& data) {
  Ordinal used = 0;
  std::vector<Ordinal> renumbered = used_nodes(data, used);
  if (used == data.nodes()) return {};

  Numbering ids;
  for (std::size_t node = 0; node < renumbered.size(); ++node) {
    if (renumbered[node] < 0) continue;
    ids.append(data.node_ids.id(static_cast<Ordinal>(node)));
    const auto target = static_cast<std::size_t>(renumbered[node]);
    std::copy_n(data.points.begin() + static_cast<std::ptrdiff_t>(3 * node), 3,
                data.points.begin() + static_cast<std::ptrdiff_t>(3 * target));
  }
  for (Field& field : data.node_fields) drop_unused_values(field, renumbered, static_cast<std::size_t>(used));
  data.points.resize(3 * static_cast<std::size_t>(used));
  ids.build_index();
  ids.set_owners(data.node_ids.owners());
  data.node_ids = std::move(ids);
  for (CellBlock& block : data.blocks)
    for (Ordinal& node : block.nodes) node = renumbered[static_cast<std::size_t>(node)];
  for (auto& [name, set] : data.node_sets) {
    for (Ordinal& node : set) node = renumbered[static_cast<std::size_t>(node)];
    std::erase(set, -1);
  }
  return renumbered;
}

/// The names of types, for messages.
std::string names(std::span<const CellType> types) {
  std::string list;
  for (const CellType& type : types) list += (list.empty() ? "" : ", ") + type.name();
  return list;
}

/// What would be dropped if only the cells of some types were kept, for messages; empty for nothing.
std::string dropped_by(const MeshData& data, std::span<const CellType> types) {
  MeshData dropped;
  std::map<std::string, std::int64_t> of_sets;
  for (const CellBlock& block : data.blocks) {
    if (std::find(types.begin(), types.end(), block.type) != types.end() ||
        block.type.dimension() < types.front().dimension() || block.cells() == 0)
      continue;
    CellBlock& counted = dropped.block(block.type);
    counted.material.resize(static_cast<std::size_t>(block.cells()));
    for (const auto& [name, set] : block.cell_sets)
      of_sets["cells of cell set " + in_quotes(name)] += size(set);
    for (const auto& [name, set] : block.side_sets)
      of_sets["sides of side set " + in_quotes(name)] += static_cast<std::int64_t>(set.size());
  }
  if (dropped.blocks.empty()) return {};
  std::string what = dropped.contents();
  for (const auto& [set, count] : of_sets)
    if (count > 0) what += ", " + std::to_string(count) + " " + set;
  return what;
}

/// Nodes in each set.
std::map<std::string, std::size_t> sizes_of(const std::map<std::string, std::vector<Ordinal>>& sets) {
  std::map<std::string, std::size_t> sizes;
  for (const auto& [name, set] : sets) sizes[name] = set.size();
  return sizes;
}

/// The lowest and the highest node of a block.
struct Heights {
  double low = INFINITY, high = -INFINITY, size = 0.0;
  Ordinal highest = 0;

  Heights(const MeshData& data, std::span<const CellBlock> blocks) {
    for (const CellBlock& block : blocks) add(data, block);
  }
  void add(const MeshData& data, const CellBlock& block) {
    for (const Ordinal node : block.nodes) {
      const double* x = data.points.data() + 3 * static_cast<std::size_t>(node);
      low = std::min(low, x[2]);
      if (x[2] > high) {
        high = x[2];
        highest = node;
      }
      size = std::max({size, std::abs(x[0]), std::abs(x[1]), std::abs(x[2])});
    }
  }

  // A mesher's rounding leaves z within a few units of the last place of the largest coordinate.
  bool flat() const { return high - low <= 1e-12 * size; }
};

void require_plane(const MeshData& data, const std::string& types) {
  const Heights z(data, data.blocks);
  if (!z.flat())
    throw MeshError(data.source + ": " + types + " cells must lie in a plane z = constant, but z goes from " +
                    shown(z.low) + " to " + shown(z.high) + " at node " + data.node_ids.name(z.highest));
}

} // namespace

bool lies_in_plane(const MeshData& data, const CellBlock& block) {
  return Heights(data, std::span(&block, 1)).flat();
}

std::string element_name(const Numbering& cells, const Numbering& nodes, Ordinal cell,
                         std::span<const Ordinal> nodes_of_cell) {
  std::string list;
  for (const Ordinal node : nodes_of_cell)
    if (node < nodes.size()) list += " " + nodes.name(node);
  return "element " + cells.name(cell) + (list.empty() ? "" : " (nodes" + list + ")");
}

std::vector<MaterialLabel> number_materials(CellBlock& block,
                                            const std::map<std::int32_t, std::string>& names) {
  return number_materials(std::span(&block, 1), names);
}

std::vector<MaterialLabel> number_materials(std::span<CellBlock> blocks,
                                            const std::map<std::int32_t, std::string>& names) {
  std::map<std::int32_t, std::int32_t> numbers;
  const std::int32_t* last = nullptr; // neighbours mostly have the same
  for (const CellBlock& block : blocks)
    for (const std::int32_t& material : block.material) {
      if (last == nullptr || *last != material) numbers.emplace(material, 0);
      last = &material;
    }
  std::vector<MaterialLabel> labels;
  for (auto& [material, number] : numbers) {
    const auto name = names.find(material);
    number = static_cast<std::int32_t>(labels.size());
    labels.push_back({material, name == names.end() ? std::string() : name->second});
  }
  for (CellBlock& block : blocks)
    for (std::int32_t& material : block.material) material = numbers.find(material)->second;
  if (labels.size() == 1 && labels.front() == MaterialLabel{}) labels.clear();
  return labels;
}

MeshData select(MeshData&& data, CellType type, const Partial& partial, std::vector<Ordinal>* renumbered) {
  return select(std::move(data), std::span(&type, 1), partial, renumbered);
}

MeshData select(MeshData&& data, std::span<const CellType> types, const Partial& partial,
                std::vector<Ordinal>* renumbered) {
  std::vector<CellBlock> kept;
  Ordinal cells = 0;
  for (const CellType& type : types) {
    const CellBlock* const found = data.find(type);
    cells += found == nullptr ? 0 : found->cells();
  }
  if (cells == 0)
    throw MeshError(data.source + ": has no " + names(types) + " cells, but " + data.contents());
  std::string dropped = dropped_by(data, types);
  if (!dropped.empty() && !partial.allowed)
    throw MeshError(data.source + ": a mesh of its " + names(types) + " cells alone would lack " + dropped +
                    "; accept that with ReadOptions::allow_partial (--allow-partial)");
  const auto nodes_of_sets = sizes_of(data.node_sets);
  kept.reserve(types.size());
  for (const CellType& type : types) kept.push_back(std::move(data.block(type)));
  data.blocks = std::move(kept);
  std::vector<Ordinal> new_index = drop_unused_nodes(data);
  if (renumbered != nullptr) *renumbered = std::move(new_index);
  if (!dropped.empty() && partial.left_out) {
    for (const auto& [name, nodes] : nodes_of_sets)
      if (const std::size_t lost = nodes - data.node_sets.at(name).size(); lost > 0)
        dropped += ", " + std::to_string(lost) + " nodes of node set " + in_quotes(name);
    partial.left_out(data.source + ": left out are " + dropped);
  }
  if (types.front().dimension() == 2) require_plane(data, names(types));
  return std::move(data);
}

std::vector<double> coordinates(const MeshData& data, int dimension) {
  if (dimension == 3) return data.points;
  std::vector<double> flat(static_cast<std::size_t>(data.nodes()) * static_cast<std::size_t>(dimension));
  for (std::size_t node = 0; node < static_cast<std::size_t>(data.nodes()); ++node)
    for (std::size_t d = 0; d < static_cast<std::size_t>(dimension); ++d)
      flat[node * static_cast<std::size_t>(dimension) + d] = data.points[3 * node + d];
  return flat;
}

} // namespace tessera::io
