// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// One mesh over many ranks from a mesh that one rank has. Programs link Tessera::io too.

#include <tessera/core/default_instance.hpp>
#include <tessera/core/partition/partition.hpp>
#include <tessera/distributed/agree.hpp>
#include <tessera/distributed/detail/deal_out.hpp>
#include <tessera/distributed/detail/mesh_of_pieces.hpp>
#include <tessera/distributed/mesh.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
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

/// A mesh that rank 0 has, on its host.
template <class Element>
using WholeMesh = tessera::Mesh<Element, Kokkos::DefaultHostExecutionSpace>;

/// Collective: `make()` of rank 0, and a mesh without nodes on the others.
/// \throws on every rank what `make` throws
template <class Element, class Make>
WholeMesh<Element> on_rank_0(const Communicator& ranks, const Make& make) {
  return agree(ranks, [&] {
    if (ranks.rank() == 0) return WholeMesh<Element>(make());
    return WholeMesh<Element>(typename WholeMesh<Element>::Coordinates("Tessera::Mesh::coordinates", 0),
                              typename WholeMesh<Element>::Connectivity("Tessera::Mesh::connectivity", 0));
  });
}

/// The rank of each element: METIS's division by faces. Not collective; empty for a mesh without elements.
/// \param imbalance as PartitionOptions
/// \throws as `partition_elements`
template <class Element>
std::vector<Ordinal> divide_elements(const WholeMesh<Element>& mesh, int ranks, double imbalance = 1.03) {
  if (mesh.num_elements() == 0) return {};
  const auto parts = std::min(static_cast<Ordinal>(ranks), mesh.num_elements());
  return partition_elements(mesh.connectivity(), to_size(mesh.num_nodes()),
                            tessera::detail::SidesOf<Element>::fewest_nodes,
                            {.parts = parts, .imbalance = imbalance})
      .part_of_item;
}

/// Collective: the mesh of rank 0 over all ranks, with its numbers, sets and materials. Rank 0 sends each
/// rank its piece, one after the other; the lowest rank with an element of a node owns it.
/// \param whole   of rank 0, and on the others `on_rank_0`'s
/// \param rank_of on rank 0: who gets each element
template <class Element, class ExecutionSpace = Kokkos::DefaultExecutionSpace>
Mesh<Element, ExecutionSpace> divide_mesh(const ExecutionSpace& exec, const Communicator& ranks,
                                          const WholeMesh<Element>& whole,
                                          const std::vector<Ordinal>& rank_of) {
  const auto names = detail::SharedNames::of(ranks, whole);
  auto own = detail::dealt_out(ranks,
                               agree(ranks,
                                     [&] {
                                       return detail::piece_of_mesh(
                                           whole, names, detail::ascending(whole.num_nodes()),
                                           detail::ascending(whole.num_elements()), {});
                                     }),
                               rank_of);
  return detail::mesh_of_pieces<Element>(exec, ranks, std::move(own), names);
}

} // namespace tessera::distributed
