// SPDX-License-Identifier: BSD-3-Clause
// The kernels with the most registers that no strategy bounds itself: a thread has the whole matrix of an
// element.
#include <tessera/core/forms/linear_elasticity.hpp>
#include <tessera/strategies/assembly/element_local.hpp>

namespace tessera {

void assemble(const FunctionSpace<Tet<1>, Kokkos::HIP>& space,
              const LinearSystem<double, Kokkos::HIP>& system) {
  assembly::ElementLocal{}.plan(space, system.graph()).assemble(LinearElasticity<3>{}, system);
}

} // namespace tessera
