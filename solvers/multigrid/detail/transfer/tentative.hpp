// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The tentative prolongator: the near-null space cut into aggregates and made orthonormal there (P. Vaněk,
/// J. Mandel and M. Brezina, "Algebraic multigrid by smoothed aggregation", Computing 56, 1996, section 4).

#include <tessera/solvers/multigrid/detail/aggregation/aggregates.hpp>
#include <tessera/solvers/multigrid/detail/sparse.hpp>
#include <tessera/solvers/multigrid/detail/tuning.hpp>
#include <tessera/solvers/sparse/detail/rows.hpp>

#include <Kokkos_Core.hpp>

namespace tessera::solvers::multigrid::detail {

/// A thread's lanes orthonormalise an aggregate's rows of the near-null space by Gram–Schmidt, twice for
/// accuracy. Modes that depend on others there become zero, and so do their rows of the coarse space.
template <class ExecutionSpace>
struct Orthonormalise {
  using Member = TeamMember<ExecutionSpace>;

  Aggregates<ExecutionSpace> aggregates;
  Modes<ExecutionSpace> modes;  // row × mode; orthonormal on return
  Modes<ExecutionSpace> coarse; // aggregate · modes + mode × mode
  int count, rows_per_node;

  /// Calls visit(row) for an aggregate's rows, shared by the lanes.
  template <class Visit>
  KOKKOS_FUNCTION void each_row(const Member& team, Ordinal aggregate, const Visit& visit) const {
    const Ordinal begin = aggregates.begin(aggregate);
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, aggregates.size(aggregate)), [&](Ordinal k) {
      for (int r = 0; r < rows_per_node; ++r) visit(aggregates.node(begin + k) * rows_per_node + r);
    });
  }

  KOKKOS_FUNCTION double dot(const Member& team, Ordinal aggregate, int left, int right) const {
    const Ordinal begin = aggregates.begin(aggregate);
    double sum = 0;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, aggregates.size(aggregate)),
        [&](Ordinal k, double& partial) {
          for (int r = 0; r < rows_per_node; ++r) {
            const Ordinal row = aggregates.node(begin + k) * rows_per_node + r;
            partial += modes(row, left) * modes(row, right);
          }
        },
        sum);
    return sum;
  }

  /// Sets a coefficient, or adds to it, by one lane.
  KOKKOS_FUNCTION void store(const Member& team, Ordinal row, int column, bool add, double value) const {
    Kokkos::single(Kokkos::PerThread(team),
                   [&]() { coarse(row, column) = add ? coarse(row, column) + value : value; });
  }

  KOKKOS_FUNCTION void operator()(const Member& team, Ordinal aggregate, int) const {
    const Ordinal first = aggregate * count;
    for (int m = 0; m < count; ++m) {
      for (int p = 0; p < count; ++p) store(team, first + p, m, false, 0);
      const double before = Kokkos::sqrt(dot(team, aggregate, m, m));
      for (int pass = 0; pass < 2; ++pass)
        for (int p = 0; p < m; ++p) {
          const double share = dot(team, aggregate, p, m);
          each_row(team, aggregate, [&](Ordinal row) { modes(row, m) -= share * modes(row, p); });
          store(team, first + p, m, true, share);
        }
      const double after = m == 0 ? before : Kokkos::sqrt(dot(team, aggregate, m, m));
      const bool kept = after > tuning::dependent_mode * before;
      const double factor = kept ? 1 / after : 0;
      each_row(team, aggregate, [&](Ordinal row) { modes(row, m) *= factor; });
      store(team, first + m, m, false, kept ? after : 0);
    }
  }
};

/// Makes the modes orthonormal on each aggregate: they are the tentative prolongator's values then.
/// \return the near-null space of the next level
template <class ExecutionSpace>
Modes<ExecutionSpace> orthonormalise(const Workspace<ExecutionSpace>& work,
                                     const Aggregates<ExecutionSpace>& aggregates,
                                     const Modes<ExecutionSpace>& modes, int rows_per_node) {
  const auto count = static_cast<int>(modes.extent(1));
  const auto coarse = make_temporary<Modes<ExecutionSpace>>(work, "modes", aggregates.count * count, count);
  for_each_row(work.exec, "Tessera::Multigrid::orthonormalise", aggregates.count,
               lanes_for(aggregates.nodes, aggregates.count), 0,
               Orthonormalise<ExecutionSpace>{aggregates, modes, coarse, count, rows_per_node});
  return coarse;
}

} // namespace tessera::solvers::multigrid::detail
