// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Structured boxes of every element, generated on the device.

#include <tessera/core/allocate.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/mesh/elevate.hpp>
#include <tessera/core/mesh/mesh.hpp>
#include <tessera/core/mesh/side_points.hpp>
#include <tessera/core/types.hpp>
#include <tessera/io/generate/detail/box_lattice.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>

namespace tessera::io {

/// The box [0, length_0] x ... cut into equal cells; simplices split each cell along its main diagonal
/// (two triangles a square, Kuhn's six tetrahedra a cube). Of pyramids a cube has three with one apex, at the
/// corner with even numbers on the lattice of all corners; so faces between cubes are whole or cut, from
/// both.
struct Box {
  std::array<Ordinal, 3> cells{1, 1, 1}; ///< cells along each axis; the third is unused in two dimensions
  std::array<double, 3> lengths{1.0, 1.0, 1.0};
};

namespace detail {

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

/// Whether a box is one of linear elements, elevated: of wedges and pyramids with nodes at corners and edges
/// alone, of which the lattice's points between four corners have some and others not.
template <class Element>
inline constexpr bool elevated_box = BoxLattice<Element>::edges_alone && !is_cube(Element::shape);

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

/// The box of elements whose nodes the lattice numbers.
template <class Element, class ExecutionSpace>
Mesh<Element, ExecutionSpace> lattice_box(const ExecutionSpace& exec, const Box& box) {
  using MeshType = Mesh<Element, ExecutionSpace>;
  using Builder = BoxBuilder<Element, ExecutionSpace>;
  using NodeFace = BoxFace<Element, ExecutionSpace, typename MeshType::NodeSet>;
  using SideFace = BoxFace<Element, ExecutionSpace, typename MeshType::SideSet>;
  const auto [nodes, elements] = BoxCounts<Element>(box);
  BoxLattice<Element> lattice;
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
      mesh.add_node_set(
          exec, name,
          box_face<typename NodeFace::Nodes, typename MeshType::NodeSet>(exec, lattice, axis, upper, nodes));
      mesh.add_side_set(exec, name,
                        box_face<typename SideFace::Sides, typename MeshType::SideSet>(
                            exec, lattice, axis, upper, elements * Element::sides));
    }
  return mesh;
}

} // namespace detail

/// Generates a box with node sets and side sets xmin, xmax, ymin, ymax (and zmin, zmax) for its faces.
/// \throws ArgumentError for cells or lengths that are not positive, or 2^31 - 1 elements or nodes or more;
/// for as many nodes MeshError of `Wedge15` and `Pyramid13`, which are elevated on the host
template <class Element, class ExecutionSpace = Kokkos::DefaultExecutionSpace>
Mesh<Element, ExecutionSpace> box_mesh(const ExecutionSpace& exec, const Box& box) {
  if constexpr (detail::elevated_box<Element>)
    return elevated<Element>(box_mesh<typename Element::template of_order<1>>(exec, box));
  else
    return detail::lattice_box<Element>(exec, box);
}

/// The same on the default instance.
template <class Element, class ExecutionSpace = Kokkos::DefaultExecutionSpace>
Mesh<Element, ExecutionSpace> box_mesh(const Box& box) {
  return box_mesh<Element>(default_instance<ExecutionSpace>(), box);
}

} // namespace tessera::io
