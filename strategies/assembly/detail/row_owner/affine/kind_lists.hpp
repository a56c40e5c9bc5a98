// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Nodes of one kind and the elements around them, each numbered so that the node is the first of its kind.

#include <tessera/core/allocate.hpp>
#include <tessera/core/elements/node_kinds.hpp>
#include <tessera/core/graphs/ascending_list.hpp>
#include <tessera/core/graphs/incidence.hpp>
#include <tessera/core/mesh/mesh.hpp>
#include <tessera/core/system/sparsity_graph.hpp>
#include <tessera/strategies/assembly/detail/row_owner/tuning.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace TESSERA_KERNELS::assembly::detail {

/// An element around a node, in one word for two.
struct alignas(8) ElementAround {
  static constexpr Ordinal none = -1;
  Ordinal element = none;
  std::int16_t local_node = 0;  ///< the node's number in the element
  std::int16_t constrained = 0; ///< whether a degree of freedom of the element is
};

/// The nodes of a kind, in slices whose elements lie lane by lane: the k-th element around the l-th node of
/// slice s is at `slices(s) + k * slice + l`; where a node has fewer than others of its slice, `none`.
template <class Element, class ExecutionSpace>
struct KindLists {
  static constexpr Ordinal slice = 32;
  static constexpr int corners = Element::dimension + 1;
  /// Two places share a word, as lanes read words.
  static constexpr int words = (Element::nodes + 1) / 2;

  Kokkos::View<Ordinal*, ExecutionSpace> nodes; ///< see `KindListsBuilder::Order`
  Kokkos::View<Offset*, ExecutionSpace> slices; ///< slice (+1)
  Kokkos::View<ElementAround*, ExecutionSpace> around;
  /// Numbers of the mesh nodes that are node 0 and the ends of the axes there, 0 where there is none. Of the
  /// element at `slices(s) + k * slice + l`, corner c is at (`slices(s)` + k * `slice`) * `corners` + c *
  /// `slice` + l.
  Kokkos::View<Ordinal*, ExecutionSpace> corner;
  /// Where the columns of an element's nodes 2 w and 2 w + 1 lie in the row (see `ElementToValues`), at the
  /// same places for `words`.
  Kokkos::View<std::uint32_t*, ExecutionSpace> places;
  Ordinal longest = 0; ///< columns of a node's rows, at most

  std::size_t bytes() const {
    return bytes_of(nodes) + bytes_of(slices) + bytes_of(around) + bytes_of(corner) + bytes_of(places);
  }
};

/// Makes the lists of one kind.
template <class Element, class ExecutionSpace>
struct KindListsBuilder {
  using Lists = KindLists<Element, ExecutionSpace>;
  static constexpr Ordinal slice = Lists::slice;

  typename MeshKernel<Element, ExecutionSpace>::Connectivity connectivity;
  SparsityGraph<ExecutionSpace> graph;
  NodeToElement<ExecutionSpace> incidence;
  int kind;
  Lists lists;
  Kokkos::View<Ordinal*, ExecutionSpace> ascending; ///< the nodes

  struct Select {};
  struct Order {};
  struct Count {};
  struct Sum {};
  struct Fill {};

