// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// What every family's cost models start from: inputs, outputs and the least that an assembly moves.

#include <tessera/core/cost.hpp>
#include <tessera/core/forms/flop_count.hpp>
#include <tessera/core/system/sparsity_graph.hpp>
#include <tessera/strategies/common/integration_path.hpp>

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

} // namespace tessera
