// SPDX-License-Identifier: BSD-3-Clause
// An operator without a matrix for a form with functions on sides, which it would leave out.

#include <tessera/core/elements/elements.hpp>
#include <tessera/core/weak_form/weak_form.hpp>
#include <tessera/strategies/matrix_free/recomputing_element_by_element.hpp>

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

std::size_t rows(const tessera::FunctionSpace<tessera::Tet<1>, Space>& space,
                 const Kokkos::View<double*, Space>& u) {
  const auto form = tessera::weak_form(Laplace{}).on_sides(space.mesh().side_set("outer"), Cube{});
  const auto plan = tessera::matrix_free::RecomputingElementByElement{}.plan(Space(), space);
  return plan.prepare<double>(tessera::jacobian(form, space.mesh(), u)).rows();
}
