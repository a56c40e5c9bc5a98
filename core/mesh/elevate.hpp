// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Meshes of higher order from linear ones.

#include <tessera/core/mesh/mesh.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <numeric>
#include <string>
#include <tuple>
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

/// A linear block on the host, and where the nodes of its elevated elements are.
template <class ToElement, class Nodes>
struct LinearBlock {
  using To = ToElement;
  Nodes old_nodes; ///< element x corner
  CornerWeights<To> corner{};

  std::size_t slots() const { return old_nodes.extent(0) * To::nodes; }
};

/// A node on an edge or face that elements share: its corners' numbers from 1 and weights without a common
/// factor in ascending order, after zeros for those that it has fewer than four.
struct SharedNode {
  std::array<std::pair<Ordinal, int>, 4> key{};
  std::size_t slot; ///< element * nodes + node, behind the slots of the blocks before

  friend bool operator<(const SharedNode& a, const SharedNode& b) {
    return a.key != b.key ? a.key < b.key : a.slot < b.slot;
  }
};

/// Nodes of the elevated elements of a block, by slot (element * nodes + node).
template <class To>
struct ElevatedNodes {
  std::vector<Ordinal> number;
  std::vector<bool> is_new; ///< whether no slot before, of this block or one before, has the node
};

template <class... To>
struct ElevatedBlocks {
  std::tuple<ElevatedNodes<To>...> blocks;
  std::size_t count = 0; ///< of nodes
};

/// Appends the nodes on edges and faces of a block whose slots follow `begin` others.
template <class Block>
void append_shared_nodes(const Block& block, std::size_t& begin, std::vector<SharedNode>& shared) {
  using To = typename Block::To;
  for (std::size_t e = 0; e < block.old_nodes.extent(0); ++e)
    for (int n = To::vertices; n < To::nodes; ++n) {
      if (block.corner.interior(n)) continue;
      const auto& weights = block.corner.weights[n];
      int common = 0;
      for (const int weight : weights) common = std::gcd(common, weight);
      SharedNode node{{}, begin + e * To::nodes + n};
      int entries = 0;
      for (int v = 0; v < To::vertices; ++v)
        if (weights[v] > 0) node.key[entries++] = {block.old_nodes(e, v) + 1, weights[v] / common};
      std::sort(node.key.begin(), node.key.end());
      shared.push_back(node);
    }
  begin += block.slots();
}

/// The first slot of the node at every slot.
inline std::vector<std::size_t> first_slots(std::vector<SharedNode> shared, std::size_t slots) {
  std::sort(shared.begin(), shared.end());
  std::vector<std::size_t> first(slots);
  std::iota(first.begin(), first.end(), std::size_t{0});
  for (std::size_t i = 1; i < shared.size(); ++i)
    if (shared[i].key == shared[i - 1].key) first[shared[i].slot] = first[shared[i - 1].slot];
  return first;
}

/// The nodes of a block. \param numbers of the slots of all blocks so far; this one's are appended
template <class Block>
ElevatedNodes<typename Block::To> number_block(const Block& block, const std::vector<std::size_t>& first,
                                               std::vector<Ordinal>& numbers, std::size_t& count) {
  using To = typename Block::To;
  ElevatedNodes<To> nodes;
  for (std::size_t slot = 0; slot < block.slots(); ++slot) {
    const std::size_t n = slot % To::nodes, of_all = numbers.size();
    const bool corner = n < static_cast<std::size_t>(To::vertices);
    nodes.is_new.push_back(!corner && first[of_all] == of_all);
    numbers.push_back(corner                ? block.old_nodes(slot / To::nodes, n)
                      : nodes.is_new.back() ? static_cast<Ordinal>(count++)
                                            : numbers[first[of_all]]);
    nodes.number.push_back(numbers.back());
  }
  return nodes;
}

/// New numbers in the order of the elements that meet them first, block after block; nodes on edges and faces
/// are shared.
/// \throws MeshError if there would be more than 2^31 - 1 nodes
template <class... Block>
ElevatedBlocks<typename Block::To...> elevated_nodes(Ordinal old_count, const Block&... blocks) {
  std::vector<SharedNode> shared;
  std::size_t slots = 0;
  (append_shared_nodes(blocks, slots, shared), ...);
  const std::vector<std::size_t> first = first_slots(std::move(shared), slots);
  std::vector<Ordinal> numbers;
  numbers.reserve(slots);
  std::size_t count = static_cast<std::size_t>(old_count);
  // Braces: one after the other.
  ElevatedBlocks<typename Block::To...> nodes{{number_block(blocks, first, numbers, count)...}, 0};
  nodes.count = count;
  if (nodes.count >= static_cast<std::size_t>(std::numeric_limits<Ordinal>::max()))
    throw MeshError("elevated: " + std::to_string(nodes.count) + " nodes do not fit into 32 bits");
  return nodes;
}

/// Coordinates of a block's new nodes, which lie between their corners.
template <class Coordinates, class Block, class Nodes>
void fill_coordinates(const Coordinates& x, const Block& block, const Nodes& nodes) {
  using To = typename Block::To;
  for (std::size_t slot = 0; slot < nodes.number.size(); ++slot) {
    if (!nodes.is_new[slot]) continue;
    for (int d = 0; d < To::dimension; ++d) {
      double sum = 0;
      for (int v = 0; v < To::vertices; ++v)
        sum += block.corner.weights[slot % To::nodes][v] * x(block.old_nodes(slot / To::nodes, v), d);
      x(nodes.number[slot], d) = sum / block.corner.total;
    }
  }
}

