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
/// order^dimension on cubes and to order on simplices.
template <class Element>
struct CornerWeights {
  static constexpr int total = [] {
    int t = Element::order;
    if (!is_simplex(Element::shape))
      for (int d = 1; d < Element::dimension; ++d) t *= Element::order;
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
  constexpr int dimension = To::dimension;
  const detail::CornerWeights<To> corner;
  const auto old_coordinates = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mesh.coordinates());
  const auto old_nodes = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mesh.connectivity());
  const std::size_t elements = mesh.num_elements();

  std::vector<detail::SharedNode> shared;
  for (std::size_t e = 0; e < elements; ++e)
    for (int n = To::vertices; n < To::nodes; ++n) {
      if (corner.interior(n)) continue;
      detail::SharedNode node{{}, e * To::nodes + n};
      int entries = 0;
      for (int v = 0; v < To::vertices; ++v)
        if (corner.weights[n][v] > 0) node.key[entries++] = {old_nodes(e, v) + 1, corner.weights[n][v]};
      std::sort(node.key.begin(), node.key.end());
      shared.push_back(node);
    }
  std::sort(shared.begin(), shared.end());
  // The first slot of each shared node represents it.
  std::vector<std::size_t> representative(elements * To::nodes);
  std::iota(representative.begin(), representative.end(), std::size_t{0});
  for (std::size_t i = 1; i < shared.size(); ++i)
    if (shared[i].key == shared[i - 1].key)
      representative[shared[i].slot] = representative[shared[i - 1].slot];

  // New numbers in the order of the elements that meet them first.
  std::vector<Ordinal> number(elements * To::nodes, -1);
  std::size_t count = mesh.num_nodes();
  for (std::size_t e = 0; e < elements; ++e)
    for (int n = 0; n < To::nodes; ++n) {
      const std::size_t slot = e * To::nodes + n;
      if (n < To::vertices)
        number[slot] = old_nodes(e, n);
      else if (representative[slot] == slot)
        number[slot] = static_cast<Ordinal>(count++);
      else
        number[slot] = number[representative[slot]];
    }
  if (count >= static_cast<std::size_t>(std::numeric_limits<Ordinal>::max()))
    throw MeshError("elevated: " + std::to_string(count) + " nodes do not fit into 32 bits");

  typename MeshType::Coordinates coordinates("Tessera::Mesh::coordinates", count);
  typename MeshType::Connectivity connectivity("Tessera::Mesh::connectivity", elements);
  const auto x = Kokkos::create_mirror_view(coordinates);
  const auto nodes = Kokkos::create_mirror_view(connectivity);
  for (Ordinal n = 0; n < mesh.num_nodes(); ++n)
    for (int d = 0; d < dimension; ++d) x(n, d) = old_coordinates(n, d);
  for (std::size_t e = 0; e < elements; ++e)
    for (int n = 0; n < To::nodes; ++n) {
      nodes(e, n) = number[e * To::nodes + n];
      if (n < To::vertices || representative[e * To::nodes + n] != e * To::nodes + n) continue;
      for (int d = 0; d < dimension; ++d) {
        double sum = 0;
        for (int v = 0; v < To::vertices; ++v)
          sum += corner.weights[n][v] * old_coordinates(old_nodes(e, v), d);
        x(nodes(e, n), d) = sum / corner.total;
      }
    }
  Kokkos::deep_copy(coordinates, x);
  Kokkos::deep_copy(connectivity, nodes);
  MeshType result(coordinates, connectivity, mesh.materials());
  result.label_materials(mesh.material_labels());
  result.name_elements(mesh.element_names());

  for (const auto& [name, sides] : mesh.side_sets()) result.add_side_set(name, sides);
  for (const auto& [name, set] : mesh.node_sets()) {
    const auto old_set = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), set);
    std::vector<char> inside(count, 0);
    std::vector<Ordinal> members;
    for (std::size_t i = 0; i < old_set.extent(0); ++i) {
      inside[old_set(i)] = 1;
      members.push_back(old_set(i));
    }
    for (std::size_t e = 0; e < elements; ++e)
      for (int n = To::vertices; n < To::nodes; ++n) {
        if (inside[nodes(e, n)]) continue;
        bool all = true;
        for (int v = 0; v < To::vertices; ++v)
          all = all && (corner.weights[n][v] == 0 || inside[nodes(e, v)] == 1);
        if (!all) continue;
        inside[nodes(e, n)] = 2; // new members do not admit others
        members.push_back(nodes(e, n));
      }
    typename MeshType::NodeSet device("Tessera::Mesh::" + name, members.size());
    Kokkos::deep_copy(device, Kokkos::View<Ordinal*, Kokkos::HostSpace>(members.data(), members.size()));
    result.add_node_set(name, device);
  }
  return result;
}

} // namespace tessera
