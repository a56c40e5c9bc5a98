// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// What loops over elements do in each of them, whether an operator's product or a residual.

#include <tessera/core/mesh/mesh.hpp>
#include <tessera/strategies/element_loops/node_values.hpp>
#include <tessera/strategies/element_loops/result_sink.hpp>

#include <Kokkos_Core.hpp>

namespace TESSERA_KERNELS::element_loops {

/// An action on elements and what it is applied to. An action has
///
/// - `components`, and `all_free`: whether vectors have all degrees of freedom, constrained ones too;
/// - `act(cell, u, v)`: what an element (one per lane) makes of its values u, node * components + component;
/// - `asks_for_nodes<Element, Real>`: whether it looks up values by the cell's nodes;
/// - `by_rows<Element>`: whether hosts copy single elements' numbers to rows (`RowPacks`), unless gathered;
/// - `reports`: whether results must be finite, and if so `report(cell, v)`, which names elements whose
///   results are not.
template <class ActionType, class ElementType, class ExecutionSpace, class ScalarType>
struct ElementWork {
  using Action = ActionType;
  using Element = ElementType;
  using Execution = ExecutionSpace;
  using Scalar = ScalarType;
  static constexpr int c = Action::components, d = Element::dimension, nodes = Element::nodes,
                       dofs = nodes * c;
  using Values = NodeValues<c, ExecutionSpace, Action::all_free>;
  using Sink = ResultSink<Element, c, ExecutionSpace, Scalar>;

  Action action;
  MeshKernel<Element, ExecutionSpace> mesh; ///< in a strategy's order
  Values values;
  Kokkos::View<const Scalar*, ExecutionSpace, Kokkos::MemoryTraits<Kokkos::RandomAccess>> x;
};

} // namespace TESSERA_KERNELS::element_loops
