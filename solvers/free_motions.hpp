// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Motions and constants that nothing holds, found before a system is solved.

#include <tessera/core/blocks/mixed_mesh.hpp>
#include <tessera/core/space/function_space.hpp>
#include <tessera/core/types.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tessera::solvers {

/// Fields that a form's energy does not see.
enum class Unseen {
  constants,     ///< of each component: diffusion without reaction
  rigid_motions, ///< elasticity with a component per dimension
};

/// A part of the mesh, and what nothing holds of it.
struct FreePart {
  Ordinal first_element = 0; ///< the lowest of the part
  Ordinal elements = 0;      ///< of the part
  /// Pieces that hang together at single nodes or edges alone, and move against each other; else 1.
  Ordinal pieces = 1;
  std::vector<std::string> motions; ///< what each is called
  std::vector<Ordinal> dofs;        ///< degrees of freedom that the motions move, ascending
  /// Motion × place in `dofs`: orthonormal.
  std::vector<std::vector<double>> fields;
};

/// All that nothing holds. The matrix is singular unless there is nothing.
struct FreeMotions {
  std::vector<FreePart> parts;
  /// Pieces that hang together at so many nodes and edges alone that their mechanisms were not looked for.
  Ordinal unexamined = 0;

  bool none() const { return parts.empty(); }
  /// Dimension of the null space.
  std::size_t count() const;
  /// A sentence of the first parts and their motions; `element_name` as `Mesh::element_name`.
  std::string description(const std::function<std::string(Ordinal)>& element_name) const;
  /// Degrees of freedom, one a motion, that hold everything without a stress in it: those that the motions
  /// move most.
  std::vector<Ordinal> pins() const;
};

namespace detail {

/// Elements of one type.
struct HostBlock {
  std::size_t first_element = 0, first_place = 0; ///< in the connectivity
  int nodes = 0;                                  ///< of an element
  std::vector<std::vector<int>> side_corners;     ///< side × corner: local node
};

/// What is asked of a mesh, on the host. Elements are numbered block after block.
struct HostMesh {
  int dimension = 0;
  std::vector<double> coordinates;   ///< node × dimension
  std::vector<Ordinal> connectivity; ///< element × node, block after block
  std::vector<HostBlock> blocks;     ///< with elements; at least one

  std::size_t nodes() const { return coordinates.size() / to_size(dimension); }
  std::size_t elements() const {
    const HostBlock& last = blocks.back();
    return last.first_element + (connectivity.size() - last.first_place) / to_size(last.nodes);
  }
  const HostBlock& block_of(std::size_t element) const {
    std::size_t b = blocks.size() - 1;
    while (element < blocks[b].first_element) --b;
    return blocks[b];
  }
  std::span<const Ordinal> nodes_of(std::size_t element) const {
    const HostBlock& block = block_of(element);
    return std::span(connectivity)
        .subspan(block.first_place + (element - block.first_element) * to_size(block.nodes),
                 to_size(block.nodes));
  }
};

/// \param held node: bit c set where component c is held
FreeMotions free_constants(const HostMesh& mesh, const std::vector<std::uint8_t>& held, int components);
/// The same of rigid motions.
FreeMotions free_rigid_motions(const HostMesh& mesh, const std::vector<std::uint8_t>& held);

/// Appends the elements of a mesh.
template <class Element, class ExecutionSpace>
void append_block(HostMesh& host, const Mesh<Element, ExecutionSpace>& mesh) {
  HostBlock block{.first_element = host.blocks.empty() ? 0 : host.elements(),
                  .first_place = host.connectivity.size(),
                  .nodes = Element::nodes,
                  .side_corners = {}};
  const auto sides = Element::side_nodes();
  for (int s = 0; s < Element::sides; ++s)
    block.side_corners.emplace_back(sides[s].begin(),
                                    sides[s].begin() + tessera::detail::side_corners_of<Element>(s));
  host.blocks.push_back(std::move(block));
  const auto nodes = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mesh.connectivity());
  host.connectivity.reserve(host.connectivity.size() + nodes.extent(0) * Element::nodes);
  for (std::size_t e = 0; e < nodes.extent(0); ++e)
    for (int i = 0; i < Element::nodes; ++i) host.connectivity.push_back(nodes(e, i));
}
template <class Coordinates>
HostMesh host_nodes(const Coordinates& coordinates) {
  const auto x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), coordinates);
  HostMesh host;
  host.dimension = static_cast<int>(x.extent(1));
  host.coordinates.reserve(x.size());
  for (std::size_t n = 0; n < x.extent(0); ++n)
    for (std::size_t d = 0; d < x.extent(1); ++d) host.coordinates.push_back(x(n, d));
  return host;
}
template <class Element, class ExecutionSpace>
HostMesh host_mesh(const Mesh<Element, ExecutionSpace>& mesh) {
  HostMesh host = host_nodes(mesh.coordinates());
  append_block(host, mesh);
  return host;
}
template <class List, class ExecutionSpace>
HostMesh host_mesh(const MixedMesh<List, ExecutionSpace>& mesh) {
  HostMesh host = host_nodes(mesh.coordinates());
  mesh.for_each_block([&](const auto& block) { append_block(host, block); });
  return host;
}

