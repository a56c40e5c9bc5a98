// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Teams and their scratch memory, sized from the device at run time.

#include <tessera/core/error.hpp>
#include <tessera/core/execution_spaces.hpp>
#include <tessera/core/types.hpp>
#include <tessera/strategies/cuda/by_value.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <string>

namespace tessera {

/// Bytes of scratch that a team can have at level 0.
template <class ExecutionSpace>
std::size_t scratch_limit() {
  return static_cast<std::size_t>(Kokkos::TeamPolicy<ExecutionSpace>::scratch_size_max(0));
}

/// The scratch that a plan may use: what the user allows, else all of it on the host, and on devices half of
/// it, so that two teams share a multiprocessor, unless `least` bytes are not in half.
/// \param limit what a team can have
/// \throws ArgumentError for a negative wish; UnsupportedError if the device has less than the user allows
template <class ExecutionSpace>
std::size_t scratch_budget(const std::string& who, long wanted, std::size_t least = 0,
                           std::size_t limit = scratch_limit<ExecutionSpace>()) {
  if (wanted < 0)
    throw ArgumentError(who + ": scratch_bytes must be positive, or 0 for the device's, got " +
                        std::to_string(wanted));
  if (static_cast<std::size_t>(wanted) > limit)
    throw UnsupportedError(who + ": " + std::to_string(wanted) + " bytes of scratch wanted, a team on " +
                           ExecutionSpace::name() + " has at most " + std::to_string(limit));
  if (wanted > 0) return static_cast<std::size_t>(wanted);
  return runs_on_host<ExecutionSpace> || limit / 2 < least ? limit : limit / 2;
}

/// Threads of a team: what the user wants, else one on the host and four warps' worth on devices.
/// \throws ArgumentError for a negative wish
template <class ExecutionSpace>
int team_threads(const std::string& who, int wanted) {
  if (wanted < 0)
    throw ArgumentError(who + ": team_size must be positive, or 0 for the device's, got " +
                        std::to_string(wanted));
  return wanted > 0 ? wanted : runs_on_host<ExecutionSpace> ? 1 : 128;
}

/// A policy of `league` teams of at most `threads` threads, as many as the functor's registers allow, with
/// `scratch` bytes each; arguments travel with the launch (see `by_value`).
/// \throws UnsupportedError with the bytes if a team cannot have the scratch
template <class Functor, class ExecutionSpace>
auto team_policy(const ExecutionSpace& exec, const std::string& who, const Functor& functor, Ordinal league,
                 int threads, std::size_t scratch) {
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
  const std::size_t limit = scratch_limit<ExecutionSpace>();
  if (scratch > limit)
    throw UnsupportedError(who + ": a team needs " + std::to_string(scratch) + " bytes of scratch, on " +
                           ExecutionSpace::name() + " it has at most " + std::to_string(limit));
  auto probe = by_value<Functor>(Policy(exec, 1, 1));
  probe.set_scratch_size(0, Kokkos::PerTeam(scratch));
  const int most = probe.team_size_max(functor, Kokkos::ParallelForTag());
  auto policy = by_value<Functor>(Policy(exec, league, std::max(1, std::min(threads, most))));
  policy.set_scratch_size(0, Kokkos::PerTeam(scratch));
  return policy;
}

/// Coordinates of a block's nodes in scratch, each axis apart, so that threads meet different banks.
template <class Element, class ExecutionSpace>
using NodeScratch = Kokkos::View<double * [Element::dimension], Kokkos::LayoutLeft,
                                 typename ExecutionSpace::scratch_memory_space, Kokkos::MemoryUnmanaged>;

/// A barrier of `warp_lanes` threads of a team in a row, of which all call it: a warp's on CUDA, elsewhere
/// the team's.
template <class Member>
KOKKOS_FORCEINLINE_FUNCTION void warp_barrier([[maybe_unused]] const Member& team) {
#ifdef __CUDA_ARCH__
  __syncwarp();
#else
  team.team_barrier();
#endif
}

} // namespace tessera
