// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Checks the given matrix and computes its rows' scales.

#include <tessera/core/error.hpp>
#include <tessera/solvers/detail/crs.hpp>
#include <tessera/solvers/detail/crs_stream.hpp>
#include <tessera/solvers/multigrid/detail/finest/fine_order.hpp>
#include <tessera/solvers/multigrid/detail/sparse.hpp>
#include <tessera/solvers/multigrid/detail/tuning.hpp>
#include <tessera/solvers/sparse/detail/row_passes.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <limits>
#include <string>

namespace tessera::solvers::multigrid::detail {

/// What a pass over the given matrix found.
struct MatrixProperties {
  /// Σ a_ij (u_i v_j − v_i u_j) of two random vectors, zero for a symmetric matrix, and the sum of its terms'
  /// squares.
  double skew = 0, squares = 0;
  /// Largest |sum of a row| / (sum of absolute values).
  double row_sum = 0;
  /// First row with an entry that is not finite, without a positive diagonal entry.
  Ordinal not_finite = std::numeric_limits<Ordinal>::max(), not_positive = not_finite;

  KOKKOS_FUNCTION MatrixProperties& operator+=(const MatrixProperties& other) {
    skew += other.skew;
    squares += other.squares;
    row_sum = Kokkos::max(row_sum, other.row_sum);
    not_finite = Kokkos::min(not_finite, other.not_finite);
    not_positive = Kokkos::min(not_positive, other.not_positive);
    return *this;
  }
};

/// Has a later row of the level on its way on hosts: rows that are neighbours on the curve lie apart in the
/// given matrix.
template <class ExecutionSpace>
KOKKOS_FORCEINLINE_FUNCTION void fetch_later_row(const solvers::detail::CrsViews<double, ExecutionSpace>& a,
                                                 const Ordinals<ExecutionSpace>& new_to_old, Ordinal row) {
  if constexpr (runs_on_host<ExecutionSpace>) {
    constexpr Ordinal later = tuning::fetched_rows;
    if (row + later >= static_cast<Ordinal>(new_to_old.extent(0)) || new_to_old(row + later) < 0) return;
    const Offset k = a.row_map(new_to_old(row + later));
    for (int line = 0; line < 2; ++line) __builtin_prefetch(a.columns.data() + k + 16 * line);
    for (int line = 0; line < 3; ++line) __builtin_prefetch(a.values.data() + k + 8 * line);
  }
}

/// The scale 1/√a_ii of a row, negative if nothing is coupled to it, and its product with the test vector
/// √a_jj.
struct RowScale {
  float scale, product;
};

KOKKOS_INLINE_FUNCTION RowScale scale_of(Ordinal row, const RowSums& sums, MatrixProperties& found) {
  const double diagonal = sums.diagonal, absolute = sums.absolute;
  found.skew += sums.skew;
  found.squares += sums.squares;
  if (!Kokkos::isfinite(absolute))
    found.not_finite = Kokkos::min(found.not_finite, row);
  else if (!(diagonal > tuning::least_diagonal && diagonal < tuning::largest_diagonal))
    found.not_positive = Kokkos::min(found.not_positive, row);
  // Sums that are rounding are zero: the matrix may be singular, and must not become indefinite.
  const double sum = Kokkos::abs(sums.all) <= tuning::row_sum_rounding * absolute ? 0 : sums.all;
  found.row_sum = Kokkos::max(found.row_sum, Kokkos::abs(sum) / absolute);
  const auto scale = static_cast<float>(1 / Kokkos::sqrt(diagonal));
  const bool coupled = absolute > Kokkos::abs(diagonal);
  return coupled ? RowScale{.scale = scale, .product = static_cast<float>(scale * sum)}
                 : RowScale{.scale = -scale, .product = 0};
}

/// Row by row in the level's order: the scale, the test vector, and the product with it.
template <class ExecutionSpace>
struct ScaleRows {
  solvers::detail::CrsViews<double, ExecutionSpace> a;
  FineOrder<ExecutionSpace> order;
  Floats<ExecutionSpace> scale, test, test_product; // the latter two empty for several modes

  KOKKOS_FUNCTION void operator()(Ordinal row, MatrixProperties& found) const {
    const Ordinal old = order.new_to_old(row);
    if (old < 0) { // filled up: a row of the identity that nothing enters
      scale(row) = 0;
      if (test.extent(0) > 0) test(row) = test_product(row) = 0;
      return;
    }
    fetch_later_row(a, order.new_to_old, row);
    const Offset first = a.row_map(old);
    const RowSums sums =
        row_sums(a.values.data() + first, a.columns.data() + first, a.row_map(old + 1) - first, old);
    set(row, scale_of(old, sums, found));
  }

  KOKKOS_FORCEINLINE_FUNCTION void set(Ordinal row, const RowScale& own) const {
    scale(row) = Kokkos::abs(own.scale);
    if (test.extent(0) == 0) return;
    test(row) = own.scale > 0 ? 1 / own.scale : 0;
    test_product(row) = own.product;
  }
};

/// The same on devices for short rows of nodes with one each: in the order of the given matrix, so that what
/// is read and what is written follow one another.
template <class ExecutionSpace>
struct ScaleStream {
  using Stream = solvers::detail::CrsStream<double, ExecutionSpace>;
  using Member = typename Stream::Member;

