#pragma once

/// \file
/// Which aggregates meet in PᵀAP: the symbolic part of the triple product, by aggregates.

#include <tessera/core/ascending_list.hpp>
#include <tessera/solvers/multigrid/detail/aggregates.hpp>
#include <tessera/solvers/multigrid/detail/rows.hpp>
#include <tessera/solvers/multigrid/detail/types.hpp>
#include <tessera/solvers/multigrid/detail/unions.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace tessera::solvers::multigrid {

/// Which aggregates meet in the product, and what room an aggregate's part of it needs.
template <class ExecutionSpace>
struct GalerkinPlan {
  Graph<ExecutionSpace> near;     ///< aggregate I: columns of P in the rows of its nodes
  Graph<ExecutionSpace> far;      ///< aggregate I: columns of A P there
  Graph<ExecutionSpace> sources;  ///< coarse node J: the aggregates that have it near
  Ordinals<ExecutionSpace> place; ///< of J in the near list of each of its sources
  Offsets<ExecutionSpace> begin;  ///< aggregate (+1): its first contribution, near × far rounded up
  Ordinal halo = 0;               ///< nodes that an aggregate's rows have entries for, at most
  Ordinal halo_entries = 0;       ///< entries of P in these nodes' rows, at most
  Ordinal entries = 0;            ///< entries of A in an aggregate's rows, at most

  /// From a row of an aggregate's contributions to the next: whole groups of four.
  KOKKOS_FUNCTION Ordinal stride(Ordinal aggregate) const { return (far.length(aggregate) + 3) / 4 * 4; }
  std::size_t bytes() const {
    return near.bytes() + far.bytes() + sources.bytes() + bytes_of(place) + bytes_of(begin);
  }
};

/// Lanes that share a row of A, and one of P, in loops over the rows of an aggregate.
template <class ExecutionSpace>
inline constexpr Ordinal lanes_of_matrix = runs_on_host<ExecutionSpace> ? 1 : 16;
template <class ExecutionSpace>
inline constexpr Ordinal lanes_of_prolongator = runs_on_host<ExecutionSpace> ? 1 : 8;

/// Counts the near and far columns of each aggregate, then writes them, and where its contributions are not
/// zero: bit k of the words of a near column says that the product has an entry in far column k. Until the
/// lists are sorted a bit stands for a slot of the table of far columns.
template <class ExecutionSpace>
struct MeetingAggregates {
  using Member = TeamMember<ExecutionSpace>;
  using OrdinalScratch = Scratch<Ordinal, ExecutionSpace>;
  using WordScratch = Scratch<std::uint32_t, ExecutionSpace>;
  using Words = Kokkos::View<std::uint32_t*, ExecutionSpace>;

  Graph<ExecutionSpace> a, p;
  Aggregates<ExecutionSpace> aggregates;
  Graph<ExecutionSpace> near, far;        // row_map: lengths after counting, offsets before writing
  Ordinal halo_room, near_room, far_room; // slots of the hash tables, powers of two, 64 or more
  Ordinals<ExecutionSpace> most;          // largest halo, most entries of P in one, of A in its rows
  Ordinal words = 0;                      // of a near column's bits; above 0: write
  Words bits;
  int scratch_level = 0;

  static constexpr Ordinal matrix_lanes = lanes_of_matrix<ExecutionSpace>;
  static constexpr Ordinal prolongator_lanes = lanes_of_prolongator<ExecutionSpace>;
  static constexpr Offset overflow = Offset{1} << 40; // the length of a list whose table was full

  enum Counter { in_halo, in_near, in_far, halo_entries, entries, full, listed, counters };

  KOKKOS_FUNCTION Ordinal slot_words() const { return far_room / 32; }
  KOKKOS_FUNCTION std::size_t numbers_room() const {
    return 2 * static_cast<std::size_t>(halo_room) + near_room + far_room +
           (words > 0 ? near_room + 2 * far_room : 0) + counters;
  }
  KOKKOS_FUNCTION std::size_t masks_room() const {
    return words > 0 ? static_cast<std::size_t>(slot_words()) * (halo_room + near_room) : 0;
  }
  std::size_t scratch_bytes() const {
    return OrdinalScratch::shmem_size(numbers_room()) + WordScratch::shmem_size(masks_room());
  }

