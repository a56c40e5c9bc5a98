// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A bound of the spectrum of a level of all ranks.

#include <tessera/core/types.hpp>
#include <tessera/distributed/communicator.hpp>
#include <tessera/distributed/multigrid/detail/couplings.hpp>
#include <tessera/solvers/multigrid/detail/level.hpp>
#include <tessera/solvers/multigrid/detail/smoother/spectral_bound.hpp>
#include <tessera/solvers/sparse/detail/random.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <utility>
#include <vector>

namespace tessera::distributed::detail {

/// A random vector, the same on any number of ranks.
template <class ExecutionSpace>
struct LanczosStart {
  GlobalOrdinal first;
  sparse::Floats<ExecutionSpace> v;
  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    v(row) = sparse::random_number(static_cast<Ordinal>(first + row), 1);
  }
};

template <class ExecutionSpace>
struct LanczosProducts {
  using value_type = amg::LanczosSums;
  sparse::Floats<ExecutionSpace> u, v;
  KOKKOS_FUNCTION void operator()(Ordinal row, amg::LanczosSums& sums) const {
    const auto own = static_cast<double>(u(row));
    sums += {own * static_cast<double>(v(row)), own * own};
  }
};

/// next = factor (u - mean v).
template <class ExecutionSpace>
struct LanczosNext {
  sparse::Floats<ExecutionSpace> u, v;
  float mean, factor;
  sparse::Floats<ExecutionSpace> next;
  KOKKOS_FUNCTION void operator()(Ordinal row) const { next(row) = factor * (u(row) - mean * v(row)); }
};

template <class ExecutionSpace>
amg::LanczosSums sum_of_all(const ExecutionSpace& exec, const Communicator& ranks,
                            const LanczosProducts<ExecutionSpace>& products) {
  amg::LanczosSums sums;
  Kokkos::parallel_reduce("Tessera::Multigrid::lanczos_sums",
                          sparse::Range<ExecutionSpace>(exec, 0, products.u.extent_int(0)), products, sums);
  double all[2] = {sums.uv, sums.uu};
  MPI_Allreduce(MPI_IN_PLACE, all, 2, MPI_DOUBLE, MPI_SUM, ranks.own());
  return {all[0], all[1]};
}

/// Collective: the largest Ritz value of Lanczos' method and the norm of its residual, as `spectral_bound` of
/// one rank. The level's vectors are used.
/// \param first   number of the rank's first row
/// \param combine runs a `Combination` with the rows of all ranks
template <class ExecutionSpace, class Combine>
double lanczos_bound(const ExecutionSpace& exec, const Communicator& ranks,
                     const amg::Level<ExecutionSpace>& level, GlobalOrdinal first, const Combine& combine) {
  const sparse::Range<ExecutionSpace> rows(exec, 0, level.rows());
  sparse::Floats<ExecutionSpace> v = level.x, u = level.t, before = level.r;
  Kokkos::deep_copy(exec, v, 0.0f);
  Kokkos::parallel_for("Tessera::Multigrid::lanczos_start", rows, LanczosStart<ExecutionSpace>{first, u});
  std::vector<double> alpha, beta;
  double norm = std::sqrt(sum_of_all(exec, ranks, LanczosProducts<ExecutionSpace>{u, u}).uu), mean = 0;
  for (int step = 0; step < amg::tuning::lanczos_steps && norm > 0; ++step) {
    Kokkos::parallel_for(
        "Tessera::Multigrid::lanczos_next", rows,
        LanczosNext<ExecutionSpace>{u, v, static_cast<float>(mean), static_cast<float>(1 / norm), before});
    std::swap(v, before); // u - mean v, over its norm, has taken the place of the one before v
    combine({v, before, u, step == 0 ? 0.0f : -static_cast<float>(norm), 0.0f, 1.0f});
    const auto sums = sum_of_all(exec, ranks, LanczosProducts<ExecutionSpace>{u, v});
    alpha.push_back(mean = sums.uv);
    beta.push_back(norm = sums.beta());
    if (norm <= amg::tuning::lanczos_invariant * std::abs(alpha[0])) break;
  }
  if (alpha.empty()) return 0;
  const auto [value, last] = amg::largest_ritz_value(alpha, beta);
  return value + beta.back() * last;
}

} // namespace tessera::distributed::detail
