// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Side sets of mixed meshes: the boundary, sides by their positions, and the nodes on sides.

#include <tessera/core/arithmetic/small_matrix.hpp>
#include <tessera/core/blocks/mixed_mesh.hpp>
#include <tessera/core/error.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

namespace tessera {

namespace detail {

/// The most corners of a side of any of some elements.
template <class... Elements>
inline constexpr int most_side_corners = std::max({SidesOf<Elements>::most_corners...});

/// A side of an element of a block; those of all blocks are ordered by their corners together.
template <int Corners>
struct BlockSide : SideByCorners<Corners> {
  std::size_t block = 0;
};

/// All sides of a mixed mesh, those with the same corners one after the other.
template <class... Elements, class ExecutionSpace>
auto sides_by_corners(const MixedMesh<Blocks<Elements...>, ExecutionSpace>& mesh) {
  constexpr int most = most_side_corners<Elements...>;
  std::vector<BlockSide<most>> sides;
  std::size_t number = 0;
  mesh.for_each_block([&](const auto& block) {
    const auto own = sides_by_corners(block);
    sides.reserve(sides.size() + own.size());
    for (const auto& side : own) {
      BlockSide<most> wide{{{}, side.turn, side.element, side.side}, number};
      wide.corners.fill(-1); // stands before the corners
      std::copy_backward(side.corners.begin(), side.corners.end(), wide.corners.end());
      sides.push_back(wide);
    }
    ++number;
  });
  std::sort(sides.begin(), sides.end());
  return sides;
}

/// The sides of a block whose nodes are all `on`.
template <class Element, class ExecutionSpace, class Set>
Set sides_on(const Mesh<Element, ExecutionSpace>& block, const Set& sides, const std::vector<bool>& on) {
  if (const auto wrong = first_wrong_side(default_instance<ExecutionSpace>(), block, sides); !wrong.empty())
    throw ArgumentError(std::string("sides_where: sides of ") + Element::name + ": " + wrong);
  constexpr auto side_nodes = Element::side_nodes();
  const auto nodes = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), block.connectivity());
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), sides);
  std::vector<std::pair<Ordinal, int>> found;
  found.reserve(host.extent(0));
  for (std::size_t s = 0; s < host.extent(0); ++s) {
    const auto& local = side_nodes[host(s, 1)];
    if (std::all_of(local.begin(), local.begin() + side_nodes_of<Element>(host(s, 1)),
                    [&](int n) { return on[nodes(host(s, 0), n)]; }))
      found.emplace_back(host(s, 0), host(s, 1));
  }
  return to_side_set<Mesh<Element, ExecutionSpace>>(found);
}

} // namespace detail

/// The boundary of a mixed mesh: the sides of one element alone, whatever its block, in ascending order of
/// element and side within each. Sides between two blocks are none. Sorts all sides on the host.
/// \throws OutOfMemoryError
template <class... Elements, class ExecutionSpace>
MixedSides<Blocks<Elements...>, ExecutionSpace>
boundary_sides(const MixedMesh<Blocks<Elements...>, ExecutionSpace>& mesh) {
  std::array<std::vector<std::pair<Ordinal, int>>, sizeof...(Elements)> alone;
  const auto sides = detail::sides_by_corners(mesh);
  for (auto first = sides.begin(); first != sides.end();) {
    const auto last = std::upper_bound(first, sides.end(), *first);
    if (last - first == 1) alone[first->block].emplace_back(first->element, first->side);
    first = last;
  }
  for (auto& list : alone) std::sort(list.begin(), list.end());
  using List = Blocks<Elements...>;
  return {{detail::to_side_set<Mesh<Elements, ExecutionSpace>>(alone[List::template number<Elements>])...}};
}

/// The nodes on sides, ascending and each once; made on the host.
/// \throws ArgumentError for sides that a block does not have
template <class... Elements, class ExecutionSpace>
Kokkos::View<Ordinal*, ExecutionSpace>
nodes_of_sides(const MixedMesh<Blocks<Elements...>, ExecutionSpace>& mesh,
               const MixedSides<Blocks<Elements...>, ExecutionSpace>& sides) {
  std::vector<Ordinal> all;
  mesh.for_each_block([&]<class Element>(const Mesh<Element, ExecutionSpace>& block) {
    const auto nodes = Kokkos::create_mirror_view_and_copy(
        Kokkos::HostSpace(), nodes_of_sides(block, sides.template block<Element>()));
    all.insert(all.end(), nodes.data(), nodes.data() + nodes.extent(0));
  });
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return detail::copy_of(default_instance<ExecutionSpace>(), "Tessera::Mesh::node_set", all);
}

/// Those of some sides whose nodes are all where `is_on(x)` holds, x a node's position as a
/// `Vector<double, dimension>`; in their order, found on the host.
/// \throws ArgumentError for sides that a block does not have
template <class... Elements, class ExecutionSpace, class IsOn>
MixedSides<Blocks<Elements...>, ExecutionSpace>
sides_where(const MixedMesh<Blocks<Elements...>, ExecutionSpace>& mesh,
            const MixedSides<Blocks<Elements...>, ExecutionSpace>& sides, const IsOn& is_on) {
  constexpr int dimension = MixedMesh<Blocks<Elements...>, ExecutionSpace>::dimension;
  const auto x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mesh.coordinates());
  std::vector<bool> on(x.extent(0));
  for (std::size_t node = 0; node < x.extent(0); ++node) {
    Vector<double, dimension> position;
    for (int d = 0; d < dimension; ++d) position(d) = x(node, d);
    on[node] = is_on(position);
  }
  MixedSides<Blocks<Elements...>, ExecutionSpace> found;
  mesh.for_each_block([&]<class Element>(const Mesh<Element, ExecutionSpace>& block) {
    found.template block<Element>() = detail::sides_on(block, sides.template block<Element>(), on);
  });
  return found;
}

} // namespace tessera
