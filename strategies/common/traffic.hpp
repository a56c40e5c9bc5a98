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

/// Strategies that add the elements color by color: as `element_wise_cost`, but neighbouring elements have
/// different colors, so that every entry of every element is read and written in memory.
template <class Element, class Form, class Scalar, class ExecutionSpace>
Cost colored_cost(const FunctionSpace<Element, ExecutionSpace>& space,
                  const SparsityGraph<ExecutionSpace>& graph) {
  Cost cost = element_wise_cost<Element, Form, Scalar>(space, graph);
  constexpr double entries = Element::nodes * Form::components * (Element::nodes * Form::components + 1.0);
  cost.bytes += (2 * entries * sizeof(Scalar) + sizeof(Ordinal)) * space.mesh().num_elements() -
                2 * output_bytes<Scalar>(graph);
  return cost;
}

/// Strategies that read a 4-byte number for every block of every element's matrix and for its loads, and one
/// for every block of entries that they write; input and output once.
template <class Element, class Form, class Scalar, class ExecutionSpace>
Cost listed_cost(const FunctionSpace<Element, ExecutionSpace>& space,
                 const SparsityGraph<ExecutionSpace>& graph) {
  const double elements = space.mesh().num_elements();
  constexpr double components = Form::components;
  Cost cost = compulsory_cost<Element, Form, Scalar>(space, graph);
  cost.bytes += sizeof(Ordinal) *
                (elements * ElementSource<Element>::count + graph.num_entries() / (components * components));
  cost.flops += elements * Element::nodes * components * (Element::nodes * components + 1);
  return cost;
}

/// Strategies that read a number for every node of every element, and 2 bytes for every pair of them; input
/// and output once.
template <class Element, class Form, class Scalar, class ExecutionSpace>
Cost row_cost(const FunctionSpace<Element, ExecutionSpace>& space,
              const SparsityGraph<ExecutionSpace>& graph) {
  const double elements = space.mesh().num_elements();
  constexpr double components = Form::components;
  Cost cost = compulsory_cost<Element, Form, Scalar>(space, graph);
  cost.bytes +=
      elements * Element::nodes * (sizeof(Ordinal) + 1.0 + 2.0 * Element::nodes) + bytes_of(graph.row_map);
  cost.flops += elements * Element::nodes * components * (Element::nodes * components + 1);
  return cost;
}

/// Strategies that keep the data of all elements in global memory: bytes of writing and reading it once.
template <class Element, class Form, class Scalar, class ExecutionSpace>
double element_data_bytes(const FunctionSpace<Element, ExecutionSpace>& space) {
  using Kernel = decltype(form_kernel(Form{}));
  return 2.0 * element_data_t<Element, Kernel, Scalar>::entries * sizeof(Scalar) *
         space.mesh().num_elements();
}

} // namespace tessera