  /// A team's tables.
  struct Tables {
    HashSet<ExecutionSpace> halo, near, far;
    Ordinal *used, *count;  // slots of the halo's nodes in any order; counters
    Ordinal* lists;         // room for sorting
    std::uint32_t* masks;   // slot of a node of the halo: slots of its far columns
    std::uint32_t* reached; // slot of a near column: slots of far columns
  };

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const Ordinal aggregate = team.league_rank();
    const auto& scratch = team.team_scratch(scratch_level);
    const OrdinalScratch numbers(scratch, numbers_room());
    const WordScratch masks(scratch, masks_room());
    Ordinal* next = numbers.data();
    const auto take = [&next](Ordinal count) { return (next += count) - count; };
    const Tables t{{OrdinalScratch(take(halo_room), halo_room)},
                   {OrdinalScratch(take(near_room), near_room)},
                   {OrdinalScratch(take(far_room), far_room)},
                   take(halo_room),
                   take(counters),
                   next,
                   masks.data(),
                   masks.data() + slot_words() * halo_room};
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, halo_room + near_room + far_room),
                         [&](Ordinal k) { numbers(k) = -1; });
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, Ordinal{counters}),
                         [&](Ordinal k) { t.count[k] = 0; });
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, static_cast<Ordinal>(masks_room())),
                         [&](Ordinal k) { masks(k) = 0; });
    team.team_barrier();
    collect(team, aggregate, t);
    if (words > 0)
      write(team, aggregate, t);
    else
      Kokkos::single(Kokkos::PerTeam(team), [&]() {
        const bool is_full = t.count[full] > 0;
        near.row_map(aggregate + 1) = is_full ? overflow : t.count[in_near];
        far.row_map(aggregate + 1) = is_full ? overflow : t.count[in_far];
        raise(most(0), t.count[in_halo]);
        raise(most(1), t.count[halo_entries]);
        raise(most(2), t.count[entries]);
      });
  }

  KOKKOS_FUNCTION void raise(Ordinal& to, Ordinal value) const {
    if (value > to) Kokkos::atomic_max(&to, value);
  }

  /// Calls visit(item, entry) for the rows of some nodes of a graph, `lanes` lanes a row.
  template <class NodeOf, class Visit>
  KOKKOS_FUNCTION static void each_entry(const Member& team, const Graph<ExecutionSpace>& graph,
                                         Ordinal lanes, Ordinal items, const NodeOf& node_of,
                                         const Visit& visit) {
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, items * lanes), [&](Ordinal lane) {
      const Ordinal item = lane / lanes, node = node_of(item);
      const Offset end = graph.row_map(node + 1);
      for (Offset k = graph.row_map(node) + (lane - item * lanes); k < end; k += lanes) visit(item, k);
    });
  }

  /// \return the slot
  KOKKOS_FUNCTION std::uint32_t insert(const HashSet<ExecutionSpace>& set, Ordinal number, Ordinal* count,
                                       Counter counter) const {
    std::uint32_t slot = 0;
    const int inserted = set.insert(number, slot);
    if (inserted > 0) Kokkos::atomic_inc(&count[counter]);
    if (inserted < 0) count[full] = 1;
    return slot;
  }

  /// Fills the tables.
  KOKKOS_FUNCTION void collect(const Member& team, Ordinal aggregate, const Tables& t) const {
    const Ordinal first = aggregates.begin(aggregate), nodes = aggregates.size(aggregate);
    const auto own = [&](Ordinal item) { return aggregates.node(first + item); };
    each_entry(team, a, matrix_lanes, nodes, own, [&](Ordinal, Offset k) {
      std::uint32_t slot = 0;
      const int inserted = t.halo.insert(a.columns(k), slot);
      if (inserted > 0) t.used[Kokkos::atomic_fetch_add(&t.count[in_halo], 1)] = static_cast<Ordinal>(slot);
      if (inserted < 0) t.count[full] = 1;
    });
    each_entry(team, p, prolongator_lanes, nodes, own,
               [&](Ordinal, Offset k) { insert(t.near, p.columns(k), t.count, in_near); });
    if (words == 0)
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, nodes),
                           [&](Ordinal item) { Kokkos::atomic_add(&t.count[entries], a.length(own(item))); });
    team.team_barrier();
    const auto in_the_halo = [&](Ordinal item) { return t.halo.table(t.used[item]); };
    each_entry(team, p, prolongator_lanes, t.count[in_halo], in_the_halo, [&](Ordinal item, Offset k) {
      const std::uint32_t slot = insert(t.far, p.columns(k), t.count, in_far);
      if (words > 0)
        Kokkos::atomic_or(&t.masks[t.used[item] * slot_words() + slot / 32], std::uint32_t{1} << slot % 32);
    });
    if (words == 0)
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, t.count[in_halo]), [&](Ordinal item) {
        Kokkos::atomic_add(&t.count[halo_entries], p.length(in_the_halo(item)));
      });
    team.team_barrier();
  }

  KOKKOS_FUNCTION void write(const Member& team, Ordinal aggregate, const Tables& t) const {
    Ordinal *const near_slots = t.lists, *const far_slots = near_slots + near_room,
                   *const unsorted = far_slots + far_room;
    const Ordinal near_count = near.length(aggregate), far_count = far.length(aggregate);
    sort(team, t.near, near_count, &t.count[listed], unsorted, near_slots,
         near.columns.data() + near.row_map(aggregate));
    sort(team, t.far, far_count, &t.count[listed], unsorted, far_slots,
         far.columns.data() + far.row_map(aggregate));
    spread_masks(team, aggregate, t);
    team.team_barrier();
    std::uint32_t* const out = bits.data() + near.row_map(aggregate) * words;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, near_count * words), [&](Ordinal item) {
      const Ordinal place = item / words, begin = (item - place * words) * 32;
      const std::uint32_t* const from = t.reached + near_slots[place] * slot_words();
      std::uint32_t mask = 0;
      for (Ordinal k = begin; k < Kokkos::min(begin + 32, far_count); ++k)
        mask |= (from[far_slots[k] / 32] >> (far_slots[k] % 32) & 1u) << (k - begin);
      out[item] = mask;
    });
  }

  /// Slots of a table in the order of the numbers there, which go to `out`.
  KOKKOS_FUNCTION void sort(const Member& team, const HashSet<ExecutionSpace>& set, Ordinal count,
                            Ordinal* listed_count, Ordinal* unsorted, Ordinal* slots, Ordinal* out) const {
    Kokkos::single(Kokkos::PerTeam(team), [&]() { *listed_count = 0; });
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, set.table.extent_int(0)), [&](Ordinal k) {
      if (set.table(k) != -1) unsorted[Kokkos::atomic_fetch_add(listed_count, 1)] = set.table(k);
    });
    team.team_barrier();
    if constexpr (runs_on_host<ExecutionSpace>) {
      tessera::detail::sort_ascending(unsorted, count);
      for (Ordinal k = 0; k < count; ++k) {
        out[k] = unsorted[k];
        slots[k] = static_cast<Ordinal>(set.find(unsorted[k]));
      }
    } else {
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, count), [&](Ordinal k) {
        const Ordinal own = unsorted[k];
        Ordinal rank = 0;
        for (Ordinal other = 0; other < count; ++other) rank += unsorted[other] < own ? 1 : 0;
        out[rank] = own;
        slots[rank] = static_cast<Ordinal>(set.find(own));
      });
    }
    team.team_barrier();
  }

  /// Gives the far columns of each node to the near columns in its row, two words at a time.
  KOKKOS_FUNCTION void spread_masks(const Member& team, Ordinal aggregate, const Tables& t) const {
    const Ordinal first = aggregates.begin(aggregate), pairs = slot_words() / 2;
    Kokkos::parallel_for(
        Kokkos::TeamVectorRange(team, aggregates.size(aggregate) * pairs), [&](Ordinal item) {
          const Ordinal place = item / pairs, word = 2 * (item - place * pairs);
          const Ordinal node = aggregates.node(first + place);
          std::uint32_t low = 0, high = 0;
          for (Offset k = a.row_map(node); k < a.row_map(node + 1); ++k) {
            const std::uint32_t* const mask =
                t.masks + static_cast<Ordinal>(t.halo.find(a.columns(k))) * slot_words() + word;
            low |= mask[0];
            high |= mask[1];
          }
          for (Offset k = p.row_map(node); k < p.row_map(node + 1); ++k) {
            std::uint32_t* const to =
                t.reached + static_cast<Ordinal>(t.near.find(p.columns(k))) * slot_words() + word;
            Kokkos::atomic_or(to, low);
            Kokkos::atomic_or(to + 1, high);
          }
        });
  }
};

