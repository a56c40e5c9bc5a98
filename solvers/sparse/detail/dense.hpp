// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The coarsest level: a dense inverse.

#include <tessera/core/error.hpp>
#include <tessera/core/vector_fence.hpp>
#include <tessera/solvers/sparse/detail/rows.hpp>
#include <tessera/solvers/sparse/detail/tuning.hpp>
#include <tessera/solvers/sparse/detail/types.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <string>

namespace tessera::solvers::sparse::detail {

/// The coarsest matrix by rows, a thread's lanes each.
template <class ExecutionSpace>
struct FillDense {
  Matrix<ExecutionSpace> matrix;
  Floats<ExecutionSpace> test, test_product; // see `DenseInverse`
  Modes<ExecutionSpace> null_space;
  double shift;
  Kokkos::View<double**, Kokkos::LayoutRight, ExecutionSpace> a;

  KOKKOS_FUNCTION void operator()(const TeamMember<ExecutionSpace>& team, Ordinal row, int) const {
    const Ordinal rows = matrix.rows(), node = row / matrix.block_rows, width = matrix.block_columns;
    const auto modes = static_cast<int>(null_space.extent(1));
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, rows), [&](Ordinal column) {
      a(row, column) = column == row ? shift : 0.0;
      for (int m = 0; m < modes; ++m) a(row, column) += null_space(row, m) * null_space(column, m);
    });
    vector_fence();
    const bool exact = test.extent(0) > 0 && test(row) > 0;
    const Offset first = matrix.graph.row_map(node),
                 entries = matrix.row_begin(node, row - node * matrix.block_rows);
    double others = 0;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, matrix.graph.length(node) * width),
        [&](Ordinal k, double& sum) {
          const Ordinal column = matrix.graph.columns(first + k / width) * width + k % width;
          const double value = matrix.values(entries + k);
          if (exact && column == row) return;
          a(row, column) += value;
          if (exact) sum += value * test(column);
        },
        others);
    if (!exact) return;
    vector_fence();
    Kokkos::single(Kokkos::PerThread(team),
                   [&]() { a(row, row) += (test_product(row) - others) / test(row); });
  }
};

/// Inverts a symmetric matrix by sweeps (J. H. Goodnight, "A tutorial on the SWEEP operator", Amer.
/// Statistician 33, 1979), some pivots at a time, one team for all, on the half below the diagonal. Pivots
/// that are zero up to rounding are left out, which gives a generalised inverse; negative ones are counted.
template <class ExecutionSpace>
struct SweepInverse {
  static constexpr int width = tuning::pivots_at_once; // each time, the team waits four times
  using Member = TeamMember<ExecutionSpace>;
  using Numbers = Scratch<double, ExecutionSpace>;

  Kokkos::View<double**, Kokkos::LayoutRight, ExecutionSpace> a;
  Floats<ExecutionSpace> inverse; // row · rows + column
  Kokkos::View<int, ExecutionSpace> negative;
  double zero;
  Ordinal rows;

  /// The pivots' columns, their products with the pivots' inverse, that inverse, and which pivots are kept.
  KOKKOS_FUNCTION Ordinal numbers() const { return (2 * width + 1) * rows + width * width; }
  std::size_t scratch_bytes() const { return Numbers::shmem_size(numbers()); }
  struct Pivots {
    double *columns, *products; // pivot · rows + row
    double* inverse;            // pivot · width + pivot, zero for those that are left out
    double* kept;               // row: one, or zero for a pivot that is left out or yet to come
  };

