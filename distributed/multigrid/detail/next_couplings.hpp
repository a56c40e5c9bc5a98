// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The couplings of the next level: what Pᵀ A P of all ranks has beside the product of each rank's own blocks.

#include <tessera/core/types.hpp>
#include <tessera/distributed/agree.hpp>
#include <tessera/distributed/multigrid/detail/border_prolongator.hpp>
#include <tessera/distributed/multigrid/detail/column_numbers.hpp>
#include <tessera/distributed/multigrid/detail/couplings.hpp>
#include <tessera/distributed/multigrid/detail/matrix_of.hpp>
#include <tessera/distributed/multigrid/detail/wide_rows.hpp>
#include <tessera/solvers/sparse/detail/product_of_matrices.hpp>
#include <tessera/solvers/sparse/detail/transpose.hpp>

#include <Kokkos_Core.hpp>

#include <utility>
#include <vector>

namespace tessera::distributed::detail {

// Of A = B + O, the ranks' own blocks and the couplings, and P = Q + E, their own prolongators and the moved
// columns, PᵀAP - QᵀBQ = Qᵀ(BE + OP) + Eᵀ(AP). The first part has rows of Q that are shared or coupled with
// shared rows, near rows; the second those of E, shared rows and ghosts.

/// Places of rows in a list, -1 for the others.
template <class ExecutionSpace>
struct RowList {
  Kokkos::View<Ordinal*, ExecutionSpace> place, rows;
  KOKKOS_FUNCTION Ordinal count() const { return static_cast<Ordinal>(rows.extent(0)); }
};

/// The list of the rows whose flag is 1.
template <class ExecutionSpace>
RowList<ExecutionSpace> list_flags(const ExecutionSpace& exec,
                                   const Kokkos::View<Ordinal*, ExecutionSpace>& flags) {
  const Ordinal count = number_flags(exec, flags);
  const auto rows = allocate<Kokkos::View<Ordinal*, ExecutionSpace>>(exec, "Tessera::Multigrid::rows", count);
  Kokkos::parallel_for(
      "Tessera::Multigrid::list_flags", sparse::Range<ExecutionSpace>(exec, 0, flags.extent_int(0)),
      KOKKOS_LAMBDA(const Ordinal row) {
        if (flags(row) >= 0) rows(flags(row)) = row;
      });
  return {flags, rows};
}

template <class ExecutionSpace>
struct FlagShared {
  sparse::Matrix<ExecutionSpace> matrix;
  Kokkos::View<const Ordinal*, ExecutionSpace> shared;
  bool neighbors;
  Kokkos::View<Ordinal*, ExecutionSpace> flags;
  KOKKOS_FUNCTION void operator()(Ordinal k) const {
    Kokkos::atomic_store(&flags(shared(k)), Ordinal{1});
    if (neighbors)
      matrix.each_column(shared(k),
                         [&](Ordinal column) { Kokkos::atomic_store(&flags(column), Ordinal{1}); });
  }
};

/// The shared rows of a matrix, and their neighbors if wanted.
template <class ExecutionSpace>
RowList<ExecutionSpace> shared_rows(const ExecutionSpace& exec, const sparse::Matrix<ExecutionSpace>& matrix,
                                    const SharedRows<ExecutionSpace>& rows, bool neighbors) {
  const auto flags = allocate_zeroed<Kokkos::View<Ordinal*, ExecutionSpace>>(
      exec, "Tessera::Multigrid::flags", matrix.rows());
  Kokkos::parallel_for("Tessera::Multigrid::flag_shared",
                       sparse::Range<ExecutionSpace>(exec, 0, rows.count()),
                       FlagShared<ExecutionSpace>{matrix, rows.rows, neighbors, flags});
  return list_flags(exec, flags);
}

/// All that a rank has of a level's products.
template <class ExecutionSpace>
struct BorderRows {
  sparse::Matrix<ExecutionSpace> matrix, prolongator;
  sparse::Matrix<ExecutionSpace, double> couplings, moved;
  WideRows<ExecutionSpace> wide; ///< of P, for shared rows and ghosts
  RowList<ExecutionSpace> near, shared;

