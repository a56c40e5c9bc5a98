// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Meshes of higher order from linear ones.

#include <tessera/core/mesh/mesh.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace tessera {

namespace detail {

/// The nodes of `Element` as weighted means of its corners, in integers: weights[n][v] of node n sum to
/// order^dimension on cubes, to order on simplices, to its square on wedges and pyramids.
template <class Element>
struct CornerWeights {
  static constexpr int total = [] {
    int t = is_cube(Element::shape) ? 1 : Element::order;
    if (Element::shape == Shape::pyramid) t *= Element::order; // of the base
    for (int d = 0; d < Element::dimension; ++d)
      if (is_interval(Element::shape, d)) t *= Element::order;
    return t;
  }();
  std::array<std::array<int, Element::vertices>, Element::nodes> weights{};

  CornerWeights() {
    using Linear = typename Element::template of_order<1>;
    const auto coordinates = Element::node_coordinates();
    for (int n = 0; n < Element::nodes; ++n) {
      const auto shape = Linear::values(coordinates[n]);
      for (int v = 0; v < Element::vertices; ++v) weights[n][v] = static_cast<int>(shape[v] * total + 0.5);
    }
  }

  bool interior(int n) const {
    return std::all_of(weights[n].begin(), weights[n].end(), [](int w) { return w > 0; });
  }
};

/// A node on an edge or face that elements share: its corners' numbers from 1 and weights in ascending order,
/// after zeros for those that it has fewer than four.
struct SharedNode {
  std::array<std::pair<Ordinal, int>, 4> key{};
  std::size_t slot; ///< element * nodes + node

  friend bool operator<(const SharedNode& a, const SharedNode& b) {
    return a.key != b.key ? a.key < b.key : a.slot < b.slot;
  }
};

/// Nodes of the elevated elements, by slot (element * nodes + node): numbers, and the first slot of each
/// node.
template <class To>
struct ElevatedNodes {
  std::vector<std::size_t> first_slot;
  std::vector<Ordinal> number;
  std::size_t count = 0; ///< of nodes

  bool is_new(std::size_t slot) const {
    return slot % To::nodes >= static_cast<std::size_t>(To::vertices) && first_slot[slot] == slot;
  }
};

/// The first slot of the node at every slot: nodes on edges and faces are shared.
template <class To, class Nodes>
std::vector<std::size_t> first_slots(const CornerWeights<To>& corner, const Nodes& old_nodes) {
  const std::size_t elements = old_nodes.extent(0);
  std::vector<SharedNode> shared;
  for (std::size_t e = 0; e < elements; ++e)
    for (int n = To::vertices; n < To::nodes; ++n) {
      if (corner.interior(n)) continue;
      SharedNode node{{}, e * To::nodes + n};
      int entries = 0;
      for (int v = 0; v < To::vertices; ++v)
        if (corner.weights[n][v] > 0) node.key[entries++] = {old_nodes(e, v) + 1, corner.weights[n][v]};
      std::sort(node.key.begin(), node.key.end());
      shared.push_back(node);
    }
  std::sort(shared.begin(), shared.end());
  std::vector<std::size_t> first(elements * To::nodes);
  std::iota(first.begin(), first.end(), std::size_t{0});
  for (std::size_t i = 1; i < shared.size(); ++i)
    if (shared[i].key == shared[i - 1].key) first[shared[i].slot] = first[shared[i - 1].slot];
  return first;
}

/// New numbers in the order of the elements that meet them first.
/// \throws MeshError if there would be more than 2^31 - 1 nodes
template <class To, class Nodes>
ElevatedNodes<To> elevated_nodes(const CornerWeights<To>& corner, const Nodes& old_nodes, Ordinal old_count) {
  ElevatedNodes<To> nodes{.first_slot = first_slots(corner, old_nodes),
                          .number = std::vector<Ordinal>(old_nodes.extent(0) * To::nodes, -1),
                          .count = static_cast<std::size_t>(old_count)};
  for (std::size_t slot = 0; slot < nodes.number.size(); ++slot)
    if (const std::size_t n = slot % To::nodes; n < static_cast<std::size_t>(To::vertices))
      nodes.number[slot] = old_nodes(slot / To::nodes, n);
    else if (nodes.is_new(slot))
      nodes.number[slot] = static_cast<Ordinal>(nodes.count++);
    else
      nodes.number[slot] = nodes.number[nodes.first_slot[slot]];
  if (nodes.count >= static_cast<std::size_t>(std::numeric_limits<Ordinal>::max()))
    throw MeshError("elevated: " + std::to_string(nodes.count) + " nodes do not fit into 32 bits");
  return nodes;
}

/// Coordinates of all nodes; the new ones lie between their corners.
template <class To, class NewCoordinates, class Coordinates, class Nodes>
void fill_coordinates(const NewCoordinates& x, const CornerWeights<To>& corner,
                      const ElevatedNodes<To>& nodes, const Coordinates& old_coordinates,
                      const Nodes& old_nodes) {
  constexpr int dimension = To::dimension;
  for (std::size_t n = 0; n < old_coordinates.extent(0); ++n)
    for (int d = 0; d < dimension; ++d) x(n, d) = old_coordinates(n, d);
  for (std::size_t slot = 0; slot < nodes.number.size(); ++slot) {
    if (!nodes.is_new(slot)) continue;
    for (int d = 0; d < dimension; ++d) {
      double sum = 0;
      for (int v = 0; v < To::vertices; ++v)
        sum += corner.weights[slot % To::nodes][v] * old_coordinates(old_nodes(slot / To::nodes, v), d);
      x(nodes.number[slot], d) = sum / corner.total;
    }
  }
}

/// A node set with the new nodes whose corners are all in it.
template <class To, class Set>
std::vector<Ordinal> elevated_set(const CornerWeights<To>& corner, const ElevatedNodes<To>& nodes,
                                  const Set& old_set) {
  std::vector<char> inside(nodes.count, 0);
  std::vector<Ordinal> members;
  for (std::size_t i = 0; i < old_set.extent(0); ++i) {
    inside[old_set(i)] = 1;
    members.push_back(old_set(i));
  }
  for (std::size_t slot = 0; slot < nodes.number.size(); ++slot) {
    const Ordinal node = nodes.number[slot];
    const std::size_t n = slot % To::nodes;
    if (n < static_cast<std::size_t>(To::vertices) || inside[node]) continue;
    bool all = true;
    for (int v = 0; v < To::vertices; ++v)
      all = all && (corner.weights[n][v] == 0 || inside[nodes.number[slot - n + v]] == 1);
    if (!all) continue;
    inside[node] = 2; // new members do not admit others
    members.push_back(node);
  }
  return members;
}

} // namespace detail