template <class ExecutionSpace>
void launch_meeting(const ExecutionSpace& exec, MeetingAggregates<ExecutionSpace> functor) {
  using Policy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>;
  constexpr bool host = runs_on_host<ExecutionSpace>;
  const Ordinal count = functor.aggregates.count;
  if (count == 0) return;
  const bool long_rows = static_cast<Offset>(functor.a.columns.extent(0)) > Offset{32} * functor.a.count();
  functor.scratch_level =
      functor.scratch_bytes() > static_cast<std::size_t>(Policy::scratch_size_max(0)) ? 1 : 0;
  Kokkos::parallel_for("Tessera::Multigrid::meeting_aggregates",
                       Policy(exec, count, !host && long_rows ? 4 : 1, host ? 1 : 32)
                           .set_scratch_size(functor.scratch_level,
                                             Kokkos::PerTeam(static_cast<int>(functor.scratch_bytes()))),
                       functor);
}

/// Where the contributions of aggregates are not zero, see `MeetingAggregates`.
template <class ExecutionSpace>
struct ContributionBits {
  Ordinal words = 0;
  typename MeetingAggregates<ExecutionSpace>::Words bits;
};

/// Makes the lists of a plan, all but `sources` and `begin`.
template <class ExecutionSpace>
ContributionBits<ExecutionSpace>
meeting_aggregates(const ExecutionSpace& exec, const Graph<ExecutionSpace>& a, const Graph<ExecutionSpace>& p,
                   const Aggregates<ExecutionSpace>& aggregates, GalerkinPlan<ExecutionSpace>& plan) {
  using Functor = MeetingAggregates<ExecutionSpace>;
  const Ordinal count = aggregates.count;
  plan.near.row_map = make<Offsets<ExecutionSpace>>(exec, "row_map", count + 1);
  plan.far.row_map = make<Offsets<ExecutionSpace>>(exec, "row_map", count + 1);
  Ordinal room = 256; // of the halo of about as many nodes as ten of a row's entries
  while (static_cast<Offset>(room) * a.count() < 10 * static_cast<Offset>(a.columns.extent(0))) room *= 2;
  Functor body{a, p, aggregates, plan.near, plan.far, room, room / 4, room / 2, {}, 0, {}};
  Lengths near, far;
  for (;; body.halo_room *= 2, body.near_room *= 2, body.far_room *= 2) {
    body.most = allocate_zeroed<Ordinals<ExecutionSpace>>(exec, "Tessera::Multigrid::most", 3);
    launch_meeting(exec, body);
    near = lengths_to_offsets(exec, plan.near.row_map);
    far = lengths_to_offsets(exec, plan.far.row_map);
    if (near.longest < Functor::overflow && far.longest < Functor::overflow) break;
  }
  const auto most = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), body.most);
  plan.halo = most(0);
  plan.halo_entries = most(1);
  plan.entries = most(2);
  plan.near.longest = static_cast<Ordinal>(near.longest);
  plan.far.longest = static_cast<Ordinal>(far.longest);
  plan.near.columns = make<Ordinals<ExecutionSpace>>(exec, "columns", near.sum);
  plan.far.columns = make<Ordinals<ExecutionSpace>>(exec, "columns", far.sum);
  body.near = plan.near;
  body.far = plan.far;
  const auto room_for = [](Ordinal numbers) {
    Ordinal slots = 64;
    while (4 * slots < 5 * numbers) slots *= 2;
    return slots;
  };
  body.halo_room = room_for(plan.halo);
  body.near_room = room_for(plan.near.longest);
  body.far_room = room_for(plan.far.longest);
  body.words = Kokkos::max(Ordinal(1), (plan.far.longest + 31) / 32);
  body.bits = make<typename Functor::Words>(exec, "bits", near.sum * body.words);
  launch_meeting(exec, body);
  return {body.words, body.bits};
}

} // namespace tessera::solvers::multigrid
