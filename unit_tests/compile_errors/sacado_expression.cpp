// SPDX-License-Identifier: BSD-3-Clause
// A weak form differentiated by Sacado whose f0 returns what the operators do, which refers to numbers that
// are gone: the compiler's first error says what to write.

#include <tessera/core/elements/elements.hpp>
#include <tessera/core/weak_form/sacado.hpp>
#include <tessera/core/weak_form/weak_form.hpp>

#include <cstddef>
#include <utility>

namespace {

struct Cubic {
  static constexpr int components = 1;
  template <class Real, int Directions>
  using Differentiated = Sacado::Fad::SFad<Real, Directions>;
  template <class Point>
  KOKKOS_FUNCTION auto f0(const Point& p) const {
    return p.u * p.u * p.u;
  }
};

using Element = tessera::Tet<1>;
using Mesh = tessera::Mesh<Element, Kokkos::DefaultHostExecutionSpace>;
using Jacobian = decltype(tessera::jacobian(Cubic{}, std::declval<const Mesh&>(),
                                            Kokkos::View<double*, Kokkos::DefaultHostExecutionSpace>()));
using Point = tessera::QuadraturePoint<Element, 2, double>;
using Integrand = decltype(std::declval<const Jacobian&>().kernel().at(std::declval<const Point&>()));

} // namespace

std::size_t size() { return sizeof(Integrand); }
