// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Side sets of a mesh from what applications have: faces by their corners, or nothing but the mesh.

#include <tessera/core/allocate.hpp>
#include <tessera/core/elements/detail/turn.hpp>
#include <tessera/core/mesh/mesh.hpp>
#include <tessera/core/space/detail/copy_of.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tessera {

namespace detail {

/// A side of an element, by its corners in ascending order; -1 stands before those of sides that have fewer
/// than others.
template <int Corners>
struct SideByCorners {
  std::array<Ordinal, Corners> corners;
  Ordinal turn; ///< as `turn_of`
  Ordinal element;
  int side;

  friend bool operator<(const SideByCorners& a, const SideByCorners& b) { return a.corners < b.corners; }
};

/// The corners of a side, of a list that -1 fills up.
template <std::size_t most>
std::span<const Ordinal> without_fill(const std::array<Ordinal, most>& corners) {
  return std::span(corners).first(
      static_cast<std::size_t>(std::find(corners.begin(), corners.end(), -1) - corners.begin()));
}

/// All sides of a mesh, those with the same corners one after the other.
template <class Element, class ExecutionSpace>
auto sides_by_corners(const Mesh<Element, ExecutionSpace>& mesh) {
  constexpr int corners = SidesOf<Element>::most_corners;
  constexpr auto side_nodes = Element::side_nodes();
  const auto nodes = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mesh.connectivity());
  std::vector<SideByCorners<corners>> sides;
  sides.reserve(nodes.extent(0) * side_nodes.size());
  for (Ordinal e = 0; e < mesh.num_elements(); ++e)
    for (int s = 0; s < Element::sides; ++s) {
      SideByCorners<corners> side{{}, 0, e, s};
      side.corners.fill(-1);
      for (int n = 0; n < side_corners_of<Element>(s); ++n) side.corners[n] = nodes(e, side_nodes[s][n]);
      side.turn = turn_of(without_fill(side.corners));
      std::sort(side.corners.begin(), side.corners.end());
      sides.push_back(side);
    }
  std::sort(sides.begin(), sides.end());
  return sides;
}

/// Side after side: element, number of the side.
template <class MeshType>
typename MeshType::SideSet to_side_set(const std::vector<std::pair<Ordinal, int>>& sides) {
  using ExecutionSpace = typename MeshType::execution_space;
  const auto exec = default_instance<ExecutionSpace>();
  const auto set = allocate<typename MeshType::SideSet>(exec, "Tessera::Mesh::side_set", sides.size());
  const auto host = Kokkos::create_mirror_view(Kokkos::HostSpace(), set);
  for (std::size_t i = 0; i < sides.size(); ++i) {
    host(i, 0) = sides[i].first;
    host(i, 1) = sides[i].second;
  }
  Kokkos::deep_copy(exec, set, host);
  exec.fence("Tessera::Mesh::side_set");
  return set;
}

} // namespace detail

/// The boundary of a mesh: the sides of one element alone, in ascending order. Sorts all sides on the host.
/// \throws OutOfMemoryError
template <class Element, class ExecutionSpace>
typename Mesh<Element, ExecutionSpace>::SideSet boundary_sides(const Mesh<Element, ExecutionSpace>& mesh) {
  const auto sides = detail::sides_by_corners(mesh);
  std::vector<std::pair<Ordinal, int>> alone;
  for (auto first = sides.begin(); first != sides.end();) {
    const auto last = std::upper_bound(first, sides.end(), *first);
    if (last - first == 1) alone.emplace_back(first->element, first->side);
    first = last;
  }
  std::sort(alone.begin(), alone.end());
  return detail::to_side_set<Mesh<Element, ExecutionSpace>>(alone);
}

