// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The couplings of the next level: Pᵀ O P of those of the level above, with the other ranks' rows of P.

#include <tessera/core/allocate.hpp>
#include <tessera/core/types.hpp>
#include <tessera/distributed/agree.hpp>
#include <tessera/distributed/multigrid/detail/couplings.hpp>
#include <tessera/distributed/node_exchange.hpp>
#include <tessera/solvers/sparse/detail/product_of_matrices.hpp>
#include <tessera/solvers/sparse/detail/transpose.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace tessera::distributed::detail {

/// Rows of the prolongator, equally wide, of shared rows and then of ghosts.
template <class ExecutionSpace>
struct WideRows {
  int width = 0;
  Kokkos::View<GlobalOrdinal*, ExecutionSpace>
      columns; ///< row * width + k: among all ranks' rows, -1 for none
  Kokkos::View<float*, ExecutionSpace> values;
};

template <class ExecutionSpace>
struct TakeRows {
  sparse::Matrix<ExecutionSpace> prolongator;
  Kokkos::View<const Ordinal*, ExecutionSpace> rows;
  GlobalOrdinal first; ///< number of this rank's first row of the next level
  WideRows<ExecutionSpace> wide;

  KOKKOS_FUNCTION void operator()(Ordinal k) const {
    const Offset begin = static_cast<Offset>(k) * wide.width;
    Offset at = begin;
    prolongator.each_entry(rows(k), [&](Ordinal column, float value) {
      wide.columns(at) = first + column;
      wide.values(at++) = value;
    });
    for (; at < begin + wide.width; ++at) {
      wide.columns(at) = -1;
      wide.values(at) = 0;
    }
  }
};

/// Entries of the longest of some rows.
template <class ExecutionSpace>
struct LongestRow {
  sparse::Matrix<ExecutionSpace> matrix;
  Kokkos::View<const Ordinal*, ExecutionSpace> rows;
  KOKKOS_FUNCTION void operator()(Ordinal k, int& longest) const {
    int length = 0;
    matrix.each_column(rows(k), [&](Ordinal) { ++length; });
    longest = Kokkos::max(longest, length);
  }
};

/// Collective: the prolongator's rows of shared rows and ghosts.
template <class ExecutionSpace>
WideRows<ExecutionSpace> exchange_rows(const ExecutionSpace& exec, const SharedRows<ExecutionSpace>& rows,
                                       const sparse::Matrix<ExecutionSpace>& prolongator,
                                       GlobalOrdinal first) {
  const sparse::Range<ExecutionSpace> shared(exec, 0, rows.count());
  WideRows<ExecutionSpace> wide;
  Kokkos::parallel_reduce("Tessera::Multigrid::longest_row", shared,
                          LongestRow<ExecutionSpace>{prolongator, rows.rows}, Kokkos::Max<int>(wide.width));
  wide.width = std::max(wide.width, 1); // a maximum of nothing is the least integer
  MPI_Allreduce(MPI_IN_PLACE, &wide.width, 1, MPI_INT, MPI_MAX, rows.import.ranks().own());
  const std::size_t size = to_size(rows.all()) * to_size(wide.width);
  agree(rows.import.ranks(), [&] {
    wide.columns = allocate<decltype(wide.columns)>(exec, "Tessera::Multigrid::row_columns", size);
    wide.values = allocate<decltype(wide.values)>(exec, "Tessera::Multigrid::row_values", size);
  });
  Kokkos::parallel_for("Tessera::Multigrid::take_rows", shared,
                       TakeRows<ExecutionSpace>{prolongator, rows.rows, first, wide});
  exchange_both(exec, rows.import, wide.width, wide.columns, wide.values);
  return wide;
}

/// The distinct columns of some wide rows, numbered in their order.
template <class ExecutionSpace>
struct NumberedColumns {
  GlobalOrdinal base = 0;                       ///< the least column
  Kokkos::View<Ordinal*, ExecutionSpace> place; ///< column - base: its number, -1 where there is none
  std::vector<GlobalOrdinal> list;              ///< number: column, ascending
};

template <class ExecutionSpace>
struct MarkColumns {
  Kokkos::View<const GlobalOrdinal*, ExecutionSpace> columns;
  GlobalOrdinal base;
  Kokkos::View<Ordinal*, ExecutionSpace> place;
  KOKKOS_FUNCTION void operator()(Offset i) const {
    if (columns(i) >= 0) Kokkos::atomic_store(&place(columns(i) - base), Ordinal{1});
  }
};

