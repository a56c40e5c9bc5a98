// SPDX-License-Identifier: BSD-3-Clause
// A field by the quadrature points inside elements, which a physics on sides cannot read.

#include <tessera/core/elements/elements.hpp>
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
struct Flux {
  static constexpr int components = 1;
  template <class Point>
  KOKKOS_FUNCTION auto f0(const Point& p) const {
    return p.template a<0>() * p.u;
  }
};

} // namespace

int terms(const tessera::Mesh<tessera::Tet<1>, Space>::SideSet& sides,
          const tessera::PointField<1, Space>& field) {
  const auto form = tessera::weak_form(Laplace{}).on_sides(sides, Flux{}, field);
  return static_cast<int>(std::tuple_size_v<decltype(form.terms)>);
}
