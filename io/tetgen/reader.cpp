// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/io/detail/left_out.hpp>
#include <tessera/io/detail/node_order.hpp>
#include <tessera/io/detail/number_lines.hpp>
#include <tessera/io/detail/side_matching.hpp>
#include <tessera/io/detail/turned_cells.hpp>
#include <tessera/io/tetgen/reader.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>

namespace tessera::io {

namespace {

/// What the files of a dimension hold: Triangle's of two, TetGen's of three.
struct Kind {
  const char* cell;
  const char* number_of_cells;
  const char* nodes_of_a_cell;
  const char* attribute;
  const char* side;
  const char* sides;
  const char* extension; ///< of the file of sides
  Shape shape;
  int corners;
  int quadratic_nodes;
  bool quadratic_sides; ///< whether sides name the nodes on their edges, too
};

constexpr Kind triangle_kind{"triangle",
                             "the number of triangles",
                             "the number of nodes of a triangle",
                             "a triangle's attribute",
                             "edge",
                             "edges",
                             ".edge",
                             Shape::triangle,
                             3,
                             6,
                             false};
constexpr Kind tetgen_kind{"tetrahedron",
                           "the number of tetrahedra",
                           "the number of nodes of a tetrahedron",
                           "a tetrahedron's attribute",
                           "face",
                           "faces",
                           ".face",
                           Shape::tetrahedron,
                           4,
                           10,
                           true};

std::string marker_name(std::int64_t marker) { return "marker" + std::to_string(marker); }

const Kind& read_nodes(const std::string& path, const ReadOptions& options, MeshData& data) {
  NumberLines file(path, options.progress);
  file.next("the number of nodes");
  const std::int64_t count = file.count(0, "the number of nodes", 8);
  const auto dimension = static_cast<std::size_t>(file.choice(1, "the dimension", {2, 3}));
  const std::size_t attributes =
      file.fields() > 2 ? static_cast<std::size_t>(file.number(2, "the number of attributes")) : 0;
  const bool markers = file.fields() > 3 && file.choice(3, "the number of boundary markers", {0, 1}) == 1;
  data.points.reserve(3 * static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    file.next("a node");
    data.node_ids.append(file.number(0, "a node's number"));
    data.points.push_back(file.real(1, "a node's x coordinate"));
    data.points.push_back(file.real(2, "a node's y coordinate"));
    data.points.push_back(dimension == 3 ? file.real(3, "a node's z coordinate") : 0.0);
    if (!markers) continue;
    const std::int64_t marker = file.integer(1 + dimension + attributes, "a node's boundary marker");
    if (marker != 0) data.node_sets[marker_name(marker)].push_back(static_cast<Ordinal>(i));
  }
  file.end();
  if (const auto repeated = data.node_ids.build_index())
    throw FileError(path, 0, "node " + std::to_string(*repeated) + " is defined twice");
  return dimension == 2 ? triangle_kind : tetgen_kind;
}

/// Index of the node that a field names; `whose` says of which cell or side, for the message.
Ordinal node_of(const NumberLines& file, std::size_t field, const MeshData& data, const char* whose) {
  const std::int64_t number = file.integer(field, "a node's number");
  const Ordinal node = number < 0 ? -1 : data.node_ids.find(number);
  if (node < 0)
    file.fail(std::string(whose) + " " + std::to_string(file.integer(0, "a number")) + " has node " +
              std::to_string(number) + ", which the .node file does not define");
  return node;
}

void read_cells(const std::string& path, const ReadOptions& options, const Kind& kind, MeshData& data) {
  NumberLines file(path, options.progress);
  file.next(kind.number_of_cells);
  const std::int64_t count = file.count(0, kind.number_of_cells, 2 * (kind.corners + 1));
  const std::int64_t nodes = file.choice(1, kind.nodes_of_a_cell, {kind.corners, kind.quadratic_nodes});
  const bool attribute = file.fields() > 2 && file.number(2, "the number of attributes") > 0;
  CellBlock& block = data.block({kind.shape, nodes == kind.corners ? 1 : 2});
  const NodeOrder order = tetgen_order(block.type);
  block.nodes.reserve(static_cast<std::size_t>(count * nodes));
  block.material.reserve(static_cast<std::size_t>(count));
  std::array<Ordinal, 10> in_file{};
  for (std::int64_t i = 0; i < count; ++i) {
    file.next(kind.cell);
    block.ids.append(file.number(0, "a number"));
    for (std::size_t n = 0; n < static_cast<std::size_t>(nodes); ++n)
      in_file[n] = node_of(file, n + 1, data, kind.cell);
    for (const std::int8_t place : order) block.nodes.push_back(in_file[static_cast<std::size_t>(place)]);
    double material = 0.0;
    if (attribute) material = file.real(static_cast<std::size_t>(nodes) + 1, kind.attribute);
    if (material != std::floor(material) || std::abs(material) > std::numeric_limits<std::int32_t>::max())
      file.fail(std::string("expected ") + kind.attribute + ", an integer for its material, but found " +
                shown(material));
    block.material.push_back(static_cast<std::int32_t>(material));
  }
  file.end();
}

void read_sides(const std::string& path, const ReadOptions& options, const Kind& kind, MeshData& data) {
  NumberLines file(path, options.progress);
  file.next("the number of sides");
  const std::int64_t count = file.count(0, "the number of sides", 2 * kind.corners);
  if (file.fields() < 2 || file.choice(1, "the number of boundary markers", {0, 1}) == 0) return;
  // With -o2 three nodes on the edges follow a face's corners.
  const auto corners_of_side = static_cast<std::size_t>(kind.corners - 1);
  const std::size_t nodes = kind.quadratic_sides && data.blocks.front().type.order == 2 ? 6 : corners_of_side;
  std::map<std::int64_t, std::vector<Ordinal>> corners;
  for (std::int64_t i = 0; i < count; ++i) {
    file.next(kind.side);
    const std::int64_t marker = file.integer(nodes + 1, "a side's boundary marker");
    if (marker == 0) continue;
    std::vector<Ordinal>& sides = corners[marker];
    std::vector<Ordinal>& set = data.node_sets[marker_name(marker)];
    for (std::size_t n = 0; n < nodes; ++n) {
      set.push_back(node_of(file, n + 1, data, kind.side));
      if (n < corners_of_side) sides.push_back(set.back());
    }
    sides.insert(sides.end(), 4 - corners_of_side, -1);
  }
  file.end();
  LeftOut left_out;
  for (const auto& [marker, sides] : corners) {
    const std::size_t missing = add_side_set(data, marker_name(marker), match_sides(data, sides));
    if (missing == 0) continue;
    const std::string what = std::to_string(missing) + " " + kind.sides + " with marker " +
                             std::to_string(marker) + " are " + kind.sides + " of no " + kind.cell;
    if (!options.allow_partial) throw FileError(path, 0, what);
    left_out.add(kind.sides + (" of side set " + in_quotes(marker_name(marker))) +
                     ", a set of nodes alone, as " + what,
                 static_cast<std::int64_t>(sides.size() / 4));
  }
  left_out.tell(data.source, options.left_out);
}

} // namespace

std::vector<std::string> files_of_tetgen(const std::string& path) {
  const std::string base = std::filesystem::path(path).replace_extension().string();
  return {base + ".node", base + ".ele", base + tetgen_kind.extension, base + triangle_kind.extension};
}

MeshData read_tetgen(const std::string& path, const ReadOptions& options) {
  const std::vector<std::string> files = files_of_tetgen(path);
  MeshData data;
  data.source = files[1];
  const Kind& kind = read_nodes(files[0], options, data);
  read_cells(data.source, options, kind, data);
  turn_cells(data, options);
  const std::string& sides = files[kind.shape == Shape::tetrahedron ? 2 : 3];
  if (std::filesystem::exists(sides)) read_sides(sides, options, kind, data);
  for (auto& [name, set] : data.node_sets) {
    std::sort(set.begin(), set.end());
    set.erase(std::unique(set.begin(), set.end()), set.end());
  }
  return data;
}

} // namespace tessera::io
