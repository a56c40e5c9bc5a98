// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Maximal independent sets of any radius on the device: the roots of aggregates (paper 4, section 5.2.1).

#include <tessera/core/allocate.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/graphs/detail/scrambled.hpp>
#include <tessera/core/graphs/node_graph.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>
#include <utility>

namespace tessera {

namespace detail {

/// One round of W. N. Bell, S. Dalton and L. N. Olson, "Exposing fine-grained parallelism in algebraic
/// multigrid methods", SIAM J. Sci. Comput. 34 (2012), section 3.2: every node learns of the largest mark
/// within `radius` steps; an undecided node that finds its own is in the set, one that finds a member's is
/// out. A mark is the node's state, then its hashed number, which no other node has.
template <class ExecutionSpace>
struct IndependentSetRound {
  using Mark = std::uint64_t;
  using Marks = Kokkos::View<Mark*, ExecutionSpace>;
  static constexpr int state_bit = 32;
  static constexpr Mark out = 0, undecided = Mark(1) << state_bit, member = Mark(2) << state_bit;

  NodeGraph<ExecutionSpace> graph;
  Marks own, near, nearer; ///< a node's mark, the largest mark so far, and one step further

  struct Start {};
  struct Propagate {};
  struct Decide {};

  KOKKOS_FUNCTION static Mark state(Mark mark) { return mark >> state_bit << state_bit; }

  KOKKOS_FUNCTION void operator()(Start, Ordinal node) const {
    own(node) = undecided | scrambled(static_cast<std::uint32_t>(node));
  }
  KOKKOS_FUNCTION void operator()(Propagate, Ordinal node) const {
    Mark largest = near(node);
    for (Offset k = graph.row_map(node); k < graph.row_map(node + 1); ++k)
      largest = Kokkos::max(largest, near(graph.columns(k)));
    nearer(node) = largest;
  }
  KOKKOS_FUNCTION void operator()(Decide, Ordinal node, Ordinal& left) const {
    const Mark mark = own(node);
    if (state(mark) != undecided) return;
    if (nearer(node) == mark)
      own(node) = member | (mark & ~undecided);
    else if (state(nearer(node)) == member)
      own(node) = out;
    else
      ++left;
  }
};

} // namespace detail

/// A set of nodes no two of which are joined by a path of `radius` steps or fewer, to which no node can be
/// added (k-MIS, k = radius).
///
/// \param exec   instance that runs the kernels; the call returns after they have ended
/// \param graph  symmetric
/// \param radius k, at least 1
/// \return 1 for every member, 0 for every other node
/// \throws ArgumentError for a radius below 1; OutOfMemoryError
///
/// Deterministic: the same set on every execution space and with any number of threads. Each of some ten
/// rounds reads the graph `radius` times. Memory: 25 bytes a node.
template <class ExecutionSpace>
Kokkos::View<std::uint8_t*, ExecutionSpace>
independent_set(const ExecutionSpace& exec, const NodeGraph<ExecutionSpace>& graph, int radius) {
  using Round = detail::IndependentSetRound<ExecutionSpace>;
  if (radius < 1)
    throw ArgumentError("independent_set: the radius must be at least 1, got " + std::to_string(radius));
  const Ordinal nodes = graph.num_nodes();
  const auto marks = [&](const std::string& label) {
    return allocate<typename Round::Marks>(exec, "Tessera::IndependentSet::" + label, nodes);
  };
  const auto over_nodes = [&]<class Phase>(Phase) {
    return Kokkos::RangePolicy<ExecutionSpace, Phase>(exec, 0, nodes);
  };
  Round round{graph, marks("own"), {}, marks("nearer")};
  auto spare = marks("near");
  Kokkos::parallel_for("Tessera::IndependentSet::start", over_nodes(typename Round::Start()), round);
  for (Ordinal left = nodes; left > 0;) {
    round.near = round.own;
    for (int step = 0; step < radius; ++step) {
      if (step > 0) {
        std::swap(spare, round.nearer);
        round.near = spare;
      }
      Kokkos::parallel_for("Tessera::IndependentSet::propagate", over_nodes(typename Round::Propagate()),
                           round);
    }
    Kokkos::parallel_reduce("Tessera::IndependentSet::decide", over_nodes(typename Round::Decide()), round,
                            left);
  }
  const auto set =
      allocate<Kokkos::View<std::uint8_t*, ExecutionSpace>>(exec, "Tessera::IndependentSet::members", nodes);
  const auto own = round.own;
  Kokkos::parallel_for(
      "Tessera::IndependentSet::members", Kokkos::RangePolicy<ExecutionSpace>(exec, 0, nodes),
      KOKKOS_LAMBDA(const Ordinal node) { set(node) = Round::state(own(node)) == Round::member ? 1 : 0; });
  exec.fence("Tessera::IndependentSet::members");
  return set;
}

} // namespace tessera
