// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Which aggregates are coupled in PᵀAP: the symbolic part of the triple product, by aggregates.

#include <tessera/core/scratch_atomics.hpp>
#include <tessera/core/vector_fence.hpp>
#include <tessera/solvers/multigrid/detail/aggregation/aggregates.hpp>
#include <tessera/solvers/multigrid/detail/galerkin/galerkin_plan.hpp>
#include <tessera/solvers/multigrid/detail/sparse.hpp>
#include <tessera/solvers/sparse/detail/overflows.hpp>
#include <tessera/solvers/sparse/detail/rows.hpp>
#include <tessera/solvers/sparse/detail/unions.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace tessera::solvers::multigrid::detail {

/// Who works on an aggregate: all threads and lanes of a team, or the lanes of a thread, which stay together.
template <class ExecutionSpace, bool Team>
struct Workers {
  const TeamMember<ExecutionSpace>& team;

  /// Calls work(k) for some items, shared by all.
  template <class Work>
  KOKKOS_FORCEINLINE_FUNCTION void each(Ordinal count, const Work& work) const {
    if constexpr (Team)
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, count), work);
    else
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, count), work);
  }
  template <class Work>
  KOKKOS_FORCEINLINE_FUNCTION void once(const Work& work) const {
    if constexpr (Team)
      Kokkos::single(Kokkos::PerTeam(team), work);
    else
      Kokkos::single(Kokkos::PerThread(team), work);
  }
  /// Until all have done what they began.
  KOKKOS_FORCEINLINE_FUNCTION void wait() const {
    if constexpr (Team)
      team.team_barrier();
    else
      vector_fence();
  }
};

/// Finds an aggregate's lists: its near aggregates, columns of P in the rows of its nodes, its far
/// aggregates, columns of A P there, and which of both meet. A row of A P has its columns put into a hash
/// table, and their slots gathered as bits, which are then given to the columns of the row of P.
///
/// \tparam Lanes  that share the entries of a row of P: of a thread, a team for each aggregate; or 1, and
/// then a thread's lanes take the rows of its own aggregate, for short rows.
template <class ExecutionSpace, int Lanes>
struct MeetingAggregates {
  using Member = TeamMember<ExecutionSpace>;
  using OrdinalScratch = Scratch<Ordinal, ExecutionSpace>;
  using WordScratch = Scratch<std::uint32_t, ExecutionSpace>;

  static constexpr bool by_team = Lanes > 1;
  static constexpr Ordinal rows_at_once = runs_on_host<ExecutionSpace> ? 1 : 32;
  using Who = Workers<ExecutionSpace, by_team>;

  Graph<ExecutionSpace> a, p;
  Aggregates<ExecutionSpace> aggregates;
  Offsets<ExecutionSpace> near_lengths, far_lengths; // in the entry after an aggregate's own
  MeetingStorage<ExecutionSpace> lists;
  MeetingLists<ExecutionSpace> met;
  Overflows<ExecutionSpace> overflows;

  /// Slots of the hash tables, powers of two.
  KOKKOS_FUNCTION Ordinal near_slots() const { return 2 * lists.near_capacity; }
  KOKKOS_FUNCTION Ordinal far_slots() const { return lists.far_capacity / 3 * 4; }
  KOKKOS_FUNCTION Ordinal slot_words() const { return far_slots() / 32; }

  enum Counter { in_near, in_far, full, listed, counters };
  KOKKOS_FUNCTION std::size_t numbers_capacity() const {
    return static_cast<std::size_t>(near_slots()) + far_slots() + lists.near_capacity +
           2 * lists.far_capacity + counters;
  }
  /// From one row's mask to the next: an odd number of words, so that lanes use different banks.
  KOKKOS_FUNCTION Ordinal mask_stride() const { return slot_words() | 1; }
  KOKKOS_FUNCTION Ordinal masks_capacity() const { return mask_stride() * rows_at_once; }
  KOKKOS_FUNCTION Ordinal reached_capacity() const { return slot_words() * near_slots(); }
  KOKKOS_FUNCTION std::size_t words_capacity() const {
    return static_cast<std::size_t>(masks_capacity()) + reached_capacity();
  }
  std::size_t scratch_bytes() const {
    return OrdinalScratch::shmem_size(numbers_capacity()) + WordScratch::shmem_size(words_capacity());
  }

