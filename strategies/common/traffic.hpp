#pragma once

/// \file
/// Pieces of the strategies' cost models.

#include <tessera/core/cost.hpp>
#include <tessera/core/element_to_values.hpp>
#include <tessera/core/flop_count.hpp>
#include <tessera/strategies/common/assembly_plan.hpp>
#include <tessera/strategies/common/element_data.hpp>

namespace tessera {

/// Bytes of coordinates and connectivity, each read once.
template <class Element, class ExecutionSpace>
double input_bytes(const FunctionSpace<Element, ExecutionSpace>& space) {
  const auto& mesh = space.mesh();
  return static_cast<double>(bytes_of(mesh.coordinates())) + bytes_of(mesh.connectivity());
}

/// Bytes of matrix values and right-hand side, each written once.
template <class Scalar, class ExecutionSpace>
double output_bytes(const SparsityGraph<ExecutionSpace>& graph) {
  return (static_cast<double>(graph.num_entries()) + graph.num_rows()) * sizeof(Scalar);
}

/// The least that any assembly moves and computes: every input once, every output once, every element once.
template <class Element, class Form, class Scalar, class ExecutionSpace>
Cost compulsory_cost(const FunctionSpace<Element, ExecutionSpace>& space,
                     const SparsityGraph<ExecutionSpace>& graph) {
  return {input_bytes(space) + output_bytes<Scalar>(graph),
          static_cast<double>(flops_per_element<Element>(form_kernel(Form{}))) * space.mesh().num_elements()};
}

/// Strategies that add each element to the system: zeros written; input, offsets and row starts read; each
/// value and right-hand side entry read and written once, as if the additions of all elements met in a cache.
/// Where the values do not fit one, every element's additions cost 16 bytes an entry more.
template <class Element, class Form, class Scalar, class ExecutionSpace>
Cost element_wise_cost(const FunctionSpace<Element, ExecutionSpace>& space,
                       const SparsityGraph<ExecutionSpace>& graph) {
  constexpr double pairs = Element::nodes * Element::nodes;
  const double map = pairs * sizeof(typename ElementToValues<Element, ExecutionSpace>::Position);
  Cost cost = compulsory_cost<Element, Form, Scalar>(space, graph);
  cost.bytes += 2 * output_bytes<Scalar>(graph) + bytes_of(graph.row_map) + map * space.mesh().num_elements();
  cost.flops +=
      static_cast<double>(space.mesh().num_elements()) * pairs * Form::components * Form::components;
  return cost;
}

/// Strategies that keep the data of all elements in global memory: it is written and read once, and with it
/// `index_bytes` for each node pair and each load of an element.
template <class Element, class Form, class Scalar, class ExecutionSpace>
Cost global_data_cost(const FunctionSpace<Element, ExecutionSpace>& space,
                      const SparsityGraph<ExecutionSpace>& graph, double index_bytes) {
  using Kernel = decltype(form_kernel(Form{}));
  using Data = element_data_t<Element, Kernel, Scalar>;
  const double elements = space.mesh().num_elements();
  Cost cost = compulsory_cost<Element, Form, Scalar>(space, graph);
  cost.bytes +=
      elements * (2.0 * Data::entries * sizeof(Scalar) + index_bytes * ElementSource<Element>::count);
  cost.flops += elements * Element::nodes * Form::components * (Element::nodes * Form::components + 1.0);
  return cost;
}

} // namespace tessera
