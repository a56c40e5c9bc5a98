#pragma once

/// \file
/// The coarsest level: a dense inverse.

#include <tessera/core/error.hpp>
#include <tessera/solvers/multigrid/detail/types.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <string>

namespace tessera::solvers::multigrid {

/// Inverts a symmetric matrix in place by sweeps (J. H. Goodnight, "A tutorial on the SWEEP operator", Amer.
/// Statistician 33, 1979), one team for all. Pivots that are zero up to rounding are left out, which gives a
/// generalised inverse; negative ones are counted.
template <class ExecutionSpace>
struct SweepInverse {
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
  using Member = typename Policy::member_type;
  using Scratch =
      Kokkos::View<double*, typename ExecutionSpace::scratch_memory_space, Kokkos::MemoryUnmanaged>;

  Kokkos::View<double**, Kokkos::LayoutRight, ExecutionSpace> a;
  Floats<ExecutionSpace> inverse; // row · rows + column
  Kokkos::View<int, ExecutionSpace> negative;
  double zero;
  Ordinal rows;

  static constexpr int at_once = runs_on_host<ExecutionSpace> ? 1 : 8; // entries on their way to a thread

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const Scratch column(team.team_scratch(0), rows), kept(team.team_scratch(0), rows);
    const Ordinal entries = rows * rows;
    for (Ordinal k = 0; k < rows; ++k) {
      const double pivot = a(k, k);
      const bool sweep = pivot > zero;
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, rows), [&](Ordinal i) {
        column(i) = a(i, k);
        if (i == k) {
          kept(k) = sweep ? 1 : 0;
          if (pivot < -zero) ++negative();
        }
      });
      team.team_barrier();
      if (!sweep) continue;
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, team.team_size()), [&](int thread) {
        for (Ordinal entry = thread; entry < entries; entry += at_once * team.team_size())
          sweep_entries(entry, team.team_size(), k, pivot, column.data());
      });
      team.team_barrier();
    }
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, entries), [&](Ordinal entry) {
      const Ordinal i = entry / rows, j = entry % rows;
      inverse(entry) = kept(i) * kept(j) > 0 ? static_cast<float>(-(a(i, j) + a(j, i)) / 2) : 0.0f;
    });
  }

  /// Some entries of a thread, `step` apart: all are read before one is written.
  KOKKOS_FUNCTION void sweep_entries(Ordinal first, Ordinal step, Ordinal k, double pivot,
                                     const double* column) const {
    double* const values = a.data();
    const Ordinal entries = rows * rows;
    double value[at_once];
    for (int n = 0; n < at_once; ++n) value[n] = values[Kokkos::min(first + n * step, entries - 1)];
    const double reciprocal = 1 / pivot;
    for (int n = 0; n < at_once; ++n) {
      const Ordinal entry = first + n * step, i = entry / rows, j = entry % rows;
      if (entry >= entries) break;
      if (i != k && j != k)
        values[entry] = value[n] - column[i] * column[j] * reciprocal;
      else
        values[entry] = i == j ? -reciprocal : column[i == k ? j : i] * reciprocal;
    }
  }
};

/// The inverse of a small matrix with a unit diagonal, made such that the product with the test vector is the
/// given one. Rounding to single precision may leave a matrix indefinite whose least eigenvalues are small,
/// that of a thin solid for one: then its diagonal is raised, tenfold from 1e-6 on, until no pivot is
/// negative.
///
/// \param null_space  orthonormal modes that the matrix maps to zero; they are mapped to themselves instead.
/// \param shift       what was added on return.
/// \throws SolverError if a pivot is negative still with 0.1 added, which is no rounding
template <class ExecutionSpace>
Floats<ExecutionSpace> dense_inverse(const ExecutionSpace& exec, const Matrix<ExecutionSpace>& matrix,
                                     const Floats<ExecutionSpace>& test,
                                     const Floats<ExecutionSpace>& test_product,
                                     const Modes<ExecutionSpace>& null_space, double& shift) {
  constexpr double least_shift = 1e-6, most_shift = 0.11;
  const Ordinal rows = matrix.rows();
  const auto a = allocate<Kokkos::View<double**, Kokkos::LayoutRight, ExecutionSpace>>(
      exec, "Tessera::Multigrid::dense", rows, rows);
  const bool exact = test.extent(0) > 0;
  const auto modes = static_cast<int>(null_space.extent(1));
  using Functor = SweepInverse<ExecutionSpace>;
  using Policy = typename Functor::Policy;
  const Functor functor{a, make<Floats<ExecutionSpace>>(exec, "inverse", rows * rows),
                        Kokkos::View<int, ExecutionSpace>(
                            Kokkos::view_alloc(exec, std::string("Tessera::Multigrid::negative"))),
                        exact ? 1e-12 : 1e-6, rows};
  const auto policy = [&](int threads) {
    return Policy(exec, 1, threads)
        .set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(2 * Functor::Scratch::shmem_size(rows))));
  };
  const int threads = runs_on_host<ExecutionSpace>
                          ? 1
                          : std::min(1024, policy(1).team_size_max(functor, Kokkos::ParallelForTag()));
  int negative = 0;
  for (shift = 0; shift < most_shift; shift = shift > 0 ? 10 * shift : least_shift) {
    const double added = shift;
    Kokkos::deep_copy(exec, a, 0.0);
    Kokkos::deep_copy(exec, functor.negative, 0);
    Kokkos::parallel_for(
        "Tessera::Multigrid::dense", Range<ExecutionSpace>(exec, 0, rows), KOKKOS_LAMBDA(const Ordinal row) {
          double sum = 0;
          matrix.each_entry(row, [&](Ordinal column, float value) {
            a(row, column) = value;
            if (exact && column != row) sum += static_cast<double>(value) * test(column);
          });
          if (exact && test(row) > 0) a(row, row) = (test_product(row) - sum) / test(row);
          a(row, row) += added;
          for (int m = 0; m < modes; ++m)
            for (Ordinal column = 0; column < rows; ++column)
              a(row, column) += null_space(row, m) * null_space(column, m);
        });
    Kokkos::parallel_for("Tessera::Multigrid::dense_inverse", policy(threads), functor);
    Kokkos::deep_copy(exec, negative, functor.negative);
    exec.fence("Tessera::Multigrid::dense_inverse");
    if (negative == 0) return functor.inverse;
  }
  throw SolverError("Multigrid: the matrix is not positive definite: its coarsest level has " +
                    std::to_string(negative) + " negative pivots, which no rounding explains");
}

} // namespace tessera::solvers::multigrid
