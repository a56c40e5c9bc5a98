// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Slow viscous flow: velocities in a mesh's own functions, the pressure in linear ones.

#include <tessera/core/arithmetic/small_matrix.hpp>
#include <tessera/core/elements/linear_basis.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/forms/detail/check_viscosity.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cmath>

namespace tessera {

/// Stokes' equations: find u, p with integral of viscosity grad u : grad v - p div v = integral of f . v and
/// - integral of q div u = 0 for all v, q. Symmetric and indefinite. On meshes of second order this is Taylor
/// and Hood's pair (C. Taylor, P. Hood, "A numerical solution of the Navier-Stokes equations using the finite
/// element technique", Computers & Fluids 1, 1973), of order 3 in the velocity and 2 in the pressure; with
/// velocities of first order the pressure oscillates.
///
/// Components: d velocities, then the pressure. Where velocities are prescribed all round, the pressure is
/// determined but for a constant: prescribe it at one corner.
template <int d>
struct Stokes {
  static constexpr int components = d + 1, linear_components = 1;
  static constexpr bool symmetric = true;
  template <class Element>
  static constexpr int degree = 2 * Element::order;

  double viscosity = 1; ///< dynamic, positive
  std::array<double, d> body_force{};

  /// \throws FormError for a viscosity that is not positive or a force that is not finite
  template <class Mesh>
  void check(const Mesh&) const {
    detail::check_viscosity("Stokes", viscosity);
    for (const double force : body_force)
      if (!std::isfinite(force)) throw FormError("Stokes: the body force is not finite");
  }

  /// The integrand at a point.
  template <class Point>
  struct Integrand {
    using Real = typename Point::real_type;
    using Value = value_type_t<Real>;
    using Pressure = LinearBasis<typename Point::element_type>;
    const Point& point;
    Value viscosity;
    Vector<Value, d> body_force;

    KOKKOS_FORCEINLINE_FUNCTION Matrix<Real, d + 1> stiffness(int i, int j) const {
      Matrix<Real, d + 1> k;
      Real diffusion = point.gradient(i, 0) * point.gradient(j, 0);
      for (int a = 1; a < d; ++a) diffusion += point.gradient(i, a) * point.gradient(j, a);
      const Value psi_i = Pressure::value(point, i), psi_j = Pressure::value(point, j);
      for (int a = 0; a < d; ++a) {
        k(a, a) = diffusion * viscosity;
        k(a, d) = point.gradient(i, a) * -psi_j;
        k(d, a) = point.gradient(j, a) * -psi_i;
      }
      return k;
    }
    KOKKOS_FORCEINLINE_FUNCTION Vector<Real, d + 1> load(int i) const {
      Vector<Real, d + 1> f;
      for (int a = 0; a < d; ++a) f(a) = Real(body_force(a) * point.value(i));
      return f;
    }
  };

  template <class Point>
  KOKKOS_FORCEINLINE_FUNCTION Integrand<Point> at(const Point& point) const {
    Integrand<Point> integrand{point, static_cast<value_type_t<typename Point::real_type>>(viscosity), {}};
    for (int a = 0; a < d; ++a)
      integrand.body_force(a) = static_cast<value_type_t<typename Point::real_type>>(body_force[a]);
    return integrand;
  }
};

/// The mass matrix of the pressure over the viscosity, zero but for the pressure's rows and columns: what
/// stands for Schur's complement of Stokes' equations in preconditioners.
template <int d>
struct PressureMass {
  static constexpr int components = d + 1, linear_components = 1;
  static constexpr bool symmetric = true;
  template <class Element>
  static constexpr int degree = 2;

  double viscosity = 1; ///< dynamic, positive

  /// \throws FormError for a viscosity that is not positive
  template <class Mesh>
  void check(const Mesh&) const {
    detail::check_viscosity("PressureMass", viscosity);
  }

  /// The integrand at a point.
  template <class Point>
  struct Integrand {
    using Real = typename Point::real_type;
    using Value = value_type_t<Real>;
    using Pressure = LinearBasis<typename Point::element_type>;
    const Point& point;
    Value fluidity;

    KOKKOS_FORCEINLINE_FUNCTION Matrix<Real, d + 1> stiffness(int i, int j) const {
      Matrix<Real, d + 1> k;
      k(d, d) = Real(fluidity * Pressure::value(point, i) * Pressure::value(point, j));
      return k;
    }
    KOKKOS_FORCEINLINE_FUNCTION Vector<Real, d + 1> load(int) const { return {}; }
  };

  template <class Point>
  KOKKOS_FORCEINLINE_FUNCTION Integrand<Point> at(const Point& point) const {
    return {point, static_cast<value_type_t<typename Point::real_type>>(1 / viscosity)};
  }
};

} // namespace tessera
