// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Offsets from lengths.

#include <tessera/core/execution_spaces.hpp>
#include <tessera/core/types.hpp>

#include <Kokkos_Core.hpp>

namespace tessera::detail {

/// Sums and maxima of lengths of so many kinds.
template <int Kinds>
struct LengthSums {
  Kokkos::Array<Offset, Kinds> sum{}, longest{};

  KOKKOS_FUNCTION LengthSums& operator+=(const LengthSums& other) {
    for (int n = 0; n < Kinds; ++n) {
      sum[n] += other.sum[n];
      longest[n] = Kokkos::max(longest[n], other.longest[n]);
    }
    return *this;
  }
};

/// Scans by teams, chunk by chunk: neighbouring threads read and write neighbouring items, and add up some
/// that follow each other in fast memory.
///
/// `Lists` has `kinds`, lengths(item), an array of so many lengths or `LengthSums` of them, and
/// store(item, sums), which takes the sums of all lengths up to the item's and may overwrite these.
template <class ExecutionSpace, class Lists>
struct ScanByTeams {
  using Policy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>;
  using Member = typename Policy::member_type;
  using Sums = LengthSums<Lists::kinds>;
  using Staged =
      Kokkos::View<Offset*, typename ExecutionSpace::scratch_memory_space, Kokkos::MemoryUnmanaged>;

  static constexpr int threads = runs_on_host<ExecutionSpace> ? 1 : 256;
  static constexpr int each = Lists::kinds == 1 ? 8 : 4; // items of a thread
  static constexpr Ordinal chunk = threads * each;

  Lists lists;
  Ordinal items;
  Kokkos::View<const Sums*, ExecutionSpace> before; // chunk: sums up to its end; empty: one team takes all
  Kokkos::View<Sums, ExecutionSpace> total;         // written by a team that takes all

  static Ordinal chunks(Ordinal items) { return (items - 1) / chunk + 1; }
  Policy policy(const ExecutionSpace& exec) const {
    return Policy(exec, before.extent(0) > 0 ? chunks(items) : 1, threads)
        .set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(Staged::shmem_size(place(chunk)))));
  }

  /// Of an item of a chunk in fast memory, whose banks threads would meet in without gaps.
  KOKKOS_FUNCTION static Ordinal place(Ordinal item) { return item + item / each; }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const Staged staged(team.team_scratch(0), place(chunk));
    const Ordinal own = team.league_rank();
    Sums sums;
    if (before.extent(0) > 0) {
      if (own > 0) sums.sum = before(own - 1).sum;
      scan(team, staged, own * chunk, sums);
      return;
    }
    for (Ordinal begin = 0; begin < items; begin += chunk) scan(team, staged, begin, sums);
    for (int n = 0; n < Lists::kinds; ++n)
      Kokkos::parallel_reduce(
          Kokkos::TeamThreadRange(team, threads),
          [&](int, Offset& longest) { longest = Kokkos::max(longest, sums.longest[n]); },
          Kokkos::Max<Offset>(sums.longest[n]));
    Kokkos::single(Kokkos::PerTeam(team), [&]() { total() = sums; });
  }

  /// A chunk from `begin` on. Adds its sums, the same for all threads, and what is longest of a thread's.
  KOKKOS_FUNCTION void scan(const Member& team, const Staged& staged, Ordinal begin, Sums& sums) const {
    const int thread = team.team_rank();
    const auto item = [&](int k) { return begin + k * threads + thread; };
    Kokkos::Array<Offset, Lists::kinds> own[each] = {};
    for (int k = 0; k < each; ++k) {
      if (item(k) >= items) continue;
      const Sums lengths = lists.lengths(item(k));
      own[k] = lengths.sum;
      for (int n = 0; n < Lists::kinds; ++n)
        sums.longest[n] = Kokkos::max(sums.longest[n], lengths.longest[n]);
    }
    for (int n = 0; n < Lists::kinds; ++n) {
      for (int k = 0; k < each; ++k) staged(place(k * threads + thread)) = own[k][n];
      team.team_barrier();
      Offset sum = 0;
      for (int k = 0; k < each; ++k) sum += staged(place(thread * each + k));
      Offset through = sums.sum[n] + team.team_scan(sum);
      for (int k = 0; k < each; ++k) {
        Offset& length = staged(place(thread * each + k));
        length = through += length;
      }
      team.team_barrier();
      for (int k = 0; k < each; ++k) own[k][n] = staged(place(k * threads + thread));
      sums.sum[n] = staged(place(chunk - 1));
      team.team_barrier();
    }
    for (int k = 0; k < each; ++k)
      if (item(k) < items) lists.store(item(k), own[k]);
  }
};

