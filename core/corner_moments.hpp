#pragma once

/// \file
/// The moments of one corner of a trilinear hexahedron, by sums over one direction at a time.

#include <tessera/core/cell.hpp>
#include <tessera/core/reciprocal.hpp>
#include <tessera/core/unroll.hpp>

#include <Kokkos_Core.hpp>

namespace tessera {

/// Sums over the 2x2x2 Gauss points of weighted products of gradients with corner 0,
///
///   G_j[a,b] = sum_q w_q det J g_0[a] g_j[b] ,  g_j = J^-T d phi_j / d xi ,
///
/// for all corners j. With k = J^-T dphi_0/dxi and A = adj J they are sum_q w k[a] sum_f A[f,b] dphi_j/dxi_f;
/// dphi_j/dxi_f does not vary along direction f and is a product of linear functions in the two others, so
/// that the sum over q is done one direction at a time and what depends on j comes last (sum factorisation:
/// S. A. Orszag, "Spectral methods for problems in complex geometries", J. Comput. Phys. 37, 1980). It takes
/// about half the operations of eight outer products per point, and no array over points and corners.
template <class Real>
class CornerMoments {
  using Value = value_type_t<Real>;
  using Vector3 = Vector<Real, 3>;

public:
  /// \param corners of the hexahedron in VTK's order, relative to any origin
  KOKKOS_FORCEINLINE_FUNCTION explicit CornerMoments(const Real (&corners)[8][3]) {
    TESSERA_UNROLL(2)
    for (int q2 = 0; q2 < 2; ++q2) TESSERA_UNROLL(2)
    for (int q1 = 0; q1 < 2; ++q1) {
      const Vector3 along_0 = edge(corners, 0, q1, q2);
      TESSERA_UNROLL(2)
      for (int q0 = 0; q0 < 2; ++q0)
        add_point(q0, q1, q2, along_0, edge(corners, 1, q0, q2), edge(corners, 2, q0, q1));
    }
    TESSERA_UNROLL(27)
    for (int s = 0; s < 27; ++s) {
      for (int p = 0; p < 2; ++p) interpolate(sums_[s][p][0], sums_[s][p][1]);
      for (int p = 0; p < 2; ++p) interpolate(sums_[s][0][p], sums_[s][1][p]);
    }
  }

  /// The smallest determinant of the Jacobian at the points; NaNs show in the basis integral.
  KOKKOS_FORCEINLINE_FUNCTION const Real& smallest_determinant() const { return smallest_; }
  /// Integral of corner 0's basis function.
  KOKKOS_FORCEINLINE_FUNCTION const Real& basis_integral() const { return basis_integral_; }

  /// G_j for a corner in VTK's order.
  KOKKOS_FORCEINLINE_FUNCTION Matrix<Real, 3> operator()(int j) const {
    const int j0 = (j ^ (j >> 1)) & 1, j1 = (j >> 1) & 1, j2 = j >> 2;
    Matrix<Real, 3> g;
    for (int ab = 0; ab < 9; ++ab) {
      const Real along_0 = sums_[ab][j1][j2], along_1 = sums_[9 + ab][j0][j2],
                 along_2 = sums_[18 + ab][j0][j1];
      g.entry[ab] = (j0 ? -along_0 : along_0) + (j1 ? -along_1 : along_1) + (j2 ? -along_2 : along_2);
    }
    return g;
  }

private:
  // The linear functions of [0,1] are `near` at the Gauss point next to their node and `near` * `ratio` at
  // the other one. The sums below leave `near` out wherever it is a common factor; the weights put it back.
  static constexpr double near = 0.78867513459481288225, ratio = 0.26794919243112270647;
  static constexpr double near_2 = near * near, near_3 = near_2 * near, near_6 = near_3 * near_3;

  KOKKOS_FORCEINLINE_FUNCTION static constexpr double linear(int node, int q) {
    return node == q ? 1.0 : ratio;
  }

