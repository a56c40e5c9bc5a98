// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/elements/detail/lattice.hpp>
#include <tessera/core/error.hpp>
#include <tessera/io/detail/side_matching.hpp>
#include <tessera/io/detail/turned_cells.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace tessera::io {

namespace {

using Vector = std::array<double, 3>;

/// A Jacobian that is smaller than this part of the product of its edges is taken for flat.
constexpr double flat = 1e-12;

template <Shape shape, int order>
std::vector<std::size_t> swapped_axes() {
  constexpr auto lattice = tessera::detail::make_lattice<shape, order>();
  std::vector<std::size_t> places;
  for (auto point : lattice) {
    std::swap(point[0], point[1]);
    places.push_back(
        static_cast<std::size_t>(std::find(lattice.begin(), lattice.end(), point) - lattice.begin()));
  }
  return places;
}

template <Shape shape, int order, int highest>
std::vector<std::size_t> swapped_axes_of(int wanted) {
  if constexpr (order < highest)
    if (wanted > order) return swapped_axes_of<shape, order + 1, highest>(wanted);
  return swapped_axes<shape, order>();
}

/// The node that takes each node's place where the first two reference axes change places.
std::vector<std::size_t> swapped_axes(CellType type) {
  switch (type.shape) {
  case Shape::triangle:
    return swapped_axes_of<Shape::triangle, 1, 5>(type.order);
  case Shape::quadrilateral:
    return swapped_axes_of<Shape::quadrilateral, 1, 2>(type.order);
  case Shape::tetrahedron:
    return swapped_axes_of<Shape::tetrahedron, 1, 3>(type.order);
  case Shape::hexahedron:
    return swapped_axes_of<Shape::hexahedron, 1, 2>(type.order);
  case Shape::wedge:
    return swapped_axes_of<Shape::wedge, 1, 2>(type.order);
  case Shape::pyramid:
    return swapped_axes_of<Shape::pyramid, 1, 2>(type.order);
  case Shape::line:
    break;
  }
  return {};
}

/// The number that each side has afterwards.
std::vector<Ordinal> swapped_sides(CellType type, const std::vector<std::size_t>& places) {
  const auto corners_of = [&](int side) {
    std::vector<std::size_t> corners;
    for (const int corner : type.side_corners(side)) corners.push_back(static_cast<std::size_t>(corner));
    return corners;
  };
  std::vector<Ordinal> sides;
  for (int side = 0; side < type.sides(); ++side) {
    std::vector<std::size_t> moved = corners_of(side);
    for (std::size_t& corner : moved) corner = places[corner];
    for (Ordinal other = 0; other < type.sides(); ++other) {
      const std::vector<std::size_t> candidate = corners_of(other);
      if (std::is_permutation(moved.begin(), moved.end(), candidate.begin(), candidate.end()))
        sides.push_back(other);
    }
  }
  return sides;
}

/// For each corner, itself and the corners at the ends of the edges along the axes, from the lower end of an
/// axis to the upper one. All corners of a simplex have the same Jacobian: one stands for them. Of a pyramid
/// the corners of the base, with the edges to the apex.
std::vector<std::array<int, 6>> corner_edges(CellType type) {
  switch (type.shape) {
  case Shape::triangle:
    return {{0, 1, 0, 2, 0, 0}};
  case Shape::tetrahedron:
    return {{0, 1, 0, 2, 0, 3}};
  case Shape::quadrilateral:
    return {{0, 1, 0, 3, 0, 0}, {0, 1, 1, 2, 0, 0}, {3, 2, 1, 2, 0, 0}, {3, 2, 0, 3, 0, 0}};
  case Shape::hexahedron:
    return {{0, 1, 0, 3, 0, 4}, {0, 1, 1, 2, 1, 5}, {3, 2, 1, 2, 2, 6}, {3, 2, 0, 3, 3, 7},
            {4, 5, 4, 7, 0, 4}, {4, 5, 5, 6, 1, 5}, {7, 6, 5, 6, 2, 6}, {7, 6, 4, 7, 3, 7}};
  case Shape::wedge:
    return {{0, 1, 0, 2, 0, 3}, {0, 1, 0, 2, 1, 4}, {0, 1, 0, 2, 2, 5},
            {3, 4, 3, 5, 0, 3}, {3, 4, 3, 5, 1, 4}, {3, 4, 3, 5, 2, 5}};
  case Shape::pyramid:
    return {{0, 1, 0, 3, 0, 4}, {0, 1, 1, 2, 1, 4}, {3, 2, 1, 2, 2, 4}, {3, 2, 0, 3, 3, 4}};
  case Shape::line:
    break;
  }
  return {};
}

/// Turns the cells of one block.
class Turner {
public:
  Turner(MeshData& data, CellBlock& block)
      : data_(data), block_(block), nodes_(static_cast<std::size_t>(block.type.nodes())),
        edges_(corner_edges(block.type)) {}

