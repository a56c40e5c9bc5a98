// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// A bound of the largest eigenvalue of a scaled matrix.

#include <tessera/core/types.hpp>
#include <tessera/solvers/multigrid/detail/smoother/lanczos.hpp>
#include <tessera/solvers/multigrid/detail/sparse.hpp>
#include <tessera/solvers/multigrid/detail/tuning.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace tessera::solvers::multigrid::detail {

/// Largest eigenvalue of a symmetric tridiagonal matrix, and the size of its eigenvector's last entry.
inline std::pair<double, double> largest_ritz_value(const std::vector<double>& alpha,
                                                    const std::vector<double>& beta) {
  const std::size_t size = alpha.size();
  double low = alpha[0], high = alpha[0];
  for (std::size_t i = 0; i < size; ++i)
    high = std::max(high, alpha[i] + (i > 0 ? beta[i - 1] : 0) + (i + 1 < size ? beta[i] : 0));
  for (int bisection = 0; bisection < 60; ++bisection) {
    // Eigenvalues above the middle are the positive pivots of T − middle.
    const double middle = (low + high) / 2;
    bool above = false;
    double pivot = 1;
    for (std::size_t i = 0; i < size; ++i) {
      pivot = alpha[i] - middle - (i > 0 ? beta[i - 1] * beta[i - 1] / pivot : 0);
      if (pivot == 0) pivot = -1e-300;
      above = above || pivot > 0;
    }
    (above ? low : high) = middle;
  }
  std::vector<double> vector(size, 1);
  double norm = 1;
  for (std::size_t i = 1; i < size; ++i) {
    vector[i] =
        ((high - alpha[i - 1]) * vector[i - 1] - (i > 1 ? beta[i - 2] * vector[i - 2] : 0)) / beta[i - 1];
    norm += vector[i] * vector[i];
  }
  return {high, std::abs(vector[size - 1]) / std::sqrt(norm)};
}

/// What Lanczos' method found: the largest Ritz value, and the norm of its residual.
struct RitzValue {
  double value = 0, residual = 0;
};

/// Lanczos' method for the leading rows and columns of a symmetric matrix from a fixed random vector. Stops
/// early at a Ritz value of `enough`, or of less than `hopeless`, and at an invariant space.
///
/// \tparam Steps  `LanczosByPasses` or `LanczosByLaunches`.
template <template <class> class Steps, class ExecutionSpace>
RitzValue lanczos(const Workspace<ExecutionSpace>& work, const LanczosProblem<ExecutionSpace>& problem,
                  double enough, double hopeless) {
  Steps<ExecutionSpace> process(work, problem);
  process.start();
  int step = 0;
  std::vector<double> alpha, beta;
  RitzValue ritz;
  for (const int look : {tuning::lanczos_first_look, tuning::lanczos_steps}) {
    const int steps = std::min<Ordinal>(look, problem.rows);
    for (; step < steps; ++step) process.step();
    const std::vector<LanczosSums> found = process.sums();
    bool invariant = false; // up to single precision: what comes after is rounding
    for (auto k = static_cast<int>(alpha.size()); k < steps && !invariant; ++k) {
      alpha.push_back(found[to_size(k)].uv);
      beta.push_back(found[to_size(k)].beta());
      invariant = beta.back() <= tuning::lanczos_invariant * std::abs(alpha[0]);
    }
    const auto [value, last] = largest_ritz_value(alpha, beta);
    ritz = RitzValue{.value = value, .residual = beta.back() * last};
    if (invariant || value >= enough || value < hopeless) break;
  }
  return ritz;
}

/// A bound of the largest eigenvalue of a symmetric matrix: the lesser of Gershgorin's
/// and of Lanczos' largest Ritz value plus its residual (Y. Zhou and R.-C. Li, "Bounding the spectrum of
/// large Hermitian matrices", Linear Algebra Appl. 435, 2011). A Ritz value is no larger than the eigenvalue:
/// as soon as one comes near Gershgorin's bound, that bound is taken. Nor is one of a part of a large matrix
/// (Cauchy's interlacing theorem), which is tried first.
///
/// \param matrix         all its rows.
/// \param row_sum_bound  Gershgorin's.
/// \param try_part       whether to try a part; false on return if that was in vain.
template <class ExecutionSpace>
double spectral_bound(const Workspace<ExecutionSpace>& work, const LanczosProblem<ExecutionSpace>& matrix,
                      double row_sum_bound, bool& try_part) {
  constexpr Ordinal part = tuning::tried_rows<ExecutionSpace>;
  const double enough = row_sum_bound / tuning::tight_bound;
  const ReturnTemporaries<ExecutionSpace> at_end(work);
  const auto run = [&](const LanczosProblem<ExecutionSpace>& problem, double hopeless) {
    if constexpr (!runs_on_host<ExecutionSpace>)
      if (problem.entries < tuning::lanczos_by_passes)
        return lanczos<LanczosByLaunches>(work, problem, enough, hopeless);
    return lanczos<LanczosByPasses>(work, problem, enough, hopeless);
  };
  if (matrix.rows >= 8 * part && try_part) {
    LanczosProblem<ExecutionSpace> leading = matrix;
    leading.rows = part;
    leading.entries = static_cast<Offset>(static_cast<double>(matrix.entries) * part / matrix.rows);
    if (run(leading, tuning::hopeful * enough).value >= enough) return row_sum_bound;
    try_part = false;
  }
  const RitzValue found = run(matrix, 0);
  return found.value >= enough ? row_sum_bound : std::min(row_sum_bound, found.value + found.residual);
}

} // namespace tessera::solvers::multigrid::detail
