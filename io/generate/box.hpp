// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Structured boxes of every element, generated on the device.

#include <tessera/core/allocate.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/mesh/mesh.hpp>
#include <tessera/core/mesh/side_points.hpp>
#include <tessera/core/types.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>

namespace tessera::io {

/// The box [0, length_0] x ... cut into equal cells; simplices split each cell along its main diagonal
/// (two triangles a square, Kuhn's six tetrahedra a cube).
struct Box {
  std::array<Ordinal, 3> cells{1, 1, 1}; ///< cells along each axis; the third is unused in two dimensions
  std::array<double, 3> lengths{1.0, 1.0, 1.0};
};

namespace detail {

/// Nodes lie on a lattice that is `order` times finer than the cells, numbered x fastest. Where elements have
/// nodes at corners and edges alone, points with two coordinates between corners have none, and no number.
template <class Element>
struct BoxLattice {
  static constexpr int dimension = Element::dimension;
  static constexpr bool edges_alone =
      Element::nodes < tessera::detail::lattice_size(Element::shape, Element::order);
  /// Directions, the first ones, of which a cell's square or cube is cut into simplices.
  static constexpr int cut = [] {
    int directions = 0;
    for (int d = 0; d < dimension; ++d) directions += is_interval(Element::shape, d) ? 0 : 1;
    return directions;
  }();
  static constexpr int parts = cut == 3 ? 6 : cut == 2 ? 2 : 1;
  Ordinal cells[dimension];
  double spacing[dimension];

  KOKKOS_FUNCTION Ordinal points(int d) const { return cells[d] * Element::order + 1; }

  KOKKOS_FUNCTION Ordinal node(const Ordinal (&at)[dimension]) const {
    if constexpr (edges_alone) return node_of_edges(at);
    Ordinal index = at[dimension - 1];
    for (int d = dimension - 2; d >= 0; --d) index = index * points(d) + at[d];
    return index;
  }
  KOKKOS_FUNCTION void lattice_point(Ordinal node, Ordinal (&at)[dimension]) const {
    if constexpr (edges_alone) return point_of_edges(node, at);
    for (int d = 0; d < dimension; ++d) {
      at[d] = node % points(d);
      node /= points(d);
    }
  }
  KOKKOS_FUNCTION void cell(Ordinal index, Ordinal (&at)[dimension]) const {
    for (int d = 0; d < dimension; ++d) {
      at[d] = index % cells[d];
      index /= cells[d];
    }
  }

  /// \name Elements of order two without inner nodes.
  /// Nodes of a row along x with corners, of a plane of rows in turn with and without, and on the edges along
  /// z between two planes.
  ///@{
  KOKKOS_FUNCTION Ordinal row() const { return 2 * cells[0] + 1; }
  KOKKOS_FUNCTION Ordinal plane() const { return (cells[1] + 1) * row() + cells[1] * (cells[0] + 1); }
  KOKKOS_FUNCTION Ordinal edges_along_z() const { return (cells[0] + 1) * (cells[1] + 1); }
  KOKKOS_FUNCTION Ordinal node_of_edges(const Ordinal (&at)[dimension]) const {
    const Ordinal in_plane =
        at[1] / 2 * (row() + cells[0] + 1) + (at[1] % 2 == 0 ? at[0] : row() + at[0] / 2);
    if constexpr (dimension == 2) return in_plane;
    const Ordinal below = at[dimension - 1] / 2 * (plane() + edges_along_z());
    if (at[dimension - 1] % 2 == 0) return below + in_plane;
    return below + plane() + at[1] / 2 * (cells[0] + 1) + at[0] / 2;
  }
  KOKKOS_FUNCTION void point_of_edges(Ordinal node, Ordinal (&at)[dimension]) const {
    if constexpr (dimension == 3) {
      at[2] = node / (plane() + edges_along_z()) * 2;
      node %= plane() + edges_along_z();
      if (node >= plane()) {
        node -= plane();
        at[0] = node % (cells[0] + 1) * 2;
        at[1] = node / (cells[0] + 1) * 2;
        ++at[2];
        return;
      }
    }
    const Ordinal two_rows = row() + cells[0] + 1;
    at[1] = node / two_rows * 2;
    at[0] = node % two_rows;
    if (at[0] < row()) return;
    at[0] = (at[0] - row()) * 2;
    ++at[1];
  }
  ///@}

  struct References {
    int entry[Element::nodes][dimension];
  };
  static constexpr References references() {
    References table{};
    const auto points = Element::node_coordinates();
    for (int n = 0; n < Element::nodes; ++n)
      for (int d = 0; d < dimension; ++d) {
        const double unit = is_interval(Element::shape, d) ? (points[n][d] + 1) / 2 : points[n][d];
        table.entry[n][d] = static_cast<int>(unit * Element::order + 0.5);
      }
    return table;
  }

  /// Reference coordinates of the element's nodes times the order, as integers from 0 to order.
  KOKKOS_FUNCTION static int reference(int n, int d) {
    static constexpr References table = references();
    return table.entry[n][d];
  }