  /// Nodes without an element, which have rows of zeros, are among the first kind.
  KOKKOS_FUNCTION void operator()(Select, Ordinal node, Ordinal& place, bool final) const {
    static constexpr auto kinds = node_kinds<Element>;
    const Offset begin = incidence.offsets(node);
    const bool alone = begin == incidence.offsets(node + 1);
    if (graph.equations.equations_of(node) == 0 ||
        (alone ? 0 : kinds.kind[incidence.local_nodes(begin)]) != kind)
      return;
    if (final && ascending.extent(0) > 0) ascending(place) = node;
    ++place;
  }
  /// Within windows nodes follow the number of their elements, so that those of a slice have as many as each
  /// other, and often places alike.
  KOKKOS_FUNCTION void operator()(Order, Ordinal i) const {
    const Ordinal first = i - i % kind_window, last = Kokkos::min(first + kind_window, num_nodes());
    const Offset own = valence(ascending(i));
    Ordinal rank = 0;
    for (Ordinal other = first; other < last; ++other) {
      const Offset count = valence(ascending(other));
      rank += count > own || (count == own && other < i) ? 1 : 0;
    }
    lists.nodes(first + rank) = ascending(i);
  }
  /// The elements of a slice, with room for its most crowded node.
  KOKKOS_FUNCTION void operator()(Count, Ordinal s, Ordinal& longest) const {
    Offset most = 0;
    for (Ordinal i = s * slice; i < (s + 1) * slice && i < num_nodes(); ++i) {
      const Ordinal node = lists.nodes(i);
      most = Kokkos::max(most, valence(node));
      longest = Kokkos::max(longest, length(node));
    }
    lists.slices(s) = most * slice;
  }
  KOKKOS_FUNCTION void operator()(Sum, Ordinal s, Offset& sum, bool final) const {
    const bool last = s + 1 == static_cast<Ordinal>(lists.slices.extent(0));
    const Offset count = last ? 0 : lists.slices(s);
    if (final) lists.slices(s) = sum;
    sum += count;
  }
  KOKKOS_FUNCTION void operator()(Fill, Ordinal i) const {
    const Ordinal lane = i % slice;
    const Ordinal node = i < num_nodes() ? lists.nodes(i) : 0;
    const Offset begin = incidence.offsets(node);
    const Offset count = i < num_nodes() ? incidence.offsets(node + 1) - begin : 0;
    const Offset first = lists.slices(i / slice);
    for (Offset k = 0; first + k * slice < lists.slices(i / slice + 1); ++k) {
      const Offset group = first + k * slice;
      if (k < count)
        fill(node, element_around(begin + k), group, lane);
      else
        fill_up(group, lane);
    }
  }

  KOKKOS_FUNCTION Ordinal num_nodes() const { return static_cast<Ordinal>(lists.nodes.extent(0)); }
  KOKKOS_FUNCTION Offset valence(Ordinal node) const {
    return incidence.offsets(node + 1) - incidence.offsets(node);
  }
  KOKKOS_FUNCTION Ordinal length(Ordinal node) const {
    const Ordinal row = graph.equations.first_equation(node);
    return static_cast<Ordinal>(graph.row_map(row + 1) - graph.row_map(row));
  }
  KOKKOS_FUNCTION ElementAround element_around(Offset k) const {
    const Ordinal element = incidence.elements(k);
    bool constrained = false;
    for (int n = 0; n < Element::nodes && graph.equations.constrained; ++n)
      constrained = constrained || graph.equations.mask(connectivity(element, n)) != 0;
    return {.element = element,
            .local_node = static_cast<std::int16_t>(incidence.local_nodes(k)),
            .constrained = static_cast<std::int16_t>(constrained ? 1 : 0)};
  }
  KOKKOS_FUNCTION void fill(Ordinal node, const ElementAround& around, Offset group, Ordinal lane) const {
    static constexpr auto ends = tessera::detail::axis_ends<Element>;
    lists.around(group + lane) = around;
    Ordinal* const corner = &lists.corner(group * Lists::corners + lane);
    corner[0] = node_of(around, 0);
    for (int axis = 0; axis < Element::dimension; ++axis)
      corner[(axis + 1) * slice] = node_of(around, ends.nodes[axis]);
    for (int w = 0; w < Lists::words; ++w)
      lists.places(group * Lists::words + w * slice + lane) =
          place(node, around, 2 * w) | place(node, around, 2 * w + 1) << 16;
  }
  KOKKOS_FUNCTION void fill_up(Offset group, Ordinal lane) const {
    lists.around(group + lane) = ElementAround();
    for (int c = 0; c < Lists::corners; ++c) lists.corner(group * Lists::corners + c * slice + lane) = 0;
    for (int w = 0; w < Lists::words; ++w) lists.places(group * Lists::words + w * slice + lane) = 0;
  }
  /// Number of an element's k-th node, counted from the node that it is around.
  KOKKOS_FUNCTION Ordinal node_of(const ElementAround& around, int k) const {
    static constexpr auto kinds = node_kinds<Element>;
    return connectivity(around.element, kinds.image[around.local_node][k]);
  }
  /// Of the first column of an element's k-th node in the row of a node.
  KOKKOS_FUNCTION std::uint32_t place(Ordinal node, const ElementAround& around, int k) const {
    if (k >= Element::nodes) return 0;
    const Ordinal trial = node_of(around, k);
    const Offset begin = graph.row_map(graph.equations.first_equation(node));
    return static_cast<std::uint32_t>(tessera::detail::place_in(graph.columns.data() + begin, length(node),
                                                                graph.equations.first_equation(trial)));
  }
};