  Stream rows;
  Kokkos::View<RowScale*, ExecutionSpace> scales;        // given row
  Kokkos::View<MatrixProperties*, ExecutionSpace> parts; // team: what it found
  Kokkos::View<Ordinal[2], ExecutionSpace> bad;          // first row that is not finite, not positive

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const Ordinal row = rows.row(team);
    const auto own = random_pair(row);
    RowSums sums;
    rows.each(
        team, [](Ordinal) { return 0; },
        [&](Ordinal column, double value, int) { sums.add(row, own, column, value); });
    MatrixProperties found;
    if (row < rows.rows) scales(row) = scale_of(row, sums, found);
    if (found.not_finite == row) Kokkos::atomic_min(&bad(0), row);
    if (found.not_positive == row) Kokkos::atomic_min(&bad(1), row);
    // Number by number, for a reduction of them all goes through memory.
    MatrixProperties all;
    all.skew = total(team, Kokkos::Sum<double>(found.skew));
    all.squares = total(team, Kokkos::Sum<double>(found.squares));
    all.row_sum = total(team, Kokkos::Max<double>(found.row_sum));
    Kokkos::single(Kokkos::PerTeam(team), [&]() { parts(team.league_rank()) = all; });
  }

  template <class Reducer>
  KOKKOS_FORCEINLINE_FUNCTION static double total(const Member& team, const Reducer& reducer) {
    team.team_reduce(reducer);
    return reducer.reference();
  }
};

/// \param memory  memory that may be taken if it suffices.
template <class ExecutionSpace>
MatrixProperties scale_stream(const Workspace<ExecutionSpace>& work, const ScaleRows<ExecutionSpace>& rows,
                              const Floats<ExecutionSpace>& memory) {
  constexpr const char* label = "Tessera::Multigrid::scale_rows";
  const ReturnTemporaries<ExecutionSpace> at_end(work);
  const solvers::detail::CrsStream<double, ExecutionSpace> stream(rows.a);
  const Ordinal teams = stream.teams(stream.rows);
  const auto scales =
      make_temporary_in<Kokkos::View<RowScale*, ExecutionSpace>>(work, "scales", memory, stream.rows);
  const auto parts =
      make_temporary<Kokkos::View<MatrixProperties*, ExecutionSpace>>(work, "properties", teams);
  const auto bad = make_temporary<Kokkos::View<Ordinal[2], ExecutionSpace>>(work, "bad_rows");
  Kokkos::deep_copy(work.exec, bad, MatrixProperties().not_finite);
  Kokkos::parallel_for(label, stream.policy(work.exec),
                       ScaleStream<ExecutionSpace>{stream, scales, parts, bad});
  Kokkos::parallel_for(
      label, Range<ExecutionSpace>(work.exec, 0, rows.order.rows()),
      KOKKOS_LAMBDA(const Ordinal row) { rows.set(row, scales(rows.order.new_to_old(row))); });
  MatrixProperties found;
  Kokkos::parallel_reduce(
      label, Range<ExecutionSpace>(work.exec, 0, teams),
      KOKKOS_LAMBDA(const Ordinal team, MatrixProperties& sum) {
        sum += parts(team);
        sum.not_finite = bad(0);
        sum.not_positive = bad(1);
      },
      found);
  return found;
}

/// The properties of a matrix, and each row's scale and test vector.
/// \param memory  memory that may be taken if it suffices.
/// \throws SolverError naming the first row with an entry that is not finite or a diagonal entry that is not
/// positive, or if the matrix is not symmetric
template <class ExecutionSpace>
MatrixProperties scale_rows(const Workspace<ExecutionSpace>& work, const ScaleRows<ExecutionSpace>& rows,
                            const Floats<ExecutionSpace>& memory) {
  using Stream = solvers::detail::CrsStream<double, ExecutionSpace>;
  MatrixProperties found;
  if (Stream::suits(rows.a) && rows.order.rows() == rows.a.rows())
    found = scale_stream(work, rows, memory);
  else
    Kokkos::parallel_reduce("Tessera::Multigrid::scale_rows",
                            Range<ExecutionSpace>(work.exec, 0, rows.order.rows()), rows, found);
  if (found.not_finite != MatrixProperties().not_finite)
    throw SolverError("Multigrid: row " + std::to_string(found.not_finite) +
                      " of the matrix has an entry that is not finite");
  if (found.not_positive != MatrixProperties().not_positive)
    throw SolverError("Multigrid: the diagonal entry of row " + std::to_string(found.not_positive) +
                      " is missing, not positive or out of single precision's range; a symmetric positive "
                      "definite matrix has none such");
  if (std::abs(found.skew) > tuning::symmetric * std::sqrt(found.squares))
    throw SolverError("Multigrid: the matrix is not symmetric");
  return found;
}

} // namespace tessera::solvers::multigrid::detail
