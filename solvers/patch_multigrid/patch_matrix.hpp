// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The patch sparse matrix (patchSPM) of paper 4, section 5.2.2: A = A_I + A_B + A_D.

#include <tessera/solvers/patch_multigrid/detail/sparse_matrix.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

namespace tessera::solvers::patch_multigrid {

/// How the blocks of A_I are stored. The paper weighs the three and takes the first.
enum class BlockFormat {
  symmetric_coo, ///< upper half as (row, column, value): half the values; its product adds atomically
  csr,           ///< both halves by rows
  ell,           ///< both halves, column by column, rows padded to the patch's longest
  none,          ///< no blocks and no patches: the whole matrix by rows, relaxed by Jacobi's method
};

/// A symmetric matrix whose rows are sorted by patch: what couples nodes of one patch (A_I, a block for each
/// patch), what couples patches (A_B), and the diagonal (A_D). Device memory; copies share their views.
///
/// A place in a block is a row and a column of 16 bits within the patch: both of them in a symmetric
/// coordinate list, the column alone in the other formats, whose rows are known. A_B is a coordinate list
/// sorted by row, the row stored once for the entries that have it.
template <class Scalar, class ExecutionSpace, BlockFormat Format = BlockFormat::symmetric_coo>
struct PatchMatrix {
  static_assert(Format != BlockFormat::none, "a PatchMatrix has blocks");
  static constexpr BlockFormat format = Format;
  using Place = std::conditional_t<Format == BlockFormat::symmetric_coo, std::uint32_t, std::uint16_t>;
  static constexpr Place padding = std::numeric_limits<Place>::max();
  static constexpr Ordinal most_nodes = std::numeric_limits<std::uint16_t>::max(); ///< of a patch

  Kokkos::View<const Ordinal*, ExecutionSpace> patch_offsets; ///< patch (+1): its first row
  Kokkos::View<Offset*, ExecutionSpace> block_begin;          ///< patch (+1): first entry of its block
  Kokkos::View<Offset*, ExecutionSpace> row_begin;            ///< row (+1), CSR alone
  Kokkos::View<Place*, ExecutionSpace> places;                ///< of each entry of A_I
  Kokkos::View<Scalar*, ExecutionSpace> values;
  Kokkos::View<Ordinal*, ExecutionSpace> boundary_rows;    ///< rows that have entries in A_B
  Kokkos::View<Offset*, ExecutionSpace> boundary_begin;    ///< of those rows (+1)
  Kokkos::View<Ordinal*, ExecutionSpace> boundary_columns; ///< of each entry of A_B
  Kokkos::View<Scalar*, ExecutionSpace> boundary_values;
  Kokkos::View<Scalar*, ExecutionSpace> diagonal;
  Ordinal largest_patch = 0; ///< rows
  Offset largest_block = 0;  ///< entries

  Ordinal rows() const { return static_cast<Ordinal>(diagonal.extent(0)); }
  Ordinal patches() const { return static_cast<Ordinal>(patch_offsets.extent(0)) - 1; }
  std::size_t bytes() const {
    return bytes_of(block_begin) + bytes_of(row_begin) + bytes_of(places) + bytes_of(values) +
           bytes_of(boundary_rows) + bytes_of(boundary_begin) + bytes_of(boundary_columns) +
           bytes_of(boundary_values) + bytes_of(diagonal);
  }
};

/// Splits the rows of a matrix; one thread to a row, that of a patch's first row to the patch besides.
template <class Scalar, class ExecutionSpace, BlockFormat Format>
struct PatchMatrixBuilder {
  using Matrix = PatchMatrix<Scalar, ExecutionSpace, Format>;

  solvers::detail::CrsViews<double, ExecutionSpace> source;
  Kokkos::View<const Ordinal*, ExecutionSpace> patch_of_row;
  Matrix target;
  Kokkos::View<Offset*, ExecutionSpace> inside;   ///< row (+1): entries of A_I before it
  Kokkos::View<Offset*, ExecutionSpace> boundary; ///< row (+1): entries of A_B before it