  /// Lattice point of node n of an element.
  KOKKOS_FUNCTION void element_point(Ordinal element, int n, Ordinal (&at)[dimension]) const {
    cell(element / parts, at);
    int offset[dimension] = {};
    for (int d = cut; d < dimension; ++d) offset[d] = reference(n, d);
    if constexpr (cut > 0) simplex_offset(element % parts, n, offset);
    for (int d = 0; d < dimension; ++d) at[d] = at[d] * Element::order + offset[d];
  }

  /// Kuhn's simplex of permutation pi walks from corner 0 along axes pi_0, pi_1, ...: vertex k has the first
  /// k of them. Odd permutations swap their last two vertices to keep the orientation.
  KOKKOS_FUNCTION static void simplex_offset(int part, int n, int (&offset)[dimension]) {
    constexpr int axes3[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {1, 0, 2}, {2, 1, 0}};
    constexpr int axes2[2][2] = {{0, 1}, {1, 0}};
    const bool odd = cut == 3 ? part >= 3 : part == 1;
    for (int vertex = 1; vertex <= cut; ++vertex) {
      const int weight = reference(n, vertex - 1);
      int walked = vertex;
      if (odd && vertex == cut - 1)
        walked = cut;
      else if (odd && vertex == cut)
        walked = cut - 1;
      for (int step = 0; step < walked; ++step)
        offset[cut == 3 ? axes3[part][step] : axes2[part % 2][step % 2]] += weight;
    }
  }
};

template <class Element, class ExecutionSpace>
struct BoxBuilder {
  using MeshType = Mesh<Element, ExecutionSpace>;
  BoxLattice<Element> lattice;
  typename MeshType::Coordinates coordinates;
  typename MeshType::Connectivity connectivity;

  struct Nodes {};
  struct Elements {};
  KOKKOS_FUNCTION void operator()(Nodes, Ordinal node) const {
    Ordinal at[Element::dimension];
    lattice.lattice_point(node, at);
    for (int d = 0; d < Element::dimension; ++d) coordinates(node, d) = at[d] * lattice.spacing[d];
  }
  KOKKOS_FUNCTION void operator()(Elements, Ordinal e) const {
    for (int n = 0; n < Element::nodes; ++n) {
      Ordinal at[Element::dimension];
      lattice.element_point(e, n, at);
      connectivity(e, n) = lattice.node(at);
    }
  }
};

/// Checks a box and counts its nodes and elements, which an Ordinal can number, and of which there can be
/// more sides and nodes of elements than that. \throws ArgumentError as box_mesh
template <class Element>
struct BoxCounts {
  std::int64_t nodes = 1;
  std::int64_t elements = BoxLattice<Element>::parts;

  explicit BoxCounts(const Box& box) {
    constexpr std::int64_t limit = std::numeric_limits<Ordinal>::max();
    // In doubles, which do not overflow, as far as the limit decides.
    double all_nodes = 1, all_elements = BoxLattice<Element>::parts;
    for (int d = 0; d < Element::dimension; ++d) {
      if (box.cells[to_size(d)] < 1 || !(box.lengths[to_size(d)] > 0))
        throw ArgumentError("box: cells and lengths along each axis must be positive");
      all_elements *= box.cells[to_size(d)];
      all_nodes *= static_cast<double>(box.cells[d]) * Element::order + 1;
    }
    if constexpr (BoxLattice<Element>::edges_alone) all_nodes -= points_without_nodes(box);
    if (all_elements >= static_cast<double>(limit) || all_nodes >= static_cast<double>(limit)) {
      char text[128];
      std::snprintf(text, sizeof text,
                    "box: %.10g elements and %.10g nodes; one process holds fewer than %lld of each",
                    all_elements, all_nodes, static_cast<long long>(limit));
      throw ArgumentError(text);
    }
    nodes = static_cast<std::int64_t>(all_nodes);
    elements = static_cast<std::int64_t>(all_elements);
  }

private:
  /// Middles of faces and cells.
  static double points_without_nodes(const Box& box) {
    const auto n = [&](std::size_t d) { return static_cast<double>(box.cells[d]); };
    if constexpr (Element::dimension == 2) return n(0) * n(1);
    return n(0) * n(1) * (n(2) + 1) + n(0) * (n(1) + 1) * n(2) + (n(0) + 1) * n(1) * n(2) +
           n(0) * n(1) * n(2);
  }
};

/// Picks the nodes or sides on the plane x_axis = `at` of the lattice, in ascending order.
template <class Element, class ExecutionSpace, class Set>
struct BoxFace {
  BoxLattice<Element> lattice;
  int axis;
  Ordinal at;
  Set set; ///< empty while counting

