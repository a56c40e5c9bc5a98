// SPDX-License-Identifier: BSD-3-Clause
// A right-hand side alone of a form with functions on sides, which it would leave out.

#include <tessera/core/elements/elements.hpp>
#include <tessera/core/space/right_hand_side.hpp>
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

void assemble(const tessera::FunctionSpace<tessera::Tet<1>, Space>& space,
              const Kokkos::View<double*, Space>& u, const Kokkos::View<double*, Space>& rhs) {
  const auto form = tessera::weak_form(Laplace{}).on_sides(space.mesh().side_set("outer"), Cube{});
  tessera::RightHandSide(space).assemble(tessera::jacobian(form, space.mesh(), u), rhs);
}