  KOKKOS_FUNCTION Ordinal moved_begin() const { return near.count(); }
  KOKKOS_FUNCTION Ordinal whole_begin() const { return near.count() + shared.count(); }
};

/// Shared rows of P with the columns of all ranks.
template <class ExecutionSpace>
struct ProlongatorRows {
  BorderRows<ExecutionSpace> border;
  ColumnNumbers<ExecutionSpace> numbers; ///< of the moved columns
  template <class Visit>
  KOKKOS_FUNCTION void each(Ordinal k, const Visit& visit) const {
    border.prolongator.each_entry(border.shared.rows(k), [&](Ordinal column, float value) {
      visit(numbers.first + column, static_cast<double>(value));
    });
    border.moved.each_entry(k, [&](Ordinal column, double value) { visit(numbers.column(column), value); });
  }
};

/// Near rows of Q, then shared rows of E, then of P, then ghosts of P.
template <class ExecutionSpace>
struct RightRows {
  BorderRows<ExecutionSpace> border;
  NumberedRows<ExecutionSpace> whole; ///< the last two
  template <class Visit>
  KOKKOS_FUNCTION void each(Ordinal row, const Visit& visit) const {
    if (row < border.moved_begin())
      border.prolongator.each_entry(border.near.rows(row), [&](Ordinal column, float value) {
        visit(column, static_cast<double>(value));
      });
    else if (row < border.whole_begin())
      border.moved.each_entry(row - border.moved_begin(), visit);
    else
      whole.each(row - border.whole_begin(), visit);
  }
};

/// By `RightRows`: BE + OP of near rows, then AP of shared ones.
template <class ExecutionSpace>
struct LeftRows {
  BorderRows<ExecutionSpace> border;
  template <class Visit>
  KOKKOS_FUNCTION void each(Ordinal item, const Visit& visit) const {
    const bool whole = item >= border.near.count();
    const Ordinal row = whole ? border.shared.rows(item - border.near.count()) : border.near.rows(item);
    border.matrix.each_entry(row, [&](Ordinal column, float value) {
      if (whole) visit(border.near.place(column), static_cast<double>(value));
      const Ordinal place = border.shared.place(column);
      if (place >= 0) visit(border.moved_begin() + place, static_cast<double>(value));
    });
    if (border.shared.place(row) >= 0)
      border.couplings.each_entry(border.shared.place(row), [&](Ordinal column, double value) {
        visit(border.whole_begin() + column, value);
      });
  }
};

/// Rows of a matrix from a given one on, with the columns of all ranks.
template <class ExecutionSpace>
struct RowsFrom {
  sparse::Matrix<ExecutionSpace, double> matrix;
  ColumnNumbers<ExecutionSpace> numbers;
  Ordinal begin;
  template <class Visit>
  KOKKOS_FUNCTION void each(Ordinal k, const Visit& visit) const {
    matrix.each_entry(begin + k, [&](Ordinal column, double value) { visit(numbers.column(column), value); });
  }
};

/// Rows that are restricted: BE + OP of near rows, AP of shared ones and of ghosts.
template <class ExecutionSpace>
struct RestrictedRows {
  sparse::Matrix<ExecutionSpace, double> own;
  NumberedRows<ExecutionSpace> whole; ///< shared rows, which `own` has too, and ghosts
  Ordinal shared;
  template <class Visit>
  KOKKOS_FUNCTION void each(Ordinal row, const Visit& visit) const {
    if (row < own.rows())
      own.each_entry(row, visit);
    else
      whole.each(shared + row - own.rows(), visit);
  }
};

/// Their restriction to own columns: near rows of Q, shared rows and ghosts of E.
template <class ExecutionSpace>
struct RestrictingRows {
  RightRows<ExecutionSpace> right;
  template <class Visit>
  KOKKOS_FUNCTION void each(Ordinal row, const Visit& visit) const {
    const auto& border = right.border;
    const auto& numbers = right.whole.numbers;
    const auto visit_own = [&](Ordinal column, double value) {
      if (column < numbers.own) visit(column, value);
    };
    if (row < border.whole_begin())
      right.each(row, visit_own);
    else // other ranks' Q has none of these columns
      border.wide.each(border.shared.count() + row - border.whole_begin(),
                       [&](GlobalOrdinal column, double value) {
                         if (numbers.is_own(column))
                           visit(static_cast<Ordinal>(column - numbers.first), value);
                       });
  }
};

/// Flags rows that have entries, and columns.
template <class ExecutionSpace>
struct FlagEntries {
  sparse::Matrix<ExecutionSpace, double> matrix;
  bool rows;
  Kokkos::View<Ordinal*, ExecutionSpace> flags; ///< by numbers
  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    if (rows && matrix.graph.length(row) > 0) Kokkos::atomic_store(&flags(row), Ordinal{1});
    matrix.each_column(row, [&](Ordinal column) { Kokkos::atomic_store(&flags(column), Ordinal{1}); });
  }
};

