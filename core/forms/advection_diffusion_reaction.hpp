// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Advection, diffusion and reaction as a weak form.

#include <tessera/core/error.hpp>
#include <tessera/core/weak_form/weak_form.hpp>

#include <array>
#include <cmath>

namespace tessera {

/// -div(D grad u) + b . grad u + c u = f with f = field 0. The Jacobian is not symmetric; no stabilisation:
/// the mesh must resolve |b| h / D.
template <int Dimension>
struct AdvectionDiffusionReaction {
  double diffusion = 1;
  std::array<double, Dimension> advection = {};
  double reaction = 0;

  static constexpr int components = 1;
  static constexpr bool symmetric = false;

  template <class Point>
  KOKKOS_FORCEINLINE_FUNCTION auto f0(const Point& p) const {
    auto sum = reaction * p.u - p.template a<0>();
    for (int d = 0; d < Dimension; ++d) sum += advection[d] * p.grad_u(d);
    return sum;
  }
  template <class Point>
  KOKKOS_FORCEINLINE_FUNCTION auto f1(const Point& p) const {
    static_assert(Point::dimension == Dimension,
                  "AdvectionDiffusionReaction: an element of another dimension");
    return diffusion * p.grad_u;
  }

  /// \throws FormError
  void check() const {
    if (!(diffusion > 0)) throw FormError("AdvectionDiffusionReaction::diffusion must be positive");
    if (!std::isfinite(reaction)) throw FormError("AdvectionDiffusionReaction::reaction must be finite");
    for (double b : advection)
      if (!std::isfinite(b)) throw FormError("AdvectionDiffusionReaction::advection must be finite");
  }
};

} // namespace tessera
