// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// What the gathering of rows reads beside element matrices.

#include <tessera/core/allocate.hpp>
#include <tessera/core/graphs/incidence.hpp>
#include <tessera/core/mesh/mesh_kernel.hpp>
#include <tessera/core/space/equations.hpp>
#include <tessera/core/space/function_space.hpp>
#include <tessera/core/system/sparsity_graph.hpp>
#include <tessera/strategies/assembly/common/node_row_places.hpp>
#include <tessera/strategies/assembly/detail/stored_elements/line_sums.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <limits>
#include <string>

namespace TESSERA_KERNELS::assembly::detail {

/// A node and whether its rows, or columns in them, are constrained, in one number.
struct GatheredNode {
  Ordinal number;
  KOKKOS_FORCEINLINE_FUNCTION bool is_free() const { return number >= 0; }
  KOKKOS_FORCEINLINE_FUNCTION Ordinal node() const { return number >= 0 ? number : -number - 1; }
};

/// Within windows free nodes come first, then nodes follow the number of their elements: neighbouring
/// threads take the same way through the kernel, as often as each other.
template <class Element, class ExecutionSpace>
struct OrderGathering {
  static constexpr Ordinal window = 256;

  typename MeshKernel<Element, ExecutionSpace>::Connectivity connectivity;
  NodeToElement<ExecutionSpace> incidence;
  Equations<ExecutionSpace> equations;
  Kokkos::View<Ordinal*, ExecutionSpace> key; ///< node: elements, and a bit for constraints
  Kokkos::View<GatheredNode*, ExecutionSpace> order;

  struct Key {};
  struct Rank {};

  KOKKOS_FUNCTION void operator()(Key, Ordinal node) const {
    bool constrained = false;
    const Offset begin = incidence.offsets(node), end = incidence.offsets(node + 1);
    for (Offset k = begin; k < end && equations.constrained; ++k)
      for (int n = 0; n < Element::nodes; ++n)
        constrained = constrained || equations.mask(connectivity(incidence.elements(k), n)) != 0;
    constrained = constrained || (equations.constrained && equations.mask(node) != 0);
    key(node) = 2 * static_cast<Ordinal>(end - begin) + (constrained ? 1 : 0);
  }
  KOKKOS_FUNCTION bool before(Ordinal one, Ordinal other) const {
    const Ordinal first = key(one), second = key(other);
    if (first % 2 != second % 2) return first % 2 < second % 2;
    return first != second ? first > second : one < other;
  }
  KOKKOS_FUNCTION void operator()(Rank, Ordinal node) const {
    const Ordinal first = node - node % window;
    const Ordinal last = Kokkos::min(first + window, static_cast<Ordinal>(key.extent(0)));
    Ordinal rank = 0;
    for (Ordinal other = first; other < last; ++other) rank += before(other, node) ? 1 : 0;
    order(first + rank) = {key(node) % 2 == 0 ? node : -node - 1};
  }
};

/// The elements around each node, and where the entries of their rows go.
template <class Element, class ExecutionSpace>
struct GatherLists {
  using Places = tessera::detail::NodeRowPlaces<Element, ExecutionSpace>;
  Kokkos::View<const Offset*, ExecutionSpace> offsets; ///< node (+1)
  Kokkos::View<std::uint32_t*, ExecutionSpace> source; ///< element * nodes + the node's place there
  decltype(Places::place) place;                       ///< see `NodeRowPlaces`
  Ordinal longest = 0;                                 ///< values of a node's rows, at most
  Kokkos::View<const GatheredNode*, ExecutionSpace> order;

  std::size_t bytes() const {
    return bytes_of(offsets) + bytes_of(source) + bytes_of(place) + bytes_of(order);
  }
};

/// \throws OutOfMemoryError
template <class Element, class ExecutionSpace>
Kokkos::View<GatheredNode*, ExecutionSpace>
gather_order(const ExecutionSpace& exec, const MeshKernel<Element, ExecutionSpace>& mesh, Ordinal nodes,
             const NodeToElement<ExecutionSpace>& incidence, const Equations<ExecutionSpace>& equations) {
  using Order = OrderGathering<Element, ExecutionSpace>;
  Order order{mesh.connectivity, incidence, equations, {}, {}};
  order.key = allocate<decltype(order.key)>(exec, "Tessera::StoredElements::key", nodes);
  order.order = allocate<decltype(order.order)>(exec, "Tessera::StoredElements::order", nodes);
  Kokkos::parallel_for("Tessera::StoredElements::key",
                       Kokkos::RangePolicy<ExecutionSpace, typename Order::Key>(exec, 0, nodes), order);
  Kokkos::parallel_for("Tessera::StoredElements::rank",
                       Kokkos::RangePolicy<ExecutionSpace, typename Order::Rank>(exec, 0, nodes), order);
  exec.fence("Tessera::StoredElements::order");
  return order.order;
}

/// \throws UnsupportedError for rows beyond 65535 entries and elements whose nodes 32 bits do not count;
///   OutOfMemoryError
template <class Element, class ExecutionSpace>
GatherLists<Element, ExecutionSpace> gather_lists(const ExecutionSpace& exec, const std::string& who,
                                                  const FunctionSpace<Element, ExecutionSpace>& space,
                                                  const SparsityGraph<ExecutionSpace>& graph) {
  const Ordinal nodes = space.mesh().num_nodes();
  const Offset sources = static_cast<Offset>(space.mesh().num_elements()) * Element::nodes;
  if (sources > std::numeric_limits<std::uint32_t>::max())
    throw UnsupportedError(who + ": " + std::to_string(sources) +
                           " rows of elements, 32 bits number 4294967295 at most");
  tessera::detail::NodeRowPlaces<Element, ExecutionSpace> places;
  places.incidence = node_to_element(exec, space.mesh().kernel().connectivity, nodes);
  tessera::detail::find_row_places(exec, space, graph, places);
  if (!places.fit())
    throw UnsupportedError(who + ": a node's rows have " + std::to_string(places.longest) +
                           " values, 65535 at most can be numbered");
  GatherLists<Element, ExecutionSpace> lists{
      places.incidence.offsets,
      {},
      places.place,
      places.longest,
      gather_order(exec, space.mesh().kernel(), nodes, places.incidence, space.equations(exec))};
  lists.source = allocate<decltype(lists.source)>(exec, "Tessera::StoredElements::source",
                                                  places.incidence.elements.extent(0));
  const auto incidence = places.incidence;
  const auto source = lists.source;
  Kokkos::parallel_for(
      "Tessera::StoredElements::source",
      Kokkos::RangePolicy<ExecutionSpace>(exec, 0, static_cast<Ordinal>(source.extent(0))),
      KOKKOS_LAMBDA(const Ordinal k) {
        source(k) = static_cast<std::uint32_t>(incidence.elements(k)) * Element::nodes +
                    static_cast<std::uint32_t>(function_place<Element>(incidence.local_nodes(k)));
      });
  exec.fence("Tessera::StoredElements::source");
  return lists;
}

} // namespace TESSERA_KERNELS::assembly::detail
