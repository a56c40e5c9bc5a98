// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The host's side of `Conflicts`: the order of the elements, the buffer of results and the kernel that sums
/// it.

#include <tessera/strategies/common/conflicts.hpp>
#include <tessera/strategies/common/element_order.hpp>
#include <tessera/strategies/element_loops/result_sink.hpp>

#include <string>

namespace tessera {

/// Elements in the order that a way of adding results needs.
template <class Element, class ExecutionSpace>
ElementOrder<Element, ExecutionSpace>
element_order(const ExecutionSpace& exec, const Mesh<Element, ExecutionSpace>& mesh, Conflicts conflicts) {
  return conflicts == Conflicts::colors ? color_order(exec, mesh) : mesh_order(mesh);
}

/// The elements around each node where results are gathered, the pairs of nodes that lanes sum where they are
/// added atomically.
template <class Element, class ExecutionSpace>
struct ResultGather {
  Conflicts conflicts = Conflicts::atomics;
  Offset elements = 0;
  Ordinal nodes = 0;
  NodeToElement<ExecutionSpace> incidence;
  detail::LanePairs<Element> pairs;

  ResultGather(const ExecutionSpace& exec, const Mesh<Element, ExecutionSpace>& mesh, Conflicts how)
      : conflicts(how), elements(mesh.num_elements()), nodes(mesh.num_nodes()) {
    if (conflicts == Conflicts::gather)
      incidence = node_to_element(exec, mesh.connectivity(), mesh.num_nodes());
    if (conflicts == Conflicts::atomics) pairs = detail::lane_pairs(exec, mesh);
  }

  /// For cells of several elements, such as fans, whose kernels add what they have in common.
  /// \param cells their nodes, (cell, node)
  template <class Cells>
  ResultGather(const ExecutionSpace& exec, const Cells& cells, Ordinal num_nodes, Conflicts how)
      : conflicts(how), elements(static_cast<Offset>(cells.extent(0))), nodes(num_nodes) {
    if (conflicts == Conflicts::gather) incidence = node_to_element(exec, cells, num_nodes);
  }

  std::size_t bytes() const {
    return bytes_of(incidence.offsets) + bytes_of(incidence.elements) + bytes_of(incidence.local_nodes);
  }

  /// Room for the results of all elements (or cells). \throws OutOfMemoryError
  template <class Scalar>
  Kokkos::View<Scalar*, ExecutionSpace> buffer(const ExecutionSpace& exec, int element_dofs) const {
    return allocate<Kokkos::View<Scalar*, ExecutionSpace>>(
        exec, "Tessera::ResultGather::buffer", conflicts == Conflicts::gather ? elements * element_dofs : 0);
  }

  template <int Components, class Scalar>
  ResultSink<Element, Components, ExecutionSpace, Scalar>
  sink(const Equations<ExecutionSpace>& equations, const Kokkos::View<Scalar*, ExecutionSpace>& y,
       const Kokkos::View<Scalar*, ExecutionSpace>& buffer, Offset num_elements) const {
    return {{equations}, y, conflicts, buffer, num_elements, pairs};
  }

  /// Sums the results by nodes where they are gathered.
  template <int Components, class Sink, class X, class Y>
  void finish(const ExecutionSpace& exec, const Sink& sink, const X& x, const Y& y) const {
    if (conflicts != Conflicts::gather) return;
    Kokkos::parallel_for("Tessera::ResultGather::sum", Kokkos::RangePolicy<ExecutionSpace>(exec, 0, nodes),
                         GatherResults<Components, ExecutionSpace, typename Y::non_const_value_type>{
                             sink.node_values, incidence, sink.buffer, elements, x, y});
  }
};

} // namespace tessera
