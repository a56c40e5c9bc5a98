// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Which aggregates are coupled in PᵀAP, on hosts: a thread takes an aggregate, and finds columns in arrays
/// over all of them.

#include <tessera/solvers/multigrid/detail/aggregation/aggregates.hpp>
#include <tessera/solvers/multigrid/detail/galerkin/galerkin_plan.hpp>
#include <tessera/solvers/multigrid/detail/sparse.hpp>
#include <tessera/solvers/multigrid/detail/tuning.hpp>
#include <tessera/solvers/sparse/detail/thread_memory.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace tessera::solvers::multigrid::detail {

/// Puts the neighbours of an aggregate's nodes, and itself, into a list.
template <class ExecutionSpace>
KOKKOS_FUNCTION void collect_halo(const Graph<ExecutionSpace>& a,
                                  const Aggregates<ExecutionSpace>& aggregates, Ordinal aggregate,
                                  PlacedList& halo) {
  const Ordinal first = aggregates.begin(aggregate), size = aggregates.size(aggregate);
  const bool follow = aggregates.run_length > 0; // the rows of its nodes are then one
  PlacedList list = halo;                        // its count in a register: what is stored might be it
  for (Ordinal item = 0; item < (follow ? 1 : size); ++item) {
    const Ordinal node = aggregates.node(first + item);
    const Offset end = a.row_map(node + (follow ? size : 1));
    for (Offset k = a.row_map(node); k < end; ++k) list.insert(a.columns(k));
  }
  halo = list;
}

/// Has a later row of a halo on its way: they lie apart.
/// \param values  of the entries; null if nobody reads them.
template <class ExecutionSpace>
KOKKOS_FORCEINLINE_FUNCTION void fetch_later_row(const Graph<ExecutionSpace>& p, const float* values,
                                                 const PlacedList& halo, Ordinal place) {
  if constexpr (runs_on_host<ExecutionSpace>) {
    constexpr Ordinal later = tuning::fetched_halo_rows;
    if (place + 2 * later >= halo.count) return;
    __builtin_prefetch(p.row_map.data() + halo.numbers[place + 2 * later]);
    const Offset first = p.row_map(halo.numbers[place + later]);
    __builtin_prefetch(p.columns.data() + first);
    if (values != nullptr) __builtin_prefetch(values + first);
  }
}

/// Finds an aggregate's lists, and which columns of A P meet which of P.
template <class ExecutionSpace>
struct HostMeetingAggregates {
  Graph<ExecutionSpace> a, p;
  Aggregates<ExecutionSpace> aggregates;
  Offsets<ExecutionSpace> near_lengths, far_lengths; // in the entry after an aggregate's own
  MeetingStorage<ExecutionSpace> lists;
  MeetingLists<ExecutionSpace> met;
  Overflows<ExecutionSpace> overflows;

  static constexpr Ordinal halo_capacity = tuning::halo_rows;

  /// Words with a bit for each far column, and for those without room; whole groups of four.
  KOKKOS_FUNCTION Ordinal words() const { return lists.words() / 4 * 4 + 4; }
  KOKKOS_FUNCTION std::size_t met_capacity() const {
    return static_cast<std::size_t>(lists.near_capacity + 1) * words();
  }
  KOKKOS_FUNCTION std::size_t reached_capacity() const {
    return static_cast<std::size_t>(halo_capacity) * words();
  }
  std::size_t bytes() const {
    return 2 * ThreadMemory::bytes<Ordinal>(lists.near_capacity) +
           2 * ThreadMemory::bytes<Ordinal>(lists.far_capacity) +
           ThreadMemory::bytes<Ordinal>(halo_capacity) + ThreadMemory::bytes<std::uint32_t>(words()) +
           ThreadMemory::bytes<std::uint32_t>(met_capacity()) +
           ThreadMemory::bytes<std::uint32_t>(reached_capacity());
  }

  /// What is found of an aggregate.
  struct Found {
    PlacedList near, far, halo;
    std::uint32_t *in_row, *met, *reached; // far columns of a row of A P, near columns, rows of P
    Ordinal words;

    KOKKOS_FUNCTION std::uint32_t* reached_of(Ordinal place) const {
      return reached + static_cast<std::size_t>(place) * words;
    }
  };

  KOKKOS_FUNCTION void operator()(Ordinal listed, ThreadMemory own) const {
    const Ordinal aggregate = lists.aggregates.item(listed);
    Ordinal* const far_place = own.place + aggregates.count;
    Found f{{own.place, own.take<Ordinal>(lists.near_capacity), lists.near_capacity},
            {far_place, own.take<Ordinal>(lists.far_capacity), lists.far_capacity},
            {far_place + aggregates.count, own.take<Ordinal>(halo_capacity), halo_capacity},
            own.take<std::uint32_t>(words()),
            own.take<std::uint32_t>(met_capacity()),
            own.take<std::uint32_t>(reached_capacity()),
            words()};
    for (std::size_t k = 0; k < met_capacity(); ++k) f.met[k] = 0;
    collect_halo(a, aggregates, aggregate, f.halo);
    clear(f.reached, f.halo.count * f.words);
    for (Ordinal k = 0; k < f.halo.count; ++k) {
      fetch_later_row<ExecutionSpace>(p, nullptr, f.halo, k);
      reach(f.halo.numbers[k], f.far, f.reached_of(k));
    }
    const Ordinal first = aggregates.begin(aggregate), size = aggregates.size(aggregate);
    for (Ordinal item = 0; item < size; ++item) collect(aggregates.node(first + item), f);
    for (auto* list : {&f.near, &f.far, &f.halo}) list->clear();
    const bool fits = !f.near.full && !f.far.full;
    near_lengths(aggregate + 1) = fits ? static_cast<Offset>(f.near.count) : overflow;
    far_lengths(aggregate + 1) = fits ? static_cast<Offset>(f.far.count) : overflow;
    if (!fits) return overflows.add(aggregate);
    met(aggregate) = {lists.bits_of(listed, 0), lists.words()};
    auto* const near_order = own.take<Ordinal>(lists.near_capacity);
    auto* const far_order = own.take<Ordinal>(lists.far_capacity);
    order_of(f.near.numbers, f.near.count, near_order, lists.near_of(listed));
    order_of(f.far.numbers, f.far.count, far_order, lists.far_of(listed));
    for (Ordinal place = 0; place < f.near.count; ++place)
      write_bits(f.met + static_cast<std::size_t>(near_order[place]) * words(), far_order, f.far.count,
                 lists.bits_of(listed, place));
  }

