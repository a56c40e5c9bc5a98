// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Cost models of strategies that add whole elements to the system.

#include <tessera/core/system/element_to_values.hpp>
#include <tessera/strategies/common/traffic.hpp>

namespace tessera {

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

} // namespace tessera
