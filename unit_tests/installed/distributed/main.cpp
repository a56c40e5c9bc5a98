// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/elements/elements.hpp>
#include <tessera/distributed/mesh/box.hpp>

#include <Kokkos_Core.hpp>

#include <cstdio>
#include <mpi.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int status = 0;
  {
    const Kokkos::ScopeGuard kokkos(argc, argv);
    const auto mesh =
        tessera::distributed::box_mesh<tessera::Hex<1>>(MPI_COMM_WORLD, {{4, 3, 2}, {1.0, 1.0, 1.0}});
    std::printf("%lld elements\n", static_cast<long long>(mesh.num_global_elements()));
    status = mesh.num_global_elements() == 24 ? 0 : 1;
  }
  MPI_Finalize();
  return status;
}