  /// An aggregate's tables.
  struct Tables {
    HashSet<ExecutionSpace> near, far;
    Ordinal *near_order, *far_order; // slots in the order of the numbers there
    Ordinal *unsorted, *count;       // numbers of a table; what is counted
    std::uint32_t* masks;            // row at once: slots of the far columns of its row
    std::uint32_t* reached;          // slot of a near column: slots of far columns
  };

  template <class Level>
  KOKKOS_FUNCTION void operator()(const Member& team, Level level) const {
    find(team, team.league_rank(), team.team_scratch(level));
  }
  template <class Level>
  KOKKOS_FUNCTION void operator()(const Member& team, Ordinal item, Level level) const {
    find(team, item, team.thread_scratch(level));
  }

  template <class Memory>
  KOKKOS_FORCEINLINE_FUNCTION void find(const Member& team, Ordinal item, const Memory& scratch) const {
    const Who who{team};
    const Ordinal aggregate = lists.aggregates.item(item);
    const Tables t = cleared_tables(who, scratch);
    who.wait();
    collect_rows(team, aggregate, t);
    who.wait();
    const bool fits = t.count[full] == 0 && t.count[in_near] <= lists.near_capacity &&
                      t.count[in_far] <= lists.far_capacity;
    if (fits) write(who, item, t);
    who.once([&]() {
      near_lengths(aggregate + 1) = fits ? t.count[in_near] : overflow;
      far_lengths(aggregate + 1) = fits ? t.count[in_far] : overflow;
      met(aggregate) = {lists.bits_of(item, 0), lists.words()};
      if (!fits) overflows.add(aggregate);
    });
  }

  template <class Memory>
  KOKKOS_FORCEINLINE_FUNCTION Tables cleared_tables(const Who& who, const Memory& scratch) const {
    const OrdinalScratch numbers(scratch, numbers_capacity());
    const WordScratch words(scratch, words_capacity());
    Ordinal* next = numbers.data();
    const auto take = [&next](Ordinal count) { return (next += count) - count; };
    const Tables t{{OrdinalScratch(take(near_slots()), near_slots())},
                   {OrdinalScratch(take(far_slots()), far_slots())},
                   take(lists.near_capacity),
                   take(lists.far_capacity),
                   take(lists.far_capacity),
                   take(counters),
                   words.data(),
                   words.data() + masks_capacity()};
    who.each(near_slots() + far_slots(), [&](Ordinal k) { numbers(k) = -1; });
    who.each(Ordinal{counters}, [&](Ordinal k) { t.count[k] = 0; });
    who.each(reached_capacity(), [&](Ordinal k) { t.reached[k] = 0; });
    return t;
  }

