#pragma once

/// \file
/// The tentative prolongator: the near-null space cut into aggregates and made orthonormal there (P. Vaněk,
/// J. Mandel and M. Brezina, "Algebraic multigrid by smoothed aggregation", Computing 56, 1996, section 4).

#include <tessera/solvers/multigrid/detail/aggregates.hpp>
#include <tessera/solvers/multigrid/detail/types.hpp>

#include <Kokkos_Core.hpp>

namespace tessera::solvers::multigrid {

/// One thread orthonormalises an aggregate's rows of the near-null space by Gram–Schmidt, twice for accuracy.
/// Modes that depend on others there become zero, and so do their rows of the coarse space.
template <class ExecutionSpace>
struct Orthonormalise {
  Aggregates<ExecutionSpace> aggregates;
  Modes<ExecutionSpace> modes;  // row × mode; orthonormal on return
  Modes<ExecutionSpace> coarse; // aggregate · modes + mode × mode
  int count;

  KOKKOS_FUNCTION double dot(Ordinal aggregate, int left, int right) const {
    double sum = 0;
    for (Ordinal k = aggregates.begin(aggregate); k < aggregates.begin(aggregate + 1); ++k) {
      const Ordinal row = aggregates.row(k);
      sum += modes(row, left) * modes(row, right);
    }
    return sum;
  }

  KOKKOS_FUNCTION void scale(Ordinal aggregate, int mode, double factor) const {
    for (Ordinal k = aggregates.begin(aggregate); k < aggregates.begin(aggregate + 1); ++k)
      modes(aggregates.row(k), mode) *= factor;
  }

  KOKKOS_FUNCTION void operator()(Ordinal aggregate) const {
    constexpr double dependent = 1e-4; // of a mode's norm: what is left is rounding, or a sliver's rotation
    const Ordinal first = aggregate * count;
    for (int m = 0; m < count; ++m) {
      for (int p = 0; p < count; ++p) coarse(first + p, m) = 0;
      const double before = Kokkos::sqrt(dot(aggregate, m, m));
      for (int pass = 0; pass < 2; ++pass)
        for (int p = 0; p < m; ++p) {
          const double share = dot(aggregate, p, m);
          coarse(first + p, m) += share;
          for (Ordinal k = aggregates.begin(aggregate); k < aggregates.begin(aggregate + 1); ++k) {
            const Ordinal row = aggregates.row(k);
            modes(row, m) -= share * modes(row, p);
          }
        }
      const double after = Kokkos::sqrt(dot(aggregate, m, m));
      const bool kept = after > dependent * before;
      coarse(first + m, m) = kept ? after : 0;
      scale(aggregate, m, kept ? 1 / after : 0);
    }
  }
};

/// The pattern of the tentative prolongator: each row has a column for each mode of its aggregate.
template <class ExecutionSpace>
Matrix<ExecutionSpace> tentative_pattern(const ExecutionSpace& exec,
                                         const Aggregates<ExecutionSpace>& aggregates, int modes) {
  const auto rows = static_cast<Ordinal>(aggregates.of_row.extent(0));
  const Offset entries = static_cast<Offset>(rows) * modes;
  const Matrix<ExecutionSpace> tentative{make<Offsets<ExecutionSpace>>(exec, "row_map", rows + 1),
                                         make<Ordinals<ExecutionSpace>>(exec, "columns", entries),
                                         make<Floats<ExecutionSpace>>(exec, "values", entries)};
  Kokkos::parallel_for(
      "Tessera::Multigrid::tentative_pattern", Range<ExecutionSpace>(exec, 0, rows),
      KOKKOS_LAMBDA(const Ordinal row) {
        const Offset first = static_cast<Offset>(row) * modes;
        tentative.row_map(row) = first;
        if (row == rows - 1) tentative.row_map(rows) = first + modes;
        for (int m = 0; m < modes; ++m)
          tentative.columns(first + m) = Kokkos::max(aggregates.of_row(row), Ordinal(0)) * modes + m;
      });
  return tentative;
}

/// Values of the tentative prolongator. \return the near-null space of the next level
template <class ExecutionSpace>
Modes<ExecutionSpace>
tentative_values(const ExecutionSpace& exec, const Aggregates<ExecutionSpace>& aggregates,
                 const Modes<ExecutionSpace>& modes, const Matrix<ExecutionSpace>& tentative) {
  const auto count = static_cast<int>(modes.extent(1));
  const auto coarse = make<Modes<ExecutionSpace>>(exec, "modes", aggregates.count * count, count);
  Kokkos::parallel_for("Tessera::Multigrid::orthonormalise", Range<ExecutionSpace>(exec, 0, aggregates.count),
                       Orthonormalise<ExecutionSpace>{aggregates, modes, coarse, count});
  Kokkos::parallel_for(
      "Tessera::Multigrid::tentative_values",
      Range<ExecutionSpace>(exec, 0, static_cast<Ordinal>(modes.extent(0))),
      KOKKOS_LAMBDA(const Ordinal row) {
        const bool joined = aggregates.of_row(row) >= 0;
        for (int m = 0; m < count; ++m)
          tentative.values(static_cast<Offset>(row) * count + m) =
              joined ? static_cast<float>(modes(row, m)) : 0.0f;
      });
  return coarse;
}

} // namespace tessera::solvers::multigrid
