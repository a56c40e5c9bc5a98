// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Which elements contain a node.

#include <tessera/core/allocate.hpp>
#include <tessera/core/graphs/ascending_list.hpp>
#include <tessera/core/graphs/detail/any_connectivity.hpp>
#include <tessera/core/types.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace tessera {

/// The elements around each node, ascending, and the node's local number in each.
template <class ExecutionSpace>
struct NodeToElement {
  Kokkos::View<Offset*, ExecutionSpace> offsets;           ///< node (+1)
  Kokkos::View<Ordinal*, ExecutionSpace> elements;         ///< offsets(n) .. offsets(n+1): elements of node n
  Kokkos::View<std::uint8_t*, ExecutionSpace> local_nodes; ///< local number of n in that element
};

namespace detail {

template <class ExecutionSpace, class Connectivity>
struct NodeToElementBuilder {
  Connectivity connectivity;
  int nodes_per_element;
  NodeToElement<ExecutionSpace> incidence;
  Kokkos::View<Ordinal*, ExecutionSpace> cursor;

  struct Count {};
  struct Scan {};
  struct Fill {};
  struct Sort {};

  KOKKOS_FUNCTION void operator()(Count, Ordinal e) const {
    for (int n = 0; n < nodes_per_element; ++n) Kokkos::atomic_inc(&cursor(connectivity(e, n)));
  }
  KOKKOS_FUNCTION void operator()(Scan, Ordinal node, Offset& sum, bool final) const {
    const Ordinal degree = cursor(node);
    if (final) {
      incidence.offsets(node) = sum;
      cursor(node) = 0;
      if (node + 1 == static_cast<Ordinal>(cursor.extent(0))) incidence.offsets(node + 1) = sum + degree;
    }
    sum += degree;
  }
  KOKKOS_FUNCTION void operator()(Fill, Ordinal e) const {
    for (int n = 0; n < nodes_per_element; ++n) {
      const Ordinal node = connectivity(e, n);
      const Offset k = incidence.offsets(node) + Kokkos::atomic_fetch_add(&cursor(node), 1);
      incidence.elements(k) = e;
    }
  }
  /// Sorts the elements around a node, short lists by insertion into a list of the thread's own, and finds
  /// the node in each. They are in order already where one thread filled them.
  KOKKOS_FUNCTION void operator()(Sort, Ordinal node) const {
    constexpr Ordinal capacity = 64;
    const Offset begin = incidence.offsets(node);
    const auto count = static_cast<Ordinal>(incidence.offsets(node + 1) - begin);
    Ordinal* const elements = incidence.elements.data() + begin;
    if (count <= capacity) {
      Ordinal sorted[capacity];
      for (Ordinal i = 0; i < count; ++i) {
        const Ordinal e = elements[i];
        Ordinal k = i;
        for (; k > 0 && sorted[k - 1] > e; --k) sorted[k] = sorted[k - 1];
        sorted[k] = e;
      }
      for (Ordinal i = 0; i < count; ++i) elements[i] = sorted[i];
    } else
      sort_ascending(elements, count);
    for (Ordinal i = 0; i < count; ++i) {
      int n = i > 0 && elements[i - 1] == elements[i] ? incidence.local_nodes(begin + i - 1) + 1 : 0;
      while (connectivity(elements[i], n) != node) ++n;
      incidence.local_nodes(begin + i) = static_cast<std::uint8_t>(n);
    }
  }
};

/// node_to_element of views whose type says nothing of the element. Its name is another one, or what lies in
/// this namespace would call it of every element's type.
template <class ExecutionSpace, class Connectivity>
NodeToElement<ExecutionSpace> any_node_to_element(const ExecutionSpace& exec,
                                                  const Connectivity& connectivity, Ordinal num_nodes) {
  using Builder = NodeToElementBuilder<ExecutionSpace, Connectivity>;
  using Incidence = NodeToElement<ExecutionSpace>;
  const auto elements = static_cast<Ordinal>(connectivity.extent(0));
  const int nodes = static_cast<int>(connectivity.extent(1));
  const Offset entries = static_cast<Offset>(elements) * nodes;

  Incidence incidence;
  incidence.offsets = Kokkos::View<Offset*, ExecutionSpace>(
      Kokkos::view_alloc(exec, std::string("Tessera::NodeToElement::offsets")), num_nodes + 1);
  incidence.elements =
      allocate<decltype(incidence.elements)>(exec, "Tessera::NodeToElement::elements", entries);
  incidence.local_nodes =
      allocate<decltype(incidence.local_nodes)>(exec, "Tessera::NodeToElement::local_nodes", entries);
  const Builder builder{
      connectivity, nodes, incidence,
      Kokkos::View<Ordinal*, ExecutionSpace>(
          Kokkos::view_alloc(exec, std::string("Tessera::NodeToElement::cursor")), num_nodes)};

  Kokkos::parallel_for("Tessera::NodeToElement::count",
                       Kokkos::RangePolicy<ExecutionSpace, typename Builder::Count>(exec, 0, elements),
                       builder);
  Kokkos::parallel_scan("Tessera::NodeToElement::scan",
                        Kokkos::RangePolicy<ExecutionSpace, typename Builder::Scan>(exec, 0, num_nodes),
                        builder);
  Kokkos::parallel_for("Tessera::NodeToElement::fill",
                       Kokkos::RangePolicy<ExecutionSpace, typename Builder::Fill>(exec, 0, elements),
                       builder);
  Kokkos::parallel_for("Tessera::NodeToElement::sort",
                       Kokkos::RangePolicy<ExecutionSpace, typename Builder::Sort>(exec, 0, num_nodes),
                       builder);
  return incidence;
}

} // namespace detail

/// Builds the incidence on the device.
///
/// \param connectivity element x node
/// \param num_nodes every entry of `connectivity` is in [0, num_nodes)
template <class ExecutionSpace, class Connectivity>
NodeToElement<ExecutionSpace> node_to_element(const ExecutionSpace& exec, const Connectivity& connectivity,
                                              Ordinal num_nodes) {
  return detail::any_node_to_element(exec, detail::AnyConnectivity<Connectivity>(connectivity), num_nodes);
}

} // namespace tessera
