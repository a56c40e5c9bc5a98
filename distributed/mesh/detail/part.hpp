// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What `distributed::Mesh` is made of.

#include <tessera/core/mesh/mesh.hpp>
#include <tessera/distributed/types.hpp>

#include <Kokkos_Core.hpp>

namespace tessera::distributed::detail {

/// What one rank has of a mesh, with its ghosts.
template <class MeshType>
struct Part {
  MeshType mesh;
  Kokkos::View<GlobalOrdinal*, Kokkos::HostSpace> global_nodes;
  Kokkos::View<int*, Kokkos::HostSpace> ghost_owners;
  Kokkos::View<GlobalOrdinal*, Kokkos::HostSpace> global_elements;
};

} // namespace tessera::distributed::detail
