// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Jacobians, their inverses, and gradients of an element by all lanes that share it (paper 2, section 4).

#include <tessera/core/scratch_atomics.hpp>
#include <tessera/strategies/assembly/common/lane_options.hpp>
#include <tessera/strategies/assembly/detail/lanes/element_workspace.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <type_traits>

namespace TESSERA_KERNELS::assembly::detail {

/// Derivatives of the basis functions at the points of a rule.
/// \tparam Copied whether they are read from a copy in the team's scratch (paper 2, Algorithm 4, line 3), or
///   else from constants of the kernel. To choose at run time would cost kernels in float half of their
///   speed.
template <class Workspace, int Degree, bool Copied>
class BasisDerivatives {
public:
  using Value = value_type_t<typename Workspace::real_type>;
  using Table = Tabulation<typename Workspace::Element, Degree>;
  static constexpr int n = Workspace::nodes, d = Workspace::dimension, entries = Table::points * n * d;
  /// Of a team's scratch.
  static constexpr std::size_t scratch_bytes = Copied ? entries * sizeof(Value) + alignof(Value) : 0;

  /// Called by all threads of a team.
  template <class Member>
  KOKKOS_FORCEINLINE_FUNCTION BasisDerivatives([[maybe_unused]] const Member& team,
                                               [[maybe_unused]] int scratch_level) {
    if constexpr (Copied) {
      copy_ = static_cast<Value*>(
          team.team_scratch(scratch_level).get_shmem_aligned(entries * sizeof(Value), alignof(Value)));
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, int{entries}), [&](int k) {
        copy_[k] = Table::template gradient<Value>(k / (n * d), k / d % n, k % d);
      });
      team.team_barrier();
    }
  }

  /// Of node m along reference axis b at point q.
  KOKKOS_FORCEINLINE_FUNCTION Value operator()(int q, int m, int b) const {
    if constexpr (Copied)
      return copy_[(q * n + m) * d + b];
    else
      return Table::template gradient<Value>(q, m, b);
  }
  KOKKOS_FORCEINLINE_FUNCTION static Value weight(int q) { return Table::template weight<Value>(q); }

private:
  struct None {};
  [[no_unique_address]] std::conditional_t<Copied, Value*, None> copy_{};
};

/// Jacobians x_{d,e} = sum_n x_n,d dphi_n/dxi_e of the points q0 ... q0 + count - 1 in the workspace's places
/// 0 ... count - 1.
template <class Lanes, class Workspace, class Basis>
KOKKOS_FORCEINLINE_FUNCTION void jacobians(const Lanes& lanes, Workspace& work, const Basis& basis, int q0,
                                           int count, JacobianSum how) {
  using Real = typename Workspace::real_type;
  constexpr int d = Workspace::dimension, n = Workspace::nodes;
  auto& jacobian = work.of.geometry.inverse;
  // Entry k of all points' Jacobians.
  const auto entry = [&](int k) -> Real& { return jacobian[k / (d * d)][k / d % d][k % d]; };
  const auto product = [&](int k, int m) -> Real {
    return work.coordinates[m][k / d % d] * basis(q0 + k / (d * d), m, k % d);
  };
  if (how == JacobianSum::scratch || Lanes::alone) {
    lanes.for_each(count * d * d, [&](int k) {
      Real sum = product(k, 0);
      for (int m = 1; m < n; ++m) sum += product(k, m);
      entry(k) = sum;
    });
    return;
  }
  if constexpr (!Lanes::alone) {
    if (how == JacobianSum::shuffle) {
      lanes.template for_each_sum<n, Real>(count * d * d, product,
                                           [&](int k, const Real& sum) { entry(k) = sum; });
      return;
    }
    lanes.for_each(count * d * d, [&](int k) { entry(k) = Real(0); });
    lanes.for_each(count * d * d * n,
                   [&](int k) { scratch_fetch_add(&entry(k / n), product(k / n, k % n)); });
  }
}

/// Inverse Jacobians and weights of `count` points from q0 on, a lane per point.
/// \return false, to some lane, if a determinant is not positive
template <class Lanes, class Workspace, class Basis>
KOKKOS_FORCEINLINE_FUNCTION bool inverse_jacobians(const Lanes& lanes, Workspace& work, const Basis& basis,
                                                   int q0, int count, JacobianSum how) {
  using Real = typename Workspace::real_type;
  using Value = value_type_t<Real>;
  constexpr int d = Workspace::dimension;
  jacobians(lanes, work, basis, q0, count, how);
  bool positive = true;
  lanes.for_each(count, [&](int slot) {
    auto& inverse = work.of.geometry.inverse[slot];
    Matrix<Real, d> jacobian;
    for (int a = 0; a < d; ++a)
      for (int b = 0; b < d; ++b) jacobian(a, b) = inverse[a][b];
    const Real det = determinant(jacobian);
    const Matrix<Real, d> adj = adjugate(jacobian);
    const Real inverse_det = Real(Value(1)) / det;
    work.weight[slot] = det * basis.weight(q0 + slot);
    positive = positive && all_positive(det);
    for (int a = 0; a < d; ++a)
      for (int b = 0; b < d; ++b) inverse[a][b] = adj(a, b) * inverse_det;
  });
  return positive;
}

/// Physical gradients of the basis at `count` points from q0 on, from the inverse Jacobians.
template <class Lanes, class Workspace, class Basis>
KOKKOS_FORCEINLINE_FUNCTION void gradients(const Lanes& lanes, Workspace& work, const Basis& basis, int q0,
                                           int count) {
  using Real = typename Workspace::real_type;
  constexpr int d = Workspace::dimension, n = Workspace::nodes;
  auto& geometry = work.of.geometry;
  lanes.for_each(count * n * d, [&](int k) {
    const int slot = k / (n * d), m = k / d % n, a = k % d;
    Real sum = geometry.inverse[slot][0][a] * basis(q0 + slot, m, 0);
    for (int b = 1; b < d; ++b) sum += geometry.inverse[slot][b][a] * basis(q0 + slot, m, b);
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

} // namespace TESSERA_KERNELS::assembly::detail
