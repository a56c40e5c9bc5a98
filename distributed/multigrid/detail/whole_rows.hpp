// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A rank's rows of a level with the columns of all ranks.

#include <tessera/core/allocate.hpp>
#include <tessera/core/graphs/ascending_list.hpp>
#include <tessera/core/types.hpp>
#include <tessera/distributed/multigrid/detail/couplings.hpp>
#include <tessera/distributed/multigrid/detail/shared_rows.hpp>

#include <Kokkos_Core.hpp>

namespace tessera::distributed::detail {

/// Some rows of a matrix in compressed storage.
template <class ExecutionSpace>
struct CompressedRows {
  sparse::Offsets<ExecutionSpace> row_map;
  sparse::Ordinals<ExecutionSpace> columns; ///< ascending in each row
  sparse::Floats<ExecutionSpace> values;
};

/// Rows of a level with the columns of all ranks: the sum of the rank's own entries and the couplings.
template <class ExecutionSpace>
struct WholeRows {
  sparse::Matrix<ExecutionSpace> own;
  sparse::Matrix<ExecutionSpace, double> couplings;
  Kokkos::View<const Ordinal*, ExecutionSpace> shared;      ///< row: its place among shared rows, or -1
  Kokkos::View<const Ordinal*, ExecutionSpace> shared_rows; ///< place: row
  Kokkos::View<const GlobalOrdinal*, ExecutionSpace> ghosts;
  Ordinal first; ///< number of the rank's first row
  CompressedRows<ExecutionSpace> rows;

  KOKKOS_FUNCTION Offset length(Ordinal row) const {
    Offset outer = 0;
    if (shared(row) >= 0)
      couplings.each_column(shared(row), [&](Ordinal place) { outer += own_entry(row, place) < 0 ? 1 : 0; });
    return own.graph.length(row / own.block_rows) * own.block_columns + outer;
  }
  /// Where the rank's own row has the column of a place, among the row's entries; -1 if it has not.
  KOKKOS_FUNCTION Ordinal own_entry(Ordinal row, Ordinal place) const {
    if (place >= shared_rows.extent_int(0)) return -1;
    const Ordinal node = row / own.block_rows, column = shared_rows(place),
                  block = column / own.block_columns;
    const Ordinal length = own.graph.length(node);
    const Ordinal at =
        tessera::detail::place_in(own.graph.columns.data() + own.graph.row_map(node), length, block);
    if (at == length || own.graph.columns(own.graph.row_map(node) + at) != block) return -1;
    return at * own.block_columns + column % own.block_columns;
  }
  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    Offset to = rows.row_map(row);
    const auto put = [&](Ordinal column, float value) {
      rows.columns(to) = column;
      rows.values(to++) = value;
    };
    own.each_entry(row, [&](Ordinal column, float value) { put(first + column, value); });
    if (shared(row) >= 0)
      couplings.each_entry(shared(row), [&](Ordinal place, double value) {
        const Ordinal at = own_entry(row, place);
        const Ordinal count = shared_rows.extent_int(0);
        if (at >= 0)
          rows.values(rows.row_map(row) + static_cast<Offset>(at)) += static_cast<float>(value);
        else
          put(place < count ? first + shared_rows(place) : static_cast<Ordinal>(ghosts(place - count)),
              static_cast<float>(value));
      });
    sort_entries(rows.columns, rows.values, rows.row_map(row), to);
  }
};

template <class ExecutionSpace>
struct WholeLengths {
  WholeRows<ExecutionSpace> whole;
  KOKKOS_FUNCTION Offset operator()(Ordinal row) const { return whole.length(row); }
};

template <class ExecutionSpace>
CompressedRows<ExecutionSpace> whole_rows(const ExecutionSpace& exec,
                                          const sparse::Matrix<ExecutionSpace>& matrix,
                                          const CouplingMatrix<ExecutionSpace>& couplings, Ordinal first) {
  const sparse::Workspace<ExecutionSpace> work(exec, "Multigrid");
  const Ordinal rows = matrix.rows();
  const auto place = allocate<sparse::Ordinals<ExecutionSpace>>(exec, "Tessera::Multigrid::place", rows);
  Kokkos::deep_copy(exec, place, -1);
  const auto shared = couplings.rows.rows;
  Kokkos::parallel_for(
      "Tessera::Multigrid::place", sparse::Range<ExecutionSpace>(exec, 0, couplings.rows.count()),
      KOKKOS_LAMBDA(const Ordinal k) { place(shared(k)) = k; });
  WholeRows<ExecutionSpace> whole{matrix,
                                  couplings.entries,
                                  place,
                                  shared,
                                  list_on(exec, "Tessera::Multigrid::ghosts", couplings.rows.ghosts),
                                  first,
                                  {}};
  whole.rows.row_map = allocate<sparse::Offsets<ExecutionSpace>>(exec, "Tessera::Multigrid::whole", rows + 1);
  const auto found = sparse::scan_lengths(work, whole.rows.row_map, WholeLengths<ExecutionSpace>{whole});
  whole.rows.columns =
      allocate<sparse::Ordinals<ExecutionSpace>>(exec, "Tessera::Multigrid::whole", found.sum);
  whole.rows.values = allocate<sparse::Floats<ExecutionSpace>>(exec, "Tessera::Multigrid::whole", found.sum);
  Kokkos::parallel_for("Tessera::Multigrid::whole", sparse::Range<ExecutionSpace>(exec, 0, rows), whole);
  exec.fence("Tessera::Multigrid::whole");
  return whole.rows;
}

} // namespace tessera::distributed::detail
