// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Several physics on the elements of one type: a block for each, without a branch at a point.

#include <tessera/core/allocate.hpp>
#include <tessera/core/blocks/mixed_mesh.hpp>
#include <tessera/core/default_instance.hpp>
#include <tessera/core/error.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

namespace tessera {

namespace detail {

/// "hex1 block 2".
template <class Element, int Number>
struct BlockName {
  static constexpr auto characters = [] {
    std::array<char, std::char_traits<char>::length(Element::name) + sizeof(" block 0")> text{};
    std::size_t length = 0;
    const auto append = [&](const char* word) {
      for (; *word != '\0'; ++word) text[length++] = *word;
    };
    append(Element::name);
    append(" block ");
    text[length] = static_cast<char>('0' + Number);
    return text;
  }();
};

} // namespace detail

/// A type of its own with the nodes and functions of an element: `Blocks<Hex<1>, BlockOf<Hex<1>, 1>>` has two
/// blocks of `Hex<1>`. Kernels are compiled for it as for an application's own element.
template <class ElementType, int Number>
struct BlockOf : ElementType {
  static_assert(Number >= 0 && Number <= 9, "BlockOf<Element, Number>: numbers 0 to 9");
  template <int P>
  using of_order = BlockOf<typename ElementType::template of_order<P>, Number>;
  static constexpr const char* name = detail::BlockName<ElementType, Number>::characters.data();
};

namespace detail {

template <class Element, class Other>
inline constexpr bool is_block_of = std::is_same_v<Element, Other>;
template <class Element, int Number, class Other>
inline constexpr bool is_block_of<BlockOf<Element, Number>, Other> = std::is_same_v<Element, Other>;

template <class List>
struct Division;
template <class... Elements>
struct Division<Blocks<Elements...>> {
  using List = Blocks<Elements...>;

  template <class Whole, class ExecutionSpace>
  static MixedMesh<List, ExecutionSpace> of(const Mesh<Whole, ExecutionSpace>& mesh,
                                            const std::vector<std::size_t>& blocks) {
    static_assert((is_block_of<Elements, Whole> && ...),
                  "tessera::divided: the blocks have the mesh's element type, or are a `BlockOf` it");
    if (blocks.size() != to_size(mesh.num_materials()))
      throw ArgumentError("divided: " + std::to_string(blocks.size()) + " blocks are named for " +
                          std::to_string(mesh.num_materials()) + " materials");
    for (std::size_t m = 0; m < blocks.size(); ++m)
      if (blocks[m] >= List::count)
        throw ArgumentError("divided: material " + std::to_string(m) + " has block " +
                            std::to_string(blocks[m]) + " of " + std::to_string(List::count));
    MixedMesh<List, ExecutionSpace> result(block<Elements>(mesh, blocks)...);
    result.label_materials(mesh.material_labels());
    return result;
  }

private:
  template <class Element, class Whole, class ExecutionSpace>
  static Mesh<Element, ExecutionSpace> block(const Mesh<Whole, ExecutionSpace>& mesh,
                                             const std::vector<std::size_t>& blocks) {
    using Block = Mesh<Element, ExecutionSpace>;
    const auto exec = default_instance<ExecutionSpace>();
    const auto nodes = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mesh.connectivity());
    const auto materials = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mesh.materials());
    const auto material = [&](Ordinal e) { return materials.extent(0) == 0 ? 0 : materials(e); };
    std::vector<Ordinal> own, place(nodes.extent(0), -1);
    for (Ordinal e = 0; e < mesh.num_elements(); ++e)
      if (blocks[to_size(material(e))] == List::template number<Element>) {
        place[to_size(e)] = static_cast<Ordinal>(own.size());
        own.push_back(e);
      }
    const auto connectivity =
        allocate<typename Block::Connectivity>(exec, "Tessera::Mesh::connectivity", own.size());
    const auto numbers = allocate<typename Block::Materials>(exec, "Tessera::Mesh::materials", own.size());
    const auto host_nodes = Kokkos::create_mirror_view(Kokkos::HostSpace(), connectivity);
    const auto host_numbers = Kokkos::create_mirror_view(Kokkos::HostSpace(), numbers);
    for (std::size_t i = 0; i < own.size(); ++i) {
      for (int n = 0; n < Element::nodes; ++n) host_nodes(i, n) = nodes(own[i], n);
      host_numbers(i) = material(own[i]);
    }
    Kokkos::deep_copy(exec, connectivity, host_nodes);
    Kokkos::deep_copy(exec, numbers, host_numbers);
    Block result(exec, mesh, connectivity, numbers);
    result.name_elements([mesh, own](Ordinal e) { return mesh.element_name(own[to_size(e)]); });
    for (const auto& [name, set] : mesh.side_sets()) {
      const auto sides = sides_in<Block>(set, place);
      if (sides.extent(0) > 0) result.add_side_set(exec, name, sides);
    }
    return result;
  }

  /// The sides of a set whose elements have a place in the block.
  template <class Block, class Set>
  static typename Block::SideSet sides_in(const Set& set, const std::vector<Ordinal>& place) {
    const auto sides = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), set);
    std::vector<std::pair<Ordinal, int>> own;
    for (std::size_t s = 0; s < sides.extent(0); ++s)
      if (const Ordinal e = place[to_size(sides(s, 0))]; e >= 0) own.emplace_back(e, sides(s, 1));
    return to_side_set<Block>(own);
  }
};

} // namespace detail

/// The elements of a mesh in blocks by their materials, over the same nodes, so that `by_block` gives each
/// block's elements a physics of their own:
///
/// \code
/// using Rubber = BlockOf<Hex<1>, 1>;
/// const auto body = divided<Blocks<Hex<1>, Rubber>>(mesh, {0, 1}); // steel is material 0
/// const auto form = by_block([&]<class Element>(const Mesh<Element>&) {
///   if constexpr (std::is_same_v<Element, Rubber>) return weak_form(NeoHookean<3>{…});
///   else return weak_form(Steel{…});
/// });
/// solvers::Newton(MixedSpace(body, 3)).solve(form, u);
/// \endcode
///
/// Elements keep their order, materials, names and sets of sides; `Mesh::move` of either mesh moves both.
///
/// \tparam List   `Blocks` of the mesh's element type and `BlockOf`s of it
/// \param  blocks for each material the place of its block in the list
/// \throws ArgumentError unless each material has a place in the list; as `Mesh`
template <class List, class Element, class ExecutionSpace>
MixedMesh<List, ExecutionSpace> divided(const Mesh<Element, ExecutionSpace>& mesh,
                                        const std::vector<std::size_t>& blocks) {
  return detail::Division<List>::of(mesh, blocks);
}

} // namespace tessera