/// The sums of chunks, to be scanned themselves.
template <class ExecutionSpace, class Lists>
struct ChunkSums {
  using Scan = ScanByTeams<ExecutionSpace, Lists>;
  static constexpr int kinds = Lists::kinds;

  Lists lists;
  Ordinal items;
  Kokkos::View<LengthSums<kinds>*, ExecutionSpace> sums;

  typename Scan::Policy policy(const ExecutionSpace& exec) const {
    return {exec, Scan::chunks(items), Scan::threads};
  }
  KOKKOS_FUNCTION void operator()(const typename Scan::Member& team) const {
    const Ordinal own = team.league_rank(), begin = own * Scan::chunk;
    LengthSums<kinds> sum;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, begin, Kokkos::min(begin + Scan::chunk, items)),
        [&](Ordinal item, LengthSums<kinds>& part) { part += lists.lengths(item); }, sum);
    Kokkos::single(Kokkos::PerTeam(team), [&]() { sums(own) = sum; });
  }
  KOKKOS_FUNCTION LengthSums<kinds> lengths(Ordinal own) const { return sums(own); }
  KOKKOS_FUNCTION void store(Ordinal own, const Kokkos::Array<Offset, kinds>& through) const {
    sums(own).sum = through;
  }
};

/// The same by Kokkos, on hosts.
template <class Lists>
struct ScanByRanges {
  using Sums = LengthSums<Lists::kinds>;
  Lists lists;

  KOKKOS_FUNCTION void operator()(Ordinal item, Sums& before, bool final) const {
    before += lists.lengths(item);
    if (final) lists.store(item, before.sum);
  }
};

/// Entries that `scan_lengths` needs room for.
template <bool Teams, class ExecutionSpace, class Lists>
Ordinal scan_capacity(Ordinal items) {
  return Teams ? ScanByTeams<ExecutionSpace, Lists>::chunks(items) + 1 : 1;
}

/// Calls lists.store(item, sums) for one item or more, see `ScanByTeams`.
///
/// \tparam Teams  whether by teams, as devices want it.
/// \param sums    `scan_capacity` entries; on return the last has the sums of all lengths, and the longest.
template <bool Teams, class ExecutionSpace, class Lists>
void scan_lengths(const ExecutionSpace& exec, const char* label, const Lists& lists, Ordinal items,
                  const Kokkos::View<LengthSums<Lists::kinds>*, ExecutionSpace>& sums) {
  using Sums = LengthSums<Lists::kinds>;
  const Ordinal chunks = sums.extent_int(0) - 1;
  const Kokkos::View<Sums, ExecutionSpace> total(sums.data() + chunks);
  if constexpr (!Teams) {
    Sums found;
    Kokkos::parallel_scan(label,
                          Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>(exec, 0, items),
                          ScanByRanges<Lists>{lists}, found);
    total() = found;
  } else {
    const auto scan = [&](const auto& functor) {
      Kokkos::parallel_for(label, functor.policy(exec), functor);
    };
    constexpr Ordinal few = 4; // chunks, better taken by one team in one launch
    if (chunks <= few) return scan(ScanByTeams<ExecutionSpace, Lists>{lists, items, {}, total});
    using Chunks = ChunkSums<ExecutionSpace, Lists>;
    const Chunks of_chunks{lists, items, sums};
    Kokkos::parallel_for(label, of_chunks.policy(exec), of_chunks);
    scan(ScanByTeams<ExecutionSpace, Chunks>{of_chunks, chunks, {}, total});
    scan(ScanByTeams<ExecutionSpace, Lists>{lists, items, sums, total});
  }
}

} // namespace tessera::detail
