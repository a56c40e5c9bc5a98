#pragma once

/// \file
/// The matrices that the cycle multiplies with, in as few bytes as keep the sums of their rows.

#include <tessera/solvers/multigrid/detail/rows.hpp>
#include <tessera/solvers/multigrid/detail/slices.hpp>
#include <tessera/solvers/multigrid/detail/types.hpp>
#include <tessera/solvers/multigrid/fine_operator.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace tessera::solvers::multigrid {

/// Upper half of a single-precision number, rounded to nearest: eight bits of precision, all of the range.
KOKKOS_INLINE_FUNCTION std::uint32_t rounded_upper_half(float value) {
  const auto bits = Kokkos::bit_cast<std::uint32_t>(value);
  return (bits + 0x7fffu + ((bits >> 16) & 1u)) & 0xffff0000u;
}

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
  Range<ExecutionSpace> range(const ExecutionSpace& exec) const { return {exec, 0, Slice::items(rows())}; }
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

  /// The product of a row with x by so many lanes of a thread.
  KOKKOS_FORCEINLINE_FUNCTION float product(const TeamMember<ExecutionSpace>& team, int lanes, Ordinal row,
                                            const float* x) const {
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

  KOKKOS_FORCEINLINE_FUNCTION float near_term(Offset k, Ordinal row, const float* x) const {
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

/// Fills a packed matrix row by row.
template <class ExecutionSpace>
struct Pack {
  Matrix<ExecutionSpace> matrix;
  PackedMatrix<ExecutionSpace> packed;
  Floats<ExecutionSpace> test;         // the vector whose product stays as it is; empty for none
  Floats<ExecutionSpace> test_product; // its product with the matrix
  bool half;

  KOKKOS_FUNCTION bool is_near(Ordinal row, Ordinal column) const {
    const Ordinal offset = column - row;
    return half && offset >= -32768 && offset <= 32767;
  }

  /// Most entries of a slice's rows that are near, or far.
  KOKKOS_FUNCTION Ordinal most(const TeamMember<ExecutionSpace>& team, Ordinal slice, bool nears) const {
    constexpr Ordinal width = PackedMatrix<ExecutionSpace>::width;
    Ordinal result = 0;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, Kokkos::min(width, packed.rows() - slice * width)),
        [&](Ordinal lane, Ordinal& largest) {
          const Ordinal row = slice * width + lane;
          Ordinal count = 0;
          matrix.each_entry(row, [&](Ordinal column, float) {
            count += column != row && is_near(row, column) == nears ? 1 : 0;
          });
          largest = Kokkos::max(largest, count);
        },
        Kokkos::Max<Ordinal>(result));
    return result;
  }

  /// Widths of a slice, in the entries of the offsets after its own.
  KOKKOS_FUNCTION void operator()(const TeamMember<ExecutionSpace>& team, Ordinal slice, int) const {
    constexpr Offset width = PackedMatrix<ExecutionSpace>::width;
    const Offset near = most(team, slice, true) * width, far = most(team, slice, false) * width;
    Kokkos::single(Kokkos::PerThread(team), [&]() {
      packed.near_begin(slice + 1) = near;
      packed.far.begin(slice + 1) = far;
    });
  }

  /// Writes a row. Reduces the largest row sum of absolute values, each relative to the test vector
  /// (Gershgorin's circles of a similar matrix), and the number of rows that have couplings.
  KOKKOS_FUNCTION void operator()(Ordinal row, double& bound, Ordinal& coupled) const {
    constexpr Ordinal width = PackedMatrix<ExecutionSpace>::width;
    const Ordinal slice = row / width, lane = row % width;
    Offset near = packed.near_begin(slice) + lane, far = packed.far.begin(slice) + lane;
    double own = 1, sum = 0, absolute = 0;
    matrix.each_entry(row, [&](Ordinal column, float value) {
      if (column == row) {
        own = value;
        return;
      }
      if (is_near(row, column)) {
        const std::uint32_t upper = rounded_upper_half(value);
        value = Kokkos::bit_cast<float>(upper);
        packed.near(near) = upper | (static_cast<std::uint32_t>(column - row) & 0xffffu);
        near += width;
      } else {
        packed.far.columns(far) = column;
        packed.far.values(far) = value;
        far += width;
      }
      const double weight = test.extent(0) > 0 ? test(column) : 1;
      sum += value * weight;
      absolute += Kokkos::abs(value) * weight;
    });
    for (; near < packed.near_begin(slice + 1); near += width) packed.near(near) = 0;
    for (; far < packed.far.begin(slice + 1); far += width) {
      packed.far.columns(far) = row;
      packed.far.values(far) = 0;
    }
    double weight = 1;
    if (test.extent(0) > 0 && test(row) > 0) {
      weight = test(row);
      own = (static_cast<double>(test_product(row)) - sum) / weight;
    }
    packed.diagonal(row) = static_cast<float>(own);
    bound = Kokkos::max(bound, Kokkos::abs(own) + absolute / weight);
    coupled += absolute > 0 ? 1 : 0;
  }
};

/// The slices of a packed matrix for a pattern; the values are left open.
template <class ExecutionSpace>
PackedMatrix<ExecutionSpace> packed_pattern(const ExecutionSpace& exec, const Matrix<ExecutionSpace>& matrix,
                                            bool half) {
  using Functor = Pack<ExecutionSpace>;
  PackedMatrix<ExecutionSpace> packed;
  constexpr Ordinal width = PackedMatrix<ExecutionSpace>::width;
  const Ordinal rows = matrix.rows(), slices = Slices<ExecutionSpace>::count(rows);
  packed.near_begin = make<Offsets<ExecutionSpace>>(exec, "near_begin", slices + 1);
  packed.far.begin = make<Offsets<ExecutionSpace>>(exec, "far_begin", slices + 1);
  packed.diagonal = make<Floats<ExecutionSpace>>(exec, "diagonal", rows);
  for_each_row(exec, "Tessera::Multigrid::pack_count", slices, width, 0,
               Functor{matrix, packed, {}, {}, half});
  packed.near = make<Kokkos::View<std::uint32_t*, ExecutionSpace>>(
      exec, "near", lengths_to_offsets(exec, packed.near_begin).sum);
  const Offset far = lengths_to_offsets(exec, packed.far.begin).sum;
  packed.far.columns = make<Ordinals<ExecutionSpace>>(exec, "far_columns", far);
  packed.far.values = make<Floats<ExecutionSpace>>(exec, "far_values", far);
  return packed;
}

/// What filling a packed matrix found.
struct PackedProperties {
  double row_sum_bound = 0; ///< of the largest eigenvalue
  Ordinal coupled_rows = 0;
};

/// Fills `packed`; see `Pack`.
template <class ExecutionSpace>
PackedProperties pack(const ExecutionSpace& exec, const Matrix<ExecutionSpace>& matrix,
                      const Floats<ExecutionSpace>& test, const Floats<ExecutionSpace>& test_product,
                      bool half, const PackedMatrix<ExecutionSpace>& packed) {
  PackedProperties found;
  Kokkos::parallel_reduce("Tessera::Multigrid::pack", Range<ExecutionSpace>(exec, 0, matrix.rows()),
                          Pack<ExecutionSpace>{matrix, packed, test, test_product, half},
                          Kokkos::Max<double>(found.row_sum_bound), Kokkos::Sum<Ordinal>(found.coupled_rows));
  return found;
}

} // namespace tessera::solvers::multigrid