  /// Calls visit(i, j, entry) for the entries below the diagonal and on it, rows shared by threads.
  template <class Visit>
  KOKKOS_FUNCTION void each_entry(const Member& team, const Visit& visit) const {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, rows), [&](Ordinal i) {
      double* const row = &a(i, 0);
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, i + 1), [&](Ordinal j) { visit(i, j, row[j]); });
    });
    team.team_barrier();
  }

  template <class Level>
  KOKKOS_FUNCTION void operator()(const Member& team, Level level) const {
    const Numbers memory(team.team_scratch(level), numbers());
    const Pivots pivots{memory.data(), memory.data() + width * rows, memory.data() + 2 * width * rows,
                        memory.data() + 2 * width * rows + width * width};
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, rows), [&](Ordinal i) { pivots.kept[i] = 0; });
    each_entry(team, [&](Ordinal i, Ordinal j, double& entry) { entry = (a(i, j) + a(j, i)) / 2; });
    for (Ordinal first = 0; first < rows; first += width) {
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, rows), [&](Ordinal i) {
        for (int p = 0; p < width; ++p) {
          const Ordinal pivot = first + p;
          pivots.columns[p * rows + i] = pivot >= rows ? 0 : i < pivot ? a(pivot, i) : a(i, pivot);
        }
      });
      team.team_barrier();
      Kokkos::single(Kokkos::PerTeam(team), [&]() { invert_pivots(first, pivots); });
      team.team_barrier();
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, rows), [&](Ordinal i) {
        for (int p = 0; p < width; ++p) {
          double sum = 0;
          for (int q = 0; q < width; ++q) sum += pivots.inverse[p * width + q] * pivots.columns[q * rows + i];
          pivots.products[p * rows + i] = sum;
        }
      });
      team.team_barrier();
      sweep(team, first, pivots);
    }
    each_entry(team, [&](Ordinal i, Ordinal j, double& entry) {
      inverse(i * rows + j) = inverse(j * rows + i) =
          pivots.kept[i] * pivots.kept[j] > 0 ? static_cast<float>(-entry) : 0.0f;
    });
  }

  /// Inverts the block of pivots from `first` on, swept one after the other.
  KOKKOS_FUNCTION void invert_pivots(Ordinal first, const Pivots& pivots) const {
    double block[width][width];
    for (int p = 0; p < width; ++p)
      for (int q = 0; q < width; ++q)
        block[p][q] = first + q < rows ? pivots.columns[p * rows + first + q] : 0;
    bool kept[width];
    for (int k = 0; k < width; ++k) {
      const double pivot = block[k][k], reciprocal = 1 / pivot;
      if (pivot < -zero) ++negative();
      kept[k] = pivot > zero;
      if (!kept[k]) continue;
      for (int p = 0; p < width; ++p)
        for (int q = 0; q < width; ++q)
          if (p != k && q != k) block[p][q] -= block[p][k] * block[k][q] * reciprocal;
      for (int p = 0; p < width; ++p)
        if (p != k) block[p][k] = block[k][p] = block[p][k] * reciprocal;
      block[k][k] = -reciprocal;
    }
    for (int p = 0; p < width; ++p) {
      if (kept[p]) pivots.kept[first + p] = 1;
      for (int q = 0; q < width; ++q) pivots.inverse[p * width + q] = kept[p] && kept[q] ? -block[p][q] : 0;
    }
  }

  /// Sweeps the kept ones of the pivots from `first` on.
  KOKKOS_FUNCTION void sweep(const Member& team, Ordinal first, const Pivots& pivots) const {
    // The place of a row among the pivots that are swept, -1 if it is none of them.
    const auto place = [&](Ordinal i) {
      const Ordinal p = i - first;
      return p >= 0 && p < width && pivots.kept[i] > 0 ? static_cast<int>(p) : -1;
    };
    each_entry(team, [&](Ordinal i, Ordinal j, double& entry) {
      const int p = place(i), q = place(j);
      if (p >= 0 && q >= 0) {
        entry = -pivots.inverse[p * width + q];
      } else if (p >= 0 || q >= 0) {
        entry = p >= 0 ? pivots.products[p * rows + j] : pivots.products[q * rows + i];
      } else {
        double sum = 0;
        for (int k = 0; k < width; ++k) sum += pivots.columns[k * rows + i] * pivots.products[k * rows + j];
        entry -= sum;
      }
    });
  }
};

/// The inverse of a small matrix with a unit diagonal, made such that the product with the test vector is the
/// given one. Rounding to single precision may leave a matrix indefinite whose least eigenvalues are small,
/// that of a thin solid for one: then its diagonal is raised, tenfold from 1e-6 on, until no pivot is
/// negative.
template <class ExecutionSpace>
class DenseInverse {
public:
  /// Starts to invert; the host does not wait.
  /// \param null_space  orthonormal modes that the matrix maps to zero; they are mapped to themselves
  /// instead.
  /// \param most_shift  most that is added to the diagonal.
  /// \param inverse     row · rows + column
  DenseInverse(const Workspace<ExecutionSpace>& work, const Matrix<ExecutionSpace>& matrix,
               const Floats<ExecutionSpace>& test, const Floats<ExecutionSpace>& test_product,
               const Modes<ExecutionSpace>& null_space, double most_shift,
               const Floats<ExecutionSpace>& inverse)
      : fill_{matrix,
              test,
              test_product,
              null_space,
              0,
              make_temporary<decltype(FillDense<ExecutionSpace>::a)>(work, "dense", matrix.rows(),
                                                                     matrix.rows())},
        sweeps_{fill_.a, inverse, make_temporary<Kokkos::View<int, ExecutionSpace>>(work, "negative"),
                tuning::zero_pivot(test.extent(0) > 0), matrix.rows()},
        most_shift_(most_shift) {
    start(work.exec);
  }

  /// \return what was added to the diagonal
  /// \throws SolverError if a pivot is negative still
  double wait(const ExecutionSpace& exec) {
    for (;;) {
      int negative = 0;
      Kokkos::deep_copy(exec, negative, sweeps_.negative);
      exec.fence("Tessera::Sparse::dense_inverse");
      if (negative == 0) return fill_.shift;
      const double shift = fill_.shift > 0 ? tuning::shift_growth * fill_.shift : tuning::least_shift;
      if (shift > 1.1 * most_shift_)
        throw SolverError("Multigrid: the matrix is not positive definite, or its coarse levels, in single "
                          "precision, have lost that (coefficients that differ much, a strength near 1): the "
                          "coarsest has " +
                          std::to_string(negative) + " negative pivots");
      fill_.shift = shift;
      start(exec);
    }
  }

private:
  void start(const ExecutionSpace& exec) const {
    Kokkos::deep_copy(exec, sweeps_.negative, 0);
    for_each_row(exec, "Tessera::Sparse::dense", sweeps_.rows, 32, 0, fill_);
    constexpr int width = runs_on_host<ExecutionSpace> ? 1 : 32; // threads and lanes
    for_each_team<Kokkos::LaunchBounds<width * width>>(exec, "Tessera::Sparse::dense_inverse", 1, width,
                                                       width, sweeps_);
  }

  FillDense<ExecutionSpace> fill_;
  SweepInverse<ExecutionSpace> sweeps_;
  double most_shift_;
};

} // namespace tessera::solvers::sparse::detail
