// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// One mesh over many ranks from a mesh that one rank has. Programs link Tessera::io too.

#include <tessera/core/default_instance.hpp>
#include <tessera/core/partition/partition.hpp>
#include <tessera/distributed/agree.hpp>
#include <tessera/distributed/mesh/detail/deal_out.hpp>
#include <tessera/distributed/mesh/detail/mesh_of_pieces.hpp>
#include <tessera/distributed/mesh/mesh.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace tessera::distributed {

namespace detail {

inline std::vector<GlobalOrdinal> ascending(Ordinal count) {
  std::vector<GlobalOrdinal> numbers(to_size(count));
  std::iota(numbers.begin(), numbers.end(), GlobalOrdinal{0});
  return numbers;
}

} // namespace detail

/// A mesh that rank 0 has, on its host: a `tessera::Mesh`, of several element types a `MixedMesh`.
template <class Cells>
using WholeMesh = typename Mesh<Cells, Kokkos::DefaultHostExecutionSpace>::Local;

namespace detail {

template <class Element, class ExecutionSpace>
tessera::Mesh<Element, ExecutionSpace> empty_mesh(const tessera::Mesh<Element, ExecutionSpace>*) {
  using MeshType = tessera::Mesh<Element, ExecutionSpace>;
  return MeshType(typename MeshType::Coordinates("Tessera::Mesh::coordinates", 0),
                  typename MeshType::Connectivity("Tessera::Mesh::connectivity", 0));
}
template <class... Elements, class ExecutionSpace>
auto empty_mesh(const MixedMesh<Blocks<Elements...>, ExecutionSpace>*) {
  using MeshType = MixedMesh<Blocks<Elements...>, ExecutionSpace>;
  return MeshType(typename MeshType::Coordinates("Tessera::Mesh::coordinates", 0),
                  typename MeshType::template Cells<Elements>{}...);
}

/// The nodes of the elements of all blocks.
template <class MeshType>
tessera::detail::Incidence nodes_of_elements(const MeshType& mesh) {
  tessera::detail::Incidence nodes_of{.offsets = {0}, .entries = {}};
  for_each_block(mesh,
                 [&]<class Element>(const tessera::Mesh<Element, Kokkos::DefaultHostExecutionSpace>& block) {
                   for (Ordinal e = 0; e < block.num_elements(); ++e) {
                     for (int n = 0; n < Element::nodes; ++n)
                       nodes_of.entries.push_back(block.connectivity()(e, n));
                     nodes_of.offsets.push_back(static_cast<Offset>(nodes_of.entries.size()));
                   }
                 });
  return nodes_of;
}

/// Of the smallest side of any element type.
template <class MeshType>
Ordinal fewest_nodes_of_sides(const MeshType& mesh) {
  int fewest = std::numeric_limits<int>::max();
  for_each_block(mesh, [&]<class Element>(const tessera::Mesh<Element, Kokkos::DefaultHostExecutionSpace>&) {
    fewest = std::min(fewest, static_cast<int>(tessera::detail::SidesOf<Element>::fewest_nodes));
  });
  return fewest;
}

} // namespace detail

/// Collective: `make()` of rank 0, and a mesh without nodes on the others.
/// \throws on every rank what `make` throws
template <class Cells, class Make>
WholeMesh<Cells> on_rank_0(const Communicator& ranks, const Make& make) {
  return agree(ranks, [&] {
    if (ranks.rank() == 0) return WholeMesh<Cells>(make());
    return detail::empty_mesh(static_cast<const WholeMesh<Cells>*>(nullptr));
  });
}

/// The rank of each element, block after block where there are several types: METIS's division by faces. Not
/// collective; empty for a mesh without elements.
/// \param imbalance as PartitionOptions
/// \throws as `partition_elements`
template <class MeshType>
std::vector<Ordinal> divide_elements(const MeshType& mesh, int ranks, double imbalance = 1.03) {
  const auto elements = static_cast<Ordinal>(mesh.num_elements());
  if (elements == 0) return {};
  return partition_elements(
             detail::nodes_of_elements(mesh), to_size(mesh.num_nodes()), detail::fewest_nodes_of_sides(mesh),
             {.parts = std::min(static_cast<Ordinal>(ranks), elements), .imbalance = imbalance})
      .part_of_item;
}

/// Collective: the mesh of rank 0 over all ranks, with its numbers, sets and materials. Rank 0 sends each
/// rank its piece, one after the other; the lowest rank with an element of a node owns it.
/// \param whole   of rank 0, and on the others `on_rank_0`'s
/// \param rank_of on rank 0: who gets each element
template <class Cells, class ExecutionSpace = Kokkos::DefaultExecutionSpace>
Mesh<Cells, ExecutionSpace> divide_mesh(const ExecutionSpace& exec, const Communicator& ranks,
                                        const WholeMesh<Cells>& whole, const std::vector<Ordinal>& rank_of) {
  const auto names = detail::SharedNames::of(ranks, whole);
  auto own = detail::dealt_out(ranks,
                               agree(ranks,
                                     [&] {
                                       return detail::piece_of_mesh(
                                           whole, names, detail::ascending(whole.num_nodes()),
                                           detail::ascending(static_cast<Ordinal>(whole.num_elements())), {});
                                     }),
                               rank_of);
  return detail::mesh_of_pieces<Cells>(exec, ranks, std::move(own), names);
}

} // namespace tessera::distributed
