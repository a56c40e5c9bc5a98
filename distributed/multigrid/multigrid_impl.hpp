// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Definitions of `distributed::Multigrid`, compiled once for each execution space in multigrid.cpp.

#include <tessera/core/error.hpp>
#include <tessera/distributed/agree.hpp>
#include <tessera/distributed/multigrid/detail/level_hierarchy.hpp>
#include <tessera/distributed/multigrid/multigrid.hpp>
#include <tessera/solvers/detail/crs.hpp>
#include <tessera/solvers/multigrid/multigrid.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <cstddef>
#include <optional>
#include <string>

namespace tessera::distributed {

namespace detail {

/// What copies of a `Multigrid` share.
template <class ExecutionSpace>
struct MultigridState {
  explicit MultigridState(const RankRows<ExecutionSpace>& of_rank) : rows(of_rank) {}

  RankRows<ExecutionSpace> rows;
  std::optional<solvers::Multigrid<ExecutionSpace>> alone; ///< on one rank
  std::optional<LevelHierarchy<ExecutionSpace>> levels;    ///< on several
  MultigridReport report;

  void describe() {
    if (levels)
      report = levels->report();
    else
      report = {{rows.owned}, alone->report()};
  }
};

} // namespace detail

template <class ExecutionSpace>
Multigrid<ExecutionSpace>::Multigrid(const ExecutionSpace& exec, const detail::RankRows<ExecutionSpace>& rows,
                                     const MultigridOptions& options)
    : state_(std::make_shared<detail::MultigridState<ExecutionSpace>>(rows)) {
  const Kokkos::Profiling::ScopedRegion region("Tessera::distributed::Multigrid::setup");
  agree(rows.import.ranks(), [&] {
    if (options.gathered_rows && *options.gathered_rows < 1)
      throw ArgumentError("Multigrid: gathered_rows must be at least 1, got " +
                          std::to_string(*options.gathered_rows));
  });
  if (rows.import.ranks().size() > 1)
    state_->levels.emplace(exec, rows, options);
  else
    agree(rows.import.ranks(), [&] {
      state_->alone.emplace(exec, rows.system.graph().row_map, rows.system.graph().columns,
                            rows.system.values(), detail::owned_nodes_of(exec, rows), options.levels);
    });
  state_->describe();
}

template <class ExecutionSpace>
void Multigrid<ExecutionSpace>::refresh(const ExecutionSpace& exec) const {
  const Kokkos::Profiling::ScopedRegion region("Tessera::distributed::Multigrid::refresh");
  if (state_->levels)
    state_->levels->refresh(exec);
  else
    agree(state_->rows.import.ranks(), [&] { state_->alone->refresh(exec, state_->rows.system); });
  state_->describe();
}

template <class ExecutionSpace>
void Multigrid<ExecutionSpace>::apply(const ExecutionSpace& exec, const ConstVector& x,
                                      const Vector& y) const {
  const Kokkos::Profiling::ScopedRegion region("Tessera::distributed::Multigrid::apply");
  solvers::detail::check_vectors("Multigrid", rows(), x.extent(0), y.extent(0));
  if (state_->levels)
    state_->levels->apply(exec, x, y);
  else
    state_->alone->apply(exec, x, y);
}

template <class ExecutionSpace>
std::size_t Multigrid<ExecutionSpace>::rows() const {
  return to_size(state_->rows.owned);
}

template <class ExecutionSpace>
const MultigridReport& Multigrid<ExecutionSpace>::report() const {
  return state_->report;
}

} // namespace tessera::distributed
