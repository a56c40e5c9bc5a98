// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// K_e u for bilinear quadrilaterals and trilinear hexahedra with two Gauss points along each axis.
//
// Nodal values are turned to the coefficients of the monomials 1, x, y, xy, ... (a butterfly per axis: the
// sum factorisation of two points). A derivative at the points +-1/sqrt(3) then is a sum with signs alone,
// since the coefficients are scaled beforehand. On an affine element the monomials are orthogonal and no
// points are needed at all.

#include <tessera/core/elements/cell.hpp>
#include <tessera/core/unroll.hpp>

#include <Kokkos_Core.hpp>

namespace tessera::detail {

/// scale * flux(reference * adj) * adj^T: from gradients on the reference element to fluxes there.
template <class Action, class Real, int C, int D>
KOKKOS_FORCEINLINE_FUNCTION Matrix<Real, C, D>
flux_on_reference(const Action& action, const Matrix<Real, C, D>& reference, const Matrix<Real, D>& adj,
                  const Real& scale) {
  Matrix<Real, C, D> gradient, result;
  for (int a = 0; a < C; ++a)
    for (int b = 0; b < D; ++b) {
      gradient(a, b) = reference(a, 0) * adj(0, b);
      for (int e = 1; e < D; ++e) gradient(a, b) += reference(a, e) * adj(e, b);
      gradient(a, b) *= scale;
    }
  const auto flux = action.flux(gradient);
  for (int a = 0; a < C; ++a)
    for (int e = 0; e < D; ++e) {
      result(a, e) = flux(a, 0) * adj(e, 0);
      for (int b = 1; b < D; ++b) result(a, e) += flux(a, b) * adj(e, b);
    }
  return result;
}

template <class Element, class Kernel, class Real>
struct MultilinearAction {
  using Value = value_type_t<Real>;
  static constexpr int d = Element::dimension, c = Kernel::components, modes = 1 << d;
  static_assert(Element::nodes == modes);
  using Nodal = Real[Element::nodes * c];

