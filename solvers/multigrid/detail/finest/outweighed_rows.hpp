// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Rows of the finest level whose other entries outweigh the diagonal: they are scaled down.

#include <tessera/solvers/multigrid/detail/finest/scale_rows.hpp>
#include <tessera/solvers/multigrid/detail/smoother/pack.hpp>
#include <tessera/solvers/multigrid/detail/sparse.hpp>
#include <tessera/solvers/multigrid/detail/tuning.hpp>
#include <tessera/solvers/sparse/detail/staged_rows.hpp>

#include <Kokkos_Core.hpp>

namespace tessera::solvers::multigrid::detail {

/// Factors of single rows whose other entries outweigh the diagonal by far: they scale them down to Σ_j
/// |a_ij| = 2, Gershgorin's bound of the largest eigenvalue. These rows are corners of slivers, which would
/// stretch the range of the smoother on the whole level.
template <class ExecutionSpace>
struct RowFactors {
  Floats<ExecutionSpace> factor; // row; empty: none are wanted

  /// \return whether the row's is not one
  KOKKOS_FUNCTION bool set(Ordinal row, float absolute_sum) const {
    const bool outweighed = absolute_sum > tuning::outweighed_row;
    if (factor.extent(0) == 0) return false;
    factor(row) = outweighed ? Kokkos::sqrt(tuning::even_row / absolute_sum) : 1.0f;
    return outweighed;
  }

  /// Whether there are rows with a factor.
  bool any(const ExecutionSpace& exec) const {
    const auto of_row = factor;
    Ordinal count = 0;
    Kokkos::parallel_reduce(
        "Tessera::Multigrid::outweighed_rows", Range<ExecutionSpace>(exec, 0, of_row.extent_int(0)),
        KOKKOS_LAMBDA(const Ordinal row, Ordinal& sum) { sum += of_row(row) != 1 ? 1 : 0; }, count);
    return count > 0;
  }
};

/// A row whose values are scaled, where they are and on their way, by its factor and the columns'.
template <class Row, class ExecutionSpace>
struct FactoredRow {
  Row& entries;
  float own;
  Floats<ExecutionSpace> factor;
  float* values; // the row's

  template <class Fetched>
  struct Both {
    Fetched fetched;
    float factor;
  };

  KOKKOS_FORCEINLINE_FUNCTION bool is_row() const { return entries.is_row(); }
  template <class Fetch, class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void each(const Fetch& fetch, const Visit& visit) {
    using Fetched = decltype(fetch(Ordinal{}));
    float* place = values;
    entries.each([&](Ordinal column) { return Both<Fetched>{fetch(column), factor(column)}; },
                 [&](Ordinal column, float value, const Both<Fetched>& both) {
                   if (own * both.factor != 1) *place = value *= own * both.factor;
                   ++place;
                   visit(column, value, both.fetched);
                 });
  }
};

/// Scales a row by its factor, and packs it if that is wanted.
template <class ExecutionSpace>
struct ScaleOutweighed {
  Matrix<ExecutionSpace> fine;
  Floats<ExecutionSpace> factor;
  RowPack<ExecutionSpace> pack;
  bool packs;

  template <class Row>
  KOKKOS_FUNCTION void operator()(Ordinal row, Row& entries, PackedProperties& found) const {
    FactoredRow<Row, ExecutionSpace> scaled{entries, factor(row), factor,
                                            fine.values.data() + fine.graph.row_map(row)};
    if (packs)
      pack(row, scaled, found);
    else
      scaled.each([](Ordinal) { return 0; }, [](Ordinal, float, int) {});
  }
};

/// Scales rows by their factors, and what belongs to them.
/// \return the properties of what has been packed, if it has
template <class ExecutionSpace>
PackedProperties scale_outweighed(const ExecutionSpace& exec, const ScaleRows<ExecutionSpace>& rows,
                                  const ScaleOutweighed<ExecutionSpace>& values) {
  constexpr const char* label = "Tessera::Multigrid::scale_outweighed";
  const auto factor = values.factor;
  Kokkos::parallel_for(
      label, Range<ExecutionSpace>(exec, 0, rows.order.rows()), KOKKOS_LAMBDA(const Ordinal row) {
        const float own = factor(row);
        if (own == 1) return;
        rows.scale(row) *= own;
        rows.test(row) /= own;
        rows.test_product(row) *= own;
      });
  PackedProperties found;
  for_each_staged_row<true>(exec, label, values.fine, values, found);
  return found;
}

} // namespace tessera::solvers::multigrid::detail
