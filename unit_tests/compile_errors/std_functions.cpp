// SPDX-License-Identifier: BSD-3-Clause
// A weak form that calls a function of the standard library on what may be a pack or a dual number: the
// compiler's first error says what to write.

#include <tessera/core/elements/elements.hpp>
#include <tessera/core/weak_form/weak_form.hpp>

#include <cmath>
#include <cstddef>
#include <utility>

namespace {

struct SlowsDown {
  static constexpr int components = 1;
  template <class Point>
  KOKKOS_FUNCTION auto f1(const Point& p) const {
    return p.grad_u * (1.0 / std::sqrt(1.0 + p.u * p.u));
  }
};

using Element = tessera::Tet<1>;
using Mesh = tessera::Mesh<Element, Kokkos::DefaultHostExecutionSpace>;
using Jacobian = decltype(tessera::jacobian(SlowsDown{}, std::declval<const Mesh&>(),
                                            Kokkos::View<double*, Kokkos::DefaultHostExecutionSpace>()));
using Point = tessera::QuadraturePoint<Element, 2, double>;
using Integrand = decltype(std::declval<const Jacobian&>().kernel().at(std::declval<const Point&>()));

} // namespace

std::size_t size() { return sizeof(Integrand); }