  /// Bit k of the result: whether the node lies at +1 on axis k (VTK's order turns around each face).
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int corner(int n) { return n ^ ((n >> 1) & 1); }
  /// Number of axes in a monomial.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int degree(int m) {
    return (m & 1) + (m >> 1 & 1) + (m >> 2 & 1);
  }
  /// (1/sqrt(3))^(degree - 1)
  KOKKOS_FORCEINLINE_FUNCTION static constexpr Value gauss(int m) {
    return Value(degree(m) == 0   ? 1.7320508075688772
                 : degree(m) == 1 ? 1.0
                 : degree(m) == 2 ? 0.57735026918962576
                                  : 1.0 / 3);
  }
  /// Mean of the squared monomial over the reference element.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr double mean_square(int m) {
    return degree(m) == 0 ? 1.0 : degree(m) == 1 ? 1.0 / 3 : degree(m) == 2 ? 1.0 / 9 : 1.0 / 27;
  }
  static constexpr double scale = 1.0 / (1 << (d * d)); ///< of det and adj, whose butterflies are not halved

  /// Coefficients of `fields` fields, times 2^d: mode[m].entry[f].
  template <int Fields>
  struct Modes {
    Real entry[modes][Fields];
    KOKKOS_FORCEINLINE_FUNCTION void butterfly() {
      for (int axis = 0; axis < d; ++axis)
        for (int m = 0; m < modes; ++m)
          if (!(m >> axis & 1))
            for (int f = 0; f < Fields; ++f) {
              const Real low = entry[m][f], high = entry[m | 1 << axis][f];
              entry[m][f] = low + high;
              entry[m | 1 << axis][f] = high - low;
            }
    }
    KOKKOS_FORCEINLINE_FUNCTION void transposed_butterfly() {
      for (int axis = 0; axis < d; ++axis)
        for (int m = 0; m < modes; ++m)
          if (!(m >> axis & 1))
            for (int f = 0; f < Fields; ++f) {
              const Real even = entry[m][f], odd = entry[m | 1 << axis][f];
              entry[m][f] = even - odd;
              entry[m | 1 << axis][f] = even + odd;
            }
    }
    KOKKOS_FORCEINLINE_FUNCTION void scale_to_points() {
      for (int m = 0; m < modes; ++m)
        if (degree(m) > 1)
          for (int f = 0; f < Fields; ++f) entry[m][f] *= gauss(m);
    }
    /// Derivative of field f along axis K at a point, times 2^d. Point (s0, s1, last) with s = +-1; what
    /// depends on `last` alone is common to a layer of points.
    template <int K>
    KOKKOS_FORCEINLINE_FUNCTION Real derivative(int f, Value s0, Value s1, Value last) const {
      if constexpr (K == 2)
        return (entry[4][f] + s0 * entry[modes - 3][f]) +
               s1 * (entry[modes - 2][f] + s0 * entry[modes - 1][f]);
      const Value other = K == 0 ? s1 : s0;
      if constexpr (d == 2)
        return entry[1 << K][f] + other * entry[3][f];
      else
        return (entry[1 << K][f] + last * entry[(1 << K | 4) % modes][f]) +
               other * (entry[3][f] + last * entry[modes - 1][f]);
    }
  };

  KOKKOS_FORCEINLINE_FUNCTION static void load(const Cell<Element, Real>& cell, const Nodal& u, Modes<d>& x,
                                               Modes<c>& w) {
    for (int n = 0; n < modes; ++n) {
      for (int a = 0; a < d; ++a) x.entry[corner(n)][a] = cell.coordinates[n][a];
      for (int a = 0; a < c; ++a) w.entry[corner(n)][a] = u[n * c + a];
    }
    x.butterfly();
    w.butterfly();
  }

  KOKKOS_FORCEINLINE_FUNCTION static void store(Modes<c>& dual, Nodal& v) {
    dual.transposed_butterfly();
    for (int n = 0; n < modes; ++n)
      for (int a = 0; a < c; ++a) v[n * c + a] = dual.entry[corner(n)][a];
  }

  KOKKOS_FORCEINLINE_FUNCTION static void general(const Kernel& kernel, const Cell<Element, Real>& cell,
                                                  const Nodal& u, Nodal& v) {
    Modes<d> x;
    Modes<c> w, dual;
    load(cell, u, x, w);
    x.scale_to_points();
    w.scale_to_points();
    const auto action = kernel.action(cell);
    const bool reacts = kernel.reacts();
    for_constants<modes>([&](auto m) {
      for (int a = 0; a < c; ++a) dual.entry[m][a] = Real(Value(0));
    });
    // Layers of four points; a rolled loop keeps the registers for the modes.
    TESSERA_UNROLL(d == 3 ? 1 : 2)
    for (int layer = 0; layer < (d == 3 ? 2 : 1); ++layer) {
      const Value last = Value(2 * layer - 1);
      Real in_plane[3][c]; // of modes x, y, xy
      for_constants<3>([&](auto k) {
        for (int a = 0; a < c; ++a) in_plane[k][a] = Real(Value(0));
      });
      for_constants<4>([&](auto point) {
        constexpr Value s0 = point & 1 ? 1 : -1, s1 = point & 2 ? 1 : -1;
        Matrix<Real, d> jacobian;
        Matrix<Real, c, d> reference;
        for_constants<d>([&](auto k) {
          for (int a = 0; a < d; ++a) jacobian(a, k) = x.template derivative<k>(a, s0, s1, last);
          for (int a = 0; a < c; ++a) reference(a, k) = w.template derivative<k>(a, s0, s1, last);
        });
        const Matrix<Real, d> adj = adjugate(jacobian);
        Real det = jacobian(0, 0) * adj(0, 0);
        for (int a = 1; a < d; ++a) det += jacobian(0, a) * adj(a, 0);
        const auto flux = flux_on_reference(action, reference, adj, Real(Value(scale)) / det);
        for (int a = 0; a < c; ++a) {
          in_plane[0][a] += flux(a, 0);
          in_plane[1][a] += flux(a, 1);
          in_plane[2][a] += s1 * flux(a, 0) + s0 * flux(a, 1);
          if constexpr (d == 3) {
            dual.entry[4][a] += flux(a, 2);
            dual.entry[5][a] += s0 * flux(a, 2);
            dual.entry[6][a] += s1 * flux(a, 2);
            dual.entry[7][a] += (s0 * s1) * flux(a, 2);
          }
        }
        if (reacts) {
          const auto sign = [&](int m) {
            return (m == 0 ? gauss(0) : Value(1)) * (m & 1 ? s0 : Value(1)) * (m & 2 ? s1 : Value(1)) *
                   (m & 4 ? last : Value(1));
          };
          Vector<Real, c> value;
          for (int m = 0; m < modes; ++m)
            for (int a = 0; a < c; ++a) value(a) += sign(m) * w.entry[m][a];
          const Real weight = det * Value(scale / (modes * modes) / 3);
          for (int a = 0; a < c; ++a) value(a) *= weight;
          const auto reaction = action.reaction(value);
          for (int m = 0; m < modes; ++m)
            for (int a = 0; a < c; ++a) dual.entry[m][a] += sign(m) * reaction(a);
        }
      });
      for_constants<3>([&](auto k) {
        for (int a = 0; a < c; ++a) {
          dual.entry[k + 1][a] += in_plane[k][a];
          if constexpr (d == 3) dual.entry[(k + 1) | 4][a] += last * in_plane[k][a];
        }
      });
    }
    dual.scale_to_points();
    store(dual, v);
  }

  KOKKOS_FORCEINLINE_FUNCTION static void affine(const Kernel& kernel, const Cell<Element, Real>& cell,
                                                 const Nodal& u, Nodal& v) {
    Modes<d> x;
    Modes<c> w, dual;
    load(cell, u, x, w);
    Matrix<Real, d> jacobian;
    for (int k = 0; k < d; ++k)
      for (int a = 0; a < d; ++a) jacobian(a, k) = x.entry[1 << k][a];
    const Matrix<Real, d> adj = adjugate(jacobian);
    Real det = jacobian(0, 0) * adj(0, 0);
    for (int a = 1; a < d; ++a) det += jacobian(0, a) * adj(a, 0);
    const auto action = kernel.action(cell);
    const Real inverse = Real(Value(scale * modes)) / det;
    for (int a = 0; a < c; ++a) dual.entry[0][a] = Real(Value(0));
    for_constants<modes - 1>([&](auto p) { // the part of all derivatives that is monomial p
      Matrix<Real, c, d> reference;
      for (int k = 0; k < d; ++k)
        for (int a = 0; a < c; ++a) reference(a, k) = p >> k & 1 ? Real(Value(0)) : w.entry[p | 1 << k][a];
      const auto flux = flux_on_monomial(p, action, reference, adj, inverse * Value(mean_square(p)));
      for (int k = 0; k < d; ++k)
        if (!(p >> k & 1))
          for (int a = 0; a < c; ++a) {
            Real& entry = dual.entry[p | 1 << k][a];
            entry = is_first(p, k) ? flux(a, k) : entry + flux(a, k);
          }
    });
    if (kernel.reacts())
      for (int m = 0; m < modes; ++m) {
        Vector<Real, c> value;
        for (int a = 0; a < c; ++a) value(a) = w.entry[m][a] * det * Value(scale / modes * mean_square(m));
        const auto reaction = action.reaction(value);
        for (int a = 0; a < c; ++a) dual.entry[m][a] += reaction(a);
      }
    store(dual, v);
  }

