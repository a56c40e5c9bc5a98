// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The shape of a trilinear hexahedron and the moments of one of its corners.

#include <tessera/core/arithmetic/reciprocal.hpp>
#include <tessera/core/elements/cell.hpp>
#include <tessera/core/unroll.hpp>

#include <Kokkos_Core.hpp>

#include <limits>

namespace TESSERA_KERNELS::assembly::detail {

/// Corners are those of [-1,1]^3; bit d of `corner` tells whether it is at 1 in direction d.
/// \return its number in VTK's order
KOKKOS_FORCEINLINE_FUNCTION constexpr int hexahedron_corner(int corner) { return corner ^ (corner >> 1 & 1); }

/// Eight times the coefficients of a trilinear map of the functions x, y, xy, z, xz, yz and xyz: function m,
/// from 1, has the directions that are bits of m as its factors. The constant does not matter to gradients.
/// Distances are measured in those of the Gauss points from the centre, 1 / sqrt 3, wherever a function has
/// further factors than the one that a derivative removes: there, functions are 1 or -1.
template <class Real>
struct HexahedronShape {
  static constexpr double gauss = 0.57735026918962576451; // 1 / sqrt 3
  static constexpr int numbers = 21;
  Real entry[numbers]; ///< 3 (m - 1) + d

  HexahedronShape() = default;
  /// \param x corners in VTK's order, relative to any origin
  KOKKOS_FORCEINLINE_FUNCTION explicit HexahedronShape(const Real (&x)[8][3]) {
    using Value = value_type_t<Real>;
    for (int d = 0; d < 3; ++d) {
      Real v[8];
      for (int i = 0; i < 8; ++i) v[i] = x[hexahedron_corner(i)][d];
      // A function on the corners -1, 1 of a direction is sum and difference of its two values; one direction
      // after the other these are the coefficients of all products, as of a fast Walsh-Hadamard transform.
      for (int bit = 1; bit < 8; bit *= 2)
        for (int i = 0; i < 8; ++i) {
          if (i & bit) continue;
          const Real sum = v[i] + v[i | bit];
          v[i | bit] = v[i | bit] - v[i];
          v[i] = sum;
        }
      for (int m : {1, 2, 4}) entry[3 * (m - 1) + d] = v[m];
      for (int m : {3, 5, 6}) entry[3 * (m - 1) + d] = v[m] * Value(gauss);
      entry[18 + d] = v[7] * Value(gauss * gauss);
    }
  }

  /// The three coordinates' coefficients of function m.
  KOKKOS_FORCEINLINE_FUNCTION const Real* operator()(int m) const { return entry + 3 * (m - 1); }
};

/// Sums over the 2x2x2 Gauss points of weighted products of gradients with corner 0,
///
///   G_j[a,b] = sum_q w_q det J g_0[a] g_j[b] ,  g_j = J^-T d phi_j / d xi ,
///
/// for all corners j. With k = w J^-T dphi_0/dxi and A = adj J they are F_ab(phi_j), where the functional
/// F_ab(phi) = sum_q k[a] sum_f A[f,b] dphi/dxi_f is linear in phi and zero for constants: its values for the
/// seven functions x, y, xy, z, xz, yz and xyz say all, and what depends on j comes last, as sums and
/// differences. F_ab of a coordinate x_c, a combination of the seven, is delta_bc sum_q k[a] det J; so four
/// of the seven are summed, and the values for x, y and z follow from three equations with the Jacobian at
/// the centre. A thread has 36 sums at a time, and no array over points and corners.
template <class Real>
class CornerMoments {
  using Value = value_type_t<Real>;
  using Vector3 = Vector<Real, 3>;
  using Shape = HexahedronShape<Real>;

public:
  /// \param shape `shape()` returns the hexahedron's shape; called for each half of the points and once after
  ///   them, so that it need not stay in registers between
  template <class ShapeOf>
  KOKKOS_FORCEINLINE_FUNCTION explicit CornerMoments(const ShapeOf& shape) {
    for (int m : {3, 5, 6, 7})
      for (int ab = 0; ab < 9; ++ab) sum(m).entry[ab] = Real(Value(0));
    for (auto& k : sum_of_k_) k = Real(Value(0));
    basis_integral_ = Real(Value(0));
    smallest_ = Real(std::numeric_limits<Value>::max());
    // Unrolled, the points would share so much that registers ran out.
    TESSERA_UNROLL(1)
    for (int s2 = -1; s2 < 2; s2 += 2) {
      const Shape& half = shape();
      TESSERA_UNROLL_ON_HOST_TOO(2)
      for (int s1 = -1; s1 < 2; s1 += 2) {
        TESSERA_UNROLL_ON_HOST_TOO(2)
        for (int s0 = -1; s0 < 2; s0 += 2) add_point(Value(s0), Value(s1), Value(s2), half);
      }
    }
    solve(shape());
  }

