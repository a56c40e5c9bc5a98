// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// NodeByNode: the operator by nodes (paper 5, section 2.2).

#include <tessera/strategies/common/with_default_instance.hpp>
#include <tessera/strategies/matrix_free/detail/rows/row_gather_operator.hpp>

namespace TESSERA_KERNELS::matrix_free {

/// Each thread gathers the rows of one node from the stored matrices of the elements around it. No two
/// threads write the same entry, so that the result is deterministic; but the matrices are read in strides
/// and the nodes' work differs. The lists of elements and local positions are sliced so that reading them is
/// coalesced.
struct NodeByNode : WithDefaultInstance<NodeByNode> {
  using WithDefaultInstance<NodeByNode>::plan;
  static constexpr const char* name = "NodeByNode";
  static constexpr const char* source = "paper 5, section 2.2";
  static constexpr bool deterministic = true;
  template <int Components>
  static constexpr int rows_of = Components; ///< rows of one thread

  /// \throws OutOfMemoryError
  template <class Element, class ExecutionSpace>
  detail::RowGatherPlan<NodeByNode, Element, ExecutionSpace>
  plan(const ExecutionSpace& exec, const FunctionSpace<Element, ExecutionSpace>& space) const {
    return {exec, space};
  }

  template <class Element, class Form, class Scalar, class ExecutionSpace>
  Cost cost(const FunctionSpace<Element, ExecutionSpace>& space) const {
    return detail::row_gather_cost<Element, Form, Scalar>(space);
  }
};

} // namespace TESSERA_KERNELS::matrix_free
