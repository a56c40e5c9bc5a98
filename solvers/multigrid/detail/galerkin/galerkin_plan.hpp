// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// What is kept of PᵀAP for new values, and how it is gathered from the aggregates' lists.

#include <tessera/core/graphs/ascending_list.hpp>
#include <tessera/core/scratch_atomics.hpp>
#include <tessera/core/vector_fence.hpp>
#include <tessera/solvers/multigrid/detail/sparse.hpp>
#include <tessera/solvers/multigrid/detail/tuning.hpp>
#include <tessera/solvers/sparse/detail/overflows.hpp>
#include <tessera/solvers/sparse/detail/rows.hpp>
#include <tessera/solvers/sparse/detail/transpose.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace tessera::solvers::multigrid::detail {

/// Which aggregates meet in the product, and where the parts are that aggregates contribute to it; or, by
/// blocks on devices, the pattern of A P.
template <class ExecutionSpace>
struct GalerkinPlan {
  Graph<ExecutionSpace> near;     ///< aggregate I: columns of P in the rows of its nodes
  Graph<ExecutionSpace> far;      ///< aggregate I: columns of A P there
  Graph<ExecutionSpace> sources;  ///< coarse node J: the aggregates that have it near
  Ordinals<ExecutionSpace> place; ///< of J in the near list of each of its sources, or in rows of P
  Offsets<ExecutionSpace> begin;  ///< aggregate (+1): its first contribution, near × far rounded up
  /// Aggregate: multiplies far columns so that their leading `table_bits` bits differ; 0 if none was found.
  Kokkos::View<std::uint32_t*, ExecutionSpace> multiplier;
  int table_bits = 0;
  Graph<ExecutionSpace> product; ///< of A P

  /// From a row of an aggregate's contributions to the next: whole groups of four.
  KOKKOS_FUNCTION static Ordinal whole_fours(Ordinal count) { return (count + 3) / 4 * 4; }
  KOKKOS_FUNCTION Ordinal stride(Ordinal aggregate) const { return whole_fours(far.length(aggregate)); }
  std::size_t bytes() const {
    const bool symmetric = sources.columns.data() == near.columns.data();
    return near.bytes() + far.bytes() + (symmetric ? 0 : sources.bytes()) + bytes_of(place) +
           bytes_of(begin) + bytes_of(multiplier) + product.bytes();
  }
};

/// The lists of some aggregates, each of equal capacity, and where their contributions are not zero: bit k of
/// the words of a near column says that the product has an entry in far column k.
template <class ExecutionSpace>
struct MeetingStorage {
  SomeItems<ExecutionSpace> aggregates;
  Ordinal near_capacity = 0, far_capacity = 0; // numbers: a power of two, three times a power of two
  Ordinals<ExecutionSpace> near, far;
  Kokkos::View<std::uint32_t*, ExecutionSpace> bits;

  KOKKOS_FUNCTION Ordinal words() const { return far_capacity / 32; } // of a near column
  KOKKOS_FUNCTION Ordinal* near_of(Ordinal item) const {
    return near.data() + static_cast<Offset>(item) * near_capacity;
  }
  KOKKOS_FUNCTION Ordinal* far_of(Ordinal item) const {
    return far.data() + static_cast<Offset>(item) * far_capacity;
  }
  KOKKOS_FUNCTION std::uint32_t* bits_of(Ordinal item, Ordinal place) const {
    return bits.data() + (static_cast<Offset>(item) * near_capacity + place) * words();
  }
};

/// Where an aggregate's contributions are not zero, in the storage that has it.
struct MetColumns {
  const std::uint32_t* bits;
  Ordinal words; // of a near column

  KOKKOS_FUNCTION const std::uint32_t* of(Ordinal place) const {
    return bits + static_cast<Offset>(place) * static_cast<Offset>(words);
  }
};
template <class ExecutionSpace>
using MeetingLists = Kokkos::View<MetColumns*, ExecutionSpace>; // by aggregate

/// Offsets from the lengths of both lists, and of contributions, all in one pass.
template <class ExecutionSpace>
struct PlanLengths {
  static constexpr int kinds = 3;
  enum Kind { near, far, contributions };

  GalerkinPlan<ExecutionSpace> plan;
  Offsets<ExecutionSpace> near_lengths, far_lengths; // in the entry after an aggregate's own

  KOKKOS_FUNCTION tessera::detail::LengthSums<kinds> lengths(Ordinal i) const {
    const Offset near = i == 0 ? 0 : near_lengths(i), far = i == 0 ? 0 : far_lengths(i);
    const Offset product = near * plan.whole_fours(static_cast<Ordinal>(far));
    return {.sum = {near, far, product}, .longest = {near, far, product}};
  }
  KOKKOS_FUNCTION void store(Ordinal i, const Kokkos::Array<Offset, kinds>& through) const {
    plan.near.row_map(i) = through[Kind::near];
    plan.far.row_map(i) = through[Kind::far];
    plan.begin(i) = through[Kind::contributions];
  }
};

