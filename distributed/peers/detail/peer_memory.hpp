// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Memory that the kernels of all ranks of a host read and write.

#include <tessera/distributed/communicator.hpp>

#include <cstddef>
#include <memory>

namespace tessera::distributed::detail {

/// Collective: whether all ranks run on one host, and each computes on a device of its own if it computes on
/// one. Ranks that share a device would wait for each other in kernels that keep it.
bool are_peers(const Communicator& ranks, bool on_device);

/// Some memory of each rank, which is in the address space of all of them: of the ranks' devices, which write
/// to each other's by themselves (CUDA's memory handles between processes), or where these cannot of the
/// host, which all of them can. Zero at first. Copies share it.
///
/// It goes on all ranks together, after their kernels have ended. A rank on which an exception is under way
/// leaves it to the end of the process instead of waiting for the others.
class PeerMemory {
public:
  /// Collective.
  /// \param bytes     of this rank
  /// \param on_device whether kernels of a device use it
  /// \throws on every rank UnsupportedError unless `are_peers`; OutOfMemoryError
  PeerMemory(const Communicator& ranks, std::size_t bytes, bool on_device);

  /// Where a rank's memory stands for kernels of this one.
  std::byte* of(int rank) const;
  /// Whether it is the devices' own.
  bool is_on_devices() const;

private:
  class State;
  std::shared_ptr<State> state_;
};

} // namespace tessera::distributed::detail
