#include <tessera/core/error.hpp>
#include <tessera/io/generate.hpp>

#include <cmath>
#include <limits>
#include <span>
#include <utility>

namespace tessera::io {

namespace {

/// How one brick is cut into cells. A corner of the brick is the number x + 2 y + 4 z of its offsets.
struct Pattern {
  int dimension;
  std::span<const std::int8_t> corners; ///< cell x corner
  int cells;
};

constexpr std::int8_t triangle_corners[] = {0, 1, 3, 0, 3, 2};
constexpr std::int8_t quadrilateral_corners[] = {0, 1, 3, 2};
constexpr std::int8_t hexahedron_corners[] = {0, 1, 3, 2, 4, 5, 7, 6};
// Kuhn: one tetrahedron for each order of the axes along which one walks from corner 0 to corner 7; the
// second and third corner are exchanged for odd orders, so that all volumes are positive.
constexpr std::int8_t tetrahedron_corners[] = {0, 1, 3, 7, 0, 2, 6, 7, 0, 4, 5, 7,
                                               0, 5, 1, 7, 0, 3, 2, 7, 0, 6, 4, 7};

Pattern pattern(CellShape shape) {
  switch (shape) {
  case CellShape::triangle:
    return {2, triangle_corners, 2};
  case CellShape::quadrilateral:
    return {2, quadrilateral_corners, 1};
  case CellShape::tetrahedron:
    return {3, tetrahedron_corners, 6};
  case CellShape::hexahedron:
    return {3, hexahedron_corners, 1};
  default:
    throw ArgumentError(
        "generate_box: the shape must be a triangle, quadrilateral, tetrahedron or hexahedron");
  }
}

/// A face of the box: the bricks with index `upper ? last : 0` along `axis`.
struct Face {
  std::size_t axis;
  bool upper;
  const char* name;
};

constexpr Face faces[] = {{0, false, "xmin"}, {0, true, "xmax"},  {1, false, "ymin"},
                          {1, true, "ymax"},  {2, false, "zmin"}, {2, true, "zmax"}};

/// The cells of a brick that have a side on a face, in ascending order, as cell within the brick and side.
std::vector<Side> sides_on(const Pattern& pattern, CellShape shape, const Face& face) {
  const CellType type{shape, 1};
  std::vector<Side> sides;
  for (int cell = 0; cell < pattern.cells; ++cell)
    for (int side = 0; side < type.sides(); ++side) {
      bool all = true;
      for (const std::int8_t local : type.side_corners(side)) {
        const int corner = pattern.corners[static_cast<std::size_t>(cell * type.corners() + local)];
        all = all && ((corner >> face.axis & 1) != 0) == face.upper;
      }
      if (all) sides.push_back({cell, side});
    }
  return sides;
}

using Extents = std::array<Ordinal, 3>;

/// Calls `body(i, j, k, number)` for the lattice points with `fixed` along an axis, x fastest.
template <class Body>
void on_layer(const Extents& extent, std::size_t axis, Ordinal fixed, const Body& body) {
  Extents first{0, 0, 0};
  Extents last = extent;
  first[axis] = fixed;
  last[axis] = fixed + 1;
  for (Ordinal k = first[2]; k < last[2]; ++k)
    for (Ordinal j = first[1]; j < last[1]; ++j)
      for (Ordinal i = first[0]; i < last[0]; ++i) body(i + extent[0] * (j + extent[1] * k));
}

void check(const Box& box, int dimension, int cells_per_brick) {
  double nodes = 1.0;
  double cells = cells_per_brick;
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimension); ++d) {
    if (box.cells[d] < 1)
      throw ArgumentError("generate_box: needs at least 1 cell along each axis, but got " +
                          std::to_string(box.cells[d]) + " along axis " + std::to_string(d));
    if (!(box.lengths[d] > 0.0) || !std::isfinite(box.lengths[d]))
      throw ArgumentError("generate_box: needs positive lengths, but got " + std::to_string(box.lengths[d]) +
                          " along axis " + std::to_string(d));
    nodes *= static_cast<double>(box.cells[d]) + 1.0;
    cells *= static_cast<double>(box.cells[d]);
  }
  constexpr double limit = std::numeric_limits<Ordinal>::max();
  if (nodes > limit || cells > limit) {
    const bool too_many_nodes = nodes > limit;
    char count[32];
    std::snprintf(count, sizeof count, "%.0f", too_many_nodes ? nodes : cells);
    throw ArgumentError(std::string("generate_box: ") + count + (too_many_nodes ? " nodes" : " cells") +
                        " are more than the 2147483647 that 32-bit numbers can count");
  }
}