  Ordinal turn() {
    std::vector<bool> turned(static_cast<std::size_t>(block_.cells()), false);
    Ordinal count = 0;
    for (Ordinal cell = 0; cell < block_.cells(); ++cell) {
      if (!is_turned(cell)) continue;
      turned[static_cast<std::size_t>(cell)] = true;
      ++count;
    }
    if (count == 0) return 0;
    const std::vector<std::size_t> places = swapped_axes(block_.type);
    std::vector<Ordinal> old(nodes_);
    for (Ordinal cell = 0; cell < block_.cells(); ++cell) {
      if (!turned[static_cast<std::size_t>(cell)]) continue;
      const auto own = nodes_of(cell);
      std::copy(own.begin(), own.end(), old.begin());
      for (std::size_t n = 0; n < nodes_; ++n) own[n] = old[places[n]];
    }
    const std::vector<Ordinal> sides = swapped_sides(block_.type, places);
    for (auto& [name, set] : block_.side_sets) {
      for (Side& side : set)
        if (turned[static_cast<std::size_t>(side.cell)])
          side.side = sides[static_cast<std::size_t>(side.side)];
      std::sort(set.begin(), set.end());
    }
    if (count < block_.cells()) require_neighbours_outside(turned);
    return count;
  }

private:
  std::span<Ordinal> nodes_of(Ordinal cell) {
    return std::span(block_.nodes).subspan(static_cast<std::size_t>(cell) * nodes_, nodes_);
  }

  Vector edge(std::span<const Ordinal> nodes, int from, int to) const {
    Vector difference{};
    for (std::size_t d = 0; d < 3; ++d)
      difference[d] = data_.points[3 * to_size(nodes[to_size(to)]) + d] -
                      data_.points[3 * to_size(nodes[to_size(from)]) + d];
    return difference;
  }

  /// Whether the Jacobian is negative at every corner.
  bool is_turned(Ordinal cell) {
    const auto nodes = nodes_of(cell);
    return std::all_of(edges_.begin(), edges_.end(), [&](const std::array<int, 6>& ends) {
      const Vector x = edge(nodes, ends[0], ends[1]), y = edge(nodes, ends[2], ends[3]);
      const Vector z = block_.type.dimension() == 3 ? edge(nodes, ends[4], ends[5]) : Vector{0, 0, 1};
      const double jacobian = x[0] * (y[1] * z[2] - y[2] * z[1]) - x[1] * (y[0] * z[2] - y[2] * z[0]) +
                              x[2] * (y[0] * z[1] - y[1] * z[0]);
      const auto length = [](const Vector& v) { return std::hypot(v[0], v[1], v[2]); };
      return jacobian < -flat * length(x) * length(y) * length(z);
    });
  }

  /// \throws MeshError unless turned cells and their neighbours lie at both sides of what is between them
  void require_neighbours_outside(const std::vector<bool>& turned) {
    std::vector<bool> near(to_size(data_.nodes()), false);
    for (Ordinal cell = 0; cell < block_.cells(); ++cell)
      if (turned[to_size(cell)])
        for (const Ordinal node : nodes_of(cell)) near[to_size(node)] = true;
    struct Entry {
      SideKey key;
      Ordinal cell;
    };
    std::vector<Entry> entries;
    std::vector<Ordinal> corners;
    for (Ordinal cell = 0; cell < block_.cells(); ++cell)
      for (int side = 0; side < block_.type.sides(); ++side) {
        corners.clear();
        for (const int corner : block_.type.side_corners(side))
          corners.push_back(nodes_of(cell)[to_size(corner)]);
        if (std::all_of(corners.begin(), corners.end(), [&](Ordinal node) { return near[to_size(node)]; }))
          entries.push_back({side_key(corners), cell});
      }
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.key < b.key; });
    for (std::size_t i = 1; i < entries.size(); ++i) {
      const Ordinal first = entries[i - 1].cell, second = entries[i].cell;
      if (entries[i - 1].key == entries[i].key && (turned[to_size(first)] || turned[to_size(second)]))
        throw MeshError(data_.source + ": " + name(first) + " and " + name(second) +
                        " lie at the same side of what is between them: the mesh is folded there; repair it");
    }
  }

  std::string name(Ordinal cell) { return element_name(block_.ids, data_.node_ids, cell, nodes_of(cell)); }

  MeshData& data_;
  CellBlock& block_;
  std::size_t nodes_;
  std::vector<std::array<int, 6>> edges_;
};

} // namespace

Ordinal turn_cells(MeshData& data) {
  const int dimension = data.dimension();
  Ordinal turned = 0;
  if (dimension < 2) return 0;
  for (CellBlock& block : data.blocks)
    if (block.type.dimension() == dimension && (dimension == 3 || lies_in_plane(data, block)))
      turned += Turner(data, block).turn();
  return turned;
}

void turn_cells(MeshData& data, const ReadOptions& options) {
  if (!options.turned) return;
  if (const Ordinal turned = turn_cells(data))
    options.turned(data.source + ": of its " + data.contents() + ", " + std::to_string(turned) +
                   (turned == 1 ? " was" : " were") + " numbered the other way round, and turned");
}

} // namespace tessera::io
