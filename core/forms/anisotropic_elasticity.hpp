// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Small-strain elasticity with a general stiffness in three dimensions.

#include <tessera/core/elements/cell.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/fields/coefficient.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

namespace tessera {

/// The six components of stress and strain, in the order 11, 22, 33, 12, 13, 23; shear strains are angles,
/// twice the tensor's components. A symmetric 6 x 6 stiffness has 21 numbers: its upper triangle column after
/// column, as decks list it: 11-11; 11-22, 22-22; 11-33, 22-33, 33-33; 11-12, ...
struct VoigtStiffness {
  static constexpr int size = 6, entries = 21;
  /// Where entry (i, j) stands.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int at(int i, int j) {
    return i <= j ? j * (j + 1) / 2 + i : i * (i + 1) / 2 + j;
  }
  /// The component that belongs to axes a and b.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int component(int a, int b) { return a == b ? a : a + b + 2; }
};

/// Pointwise part of `AnisotropicElasticity`.
struct AnisotropicElasticityKernel {
  Kokkos::Array<CellFieldKernel, VoigtStiffness::entries> stiffness;
  Vector<double, 3> body_force;

  static constexpr int components = 3;
  static constexpr bool symmetric = true;

  /// As of LinearElasticityKernel.
  template <class Element>
  static constexpr int degree =
      is_simplex(Element::shape) ? std::max(2 * Element::order - 2, Element::order) : 2 * Element::order;

  /// The numbers of `VoigtStiffness` in an element.
  template <class Real>
  struct Stiffness {
    Vector<Real, VoigtStiffness::entries> c;

    /// Stress of a displacement gradient H[a,b] = du_a / dx_b.
    KOKKOS_FORCEINLINE_FUNCTION Matrix<Real, 3> flux(const Matrix<Real, 3>& gradient) const {
      Vector<Real, VoigtStiffness::size> strain, stress; // shear strains are twice the tensor's
      for (int a = 0; a < 3; ++a) {
        strain(a) = gradient(a, a);
        for (int b = 0; b < a; ++b) strain(VoigtStiffness::component(a, b)) = gradient(a, b) + gradient(b, a);
      }
      for (int s = 0; s < VoigtStiffness::size; ++s)
        for (int t = 0; t < VoigtStiffness::size; ++t) stress(s) += c(VoigtStiffness::at(s, t)) * strain(t);
      Matrix<Real, 3> flux;
      for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b) flux(a, b) = stress(VoigtStiffness::component(a, b));
      return flux;
    }
    /// No term without derivatives.
    KOKKOS_FORCEINLINE_FUNCTION Vector<Real, 3> reaction(const Vector<Real, 3>&) const { return {}; }
  };

  template <class Real, class AnyCell>
  KOKKOS_FORCEINLINE_FUNCTION Stiffness<Real> stiffness_in(const AnyCell& cell) const {
    Stiffness<Real> known;
    for (int k = 0; k < VoigtStiffness::entries; ++k) known.c(k) = stiffness[k].template in<Real>(cell);
    return known;
  }

  /// The integrand at one quadrature point.
  template <class Point>
  struct Integrand {
    using Real = typename Point::real_type;
    const Point& point;
    Vector<Real, VoigtStiffness::entries> c;
    Vector<double, 3> force;

    /// K_ij[a,b] = sum_de g_i[d] C_ad,be g_j[e].
    KOKKOS_FORCEINLINE_FUNCTION Matrix<Real, 3> stiffness(int i, int j) const {
      Matrix<Real, 3> k;
      for (int b = 0; b < 3; ++b) {
        Vector<Real, VoigtStiffness::size> stress; // of trial displacement g_j along axis b
        for (int s = 0; s < VoigtStiffness::size; ++s)
          for (int e = 0; e < 3; ++e)
            stress(s) += c(VoigtStiffness::at(s, VoigtStiffness::component(b, e))) * point.gradient(j, e);
        for (int a = 0; a < 3; ++a)
          for (int d = 0; d < 3; ++d)
            k(a, b) += point.gradient(i, d) * stress(VoigtStiffness::component(a, d));
      }
      return k;
    }

    KOKKOS_FORCEINLINE_FUNCTION Vector<Real, 3> load(int i) const {
      Vector<Real, 3> f;
      for (int a = 0; a < 3; ++a) f(a) = Real(value_type_t<Real>(force(a))) * point.value(i);
      return f;
    }
  };

  template <class Point>
  KOKKOS_FORCEINLINE_FUNCTION Integrand<Point> at(const Point& point) const {
    static_assert(Point::dimension == 3, "AnisotropicElasticity: three dimensions");
    return {point, stiffness_in<typename Point::real_type>(point.cell()).c, body_force};
  }

  /// False: operators need no values.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr bool reacts() { return false; }
  /// What the form makes of a function's gradients in an element.
  template <class Element, class Real>
  KOKKOS_FORCEINLINE_FUNCTION Stiffness<Real> action(const Cell<Element, Real>& cell) const {
    return stiffness_in<Real>(cell);
  }
};