/// Rows of a matrix by places of columns, among the shared rows or after them among the ghosts.
template <class ExecutionSpace>
struct PlacedRows {
  sparse::Matrix<ExecutionSpace, double> matrix;
  Kokkos::View<const Ordinal*, ExecutionSpace> rows; ///< empty: all
  RowList<ExecutionSpace> shared, ghosts;
  template <class Visit>
  KOKKOS_FUNCTION void each(Ordinal k, const Visit& visit) const {
    const auto own = static_cast<Ordinal>(shared.place.extent(0));
    matrix.each_entry(rows.extent(0) > 0 ? rows(k) : k, [&](Ordinal column, double value) {
      visit(column < own ? shared.place(column) : shared.count() + ghosts.place(column - own), value);
    });
  }
};

/// The next level's couplings, and what prolongators have beside the ranks' own.
template <class ExecutionSpace>
struct NextCouplings {
  CouplingMatrix<ExecutionSpace> couplings;
  sparse::Matrix<ExecutionSpace, double> moved; ///< shared row × the next level's shared rows and ghosts
};

/// Collective: numbers become places among shared rows and ghosts.
/// \param entries  own column × numbered column
template <class ExecutionSpace>
NextCouplings<ExecutionSpace> place_couplings(const ExecutionSpace& exec, const Communicator& ranks,
                                              const RowRanges<ExecutionSpace>& next,
                                              const ColumnNumbers<ExecutionSpace>& numbers,
                                              const sparse::Matrix<ExecutionSpace, double>& entries,
                                              const sparse::Matrix<ExecutionSpace, double>& moved) {
  const auto [shared, ghosts] = agree(ranks, [&] {
    const auto flags = allocate_zeroed<Kokkos::View<Ordinal*, ExecutionSpace>>(
        exec, "Tessera::Multigrid::flags", numbers.count());
    Kokkos::parallel_for("Tessera::Multigrid::flag_entries",
                         sparse::Range<ExecutionSpace>(exec, 0, entries.rows()),
                         FlagEntries<ExecutionSpace>{entries, true, flags});
    Kokkos::parallel_for("Tessera::Multigrid::flag_entries",
                         sparse::Range<ExecutionSpace>(exec, 0, moved.rows()),
                         FlagEntries<ExecutionSpace>{moved, false, flags});
    const auto part = [&](std::size_t begin, std::size_t end) {
      const Kokkos::View<Ordinal*, ExecutionSpace> of = Kokkos::subview(flags, std::make_pair(begin, end));
      return list_flags(exec, of);
    };
    return std::make_pair(part(0, to_size(numbers.own)), part(to_size(numbers.own), flags.extent(0)));
  });
  const auto listed = list_of(numbers.list);
  std::vector<GlobalOrdinal> ghost_rows;
  std::vector<int> owners;
  for (const Ordinal k : list_of(ghosts.rows)) {
    ghost_rows.push_back(listed[to_size(k)]);
    owners.push_back(next.owner(ghost_rows.back()));
  }
  NextCouplings<ExecutionSpace> result{
      {share_rows(exec, ranks, next.first(), list_of(shared.rows), ghost_rows, owners), {}}, {}};
  agree(ranks, [&] {
    const sparse::Workspace<ExecutionSpace> work(exec, "Multigrid");
    result.couplings.entries = matrix_of(work, "couplings", shared.count(),
                                         PlacedRows<ExecutionSpace>{entries, shared.rows, shared, ghosts});
    result.moved =
        matrix_of(work, "moved_columns", moved.rows(), PlacedRows<ExecutionSpace>{moved, {}, shared, ghosts});
    exec.fence("Tessera::Multigrid::next_couplings");
  });
  return result;
}