  struct Nodes {};
  struct Sides {};
  KOKKOS_FUNCTION void operator()(Nodes, std::int64_t index, Ordinal& count, bool final) const {
    const auto node = static_cast<Ordinal>(index);
    Ordinal point[Element::dimension];
    lattice.lattice_point(node, point);
    if (point[axis] != at) return;
    if constexpr (Set::rank() == 1)
      if (final && set.extent(0) > 0) set(count) = node;
    ++count;
  }
  KOKKOS_FUNCTION void operator()(Sides, std::int64_t index, Ordinal& count, bool final) const {
    const auto element = static_cast<Ordinal>(index / Element::sides);
    const auto side = static_cast<int>(index % Element::sides);
    Ordinal cell[Element::dimension];
    lattice.cell(element / BoxLattice<Element>::parts, cell);
    if (cell[axis] != (at == 0 ? 0 : lattice.cells[axis] - 1)) return; // as most do
    for (int a = 0; a < tessera::detail::SideNodes<Element>::count(side); ++a) {
      Ordinal point[Element::dimension];
      lattice.element_point(element, side_node(side, a), point);
      if (point[axis] != at) return;
    }
    if constexpr (Set::rank() == 2)
      if (final && set.extent(0) > 0) {
        set(count, 0) = element;
        set(count, 1) = side;
      }
    ++count;
  }
  KOKKOS_FUNCTION static int side_node(int side, int a) {
    return tessera::detail::SideNodes<Element>::local_node(side, a);
  }
};

template <class Tag, class Set, class Element, class ExecutionSpace>
Set box_face(const ExecutionSpace& exec, const BoxLattice<Element>& lattice, int axis, bool upper,
             std::int64_t items) {
  using Face = BoxFace<Element, ExecutionSpace, Set>;
  // An element's sides are more than an Ordinal may count.
  using Policy = Kokkos::RangePolicy<ExecutionSpace, Tag, Kokkos::IndexType<std::int64_t>>;
  Face face{lattice, axis, upper ? lattice.points(axis) - 1 : 0, {}};
  Ordinal count = 0;
  Kokkos::parallel_scan("Tessera::Box::count_face", Policy(exec, 0, items), face, count);
  face.set = Set(Kokkos::view_alloc(exec, std::string("Tessera::Box::face")), count);
  Kokkos::parallel_scan("Tessera::Box::fill_face", Policy(exec, 0, items), face, count);
  exec.fence("Tessera::Box::fill_face");
  return face.set;
}

} // namespace detail

/// Generates a box with node sets and side sets xmin, xmax, ymin, ymax (and zmin, zmax) for its faces.
/// \throws ArgumentError for cells or lengths that are not positive, or 2^31 - 1 elements or nodes or more
template <class Element, class ExecutionSpace = Kokkos::DefaultExecutionSpace>
Mesh<Element, ExecutionSpace> box_mesh(const ExecutionSpace& exec, const Box& box) {
  using MeshType = Mesh<Element, ExecutionSpace>;
  using Builder = detail::BoxBuilder<Element, ExecutionSpace>;
  using NodeFace = detail::BoxFace<Element, ExecutionSpace, typename MeshType::NodeSet>;
  using SideFace = detail::BoxFace<Element, ExecutionSpace, typename MeshType::SideSet>;
  const auto [nodes, elements] = detail::BoxCounts<Element>(box);
  detail::BoxLattice<Element> lattice;
  for (int d = 0; d < Element::dimension; ++d) {
    lattice.cells[d] = box.cells[d];
    lattice.spacing[d] = box.lengths[d] / (static_cast<double>(box.cells[d]) * Element::order);
  }
  Builder builder{lattice, allocate<typename MeshType::Coordinates>(exec, "Tessera::Box::coordinates", nodes),
                  allocate<typename MeshType::Connectivity>(exec, "Tessera::Box::connectivity", elements)};
  Kokkos::parallel_for("Tessera::Box::nodes",
                       Kokkos::RangePolicy<ExecutionSpace, typename Builder::Nodes>(exec, 0, nodes), builder);
  Kokkos::parallel_for("Tessera::Box::elements",
                       Kokkos::RangePolicy<ExecutionSpace, typename Builder::Elements>(exec, 0, elements),
                       builder);
  MeshType mesh(exec, builder.coordinates, builder.connectivity);
  const char axis_names[] = {'x', 'y', 'z'};
  for (int axis = 0; axis < Element::dimension; ++axis)
    for (bool upper : {false, true}) {
      const std::string name = std::string(1, axis_names[axis]) + (upper ? "max" : "min");
      mesh.add_node_set(exec, name,
                        detail::box_face<typename NodeFace::Nodes, typename MeshType::NodeSet>(
                            exec, lattice, axis, upper, nodes));
      mesh.add_side_set(exec, name,
                        detail::box_face<typename SideFace::Sides, typename MeshType::SideSet>(
                            exec, lattice, axis, upper, elements * Element::sides));
    }
  return mesh;
}

/// The same on the default instance.
template <class Element, class ExecutionSpace = Kokkos::DefaultExecutionSpace>
Mesh<Element, ExecutionSpace> box_mesh(const Box& box) {
  return box_mesh<Element>(default_instance<ExecutionSpace>(), box);
}

} // namespace tessera::io