/// The mesh of order `To::order` over a linear mesh of the same shape: straight sides, nodes on edges and
/// faces shared, old nodes keep their numbers. Works on the host.
///
/// Side sets stay as they are. A new node joins a node set if all corners of its edge, face or cell are in
/// it.
/// \throws MeshError if there would be more than 2^31 - 1 nodes
template <class To, class From, class ExecutionSpace>
Mesh<To, ExecutionSpace> elevated(const Mesh<From, ExecutionSpace>& mesh) {
  static_assert(From::order == 1 && From::shape == To::shape,
                "elevated: from a linear mesh of the same shape");
  using MeshType = Mesh<To, ExecutionSpace>;
  const detail::CornerWeights<To> corner;
  const auto old_coordinates = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mesh.coordinates());
  const auto old_nodes = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mesh.connectivity());
  const auto numbered = detail::elevated_nodes(corner, old_nodes, mesh.num_nodes());

  typename MeshType::Coordinates coordinates("Tessera::Mesh::coordinates", numbered.count);
  typename MeshType::Connectivity connectivity("Tessera::Mesh::connectivity", mesh.num_elements());
  const auto x = Kokkos::create_mirror_view(coordinates);
  const auto nodes = Kokkos::create_mirror_view(connectivity);
  detail::fill_coordinates(x, corner, numbered, old_coordinates, old_nodes);
  for (std::size_t slot = 0; slot < numbered.number.size(); ++slot)
    nodes(slot / To::nodes, slot % To::nodes) = numbered.number[slot];
  Kokkos::deep_copy(coordinates, x);
  Kokkos::deep_copy(connectivity, nodes);
  MeshType result(coordinates, connectivity, mesh.materials());
  result.label_materials(mesh.material_labels());
  result.name_elements(mesh.element_names());

  for (const auto& [name, sides] : mesh.side_sets()) result.add_side_set(name, sides);
  for (const auto& [name, set] : mesh.node_sets()) {
    const auto old_set = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), set);
    const std::vector<Ordinal> members = detail::elevated_set(corner, numbered, old_set);
    typename MeshType::NodeSet device("Tessera::Mesh::" + name, members.size());
    Kokkos::deep_copy(device,
                      Kokkos::View<const Ordinal*, Kokkos::HostSpace>(members.data(), members.size()));
    result.add_node_set(name, device);
  }
  return result;
}

} // namespace tessera
