// SPDX-License-Identifier: BSD-3-Clause
// The kernels with the most registers that no strategy bounds itself: a thread has the whole matrix of an
// element.
#include <tessera/core/forms/linear_elasticity.hpp>
#include <tessera/strategies/assembly/element_local.hpp>
#include <tessera/strategies/assembly/patch.hpp>
#include <tessera/strategies/matrix_free/element_by_element.hpp>

namespace tessera {

using Space = FunctionSpace<Tet<1>, Kokkos::HIP>;

void assemble(const Space& space, const LinearSystem<double, Kokkos::HIP>& system) {
  assembly::ElementLocal{}.plan(space, system.graph()).assemble(LinearElasticity<3>{}, system);
  assembly::Patch{}.plan(space, system.graph()).assemble(LinearElasticity<3>{}, system);
}

/// Stores elements, and integrates them for the right-hand side.
void load(const Space& space, const Kokkos::View<double*, Kokkos::HIP>& f) {
  matrix_free::ElementByElement{}.plan(space).prepare(LinearElasticity<3>{}).load(Kokkos::HIP(), f);
}

} // namespace tessera
