// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/io/detail/cell_groups.hpp>
#include <tessera/io/detail/collapsed_cells.hpp>
#include <tessera/io/detail/node_order.hpp>
#include <tessera/io/detail/number_lines.hpp>
#include <tessera/io/detail/turned_cells.hpp>
#include <tessera/io/ucd/reader.hpp>

#include <map>
#include <numeric>
#include <optional>
#include <utility>

namespace tessera::io {

namespace {

/// What the first line promises.
struct Counts {
  std::int64_t nodes, cells, node_values, cell_values, model_values;
};

Counts read_counts(NumberLines& lines) {
  lines.next("the numbers of nodes, cells and data");
  const Counts counts{lines.count(0, "the number of nodes", 8), lines.count(1, "the number of cells", 8),
                      lines.number(2, "the number of values on a node"),
                      lines.number(3, "the number of values on a cell"),
                      lines.number(4, "the number of values of the model")};
  if (lines.fields() != 5) lines.fail("expected five numbers, but found " + std::to_string(lines.fields()));
  if (counts.cells == 0) lines.fail("the file has no cells");
  return counts;
}

void read_nodes(NumberLines& lines, std::int64_t count, MeshData& data) {
  data.points.reserve(3 * static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    lines.next("a node");
    data.node_ids.append(lines.number(0, "a node's number"));
    for (std::size_t d = 1; d <= 3; ++d) data.points.push_back(lines.real(d, "a node's coordinate"));
  }
  if (const auto repeated = data.node_ids.build_index())
    throw FileError(data.source, 0, "node " + std::to_string(*repeated) + " is defined twice");
}

void read_cell(NumberLines& lines, MeshData& data) {
  const std::int64_t number = lines.number(0, "a cell's number");
  const std::int64_t material = lines.integer(1, "a cell's material");
  if (material != static_cast<std::int32_t>(material))
    lines.fail("material " + std::to_string(material) + " of cell " + std::to_string(number) +
               " does not fit into 32 bits");
  const std::string_view name = lines.word(2, "a cell's type");
  const UcdType* const type = ucd_type(name);
  if (type == nullptr)
    lines.fail("cell type " + in_quotes(name) +
               " is not supported; read are pt, line, tri, quad, tet, pyr, prism and hex");
  const auto nodes = static_cast<std::size_t>(type->type.nodes());
  if (lines.fields() != 3 + nodes)
    lines.fail("cell " + std::to_string(number) + " has " + std::to_string(lines.fields() - 3) +
               " nodes where " + std::string(name) + " needs " + std::to_string(nodes));
  CellBlock& block = data.block(type->type);
  for (std::size_t n = 0; n < nodes; ++n) {
    const auto place = type->order.empty() ? n : static_cast<std::size_t>(type->order[n]);
    const std::int64_t node = lines.number(3 + place, "a node's number");
    block.nodes.push_back(data.node_ids.find(node));
    if (block.nodes.back() < 0)
      lines.fail("cell " + std::to_string(number) + " has node " + std::to_string(node) +
                 ", which the file does not define");
  }
  block.material.push_back(static_cast<std::int32_t>(material));
  block.ids.append(number);
}

/// A number of two cells of the dimension that the mesh has, if there is one.
std::optional<std::int64_t> repeated_cell(const MeshData& data) {
  Numbering numbers;
  for (const CellBlock& block : data.blocks)
    if (block.type.dimension() == data.dimension())
      for (Ordinal cell = 0; cell < block.cells(); ++cell) numbers.append(block.ids.id(cell));
  return numbers.build_index();
}

/// Returns the numbers of all cells, block by block, which must differ where the cells have values. Programs
/// begin anew with the numbers of cells of a lower dimension.
Numbering read_cells(NumberLines& lines, std::int64_t count, bool have_values, MeshData& data) {
  for (std::int64_t i = 0; i < count; ++i) {
    lines.next("a cell");
    read_cell(lines, data);
  }
  Numbering all;
  for (CellBlock& block : data.blocks) {
    for (Ordinal cell = 0; cell < block.cells(); ++cell) all.append(block.ids.id(cell));
    block.ids.build_index();
  }
  auto repeated = all.build_index();
  if (repeated && !have_values) repeated = repeated_cell(data);
  if (repeated) throw FileError(data.source, 0, "cell " + std::to_string(*repeated) + " is defined twice");
  return all;
}

/// Values on the nodes or cells in the order of `items`, which may not be the file's.
std::vector<Field> read_fields(NumberLines& lines, const Numbering& items, std::int64_t values) {
  if (values == 0) return {};
  lines.next("the numbers of components");
  const auto fields = static_cast<std::size_t>(lines.count(0, "the number of fields", 2));
  std::vector<std::size_t> components;
  for (std::size_t f = 1; f <= fields; ++f)
    components.push_back(static_cast<std::size_t>(lines.number(f, "a number of components")));
  if (std::accumulate(components.begin(), components.end(), std::size_t{0}) !=
      static_cast<std::size_t>(values))
    lines.fail("the fields do not have " + std::to_string(values) + " components, as the first line says");
  const auto size = static_cast<std::size_t>(items.size());
  lines.require_left(static_cast<std::uint64_t>(size) * 2 * static_cast<std::uint64_t>(values));
  std::vector<Field> read;
  for (const std::size_t count : components) {
    lines.next("a field's label and unit");
    const std::string_view label = lines.line().substr(0, lines.line().find(','));
    const std::size_t first = label.find_first_not_of(" \t"), last = label.find_last_not_of(" \t");
    read.emplace_back(first == label.npos ? std::string()
                                          : std::string(label.substr(first, last + 1 - first)),
                      std::vector<double>(count * size));
  }
  std::vector<bool> seen(size, false);
  for (std::size_t i = 0; i < size; ++i) {
    lines.next("values of a field");
    const std::int64_t number = lines.number(0, "the number of a node or cell");
    const Ordinal item = items.find(number);
    if (item < 0 || seen[static_cast<std::size_t>(item)])
      lines.fail("values on " + std::to_string(number) +
                 (item < 0 ? ", which is not there" : " stand twice"));
    seen[static_cast<std::size_t>(item)] = true;
    std::size_t column = 1;
    for (std::size_t f = 0; f < fields; ++f)
      for (std::size_t c = 0; c < components[f]; ++c)
        read[f].values[static_cast<std::size_t>(item) * components[f] + c] = lines.real(column++, "a value");
    if (column != lines.fields()) lines.fail("the line has more values than there are components");
  }
  return read;
}

/// Gives each block its cells' part of the fields on all `cells`, of which there are some.
void distribute(const std::vector<Field>& fields, std::size_t cells, MeshData& data) {
  std::size_t first = 0;
  for (CellBlock& block : data.blocks) {
    const std::size_t last = first + block.material.size();
    for (const Field& field : fields) {
      const std::size_t components = field.values.size() / cells;
      block.fields.emplace_back(
          field.name,
          std::vector<double>(field.values.begin() + static_cast<std::ptrdiff_t>(first * components),
                              field.values.begin() + static_cast<std::ptrdiff_t>(last * components)));
    }
    first = last;
  }
}

/// Cells of less dimensions than others by their material.
std::vector<CellGroup> marked_groups(const MeshData& data) {
  std::map<std::pair<int, std::int32_t>, CellGroup> groups;
  for (const CellBlock& block : data.blocks) {
    if (block.type.dimension() == data.dimension()) continue;
    for (Ordinal cell = 0; cell < block.cells(); ++cell) {
      const std::int32_t material = block.material[static_cast<std::size_t>(cell)];
      if (material == 0) continue;
      CellGroup& group = groups[{block.type.dimension(), material}];
      group.dimension = block.type.dimension();
      group.number = material;
      group.name = "marker" + std::to_string(material);
      append(group.cells[block.type], {cell, 1});
    }
  }
  std::vector<CellGroup> list;
  list.reserve(groups.size());
  for (auto& [key, group] : groups) list.push_back(std::move(group));
  return list;
}

} // namespace

bool begins_as_ucd(const std::string& path) {
  NumberLines lines(path, {});
  if (!lines.advance() || lines.fields() != 5) return false;
  std::int64_t value = 0;
  for (std::size_t field = 0; field < 5; ++field)
    if (!parse(lines.word(field, "a number"), value)) return false;
  return true;
}

MeshData read_ucd(const std::string& path, const ReadOptions& options) {
  NumberLines lines(path, options.progress);
  MeshData data;
  data.source = path;
  const Counts counts = read_counts(lines);
  read_nodes(lines, counts.nodes, data);
  const Numbering cells = read_cells(lines, counts.cells, counts.cell_values > 0, data);
  data.node_fields = read_fields(lines, data.node_ids, counts.node_values);
  distribute(read_fields(lines, cells, counts.cell_values), static_cast<std::size_t>(counts.cells), data);
  if (counts.model_values == 0) lines.end();
  collapse_cells(data, options);
  turn_cells(data, options);
  add_groups(data, marked_groups(data), options);
  return data;
}

} // namespace tessera::io