/// The lists of one kind.
/// \throws OutOfMemoryError
template <class Element, class ExecutionSpace>
KindLists<Element, ExecutionSpace> make_kind_lists(const ExecutionSpace& exec,
                                                   const MeshKernel<Element, ExecutionSpace>& mesh,
                                                   const SparsityGraph<ExecutionSpace>& graph,
                                                   const NodeToElement<ExecutionSpace>& incidence, int kind) {
  using Builder = KindListsBuilder<Element, ExecutionSpace>;
  Builder builder{mesh.connectivity, graph, incidence, kind, {}, {}};
  auto& lists = builder.lists;
  const auto over = [&]<class Work>(Work, Ordinal count) {
    return Kokkos::RangePolicy<ExecutionSpace, Work>(exec, 0, count);
  };
  const auto all = static_cast<Ordinal>(incidence.offsets.extent(0)) - 1;
  Ordinal nodes = 0;
  Kokkos::parallel_scan("Tessera::RowOwner::count_kind", over(typename Builder::Select(), all), builder,
                        nodes);
  lists.nodes = allocate<decltype(lists.nodes)>(exec, "Tessera::RowOwner::kind_nodes", nodes);
  if (nodes == 0) return lists;
  builder.ascending = allocate<decltype(lists.nodes)>(exec, "Tessera::RowOwner::ascending", nodes);
  Kokkos::parallel_scan("Tessera::RowOwner::list_kind", over(typename Builder::Select(), all), builder,
                        nodes);
  Kokkos::parallel_for("Tessera::RowOwner::order_kind", over(typename Builder::Order(), nodes), builder);
  const Ordinal slices = (nodes + Builder::slice - 1) / Builder::slice;
  lists.slices = allocate<decltype(lists.slices)>(exec, "Tessera::RowOwner::slices", slices + 1);
  Ordinal longest = 0;
  Kokkos::parallel_reduce("Tessera::RowOwner::count_slices", over(typename Builder::Count(), slices), builder,
                          Kokkos::Max<Ordinal>(longest));
  Offset elements = 0;
  Kokkos::parallel_scan("Tessera::RowOwner::sum_slices", over(typename Builder::Sum(), slices + 1), builder,
                        elements);
  lists.longest = longest;
  lists.around = allocate<decltype(lists.around)>(exec, "Tessera::RowOwner::around", elements);
  lists.corner = allocate<decltype(lists.corner)>(exec, "Tessera::RowOwner::corners",
                                                  elements * Builder::Lists::corners);
  lists.places =
      allocate<decltype(lists.places)>(exec, "Tessera::RowOwner::places", elements * Builder::Lists::words);
  Kokkos::parallel_for("Tessera::RowOwner::fill_kind",
                       over(typename Builder::Fill(), slices * Builder::slice), builder);
  return lists;
}

} // namespace TESSERA_KERNELS::assembly::detail
