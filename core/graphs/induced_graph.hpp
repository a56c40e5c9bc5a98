// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The graph of groups of nodes: two groups are neighbours where nodes of theirs are.

#include <tessera/core/allocate.hpp>
#include <tessera/core/graphs/ascending_list.hpp>
#include <tessera/core/graphs/node_graph.hpp>

#include <Kokkos_Core.hpp>

#include <string>

namespace tessera {

namespace detail {

/// `Slots` finds how much room the neighbours of a group may need, `Count` collects them there, `Fill` copies
/// them.
template <class ExecutionSpace>
struct InducedGraphBuilder {
  NodeGraph<ExecutionSpace> graph;
  Kokkos::View<const Ordinal*, ExecutionSpace> group_of_node, nodes, offsets;
  Ordinal groups;
  Kokkos::View<Offset*, ExecutionSpace> slot_begin; ///< group (+1)
  Kokkos::View<Ordinal*, ExecutionSpace> slots;
  Kokkos::View<Ordinal*, ExecutionSpace> degree;
  Kokkos::View<Offset*, ExecutionSpace> row_map;
  Kokkos::View<Ordinal*, ExecutionSpace> columns;

  struct Slots {};
  struct Count {};
  struct Scan {};
  struct Fill {};

  KOKKOS_FUNCTION void operator()(Slots, Ordinal group, Offset& sum, bool final) const {
    Offset entries = 0;
    for (Ordinal k = offsets(group); k < offsets(group + 1); ++k)
      entries += graph.row_map(nodes(k) + 1) - graph.row_map(nodes(k));
    if (final) slot_begin(group) = sum;
    sum += Kokkos::min(entries, static_cast<Offset>(groups));
    if (final) slot_begin(group + 1) = sum;
  }
  KOKKOS_FUNCTION void operator()(Count, Ordinal group) const {
    Ordinal* const list = slots.data() + slot_begin(group);
    Ordinal count = 0;
    for (Ordinal k = offsets(group); k < offsets(group + 1); ++k)
      for (Offset entry = graph.row_map(nodes(k)); entry < graph.row_map(nodes(k) + 1); ++entry) {
        const Ordinal other = group_of_node(graph.columns(entry));
        if (other != group) insert_ascending(list, count, other);
      }
    degree(group) = count;
  }
  KOKKOS_FUNCTION void operator()(Scan, Ordinal group, Offset& sum, bool final) const {
    if (final) row_map(group) = sum;
    sum += degree(group);
    if (final) row_map(group + 1) = sum;
  }
  KOKKOS_FUNCTION void operator()(Fill, Ordinal group) const {
    for (Ordinal k = 0; k < degree(group); ++k) columns(row_map(group) + k) = slots(slot_begin(group) + k);
  }
};

} // namespace detail

/// Builds the induced graph, neighbours ascending, without loops.
///
/// \param group_of_node node: 0 … groups−1
/// \param nodes         all nodes sorted by group
/// \param offsets       group (+1): its first position in `nodes`
/// \throws OutOfMemoryError
template <class ExecutionSpace>
NodeGraph<ExecutionSpace> induced_graph(const ExecutionSpace& exec, const NodeGraph<ExecutionSpace>& graph,
                                        const Kokkos::View<const Ordinal*, ExecutionSpace>& group_of_node,
                                        const Kokkos::View<const Ordinal*, ExecutionSpace>& nodes,
                                        const Kokkos::View<const Ordinal*, ExecutionSpace>& offsets) {
  using Builder = detail::InducedGraphBuilder<ExecutionSpace>;
  const auto groups = static_cast<Ordinal>(offsets.extent(0) - 1);
  const auto over_groups = [&]<class Phase>(Phase) {
    return Kokkos::RangePolicy<ExecutionSpace, Phase>(exec, 0, groups);
  };
  const auto make = [&]<class View>(View& view, const char* member, Offset extent) {
    view = allocate<View>(exec, std::string("Tessera::InducedGraph::") + member, extent);
  };
  Builder builder{graph, group_of_node, nodes, offsets, groups, {}, {}, {}, {}, {}};
  make(builder.slot_begin, "slot_begin", groups + 1);
  make(builder.degree, "degree", groups);
  builder.row_map = allocate_zeroed<decltype(builder.row_map)>(exec, "Tessera::InducedGraph::row_map",
                                                               groups + 1); // no group: no scan writes it
  Offset capacity = 0, entries = 0;
  Kokkos::parallel_scan("Tessera::InducedGraph::slots", over_groups(typename Builder::Slots()), builder,
                        capacity);
  make(builder.slots, "slots", capacity);
  Kokkos::parallel_for("Tessera::InducedGraph::count", over_groups(typename Builder::Count()), builder);
  Kokkos::parallel_scan("Tessera::InducedGraph::scan", over_groups(typename Builder::Scan()), builder,
                        entries);
  make(builder.columns, "columns", entries);
  Kokkos::parallel_for("Tessera::InducedGraph::fill", over_groups(typename Builder::Fill()), builder);
  exec.fence("Tessera::InducedGraph::fill");
  return {builder.row_map, builder.columns};
}

} // namespace tessera
