// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// How kernels of one rank tell kernels of another that they have written.

#include <tessera/core/execution_spaces.hpp>
#include <tessera/core/types.hpp>
#include <tessera/distributed/agree.hpp>
#include <tessera/distributed/communicator.hpp>
#include <tessera/distributed/detail/list_on.hpp>
#include <tessera/distributed/peers/detail/peer_memory.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <desul/atomics.hpp>
#include <thread>
#include <vector>

namespace tessera::distributed::detail {

/// A rank's number that another raises, one call after the other. It lies in memory that several processes
/// have, so that each read and each write has to be done: they are volatile, and fences of the whole host
/// order what stands around them.
struct PeerSignal {
  volatile std::uint64_t* number;

  /// After what the caller, and the kernels before its own, have written.
  KOKKOS_FUNCTION void raise(std::uint64_t to) const {
    desul::atomic_thread_fence(desul::MemoryOrderRelease(), desul::MemoryScopeNode());
    *number = to;
  }
  /// What was written before is seen by the caller then, and by the kernels after its own.
  KOKKOS_FUNCTION void wait_for(std::uint64_t wanted) const {
    while (*number < wanted) {
      KOKKOS_IF_ON_HOST((std::this_thread::yield();)) // ranks may share a core
    }
    desul::atomic_thread_fence(desul::MemoryOrderAcquire(), desul::MemoryScopeNode());
  }
};

/// The signals of one call, for kernels.
template <class ExecutionSpace>
struct PeerCall {
  Kokkos::View<const PeerSignal*, ExecutionSpace> there, here; ///< neighbor: those to it, and those from it
  Kokkos::View<int, ExecutionSpace> finished;                  ///< teams of the present kernel; zero between
  std::uint64_t number;

  KOKKOS_FUNCTION void send() const {
    for (std::size_t n = 0; n < there.extent(0); ++n) there(n).raise(number);
  }
  KOKKOS_FUNCTION void wait() const {
    for (std::size_t n = 0; n < here.extent(0); ++n) here(n).wait_for(number);
  }
  /// Called once by each of a kernel's teams: whether it is the last. That one sees what all have written.
  KOKKOS_FUNCTION bool is_last_of(int teams) const {
    desul::atomic_thread_fence(desul::MemoryOrderAcqRel(), desul::MemoryScopeNode());
    const bool last = Kokkos::atomic_fetch_add(&finished(), 1) + 1 == teams;
    desul::atomic_thread_fence(desul::MemoryOrderAcqRel(), desul::MemoryScopeNode());
    if (last) finished() = 0;
    return last;
  }
};

/// A kernel of teams that work for some items each: `work(i)` for all i < count.
template <class ExecutionSpace, class Work>
struct ItemsOfTeams {
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
  using Member = typename Policy::member_type;
  static constexpr int threads = runs_on_host<ExecutionSpace> ? 1 : 256,
                       items = runs_on_host<ExecutionSpace> ? 4096 : threads;
  Work work;
  std::int64_t count;

  /// One team at least, which sends or waits.
  Policy policy(const ExecutionSpace& exec) const {
    return {exec, static_cast<int>(count <= items ? 1 : (count + items - 1) / items), threads};
  }
  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const std::int64_t begin = static_cast<std::int64_t>(team.league_rank()) * items;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, begin, Kokkos::min(begin + items, count)), work);
  }
};

/// Works, then sends signals, or sends and waits for those of others: the last team.
template <class ExecutionSpace, class Work, bool waits>
struct WorkThenSend {
  ItemsOfTeams<ExecutionSpace, Work> items;
  PeerCall<ExecutionSpace> call;
  KOKKOS_FUNCTION void operator()(const typename ItemsOfTeams<ExecutionSpace, Work>::Member& team) const {
    items(team);
    team.team_barrier();
    if (team.team_rank() != 0 || !call.is_last_of(team.league_size())) return;
    call.send();
    if (waits) call.wait();
  }
};

/// Waits for signals, then works: one thread waits for its team.
template <class ExecutionSpace, class Work>
struct WaitThenWork {
  ItemsOfTeams<ExecutionSpace, Work> items;
  PeerCall<ExecutionSpace> call;
  KOKKOS_FUNCTION void operator()(const typename ItemsOfTeams<ExecutionSpace, Work>::Member& team) const {
    if (team.team_rank() == 0) call.wait();
    team.team_barrier();
    items(team);
  }
};