private:
  /// Whether p is the first monomial that adds to mode p | 1 << k.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr bool is_first(int p, int k) {
    const int m = p | 1 << k;
    for (int l = d - 1; l >= 0; --l)
      if (m >> l & 1) return l == k; // the smallest p is m without its highest axis
    return true;
  }

  /// `flux_on_reference` without the products with the columns of the axes in p, which are zero.
  template <class Action>
  KOKKOS_FORCEINLINE_FUNCTION static Matrix<Real, c, d>
  flux_on_monomial(int p, const Action& action, const Matrix<Real, c, d>& reference,
                   const Matrix<Real, d>& adj, const Real& factor) {
    Matrix<Real, c, d> gradient, result;
    for (int a = 0; a < c; ++a)
      for (int b = 0; b < d; ++b) {
        for (int e = 0; e < d; ++e)
          if (!(p >> e & 1)) gradient(a, b) += reference(a, e) * adj(e, b);
        gradient(a, b) *= factor;
      }
    const auto flux = action.flux(gradient);
    for (int a = 0; a < c; ++a)
      for (int e = 0; e < d; ++e)
        if (!(p >> e & 1)) {
          result(a, e) = flux(a, 0) * adj(e, 0);
          for (int b = 1; b < d; ++b) result(a, e) += flux(a, b) * adj(e, b);
        }
    return result;
  }
};

} // namespace tessera::detail