/// The sides that faces (edges in two dimensions) are, in their order. Of a face between two elements it is
/// the side of the one that the face's normal points out of, by the right-hand rule for the order of its
/// corners (of an edge, the element at the left on the way from its first corner to its second); where that
/// order goes round neither way, of the first. Sorts all sides on the host.
///
/// \param faces view in any memory, face x node: a face's corners first, for one on the boundary in any
/// order;
///   more are not looked at. Of elements with triangles and quadrilaterals, a triangle's row has -1 after its
///   three corners
/// \throws ArgumentError naming a face that is a side of no element, or a view of too few nodes
template <class Element, class ExecutionSpace, class Faces>
typename Mesh<Element, ExecutionSpace>::SideSet sides_of_faces(const Mesh<Element, ExecutionSpace>& mesh,
                                                               const Faces& faces) {
  static_assert(Kokkos::is_view_v<Faces> && Faces::rank() == 2,
                "sides_of_faces: a view of faces by nodes, face x node, is needed");
  constexpr int corners = detail::SidesOf<Element>::most_corners;
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), faces);
  if (host.extent(1) < corners)
    throw ArgumentError("sides_of_faces: " + std::to_string(host.extent(1)) + " nodes a face, a side of " +
                        Element::name + " has " + std::to_string(corners) + " corners");
  const auto sides = detail::sides_by_corners(mesh);
  std::vector<std::pair<Ordinal, int>> found;
  found.reserve(host.extent(0));
  for (std::size_t f = 0; f < host.extent(0); ++f) {
    detail::SideByCorners<corners> face{};
    for (int n = 0; n < corners; ++n) face.corners[n] = host(f, n);
    if (face.corners.front() < 0)
      throw ArgumentError("sides_of_faces: face " + std::to_string(f) + " has no corners");
    face.turn = detail::turn_of(detail::without_fill(face.corners));
    std::sort(face.corners.begin(), face.corners.end());
    const auto [first, last] = std::equal_range(sides.begin(), sides.end(), face);
    if (first == last) {
      std::string nodes;
      for (const Ordinal node : face.corners)
        if (node >= 0) nodes += " " + std::to_string(node);
      throw ArgumentError("sides_of_faces: face " + std::to_string(f) + ", of the nodes" + nodes +
                          ", is a side of no element");
    }
    const auto side = std::min_element(first, last, [&](const auto& a, const auto& b) {
      return std::pair(a.turn != face.turn, a.element) < std::pair(b.turn != face.turn, b.element);
    });
    found.emplace_back(side->element, side->side);
  }
  return detail::to_side_set<Mesh<Element, ExecutionSpace>>(found);
}

/// The nodes on sides, ascending and each once; made on the host.
/// \param sides view of (element, side), as of `Mesh::side_set`
/// \throws ArgumentError for sides that the mesh does not have
template <class Element, class ExecutionSpace, class Sides>
typename Mesh<Element, ExecutionSpace>::NodeSet nodes_of_sides(const Mesh<Element, ExecutionSpace>& mesh,
                                                               const Sides& sides) {
  using Set = typename Mesh<Element, ExecutionSpace>::SideSet;
  constexpr auto side_nodes = Element::side_nodes();
  const auto exec = default_instance<ExecutionSpace>();
  const auto set = user_view<Set>("nodes_of_sides: sides", sides);
  if (const auto wrong = detail::first_wrong_side(exec, mesh, set); !wrong.empty())
    throw ArgumentError("nodes_of_sides: " + wrong);
  const auto nodes = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mesh.connectivity());
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), set);
  std::vector<Ordinal> on_sides;
  for (std::size_t i = 0; i < host.extent(0); ++i)
    for (int n = 0; n < detail::side_nodes_of<Element>(host(i, 1)); ++n)
      on_sides.push_back(nodes(host(i, 0), side_nodes[host(i, 1)][n]));
  std::sort(on_sides.begin(), on_sides.end());
  on_sides.erase(std::unique(on_sides.begin(), on_sides.end()), on_sides.end());
  return detail::copy_of(exec, "Tessera::Mesh::node_set", on_sides);
}

} // namespace tessera
