#pragma once

/// \file
/// Loops over rows whose work is shared by the lanes of a thread.

#include <tessera/solvers/multigrid/detail/types.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>

namespace tessera::solvers::multigrid {

template <class ExecutionSpace>
using TeamMember = typename Kokkos::TeamPolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>::member_type;

template <class Scalar, class ExecutionSpace>
using Scratch = Kokkos::View<Scalar*, typename ExecutionSpace::scratch_memory_space, Kokkos::MemoryUnmanaged>;

/// Calls body(team, row, scratch_level) for consecutive rows, each by one thread of the team.
template <class ExecutionSpace, class Body>
struct RowLoop {
  Body body;
  Ordinal rows, rows_per_team;
  int scratch_level;

  KOKKOS_FUNCTION void operator()(const TeamMember<ExecutionSpace>& team) const {
    const Ordinal begin = team.league_rank() * rows_per_team;
    const Ordinal count = Kokkos::min(rows_per_team, rows - begin);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, count),
                         [&](const Ordinal k) { body(team, begin + k, scratch_level); });
  }
};

/// Teams of so many lanes and threads that share some groups of rows in a reduction: on devices as many as
/// run at once, for the last team adds up what all have found.
template <class ExecutionSpace>
Ordinal teams_for(const ExecutionSpace& exec, Ordinal groups, int lanes_and_threads) {
  if constexpr (runs_on_host<ExecutionSpace>) return groups;
  return std::min<Ordinal>(groups, exec.concurrency() / lanes_and_threads);
}

/// A loop and how it is spread.
template <class ExecutionSpace, class Body>
struct RowLaunch {
  Kokkos::TeamPolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>> policy;
  RowLoop<ExecutionSpace, Body> functor;
};

/// `body` (a functor) over one row or more, `lanes` lanes for each on devices. Each thread has scratch of so
/// many bytes: in fast memory, or where that is too small in the device's memory.
template <class ExecutionSpace, class Body>
RowLaunch<ExecutionSpace, Body> row_loop(const ExecutionSpace& exec, Ordinal rows, int lanes,
                                         std::size_t bytes, const Body& body) {
  using Policy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>;
  constexpr int block = 128; // lanes and threads of a team
  constexpr bool host = runs_on_host<ExecutionSpace>;
  int threads = host ? 1 : std::max(1, block / lanes);
  const auto most = static_cast<std::size_t>(Policy::scratch_size_max(0));
  while (threads > 1 && threads * bytes > most / 4) threads /= 2;
  const Ordinal rows_per_team = host && bytes == 0 ? 64 : threads; // scratch is handed out once a thread
  const int level = threads * bytes > most / 2 ? 1 : 0;
  Policy policy(exec, (rows - 1) / rows_per_team + 1, threads, host ? 1 : lanes);
  if (bytes > 0) policy.set_scratch_size(level, Kokkos::PerThread(static_cast<int>(bytes)));
  return {policy, {body, rows, rows_per_team, level}};
}

/// Runs `body` over rows, see `row_loop`.
template <class ExecutionSpace, class Body>
void for_each_row(const ExecutionSpace& exec, const char* label, Ordinal rows, int lanes, std::size_t bytes,
                  const Body& body) {
  if (rows == 0) return;
  const auto loop = row_loop(exec, rows, lanes, bytes, body);
  Kokkos::parallel_for(label, loop.policy, loop.functor);
}

/// Lanes that rows with so many items on average keep busy.
inline int lanes_for(Offset items, Ordinal rows) {
  int lanes = 1;
  while (lanes < 32 && static_cast<Offset>(2 * lanes) * rows < items) lanes *= 2;
  return lanes;
}

} // namespace tessera::solvers::multigrid
