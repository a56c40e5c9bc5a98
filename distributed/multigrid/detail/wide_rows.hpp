// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Rows of matrices that ranks send each other: with the columns of all ranks, and all as wide as the longest.

#include <tessera/core/allocate.hpp>
#include <tessera/core/types.hpp>
#include <tessera/distributed/agree.hpp>
#include <tessera/distributed/multigrid/detail/couplings.hpp>
#include <tessera/distributed/multigrid/detail/shared_rows.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>

namespace tessera::distributed::detail {

/// Rows of shared rows, and then of ghosts.
template <class ExecutionSpace>
struct WideRows {
  int width = 0; ///< in blocks
  int block = 1; ///< columns that follow each other
  Kokkos::View<GlobalOrdinal*, ExecutionSpace>
      columns; ///< row * width + k: the first of a block, among all ranks' rows, -1 after the last
  Kokkos::View<float*, ExecutionSpace> values;

  /// Calls visit(column, value) for the entries of a row.
  template <class Visit>
  KOKKOS_FUNCTION void each(Ordinal row, const Visit& visit) const {
    const Offset begin = static_cast<Offset>(row) * width;
    for (Offset k = begin; k < begin + width && columns(k) >= 0; ++k)
      for (int c = 0; c < block; ++c)
        visit(columns(k) + c, static_cast<double>(values(k * static_cast<Offset>(block) + c)));
  }
};

template <class ExecutionSpace, class Rows>
struct TakeRows {
  Rows rows;
  WideRows<ExecutionSpace> wide;

  KOKKOS_FUNCTION void operator()(Ordinal k) const {
    const auto block = static_cast<Offset>(wide.block);
    const Offset begin = static_cast<Offset>(k) * wide.width, end = begin + wide.width;
    Offset at = begin * block;
    rows.each(k, [&](GlobalOrdinal column, double value) {
      if (at % block == 0) wide.columns(at / block) = column;
      wide.values(at++) = static_cast<float>(value);
    });
    for (Offset b = at / block; b < end; ++b) wide.columns(b) = -1;
    for (; at < end * block; ++at) wide.values(at) = 0;
  }
};

template <class Rows>
struct LongestRow {
  Rows rows;
  KOKKOS_FUNCTION void operator()(Ordinal k, int& longest) const {
    int length = 0;
    rows.each(k, [&](GlobalOrdinal, double) { ++length; });
    longest = Kokkos::max(longest, length);
  }
};

/// Collective: ghosts get the rows of their owners.
/// \param taken  taken.each(k, visit(column, value)) goes through the entries of the k-th shared row
/// \param block  columns that follow each other
template <class ExecutionSpace, class Rows>
WideRows<ExecutionSpace> exchange_rows(const ExecutionSpace& exec, const SharedRows<ExecutionSpace>& rows,
                                       const Rows& taken, int block) {
  const sparse::Range<ExecutionSpace> shared(exec, 0, rows.count());
  WideRows<ExecutionSpace> wide;
  wide.block = block;
  Kokkos::parallel_reduce("Tessera::Multigrid::longest_row", shared, LongestRow<Rows>{taken},
                          Kokkos::Max<int>(wide.width));
  wide.width = std::max(wide.width / block, 1); // a maximum of nothing is the least integer
  MPI_Allreduce(MPI_IN_PLACE, &wide.width, 1, MPI_INT, MPI_MAX, rows.import.ranks().own());
  const std::size_t size = to_size(rows.all()) * to_size(wide.width);
  agree(rows.import.ranks(), [&] {
    wide.columns = allocate<decltype(wide.columns)>(exec, "Tessera::Multigrid::row_columns", size);
    wide.values =
        allocate<decltype(wide.values)>(exec, "Tessera::Multigrid::row_values", size * to_size(block));
  });
  Kokkos::parallel_for("Tessera::Multigrid::take_rows", shared, TakeRows<ExecutionSpace, Rows>{taken, wide});
  exchange_both(exec, rows.import, wide.width, wide.columns, wide.width * block, wide.values);
  return wide;
}

} // namespace tessera::distributed::detail
