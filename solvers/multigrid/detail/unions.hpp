#pragma once

/// \file
/// Patterns: for each row the distinct numbers of some lists, ascending.

#include <tessera/core/ascending_list.hpp>
#include <tessera/solvers/multigrid/detail/rows.hpp>
#include <tessera/solvers/multigrid/detail/types.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <limits>

namespace tessera::solvers::multigrid {

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
      found = Kokkos::atomic_compare_exchange(&table(slot), Ordinal(-1), number);
      if (found == -1) return 1;
      if (found == number) return 0;
    }
    return -1;
  }
};

/// Counts, then writes the distinct numbers of each row. `Lists` has items(row), how many items a row has,
/// and visit(row, item, insert), which calls insert(number) for an item's numbers.
template <class ExecutionSpace, class Lists>
struct UnionRows {
  using Member = TeamMember<ExecutionSpace>;
  using Table = Scratch<Ordinal, ExecutionSpace>;

  Lists lists;
  Graph<ExecutionSpace> graph; // row_map: lengths after counting, offsets before writing
  Ordinal room;                // of a row's table, a power of two
  bool write;

  static constexpr Offset overflow = Offset{1} << 40; // the length of a row whose table was full

  std::size_t scratch_bytes() const { return 2 * Table::shmem_size(room); }

  /// Puts a row's numbers into the table. \return how many there are, or `overflow` and more
  KOKKOS_FUNCTION Offset collect(const Member& team, const HashSet<ExecutionSpace>& set, Ordinal row) const {
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, room), [&](Ordinal k) { set.table(k) = -1; });
    Offset count = 0;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, lists.items(row)),
        [&](Ordinal item, Offset& sum) {
          lists.visit(row, item, [&](Ordinal number) {
            std::uint32_t slot = 0;
            const int inserted = set.insert(number, slot);
            sum = inserted < 0 ? sum | overflow : sum + static_cast<Offset>(inserted);
          });
        },
        count);
    return count;
  }

  KOKKOS_FUNCTION void operator()(const Member& team, Ordinal row, int scratch_level) const {
    const HashSet<ExecutionSpace> set{Table(team.thread_scratch(scratch_level), room)};
    const Table list(team.thread_scratch(scratch_level), room);
    const Offset found = collect(team, set, row);
    if (!write) {
      Kokkos::single(Kokkos::PerThread(team), [&]() { graph.row_map(row + 1) = found; });
      return;
    }
    const auto count = static_cast<Ordinal>(found);
    Kokkos::parallel_scan(Kokkos::ThreadVectorRange(team, room), [&](Ordinal k, Ordinal& at, bool final) {
      const bool used = set.table(k) != -1;
      if (final && used) list(at) = set.table(k);
      at += used ? 1 : 0;
    });
    Ordinal* const out = graph.columns.data() + graph.row_map(row);
    if constexpr (runs_on_host<ExecutionSpace>) {
      tessera::detail::sort_ascending(list.data(), count);
      for (Ordinal k = 0; k < count; ++k) out[k] = list(k);
    } else {
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, count), [&](Ordinal k) {
        Ordinal rank = 0;
        for (Ordinal other = 0; other < count; ++other) rank += list(other) < list(k) ? 1 : 0;
        out[rank] = list(k);
      });
    }
  }
};

/// The same by one thread a row, an ascending list in registers: for rows with few numbers on devices.
template <class ExecutionSpace, class Lists>
struct ShortUnionRows {
  static constexpr int most = 16;
  static constexpr Ordinal none = std::numeric_limits<Ordinal>::max();

  Lists lists;
  Graph<ExecutionSpace> graph; // as above
  bool write;

  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    Ordinal list[most];
    for (int k = 0; k < most; ++k) list[k] = none;
    bool fits = true;
    const Ordinal items = lists.items(row);
    for (Ordinal item = 0; item < items; ++item)
      lists.visit(row, item, [&](Ordinal number) { // goes up the list, and is left at the first larger one
        for (int k = 0; k < most; ++k) {
          const Ordinal kept = list[k];
          list[k] = Kokkos::min(kept, number);
          number = number == kept ? none : Kokkos::max(kept, number);
        }
        fits = fits && number == none;
      });
    Offset at = write ? graph.row_map(row) : 0;
    for (int k = 0; k < most; ++k) {
      if (list[k] == none) continue;
      if (write) graph.columns(at) = list[k];
      ++at;
    }
    if (!write) graph.row_map(row + 1) = fits ? at : UnionRows<ExecutionSpace, Lists>::overflow;
  }
};

/// \return whether all rows are short enough; the graph is left as it was if not
template <class ExecutionSpace, class Lists>
bool short_unions(const ExecutionSpace& exec, const char* label, const Lists& lists, Ordinal rows,
                  Graph<ExecutionSpace>& graph) {
  ShortUnionRows<ExecutionSpace, Lists> body{
      lists, {make<Offsets<ExecutionSpace>>(exec, "row_map", rows + 1), {}}, false};
  Kokkos::parallel_for(label, Range<ExecutionSpace>(exec, 0, rows), body);
  const Lengths lengths = lengths_to_offsets(exec, body.graph.row_map);
  if (lengths.longest >= UnionRows<ExecutionSpace, Lists>::overflow) return false;
  body.graph.columns = make<Ordinals<ExecutionSpace>>(exec, "columns", lengths.sum);
  body.graph.longest = static_cast<Ordinal>(lengths.longest);
  body.write = true;
  Kokkos::parallel_for(label, Range<ExecutionSpace>(exec, 0, rows), body);
  graph = body.graph;
  return true;
}

/// The distinct numbers of each row's lists.
/// \param lanes  that a row's items keep busy.
/// \param room   first guess of the slots that rows need, a power of two; doubled until all fit.
/// \throws OutOfMemoryError as `allocate`
template <class ExecutionSpace, class Lists>
Graph<ExecutionSpace> unions(const ExecutionSpace& exec, const char* label, const Lists& lists, Ordinal rows,
                             int lanes, Ordinal room) {
  UnionRows<ExecutionSpace, Lists> body{
      lists, {make<Offsets<ExecutionSpace>>(exec, "row_map", rows + 1), {}}, room, false};
  for_each_row(exec, label, rows, lanes, body.scratch_bytes(), body);
  Lengths lengths = lengths_to_offsets(exec, body.graph.row_map);
  while (lengths.longest >= body.overflow) {
    body.room *= 2;
    for_each_row(exec, label, rows, lanes, body.scratch_bytes(), body);
    lengths = lengths_to_offsets(exec, body.graph.row_map);
  }
  body.graph.columns = make<Ordinals<ExecutionSpace>>(exec, "columns", lengths.sum);
  body.graph.longest = static_cast<Ordinal>(lengths.longest);
  body.write = true;
  for_each_row(exec, label, rows, lanes, body.scratch_bytes(), body);
  return body.graph;
}

} // namespace tessera::solvers::multigrid
