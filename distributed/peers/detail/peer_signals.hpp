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

/// Memory of the ranks of a host with a signal from each rank to each, in front of what is written.
///
/// Calls are counted: the n-th `send` raises this rank's signals at others to n, the n-th `wait` waits for
/// theirs. No rank is more than one call ahead of those that it waits for, so that two places in turns
/// (`turn`) suffice for what calls write: who sends the n-th time has waited for the other's call n - 1,
/// before which that has read what call n - 2 brought.
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
    });
  }

  PeerSignals(const PeerSignals&) = delete; // a copy would not count the other's calls
  PeerSignals& operator=(const PeerSignals&) = delete;
  PeerSignals(PeerSignals&&) = default;
  PeerSignals& operator=(PeerSignals&&) = default;

  /// Of the present call, 0 or 1.
  std::size_t turn() const { return calls_ % 2; }
  std::uint64_t calls() const { return calls_; }
  void begin_call() { ++calls_; }

  /// Where what is written to a rank begins.
  template <class T>
  T* data(int rank) const {
    return reinterpret_cast<T*>(memory_.of(rank) + head_);
  }
  bool is_on_devices() const { return memory_.is_on_devices(); }

  /// Those to neighbors, and those from them.
  const Kokkos::View<PeerSignal*, ExecutionSpace>& there() const { return there_; }
  const Kokkos::View<PeerSignal*, ExecutionSpace>& here() const { return here_; }

  /// After the instance's kernels before.
  void send(const ExecutionSpace& exec) const {
    const auto there = there_;
    const std::uint64_t calls = calls_;
    Kokkos::parallel_for(
        "Tessera::PeerSignals::send", range(exec), KOKKOS_LAMBDA(const int i) { there(i).raise(calls); });
  }
  /// Before the instance's kernels to come.
  void wait(const ExecutionSpace& exec) const {
    const auto here = here_;
    const std::uint64_t calls = calls_;
    Kokkos::parallel_for(
        "Tessera::PeerSignals::wait", range(exec), KOKKOS_LAMBDA(const int i) { here(i).wait_for(calls); });
  }

private:
  static constexpr std::size_t line = 128; ///< bytes between signals: no two ranks write to one line

  static std::size_t head(const Communicator& ranks) { return to_size(ranks.size()) * line; }
  /// At a rank, from another.
  PeerSignal signal(int at, int from) const {
    return {reinterpret_cast<std::uint64_t*>(memory_.of(at) + to_size(from) * line)};
  }
  Kokkos::RangePolicy<ExecutionSpace> range(const ExecutionSpace& exec) const {
    return {exec, 0, here_.extent_int(0)};
  }

  PeerMemory memory_;
  std::size_t head_;
  std::uint64_t calls_ = 0;
  Kokkos::View<PeerSignal*, ExecutionSpace> there_, here_; ///< neighbor
};

} // namespace tessera::distributed::detail
