// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Projection along the null space of a singular matrix.

#include <tessera/core/types.hpp>
#include <tessera/solvers/multigrid/detail/sparse.hpp>
#include <tessera/solvers/multigrid/detail/tuning.hpp>

#include <Kokkos_Core.hpp>

#include <vector>

namespace tessera::solvers::multigrid::detail {

/// Solves G c = c in place for a small symmetric positive semidefinite G, by rows; unknowns whose pivot
/// vanishes become zero.
inline void solve_small(std::vector<double>& g, std::vector<double>& c) {
  const std::size_t size = c.size();
  for (std::size_t k = 0; k < size; ++k) {
    const double pivot = g[k * size + k];
    const bool kept = pivot > tuning::dependent_null_mode * g[0];
    for (std::size_t i = 0; i < size; ++i) {
      if (i == k) continue;
      const double share = kept ? g[i * size + k] / pivot : 0;
      for (std::size_t j = k; j < size; ++j) g[i * size + j] -= share * g[k * size + j];
      c[i] -= share * c[k];
    }
    c[k] = kept ? c[k] / pivot : 0;
    if (!kept)
      for (std::size_t i = 0; i < size; ++i) g[i * size + k] = g[k * size + i] = 0;
    else
      for (std::size_t j = k; j < size; ++j) g[k * size + j] /= pivot;
  }
}

/// v −= N (NᵀN)⁻¹ Nᵀ v.
/// \param modes  N by rows; no rows: the constant vector.
template <class ExecutionSpace>
void remove_modes(const ExecutionSpace& exec, const Modes<ExecutionSpace>& modes,
                  const Doubles<ExecutionSpace>& v) {
  const auto rows = static_cast<Ordinal>(v.extent(0));
  const auto count = static_cast<int>(modes.extent(1));
  const bool constant = modes.extent(0) == 0;
  std::vector<double> gram(count * count), coefficients(count);
  for (int m = 0; m < count; ++m)
    for (int p = 0; p <= m; ++p) {
      double mp = 0, mv = 0;
      Kokkos::parallel_reduce(
          "Tessera::Multigrid::null_space_products", Range<ExecutionSpace>(exec, 0, rows),
          KOKKOS_LAMBDA(const Ordinal row, double& mp_sum, double& mv_sum) {
            const double mode = constant ? 1 : modes(row, m);
            mp_sum += mode * (constant ? 1 : modes(row, p));
            mv_sum += mode * v(row);
          },
          mp, mv);
      gram[m * count + p] = gram[p * count + m] = mp;
      coefficients[to_size(m)] = mv;
    }
  solve_small(gram, coefficients);
  for (int m = 0; m < count; ++m) {
    const double factor = coefficients[to_size(m)];
    Kokkos::parallel_for(
        "Tessera::Multigrid::remove_mode", Range<ExecutionSpace>(exec, 0, rows),
        KOKKOS_LAMBDA(const Ordinal row) { v(row) -= factor * (constant ? 1 : modes(row, m)); });
  }
}

} // namespace tessera::solvers::multigrid::detail
