// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What searches on the host ask of a mesh, of one element or of several blocks.

#include <tessera/core/blocks/mixed_mesh.hpp>
#include <tessera/core/elements/detail/side_kinds.hpp>
#include <tessera/core/mesh/mesh.hpp>
#include <tessera/core/types.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace tessera::solvers::detail {

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

} // namespace tessera::solvers::detail
