// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Control of the clusters' weights: exchange of nodes between neighbours (paper 4, section 5.2.1), and a cut
/// of what remains too heavy.

#include <tessera/core/graphs/detail/group_by.hpp>
#include <tessera/core/partition/detail/clusters.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace tessera::detail {

/// One exchange: every node at a border finds the neighbouring cluster that is the lightest against its own;
/// each cluster gives the one node whose move levels the weights most, and takes one at most, so that weights
/// do not oscillate.
template <class ExecutionSpace>
struct ExchangeNodes {
  using Key = std::uint64_t;

  NodeGraph<ExecutionSpace> graph;
  Kokkos::View<const Ordinal*, ExecutionSpace> weights;
  Kokkos::View<const std::int64_t*, ExecutionSpace> sums;
  Kokkos::View<const Ordinal*, ExecutionSpace> before;
  Kokkos::View<Ordinal*, ExecutionSpace> after;
  Kokkos::View<Key*, ExecutionSpace> given, taken; ///< the best move from and to each cluster

  struct Clear {};
  struct Offer {};
  struct Move {};

  /// The key of a node's best move: what it levels, then the node; 0 if it has none.
  KOKKOS_FUNCTION Key best_move(Ordinal node, Ordinal& target) const {
    const Ordinal own = before(node);
    std::int64_t most = 0;
    target = -1;
    for (Offset k = graph.row_map(node); k < graph.row_map(node + 1); ++k) {
      const Ordinal other = before(graph.columns(k));
      if (other == own) continue;
      const std::int64_t gain = sums(own) - sums(other) - weights(node);
      if (gain < most || gain == 0 || (gain == most && other >= target)) continue;
      most = gain;
      target = other;
    }
    if (target < 0) return 0;
    constexpr std::int64_t limit = 0xffffffff;
    return static_cast<Key>(most < limit ? most : limit) << 32 | scrambled(static_cast<std::uint32_t>(node));
  }

  KOKKOS_FUNCTION void operator()(Clear, Ordinal cluster) const { given(cluster) = taken(cluster) = 0; }
  KOKKOS_FUNCTION void operator()(Offer, Ordinal node) const {
    Ordinal target;
    const Key key = best_move(node, target);
    if (key == 0) return;
    Kokkos::atomic_max(&given(before(node)), key);
    Kokkos::atomic_max(&taken(target), key);
  }
  KOKKOS_FUNCTION void operator()(Move, Ordinal node) const {
    Ordinal target;
    const Key key = best_move(node, target);
    const bool moves = key != 0 && given(before(node)) == key && taken(target) == key;
    after(node) = moves ? target : before(node);
  }
};

/// Weight of the heaviest cluster.
template <class ExecutionSpace>
std::int64_t heaviest(const ExecutionSpace& exec, const typename Clusters<ExecutionSpace>::Sums& sums) {
  std::int64_t most = 0;
  Kokkos::parallel_reduce(
      "Tessera::Clusters::heaviest",
      typename Clusters<ExecutionSpace>::Range(exec, 0, static_cast<Ordinal>(sums.extent(0))),
      KOKKOS_LAMBDA(const Ordinal cluster, std::int64_t& max) { max = Kokkos::max(max, sums(cluster)); },
      Kokkos::Max<std::int64_t>(most));
  return most;
}

/// Exchanges nodes until no cluster is heavier than `maximum`, at most `rounds` times.
template <class ExecutionSpace>
void exchange_nodes(const ExecutionSpace& exec, const NodeGraph<ExecutionSpace>& graph,
                    const typename Clusters<ExecutionSpace>::Weights& weights, std::int64_t maximum,
                    int rounds, Clusters<ExecutionSpace>& clusters) {
  using Exchange = ExchangeNodes<ExecutionSpace>;
  const auto keys = [&](const char* label) {
    return allocate<Kokkos::View<std::uint64_t*, ExecutionSpace>>(exec, label, clusters.count);
  };
  Exchange exchange{
      graph, weights, {}, {}, {}, keys("Tessera::Clusters::given"), keys("Tessera::Clusters::taken")};
  exchange.after = allocate<typename Clusters<ExecutionSpace>::Numbers>(exec, "Tessera::Clusters::after",
                                                                        graph.num_nodes());
  const auto over = [&]<class Phase>(Phase, Ordinal items) {
    return Kokkos::RangePolicy<ExecutionSpace, Phase>(exec, 0, items);
  };
  for (int round = 0; round < rounds; ++round) {
    const auto sums = weigh(exec, clusters, weights);
    if (heaviest(exec, sums) <= maximum) return;
    exchange.sums = sums;
    exchange.before = clusters.of_node;
    Kokkos::parallel_for("Tessera::Clusters::clear_moves", over(typename Exchange::Clear(), clusters.count),
                         exchange);
    Kokkos::parallel_for("Tessera::Clusters::offer", over(typename Exchange::Offer(), graph.num_nodes()),
                         exchange);
    Kokkos::parallel_for("Tessera::Clusters::move", over(typename Exchange::Move(), graph.num_nodes()),
                         exchange);
    std::swap(clusters.of_node, exchange.after);
  }
}

