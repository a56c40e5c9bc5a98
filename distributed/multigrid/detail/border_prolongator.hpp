// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What prolongators of shared rows have beside the rank's own: P = (I - ω A) P̂ with the rows of all ranks.

#include <tessera/core/graphs/ascending_list.hpp>
#include <tessera/core/types.hpp>
#include <tessera/distributed/multigrid/detail/column_numbers.hpp>
#include <tessera/distributed/multigrid/detail/couplings.hpp>
#include <tessera/distributed/multigrid/detail/matrix_of.hpp>
#include <tessera/distributed/multigrid/detail/wide_rows.hpp>
#include <tessera/solvers/multigrid/detail/level.hpp>

#include <Kokkos_Core.hpp>

namespace tessera::distributed::detail {

/// The near-null space of a level, one vector or several.
template <class ExecutionSpace>
struct LevelModes {
  sparse::Floats<ExecutionSpace> test;
  sparse::Modes<ExecutionSpace> near_null;

  KOKKOS_FUNCTION Ordinal count() const {
    return test.extent(0) > 0 ? 1 : static_cast<Ordinal>(near_null.extent(1));
  }
  KOKKOS_FUNCTION double operator()(Ordinal row, Ordinal mode) const {
    return test.extent(0) > 0 ? static_cast<double>(test(row)) : near_null(row, mode);
  }
};

/// A rank's level and what its transfer to the next was made with.
template <class ExecutionSpace>
struct Transition {
  sparse::Matrix<ExecutionSpace> matrix, prolongator;
  amg::Aggregates<ExecutionSpace> aggregates;
  LevelModes<ExecutionSpace> modes, next_modes;
  sparse::Modes<ExecutionSpace> outer; ///< shared row × mode: the couplings' product with the modes
  double omega = 0;
  int block = 1;        ///< columns of an aggregate, on all ranks
  bool carried = false; ///< the next level is this one, see `carry_on`

  /// A row's aggregate, or -1.
  KOKKOS_FUNCTION Ordinal aggregate_of(Ordinal row) const { return aggregates.of(row / matrix.block_rows); }
};

/// Shared rows of P̂ in the scale of the next level, or X of `SubtractOuter` there.
template <class ExecutionSpace>
struct DivideByModes {
  Transition<ExecutionSpace> transition;
  Kokkos::View<const Ordinal*, ExecutionSpace> shared;
  sparse::Modes<ExecutionSpace> quotient; ///< shared row × mode: what is divided, on entry

  KOKKOS_FUNCTION void operator()(Ordinal k) const {
    const Ordinal own = transition.aggregate_of(shared(k)), count = transition.next_modes.count();
    if (own >= 0)
      amg::divide_by_modes<ExecutionSpace>(quotient, k, count, transition.next_modes, own * count);
  }
};

template <class ExecutionSpace>
struct TakeLevelModes {
  LevelModes<ExecutionSpace> modes;
  Kokkos::View<const Ordinal*, ExecutionSpace> rows;
  sparse::Modes<ExecutionSpace> out;
  KOKKOS_FUNCTION void operator()(Ordinal k) const {
    for (Ordinal m = 0; m < modes.count(); ++m) out(k, m) = modes(rows(k), m);
  }
};

/// Shared rows of P̂, which have the columns of their aggregate alone.
template <class ExecutionSpace>
struct TentativeRows {
  Transition<ExecutionSpace> transition;
  Kokkos::View<const Ordinal*, ExecutionSpace> shared;
  sparse::Modes<ExecutionSpace> values;
  GlobalOrdinal first; ///< number of the rank's first row of the next level

