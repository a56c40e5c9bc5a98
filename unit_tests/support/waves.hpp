// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Smooth functions whose Laplacians are multiples of themselves, and the data of the forms that they solve.

#include <tessera/core/arithmetic/small_matrix.hpp>

#include <Kokkos_Core.hpp>

namespace tessera::test {

/// w(x) = product over the axes of sin(k_d x_d + s_d); its Laplacian is -k.k w.
template <int Dimension>
struct Wave {
  KOKKOS_FUNCTION static double number(int d) { return d == 0 ? 2.3 : d == 1 ? 1.9 : 1.6; }
  KOKKOS_FUNCTION static double shift(int d) { return d == 0 ? 0.4 : d == 1 ? 0.9 : 0.7; }

  /// k.k
  KOKKOS_FUNCTION static double square() {
    double sum = 0;
    for (int d = 0; d < Dimension; ++d) sum += number(d) * number(d);
    return sum;
  }

  /// The derivative of order `order[d]` (0 or 1) along each axis.
  KOKKOS_FUNCTION double derivative(const Vector<double, Dimension>& x, const int (&order)[Dimension]) const {
    double product = 1;
    for (int d = 0; d < Dimension; ++d) {
      const double angle = number(d) * x(d) + shift(d);
      product *= order[d] == 0 ? Kokkos::sin(angle) : number(d) * Kokkos::cos(angle);
    }
    return product;
  }
  KOKKOS_FUNCTION double operator()(const Vector<double, Dimension>& x) const {
    const int order[Dimension] = {};
    return derivative(x, order);
  }
  KOKKOS_FUNCTION double along(const Vector<double, Dimension>& x, int axis) const {
    int order[Dimension] = {};
    order[axis] = 1;
    return derivative(x, order);
  }
};

/// (sigma k.k + lambda) w, the source of the Helmholtz form for u = w.
template <int Dimension>
struct HelmholtzSource {
  double factor;
  KOKKOS_FUNCTION double operator()(const Vector<double, Dimension>& x) const {
    return factor * Wave<Dimension>()(x);
  }
};

/// u = p grad w + q curl(0, 0, w): a displacement whose volume and shear parts are both eigenfunctions of the
/// elasticity operator, with eigenvalues (lambda + 2 mu) k.k and mu k.k.
template <int Dimension>
struct WaveDisplacement {
  double gradient_part, curl_part;
  KOKKOS_FUNCTION Vector<double, Dimension> operator()(const Vector<double, Dimension>& x) const {
    const Wave<Dimension> wave;
    Vector<double, Dimension> u;
    for (int d = 0; d < Dimension; ++d) u(d) = gradient_part * wave.along(x, d);
    u(0) += curl_part * wave.along(x, 1);
    u(1) -= curl_part * wave.along(x, 0);
    return u;
  }
};

} // namespace tessera::test
