// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Lists of all ranks on each rank.

#include <tessera/core/allocate.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/execution_spaces.hpp>
#include <tessera/core/types.hpp>
#include <tessera/distributed/agree.hpp>
#include <tessera/distributed/communicator.hpp>
#include <tessera/distributed/detail/mpi_type.hpp>
#include <tessera/distributed/node_exchange.hpp>
#include <tessera/distributed/peers/detail/peer_memory.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace tessera::distributed::detail {

/// Collective: the ranks' lists one after the other, on each rank.
template <class T>
class Gather {
public:
  Gather(const Communicator& ranks, std::size_t own)
      : ranks_(ranks), counts_(to_size(ranks.size())), begins_(to_size(ranks.size())) {
    std::vector<std::int64_t> all(counts_.size());
    const auto count = static_cast<std::int64_t>(own);
    MPI_Allgather(&count, 1, MPI_INT64_T, all.data(), 1, MPI_INT64_T, ranks.own());
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
      if (static_cast<std::int64_t>(size_) + all[rank] > std::numeric_limits<int>::max())
        throw UnsupportedError("Multigrid: the gathered level is too large for a message: gather fewer rows");
      counts_[rank] = static_cast<int>(all[rank]);
      begins_[rank] = static_cast<int>(size_);
      size_ += static_cast<std::size_t>(all[rank]);
    }
  }

  std::size_t size() const { return size_; }
  /// Where this rank's entries stand.
  std::pair<std::size_t, std::size_t> own() const {
    const std::size_t rank = to_size(ranks_.rank());
    return {to_size(begins_[rank]), to_size(begins_[rank]) + to_size(counts_[rank])};
  }
  std::size_t largest() const { return to_size(*std::max_element(counts_.begin(), counts_.end())); }
  /// Entries of a rank from its `begin`-th on, at most so many, among those of all.
  struct Part {
    std::size_t begin, end;
    std::size_t size() const { return end - begin; }
  };
  Part part(int rank, std::size_t begin, std::size_t most) const {
    const std::size_t first = to_size(begins_[to_size(rank)]), count = to_size(counts_[to_size(rank)]);
    return {first + std::min(begin, count), first + std::min(begin + most, count)};
  }
  void operator()(const T* from, T* to) const {
    MPI_Allgatherv(from, counts_[to_size(ranks_.rank())], mpi_type<T>(), to, counts_.data(), begins_.data(),
                   mpi_type<T>(), ranks_.own());
  }

private:
  Communicator ranks_;
  std::vector<int> counts_, begins_; ///< rank
  std::size_t size_ = 0;
};

/// Collective: each rank reads the others' lists where they have put them.
template <class ExecutionSpace, class View>
void gather_by_peers(const ExecutionSpace& exec, const Communicator& ranks,
                     const Gather<typename View::non_const_value_type>& all, const View& own,
                     const View& gathered) {
  using T = typename View::non_const_value_type;
  const PeerMemory memory(ranks, own.extent(0) * sizeof(T), !runs_on_host<ExecutionSpace>);
  const auto of = [&](int rank, std::size_t size) {
    return Kokkos::View<T*, ExecutionSpace>(reinterpret_cast<T*>(memory.of(rank)), size);
  };
  Kokkos::deep_copy(exec, of(ranks.rank(), own.extent(0)), own);
  exec.fence("Tessera::Multigrid::gather");
  MPI_Barrier(ranks.own());
  for (int rank = 0; rank < ranks.size(); ++rank) {
    const auto part = all.part(rank, 0, all.largest());
    Kokkos::deep_copy(exec, Kokkos::subview(gathered, std::make_pair(part.begin, part.end)),
                      of(rank, part.size()));
  }
  exec.fence("Tessera::Multigrid::gather"); // the memory goes
}

/// The same of views. A device's go through pinned memory piece by piece: fresh memory for all of a large
/// matrix would cost more than the messages.
template <class ExecutionSpace, class View>
View gather(const ExecutionSpace& exec, const Communicator& ranks, Transfer transfer, const View& own) {
  using T = typename View::non_const_value_type;
  exec.fence("Tessera::Multigrid::gather");
  const Gather<T> all(ranks, own.extent(0));
  const auto gathered = agree(ranks, [&] { return allocate<View>(exec, own.label(), all.size()); });
  if (transfer == Transfer::peer) {
    gather_by_peers(exec, ranks, all, own, gathered);
    return gathered;
  }
  if constexpr (runs_on_host<ExecutionSpace>) {
    all(own.data(), gathered.data());
  } else {
    constexpr std::size_t piece = (std::size_t{1} << 20) / sizeof(T);
    using Staging = Kokkos::View<T*, Kokkos::SharedHostPinnedSpace>;
    const auto [from, to] = agree(ranks, [&] {
      return std::make_pair(Staging("Tessera::Multigrid::staged", piece),
                            Staging("Tessera::Multigrid::staged", piece * to_size(ranks.size())));
    });
    for (std::size_t begin = 0; begin < all.largest(); begin += piece) {
      const auto mine = all.part(ranks.rank(), begin, piece);
      const Gather<T> part(ranks, mine.size());
      Kokkos::deep_copy(
          exec, Kokkos::subview(from, std::make_pair(std::size_t(0), mine.size())),
          Kokkos::subview(own, std::make_pair(mine.begin - all.own().first, mine.end - all.own().first)));
      exec.fence("Tessera::Multigrid::gather");
      part(from.data(), to.data());
      std::size_t at = 0;
      for (int rank = 0; rank < ranks.size(); ++rank) {
        const auto theirs = all.part(rank, begin, piece);
        Kokkos::deep_copy(exec, Kokkos::subview(gathered, std::make_pair(theirs.begin, theirs.end)),
                          Kokkos::subview(to, std::make_pair(at, at + theirs.size())));
        at += theirs.size();
      }
      exec.fence("Tessera::Multigrid::gather"); // the pieces are used again
    }
  }
  return gathered;
}

} // namespace tessera::distributed::detail
