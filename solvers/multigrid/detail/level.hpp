// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// A level of the hierarchy.

#include <tessera/solvers/multigrid/detail/aggregation/aggregates.hpp>
#include <tessera/solvers/multigrid/detail/galerkin/galerkin.hpp>
#include <tessera/solvers/multigrid/detail/smoother/pack.hpp>
#include <tessera/solvers/multigrid/detail/smoother/packed_matrix.hpp>
#include <tessera/solvers/multigrid/detail/smoother/spectral_bound.hpp>
#include <tessera/solvers/multigrid/detail/sparse.hpp>
#include <tessera/solvers/multigrid/detail/transfer/outer_couplings.hpp>
#include <tessera/solvers/multigrid/detail/tuning.hpp>
#include <tessera/solvers/multigrid/options.hpp>
#include <tessera/solvers/sparse/detail/slices.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <string>

namespace tessera::solvers::multigrid::detail {

/// Chebyshev's iteration in steps x ← x + step · (r − A x), a step for each root of its polynomial.
template <class ExecutionSpace>
struct Chebyshev {
  static constexpr int degree = tuning::smoothing_steps<ExecutionSpace>;
  std::array<float, degree> steps{};

  /// Least on [range · bound, bound]: the roots of the polynomial lie there as those of cos(degree · φ) do in
  /// cos φ.
  static Chebyshev on(double bound, double range) {
    const double middle = bound * (1 + range) / 2, half = bound * (1 - range) / 2;
    Chebyshev result;
    for (int k = 0; k < degree; ++k)
      result.steps[k] =
          static_cast<float>(1 / (middle + half * std::cos((2 * k + 1) * std::numbers::pi / (2 * degree))));
    return result;
  }
};

/// A level: its matrix, scaled by its diagonal, and its transfer to the next. Patterns are kept for
/// `refresh`.
template <class ExecutionSpace>
struct Level {
  Matrix<ExecutionSpace> matrix;
  PackedMatrix<ExecutionSpace> packed;
  PackedProperties properties;
  double bound = 0;
  bool bound_by_part = true; // whether a part of the rows may show that Gershgorin's bound is tight
  Chebyshev<ExecutionSpace> smoother;
  /// The near-null vector in the scaled variables and its product with the matrix, kept exact through all
  /// roundings; empty for several modes.
  Floats<ExecutionSpace> test, test_product;
  Modes<ExecutionSpace> modes;     // only while the next level is made
  Modes<ExecutionSpace> near_null; // the same for those who go on with the levels; empty with a test vector

  std::string aggregation;
  Aggregates<ExecutionSpace> aggregates;
  /// What smooths the prolongator, and its product with the test vector; both empty if it is the matrix
  /// itself.
  Matrix<ExecutionSpace> filtered;
  Floats<ExecutionSpace> filtered_product;
  bool smoothed = true;                 // the prolongator
  OuterCouplings<ExecutionSpace> outer; // only while the next level is made
  Matrix<ExecutionSpace> prolongator, restrictor;
  SlicedEntries<ExecutionSpace> sliced_prolongator; // of the cycle, on the host
  GalerkinPlan<ExecutionSpace> plan;                // of the next level's matrix
  Floats<ExecutionSpace> inverse;                   // on the coarsest, if solved directly

  Floats<ExecutionSpace> r, x, t; // right-hand side, solution, residual

  Ordinal rows() const { return matrix.rows(); }
  std::size_t bytes() const {
    std::size_t sum = packed.bytes() + bytes_of(test) + bytes_of(test_product) + bytes_of(filtered_product) +
                      bytes_of(inverse) + bytes_of(near_null) + sliced_prolongator.bytes() +
                      aggregates.bytes() + plan.bytes() + 3 * bytes_of(r);
    for (const auto* part : {&matrix, &filtered, &prolongator, &restrictor}) sum += part->bytes();
    return sum;
  }
  /// Whether it has a test vector: the near-null space is the constant alone.
  bool has_test() const { return test.extent(0) > 0; }
  bool is_filtered() const { return filtered.entries() > 0; }
  /// Smooths the prolongator by a matrix of this pattern.
  void filter(const Workspace<ExecutionSpace>& work, const Matrix<ExecutionSpace>& pattern) {
    filtered = pattern;
    if (filtered_product.extent(0) == 0)
      filtered_product = make_kept<Floats<ExecutionSpace>>(work, "filtered_product", rows());
  }
  const Matrix<ExecutionSpace>& prolongator_smoother() const { return is_filtered() ? filtered : matrix; }
  GalerkinProduct<ExecutionSpace> galerkin() const {
    return {matrix, prolongator, restrictor.graph, aggregates, plan};
  }
};

/// Bound and smoother of a level that is packed.
/// \param direct  whether the level is solved directly, and needs no bound.
template <class ExecutionSpace>
void finish_level(const Workspace<ExecutionSpace>& work, Level<ExecutionSpace>& level, double smoothing_range,
                  bool direct) {
  level.bound =
      direct || level.properties.coupled_rows == 0 // then it is the identity
          ? 1
          : spectral_bound<ExecutionSpace>(
                work, {level.packed, level.rows(), level.matrix.entries(), level.x, level.t, level.r},
                level.properties.row_sum_bound, level.bound_by_part);
  level.smoother = Chebyshev<ExecutionSpace>::on(level.bound, smoothing_range);
}

} // namespace tessera::solvers::multigrid::detail
