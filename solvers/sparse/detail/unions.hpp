// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Patterns: for each row the distinct numbers of some lists, ascending.

#include <tessera/core/scratch_atomics.hpp>
#include <tessera/core/vector_fence.hpp>
#include <tessera/solvers/sparse/detail/overflows.hpp>
#include <tessera/solvers/sparse/detail/rows.hpp>
#include <tessera/solvers/sparse/detail/thread_memory.hpp>
#include <tessera/solvers/sparse/detail/types.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace tessera::solvers::sparse::detail {

/// Looks numbers up in an ascending list by steps of powers of two: as many for each number, so that lanes
/// stay together.
class AscendingSearch {
public:
  KOKKOS_FORCEINLINE_FUNCTION AscendingSearch(const Ordinal* list, Ordinal count)
      : list_(list), count_(count) {
    while (2 * half_ < count) half_ *= 2;
  }

  /// \return the place of the largest number that is no larger, 0 if there is none
  KOKKOS_FORCEINLINE_FUNCTION Ordinal place_of(Ordinal number) const {
    Ordinal place = 0;
    for (Ordinal step = half_; step > 0; step /= 2)
      if (place + step < count_ && list_[place + step] <= number) place += step;
    return place;
  }

  /// Numbers in a list that `places_of` searches: a power of two.
  KOKKOS_FUNCTION static Ordinal padded(Ordinal count) {
    Ordinal half = 1;
    while (2 * half < count) half *= 2;
    return 2 * half;
  }

  /// The places of some numbers, found together, in a list that is filled up with larger ones.
  template <int Count>
  KOKKOS_FORCEINLINE_FUNCTION void places_of(const Ordinal (&number)[Count], Ordinal (&place)[Count]) const {
    for (int i = 0; i < Count; ++i) place[i] = 0;
    for (Ordinal step = half_; step > 0; step /= 2)
      for (int i = 0; i < Count; ++i)
        if (list_[place[i] + step] <= number[i]) place[i] += step;
  }

private:
  const Ordinal* list_;
  Ordinal count_, half_ = 1;
};

/// Numbers in a hash table of a power of two of slots: linear probing, -1 is free.
template <class ExecutionSpace>
struct HashSet {
  Scratch<Ordinal, ExecutionSpace> table;

  KOKKOS_FUNCTION std::uint32_t mask() const { return static_cast<std::uint32_t>(table.extent(0) - 1); }
  KOKKOS_FUNCTION std::uint32_t first_slot(Ordinal number) const {
    return (static_cast<std::uint32_t>(number) * 2654435769u >> 7) & mask();
  }

  /// \return the slot of a number that is in the table
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t find(Ordinal number) const {
    std::uint32_t slot = first_slot(number);
    while (table(slot) != number) slot = (slot + 1) & mask();
    return slot;
  }

  /// \param slot  where the number is on return
  /// \return 1 if the number is new, else 0; -1 if the table is full
  KOKKOS_FUNCTION int insert(Ordinal number, std::uint32_t& slot) const {
    slot = first_slot(number);
    for (std::uint32_t probe = 0; probe <= mask(); ++probe, slot = (slot + 1) & mask()) {
      Ordinal found = table(slot); // may be old: then the exchange below finds what others inserted
      if (found == number) return 0;
      if (found != -1) continue;
      found = scratch_compare_exchange(&table(slot), Ordinal(-1), number);
      if (found == -1) return 1;
      if (found == number) return 0;
    }
    return -1;
  }
};

/// Writes the distinct numbers of some rows, and how many there are, into lists of equal capacity. `Lists`
/// has items(row), how many items a row has, and visit(row, item, insert), which calls insert(number) for an
/// item's numbers.
template <class ExecutionSpace, class Lists>
struct UnionRows {
  using Member = TeamMember<ExecutionSpace>;
  using Table = Scratch<Ordinal, ExecutionSpace>;

  Lists lists;
  SomeItems<ExecutionSpace> rows;
  Offsets<ExecutionSpace> lengths; // row (+1)
  Ordinals<ExecutionSpace> found;  // place among those rows · capacity
  Ordinal capacity;                // of a row, a power of two
  Overflows<ExecutionSpace> overflows;

  KOKKOS_FUNCTION Ordinal slots() const { return 2 * capacity; }
  std::size_t scratch_bytes() const {
    return Table::shmem_size(slots()) + Table::shmem_size(capacity) + Table::shmem_size(1);
  }

  template <class Level>
  KOKKOS_FUNCTION void operator()(const Member& team, Ordinal item, Level level) const {
    const Ordinal row = rows.item(item);
    const auto& scratch = team.thread_scratch(level);
    const HashSet<ExecutionSpace> set{Table(scratch, slots())};
    const Table list(scratch, capacity), listed(scratch, 1);
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, slots()), [&](Ordinal k) { set.table(k) = -1; });
    vector_fence();
    Offset inserted = 0;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, lists.items(row)),
        [&](Ordinal item, Offset& sum) {
          lists.visit(row, item, [&](Ordinal number) {
            std::uint32_t slot = 0;
            const int is_new = set.insert(number, slot);
            sum = is_new < 0 ? sum | overflow : sum + static_cast<Offset>(is_new);
          });
        },
        inserted);
    const bool fits = inserted <= static_cast<Offset>(capacity);
    Kokkos::single(Kokkos::PerThread(team), [&]() {
      listed(0) = 0;
      lengths(row + 1) = fits ? inserted : overflow;
      if (!fits) overflows.add(row);
    });
    vector_fence();
    if (!fits) return;
    const auto count = static_cast<Ordinal>(inserted);
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, slots()), [&](Ordinal k) {
      if (set.table(k) != -1) list(scratch_fetch_add(&listed(0), 1)) = set.table(k);
    });
    vector_fence();
    Ordinal* const out = found.data() + static_cast<Offset>(item) * capacity;
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, count), [&](Ordinal k) {
      Ordinal rank = 0;
      for (Ordinal other = 0; other < count; ++other) rank += list(other) < list(k) ? 1 : 0;
      out[rank] = list(k);
    });
  }
};

