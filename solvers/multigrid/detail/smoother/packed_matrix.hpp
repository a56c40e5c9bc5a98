// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The matrices that the cycle multiplies with, in as few bytes as keep the sums of their rows.

#include <tessera/core/contiguous.hpp>
#include <tessera/solvers/multigrid/detail/sparse.hpp>
#include <tessera/solvers/multigrid/detail/tuning.hpp>
#include <tessera/solvers/multigrid/fine_operator.hpp>
#include <tessera/solvers/sparse/detail/products.hpp>
#include <tessera/solvers/sparse/detail/rows.hpp>
#include <tessera/solvers/sparse/detail/slices.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace tessera::solvers::multigrid::detail {

/// A square matrix in slices of rows.
///
/// An entry near the diagonal is one word: the upper half of its value, and its column relative to the row in
/// 16 bits. The others, few where the rows follow a space-filling curve, have a value and a column of 32 bits
/// each. The diagonal is apart, in single precision; it takes up what rounding the others took from the row's
/// product with a given vector.
template <class ExecutionSpace>
struct PackedMatrix {
  using Slice = Slices<ExecutionSpace>;
  static constexpr Ordinal width = Slice::width;

  Offsets<ExecutionSpace> near_begin; // slice (+1), in words
  Kokkos::View<std::uint32_t*, ExecutionSpace> near;
  SlicedEntries<ExecutionSpace> far;
  Floats<ExecutionSpace> diagonal;

  KOKKOS_FUNCTION Ordinal rows() const { return static_cast<Ordinal>(diagonal.extent(0)); }
  std::size_t bytes() const {
    return bytes_of(near_begin) + bytes_of(near) + far.bytes() + bytes_of(diagonal);
  }

  /// sums[lane] = the products of an item's rows with x.
  KOKKOS_FORCEINLINE_FUNCTION void multiply(Ordinal item, const float* x, float* sums) const {
    const Ordinal first = Slice::first_row(item);
    const float* const own = diagonal.data() + first;
    Slice::each_lane(rows(), item, [&](int lane) { sums[lane] = own[lane] * x[first + lane]; });
    const Offset begin = near_begin(Slice::slice(item)), end = near_begin(Slice::slice(item) + 1);
    if constexpr (Slice::host) {
      add_words(near.data() + begin, (end - begin) / width, Slice::lanes_of(rows(), item), x + first, sums);
    } else {
      for (Offset k = begin + item % width; k < end; k += width) sums[0] += near_term(k, item, x);
    }
    far.add_product(rows(), item, x, sums);
  }

  /// The product of a row with x, a pointer or what has x[row], by so many lanes of a thread.
  template <class Vector>
  KOKKOS_FORCEINLINE_FUNCTION float product(const TeamMember<ExecutionSpace>& team, int lanes, Ordinal row,
                                            const Vector& x) const {
    const Ordinal slice = row / width;
    float sum = 0;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, lanes),
        [&](const int lane, float& part) {
          const Ordinal from = lane * width + row % width, step = lanes * width;
          for (Offset k = near_begin(slice) + from; k < near_begin(slice + 1); k += step)
            part += near_term(k, row, x);
          for (Offset k = far.begin(slice) + from; k < far.begin(slice + 1); k += step)
            part += far.values(k) * x[far.columns(k)];
        },
        sum);
    return diagonal(row) * x[row] + sum;
  }

  template <class Vector>
  KOKKOS_FORCEINLINE_FUNCTION float near_term(Offset k, Ordinal row, const Vector& x) const {
    const std::uint32_t word = near(k);
    return Kokkos::bit_cast<float>(word & 0xffff0000u) * x[row + static_cast<std::int16_t>(word & 0xffffu)];
  }

  /// out(row) = value(row, (A x)(row)) for the rows of an item; `out` may be any vector but x.
  template <class Value>
  KOKKOS_FORCEINLINE_FUNCTION void store_product(Ordinal item, const float* x, float* out,
                                                 const Value& value) const {
    float sums[Slice::lanes] = {};
    multiply(item, x, sums);
    Slice::store(rows(), item, out, [&](int lane, Ordinal row) { return value(row, sums[lane]); });
  }
};

/// Runs a combination: a thread takes an item, or its lanes a row.
template <class ExecutionSpace>
struct Combine {
  PackedMatrix<ExecutionSpace> a;
  Combination<ExecutionSpace> step;
  int lanes = 1;

  KOKKOS_FUNCTION void operator()(const TeamMember<ExecutionSpace>& team, Ordinal row, int) const {
    const float product = a.product(team, lanes, row, step.x.data());
    Kokkos::single(Kokkos::PerThread(team), [&]() {
      step.out(row) =
          step.product_factor * product + step.x_factor * step.x(row) + step.y_factor * step.y(row);
    });
  }
  KOKKOS_FUNCTION void operator()(Ordinal item) const {
    const float* const from = step.x.data();
    const float* const other = step.y.data();
    const float y_factor = step.y_factor, x_factor = step.x_factor, product_factor = step.product_factor;
    a.store_product(item, from, step.out.data(), [&](Ordinal row, float product) {
      return product_factor * product + x_factor * from[row] + y_factor * other[row];
    });
  }
};

/// Calls launch(policy, functor) with what runs a combination over the leading `rows` rows of a matrix, which
/// have so many entries: a thread an item, or where rows are few its lanes a row.
template <class ExecutionSpace, class Launch>
void combine_rows(const ExecutionSpace& exec, const PackedMatrix<ExecutionSpace>& a, Ordinal rows,
                  Offset entries, const Combination<ExecutionSpace>& step, const Launch& launch) {
  const int lanes = lanes_for_product(exec, rows, entries, tuning::smoother_entries_per_lane);
  const Combine<ExecutionSpace> kernel{a, step, lanes};
  if (lanes == 1)
    return launch(contiguous(Range<ExecutionSpace>(exec, 0, Slices<ExecutionSpace>::items(rows))), kernel);
  const auto loop = row_loop(exec, rows, lanes, 0, kernel);
  launch(loop.policy, loop.functor);
}

} // namespace tessera::solvers::multigrid::detail