  /// The smallest determinant of the Jacobian at the points and the centre, times 512; NaNs show in the basis
  /// integral.
  KOKKOS_FORCEINLINE_FUNCTION const Real& smallest_determinant() const { return smallest_; }
  /// Integral of corner 0's basis function.
  KOKKOS_FORCEINLINE_FUNCTION const Real& basis_integral() const { return basis_integral_; }

  /// From moments to a form's blocks of corner 0 and corner j, all corners at a time:
  /// `form.stiffness(moments)` is linear.
  template <class Form>
  KOKKOS_FORCEINLINE_FUNCTION void apply(const Form& form) {
    TESSERA_UNROLL(7)
    for (int m = 1; m < 8; ++m) sum(m) = form.stiffness(sum(m));
  }

  /// Entry 3 a + b of all corners in VTK's order.
  KOKKOS_FORCEINLINE_FUNCTION void corners(int ab, Real (&entry)[8]) const {
    for (int i = 0; i < 4; ++i) {
      const bool one_0 = i & 1, one_1 = i >> 1;
      const Value s0(one_0 ? Shape::gauss : -Shape::gauss), s1(one_1 ? Shape::gauss : -Shape::gauss);
      const Real along_1 = value(2, ab) + value(3, ab) * s0;
      const Real even = (one_1 ? along_1 : -along_1) + (one_0 ? value(1, ab) : -value(1, ab));
      const Real odd = value(4, ab) + value(5, ab) * s0 + (value(6, ab) + value(7, ab) * s0) * s1;
      entry[hexahedron_corner(i)] = even - odd;
      entry[hexahedron_corner(i + 4)] = even + odd;
    }
  }

private:
  // The linear functions of [-1,1] are `near` at the Gauss point next to their node and `near` * `ratio` at
  // the other one. The sums below leave `near` out wherever it is a common factor; `weight` puts it back.
  static constexpr double near = (1 + Shape::gauss) / 2, ratio = (1 - Shape::gauss) / (1 + Shape::gauss);
  static constexpr double weight = -near * near / 128; // derivatives of corner 0's function have the sign

  /// Over `near`: the function that is 1 at -1, at the Gauss point with the sign s.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr Value linear(Value s) {
    return Value((1 + ratio) / 2) - s * Value((1 - ratio) / 2);
  }

  KOKKOS_FORCEINLINE_FUNCTION Matrix<Real, 3>& sum(int m) { return sums_[m - 1]; }
  KOKKOS_FORCEINLINE_FUNCTION const Real& value(int m, int ab) const { return sums_[m - 1].entry[ab]; }

  /// Derivative of the position, times eight, in the direction of function `f` at the Gauss point with signs
  /// s and t in the others; `fs` and `ft` are the products with their functions.
  KOKKOS_FORCEINLINE_FUNCTION static Vector3 edge(const Shape& shape, int f, int fs, int ft, Value s,
                                                  Value t) {
    const Real *x = shape(f), *xs = shape(fs), *xt = shape(ft), *xst = shape(7);
    Vector3 sum;
    for (int d = 0; d < 3; ++d) sum(d) = (x[d] + xs[d] * s) + (xt[d] + xst[d] * s) * t;
    return sum;
  }

