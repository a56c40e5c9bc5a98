// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The sides of a set, and the rows that what is integrated over them goes to.

#include <tessera/core/mesh/mesh.hpp>
#include <tessera/core/mesh/side_points.hpp>
#include <tessera/core/space/detail/copy_of.hpp>
#include <tessera/core/space/detail/loaded_sides.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace tessera::detail {

/// The sides of one kind, and for each node whose functions are tested on them where its parts are: part
/// side * tested + t is that of test function t of a side.
template <class ExecutionSpace>
struct SideRows {
  Kokkos::View<Ordinal* [2], Kokkos::LayoutRight, ExecutionSpace> sides;
  Kokkos::View<Ordinal*, ExecutionSpace> nodes;   ///< ascending
  Kokkos::View<Ordinal*, ExecutionSpace> offsets; ///< of each (+1), into parts
  Kokkos::View<Ordinal*, ExecutionSpace> parts;   ///< ascending for each node

  std::size_t bytes() const {
    return (sides.span() + nodes.span() + offsets.span() + parts.span()) * sizeof(Ordinal);
  }
};

/// Test function t of a side is that of the element's node `test_node(side, t)`: of its own nodes or, where
/// gradients are tested, of all.
template <class Element, int Kind, bool of_element>
struct TestedOnSide {
  static constexpr int count = of_element ? Element::nodes : SidesOf<Element>::template Side<Kind>::nodes;
  KOKKOS_FORCEINLINE_FUNCTION static int node(int side, int t) {
    if constexpr (of_element)
      return t;
    else
      return SideNodes<Element>::local_node(side, t);
  }
};

/// Made on the host, in the order of the set.
template <int Kind, bool of_element, class Element, class ExecutionSpace>
SideRows<ExecutionSpace> side_rows(const ExecutionSpace& exec, const Mesh<Element, ExecutionSpace>& mesh,
                                   const typename Mesh<Element, ExecutionSpace>::SideSet& set) {
  using Tested = TestedOnSide<Element, Kind, of_element>;
  SideRows<ExecutionSpace> rows;
  rows.sides = sides_of_kind<Element, Kind>(exec, set);
  const auto sides = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), rows.sides);
  const auto connectivity = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mesh.connectivity());
  std::vector<std::pair<Ordinal, Ordinal>> tested; // node, part
  for (std::size_t s = 0; s < sides.extent(0); ++s)
    for (int t = 0; t < Tested::count; ++t)
      tested.emplace_back(connectivity(sides(s, 0), Tested::node(sides(s, 1), t)),
                          static_cast<Ordinal>(tested.size()));
  std::sort(tested.begin(), tested.end());
  std::vector<Ordinal> nodes, offsets, parts;
  for (const auto& [node, part] : tested) {
    if (nodes.empty() || nodes.back() != node) {
      nodes.push_back(node);
      offsets.push_back(static_cast<Ordinal>(parts.size()));
    }
    parts.push_back(part);
  }
  offsets.push_back(static_cast<Ordinal>(parts.size()));
  rows.nodes = copy_of(exec, "Tessera::SideRows::nodes", nodes);
  rows.offsets = copy_of(exec, "Tessera::SideRows::offsets", offsets);
  rows.parts = copy_of(exec, "Tessera::SideRows::parts", parts);
  return rows;
}

/// \throws ArgumentError, which begins with `who`, for a side that the mesh does not have, or a face that the
///   set has twice
template <class Element, class ExecutionSpace>
void check_sides(const ExecutionSpace& exec, const std::string& who,
                 const Mesh<Element, ExecutionSpace>& mesh,
                 const typename Mesh<Element, ExecutionSpace>::SideSet& set) {
  if (const auto wrong = first_wrong_side(exec, mesh, set); !wrong.empty())
    throw ArgumentError(who + "side set: " + wrong);
  const auto sides = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), set);
  const auto connectivity = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mesh.connectivity());
  const auto local_nodes = Element::side_nodes();
  CornersOfSides<Element> corners(sides.extent(0));
  for (std::size_t s = 0; s < sides.extent(0); ++s) {
    corners[s].fill(-1);
    for (int n = 0; n < side_corners_of<Element>(sides(s, 1)); ++n)
      corners[s][to_size(n)] = connectivity(sides(s, 0), local_nodes[to_size(sides(s, 1))][to_size(n)]);
  }
  check_faces_differ(who, corners);
}

} // namespace tessera::detail