  /// Puts a row of A P and one of P into the lists.
  KOKKOS_FUNCTION void collect(Ordinal node, Found& f) const {
    if (f.halo.full) {
      find_outside(node, f);
      for (Ordinal w = 0; w < f.words; w += 4) find_reached<true>(node, w, f);
    } else {
      for (Ordinal w = 0; w < f.words; w += 4) find_reached<false>(node, w, f);
    }
    const Offset end = p.row_map(node + 1);
    for (Offset m = p.row_map(node); m < end; ++m) {
      std::uint32_t* const bits = f.met + static_cast<std::size_t>(f.near.insert(p.columns(m))) * f.words;
      for (Ordinal w = 0; w < f.words; w += 4) add_bits(f.in_row + w, bits + w);
    }
  }

  /// What the neighbours that had no room in the halo add to a row of A P.
  KOKKOS_FUNCTION void find_outside(Ordinal node, Found& f) const {
    clear(f.in_row, f.words);
    for (Offset k = a.row_map(node); k < a.row_map(node + 1); ++k)
      if (f.halo.place[a.columns(k)] < 0) reach(a.columns(k), f.far, f.in_row);
  }

  /// Four words of a row of A P.
  /// \tparam Full  whether neighbours may have had no room in the halo.
  template <bool Full>
  KOKKOS_FUNCTION void find_reached(Ordinal node, Ordinal word, Found& f) const {
    const Ordinal* const places = f.halo.place; // apart from what is written
    const std::uint32_t* const reached = f.reached + word;
    const auto words_each = static_cast<std::size_t>(f.words);
    std::uint32_t sum[4] = {};
    if (Full) add_bits(f.in_row + word, sum);
    const Offset end = a.row_map(node + 1);
    for (Offset k = a.row_map(node); k < end; ++k) {
      const Ordinal place = places[a.columns(k)];
      if (Full && place < 0) continue;
      const std::uint32_t* const from = reached + static_cast<std::size_t>(place) * words_each;
      for (int w = 0; w < 4; ++w) sum[w] |= from[w];
    }
    for (int w = 0; w < 4; ++w) f.in_row[word + w] = sum[w];
  }

  /// to |= from, four words.
  KOKKOS_FORCEINLINE_FUNCTION static void add_bits(const std::uint32_t* from, std::uint32_t* to) {
    std::uint32_t both[4];
    for (int k = 0; k < 4; ++k) both[k] = from[k] | to[k];
    for (int k = 0; k < 4; ++k) to[k] = both[k];
  }

  KOKKOS_FUNCTION static void clear(std::uint32_t* bits, Ordinal count) {
    for (Ordinal w = 0; w < count; ++w) bits[w] = 0;
  }

  /// Far columns of a row of P.
  KOKKOS_FUNCTION void reach(Ordinal node, PlacedList& far, std::uint32_t* reached) const {
    PlacedList list = far;
    const Offset end = p.row_map(node + 1);
    for (Offset m = p.row_map(node); m < end; ++m) {
      const auto place = static_cast<std::uint32_t>(list.insert(p.columns(m)));
      reached[place / 32] |= std::uint32_t{1} << place % 32;
    }
    far = list;
  }

  /// Bits in the order of columns.
  KOKKOS_FUNCTION static void write_bits(const std::uint32_t* met, const Ordinal* order, Ordinal count,
                                         std::uint32_t* words) {
    for (Ordinal begin = 0; begin < count; begin += 32) {
      const Ordinal* const slots = order + begin;
      const Ordinal bits = Kokkos::min(Ordinal{32}, count - begin);
      std::uint32_t word = 0;
      for (Ordinal k = 0; k < bits; ++k) word |= (met[slots[k] / 32] >> slots[k] % 32 & 1u) << k;
      words[begin / 32] = word;
    }
  }
};

/// Finds the lists of all aggregates.
template <class ExecutionSpace>
void host_meeting(const Workspace<ExecutionSpace>& work,
                  const HostMeetingAggregates<ExecutionSpace>& meeting) {
  for_each_row_with_memory(
      work.exec, "Tessera::Multigrid::meeting_aggregates", meeting.lists.aggregates.count,
      ThreadMemories<ExecutionSpace>(work, std::size_t{2} * meeting.aggregates.count + meeting.a.count(),
                                     meeting.bytes()),
      meeting);
}

} // namespace tessera::solvers::multigrid::detail
