// SPDX-License-Identifier: BSD-3-Clause
// A sum of weak forms that has other quadrature points than the values of a form's PointField.

#include <tessera/core/elements/elements.hpp>
#include <tessera/core/weak_form/weak_form.hpp>

namespace {

using Space = Kokkos::DefaultHostExecutionSpace;

template <int quadrature>
struct Source {
  static constexpr int components = 1;
  template <class Element>
  static constexpr int degree = quadrature;
  template <class Point>
  KOKKOS_FUNCTION auto f0(const Point& p) const {
    return p.u * p.template a<0>();
  }
};

} // namespace

void check(const tessera::Mesh<tessera::Tet<1>, Space>& mesh, const tessera::PointField<1, Space>& history) {
  tessera::sum(tessera::weak_form(Source<1>{}, history), tessera::weak_form(Source<2>{}, 1.0)).check(mesh);
}