  KOKKOS_FORCEINLINE_FUNCTION static Vector3 cross(const Vector3& u, const Vector3& v) {
    Vector3 w;
    w(0) = u(1) * v(2) - u(2) * v(1);
    w(1) = u(2) * v(0) - u(0) * v(2);
    w(2) = u(0) * v(1) - u(1) * v(0);
    return w;
  }

  KOKKOS_FORCEINLINE_FUNCTION static Real dot(const Vector3& u, const Real* v) {
    return u(0) * v[0] + u(1) * v[1] + u(2) * v[2];
  }

  /// \param s0, s1, s2 1 or -1: on which side of the centre the point is
  KOKKOS_FORCEINLINE_FUNCTION void add_point(Value s0, Value s1, Value s2, const Shape& shape) {
    const Vector3 u = edge(shape, 1, 3, 5, s1, s2), v = edge(shape, 2, 3, 6, s0, s2),
                  w = edge(shape, 4, 5, 6, s0, s1);
    const Vector3 adj[3] = {cross(v, w), cross(w, u), cross(u, v)};
    const Real det = dot(u, adj[0].entry);
    const Value l0 = linear(s0), l1 = linear(s1), l2 = linear(s2);
    const Real scale = reciprocal(det) * Value(weight);
    basis_integral_ += det * (Value(near * near * near / 512) * l0 * l1 * l2);
    smallest_ = smaller(smallest_, det);
    Real k[3];
    for (int a = 0; a < 3; ++a) {
      k[a] = (adj[0](a) * l1 + adj[1](a) * l0) * l2 + adj[2](a) * (l0 * l1);
      sum_of_k_[a] += k[a];
      k[a] *= scale;
    }
    for (int b = 0; b < 3; ++b) {
      const Real x = adj[0](b), y = adj[1](b), z = adj[2](b), xy = x * s1 + y * s0;
      const Real xz = x * s2 + z * s0, yz = y * s2 + z * s1, xyz = xy * s2 + z * (s0 * s1);
      for (int a = 0; a < 3; ++a) {
        sum(3)(a, b) += k[a] * xy;
        sum(5)(a, b) += k[a] * xz;
        sum(6)(a, b) += k[a] * yz;
        sum(7)(a, b) += k[a] * xyz;
      }
    }
  }

  /// The values for x, y and z from sum over m of F_ab(m) shape(m)[c] = delta_bc sum_of_k_[a].
  KOKKOS_FORCEINLINE_FUNCTION void solve(const Shape& shape) {
    Vector3 u, v, w;
    for (int d = 0; d < 3; ++d) {
      u(d) = shape(1)[d];
      v(d) = shape(2)[d];
      w(d) = shape(4)[d];
    }
    Vector3 inverse[3] = {cross(v, w), cross(w, u), cross(u, v)};
    const Real det = dot(u, inverse[0].entry), scale = reciprocal(det);
    smallest_ = smaller(smallest_, det);
    for (int f = 0; f < 3; ++f) {
      for (int d = 0; d < 3; ++d) inverse[f](d) *= scale;
      const Real xy = dot(inverse[f], shape(3)), xz = dot(inverse[f], shape(5)),
                 yz = dot(inverse[f], shape(6)), xyz = dot(inverse[f], shape(7));
      for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b)
          sum(1 << f)(a, b) = inverse[f](b) * (sum_of_k_[a] * Value(weight)) - xy * sum(3)(a, b) -
                              xz * sum(5)(a, b) - yz * sum(6)(a, b) - xyz * sum(7)(a, b);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION static Real smaller(const Real& x, const Real& y) {
    return from_lanes<Real>([&](int lane) {
      const Value u = lane_of(x, lane), v = lane_of(y, lane);
      return u < v ? u : v;
    });
  }

  Matrix<Real, 3> sums_[7]; // of function m at m - 1, without the powers of 1 / sqrt 3
  Real sum_of_k_[3];        // without weight
  Real basis_integral_, smallest_;
};

} // namespace TESSERA_KERNELS::assembly::detail