/// Adds a block's new nodes whose corners are all in a node set.
/// \param inside by node: 1 for the set's old nodes; becomes 2 for new ones
template <class Block, class Nodes>
void add_members(const Block& block, const Nodes& nodes, std::vector<char>& inside,
                 std::vector<Ordinal>& members) {
  using To = typename Block::To;
  for (std::size_t slot = 0; slot < nodes.number.size(); ++slot) {
    const Ordinal node = nodes.number[slot];
    const std::size_t n = slot % To::nodes;
    if (n < static_cast<std::size_t>(To::vertices) || inside[node]) continue;
    bool all = true;
    for (int v = 0; v < To::vertices; ++v)
      all = all && (block.corner.weights[n][v] == 0 || inside[nodes.number[slot - n + v]] == 1);
    if (!all) continue;
    inside[node] = 2; // new members do not admit others
    members.push_back(node);
  }
}

/// Linear blocks over the same nodes, and the views of the blocks of higher order over them. Works on the
/// host.
template <class ExecutionSpace, class... To>
class Elevation {
  template <class Element>
  using Linear = Mesh<typename Element::template of_order<1>, ExecutionSpace>;
  template <class View>
  static auto on_host(const View& view) {
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  }
  template <class Element>
  using LinearNodes = decltype(on_host(std::declval<const Linear<Element>&>().connectivity()));
  using First = std::tuple_element_t<0, std::tuple<To...>>;

public:
  using Coordinates = typename Mesh<First, ExecutionSpace>::Coordinates;
  using NodeSet = typename Mesh<First, ExecutionSpace>::NodeSet;

  /// \throws MeshError if there would be more than 2^31 - 1 nodes
  explicit Elevation(const Linear<To>&... linear)
      : blocks_(LinearBlock<To, LinearNodes<To>>{on_host(linear.connectivity())}...),
        old_coordinates_(std::get<0>(std::tie(linear...)).coordinates()),
        nodes_(std::apply(
            [&](const auto&... block) {
              return elevated_nodes(static_cast<Ordinal>(old_coordinates_.extent(0)), block...);
            },
            blocks_)) {}

  Coordinates coordinates() const {
    const Coordinates coordinates("Tessera::Mesh::coordinates", nodes_.count);
    const auto x = Kokkos::create_mirror_view(coordinates);
    const auto old = on_host(old_coordinates_);
    for (std::size_t n = 0; n < old.extent(0); ++n)
      for (std::size_t d = 0; d < old.extent(1); ++d) x(n, d) = old(n, d);
    for_each_block([&](const auto& block, const auto& nodes) { fill_coordinates(x, block, nodes); });
    Kokkos::deep_copy(coordinates, x);
    return coordinates;
  }
  template <std::size_t block>
  auto connectivity() const {
    using Element = std::tuple_element_t<block, std::tuple<To...>>;
    const auto& number = std::get<block>(nodes_.blocks).number;
    const typename Mesh<Element, ExecutionSpace>::Connectivity connectivity("Tessera::Mesh::connectivity",
                                                                            number.size() / Element::nodes);
    const auto nodes = Kokkos::create_mirror_view(connectivity);
    for (std::size_t slot = 0; slot < number.size(); ++slot)
      nodes(slot / Element::nodes, slot % Element::nodes) = number[slot];
    Kokkos::deep_copy(connectivity, nodes);
    return connectivity;
  }
  /// A node set with the new nodes whose corners are all in it.
  NodeSet node_set(const std::string& name, const NodeSet& linear) const {
    const auto old = on_host(linear);
    std::vector<char> inside(nodes_.count, 0);
    std::vector<Ordinal> members;
    for (std::size_t i = 0; i < old.extent(0); ++i) {
      inside[old(i)] = 1;
      members.push_back(old(i));
    }
    for_each_block([&](const auto& block, const auto& nodes) { add_members(block, nodes, inside, members); });
    const NodeSet device("Tessera::Mesh::" + name, members.size());
    Kokkos::deep_copy(device,
                      Kokkos::View<const Ordinal*, Kokkos::HostSpace>(members.data(), members.size()));
    return device;
  }

private:
  template <class Visit>
  void for_each_block(const Visit& visit) const {
    visit_blocks(visit, std::index_sequence_for<To...>());
  }
  template <class Visit, std::size_t... block>
  void visit_blocks(const Visit& visit, std::index_sequence<block...>) const {
    (visit(std::get<block>(blocks_), std::get<block>(nodes_.blocks)), ...);
  }

  std::tuple<LinearBlock<To, LinearNodes<To>>...> blocks_;
  typename Linear<First>::ConstCoordinates old_coordinates_;
  ElevatedBlocks<To...> nodes_;
};

/// Gives an elevated mesh what the linear one says of its elements.
template <class MeshType, class LinearMesh>
void copy_elements(MeshType& mesh, const LinearMesh& linear) {
  mesh.name_elements(linear.element_names());
  for (const auto& [name, sides] : linear.side_sets()) mesh.add_side_set(name, sides);
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
  const detail::Elevation<ExecutionSpace, To> elevation(mesh);
  Mesh<To, ExecutionSpace> result(elevation.coordinates(), elevation.template connectivity<0>(),
                                  mesh.materials());
  result.label_materials(mesh.material_labels());
  detail::copy_elements(result, mesh);
  for (const auto& [name, set] : mesh.node_sets()) result.add_node_set(name, elevation.node_set(name, set));
  return result;
}

} // namespace tessera
