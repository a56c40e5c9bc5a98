// SPDX-License-Identifier: BSD-3-Clause
// A weak form that asks for the rate of its unknown where none is given: the compiler's first error says how
// to give it.

#include <tessera/core/elements/elements.hpp>
#include <tessera/core/weak_form/weak_form.hpp>

#include <cstddef>
#include <utility>

namespace {

struct Heat {
  static constexpr int components = 1;
  template <class Point>
  KOKKOS_FUNCTION auto f0(const Point& p) const {
    return p.u_t();
  }
};

using Element = tessera::Tet<1>;
using Mesh = tessera::Mesh<Element, Kokkos::DefaultHostExecutionSpace>;
using Jacobian = decltype(tessera::jacobian(Heat{}, std::declval<const Mesh&>(),
                                            Kokkos::View<double*, Kokkos::DefaultHostExecutionSpace>()));
using Point = tessera::QuadraturePoint<Element, 2, double>;
using Integrand = decltype(std::declval<const Jacobian&>().kernel().at(std::declval<const Point&>()));

} // namespace

std::size_t size() { return sizeof(Integrand); }