/// Node: bit c set where a constraint or a Robin side holds component c.
template <class Space>
std::vector<std::uint8_t> held_components(const Space& space) {
  const auto equations = space.equations();
  std::vector<std::uint8_t> held(space.mesh().num_nodes(), 0);
  if (equations.constrained)
    Kokkos::deep_copy(Kokkos::View<std::uint8_t*, Kokkos::HostSpace>(held.data(), held.size()),
                      equations.mask);
  const auto robin = space.robin(typename Space::execution_space());
  const auto on_host = [](const auto& view) {
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  };
  const auto nodes = on_host(robin.nodes), offsets = on_host(robin.offsets),
             neighbors = on_host(robin.neighbors);
  const auto products = on_host(robin.products);
  for (std::size_t i = 0; i < nodes.extent(0); ++i)
    for (Ordinal k = offsets(i); k < offsets(i + 1); ++k)
      for (int c = 0; neighbors(k) == nodes(i) && c < space.components(); ++c)
        if (products(k, c) > 0) held[nodes(i)] |= static_cast<std::uint8_t>(1u << c);
  return held;
}

} // namespace detail

/// Finds what neither constraints nor Robin sides hold: constants or rigid motions of each connected part,
/// and mechanisms of pieces that hang together at nodes or edges alone (a hinge in three dimensions, a pin in
/// two), which no support holds either. With any of it the matrix is singular, and an iteration on loads that
/// happen to be in balance ends with an arbitrary solution; without any, a form that sees all else has a
/// matrix that is positive definite but for rounding.
///
/// A degree of freedom counts as held where the space constrains it, or where a Robin side with a transfer
/// of the component above zero has the node. Two elements are one rigid piece if they share a side. What is
/// held is decided by the rank of constraints on rigid motions about each piece's centre, lengths relative to
/// the piece's size: below 1e-9 a constraint adds nothing.
///
/// On the host: sides are sorted once, in a time of a few products with the matrix.
/// \param space a `FunctionSpace` or a `MixedSpace`, whose elements `FreePart` numbers block after block
/// \throws ArgumentError for rigid motions of a space without a component per dimension
template <class Space>
  requires requires { typename Space::MeshType; }
FreeMotions free_motions(const Space& space, Unseen unseen) {
  const detail::HostMesh mesh = detail::host_mesh(space.mesh());
  if (unseen == Unseen::rigid_motions && space.components() != mesh.dimension)
    throw ArgumentError("free_motions: rigid motions in " + std::to_string(mesh.dimension) +
                        " dimensions have as many components, the space has " +
                        std::to_string(space.components()));
  const auto held = detail::held_components(space);
  return unseen == Unseen::constants ? detail::free_constants(mesh, held, space.components())
                                     : detail::free_rigid_motions(mesh, held);
}

} // namespace tessera::solvers
