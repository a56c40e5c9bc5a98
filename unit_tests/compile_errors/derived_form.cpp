// SPDX-License-Identifier: BSD-3-Clause
// A form derived from a shipped one, which a plan of the catalogue would take for that one and integrate as
// it does.

#include <tessera/core/elements/elements.hpp>
#include <tessera/strategies/catalogue/any_assembly.hpp>

namespace {

struct Stiffened : tessera::LinearElasticity<3> {
  Stiffened kernel() const { return *this; }
};

} // namespace

void assemble(tessera::AnyAssembly<tessera::Tet<1>, Kokkos::DefaultHostExecutionSpace>& plan,
              const tessera::LinearSystem<double, Kokkos::DefaultHostExecutionSpace>& system) {
  plan.assemble(Stiffened(), system);
}
