// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Meshes of several element types: a block of each over the same nodes.

#include <tessera/core/blocks/blocks.hpp>
#include <tessera/core/default_instance.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/mesh/mesh.hpp>
#include <tessera/core/mesh/side_sets.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace tessera {

/// Sides of a mixed mesh: for each block a set of its elements' sides, as `Mesh::SideSet`.
template <class List, class ExecutionSpace>
struct MixedSides;
template <class... Elements, class ExecutionSpace>
struct MixedSides<Blocks<Elements...>, ExecutionSpace> {
  std::tuple<typename Mesh<Elements, ExecutionSpace>::SideSet...> blocks; ///< in the order of the list

  /// (side, 0): element number within the block, (side, 1): number of the side within the element.
  template <class Element>
  const auto& block() const {
    return std::get<Blocks<Elements...>::template number<Element>>(blocks);
  }
  template <class Element>
  auto& block() {
    return std::get<Blocks<Elements...>::template number<Element>>(blocks);
  }
  /// Of all blocks.
  std::size_t count() const { return (block<Elements>().extent(0) + ...); }
};

/// A mesh of several element types, `MixedMesh<Blocks<Hex<1>, Wedge<1>, Pyramid<1>, Tet<1>>>`: a block for
/// each, a `Mesh`, and all blocks over the same nodes. A block may be empty. Copies share their views and are
/// moved together.
///
/// Elements are numbered within their block, materials over all blocks, so that a form has one list of them.
/// Neighbours of different types are to share whole sides: a quadrilateral beside two triangles leaves a
/// crack, which no check sees but `boundary_sides`.
///
/// \tparam List           `Blocks<Elements...>`: of one dimension and order, each once
/// \tparam ExecutionSpace where its kernels run; the views lie in its memory space
template <class List, class ExecutionSpace = Kokkos::DefaultExecutionSpace>
class MixedMesh;
template <class First, class... Others, class ExecutionSpace>
class MixedMesh<Blocks<First, Others...>, ExecutionSpace> {
public:
  using List = Blocks<First, Others...>;
  using execution_space = ExecutionSpace;
  using Coordinates = typename Mesh<First, ExecutionSpace>::Coordinates;
  using ConstCoordinates = typename Mesh<First, ExecutionSpace>::ConstCoordinates;
  using NodeSet = typename Mesh<First, ExecutionSpace>::NodeSet;
  using SideSet = MixedSides<List, ExecutionSpace>;
  static constexpr int dimension = First::dimension;

  /// The elements of a block: element x node, and a material >= 0 each or none. Empty: the block has none.
  template <class Element>
  struct Cells {
    typename Mesh<Element, ExecutionSpace>::Connectivity connectivity;
    typename Mesh<Element, ExecutionSpace>::Materials materials;
  };

  /// Makes the blocks over the nodes, with the elements of each in the order of the list:
  /// `MixedMesh<Blocks<Hex<1>, Tet<1>>> mesh(exec, x, {hexahedra}, {tetrahedra, materials})`.
  /// \throws as `Mesh` for each block
  MixedMesh(const ExecutionSpace& exec, const Coordinates& coordinates, const Cells<First>& first,
            const Cells<Others>&... others)
      : blocks_(made(Mesh<First, ExecutionSpace>(exec, coordinates, first.connectivity, first.materials),
                     exec, others...)) {
    (name_elements<First>(), ..., name_elements<Others>());
  }
  /// Of blocks that are made: the others over the nodes of the first. Elements keep the names that they have.
  /// \throws ArgumentError if a block is over other nodes
  explicit MixedMesh(const Mesh<First, ExecutionSpace>& first, const Mesh<Others, ExecutionSpace>&... others)
      : blocks_(first, others...) {
    for_each_block([&]<class Element>(const Mesh<Element, ExecutionSpace>& block) {
      if (block.nodes_id() != nodes_id())
        throw ArgumentError(std::string("MixedMesh: the block of ") + Element::name +
                            " is not over the nodes of the first");
    });
  }
  /// The first on the default instance.
  explicit MixedMesh(const Coordinates& coordinates, const Cells<First>& first,
                     const Cells<Others>&... others)
      : MixedMesh(default_instance<ExecutionSpace>(), coordinates, first, others...) {}

  /// The elements of a type. `Mesh::move` of a block moves all blocks, and checks this one alone.
  template <class Element>
  const Mesh<Element, ExecutionSpace>& block() const {
    return std::get<List::template number<Element>>(blocks_);
  }
  template <class Element>
  Mesh<Element, ExecutionSpace>& block() {
    return std::get<List::template number<Element>>(blocks_);
  }
  /// `visit(block)` of each, empty ones too, in the order of the list.
  template <class Visit>
  void for_each_block(const Visit& visit) const {
    std::apply([&](const auto&... block) { (visit(block), ...); }, blocks_);
  }

