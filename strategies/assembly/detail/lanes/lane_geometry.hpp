#pragma once

/// \file
/// Jacobians, their inverses, and gradients of an element by all lanes that share it (paper 2, section 4).

#include <tessera/core/scratch_atomics.hpp>
#include <tessera/strategies/assembly/common/lane_options.hpp>
#include <tessera/strategies/assembly/detail/lanes/element_workspace.hpp>

#include <Kokkos_Core.hpp>

namespace tessera::detail {

/// A square matrix that lanes can add up.
template <class Real, int Size>
struct MatrixSum {
  Matrix<Real, Size> matrix;
  KOKKOS_FORCEINLINE_FUNCTION MatrixSum& operator+=(const MatrixSum& other) {
    for (int k = 0; k < Size * Size; ++k) matrix.entry[k] += other.matrix.entry[k];
    return *this;
  }
};

/// Jacobians x_{d,e} = sum_n x_n,d dphi_n/dxi_e of the points q0 ... q0 + count - 1 in the workspace's places
/// 0 ... count - 1.
template <int Degree, class Lanes, class Workspace>
KOKKOS_FORCEINLINE_FUNCTION void jacobians(const Lanes& lanes, Workspace& work, int q0, int count,
                                           JacobianSum how) {
  using Real = typename Workspace::real_type;
  using Value = value_type_t<Real>;
  using Table = Tabulation<typename Workspace::Element, Degree>;
  constexpr int d = Workspace::dimension, n = Workspace::nodes;
  auto& jacobian = work.of.geometry.inverse;
  if (how == JacobianSum::scratch || Lanes::alone) {
    lanes.for_each(count * d * d, [&](int k) {
      const int slot = k / (d * d), a = k / d % d, b = k % d;
      Real sum = work.coordinates[0][a] * Table::template gradient<Value>(q0 + slot, 0, b);
      for (int m = 1; m < n; ++m)
        sum += work.coordinates[m][a] * Table::template gradient<Value>(q0 + slot, m, b);
      jacobian[slot][a][b] = sum;
    });
    return;
  }
  if constexpr (!Lanes::alone) {
    if (how == JacobianSum::shuffle) {
      for (int slot = 0; slot < count; ++slot) {
        MatrixSum<Real, d> sum;
        lanes.reduce(
            n,
            [&](int m, MatrixSum<Real, d>& partial) {
              for (int a = 0; a < d; ++a)
                for (int b = 0; b < d; ++b)
                  partial.matrix(a, b) +=
                      work.coordinates[m][a] * Table::template gradient<Value>(q0 + slot, m, b);
            },
            sum);
        // Every lane has the sum; constant indices keep it in registers.
        lanes.for_each(1, [&](int) {
          for (int a = 0; a < d; ++a)
            for (int b = 0; b < d; ++b) jacobian[slot][a][b] = sum.matrix(a, b);
        });
      }
      return;
    }
    lanes.for_each(count * d * d, [&](int k) { jacobian[k / (d * d)][k / d % d][k % d] = Real(0); });
    lanes.for_each(count * d * d * n, [&](int k) {
      const int m = k % n, slot = k / n / (d * d), a = k / n / d % d, b = k / n % d;
      scratch_fetch_add(&jacobian[slot][a][b],
                        work.coordinates[m][a] * Table::template gradient<Value>(q0 + slot, m, b));
    });
  }
}

/// Inverse Jacobians and weights of `count` points from q0 on, a lane per point.
/// \return false, to some lane, if a determinant is not positive
template <int Degree, class Lanes, class Workspace>
KOKKOS_FORCEINLINE_FUNCTION bool inverse_jacobians(const Lanes& lanes, Workspace& work, int q0, int count,
                                                   JacobianSum how) {
  using Real = typename Workspace::real_type;
  using Value = value_type_t<Real>;
  using Table = Tabulation<typename Workspace::Element, Degree>;
  constexpr int d = Workspace::dimension;
  jacobians<Degree>(lanes, work, q0, count, how);
  bool positive = true;
  lanes.for_each(count, [&](int slot) {
    auto& inverse = work.of.geometry.inverse[slot];
    Matrix<Real, d> jacobian;
    for (int a = 0; a < d; ++a)
      for (int b = 0; b < d; ++b) jacobian(a, b) = inverse[a][b];
    const Real det = determinant(jacobian);
    const Matrix<Real, d> adj = adjugate(jacobian);
    const Real inverse_det = Real(Value(1)) / det;
    work.weight[slot] = det * Table::template weight<Value>(q0 + slot);
    positive = positive && all_positive(det);
    for (int a = 0; a < d; ++a)
      for (int b = 0; b < d; ++b) inverse[a][b] = adj(a, b) * inverse_det;
  });
  return positive;
}

/// Physical gradients of the basis at `count` points from q0 on, from the inverse Jacobians.
template <int Degree, class Lanes, class Workspace>
KOKKOS_FORCEINLINE_FUNCTION void gradients(const Lanes& lanes, Workspace& work, int q0, int count) {
  using Real = typename Workspace::real_type;
  using Value = value_type_t<Real>;
  using Table = Tabulation<typename Workspace::Element, Degree>;
  constexpr int d = Workspace::dimension, n = Workspace::nodes;
  auto& geometry = work.of.geometry;
  lanes.for_each(count * n * d, [&](int k) {
    const int slot = k / (n * d), m = k / d % n, a = k % d;
    Real sum = geometry.inverse[slot][0][a] * Table::template gradient<Value>(q0 + slot, m, 0);
    for (int b = 1; b < d; ++b)
      sum += geometry.inverse[slot][b][a] * Table::template gradient<Value>(q0 + slot, m, b);
    geometry.gradient[slot][m][a] = sum;
  });
}

/// The element's load: each lane some nodes. Set by the points from q0 = 0 on, added to by later ones.
/// \return false, to some lane, if an entry is not finite
template <int Degree, bool Moments, class Lanes, class Workspace, class Kernel, class AnyCell>
KOKKOS_FORCEINLINE_FUNCTION bool lane_load(const Lanes& lanes, Workspace& work, const Kernel& kernel,
                                           const AnyCell& cell, int q0, int count) {
  using Real = typename Workspace::real_type;
  using Value = value_type_t<Real>;
  constexpr int c = Workspace::components;
  bool finite = true;
  lanes.for_each(Workspace::nodes, [&](int i) {
    Vector<Real, c> load;
    if constexpr (Moments) {
      Real integral = Real(Value(0));
      for (int slot = 0; slot < count; ++slot)
        integral += work.weight[slot] *
                    Tabulation<typename Workspace::Element, Degree>::template value<Value>(q0 + slot, i);
      load = kernel.from_moments(cell).load(integral);
    } else {
      for_each_kept_point<Degree>(work, kernel, cell, q0, count,
                                  [&](const auto& integrand, const auto& point) {
                                    const auto f = integrand.load(i);
                                    for (int a = 0; a < c; ++a) load(a) += point.weight() * f(a);
                                  });
    }
    for (int a = 0; a < c; ++a) {
      work.load[i * c + a] = q0 == 0 ? load(a) : work.load[i * c + a] + load(a);
      finite = finite && all_finite(load(a));
    }
  });
  return finite;
}

} // namespace tessera::detail