/// Copies the lists of some aggregates, if they have room, to where the plan keeps them, and finds its
/// multiplier: one of a sequence that hashes the far columns without collisions (M. L. Fredman, J. Komlós and
/// E. Szemerédi, "Storing a sparse table with O(1) worst case access time", J. ACM 31, 1984).
template <class ExecutionSpace>
struct KeepLists {
  using WordScratch = Scratch<std::uint32_t, ExecutionSpace>;

  MeetingStorage<ExecutionSpace> lists;
  GalerkinPlan<ExecutionSpace> plan;

  KOKKOS_FUNCTION Ordinal words() const { return (Ordinal{1} << plan.table_bits) / 32; }
  std::size_t scratch_bytes() const { return plan.table_bits > 0 ? WordScratch::shmem_size(words()) : 0; }

  template <class Level>
  KOKKOS_FUNCTION void operator()(const TeamMember<ExecutionSpace>& team, Ordinal item, Level level) const {
    const Ordinal aggregate = lists.aggregates.item(item);
    const Offset near = plan.near.row_map(aggregate), far = plan.far.row_map(aggregate);
    const Ordinal* const numbers = lists.far_of(item);
    const Ordinal count = plan.far.length(aggregate);
    if (count > lists.far_capacity || plan.near.length(aggregate) > lists.near_capacity) return;
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, plan.near.length(aggregate)),
                         [&](Ordinal k) { plan.near.columns(near + k) = lists.near_of(item)[k]; });
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, count),
                         [&](Ordinal k) { plan.far.columns(far + k) = numbers[k]; });
    if (plan.table_bits == 0) return;
    const WordScratch used(team.thread_scratch(level), words());
    Ordinal collisions = 1;
    std::uint32_t multiplier = 0;
    for (int trial = 0; trial < tuning::multiplier_trials && collisions > 0; ++trial) {
      multiplier = 2654435769u * static_cast<std::uint32_t>(2 * trial + 1);
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, words()), [&](Ordinal w) { used(w) = 0; });
      vector_fence();
      Kokkos::parallel_reduce(
          Kokkos::ThreadVectorRange(team, count),
          [&](Ordinal k, Ordinal& sum) {
            const std::uint32_t slot =
                static_cast<std::uint32_t>(numbers[k]) * multiplier >> (32 - plan.table_bits);
            const std::uint32_t bit = std::uint32_t{1} << slot % 32;
            sum += (scratch_fetch_or(&used(slot / 32), bit) & bit) != 0 ? 1 : 0;
          },
          collisions);
      vector_fence();
      Kokkos::single(Kokkos::PerThread(team),
                     [&]() { plan.multiplier(aggregate) = collisions > 0 ? 0 : multiplier; });
    }
  }
};

/// Finds a number in the lists of those that have it, and counts the lists where it is missing.
template <class ExecutionSpace>
struct PlacesInLists {
  Graph<ExecutionSpace> having, lists; // number: who has it; who: numbers
  Ordinals<ExecutionSpace> place;
  Kokkos::View<Ordinal, ExecutionSpace> missing;

  KOKKOS_FUNCTION void operator()(const TeamMember<ExecutionSpace>& team, Ordinal number, int) const {
    const Offset first = having.row_map(number);
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, having.length(number)), [&](Ordinal k) {
      const Ordinal item = having.columns(first + k), length = lists.length(item);
      const Ordinal* const list = lists.columns.data() + lists.row_map(item);
      const Ordinal at = tessera::detail::place_in(list, length, number);
      place(first + k) = at;
      if (at == length || list[at] != number) Kokkos::atomic_inc(&missing());
    });
  }
};

/// The place of each entry of `having` in its list.
/// \return in how many it is missing: in none if `having` is the transpose of `lists`
template <class ExecutionSpace>
Kokkos::View<Ordinal, ExecutionSpace>
places_in_lists(const Workspace<ExecutionSpace>& work, const Graph<ExecutionSpace>& having,
                const Graph<ExecutionSpace>& lists, Ordinals<ExecutionSpace>& place) {
  const auto missing = make_temporary<Kokkos::View<Ordinal, ExecutionSpace>>(work, "missing");
  Kokkos::deep_copy(work.exec, missing, 0);
  if (place.extent(0) != having.columns.extent(0))
    place = make_kept<Ordinals<ExecutionSpace>>(work, "plan::place", having.columns.extent(0));
  for_each_row(work.exec, "Tessera::Multigrid::places", having.count(),
               lanes_for(having.columns.extent(0), having.count()), 0,
               PlacesInLists<ExecutionSpace>{having, lists, place, missing});
  return missing;
}

/// Finds who has an aggregate near, and where in its list. The patterns of most matrices are symmetric: then
/// that are the aggregates near to it.
template <class ExecutionSpace>
void find_sources(const Workspace<ExecutionSpace>& work, GalerkinPlan<ExecutionSpace>& plan) {
  Ordinal missing = 0;
  plan.sources = plan.near;
  Kokkos::deep_copy(work.exec, missing, places_in_lists(work, plan.sources, plan.near, plan.place));
  work.exec.fence("Tessera::Multigrid::places");
  if (missing == 0) return;
  plan.sources = transposed(work, plan.near, plan.near.count());
  places_in_lists(work, plan.sources, plan.near, plan.place);
}

} // namespace tessera::solvers::multigrid::detail
