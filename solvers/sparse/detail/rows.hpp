// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Loops over rows whose work is shared by the lanes of a thread.

#include <tessera/solvers/sparse/detail/tuning.hpp>
#include <tessera/solvers/sparse/detail/types.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <string>
#include <type_traits>

namespace tessera::solvers::sparse::detail {

template <class ExecutionSpace>
using TeamMember = typename Kokkos::TeamPolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>::member_type;

template <class Scalar, class ExecutionSpace>
using Scratch = Kokkos::View<Scalar*, typename ExecutionSpace::scratch_memory_space, Kokkos::MemoryUnmanaged>;

/// Level 0 or 1 of scratch memory: a device's compiler has to know it to read fast memory as such.
template <int Value>
using ScratchLevel = std::integral_constant<int, Value>;

/// Calls body(team, row, level) for consecutive rows, each by one thread of the team.
template <class ExecutionSpace, class Body, class Level = ScratchLevel<0>>
struct RowLoop {
  Body body;
  Ordinal rows, rows_per_team;

  KOKKOS_FUNCTION void operator()(const TeamMember<ExecutionSpace>& team) const {
    const Ordinal begin = team.league_rank() * rows_per_team;
    const Ordinal count = Kokkos::min(rows_per_team, rows - begin);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, count),
                         [&](const Ordinal k) { body(team, begin + k, Level()); });
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
template <class ExecutionSpace, class Body, class Level = ScratchLevel<0>>
struct RowLaunch {
  Kokkos::TeamPolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>> policy;
  RowLoop<ExecutionSpace, Body, Level> functor;
};

/// Threads of a team, and where the scratch of so many bytes is that each has: in fast memory, or where that
/// is too small in the device's memory.
struct RowTeams {
  int threads, level;
};

template <class ExecutionSpace>
RowTeams row_teams(int lanes, std::size_t bytes) {
  using Policy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>;
  int threads = runs_on_host<ExecutionSpace> ? 1 : std::max(1, tuning::row_team / lanes);
  const auto most = static_cast<std::size_t>(Policy::scratch_size_max(0));
  while (threads > 1 && threads * bytes > most / 4) threads /= 2;
  return {.threads = threads, .level = threads * bytes > most / 2 ? 1 : 0};
}

/// `body` (a functor) over one row or more, `lanes` lanes for each on devices.
template <class Level = ScratchLevel<0>, class ExecutionSpace, class Body>
RowLaunch<ExecutionSpace, Body, Level> row_loop(const ExecutionSpace& exec, Ordinal rows, int lanes,
                                                std::size_t bytes, const Body& body) {
  using Policy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>;
  constexpr bool host = runs_on_host<ExecutionSpace>;
  const int threads = row_teams<ExecutionSpace>(lanes, bytes).threads;
  const Ordinal rows_per_team =
      host && bytes == 0 ? tuning::host_rows : threads; // scratch is handed out once a thread
  Policy policy(exec, (rows - 1) / rows_per_team + 1, threads, host ? 1 : lanes);
  if (bytes > 0) policy.set_scratch_size(Level::value, Kokkos::PerThread(static_cast<int>(bytes)));
  return {policy, {body, rows, rows_per_team}};
}

/// Runs `body` over rows, see `row_loop`. Those with scratch have scratch_bytes().
template <class ExecutionSpace, class Body>
void for_each_row(const ExecutionSpace& exec, const std::string& label, Ordinal rows, int lanes,
                  std::size_t bytes, const Body& body) {
  if (rows == 0) return;
  if constexpr (requires { body.scratch_bytes(); })
    if (row_teams<ExecutionSpace>(lanes, bytes).level == 1) {
      const auto loop = row_loop<ScratchLevel<1>>(exec, rows, lanes, bytes, body);
      return Kokkos::parallel_for(label, loop.policy, loop.functor);
    }
  const auto loop = row_loop(exec, rows, lanes, bytes, body);
  Kokkos::parallel_for(label, loop.policy, loop.functor);
}

/// Calls body(team, level).
template <class ExecutionSpace, class Body, class Level>
struct TeamLoop {
  Body body;

  KOKKOS_FUNCTION void operator()(const TeamMember<ExecutionSpace>& team) const { body(team, Level()); }
};

/// Runs `body` by teams of so many threads of so many lanes. Each team has scratch of body.scratch_bytes():
/// in fast memory, or where that is too small in the device's memory.
///
/// \tparam Properties  of the policy.
template <class... Properties, class ExecutionSpace, class Body>
void for_each_team(const ExecutionSpace& exec, const std::string& label, Ordinal teams, int threads,
                   int lanes, const Body& body) {
  using Policy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>, Properties...>;
  if (teams == 0) return;
  const std::size_t bytes = body.scratch_bytes();
  const auto launch = [&](auto level) {
    Policy policy(exec, teams, threads, lanes);
    policy.set_scratch_size(level, Kokkos::PerTeam(static_cast<int>(bytes)));
    Kokkos::parallel_for(label, policy, TeamLoop<ExecutionSpace, Body, decltype(level)>{body});
  };
  if (bytes > static_cast<std::size_t>(Policy::scratch_size_max(0)))
    launch(ScratchLevel<1>());
  else
    launch(ScratchLevel<0>());
}

/// Lanes that rows with so many items on average keep busy.
inline int lanes_for(Offset items, Ordinal rows) {
  int lanes = 1;
  while (lanes < 32 && static_cast<Offset>(2 * lanes) * static_cast<Offset>(rows) < items) lanes *= 2;
  return lanes;
}

} // namespace tessera::solvers::sparse::detail
