// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Loops over rows on hosts. Where devices hash columns in fast memory, a host's thread has an array over all
/// columns (F. G. Gustavson, "Two fast algorithms for sparse matrices", ACM Trans. Math. Softw. 4, 1978).

#include <tessera/core/graphs/ascending_list.hpp>
#include <tessera/solvers/sparse/detail/host_lists.hpp>
#include <tessera/solvers/sparse/detail/tuning.hpp>
#include <tessera/solvers/sparse/detail/types.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <limits>
#include <string>

namespace tessera::solvers::sparse::detail {

/// What a thread of the host works with: a place for each column, all -1 between two rows, and memory.
struct ThreadMemory {
  Ordinal* place;
  char* next;

  static constexpr std::size_t line = 64;
  template <class Scalar>
  static std::size_t bytes(std::size_t count) {
    return (count * sizeof(Scalar) + line - 1) / line * line;
  }

  /// The next so many numbers of the memory.
  template <class Scalar>
  KOKKOS_FUNCTION Scalar* take(std::size_t count) {
    auto* const taken = reinterpret_cast<Scalar*>(next);
    next += (count * sizeof(Scalar) + line - 1) / line * line;
    return taken;
  }
};

/// Distinct numbers, and the place of each by number.
struct PlacedList {
  Ordinal *place, *numbers;
  Ordinal capacity; // for numbers
  Ordinal count = 0;
  bool full = false;

  /// \return the number's place; `capacity` if there is none
  KOKKOS_FORCEINLINE_FUNCTION Ordinal insert(Ordinal number) {
    const Ordinal found = place[number];
    if (count == capacity) {
      full = full || found < 0;
      return found < 0 ? capacity : found;
    }
    const bool is_new = found < 0; // as often as not: no branch
    const Ordinal own = is_new ? count : found;
    numbers[count] = number;
    place[number] = own;
    count += is_new ? 1 : 0;
    return own;
  }
  KOKKOS_FUNCTION void clear() {
    for (Ordinal k = 0; k < count; ++k) place[numbers[k]] = -1;
  }
};

/// Memory of all threads.
template <class ExecutionSpace>
struct ThreadMemories {
  Kokkos::Experimental::UniqueToken<ExecutionSpace> tokens;
  Kokkos::View<Ordinal**, Kokkos::LayoutRight, ExecutionSpace> places; // thread × column
  Kokkos::View<char**, Kokkos::LayoutRight, ExecutionSpace> memory;    // thread × byte

  ThreadMemories(const Workspace<ExecutionSpace>& work, std::size_t columns, std::size_t bytes)
      : tokens(work.exec), places(make_temporary<decltype(places)>(work, "places", tokens.size(), columns)),
        memory(make_temporary<decltype(memory)>(work, "memory", tokens.size(), bytes)) {
    Kokkos::deep_copy(work.exec, places, Ordinal(-1));
  }
};

/// Calls body(row, memory) for some rows.
template <class ExecutionSpace, class Body>
struct MemoryLoop {
  static constexpr Ordinal group = tuning::host_rows; // rows that a thread takes at a time

  Body body;
  ThreadMemories<ExecutionSpace> memories;
  Ordinal rows;

  KOKKOS_FUNCTION void operator()(Ordinal item) const {
    const auto thread = static_cast<std::size_t>(memories.tokens.acquire());
    const ThreadMemory own{memories.places.data() + thread * memories.places.extent(1),
                           memories.memory.data() + thread * memories.memory.extent(1)};
    const Ordinal begin = item * group, left = rows - begin;
    for (Ordinal k = 0; k < (left < group ? left : group); ++k) body(begin + k, own);
    memories.tokens.release(static_cast<int>(thread));
  }
};

/// Calls body(row, memory) for all rows, each by one thread of the host.
template <class ExecutionSpace, class Body>
void for_each_row_with_memory(const ExecutionSpace& exec, const std::string& label, Ordinal rows,
                              const ThreadMemories<ExecutionSpace>& memories, const Body& body) {
  using Loop = MemoryLoop<ExecutionSpace, Body>;
  using Policy =
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>, Kokkos::Schedule<Kokkos::Dynamic>>;
  Kokkos::parallel_for(label, Policy(exec, 0, rows / Loop::group + (rows % Loop::group > 0 ? 1 : 0)),
                       Loop{body, memories, rows});
}

/// Sorts up to `most` distinct numbers, each by how many of as many are smaller: a loop of known length.
template <int most>
KOKKOS_INLINE_FUNCTION void sort_few(const Ordinal* list, Ordinal count, Ordinal* sorted) {
  Ordinal all[most];
  for (Ordinal k = 0; k < most; ++k) all[k] = k < count ? list[k] : std::numeric_limits<Ordinal>::max();
  for (Ordinal k = 0; k < count; ++k) {
    Ordinal rank = 0;
    for (Ordinal other = 0; other < most; ++other) rank += all[other] < all[k] ? 1 : 0;
    sorted[rank] = all[k];
  }
}

/// Orders distinct numbers: the k-th smallest is list[order[k]], and goes to sorted[k]. Short lists are
/// ranked by counting, which does not branch; long ones are sorted and looked up.
KOKKOS_INLINE_FUNCTION void order_of(const Ordinal* list, Ordinal count, Ordinal* order, Ordinal* sorted) {
  const bool ranked = count <= tuning::ranked_numbers;
  if (!ranked) {
    for (Ordinal k = 0; k < count; ++k) sorted[k] = list[k];
    tessera::detail::sort_ascending(sorted, count);
  }
  for (Ordinal k = 0; k < count; ++k) {
    const Ordinal own = list[k];
    const Ordinal rank =
        ranked ? count_smaller(list, count, own) : tessera::detail::place_in(sorted, count, own);
    order[rank] = k;
    sorted[rank] = own;
  }
}

} // namespace tessera::solvers::sparse::detail