  Ordinal num_nodes() const { return block<First>().num_nodes(); }
  /// Of all blocks.
  std::size_t num_elements() const {
    return (to_size(block<First>().num_elements()) + ... + to_size(block<Others>().num_elements()));
  }
  /// One more than the largest material number of any block.
  Ordinal num_materials() const {
    return std::max({block<First>().num_materials(), block<Others>().num_materials()...});
  }
  /// Says what the materials 0 ... num_materials() - 1 are called elsewhere; an empty list says nothing.
  /// \throws MeshError unless there is a label for each
  void label_materials(const std::vector<MaterialLabel>& labels) {
    if (!labels.empty() && labels.size() != to_size(num_materials()))
      throw MeshError("mesh has " + std::to_string(num_materials()) + " materials but " +
                      std::to_string(labels.size()) + " labels for them");
    const auto first_of = [&](Ordinal count) {
      return std::vector(labels.begin(), labels.begin() + (labels.empty() ? 0 : count));
    };
    std::apply([&](auto&... block) { (block.label_materials(first_of(block.num_materials())), ...); },
               blocks_);
  }
  /// What label_materials said.
  const std::vector<MaterialLabel>& material_labels() const {
    const auto* longest = &block<First>().material_labels();
    for_each_block([&](const auto& block) {
      if (block.material_labels().size() > longest->size()) longest = &block.material_labels();
    });
    return *longest;
  }
  /// The name of an element that is numbered over all blocks, block after block. \throws ArgumentError
  std::string element_name(Ordinal element) const {
    std::string name;
    Ordinal first = 0;
    for_each_block([&](const auto& block) {
      const Ordinal own = element - first;
      if (own >= 0 && own < block.num_elements()) name = block.element_name(own);
      first += block.num_elements();
    });
    if (name.empty())
      throw ArgumentError("MixedMesh: there is no element " + std::to_string(element) + ": they are 0 to " +
                          std::to_string(first - 1));
    return name;
  }
  ConstCoordinates coordinates() const { return block<First>().coordinates(); }
  /// Another number after every move, of this mesh, a copy or a block.
  std::size_t revision() const { return block<First>().revision(); }
  /// What this mesh, its blocks and copies have in common, and no other mesh of the process.
  std::size_t nodes_id() const { return block<First>().nodes_id(); }

  /// Moves the nodes, as `Mesh::move`, after a look at the elements of all blocks.
  /// \throws as `Mesh::move`; all blocks are then as they were
  template <class NodeView>
  void move(const ExecutionSpace& exec, const NodeView& coordinates) {
    for_each_block([&](const auto& block) { block.check_move(exec, coordinates); });
    block<First>().move(exec, coordinates);
  }
  /// The same on the default instance.
  template <class NodeView>
  void move(const NodeView& coordinates) {
    move(default_instance<ExecutionSpace>(), coordinates);
  }

  /// That of the first block: of this mesh and its copies alone. \see Mesh::id
  std::size_t id() const { return block<First>().id(); }

  /// Adds a named set of nodes to all blocks. \throws as `Mesh::add_node_set`
  template <class Nodes = NodeSet>
  void add_node_set(const std::string& name, const Nodes& nodes) {
    std::apply([&](auto&... block) { (block.add_node_set(name, nodes), ...); }, blocks_);
  }
  /// The same on an instance.
  template <class Nodes = NodeSet>
  void add_node_set(const ExecutionSpace& exec, const std::string& name, const Nodes& nodes) {
    std::apply([&](auto&... block) { (block.add_node_set(exec, name, nodes), ...); }, blocks_);
  }
  /// \throws ArgumentError that lists the sets there are
  const NodeSet& node_set(const std::string& name) const { return block<First>().node_set(name); }

  const std::map<std::string, NodeSet>& node_sets() const { return block<First>().node_sets(); }

  /// Adds a named set of sides, to each block its own.
  /// \throws MeshError naming the block if a side is out of range, or if the name is taken; nothing is added
  void add_side_set(const std::string& name, const SideSet& sides) {
    check_side_set(name, sides);
    (block<First>().add_side_set(name, sides.template block<First>()), ...,
     block<Others>().add_side_set(name, sides.template block<Others>()));
  }
  /// The sides that the name has in any block. \throws ArgumentError that lists the sets there are
  SideSet side_set(const std::string& name) const {
    SideSet sides;
    bool found = false;
    std::set<std::string> known;
    for_each_block([&]<class Element>(const Mesh<Element, ExecutionSpace>& block) {
      for (const auto& [other, set] : block.side_sets()) {
        known.insert(other);
        if (other != name) continue;
        sides.template block<Element>() = set;
        found = true;
      }
    });
    if (found) return sides;
    std::string list;
    for (const auto& other : known) list += (list.empty() ? "" : ", ") + other;
    throw ArgumentError("mesh has no side set '" + name + "'; it has " + (list.empty() ? "none" : list));
  }

private:
  using Tuple = std::tuple<Mesh<First, ExecutionSpace>, Mesh<Others, ExecutionSpace>...>;

  static Tuple made(const Mesh<First, ExecutionSpace>& first, const ExecutionSpace& exec,
                    const Cells<Others>&... others) {
    return {first, Mesh<Others, ExecutionSpace>(exec, first, others.connectivity, others.materials)...};
  }
  template <class Element>
  void name_elements() {
    block<Element>().name_elements(
        [](Ordinal element) { return std::string(Element::name) + " element " + std::to_string(element); });
  }
  void check_side_set(const std::string& name, const SideSet& sides) const {
    for_each_block([&]<class Element>(const Mesh<Element, ExecutionSpace>& block) {
      if (block.side_sets().count(name) > 0) throw MeshError("mesh already has a side set '" + name + "'");
      if (const auto wrong = detail::first_wrong_side(default_instance<ExecutionSpace>(), block,
                                                      sides.template block<Element>());
          !wrong.empty())
        throw MeshError("side set '" + name + "', sides of " + Element::name + ": " + wrong);
    });
  }

  Tuple blocks_;
};

} // namespace tessera