  /// Puts the rows of an aggregate's nodes into the tables, a thread's at a time or a lane's.
  KOKKOS_FORCEINLINE_FUNCTION void collect_rows(const Member& team, Ordinal aggregate,
                                                const Tables& t) const {
    const Ordinal first = aggregates.begin(aggregate), nodes = aggregates.size(aggregate);
    if constexpr (by_team)
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, nodes), [&](Ordinal item) {
        collect(team, aggregates.node(first + item), t.masks + team.team_rank() * mask_stride(), t);
      });
    else
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, nodes), [&](Ordinal item) {
        collect(team, aggregates.node(first + item), t.masks + item % rows_at_once * mask_stride(), t);
      });
  }

  /// \param fits  becomes false if the table has no room for the number
  /// \return the slot
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t insert(const HashSet<ExecutionSpace>& set, Ordinal number,
                                                   Ordinal& count, bool& fits) const {
    std::uint32_t slot = 0;
    const int inserted = set.insert(number, slot);
    if (inserted > 0) scratch_fetch_add(&count, 1);
    if (inserted < 0) fits = false;
    return slot;
  }

  /// Calls visit(column) for a row of P.
  template <class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void each_column(const Member& team, Ordinal node, const Visit& visit) const {
    const Offset begin = p.row_map(node), end = p.row_map(node + 1);
    if constexpr (Lanes == 1)
      for (Offset entry = begin; entry < end; ++entry) visit(p.columns(entry));
    else
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, static_cast<Ordinal>(end - begin)),
                           [&](Ordinal k) { visit(p.columns(begin + k)); });
    vector_fence();
  }

  /// Puts a row's columns into the tables.
  KOKKOS_FUNCTION void collect(const Member& team, Ordinal node, std::uint32_t* mask, const Tables& t) const {
    if constexpr (Lanes == 1)
      for (Ordinal w = 0; w < slot_words(); ++w) mask[w] = 0;
    else
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, slot_words()), [&](Ordinal w) { mask[w] = 0; });
    vector_fence();
    bool fits = true;
    for (Offset k = a.row_map(node); k < a.row_map(node + 1); ++k) {
      each_column(team, a.columns(k), [&](Ordinal column) {
        const std::uint32_t slot = insert(t.far, column, t.count[in_far], fits);
        const std::uint32_t bit = std::uint32_t{1} << slot % 32;
        if constexpr (Lanes == 1)
          mask[slot / 32] |= bit;
        else
          scratch_fetch_or(&mask[slot / 32], bit);
      });
      // Each look through a full table takes long, and a row may have thousands of neighbours. (Lanes that
      // share a row stay together; a break and no return, after which lanes would not meet again.)
      if constexpr (Lanes == 1)
        if (!fits) break;
    }
    each_column(team, node, [&](Ordinal column) {
      std::uint32_t* const to =
          t.reached + static_cast<Ordinal>(insert(t.near, column, t.count[in_near], fits)) * slot_words();
      for (Ordinal w = 0; w < slot_words(); ++w) scratch_fetch_or(to + w, mask[w]);
    });
    if (!fits) Kokkos::atomic_store(&t.count[full], 1);
  }

  /// Writes the lists of the item-th of the aggregates, and the bits of what meets.
  KOKKOS_FUNCTION void write(const Who& who, Ordinal item, const Tables& t) const {
    const Ordinal near_count = t.count[in_near], far_count = t.count[in_far], words = lists.words();
    sort(who, t.near, near_count, t, t.near_order, lists.near_of(item));
    sort(who, t.far, far_count, t, t.far_order, lists.far_of(item));
    who.each(near_count * words, [&](Ordinal k) {
      const Ordinal place = k / words, word = k - place * words;
      const std::uint32_t* const from = t.reached + t.near_order[place] * slot_words();
      const Ordinal* const slots = t.far_order + word * 32;
      const Ordinal count = Kokkos::min(Ordinal{32}, far_count - word * 32);
      std::uint32_t mask = 0;
      for (Ordinal bit = 0; bit < count; ++bit)
        mask |= (from[slots[bit] / 32] >> (slots[bit] % 32) & 1u) << bit;
      lists.bits_of(item, place)[word] = mask;
    });
  }

  /// Slots of a table in the order of the numbers there, which go to `out`.
  KOKKOS_FUNCTION void sort(const Who& who, const HashSet<ExecutionSpace>& set, Ordinal count,
                            const Tables& t, Ordinal* order, Ordinal* out) const {
    Ordinal* const used = &t.count[listed];
    who.each(1, [&](Ordinal) { *used = 0; });
    who.wait();
    who.each(set.table.extent_int(0), [&](Ordinal k) {
      if (set.table(k) != -1) t.unsorted[scratch_fetch_add(used, 1)] = set.table(k);
    });
    who.wait();
    who.each(count, [&](Ordinal k) {
      const Ordinal own = t.unsorted[k];
      Ordinal rank = 0;
      for (Ordinal other = 0; other < count; ++other) rank += t.unsorted[other] < own ? 1 : 0;
      out[rank] = own;
      order[rank] = static_cast<Ordinal>(set.find(own));
    });
    who.wait();
  }
};

} // namespace tessera::solvers::multigrid::detail