void make_points(const Extents& nodes, const Box& box, MeshData& data) {
  data.points.resize(3 * static_cast<std::size_t>(nodes[0]) * static_cast<std::size_t>(nodes[1]) *
                     static_cast<std::size_t>(nodes[2]));
  const auto position = [&](std::size_t axis, Ordinal i) {
    // The last node lies on the face exactly; a plane mesh has one layer of nodes at z = 0.
    const Ordinal last = nodes[axis] - 1;
    return last == 0 ? 0.0 : box.lengths[axis] * (static_cast<double>(i) / static_cast<double>(last));
  };
  double* point = data.points.data();
  for (Ordinal k = 0; k < nodes[2]; ++k) {
    const double z = position(2, k);
    for (Ordinal j = 0; j < nodes[1]; ++j) {
      const double y = position(1, j);
      for (Ordinal i = 0; i < nodes[0]; ++i, point += 3) {
        point[0] = position(0, i);
        point[1] = y;
        point[2] = z;
      }
    }
  }
}

void make_cells(const Pattern& pattern, const Extents& bricks, const Extents& nodes, CellBlock& block) {
  const std::size_t cells = static_cast<std::size_t>(bricks[0]) * static_cast<std::size_t>(bricks[1]) *
                            static_cast<std::size_t>(bricks[2]) * static_cast<std::size_t>(pattern.cells);
  block.nodes.resize(cells * static_cast<std::size_t>(block.type.nodes()));
  block.material.assign(cells, 0);
  block.ids.append_range(1, static_cast<Ordinal>(cells));

  std::vector<Ordinal> offsets; // of the nodes of a brick's cells from the brick's first node
  for (const std::int8_t corner : pattern.corners)
    offsets.push_back((corner & 1) + nodes[0] * ((corner >> 1 & 1) + nodes[1] * (corner >> 2 & 1)));
  Ordinal* target = block.nodes.data();
  for (Ordinal k = 0; k < bricks[2]; ++k)
    for (Ordinal j = 0; j < bricks[1]; ++j)
      for (Ordinal i = 0; i < bricks[0]; ++i) {
        const Ordinal first = i + nodes[0] * (j + nodes[1] * k);
        for (const Ordinal offset : offsets) *target++ = first + offset;
      }
}

} // namespace

MeshData generate_box(CellShape shape, const Box& box) {
  const Pattern cut = pattern(shape);
  check(box, cut.dimension, cut.cells);
  Extents bricks{1, 1, 1};
  Extents nodes{1, 1, 1};
  for (std::size_t d = 0; d < static_cast<std::size_t>(cut.dimension); ++d) {
    bricks[d] = static_cast<Ordinal>(box.cells[d]);
    nodes[d] = bricks[d] + 1;
  }

  MeshData data;
  data.source = "generated box";
  make_points(nodes, box, data);
  data.node_ids.append_range(1, data.nodes());
  CellBlock& block = data.block({shape, 1});
  make_cells(cut, bricks, nodes, block);

  for (std::size_t f = 0; f < 2 * static_cast<std::size_t>(cut.dimension); ++f) {
    const Face& face = faces[f];
    std::vector<Ordinal>& node_set = data.node_sets[face.name];
    on_layer(nodes, face.axis, face.upper ? nodes[face.axis] - 1 : 0,
             [&](Ordinal node) { node_set.push_back(node); });
    const std::vector<Side> on_face = sides_on(cut, shape, face);
    std::vector<Side>& side_set = block.side_sets[face.name];
    on_layer(bricks, face.axis, face.upper ? bricks[face.axis] - 1 : 0, [&](Ordinal brick) {
      for (const Side& side : on_face) side_set.push_back({cut.cells * brick + side.cell, side.side});
    });
  }
  return data;
}

} // namespace tessera::io