  struct Count {};
  struct Blocks {};
  struct ListRows {};
  struct Fill {};

  KOKKOS_FUNCTION bool is_inside(Ordinal row, Ordinal column) const {
    if (patch_of_row(column) != patch_of_row(row)) return false;
    return Format == BlockFormat::symmetric_coo ? column > row : column != row;
  }
  KOKKOS_FUNCTION bool is_boundary(Ordinal row, Ordinal column) const {
    return patch_of_row(column) != patch_of_row(row);
  }

  KOKKOS_FUNCTION void operator()(Count, Ordinal row) const {
    Offset own = 0, others = 0;
    for (Offset k = source.row_map(row); k < source.row_map(row + 1); ++k) {
      own += is_inside(row, source.columns(k)) ? 1 : 0;
      others += is_boundary(row, source.columns(k)) ? 1 : 0;
    }
    inside(row + 1) = own;
    boundary(row + 1) = others;
  }
  /// Entries of each block: in ELL, the rows times the longest.
  KOKKOS_FUNCTION void operator()(Blocks, Ordinal patch) const {
    const Ordinal begin = target.patch_offsets(patch), end = target.patch_offsets(patch + 1);
    Offset sum = 0, longest = 0;
    for (Ordinal row = begin; row < end; ++row) {
      sum += inside(row + 1);
      longest = Kokkos::max(longest, inside(row + 1));
    }
    target.block_begin(patch + 1) =
        Format == BlockFormat::ell ? longest * static_cast<Offset>(end - begin) : sum;
  }
  KOKKOS_FUNCTION void operator()(ListRows, Ordinal row, Ordinal& count, bool final) const {
    if (boundary(row) == boundary(row + 1)) return;
    if (final && target.boundary_rows.extent(0) > 0) {
      target.boundary_rows(count) = row;
      target.boundary_begin(count) = boundary(row);
    }
    ++count;
  }
  KOKKOS_FUNCTION void operator()(Fill, Ordinal row) const {
    const Ordinal patch = patch_of_row(row), first = target.patch_offsets(patch);
    const Ordinal size = target.patch_offsets(patch + 1) - first, local = row - first;
    Offset other = boundary(row), step = 1;
    Offset own = inside(row);
    if constexpr (Format == BlockFormat::ell) {
      step = static_cast<Offset>(size);
      own = target.block_begin(patch) + static_cast<Offset>(local);
    }
    for (Offset k = source.row_map(row); k < source.row_map(row + 1); ++k) {
      const Ordinal column = source.columns(k);
      const auto value = static_cast<Scalar>(source.values(k));
      if (column == row) target.diagonal(row) = value;
      if (is_inside(row, column)) {
        auto place = static_cast<std::uint32_t>(column - first);
        if (Format == BlockFormat::symmetric_coo) place |= static_cast<std::uint32_t>(local) << 16;
        target.places(own) = static_cast<typename Matrix::Place>(place);
        target.values(own) = value;
        own += step;
      } else if (is_boundary(row, column)) {
        target.boundary_columns(other) = column;
        target.boundary_values(other++) = value;
      }
    }
    if constexpr (Format == BlockFormat::ell)
      for (; own < target.block_begin(patch + 1); own += step) {
        target.places(own) = Matrix::padding;
        target.values(own) = 0;
      }
  }
};

/// Splits a symmetric matrix whose rows are sorted by patch.
///
/// \param patch_of_row  row: 0 … patches−1, ascending
/// \param patch_offsets patch (+1): its first row
/// \throws ArgumentError for a patch of more than 65535 rows; OutOfMemoryError
template <class Scalar, BlockFormat Format, class ExecutionSpace>
PatchMatrix<Scalar, ExecutionSpace, Format>
patch_matrix(const ExecutionSpace& exec, const solvers::detail::CrsViews<double, ExecutionSpace>& source,
             const Kokkos::View<const Ordinal*, ExecutionSpace>& patch_of_row,
             const Kokkos::View<const Ordinal*, ExecutionSpace>& patch_offsets) {
  using Builder = PatchMatrixBuilder<Scalar, ExecutionSpace, Format>;
  using Offsets = Kokkos::View<Offset*, ExecutionSpace>;
  const Ordinal rows = source.rows(), patches = static_cast<Ordinal>(patch_offsets.extent(0)) - 1;
  const auto over = [&]<class Phase>(Phase, Ordinal items) {
    return Kokkos::RangePolicy<ExecutionSpace, Phase>(exec, 0, items);
  };
  const auto offsets = [&](const char* what, Ordinal items) {
    return allocate_zeroed<Offsets>(exec, std::string("Tessera::PatchMatrix::") + what, items + 1);
  };
  Builder builder{source, patch_of_row, {}, offsets("inside", rows), offsets("boundary", rows)};
  auto& target = builder.target;
  target.patch_offsets = patch_offsets;
  Kokkos::parallel_reduce(
      "Tessera::PatchMatrix::largest_patch", detail::Range<ExecutionSpace>(exec, 0, patches),
      KOKKOS_LAMBDA(const Ordinal patch, Ordinal& largest) {
        largest = Kokkos::max(largest, patch_offsets(patch + 1) - patch_offsets(patch));
      },
      Kokkos::Max<Ordinal>(target.largest_patch));
  if (target.largest_patch > builder.target.most_nodes)
    throw ArgumentError("PatchMatrix: a patch of " + std::to_string(target.largest_patch) +
                        " rows; it may have " + std::to_string(builder.target.most_nodes));
  target.block_begin = offsets("block_begin", patches);
  Kokkos::parallel_for("Tessera::PatchMatrix::count", over(typename Builder::Count(), rows), builder);
  Kokkos::parallel_for("Tessera::PatchMatrix::blocks", over(typename Builder::Blocks(), patches), builder);
  const auto block_begin = target.block_begin;
  Kokkos::parallel_reduce(
      "Tessera::PatchMatrix::largest_block", detail::Range<ExecutionSpace>(exec, 0, patches),
      KOKKOS_LAMBDA(const Ordinal patch, Offset& largest) {
        largest = Kokkos::max(largest, block_begin(patch + 1));
      },
      Kokkos::Max<Offset>(target.largest_block));
  const Offset entries = detail::scan_lengths(exec, target.block_begin);
  detail::scan_lengths(exec, builder.inside);
  const Offset outside = detail::scan_lengths(exec, builder.boundary);
  if constexpr (Format == BlockFormat::csr) target.row_begin = builder.inside;

  Ordinal listed = 0;
  Kokkos::parallel_scan("Tessera::PatchMatrix::count_boundary", over(typename Builder::ListRows(), rows),
                        builder, listed);
  target.boundary_rows = detail::make<decltype(target.boundary_rows)>(exec, "boundary_rows", listed);
  target.boundary_begin = detail::make<Offsets>(exec, "boundary_begin", listed + 1);
  Kokkos::parallel_scan("Tessera::PatchMatrix::list_boundary", over(typename Builder::ListRows(), rows),
                        builder, listed);
  Kokkos::deep_copy(exec, Kokkos::subview(target.boundary_begin, listed), outside);
  target.places = detail::make<decltype(target.places)>(exec, "places", entries);
  target.values = detail::make<decltype(target.values)>(exec, "block_values", entries);
  target.boundary_columns =
      detail::make<decltype(target.boundary_columns)>(exec, "boundary_columns", outside);
  target.boundary_values = detail::make<decltype(target.boundary_values)>(exec, "boundary_values", outside);
  target.diagonal = detail::make<decltype(target.diagonal)>(exec, "diagonal", rows);
  Kokkos::parallel_for("Tessera::PatchMatrix::fill", over(typename Builder::Fill(), rows), builder);
  exec.fence("Tessera::PatchMatrix::fill");
  return target;
}

} // namespace tessera::solvers::patch_multigrid