  template <class Visit>
  KOKKOS_FUNCTION void each(Ordinal k, const Visit& visit) const {
    const Ordinal row = shared(k);
    if (transition.carried) return visit(first + row, 1.0);
    const Ordinal own = transition.aggregate_of(row), count = transition.next_modes.count();
    if (own < 0) return;
    for (Ordinal m = 0; m < count; ++m)
      visit(first + static_cast<GlobalOrdinal>(own) * count + m, values(k, m));
  }
};

/// Collective: P̂ of shared rows and ghosts.
template <class ExecutionSpace>
WideRows<ExecutionSpace> tentative_rows(const ExecutionSpace& exec, const SharedRows<ExecutionSpace>& rows,
                                        const Transition<ExecutionSpace>& transition, GlobalOrdinal first) {
  const auto values = agree(rows.import.ranks(), [&] {
    const auto modes = allocate<sparse::Modes<ExecutionSpace>>(exec, "Tessera::Multigrid::tentative",
                                                               rows.count(), transition.modes.count());
    if (transition.carried) return modes;
    const sparse::Range<ExecutionSpace> shared(exec, 0, rows.count());
    Kokkos::parallel_for("Tessera::Multigrid::tentative", shared,
                         TakeLevelModes<ExecutionSpace>{transition.modes, rows.rows, modes});
    Kokkos::parallel_for("Tessera::Multigrid::tentative", shared,
                         DivideByModes<ExecutionSpace>{transition, rows.rows, modes});
    return modes;
  });
  return exchange_rows(exec, rows, TentativeRows<ExecutionSpace>{transition, rows.rows, values, first},
                       transition.block);
}

/// Some wide rows by numbers of columns.
template <class ExecutionSpace>
struct NumberedRows {
  WideRows<ExecutionSpace> wide;
  ColumnNumbers<ExecutionSpace> numbers;
  template <class Visit>
  KOKKOS_FUNCTION void each(Ordinal row, const Visit& visit) const {
    wide.each(row, [&](GlobalOrdinal column, double value) { visit(numbers.number(column), value); });
  }
};

/// What rows of P = (I - ω A) P̂ have beside those of the rank's own prolongator, which takes the couplings at
/// their own aggregate (`SubtractOuter`): these columns change sides.
template <class ExecutionSpace>
struct MovedColumns {
  Transition<ExecutionSpace> transition;
  Kokkos::View<const Ordinal*, ExecutionSpace> shared;
  sparse::Modes<ExecutionSpace> outer;            ///< X of `SubtractOuter`
  sparse::Matrix<ExecutionSpace, double> through; ///< the couplings' product with P̂

  template <class Visit>
  KOKKOS_FUNCTION void each(Ordinal k, const Visit& visit) const {
    if (transition.omega == 0) return;
    const Ordinal own = transition.aggregate_of(shared(k)), count = transition.next_modes.count();
    const Ordinal begin = own < 0 ? -1 : own * count, block = through.block_columns;
    const Ordinal* const columns = through.graph.columns.data() + through.graph.row_map(k);
    const Ordinal length = through.graph.length(k),
                  at = tessera::detail::place_in(columns, length, begin / block);
    const bool found =
        own >= 0 && at < length && columns[at] == begin / block; // all columns of an aggregate, or none
    const auto in_own = [&](Ordinal column) { return own >= 0 && column >= begin && column < begin + count; };
    if (own >= 0 && !found)
      for (Ordinal m = 0; m < count; ++m) visit(begin + m, rounded(outer(k, m)));
    through.each_entry(k, [&](Ordinal column, double value) {
      visit(column, rounded((in_own(column) ? outer(k, column - begin) : 0) - value));
    });
  }
  /// In single precision, as other ranks get it.
  KOKKOS_FUNCTION double rounded(double value) const {
    return static_cast<double>(static_cast<float>(transition.omega * value));
  }
};

/// The prolongator's columns that the rank's own has not, shared row × numbered column.
template <class ExecutionSpace>
sparse::Matrix<ExecutionSpace, double>
moved_columns(const sparse::Workspace<ExecutionSpace>& work, const CouplingMatrix<ExecutionSpace>& couplings,
              const Transition<ExecutionSpace>& transition, const WideRows<ExecutionSpace>& tentative,
              const ColumnNumbers<ExecutionSpace>& numbers) {
  const auto& rows = couplings.rows;
  const auto through = product(work, "through", couplings.entries,
                               matrix_of(work, "tentative", rows.all(),
                                         NumberedRows<ExecutionSpace>{tentative, numbers}, transition.block),
                               numbers.count() / transition.block);
  if (transition.omega != 0)
    Kokkos::parallel_for("Tessera::Multigrid::outer",
                         sparse::Range<ExecutionSpace>(work.exec, 0, rows.count()),
                         DivideByModes<ExecutionSpace>{transition, rows.rows, transition.outer});
  return matrix_of(work, "moved_columns", rows.count(),
                   MovedColumns<ExecutionSpace>{transition, rows.rows, transition.outer, through},
                   transition.block);
}

} // namespace tessera::distributed::detail
