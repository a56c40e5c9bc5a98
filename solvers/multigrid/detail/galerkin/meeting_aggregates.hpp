#pragma once

/// \file
/// Which aggregates are coupled in PᵀAP: the symbolic part of the triple product, by aggregates.

#include <tessera/core/scratch_atomics.hpp>
#include <tessera/solvers/multigrid/detail/aggregation/aggregates.hpp>
#include <tessera/solvers/multigrid/detail/galerkin/galerkin_plan.hpp>
#include <tessera/solvers/multigrid/detail/sparse.hpp>
#include <tessera/solvers/sparse/detail/rows.hpp>
#include <tessera/solvers/sparse/detail/unions.hpp>
#include <tessera/solvers/sparse/detail/without_room.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace tessera::solvers::multigrid::detail {

/// Finds an aggregate's lists. A row of A P has its columns put into a hash table, and their slots gathered
/// as bits, which are then given to the columns of the row of P.
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

  Graph<ExecutionSpace> a, p;
  Aggregates<ExecutionSpace> aggregates;
  Offsets<ExecutionSpace> near_lengths, far_lengths; // in the entry after an aggregate's own
  MeetingRooms<ExecutionSpace> lists;
  MeetingLists<ExecutionSpace> met;
  WithoutRoom<ExecutionSpace> without_room;

  /// Slots of the hash tables, powers of two.
  KOKKOS_FUNCTION Ordinal near_slots() const { return 2 * lists.near_room; }
  KOKKOS_FUNCTION Ordinal far_slots() const { return lists.far_room / 3 * 4; }
  KOKKOS_FUNCTION Ordinal slot_words() const { return far_slots() / 32; }

  enum Counter { in_near, in_far, full, listed, counters };
  KOKKOS_FUNCTION std::size_t numbers_room() const {
    return static_cast<std::size_t>(near_slots()) + far_slots() + lists.near_room + 2 * lists.far_room +
           counters;
  }
  KOKKOS_FUNCTION Ordinal masks_room() const { return (slot_words() | 1) * rows_at_once; }
  KOKKOS_FUNCTION Ordinal reached_room() const { return slot_words() * near_slots(); }
  std::size_t scratch_bytes() const {
    return OrdinalScratch::shmem_size(numbers_room()) +
           WordScratch::shmem_size(static_cast<std::size_t>(masks_room()) + reached_room());
  }

  /// An aggregate's tables.
  struct Tables {
    HashSet<ExecutionSpace> near, far;
    Ordinal *near_order, *far_order; // slots in the order of the numbers there
    Ordinal *unsorted, *count;
    std::uint32_t* masks;   // row at once: slots of the far columns of its row
    std::uint32_t* reached; // slot of a near column: slots of far columns
  };

  template <class Level>
  KOKKOS_FUNCTION void operator()(const Member& team, Level level) const {
    find(team, team.league_rank(), team.team_scratch(level));
  }
  template <class Level>
  KOKKOS_FUNCTION void operator()(const Member& team, Ordinal item, Level level) const {
    find(team, item, team.thread_scratch(level));
  }

  /// Calls work(k) for some items by all lanes that an aggregate has; a thread's wait for each other after
  /// it.
  template <class Work>
  KOKKOS_FORCEINLINE_FUNCTION static void each(const Member& team, Ordinal count, const Work& work) {
    if constexpr (by_team)
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, count), work);
    else
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, count), work);
  }
  KOKKOS_FORCEINLINE_FUNCTION static void wait(const Member& team) {
    if constexpr (by_team) team.team_barrier();
  }
  template <class Work>
  KOKKOS_FORCEINLINE_FUNCTION static void once(const Member& team, const Work& work) {
    if constexpr (by_team)
      Kokkos::single(Kokkos::PerTeam(team), work);
    else
      Kokkos::single(Kokkos::PerThread(team), work);
  }
  template <class Memory>
  KOKKOS_FORCEINLINE_FUNCTION void find(const Member& team, Ordinal listed, const Memory& scratch) const {
    const Ordinal aggregate = lists.aggregates.item(listed);
    const OrdinalScratch numbers(scratch, numbers_room());
    const WordScratch words(scratch, static_cast<std::size_t>(masks_room()) + reached_room());
    Ordinal* next = numbers.data();
    const auto take = [&next](Ordinal count) { return (next += count) - count; };
    const Tables t{{OrdinalScratch(take(near_slots()), near_slots())},
                   {OrdinalScratch(take(far_slots()), far_slots())},
                   take(lists.near_room),
                   take(lists.far_room),
                   take(lists.far_room),
                   take(counters),
                   words.data(),
                   words.data() + masks_room()};
    each(team, near_slots() + far_slots(), [&](Ordinal k) { numbers(k) = -1; });
    each(team, Ordinal{counters}, [&](Ordinal k) { t.count[k] = 0; });
    each(team, reached_room(), [&](Ordinal k) { t.reached[k] = 0; });
    wait(team);
    const Ordinal first = aggregates.begin(aggregate);
    const Ordinal nodes = aggregates.size(aggregate), stride = slot_words() | 1;
    if constexpr (by_team)
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, nodes), [&](Ordinal item) {
        collect(team, aggregates.node(first + item), t.masks + team.team_rank() * stride, t);
      });
    else
      each(team, nodes, [&](Ordinal item) {
        collect(team, aggregates.node(first + item), t.masks + item % rows_at_once * stride, t);
      });
    wait(team);
    const bool fits =
        t.count[full] == 0 && t.count[in_near] <= lists.near_room && t.count[in_far] <= lists.far_room;
    if (fits) write(team, listed, t);
    once(team, [&]() {
      near_lengths(aggregate + 1) = fits ? t.count[in_near] : no_room;
      far_lengths(aggregate + 1) = fits ? t.count[in_far] : no_room;
      met(aggregate) = {lists.bits_of(listed, 0), lists.words()};
      if (!fits) without_room.add(aggregate);
    });
  }

  /// \param room  becomes false if the table has no room for the number
  /// \return the slot
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t insert(const HashSet<ExecutionSpace>& set, Ordinal number,
                                                   Ordinal& count, bool& room) const {
    std::uint32_t slot = 0;
    const int inserted = set.insert(number, slot);
    if (inserted > 0) scratch_fetch_add(&count, 1);
    if (inserted < 0) room = false;
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
  }

  /// Puts a row's columns into the tables.
  KOKKOS_FUNCTION void collect(const Member& team, Ordinal node, std::uint32_t* mask, const Tables& t) const {
    if constexpr (Lanes == 1)
      for (Ordinal w = 0; w < slot_words(); ++w) mask[w] = 0;
    else
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, slot_words()), [&](Ordinal w) { mask[w] = 0; });
    bool room = true;
    for (Offset k = a.row_map(node); k < a.row_map(node + 1); ++k) {
      each_column(team, a.columns(k), [&](Ordinal column) {
        const std::uint32_t slot = insert(t.far, column, t.count[in_far], room);
        const std::uint32_t bit = std::uint32_t{1} << slot % 32;
        if constexpr (Lanes == 1)
          mask[slot / 32] |= bit;
        else
          scratch_fetch_or(&mask[slot / 32], bit);
      });
      // Each look through a full table takes long, and a row may have thousands of neighbours. (Lanes that
      // share a row stay together; a break and no return, after which lanes would not meet again.)
      if constexpr (Lanes == 1)
        if (!room) break;
    }
    each_column(team, node, [&](Ordinal column) {
      std::uint32_t* const to =
          t.reached + static_cast<Ordinal>(insert(t.near, column, t.count[in_near], room)) * slot_words();
      for (Ordinal w = 0; w < slot_words(); ++w) scratch_fetch_or(to + w, mask[w]);
    });
    if (!room) Kokkos::atomic_store(&t.count[full], 1);
  }

  KOKKOS_FUNCTION void write(const Member& team, Ordinal listed, const Tables& t) const {
    const Ordinal near_count = t.count[in_near], far_count = t.count[in_far], words = lists.words();
    sort(team, t.near, near_count, t, t.near_order, lists.near_of(listed));
    sort(team, t.far, far_count, t, t.far_order, lists.far_of(listed));
    each(team, near_count * words, [&](Ordinal item) {
      const Ordinal place = item / words, word = item - place * words;
      const std::uint32_t* const from = t.reached + t.near_order[place] * slot_words();
      const Ordinal* const slots = t.far_order + word * 32;
      const Ordinal count = Kokkos::min(Ordinal{32}, far_count - word * 32);
      std::uint32_t mask = 0;
      for (Ordinal k = 0; k < count; ++k) mask |= (from[slots[k] / 32] >> (slots[k] % 32) & 1u) << k;
      lists.bits_of(listed, place)[word] = mask;
    });
  }

  /// Slots of a table in the order of the numbers there, which go to `out`.
  KOKKOS_FUNCTION void sort(const Member& team, const HashSet<ExecutionSpace>& set, Ordinal count,
                            const Tables& t, Ordinal* order, Ordinal* out) const {
    Ordinal* const used = &t.count[listed];
    each(team, 1, [&](Ordinal) { *used = 0; });
    wait(team);
    each(team, set.table.extent_int(0), [&](Ordinal k) {
      if (set.table(k) != -1) t.unsorted[scratch_fetch_add(used, 1)] = set.table(k);
    });
    wait(team);
    each(team, count, [&](Ordinal k) {
      const Ordinal own = t.unsorted[k];
      Ordinal rank = 0;
      for (Ordinal other = 0; other < count; ++other) rank += t.unsorted[other] < own ? 1 : 0;
      out[rank] = own;
      order[rank] = static_cast<Ordinal>(set.find(own));
    });
    wait(team);
  }
};

} // namespace tessera::solvers::multigrid::detail