/// Collective: the couplings of the next level.
/// \param next  the ranks' rows of that level
template <class ExecutionSpace>
NextCouplings<ExecutionSpace>
next_couplings(const ExecutionSpace& exec, const CouplingMatrix<ExecutionSpace>& fine,
               const Transition<ExecutionSpace>& transition, const RowRanges<ExecutionSpace>& next) {
  const Communicator& ranks = fine.rows.import.ranks();
  const int block = transition.block;
  const sparse::Workspace<ExecutionSpace> work(exec, "Multigrid");
  const auto tentative = tentative_rows(exec, fine.rows, transition, next.first());
  auto [border, of_moved] = agree(ranks, [&] {
    const auto numbers = number_columns(exec, next, {tentative.columns}, block);
    const auto moved = moved_columns(work, fine, transition, tentative, numbers);
    return std::make_pair(BorderRows<ExecutionSpace>{transition.matrix,
                                                     transition.prolongator,
                                                     fine.entries,
                                                     moved,
                                                     {},
                                                     shared_rows(exec, transition.matrix, fine.rows, true),
                                                     shared_rows(exec, transition.matrix, fine.rows, false)},
                          numbers);
  });
  border.wide = exchange_rows(exec, fine.rows, ProlongatorRows<ExecutionSpace>{border, of_moved}, block);
  const auto [products, of_products] = agree(ranks, [&] {
    const auto numbers = number_columns(exec, next, {border.wide.columns}, block);
    renumber(exec, border.moved, of_moved, numbers);
    const auto right = matrix_of(work, "right", border.whole_begin() + fine.rows.all(),
                                 RightRows<ExecutionSpace>{border, {border.wide, numbers}}, block);
    const auto left = matrix_of(work, "left", border.whole_begin(), LeftRows<ExecutionSpace>{border});
    return std::make_pair(product(work, "through", left, right, numbers.count() / block), numbers);
  });
  const auto wide = exchange_rows(
      exec, fine.rows, RowsFrom<ExecutionSpace>{products, of_products, border.near.count()}, block);
  const auto [entries, numbers] = agree(ranks, [&] {
    const auto all = number_columns(exec, next, {border.wide.columns, wide.columns}, block);
    renumber(exec, border.moved, of_products, all);
    renumber(exec, products, of_products, all);
    const Ordinal rows = border.near.count() + fine.rows.all();
    const auto restricted =
        matrix_of(work, "restricted", rows,
                  RestrictedRows<ExecutionSpace>{products, {wide, all}, fine.rows.count()}, block);
    const auto restricting =
        matrix_of(work, "restricting", rows, RestrictingRows<ExecutionSpace>{{border, {border.wide, all}}});
    return std::make_pair(product(work, "couplings", transpose_of(work, "restrictor", restricting, all.own),
                                  restricted, all.count() / block),
                          all);
  });
  return place_couplings(exec, ranks, next, numbers, entries, border.moved);
}

} // namespace tessera::distributed::detail
