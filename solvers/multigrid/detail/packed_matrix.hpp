#pragma once

/// \file
/// The matrices that the cycle multiplies with, in as few bytes as keep the sums of their rows.

#include <tessera/solvers/multigrid/detail/host_pack.hpp>
#include <tessera/solvers/multigrid/detail/products.hpp>
#include <tessera/solvers/multigrid/detail/row_passes.hpp>
#include <tessera/solvers/multigrid/detail/rows.hpp>
#include <tessera/solvers/multigrid/detail/slices.hpp>
#include <tessera/solvers/multigrid/detail/staged_rows.hpp>
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
  constexpr int many = 64; // entries of a row, from which on a thread is better not alone
  const int lanes = lanes_for_product(exec, rows, entries, many);
  const Combine<ExecutionSpace> kernel{a, step, lanes};
  if (lanes == 1) return launch(Range<ExecutionSpace>(exec, 0, Slices<ExecutionSpace>::items(rows)), kernel);
  const auto loop = row_loop(exec, rows, lanes, 0, kernel);
  launch(loop.policy, loop.functor);
}

/// What filling a packed matrix found.
struct PackedProperties {
  /// Of the largest eigenvalue: the largest row sum of absolute values, each relative to the test vector
  /// (Gershgorin's circles of a similar matrix).
  double row_sum_bound = 0;
  Ordinal coupled_rows = 0; ///< that have couplings
  KOKKOS_FUNCTION PackedProperties& operator+=(const PackedProperties& other) {
    row_sum_bound = Kokkos::max(row_sum_bound, other.row_sum_bound);
    coupled_rows += other.coupled_rows;
    return *this;
  }
};

/// Most entries of some rows.
struct SliceWidths {
  Ordinal near = 0, far = 0;
  KOKKOS_FUNCTION SliceWidths& operator+=(const SliceWidths& other) {
    near = Kokkos::max(near, other.near);
    far = Kokkos::max(far, other.far);
    return *this;
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

  /// A row's entries that are near, and far.
  KOKKOS_FORCEINLINE_FUNCTION SliceWidths entries(Ordinal row) const {
    SliceWidths own;
    if (runs_on_host<ExecutionSpace> && half && matrix.scalar()) {
      const NearColumns found = near_columns(row_of(matrix, row), row);
      return {found.near, found.far};
    }
    matrix.each_column(row, [&](Ordinal column) {
      if (column != row) ++(is_near(row, column) ? own.near : own.far);
    });
    return own;
  }

  /// Widths of a slice, in the entries of the offsets after its own: most entries of its rows that are near,
  /// and far.
  KOKKOS_FUNCTION void operator()(const TeamMember<ExecutionSpace>& team, Ordinal slice, int) const {
    constexpr Ordinal width = PackedMatrix<ExecutionSpace>::width;
    SliceWidths most;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, Kokkos::min(width, packed.rows() - slice * width)),
        [&](Ordinal lane, SliceWidths& widths) {
          const Ordinal row = slice * width + lane;
          widths += entries(row);
        },
        most);
    Kokkos::single(Kokkos::PerThread(team), [&]() {
      packed.near_begin(slice + 1) = static_cast<Offset>(most.near) * width;
      packed.far.begin(slice + 1) = static_cast<Offset>(most.far) * width;
    });
  }

  /// Writes a row.
  template <class Row>
  KOKKOS_FUNCTION void operator()(Ordinal row, Row& entries, PackedProperties& found) const {
    constexpr Ordinal width = PackedMatrix<ExecutionSpace>::width;
    const Ordinal slice = row / width, lane = row % width;
    Offset near = packed.near_begin(slice) + lane, far = packed.far.begin(slice) + lane;
    const bool weighted = test.extent(0) > 0;
    double own = 1, sum = 0, absolute = 0;
    entries.each([&](Ordinal column) { return weighted ? test(column) : 1.0f; },
                 [&](Ordinal column, float value, double weight) {
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
                   sum += value * weight;
                   absolute += Kokkos::abs(value) * weight;
                 });
    if (!entries.is_row()) return;
    for (; near < packed.near_begin(slice + 1); near += width) packed.near(near) = 0;
    for (; far < packed.far.begin(slice + 1); far += width) {
      packed.far.columns(far) = row;
      packed.far.values(far) = 0;
    }
    set_diagonal(row, own, sum, absolute, found);
  }

  /// Sets a row's diagonal, of which `own` is the matrix's; weighted sums are of what else was packed.
  KOKKOS_FORCEINLINE_FUNCTION void set_diagonal(Ordinal row, double own, double sum, double absolute,
                                                PackedProperties& found) const {
    double weight = 1;
    if (test.extent(0) > 0 && test(row) > 0) {
      weight = test(row);
      own = (static_cast<double>(test_product(row)) - sum) / weight;
    }
    packed.diagonal(row) = static_cast<float>(own);
    found += PackedProperties{Kokkos::abs(own) + absolute / weight, absolute > 0 ? 1 : 0};
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

/// Fills `packed`; see `Pack`.
template <class ExecutionSpace>
PackedProperties pack(const ExecutionSpace& exec, const Matrix<ExecutionSpace>& matrix,
                      const Floats<ExecutionSpace>& test, const Floats<ExecutionSpace>& test_product,
                      bool half, const PackedMatrix<ExecutionSpace>& packed) {
  PackedProperties found;
  constexpr const char* label = "Tessera::Multigrid::pack";
  const Pack<ExecutionSpace> rows{matrix, packed, test, test_product, half};
#ifdef TESSERA_GATHERS
  if constexpr (runs_on_host<ExecutionSpace>)
    if (matrix.scalar()) {
      const Range<ExecutionSpace> slices(exec, 0, Slices<ExecutionSpace>::count(matrix.rows()));
      Kokkos::parallel_reduce(label, slices, PackSlices<Pack<ExecutionSpace>, PackedProperties>{rows}, found);
      return found;
    }
#endif
  for_each_staged_row<true>(exec, label, matrix, rows, found);
  return found;
}

} // namespace tessera::solvers::multigrid