template <class ExecutionSpace>
struct NumberColumns {
  GlobalOrdinal base;
  Kokkos::View<Ordinal*, ExecutionSpace> place;      ///< 1 where a column is marked, on entry
  Kokkos::View<GlobalOrdinal*, ExecutionSpace> list; ///< empty while they are counted
  KOKKOS_FUNCTION void operator()(Ordinal i, Ordinal& number, bool final) const {
    const bool marked = place(i) == 1;
    if (final && list.extent(0) > 0) {
      if (marked) list(number) = base + i;
      place(i) = marked ? number : -1;
    }
    number += marked ? 1 : 0;
  }
};

template <class ExecutionSpace>
struct ColumnRange {
  Kokkos::View<const GlobalOrdinal*, ExecutionSpace> columns;
  KOKKOS_FUNCTION void operator()(Offset i, Kokkos::MinMaxScalar<GlobalOrdinal>& range) const {
    if (columns(i) < 0) return;
    range.min_val = Kokkos::min(range.min_val, columns(i));
    range.max_val = Kokkos::max(range.max_val, columns(i));
  }
};

template <class ExecutionSpace>
NumberedColumns<ExecutionSpace>
number_columns(const ExecutionSpace& exec,
               const Kokkos::View<const GlobalOrdinal*, ExecutionSpace>& columns) {
  using Entries = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Offset>>;
  const Entries entries(exec, 0, static_cast<Offset>(columns.extent(0)));
  Kokkos::MinMaxScalar<GlobalOrdinal> range{1, 0};
  if (columns.extent(0) > 0)
    Kokkos::parallel_reduce("Tessera::Multigrid::column_range", entries, ColumnRange<ExecutionSpace>{columns},
                            Kokkos::MinMax<GlobalOrdinal>(range));
  NumberedColumns<ExecutionSpace> numbered;
  if (range.min_val > range.max_val) return numbered;
  const auto size = static_cast<Ordinal>(range.max_val - range.min_val + 1);
  numbered.base = range.min_val;
  numbered.place = allocate_zeroed<decltype(numbered.place)>(exec, "Tessera::Multigrid::column_places", size);
  Kokkos::parallel_for("Tessera::Multigrid::mark_columns", entries,
                       MarkColumns<ExecutionSpace>{columns, numbered.base, numbered.place});
  const sparse::Range<ExecutionSpace> places(exec, 0, size);
  NumberColumns<ExecutionSpace> number{numbered.base, numbered.place, {}};
  Ordinal count = 0;
  Kokkos::parallel_scan("Tessera::Multigrid::count_columns", places, number, count);
  number.list = allocate<decltype(number.list)>(exec, "Tessera::Multigrid::columns", count);
  Kokkos::parallel_scan("Tessera::Multigrid::number_columns", places, number, count);
  exec.fence("Tessera::Multigrid::number_columns");
  numbered.list = list_of(number.list);
  return numbered;
}

/// Wide rows as a matrix.
template <class ExecutionSpace>
struct CompressRows {
  WideRows<ExecutionSpace> wide;
  Ordinal first_row, before; ///< row of the matrix that the range begins with; columns of earlier ranges
  GlobalOrdinal base;
  Kokkos::View<const Ordinal*, ExecutionSpace> place;
  sparse::Matrix<ExecutionSpace, double> matrix;

  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    Offset to = matrix.graph.row_map(first_row + row);
    const Offset begin = static_cast<Offset>(row) * wide.width;
    for (Offset k = begin; k < begin + wide.width && wide.columns(k) >= 0; ++k, ++to) {
      matrix.graph.columns(to) = before + place(wide.columns(k) - base);
      matrix.values(to) = static_cast<double>(wide.values(k));
    }
  }
};

template <class ExecutionSpace>
struct WideLengths {
  WideRows<ExecutionSpace> wide;
  KOKKOS_FUNCTION Offset operator()(Ordinal row) const {
    const Offset width = static_cast<Offset>(wide.width), begin = static_cast<Offset>(row) * width;
    Offset length = 0;
    while (length < width && wide.columns(begin + length) >= 0) ++length;
    return length;
  }
};

/// The prolongator's rows of some ranks, the ranges of ranks one after the other, and the distinct columns.
template <class ExecutionSpace>
struct ProlongatorRows {
  sparse::Matrix<ExecutionSpace, double> matrix;
  std::vector<GlobalOrdinal> columns; ///< ascending
  std::vector<int> owners;            ///< of the columns: the range's number
};