/// The same on hosts.
template <class ExecutionSpace, class Lists>
struct HostUnionRows {
  Lists lists;
  SomeItems<ExecutionSpace> rows;
  Offsets<ExecutionSpace> lengths; // row (+1)
  Ordinals<ExecutionSpace> found;  // place among those rows · capacity
  Ordinal capacity;                // of a row
  Overflows<ExecutionSpace> overflows;

  std::size_t bytes() const { return 2 * ThreadMemory::bytes<Ordinal>(capacity); }

  KOKKOS_FUNCTION void operator()(Ordinal item, ThreadMemory own) const {
    const Ordinal row = rows.item(item);
    PlacedList list{.place = own.place, .numbers = own.take<Ordinal>(capacity), .capacity = capacity};
    const Ordinal items = lists.items(row);
    for (Ordinal k = 0; k < items; ++k) lists.visit(row, k, [&](Ordinal number) { list.insert(number); });
    list.clear();
    lengths(row + 1) = list.full ? overflow : static_cast<Offset>(list.count);
    if (list.full) overflows.add(row);
    Ordinal* const out = found.data() + static_cast<Offset>(item) * capacity;
    constexpr int few = 8;
    if (list.count <= few)
      sort_few<few>(list.numbers, list.count, out);
    else if (!list.full)
      order_of(list.numbers, list.count, own.take<Ordinal>(capacity), out);
  }
};

/// Of a pattern with which nothing else is made.
struct ExpectNothing {
  void operator()(Offset) const {}
};

/// Copies the numbers of some rows, if they had room, from there to their place.
template <class ExecutionSpace>
struct KeepRows {
  SomeItems<ExecutionSpace> rows;
  Ordinals<ExecutionSpace> found;
  Ordinal capacity;
  Graph<ExecutionSpace> graph;

  KOKKOS_FUNCTION void operator()(const TeamMember<ExecutionSpace>& team, Ordinal item, int) const {
    const Ordinal row = rows.item(item);
    const Offset from = static_cast<Offset>(item) * capacity, to = graph.row_map(row);
    if (graph.length(row) > capacity) return;
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, graph.length(row)),
                         [&](Ordinal k) { graph.columns(to + k) = found(from + k); });
  }
};

/// The distinct numbers of each row's lists.
/// \param what     they are; the label of kernels and arrays.
/// \param columns  no number is as large.
/// \param lanes    that a row's items keep busy.
/// \param capacity     first guess of the numbers that rows have, a power of two; rows that have more are
/// made again in larger lists.
/// \param expect   expect(count) is called before so many numbers are made.
/// \throws OutOfMemoryError as `allocate`
template <class ExecutionSpace, class Lists, class Expect = ExpectNothing>
Graph<ExecutionSpace> unions(const Workspace<ExecutionSpace>& work, const std::string& what,
                             const Lists& lists, Ordinal rows, Ordinal columns, int lanes, Ordinal capacity,
                             const Expect& expect = {}) {
  using Rows = std::conditional_t<runs_on_host<ExecutionSpace>, HostUnionRows<ExecutionSpace, Lists>,
                                  UnionRows<ExecutionSpace, Lists>>;
  const std::string label = work.label(what);
  const ReturnTemporaries<ExecutionSpace> at_end(work);
  Graph<ExecutionSpace> graph{make_kept<Offsets<ExecutionSpace>>(work, what + "::row_map", rows + 1), {}};
  Rows body{lists, {rows, {}}, make_temporary<Offsets<ExecutionSpace>>(work, "lengths", rows + 1),
            {},    capacity,   Overflows<ExecutionSpace>(work, rows)};
  std::vector<KeepRows<ExecutionSpace>> parts;
  Lengths lengths;
  for (;; body.capacity *= 4) {
    const auto count = static_cast<std::size_t>(body.rows.count);
    body.found = make_temporary<Ordinals<ExecutionSpace>>(work, "found", count * body.capacity);
    if constexpr (runs_on_host<ExecutionSpace>)
      for_each_row_with_memory(work.exec, label, body.rows.count,
                               ThreadMemories<ExecutionSpace>(work, columns, body.bytes()), body);
    else
      for_each_row(work.exec, label, body.rows.count, lanes, body.scratch_bytes(), body);
    parts.push_back({body.rows, body.found, body.capacity, {}});
    lengths = offsets_of(work, graph.row_map, body.lengths);
    if (lengths.longest < overflow) break;
    body.rows = body.overflows.all(lengths.sum);
    body.overflows = Overflows<ExecutionSpace>(work, body.rows.count);
  }
  expect(lengths.sum);
  graph.columns = make_kept<Ordinals<ExecutionSpace>>(work, what + "::columns", lengths.sum);
  graph.longest = static_cast<Ordinal>(lengths.longest);
  for (KeepRows<ExecutionSpace>& part : parts) {
    part.graph = graph;
    for_each_row(work.exec, "Tessera::Sparse::keep_rows", part.rows.count, lanes_for(lengths.sum, rows), 0,
                 part);
  }
  return graph;
}

} // namespace tessera::solvers::sparse::detail