/// Memory of the ranks of a host with a signal from each rank to each, in front of what is written.
///
/// Calls are counted: the n-th raises this rank's signals at others to n, and waits for theirs to reach n. No
/// rank is more than one call ahead of those that it waits for, so that two places in turns (`turn`) suffice
/// for what calls write: who sends the n-th time has waited for the other's call n - 1, before which that has
/// read what call n - 2 brought.
template <class ExecutionSpace>
class PeerSignals {
public:
  /// Collective. \param bytes of this rank beside its signals, for both turns
  /// \param neighbors ranks to which it sends, and for which it waits: the same for both
  /// \throws as PeerMemory
  PeerSignals(const ExecutionSpace& exec, const Communicator& ranks, std::size_t bytes,
              const std::vector<int>& neighbors)
      : memory_(ranks, head(ranks) + bytes, !runs_on_host<ExecutionSpace>), head_(head(ranks)) {
    std::vector<PeerSignal> there, here;
    for (const int rank : neighbors) {
      there.push_back(signal(rank, ranks.rank()));
      here.push_back(signal(ranks.rank(), rank));
    }
    agree(ranks, [&] {
      there_ = list_on(exec, "Tessera::PeerSignals::there", there);
      here_ = list_on(exec, "Tessera::PeerSignals::here", here);
      finished_ = decltype(finished_)("Tessera::PeerSignals::finished");
    });
  }

  PeerSignals(const PeerSignals&) = delete; // a copy would not count the other's calls
  PeerSignals& operator=(const PeerSignals&) = delete;
  PeerSignals(PeerSignals&&) = default;
  PeerSignals& operator=(PeerSignals&&) = default;

  /// Of the present call, 0 or 1.
  std::size_t turn() const { return calls_ % 2; }
  void begin_call() { ++calls_; }

  /// Where what is written to a rank begins.
  template <class T>
  T* data(int rank) const {
    return reinterpret_cast<T*>(memory_.of(rank) + head_);
  }
  bool is_on_devices() const { return memory_.is_on_devices(); }

  /// The present one.
  PeerCall<ExecutionSpace> call() const { return {there_, here_, finished_, calls_}; }

  /// After the instance's kernels before: `work(i)` for i < count, then signals are sent.
  template <class Work>
  void send_after(const ExecutionSpace& exec, const char* label, std::int64_t count, const Work& work) const {
    work_then_send<false>(exec, label, count, work);
  }
  /// The same, and the instance's kernels to come see what neighbors have written in this call.
  template <class Work>
  void meet_after(const ExecutionSpace& exec, const char* label, std::int64_t count, const Work& work) const {
    work_then_send<true>(exec, label, count, work);
  }
  /// `work(i)` for i < count sees what neighbors have written in this call, and so do the kernels to come.
  template <class Work>
  void wait_before(const ExecutionSpace& exec, const char* label, std::int64_t count,
                   const Work& work) const {
    const ItemsOfTeams<ExecutionSpace, Work> items{work, count};
    Kokkos::parallel_for(label, items.policy(exec), WaitThenWork<ExecutionSpace, Work>{items, call()});
  }

private:
  static constexpr std::size_t line = 128; ///< bytes between signals: no two ranks write to one line

  static std::size_t head(const Communicator& ranks) { return to_size(ranks.size()) * line; }
  /// At a rank, from another.
  PeerSignal signal(int at, int from) const {
    return {reinterpret_cast<std::uint64_t*>(memory_.of(at) + to_size(from) * line)};
  }
  template <bool waits, class Work>
  void work_then_send(const ExecutionSpace& exec, const char* label, std::int64_t count,
                      const Work& work) const {
    const ItemsOfTeams<ExecutionSpace, Work> items{work, count};
    Kokkos::parallel_for(label, items.policy(exec), WorkThenSend<ExecutionSpace, Work, waits>{items, call()});
  }

  PeerMemory memory_;
  std::size_t head_;
  std::uint64_t calls_ = 0;
  Kokkos::View<PeerSignal*, ExecutionSpace> there_, here_; ///< neighbor
  Kokkos::View<int, ExecutionSpace> finished_;
};

} // namespace tessera::distributed::detail
