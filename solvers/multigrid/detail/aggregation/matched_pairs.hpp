// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Aggregates by matching: nodes along their strongest couplings to pairs, pairs to fours, and so on, with
/// the couplings added up in between (Y. Notay, "An aggregation-based algebraic multigrid method", Electron.
/// Trans. Numer. Anal. 37, 2010). They follow strong couplings, for instance columns of nodes between close
/// faces, and do not end within them.

#include <tessera/solvers/multigrid/detail/aggregation/independent_sets.hpp>
#include <tessera/solvers/multigrid/detail/aggregation/weighted_graph.hpp>
#include <tessera/solvers/multigrid/detail/sparse.hpp>
#include <tessera/solvers/multigrid/detail/tuning.hpp>
#include <tessera/solvers/sparse/detail/random.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace tessera::solvers::multigrid::detail {

/// A round of matching by handshakes (M. Naumov et al., "AmgX: a library for GPU accelerated algebraic
/// multigrid and preconditioned iterative methods", SIAM J. Sci. Comput. 37, 2015): each set chooses its
/// strongest free neighbour, and those that chose each other are a pair. Couplings that differ by less than
/// a hundredth are taken for equal, and chosen from at random, the same in every run.
template <class ExecutionSpace>
struct MatchSets {
  WeightedGraph<ExecutionSpace> sets;
  Ordinals<ExecutionSpace> choice, partner; // set: another, or −1
  float strength;                           // share of the strongest coupling below which one is weak
  Ordinal most;                             // nodes in a pair of sets

  struct Choose {};
  struct Join {};

  KOKKOS_FUNCTION float noise(Ordinal a, Ordinal b) const {
    const auto low = static_cast<std::uint32_t>(Kokkos::min(a, b));
    return 1 + tuning::matching_noise * random_number(Kokkos::max(a, b), low * 0x7f4a7c15u);
  }

  KOKKOS_FUNCTION void operator()(Choose, Ordinal set) const {
    if (partner(set) >= 0) return;
    const float least = strength * sets.strongest(set);
    Ordinal best = -1;
    float best_weight = 0;
    sets.each_neighbor(set, [&](Ordinal other, float weight) {
      if (!(weight > 0) || weight < least || partner(other) >= 0) return;
      if (sets.sizes(set) + sets.sizes(other) > most) return;
      const float own = weight * noise(set, other);
      if (own < best_weight || (own == best_weight && other > best)) return;
      best = other;
      best_weight = own;
    });
    choice(set) = best;
  }

  KOKKOS_FUNCTION void operator()(Join, Ordinal set) const {
    if (partner(set) >= 0) return;
    const Ordinal other = choice(set);
    if (other >= 0 && choice(other) == set) partner(set) = other;
  }
};

/// Each set's partner, −1 for none.
template <class ExecutionSpace>
Ordinals<ExecutionSpace> matched(const Workspace<ExecutionSpace>& work,
                                 const WeightedGraph<ExecutionSpace>& sets, double strength, Ordinal most) {
  using Match = MatchSets<ExecutionSpace>;
  const Match match{sets, make_temporary<Ordinals<ExecutionSpace>>(work, "choice", sets.count()),
                    make_temporary<Ordinals<ExecutionSpace>>(work, "partner", sets.count()),
                    static_cast<float>(strength), most};
  const auto over = [&]<class Tag>(Tag) {
    return Kokkos::RangePolicy<ExecutionSpace, Tag, Kokkos::IndexType<Ordinal>>(work.exec, 0, sets.count());
  };
  Kokkos::deep_copy(work.exec, match.partner, -1);
  for (int round = 0; round < tuning::matching_rounds; ++round) {
    Kokkos::parallel_for("Tessera::Multigrid::choose", over(typename Match::Choose()), match);
    Kokkos::parallel_for("Tessera::Multigrid::join_pairs", over(typename Match::Join()), match);
  }
  return match.partner;
}

/// Numbers pairs and single sets, in the order of their first.
template <class ExecutionSpace>
MergedSets<ExecutionSpace> merged_sets(const Workspace<ExecutionSpace>& work,
                                       const Ordinals<ExecutionSpace>& partner) {
  const auto sets = static_cast<Ordinal>(partner.extent(0));
  const auto of = make_temporary<Ordinals<ExecutionSpace>>(work, "merged_sets::of", sets);
  const auto first = make_temporary<Ordinals<ExecutionSpace>>(work, "merged_sets::first", sets);
  const auto second = make_temporary<Ordinals<ExecutionSpace>>(work, "merged_sets::second", sets);
  Ordinal count = 0;
  Kokkos::parallel_scan(
      "Tessera::Multigrid::number_pairs", Range<ExecutionSpace>(work.exec, 0, sets),
      KOKKOS_LAMBDA(const Ordinal set, Ordinal& sum, const bool final) {
        const Ordinal other = partner(set);
        if (other >= 0 && other < set) return;
        if (final) {
          first(sum) = set;
          second(sum) = other;
          of(set) = sum;
          if (other >= 0) of(other) = sum;
        }
        ++sum;
      },
      count);
  return {count, of, first, second};
}

/// Aggregates of a level by matching four times, of up to sixteen nodes; nodes that are coupled to nothing
/// stay out.
///
/// \param strength  share of the strongest coupling below which one is weak
template <class ExecutionSpace>
Aggregates<ExecutionSpace> aggregates_by_matching(const Workspace<ExecutionSpace>& work,
                                                  const Matrix<ExecutionSpace>& matrix, double strength) {
  const Ordinal nodes = matrix.nodes();
  const auto of_node = make_kept<Ordinals<ExecutionSpace>>(work, "aggregates::of_node", nodes);
  const Workspace<ExecutionSpace> between = work.keeping_nothing(); // graphs in between are not kept
  auto sets = weighted_graph(between, matrix);
  for (int time = 0; time < tuning::matchings; ++time) {
    const auto merged = merged_sets(between, matched(between, sets, strength, tuning::most_matched));
    Kokkos::parallel_for(
        "Tessera::Multigrid::sets_of_nodes", Range<ExecutionSpace>(work.exec, 0, nodes),
        KOKKOS_LAMBDA(const Ordinal node) { of_node(node) = merged.of(time == 0 ? node : of_node(node)); });
    sets = merged_graph(between, sets, merged);
  }
  const auto number = make_temporary<Ordinals<ExecutionSpace>>(between, "set_number", sets.count());
  Ordinal count = 0;
  Kokkos::parallel_scan(
      "Tessera::Multigrid::number_sets", Range<ExecutionSpace>(work.exec, 0, sets.count()),
      KOKKOS_LAMBDA(const Ordinal set, Ordinal& sum, const bool final) {
        const bool alone = sets.sizes(set) == 1 && sets.strongest(set) == 0;
        if (final) number(set) = alone ? -1 : sum;
        sum += alone ? 0 : 1;
      },
      count);
  Kokkos::parallel_for(
      "Tessera::Multigrid::sets_of_nodes", Range<ExecutionSpace>(work.exec, 0, nodes),
      KOKKOS_LAMBDA(const Ordinal node) { of_node(node) = number(of_node(node)); });
  return nodes_of_aggregates(work, of_node, count);
}

} // namespace tessera::solvers::multigrid::detail
