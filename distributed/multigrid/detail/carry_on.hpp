// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A level that a rank carries on.

#include <tessera/core/types.hpp>
#include <tessera/distributed/multigrid/detail/couplings.hpp>
#include <tessera/solvers/multigrid/detail/level.hpp>
#include <tessera/solvers/sparse/detail/slices.hpp>

#include <Kokkos_Core.hpp>

#include <utility>
#include <vector>

namespace tessera::distributed::detail {

/// A level that goes on as it is: its rows are few, and other ranks still have many.
template <class ExecutionSpace>
void carry_on(const ExecutionSpace& exec, std::vector<amg::Level<ExecutionSpace>>& levels) {
  const sparse::Workspace<ExecutionSpace> work(exec, "Multigrid");
  amg::Level<ExecutionSpace>& fine = levels.back();
  const Ordinal rows = fine.rows();
  sparse::Matrix<ExecutionSpace> identity;
  identity.graph.row_map = make_kept<sparse::Offsets<ExecutionSpace>>(work, "identity", rows + 1);
  identity.graph.columns = make_kept<sparse::Ordinals<ExecutionSpace>>(work, "identity", rows);
  identity.values = make_kept<sparse::Floats<ExecutionSpace>>(work, "identity", rows);
  const auto [graph, values] = std::make_pair(identity.graph, identity.values);
  Kokkos::parallel_for(
      "Tessera::Multigrid::identity", sparse::Range<ExecutionSpace>(exec, 0, rows + 1),
      KOKKOS_LAMBDA(const Ordinal row) {
        graph.row_map(row) = row;
        if (row == rows) return;
        graph.columns(row) = row;
        values(row) = 1;
      });
  fine.prolongator = fine.restrictor = identity;
  if constexpr (runs_on_host<ExecutionSpace>) {
    fine.sliced_prolongator = sliced_pattern(work, identity);
    sliced_values(exec, identity, fine.sliced_prolongator);
  }
  amg::Level<ExecutionSpace> next = fine;
  next.r = make_kept<sparse::Floats<ExecutionSpace>>(work, "r", rows);
  next.x = make_kept<sparse::Floats<ExecutionSpace>>(work, "x", rows);
  next.t = make_kept<sparse::Floats<ExecutionSpace>>(work, "t", rows);
  levels.push_back(next);
}

} // namespace tessera::distributed::detail
