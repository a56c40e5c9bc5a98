#pragma once

/// \file
/// Products and transposes of sparse matrices, row by row: no additions of several threads meet, so that the
/// result is the same in every run.

#include <tessera/core/execution_spaces.hpp>
#include <tessera/core/graphs/ascending_list.hpp>
#include <tessera/core/graphs/detail/group_by.hpp>
#include <tessera/solvers/patch_multigrid/detail/sparse_matrix.hpp>

#include <Kokkos_Core.hpp>

#include <limits>
#include <string>

namespace tessera::solvers::patch_multigrid {

/// C = A B. `Slots` bounds the distinct columns of a row, `Count` counts them, in a list of the thread's own
/// where it has room, `Fill` keeps them ascending in C with their sums.
template <class ExecutionSpace>
struct SparseProduct {
  static constexpr Offset room = runs_on_host<ExecutionSpace> ? 1 : 128;

  SparseMatrix<ExecutionSpace> a, b, c;
  Kokkos::View<Offset*, ExecutionSpace> slot_begin; ///< row (+1)
  Kokkos::View<Ordinal*, ExecutionSpace> slots;

  struct Slots {};
  struct Count {};
  struct Fill {};

  /// Visits the terms of a row of C: their columns and values.
  template <class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_term(Ordinal row, const Visit& visit) const {
    for (Offset k = a.row_map(row); k < a.row_map(row + 1); ++k) {
      const Ordinal inner = a.columns(k);
      for (Offset l = b.row_map(inner); l < b.row_map(inner + 1); ++l)
        visit(b.columns(l), a.values(k) * b.values(l));
    }
  }

  KOKKOS_FUNCTION void operator()(Slots, Ordinal row, Offset& sum, bool final) const {
    Offset terms = 0;
    for (Offset k = a.row_map(row); k < a.row_map(row + 1); ++k)
      terms += b.row_map(a.columns(k) + 1) - b.row_map(a.columns(k));
    if (final) slot_begin(row) = sum;
    if (terms > room) sum += Kokkos::min(terms, static_cast<Offset>(b.num_columns));
    if (final) slot_begin(row + 1) = sum;
  }
  KOKKOS_FUNCTION void operator()(Count, Ordinal row) const {
    Ordinal own[room];
    Ordinal* const list = slot_begin(row) < slot_begin(row + 1) ? slots.data() + slot_begin(row) : own;
    Ordinal count = 0;
    for_each_term(row,
                  [&](Ordinal column, double) { tessera::detail::insert_ascending(list, count, column); });
    c.row_map(row + 1) = count;
  }
  KOKKOS_FUNCTION void operator()(Fill, Ordinal row) const {
    Ordinal* const columns = c.columns.data() + c.row_map(row);
    double* const values = c.values.data() + c.row_map(row);
    Ordinal count = 0;
    for_each_term(row, [&](Ordinal column, double value) {
      const Ordinal at = tessera::detail::place_in(columns, count, column);
      if (at < count && columns[at] == column) {
        values[at] += value;
        return;
      }
      for (Ordinal i = count; i > at; --i) {
        columns[i] = columns[i - 1];
        values[i] = values[i - 1];
      }
      columns[at] = column;
      values[at] = value;
      ++count;
    });
  }
};

/// The product of two matrices, columns ascending.
/// \throws OutOfMemoryError
template <class ExecutionSpace>
SparseMatrix<ExecutionSpace> product(const ExecutionSpace& exec, const SparseMatrix<ExecutionSpace>& a,
                                     const SparseMatrix<ExecutionSpace>& b) {
  using Product = SparseProduct<ExecutionSpace>;
  const auto over_rows = [&]<class Phase>(Phase) {
    return Kokkos::RangePolicy<ExecutionSpace, Phase>(exec, 0, a.rows());
  };
  Product product{a, b, {}, {}, {}};
  auto& c = product.c;
  c.num_columns = b.num_columns;
  c.row_map = allocate_zeroed<decltype(c.row_map)>(exec, "Tessera::PatchMultigrid::row_map", a.rows() + 1);
  product.slot_begin = make<decltype(product.slot_begin)>(exec, "slot_begin", a.rows() + 1);
  Offset room = 0;
  Kokkos::parallel_scan("Tessera::PatchMultigrid::product_slots", over_rows(typename Product::Slots()),
                        product, room);
  product.slots = make<decltype(product.slots)>(exec, "slots", room);
  Kokkos::parallel_for("Tessera::PatchMultigrid::product_count", over_rows(typename Product::Count()),
                       product);
  const Offset entries = scan_lengths(exec, c.row_map);
  product.slots = {};
  c.columns = make<decltype(c.columns)>(exec, "columns", entries);
  c.values = make<decltype(c.values)>(exec, "values", entries);
  Kokkos::parallel_for("Tessera::PatchMultigrid::product_fill", over_rows(typename Product::Fill()), product);
  exec.fence("Tessera::PatchMultigrid::product");
  return c;
}

/// The transpose, columns ascending: entries sorted by column, those of one column staying in order.
/// \throws UnsupportedError for 2^31 entries or more; OutOfMemoryError
template <class ExecutionSpace>
SparseMatrix<ExecutionSpace> transposed(const ExecutionSpace& exec,
                                        const SparseMatrix<ExecutionSpace>& matrix) {
  if (matrix.entries() > static_cast<Offset>(std::numeric_limits<Ordinal>::max()))
    throw UnsupportedError("PatchMultigrid: a prolongator of " + std::to_string(matrix.entries()) +
                           " entries; it may have at most 2^31 - 1");
  const auto entries = static_cast<Ordinal>(matrix.entries());
  const auto groups = tessera::detail::group_by(exec, matrix.columns, matrix.num_columns);
  const auto row_of_entry = make<Kokkos::View<Ordinal*, ExecutionSpace>>(exec, "row_of_entry", entries);
  Kokkos::parallel_for(
      "Tessera::PatchMultigrid::row_of_entry", Range<ExecutionSpace>(exec, 0, matrix.rows()),
      KOKKOS_LAMBDA(const Ordinal row) {
        for (Offset k = matrix.row_map(row); k < matrix.row_map(row + 1); ++k) row_of_entry(k) = row;
      });
  SparseMatrix<ExecutionSpace> result;
  result.num_columns = matrix.rows();
  result.row_map = make<decltype(result.row_map)>(exec, "row_map", matrix.num_columns + 1);
  result.columns = make<decltype(result.columns)>(exec, "columns", entries);
  result.values = make<decltype(result.values)>(exec, "values", entries);
  Kokkos::parallel_for(
      "Tessera::PatchMultigrid::transposed_rows", Range<ExecutionSpace>(exec, 0, matrix.num_columns + 1),
      KOKKOS_LAMBDA(const Ordinal row) { result.row_map(row) = groups.offsets(row); });
  Kokkos::parallel_for(
      "Tessera::PatchMultigrid::transpose", Range<ExecutionSpace>(exec, 0, entries),
      KOKKOS_LAMBDA(const Ordinal k) {
        result.columns(k) = row_of_entry(groups.items(k));
        result.values(k) = matrix.values(groups.items(k));
      });
  exec.fence("Tessera::PatchMultigrid::transpose");
  return result;
}

} // namespace tessera::solvers::patch_multigrid
