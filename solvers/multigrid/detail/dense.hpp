#pragma once

/// \file
/// The coarsest level: a dense inverse.

#include <tessera/core/error.hpp>
#include <tessera/solvers/multigrid/detail/rows.hpp>
#include <tessera/solvers/multigrid/detail/types.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <string>

namespace tessera::solvers::multigrid {

/// The coarsest matrix by rows, a thread's lanes each.
template <class ExecutionSpace>
struct FillDense {
  Matrix<ExecutionSpace> matrix;
  Floats<ExecutionSpace> test, test_product; // see `dense_inverse`
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
    Kokkos::single(Kokkos::PerThread(team),
                   [&]() { a(row, row) += (test_product(row) - others) / test(row); });
  }
};

/// Inverts a symmetric matrix by sweeps (J. H. Goodnight, "A tutorial on the SWEEP operator", Amer.
/// Statistician 33, 1979), one team for all, on the half below the diagonal: in fast memory where it fits.
/// Pivots that are zero up to rounding are left out, which gives a generalised inverse; negative ones are
/// counted.
template <class ExecutionSpace>
struct SweepInverse {
  using Policy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>;
  using Member = typename Policy::member_type;

  Kokkos::View<double**, Kokkos::LayoutRight, ExecutionSpace> a;
  Floats<ExecutionSpace> inverse; // row · rows + column
  Kokkos::View<int, ExecutionSpace> negative;
  double zero;
  Ordinal rows;
  bool in_fast_memory = false;

  static std::size_t scratch_bytes(Ordinal numbers) {
    return Scratch<double, ExecutionSpace>::shmem_size(numbers);
  }
  KOKKOS_FUNCTION Ordinal half() const { return rows * (rows + 1) / 2; }
  /// Whether the half fits, beside a column of it and what pivots are kept.
  bool fits() const {
    return scratch_bytes(2 * rows) + scratch_bytes(half()) <=
           static_cast<std::size_t>(Policy::scratch_size_max(0));
  }

  Policy policy(const ExecutionSpace& exec) const {
    constexpr int threads = runs_on_host<ExecutionSpace> ? 1 : 32,
                  lanes = runs_on_host<ExecutionSpace> ? 1 : 32;
    const std::size_t bytes = scratch_bytes(2 * rows) + (in_fast_memory ? scratch_bytes(half()) : 0);
    return Policy(exec, 1, threads, lanes).set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(bytes)));
  }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const Scratch<double, ExecutionSpace> vectors(team.team_scratch(0), 2 * rows);
    const Scratch<double, ExecutionSpace> triangle(team.team_scratch(0), in_fast_memory ? half() : 0);
    double *const column = vectors.data(), *const kept = column + rows;
    const auto row_of = [&](Ordinal i) {
      return in_fast_memory ? triangle.data() + i * (i + 1) / 2 : &a(i, 0);
    };
    // Calls visit(i, j, entry) for the entries below the diagonal and on it, rows shared by threads.
    const auto each_entry = [&](const auto& visit) {
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, rows), [&](Ordinal i) {
        double* const row = row_of(i);
        Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, i + 1), [&](Ordinal j) { visit(i, j, row[j]); });
      });
      team.team_barrier();
    };
    each_entry([&](Ordinal i, Ordinal j, double& entry) { entry = (a(i, j) + a(j, i)) / 2; });
    for (Ordinal k = 0; k < rows; ++k) {
      const double pivot = row_of(k)[k], reciprocal = 1 / pivot;
      const bool sweep = pivot > zero;
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, rows), [&](Ordinal i) {
        column[i] = i < k ? row_of(k)[i] : row_of(i)[k];
        if (i != k) return;
        kept[k] = sweep ? 1 : 0;
        if (pivot < -zero) ++negative();
      });
      team.team_barrier();
      if (!sweep) continue;
      each_entry([&](Ordinal i, Ordinal j, double& entry) {
        if (i != k && j != k)
          entry -= column[i] * column[j] * reciprocal;
        else
          entry = i == j ? -reciprocal : column[i == k ? j : i] * reciprocal;
      });
    }
    each_entry([&](Ordinal i, Ordinal j, double& entry) {
      inverse(i * rows + j) = inverse(j * rows + i) =
          kept[i] * kept[j] > 0 ? static_cast<float>(-entry) : 0.0f;
    });
  }
};

/// The inverse of a small matrix with a unit diagonal, made such that the product with the test vector is the
/// given one. Rounding to single precision may leave a matrix indefinite whose least eigenvalues are small,
/// that of a thin solid for one: then its diagonal is raised, tenfold from 1e-6 on, until no pivot is
/// negative.
///
/// \param null_space  orthonormal modes that the matrix maps to zero; they are mapped to themselves instead.
/// \param most_shift  most that is added.
/// \param inverse     row · rows + column
/// \return what was added to the diagonal
/// \throws SolverError if a pivot is negative still
template <class ExecutionSpace>
double dense_inverse(const ExecutionSpace& exec, const Matrix<ExecutionSpace>& matrix,
                     const Floats<ExecutionSpace>& test, const Floats<ExecutionSpace>& test_product,
                     const Modes<ExecutionSpace>& null_space, double most_shift,
                     const Floats<ExecutionSpace>& inverse) {
  constexpr double least_shift = 1e-6;
  const Ordinal rows = matrix.rows();
  const auto a =
      make_temporary<Kokkos::View<double**, Kokkos::LayoutRight, ExecutionSpace>>(exec, "dense", rows, rows);
  SweepInverse<ExecutionSpace> sweeps{a, inverse,
                                      make_temporary<Kokkos::View<int, ExecutionSpace>>(exec, "negative"),
                                      test.extent(0) > 0 ? 1e-12 : 1e-6, rows};
  sweeps.in_fast_memory = sweeps.fits();
  int negative = 0;
  for (double shift = 0; shift < 1.1 * most_shift; shift = shift > 0 ? 10 * shift : least_shift) {
    Kokkos::deep_copy(exec, sweeps.negative, 0);
    for_each_row(exec, "Tessera::Multigrid::dense", rows, 32, 0,
                 FillDense<ExecutionSpace>{matrix, test, test_product, null_space, shift, a});
    Kokkos::parallel_for("Tessera::Multigrid::dense_inverse", sweeps.policy(exec), sweeps);
    Kokkos::deep_copy(exec, negative, sweeps.negative);
    exec.fence("Tessera::Multigrid::dense_inverse");
    if (negative == 0) return shift;
  }
  throw SolverError("Multigrid: the matrix is not positive definite: its coarsest level has " +
                    std::to_string(negative) + " negative pivots, which no rounding explains");
}

} // namespace tessera::solvers::multigrid
