// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Cost models of strategies that sum entries from lists.

#include <tessera/strategies/assembly/detail/reduction/element_data.hpp>
#include <tessera/strategies/common/integration_path.hpp>
#include <tessera/strategies/common/traffic.hpp>

namespace TESSERA_KERNELS::assembly::detail {

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

} // namespace TESSERA_KERNELS::assembly::detail
