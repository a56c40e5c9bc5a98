// SPDX-License-Identifier: BSD-3-Clause
// The reference assembly of a form with functions on sides, which it would leave out.

#include <tessera/core/elements/elements.hpp>
#include <tessera/core/system/reference_assembly.hpp>
#include <tessera/core/weak_form/weak_form.hpp>

namespace {

using Space = Kokkos::DefaultHostExecutionSpace;

struct Laplace {
  static constexpr int components = 1;
  template <class Point>
  KOKKOS_FUNCTION auto f1(const Point& p) const {
    return p.grad_u;
  }
};
struct Cube {
  static constexpr int components = 1;
  template <class Point>
  KOKKOS_FUNCTION auto f0(const Point& p) const {
    return p.u * p.u * p.u;
  }
};

} // namespace

auto assemble(const tessera::FunctionSpace<tessera::Tet<1>, Space>& space,
              const tessera::SparsityGraph<Space>& graph, const Kokkos::View<double*, Space>& u) {
  const auto form = tessera::weak_form(Laplace{}).on_sides(space.mesh().side_set("outer"), Cube{});
  return tessera::reference_assembly(tessera::jacobian(form, space.mesh(), u), space, graph);
}
