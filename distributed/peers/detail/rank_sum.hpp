// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Sums of all ranks' numbers.

#include <tessera/core/error.hpp>
#include <tessera/core/execution_spaces.hpp>
#include <tessera/core/types.hpp>
#include <tessera/distributed/agree.hpp>
#include <tessera/distributed/communicator.hpp>
#include <tessera/distributed/detail/list_on.hpp>
#include <tessera/distributed/node_exchange.hpp>
#include <tessera/distributed/peers/detail/peer_gather.hpp>
#include <tessera/distributed/peers/detail/peer_signals.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace tessera::distributed::detail {

/// Tells all ranks this one's numbers, waits for theirs, and adds them in the order of ranks: one thread.
template <class ExecutionSpace>
struct SumOfPeers {
  Kokkos::View<double*, ExecutionSpace, Kokkos::MemoryUnmanaged> own;
  Kokkos::View<const PeerData<double>*, ExecutionSpace> data; ///< rank
  PeerCall<ExecutionSpace> call;
  std::size_t turn; ///< where the turn's numbers begin
  int rank;

  KOKKOS_FUNCTION void operator()(int) const {
    const std::size_t count = own.extent(0);
    for (std::size_t r = 0; r < data.extent(0); ++r)
      for (std::size_t k = 0; k < count; ++k)
        data(r).values[turn + static_cast<std::size_t>(rank) * count + k] = own(k);
    call.send();
    call.wait();
    const double* const all = data(static_cast<std::size_t>(rank)).values + turn;
    for (std::size_t k = 0; k < count; ++k) {
      double sum = 0;
      for (std::size_t r = 0; r < data.extent(0); ++r) sum += all[r * count + k];
      own(k) = sum;
    }
  }
};

/// Sums of a few numbers in an execution space's memory over all ranks, in the order of ranks, so that all
/// have the same bits, each time.
template <class ExecutionSpace>
class RankSum {
public:
  using Numbers = Kokkos::View<double*, ExecutionSpace, Kokkos::MemoryUnmanaged>;
  static constexpr std::size_t most = 2; ///< numbers

  /// Collective. \throws as PeerMemory; OutOfMemoryError
  RankSum(const ExecutionSpace& exec, const Communicator& ranks, Transfer transfer) : ranks_(ranks) {
    if (transfer == Transfer::peer) {
      const auto size = to_size(ranks.size());
      signals_.emplace(exec, ranks, 2 * size * most * sizeof(double), other_ranks(ranks));
      std::vector<PeerData<double>> data;
      for (int rank = 0; rank < ranks.size(); ++rank) data.push_back({signals_->template data<double>(rank)});
      agree(ranks, [&] { data_ = list_on(exec, "Tessera::RankSum::data", data); });
    } else {
      agree(ranks, [&] {
        own_ = Staging("Tessera::RankSum::own", most);
        all_.resize(most * to_size(ranks.size()));
      });
    }
  }

  /// Collective: in place, on the instance. At most `most` numbers, as many on all ranks.
  void operator()(const ExecutionSpace& exec, const Numbers& numbers) {
    if (ranks_.size() == 1) return;
    if (signals_)
      by_peers(exec, numbers);
    else
      by_mpi(exec, numbers);
  }

private:
  using Staging = Kokkos::View<double*, std::conditional_t<runs_on_host<ExecutionSpace>, Kokkos::HostSpace,
                                                           Kokkos::SharedHostPinnedSpace>>;

  void by_peers(const ExecutionSpace& exec, const Numbers& numbers) {
    signals_->begin_call();
    Kokkos::parallel_for("Tessera::RankSum", Kokkos::RangePolicy<ExecutionSpace>(exec, 0, 1),
                         SumOfPeers<ExecutionSpace>{numbers, data_, signals_->call(),
                                                    signals_->turn() * most * data_.extent(0),
                                                    ranks_.rank()});
  }

  void by_mpi(const ExecutionSpace& exec, const Numbers& numbers) {
    const std::size_t count = numbers.extent(0);
    const auto own = Kokkos::subview(own_, std::make_pair(std::size_t(0), count));
    Kokkos::deep_copy(exec, own, numbers);
    exec.fence("Tessera::RankSum");
    MPI_Allgather(own.data(), static_cast<int>(count), MPI_DOUBLE, all_.data(), static_cast<int>(count),
                  MPI_DOUBLE, ranks_.own());
    for (std::size_t k = 0; k < count; ++k) {
      own(k) = 0;
      for (std::size_t r = 0; r < to_size(ranks_.size()); ++r) own(k) += all_[r * count + k];
    }
    Kokkos::deep_copy(exec, numbers, own);
  }

  Communicator ranks_;
  std::optional<PeerSignals<ExecutionSpace>> signals_;
  Kokkos::View<PeerData<double>*, ExecutionSpace> data_;
  Staging own_;
  std::vector<double> all_; ///< rank * count + number
};

} // namespace tessera::distributed::detail