/// Elasticity with three displacements per node and a general stiffness, orthotropic or without any symmetry
/// but that of energy: each of the numbers that `VoigtStiffness` lists is a number or a `CellField`. Body
/// force per volume. Natural boundary data is the traction.
struct AnisotropicElasticity {
  std::array<CellField, VoigtStiffness::entries> stiffness = {};
  std::array<double, 3> body_force = {};

  static constexpr int components = 3;

  /// The pointwise part for device kernels.
  AnisotropicElasticityKernel kernel() const {
    AnisotropicElasticityKernel kernel{};
    for (std::size_t k = 0; k < stiffness.size(); ++k) kernel.stiffness[k] = coefficient_kernel(stiffness[k]);
    for (int a = 0; a < 3; ++a) kernel.body_force(a) = body_force[static_cast<std::size_t>(a)];
    return kernel;
  }

  /// \throws FormError for a stiffness that is not positive definite, naming the material or element, or
  ///   values that are not finite; ArgumentError for values in memory that `ExecutionSpace` cannot read, too
  ///   few of them, or some per material and others per element
  template <class ExecutionSpace>
  void check(std::size_t materials, std::size_t elements) const {
    using Kind = CellField::Kind;
    Kind kind = Kind::constant;
    std::vector<std::vector<double>> values;
    values.reserve(stiffness.size());
    for (const CellField& entry : stiffness) {
      check_cell_field<ExecutionSpace>(entry, "AnisotropicElasticity::stiffness", materials, elements,
                                       "finite", [](double value) { return std::isfinite(value); });
      if (entry.kind() != Kind::constant) {
        if (kind != Kind::constant && kind != entry.kind())
          throw ArgumentError("AnisotropicElasticity::stiffness: some entries are given per material and "
                              "others per element");
        kind = entry.kind();
      }
      values.push_back(entry.host_values());
    }
    const std::size_t count = kind == Kind::constant ? 1 : kind == Kind::per_material ? materials : elements;
    for (std::size_t m = 0; m < count; ++m) {
      std::array<double, VoigtStiffness::entries> c{};
      for (std::size_t k = 0; k < c.size(); ++k) c[k] = values[k].size() == 1 ? values[k][0] : values[k][m];
      if (!is_positive_definite(c))
        throw FormError(
            "AnisotropicElasticity::stiffness is not positive definite" +
            (kind == Kind::constant
                 ? ""
                 : (kind == Kind::per_material ? " for material " : " in element ") + std::to_string(m)));
    }
    for (const double b : body_force)
      if (!std::isfinite(b)) throw FormError("AnisotropicElasticity::body_force must be finite");
  }

  /// Whether a stiffness gives every strain an energy, by Cholesky's factorisation.
  static bool is_positive_definite(const std::array<double, VoigtStiffness::entries>& c) {
    double l[VoigtStiffness::size][VoigtStiffness::size] = {};
    for (int i = 0; i < VoigtStiffness::size; ++i)
      for (int j = 0; j <= i; ++j) {
        const double whole = c[static_cast<std::size_t>(VoigtStiffness::at(i, j))];
        double rest = whole;
        for (int k = 0; k < j; ++k) rest -= l[i][k] * l[j][k];
        if (i == j && !(rest > 1e-14 * whole)) return false; // also NaN
        l[i][j] = i == j ? std::sqrt(rest) : rest / l[j][j];
      }
    return true;
  }
};

} // namespace tessera
