// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Parts of a mesh over many ranks that nothing holds, found before a system is solved.

#include <tessera/core/allocate.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/types.hpp>
#include <tessera/distributed/agree.hpp>
#include <tessera/distributed/mesh/mesh.hpp>
#include <tessera/distributed/node_exchange.hpp>
#include <tessera/distributed/types.hpp>
#include <tessera/solvers/free_motions.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace tessera::distributed {

/// A part of the mesh, all whose elements hang together by nodes, that supports do not hold wholly.
struct FreePart {
  GlobalOrdinal first_element = 0; ///< the lowest of the part
  GlobalOrdinal elements = 0;
  int motions = 0; ///< that are free: constants or rigid motions
};

namespace detail {

/// What a rank has of the mesh's parts, on the host.
struct LocalParts {
  solvers::detail::HostMesh mesh;
  std::vector<std::uint8_t> held;      ///< node: bit c set where component c is held
  std::vector<GlobalOrdinal> elements; ///< global number of each element that the rank owns
  std::vector<Ordinal> owned_elements; ///< their local numbers
  Ordinal owned_nodes = 0;
  int components = 0;
  std::vector<Ordinal> part_of_node;

  /// Numbers the rank's own parts.
  void find_parts();
  /// Every node of a part gets the least of its nodes' labels.
  void spread(std::vector<GlobalOrdinal>& labels) const;
};

/// Collective. \param labels of nodes, the same for all nodes of a part of the whole mesh
std::vector<FreePart> free_parts(const Communicator& ranks, const LocalParts& local,
                                 const std::vector<GlobalOrdinal>& labels, solvers::Unseen unseen);

template <class Cells, class ExecutionSpace>
LocalParts local_parts(const Mesh<Cells, ExecutionSpace>& mesh, const SpaceOn<Cells, ExecutionSpace>& space) {
  LocalParts local{.mesh = solvers::detail::host_mesh(mesh.local()),
                   .held = solvers::detail::held_components(space),
                   .elements = {},
                   .owned_elements = {},
                   .owned_nodes = mesh.owned_nodes(),
                   .components = space.components(),
                   .part_of_node = {}};
  const auto owners = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mesh.element_owners());
  for (Ordinal e = 0; e < static_cast<Ordinal>(mesh.local().num_elements()); ++e)
    if (owners(e) == mesh.ranks().rank()) {
      local.owned_elements.push_back(e);
      local.elements.push_back(mesh.global_elements()(e));
    }
  local.find_parts();
  return local;
}

} // namespace detail

/// Collective: the parts of the whole mesh that neither constraints nor Robin sides hold, as
/// `solvers::free_motions` finds them on one rank; the same on every rank, ascending by their first elements.
/// Mechanisms of pieces that hang together at nodes or edges alone are not looked for.
///
/// Parts get a label from rank to rank, in as many exchanges of a number a node as a part has ranks in a row;
/// then each rank sends all others a matrix of the motions for each part that it has.
/// \throws ArgumentError on every rank for rigid motions of a space without a component per dimension
template <class Cells, class ExecutionSpace>
std::vector<FreePart> free_parts(const ExecutionSpace& exec, const Mesh<Cells, ExecutionSpace>& mesh,
                                 const SpaceOn<Cells, ExecutionSpace>& space, solvers::Unseen unseen) {
  using Labels = Kokkos::View<GlobalOrdinal*, ExecutionSpace>;
  const Communicator& ranks = mesh.ranks();
  const auto local = agree(ranks, [&] {
    if (unseen == solvers::Unseen::rigid_motions && space.components() != Cells::dimension)
      throw ArgumentError("free_parts: rigid motions in " + std::to_string(Cells::dimension) +
                          " dimensions have as many components, the space has " +
                          std::to_string(space.components()));
    return detail::local_parts(mesh, space);
  });
  const auto device = agree(
      ranks, [&] { return allocate<Labels>(exec, "Tessera::free_parts::labels", mesh.local().num_nodes()); });
  NodeExchange<GlobalOrdinal, ExecutionSpace> exchange(exec, mesh.import(), 1);
  const auto& nodes = mesh.global_nodes();
  std::vector<GlobalOrdinal> labels(nodes.data(), nodes.data() + nodes.extent(0));
  const Kokkos::View<GlobalOrdinal*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> host(labels.data(),
                                                                                      labels.size());
  for (int differ = 1; differ != 0;) {
    local.spread(labels);
    const std::vector<GlobalOrdinal> before = labels;
    Kokkos::deep_copy(exec, device, host);
    exchange.begin(exec, device);
    exchange.end(exec, device);
    Kokkos::deep_copy(exec, host, device);
    exec.fence("Tessera::free_parts::labels");
    differ = labels != before ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &differ, 1, MPI_INT, MPI_MAX, ranks.own());
  }
  return detail::free_parts(ranks, local, labels, unseen);
}

} // namespace tessera::distributed