  /// In place: values at the two Gauss points become sums with the two linear functions as weights.
  KOKKOS_FORCEINLINE_FUNCTION static void interpolate(Real& u, Real& v) {
    const Real first = u + v * Value(ratio);
    v = v + u * Value(ratio);
    u = first;
  }

  /// VTK's number of the corner at 0 or 1 along each direction.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int corner(int i0, int i1, int i2) {
    return 4 * i2 + 2 * i1 + (i0 ^ i1);
  }

  /// Derivative of the position along direction f of [0,1]^3 at Gauss points p and q of the other directions.
  KOKKOS_FORCEINLINE_FUNCTION static Vector3 edge(const Real (&x)[8][3], int f, int p, int q) {
    Vector3 sum;
    for (int d = 0; d < 3; ++d) {
      Real part[2];
      for (int j = 0; j < 2; ++j) {
        const auto difference = [&](int i) {
          return f == 0   ? x[corner(1, i, j)][d] - x[corner(0, i, j)][d]
                 : f == 1 ? x[corner(i, 1, j)][d] - x[corner(i, 0, j)][d]
                          : x[corner(i, j, 1)][d] - x[corner(i, j, 0)][d];
        };
        part[j] = p == 0 ? difference(0) + difference(1) * Value(ratio)
                         : difference(1) + difference(0) * Value(ratio);
      }
      sum(d) = q == 0 ? part[0] + part[1] * Value(ratio) : part[1] + part[0] * Value(ratio);
    }
    return sum;
  }

  KOKKOS_FORCEINLINE_FUNCTION static Vector3 cross(const Vector3& u, const Vector3& v) {
    Vector3 w;
    w(0) = u(1) * v(2) - u(2) * v(1);
    w(1) = u(2) * v(0) - u(0) * v(2);
    w(2) = u(0) * v(1) - u(1) * v(0);
    return w;
  }

  KOKKOS_FORCEINLINE_FUNCTION void add_point(int q0, int q1, int q2, const Vector3& u, const Vector3& v,
                                             const Vector3& w) {
    const bool first_0 = q0 == 0, first_1 = q1 == 0, first_2 = q2 == 0;
    const Vector3 adj[3] = {cross(v, w), cross(w, u), cross(u, v)};
    const Real det = u(0) * adj[0](0) + u(1) * adj[0](1) + u(2) * adj[0](2);
    // Minus the derivatives of corner 0's basis function; `operator()` turns the sign.
    const Value slope[3] = {Value(linear(0, q1) * linear(0, q2)), Value(linear(0, q0) * linear(0, q2)),
                            Value(linear(0, q0) * linear(0, q1))};
    const Real scale = reciprocal(det) * Value(near_6 / 8);
    const Real part = det * Value(near_6 * near_3 / 8 * linear(0, q0) * linear(0, q1) * linear(0, q2));
    const bool start = first_0 && first_1 && first_2;
    basis_integral_ = start ? part : basis_integral_ + part;
    smallest_ = start ? det : smaller(smallest_, det);
    for (int a = 0; a < 3; ++a) {
      const Real k = (adj[0](a) * slope[0] + adj[1](a) * slope[1] + adj[2](a) * slope[2]) * scale;
      for (int b = 0; b < 3; ++b) {
        accumulate(sums_[3 * a + b][q1][q2], k * adj[0](b), first_0);
        accumulate(sums_[9 + 3 * a + b][q0][q2], k * adj[1](b), first_1);
        accumulate(sums_[18 + 3 * a + b][q0][q1], k * adj[2](b), first_2);
      }
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION static void accumulate(Real& sum, const Real& term, bool first) {
    sum = first ? term : sum + term;
  }

  KOKKOS_FORCEINLINE_FUNCTION static Real smaller(const Real& x, const Real& y) {
    return from_lanes<Real>([&](int lane) {
      const Value u = lane_of(x, lane), v = lane_of(y, lane);
      return u < v ? u : v;
    });
  }

  Real sums_[27][2][2]; // 9 f + 3 a + b: first per Gauss points of the two other directions, then per nodes
  Real basis_integral_, smallest_;
};

} // namespace tessera
