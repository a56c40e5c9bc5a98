// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Exchanges of values by kernels that write to other ranks' memory.

#include <tessera/core/types.hpp>
#include <tessera/distributed/agree.hpp>
#include <tessera/distributed/communicator.hpp>
#include <tessera/distributed/detail/import_lists.hpp>
#include <tessera/distributed/peers/detail/peer_signals.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

namespace tessera::distributed::detail {

/// The first of the values that go to a neighbor, and where they go in either turn.
template <class Scalar>
struct PeerPart {
  std::int64_t begin;
  Kokkos::Array<Scalar*, 2> there;
};

/// Writes the i-th of the values that are sent, `value(i)`, to the neighbor that gets it.
template <class Scalar, class ExecutionSpace, class Value>
struct PushValues {
  Kokkos::View<const PeerPart<Scalar>*, ExecutionSpace> parts;
  Value value;
  std::size_t turn;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    auto neighbor = parts.extent(0) - 1; // few ranks share a host
    while (parts(neighbor).begin > i) --neighbor;
    parts(neighbor).there[turn][i - parts(neighbor).begin] = value(i);
  }
};

template <class Values>
struct TakeValues {
  Values from, to;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { to(i) = from(i); }
};

/// What `NodeExchange` sends, without MPI: kernels write values to the neighbors' memory and raise signals
/// there; nothing waits for the host.
///
/// A rank's memory holds its ghosts' values, as owners write them, then its own nodes', as readers write
/// them, in both turns.
template <class Scalar, class ExecutionSpace>
class PeerExchange {
public:
  using Values = Kokkos::View<Scalar*, ExecutionSpace>;

  /// Collective. \throws as PeerMemory
  PeerExchange(const ExecutionSpace& exec, const Communicator& ranks, const ImportLists& lists,
               int components)
      : ghosts_(lists.ghost_offsets.back() * to_size(components)),
        sent_(lists.sent_offsets.back() * to_size(components)),
        signals_(exec, ranks, 2 * all() * sizeof(Scalar), neighbors_of(lists)), own_(ranks.rank()) {
    const std::vector<Place> places = places_at_others(ranks, lists, components);
    agree(ranks, [&] {
      to_readers_ = parts(exec, places, lists.readers, lists.sent_offsets, components,
                          [](const Place& place) { return place[0]; });
      to_owners_ = parts(exec, places, lists.owners, lists.ghost_offsets, components,
                         [](const Place& place) { return place[1]; });
    });
  }

  /// Writes `value(i)`, the i-th value that readers have as a ghost's, to them.
  template <class Value>
  void import(const ExecutionSpace& exec, const Value& value) {
    push(exec, to_readers_, sent_, value);
  }
  /// Writes `value(i)`, the i-th ghost's, to its owner.
  template <class Value>
  void sum(const ExecutionSpace& exec, const Value& value) {
    push(exec, to_owners_, ghosts_, value);
  }
  /// Copies what the call's `import` of owners has brought.
  void take_imported(const ExecutionSpace& exec, const Values& ghosts) const {
    signals_.wait_before(exec, "Tessera::PeerExchange::take", static_cast<std::int64_t>(ghosts_),
                         TakeValues<Values>{Values(turn_data(), ghosts_), ghosts});
  }
  /// What the call's `sum` of readers brings, of the own nodes that are sent, for kernels to come.
  Values summed(const ExecutionSpace& exec) const {
    signals_.wait_before(exec, "Tessera::PeerExchange::wait", 0, TakeValues<Values>{});
    return Values(turn_data() + ghosts_, sent_);
  }

private:
  using Parts = Kokkos::View<PeerPart<Scalar>*, ExecutionSpace>;
  /// In another rank's memory: where this rank's values of ghosts go, where its sums go, and the values of a
  /// turn.
  using Place = std::array<std::int64_t, 3>;

  std::size_t all() const { return ghosts_ + sent_; }
  Scalar* turn_data() const {
    return signals_.template data<Scalar>(own_) + static_cast<std::ptrdiff_t>(signals_.turn() * all());
  }

  static std::vector<int> neighbors_of(const ImportLists& lists) {
    std::vector<int> all;
    std::set_union(lists.owners.begin(), lists.owners.end(), lists.readers.begin(), lists.readers.end(),
                   std::back_inserter(all));
    return all;
  }

  std::vector<Place> places_at_others(const Communicator& ranks, const ImportLists& lists,
                                      int components) const {
    std::vector<Place> here(to_size(ranks.size())), there(here.size());
    for (Place& place : here) place[2] = static_cast<std::int64_t>(all());
    for (std::size_t i = 0; i < lists.owners.size(); ++i)
      here[to_size(lists.owners[i])][0] = static_cast<std::int64_t>(lists.ghost_offsets[i]) * components;
    for (std::size_t i = 0; i < lists.readers.size(); ++i)
      here[to_size(lists.readers[i])][1] =
          static_cast<std::int64_t>(ghosts_ + lists.sent_offsets[i] * to_size(components));
    MPI_Alltoall(here.data(), 3, MPI_INT64_T, there.data(), 3, MPI_INT64_T, ranks.own());
    return there;
  }

  template <class Begin>
  Parts parts(const ExecutionSpace& exec, const std::vector<Place>& places, const std::vector<int>& to,
              const std::vector<std::size_t>& offsets, int components, const Begin& begin) const {
    std::vector<PeerPart<Scalar>> list;
    for (std::size_t i = 0; i < to.size(); ++i) {
      const Place& place = places[to_size(to[i])];
      Scalar* const there = signals_.template data<Scalar>(to[i]) + begin(place);
      list.push_back({static_cast<std::int64_t>(offsets[i]) * components, {there, there + place[2]}});
    }
    return list_on(exec, "Tessera::PeerExchange::parts", list);
  }

  template <class Value>
  void push(const ExecutionSpace& exec, const Parts& parts, std::size_t count, const Value& value) {
    signals_.begin_call();
    signals_.send_after(exec, "Tessera::PeerExchange::push", static_cast<std::int64_t>(count),
                        PushValues<Scalar, ExecutionSpace, Value>{parts, value, signals_.turn()});
  }

  std::size_t ghosts_, sent_; ///< values
  PeerSignals<ExecutionSpace> signals_;
  int own_;
  Parts to_readers_, to_owners_;
};

} // namespace tessera::distributed::detail
