// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// All ranks' values on each rank, by kernels that write to other ranks' memory.

#include <tessera/core/types.hpp>
#include <tessera/distributed/agree.hpp>
#include <tessera/distributed/communicator.hpp>
#include <tessera/distributed/detail/list_on.hpp>
#include <tessera/distributed/peers/detail/peer_signals.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tessera::distributed::detail {

inline std::vector<int> other_ranks(const Communicator& ranks) {
  std::vector<int> others;
  for (int rank = 0; rank < ranks.size(); ++rank)
    if (rank != ranks.rank()) others.push_back(rank);
  return others;
}

/// Where a rank's memory begins.
template <class Scalar>
struct PeerData {
  Scalar* values;
};

/// Writes own values to all ranks.
template <class Scalar, class ExecutionSpace>
struct PushToAll {
  Kokkos::View<const Scalar*, ExecutionSpace> own;
  Kokkos::View<const PeerData<Scalar>*, ExecutionSpace> there; ///< rank
  std::size_t offset;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const Scalar value = own(i);
    for (std::size_t rank = 0; rank < there.extent(0); ++rank)
      there(rank).values[offset + static_cast<std::size_t>(i)] = value;
  }
};

/// The ranks' lists one after the other, on each rank, as often as they change: what `Gather` does, without
/// MPI and without the host.
template <class Scalar, class ExecutionSpace>
class PeerGather {
public:
  using Values = Kokkos::View<Scalar*, ExecutionSpace>;

  /// Collective. \param size  of all lists \param first where this rank's begins \throws as PeerMemory
  PeerGather(const ExecutionSpace& exec, const Communicator& ranks, std::size_t size, std::size_t first)
      : size_(size), first_(first), signals_(exec, ranks, 2 * size * sizeof(Scalar), other_ranks(ranks)),
        own_(ranks.rank()) {
    std::vector<PeerData<Scalar>> there;
    for (int rank = 0; rank < ranks.size(); ++rank) there.push_back({signals_.template data<Scalar>(rank)});
    agree(ranks, [&] { there_ = list_on(exec, "Tessera::PeerGather::there", there); });
  }

  /// All values, for kernels to come, until the next call.
  Values operator()(const ExecutionSpace& exec, const Values& own) {
    signals_.begin_call();
    const std::size_t turn = signals_.turn() * size_;
    signals_.meet_after(exec, "Tessera::PeerGather::push", static_cast<std::int64_t>(own.extent(0)),
                        PushToAll<Scalar, ExecutionSpace>{own, there_, turn + first_});
    return Values(signals_.template data<Scalar>(own_) + turn, size_);
  }

private:
  std::size_t size_, first_;
  PeerSignals<ExecutionSpace> signals_;
  int own_;
  Kokkos::View<PeerData<Scalar>*, ExecutionSpace> there_;
};

} // namespace tessera::distributed::detail
