// SPDX-License-Identifier: BSD-3-Clause
// A form of one's own for tessera_fem: surfaces of least area over a plane mesh, -div(grad u / sqrt(1 + |grad
// u|^2)) = 0.
#include <tessera/core/weak_form/weak_form.hpp>
#include <tessera/python/bindings/extension.hpp>
#include <tessera/strategies/assembly/element_atomic.hpp>

namespace {

using namespace tessera;
using namespace tessera::python;

struct MinimalSurface {
  static constexpr int components = 1;
  static constexpr bool symmetric = true, uses_value = false;

  template <class Point>
  KOKKOS_FUNCTION auto f1(const Point& p) const {
    return (1.0 / tessera::sqrt(1.0 + dot(p.grad_u, p.grad_u))) * p.grad_u;
  }
};

/// Newton's linear system for the state after u, which has a value for each node.
void assemble(const AnySpace& any_space, AnySystem& system, const GivenArray<double, 1>& u) {
  const auto& space = space_of<Tri<1>>(any_space);
  const auto state = copy_in<Kokkos::View<double*, Exec>>("minimal_surface::u", located(u), u.size());
  auto plan = assembly::ElementAtomic{}.plan(space, system.system().graph());
  plan.assemble(jacobian(weak_form(MinimalSurface{}), space.mesh(), state), system.system());
}

} // namespace

NB_MODULE(minimal_surface, extension) {
  nb::module_::import_("tessera_fem");
  extension.def("assemble", assemble, nb::arg("space"), nb::arg("system"), nb::arg("u"),
                "Assembles Newton's system at u.");
}
