// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Products with matrices whose rows the lanes of a thread share, or that lie in slices.

#include <tessera/core/contiguous.hpp>
#include <tessera/core/execution_spaces.hpp>
#include <tessera/solvers/sparse/detail/rows.hpp>
#include <tessera/solvers/sparse/detail/slices.hpp>
#include <tessera/solvers/sparse/detail/tuning.hpp>
#include <tessera/solvers/sparse/detail/types.hpp>

#include <Kokkos_Core.hpp>

namespace tessera::solvers::sparse::detail {

/// Lanes that share a row, of `rows` with `entries` in all: as many as leave each so many entries, and where
/// rows are too few to fill half of a device, as many as do so and have an entry each.
template <class ExecutionSpace>
int lanes_for_product(const ExecutionSpace& exec, Ordinal rows, Offset entries, int entries_per_lane) {
  if constexpr (runs_on_host<ExecutionSpace>) return 1;
  const auto busy = static_cast<Offset>(exec.concurrency() / 2);
  int lanes = 1;
  while (lanes < 32) {
    const Offset next = static_cast<Offset>(2 * lanes) * static_cast<Offset>(rows);
    if (next * entries_per_lane > entries && (next / 2 >= busy || next > entries)) break;
    lanes *= 2;
  }
  return lanes;
}

/// y += A x of a rectangular matrix in slices.
template <class ExecutionSpace>
struct AddSlicedProduct {
  using Slice = Slices<ExecutionSpace>;
  SlicedEntries<ExecutionSpace> a;
  Kokkos::View<const float*, ExecutionSpace> x;
  Floats<ExecutionSpace> y;

  Range<ExecutionSpace> range(const ExecutionSpace& exec) const {
    return contiguous(Range<ExecutionSpace>(exec, 0, Slice::items(rows())));
  }
  KOKKOS_FUNCTION Ordinal rows() const { return static_cast<Ordinal>(y.extent(0)); }

  KOKKOS_FUNCTION void operator()(Ordinal item) const {
    float sums[Slice::lanes] = {};
    a.add_product(rows(), item, x.data(), sums);
    const float* const before = y.data();
    Slice::store(rows(), item, y.data(), [&](int lane, Ordinal row) { return before[row] + sums[lane]; });
  }
};

/// y += A x of a rectangular matrix, a thread a row.
template <class ExecutionSpace>
struct AddProduct {
  Matrix<ExecutionSpace> a;
  Kokkos::View<const float*, ExecutionSpace> x;
  Floats<ExecutionSpace> y;

  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    float sum = y(row);
    a.each_entry(row, [&](Ordinal column, float value) { sum += value * x(column); });
    y(row) = sum;
  }
};

/// y = A x, or y += A x, of a rectangular matrix: the lanes of a thread share a node's rows on devices.
template <class ExecutionSpace>
struct RowsProduct {
  Matrix<ExecutionSpace> a;
  Kokkos::View<const float*, ExecutionSpace> x;
  Floats<ExecutionSpace> y;
  bool add;
  int lanes;

  KOKKOS_FUNCTION void operator()(const TeamMember<ExecutionSpace>& team, Ordinal node, int) const {
    for (int r = 0; r < a.block_rows; ++r) {
      const Ordinal row = node * a.block_rows + r;
      const float before = add ? y(row) : 0.0f; // on its way while the row is read
      const float sum = dot(team, node, a.row_begin(node, r));
      Kokkos::single(Kokkos::PerThread(team), [&]() { y(row) = before + sum; });
    }
  }

  /// A row's product, its values from `values` on.
  KOKKOS_FORCEINLINE_FUNCTION float dot(const TeamMember<ExecutionSpace>& team, Ordinal node,
                                        Offset values) const {
    const float* const value = a.values.data() + values;
    const Ordinal* const column = a.graph.columns.data() + a.graph.row_map(node);
    const Ordinal length = a.graph.length(node);
    if constexpr (runs_on_host<ExecutionSpace>)
      if (a.block_columns == 1) return long_dot(value, column, length, x.data());
    float sum = 0;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, lanes),
        [&](const int lane, float& part) {
          part += a.block_columns == 1 ? of_entries(value, column, length, lane)
                                       : of_blocks(value, column, length, lane);
        },
        sum);
    return sum;
  }

  /// A lane's share: four entries are on their way at once.
  KOKKOS_FORCEINLINE_FUNCTION float of_entries(const float* value, const Ordinal* column, Ordinal length,
                                               int lane) const {
    constexpr int at_once = tuning::transfer_at_once;
    float sum = 0;
    for (Ordinal k = lane; k < length; k += at_once * lanes) {
      float factor[at_once];
      Ordinal place[at_once];
      for (int i = 0; i < at_once; ++i) {
        const Ordinal entry = k + i * lanes;
        factor[i] = entry < length ? value[entry] : 0.0f;
        place[i] = entry < length ? column[entry] : 0;
      }
      for (int i = 0; i < at_once; ++i) sum += factor[i] * x(place[i]);
    }
    return sum;
  }

  KOKKOS_FORCEINLINE_FUNCTION float of_blocks(const float* value, const Ordinal* column, Ordinal length,
                                              int lane) const {
    const int width = a.block_columns;
    float sum = 0;
    for (Ordinal k = lane; k < length; k += lanes)
      for (int c = 0; c < width; ++c) sum += value[k * width + c] * x(column[k] * width + c);
    return sum;
  }
};

/// How `RowsProduct` is spread.
template <class ExecutionSpace>
RowLaunch<ExecutionSpace, RowsProduct<ExecutionSpace>>
rows_product(const ExecutionSpace& exec, const Matrix<ExecutionSpace>& a,
             const Kokkos::View<const float*, ExecutionSpace>& x, const Floats<ExecutionSpace>& y, bool add) {
  const int lanes = lanes_for_product(exec, a.nodes(), static_cast<Offset>(a.graph.columns.extent(0)),
                                      tuning::transfer_entries_per_lane);
  return row_loop(exec, a.nodes(), lanes, 0, RowsProduct<ExecutionSpace>{a, x, y, add, lanes});
}

} // namespace tessera::solvers::sparse::detail