/// \param ranges offsets of the ranks' rows among the wide rows: columns of later ranks are larger
template <class ExecutionSpace>
ProlongatorRows<ExecutionSpace> prolongator_rows(const ExecutionSpace& exec,
                                                 const WideRows<ExecutionSpace>& wide,
                                                 const std::vector<std::size_t>& ranges) {
  const auto width = to_size(wide.width);
  const auto part = [&](std::size_t begin, std::size_t end) {
    const auto entries = std::make_pair(begin * width, end * width);
    return WideRows<ExecutionSpace>{wide.width, Kokkos::subview(wide.columns, entries),
                                    Kokkos::subview(wide.values, entries)};
  };
  ProlongatorRows<ExecutionSpace> result;
  auto& [row_map, columns, longest] = result.matrix.graph;
  const auto count = ranges.back() - ranges.front();
  row_map =
      allocate<sparse::Offsets<ExecutionSpace>>(exec, "Tessera::Multigrid::prolongator_rows", count + 1);
  const sparse::Workspace<ExecutionSpace> work(exec, "Multigrid");
  const auto found =
      sparse::scan_lengths(work, row_map, WideLengths<ExecutionSpace>{part(ranges.front(), ranges.back())});
  columns =
      allocate<sparse::Ordinals<ExecutionSpace>>(exec, "Tessera::Multigrid::prolongator_rows", found.sum);
  result.matrix.values =
      allocate<sparse::Doubles<ExecutionSpace>>(exec, "Tessera::Multigrid::prolongator_rows", found.sum);
  for (std::size_t r = 0; r + 1 < ranges.size(); ++r) {
    const auto own = part(ranges[r], ranges[r + 1]);
    const auto numbered = number_columns<ExecutionSpace>(exec, own.columns);
    Kokkos::parallel_for(
        "Tessera::Multigrid::compress_rows",
        sparse::Range<ExecutionSpace>(exec, 0, static_cast<Ordinal>(ranges[r + 1] - ranges[r])),
        CompressRows<ExecutionSpace>{own, static_cast<Ordinal>(ranges[r] - ranges.front()),
                                     static_cast<Ordinal>(result.columns.size()), numbered.base,
                                     numbered.place, result.matrix});
    result.columns.insert(result.columns.end(), numbered.list.begin(), numbered.list.end());
    result.owners.resize(result.columns.size(), static_cast<int>(r));
  }
  exec.fence("Tessera::Multigrid::compress_rows");
  return result;
}

/// Collective: the couplings of the next level.
/// \param prolongator from that level to this one, of the rank's own rows
/// \param first       number of the rank's first row of the next level among those of all ranks
template <class ExecutionSpace>
CouplingMatrix<ExecutionSpace>
next_couplings(const ExecutionSpace& exec, const CouplingMatrix<ExecutionSpace>& fine,
               const sparse::Matrix<ExecutionSpace>& prolongator, GlobalOrdinal first) {
  const Communicator& ranks = fine.rows.import.ranks();
  const WideRows<ExecutionSpace> wide = exchange_rows(exec, fine.rows, prolongator, first);
  const ImportLists& lists = fine.rows.import.lists();
  const auto [own, others] = agree(ranks, [&] {
    const auto shared = to_size(fine.rows.count());
    std::vector<std::size_t> ranges;
    for (const std::size_t offset : lists.ghost_offsets) ranges.push_back(shared + offset);
    if (ranges.empty()) ranges.push_back(shared);
    return std::make_pair(prolongator_rows(exec, wide, {0, shared}), prolongator_rows(exec, wide, ranges));
  });
  std::vector<Ordinal> shared;
  for (const GlobalOrdinal number : own.columns) shared.push_back(static_cast<Ordinal>(number - first));
  std::vector<int> owners;
  for (const int range : others.owners) owners.push_back(lists.owners[to_size(range)]);

  CouplingMatrix<ExecutionSpace> next{share_rows(exec, ranks, first, shared, others.columns, owners), {}};
  agree(ranks, [&] {
    const sparse::Workspace<ExecutionSpace> work(exec, "Multigrid");
    const auto ghosts = static_cast<Ordinal>(next.rows.ghosts.size());
    const auto through = product(work, "couplings", fine.entries, others.matrix, ghosts);
    sparse::Matrix<ExecutionSpace, double> restrictor;
    restrictor.graph = transposed(work, own.matrix.graph, next.rows.count());
    restrictor.values = allocate<sparse::Doubles<ExecutionSpace>>(exec, "Tessera::Multigrid::couplings",
                                                                  own.matrix.values.extent(0));
    transposed_values(work, own.matrix, restrictor);
    next.entries = product(work, "couplings", restrictor, through, ghosts);
    exec.fence("Tessera::Multigrid::next_couplings");
  });
  return next;
}

} // namespace tessera::distributed::detail
