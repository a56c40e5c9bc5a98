#pragma once

/// \file
/// The transpose of a sparse matrix, rows sorted.

#include <tessera/core/ascending_list.hpp>
#include <tessera/solvers/multigrid/detail/types.hpp>

#include <Kokkos_Core.hpp>

#include <string>

namespace tessera::solvers::multigrid {

/// Sorts the columns of each row: a warp's lanes count, each for its entries, how many are smaller.
template <class ExecutionSpace>
struct SortRows {
  using Member = typename Kokkos::TeamPolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>::member_type;

  Offsets<ExecutionSpace> row_map;
  Ordinals<ExecutionSpace> unsorted, sorted;

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const Ordinal row = team.league_rank();
    const Offset first = row_map(row);
    const auto count = static_cast<Ordinal>(row_map(row + 1) - first);
    if constexpr (runs_on_host<ExecutionSpace>) {
      for (Ordinal k = 0; k < count; ++k) sorted(first + k) = unsorted(first + k);
      if (count > 1) tessera::detail::sort_ascending(sorted.data() + first, count);
    } else {
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, count), [&](Ordinal k) {
        const Ordinal own = unsorted(first + k);
        Ordinal rank = 0;
        for (Ordinal other = 0; other < count; ++other) rank += unsorted(first + other) < own ? 1 : 0;
        sorted(first + rank) = own;
      });
    }
  }
};

/// The pattern of the transpose of a matrix with `columns` columns, with room for its values.
template <class ExecutionSpace>
Matrix<ExecutionSpace> transposed_pattern(const ExecutionSpace& exec, const Matrix<ExecutionSpace>& matrix,
                                          Ordinal columns) {
  Matrix<ExecutionSpace> result{make<Offsets<ExecutionSpace>>(exec, "row_map", columns + 1),
                                make<Ordinals<ExecutionSpace>>(exec, "columns", matrix.entries()),
                                make<Floats<ExecutionSpace>>(exec, "values", matrix.entries())};
  const auto place = allocate_zeroed<Ordinals<ExecutionSpace>>(exec, "Tessera::Multigrid::place", columns);
  const Range<ExecutionSpace> rows(exec, 0, matrix.rows()), all_columns(exec, 0, columns);
  Kokkos::parallel_for(
      "Tessera::Multigrid::transpose_count", rows, KOKKOS_LAMBDA(const Ordinal row) {
        for (Offset k = matrix.row_map(row); k < matrix.row_map(row + 1); ++k)
          Kokkos::atomic_inc(&place(matrix.columns(k)));
      });
  Kokkos::parallel_for(
      "Tessera::Multigrid::transpose_lengths", all_columns, KOKKOS_LAMBDA(const Ordinal column) {
        result.row_map(column + 1) = place(column);
        place(column) = 0;
      });
  lengths_to_offsets(exec, result.row_map);
  // The order in which threads arrive is any; sorting takes it out.
  const auto unsorted = make<Ordinals<ExecutionSpace>>(exec, "unsorted", matrix.entries());
  Kokkos::parallel_for(
      "Tessera::Multigrid::transpose_fill", rows, KOKKOS_LAMBDA(const Ordinal row) {
        for (Offset k = matrix.row_map(row); k < matrix.row_map(row + 1); ++k) {
          const Ordinal column = matrix.columns(k);
          unsorted(result.row_map(column) + Kokkos::atomic_fetch_add(&place(column), 1)) = row;
        }
      });
  if (columns > 0)
    Kokkos::parallel_for("Tessera::Multigrid::transpose_sort",
                         Kokkos::TeamPolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>(
                             exec, columns, runs_on_host<ExecutionSpace> ? 1 : 64, 1),
                         SortRows<ExecutionSpace>{result.row_map, unsorted, result.columns});
  return result;
}

/// Fills the values of a transpose: each entry is looked up in the short sorted row that it comes from.
template <class ExecutionSpace>
void transposed_values(const ExecutionSpace& exec, const Matrix<ExecutionSpace>& matrix,
                       const Matrix<ExecutionSpace>& transposed) {
  using Policy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>;
  if (transposed.rows() == 0) return;
  Kokkos::parallel_for(
      "Tessera::Multigrid::transpose_values",
      Policy(exec, transposed.rows(), runs_on_host<ExecutionSpace> ? 1 : 64, 1),
      KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        const Ordinal row = team.league_rank();
        const Offset first = transposed.row_map(row);
        Kokkos::parallel_for(
            Kokkos::TeamVectorRange(team, static_cast<Ordinal>(transposed.row_map(row + 1) - first)),
            [&](Ordinal k) {
              const Ordinal source = transposed.columns(first + k);
              const Offset begin = matrix.row_map(source);
              const Ordinal at =
                  tessera::detail::place_in(matrix.columns.data() + begin,
                                            static_cast<Ordinal>(matrix.row_map(source + 1) - begin), row);
              transposed.values(first + k) = matrix.values(begin + at);
            });
      });
}

} // namespace tessera::solvers::multigrid