/// Cuts clusters heavier than `maximum` into pieces of about equal weight, in the order of their nodes.
template <class ExecutionSpace>
struct CutClusters {
  Groups<ExecutionSpace> groups;
  Kokkos::View<const Ordinal*, ExecutionSpace> weights;
  Kokkos::View<const std::int64_t*, ExecutionSpace> sums;
  std::int64_t maximum;
  Kokkos::View<Ordinal*, ExecutionSpace> first_piece; ///< cluster (+1)
  Kokkos::View<Ordinal*, ExecutionSpace> of_node;

  /// Visits the nodes of a cluster with the piece of each.
  /// \return the number of pieces
  template <class Visit>
  KOKKOS_FUNCTION Ordinal cut(Ordinal cluster, const Visit& visit) const {
    const std::int64_t pieces = (sums(cluster) + maximum - 1) / maximum;
    const std::int64_t share = pieces > 1 ? (sums(cluster) + pieces - 1) / pieces : sums(cluster);
    std::int64_t filled = 0;
    Ordinal piece = 0;
    for (Ordinal k = groups.offsets(cluster); k < groups.offsets(cluster + 1); ++k) {
      const Ordinal node = groups.items(k);
      if (filled > 0 && (filled >= share || filled + weights(node) > maximum)) {
        ++piece;
        filled = 0;
      }
      filled += weights(node);
      visit(node, piece);
    }
    return piece + 1;
  }

  struct Count {};
  struct Number {};
  KOKKOS_FUNCTION void operator()(Count, Ordinal cluster, Ordinal& sum, bool final) const {
    if (final) first_piece(cluster) = sum;
    sum += cut(cluster, [](Ordinal, Ordinal) {});
    if (final) first_piece(cluster + 1) = sum;
  }
  KOKKOS_FUNCTION void operator()(Number, Ordinal cluster) const {
    cut(cluster, [&](Ordinal node, Ordinal piece) { of_node(node) = first_piece(cluster) + piece; });
  }
};

/// Cuts what is heavier than `maximum`; only a cluster of one node may still be.
template <class ExecutionSpace>
void cut_heavy(const ExecutionSpace& exec, const typename Clusters<ExecutionSpace>::Weights& weights,
               std::int64_t maximum, Clusters<ExecutionSpace>& clusters) {
  using Cut = CutClusters<ExecutionSpace>;
  const auto sums = weigh(exec, clusters, weights);
  if (heaviest(exec, sums) <= maximum) return;
  const Cut cut{group_by(exec, clusters.of_node, clusters.count),
                weights,
                sums,
                maximum,
                allocate<typename Clusters<ExecutionSpace>::Numbers>(exec, "Tessera::Clusters::first_piece",
                                                                     clusters.count + 1),
                clusters.of_node};
  const Ordinal count = clusters.count;
  Kokkos::parallel_scan("Tessera::Clusters::count_pieces",
                        Kokkos::RangePolicy<ExecutionSpace, typename Cut::Count>(exec, 0, count), cut,
                        clusters.count);
  Kokkos::parallel_for("Tessera::Clusters::number_pieces",
                       Kokkos::RangePolicy<ExecutionSpace, typename Cut::Number>(exec, 0, count), cut);
  exec.fence("Tessera::Clusters::number_pieces");
}

} // namespace tessera::detail
