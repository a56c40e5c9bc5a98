// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// DofByDof: the operator by degrees of freedom (paper 5, section 2.3).

#include <tessera/strategies/common/with_default_instance.hpp>
#include <tessera/strategies/matrix_free/detail/rows/row_gather_operator.hpp>

namespace TESSERA_KERNELS::matrix_free {

/// Each thread gathers one row from the stored matrices of the elements around its node: `NodeByNode` with a
/// thread per component, whose threads read the same lists and values of x at the same time. Equal to it for
/// forms of one component.
struct DofByDof : WithDefaultInstance<DofByDof> {
  using WithDefaultInstance<DofByDof>::plan;
  static constexpr const char* name = "DofByDof";
  static constexpr const char* source = "paper 5, section 2.3";
  static constexpr bool deterministic = true;
  template <int Components>
  static constexpr int rows_of = 1; ///< rows of one thread

  /// \throws OutOfMemoryError
  template <class Element, class ExecutionSpace>
  detail::RowGatherPlan<DofByDof, Element, ExecutionSpace>
  plan(const ExecutionSpace& exec, const FunctionSpace<Element, ExecutionSpace>& space) const {
    return {exec, space};
  }

  template <class Element, class Form, class Scalar, class ExecutionSpace>
  Cost cost(const FunctionSpace<Element, ExecutionSpace>& space) const {
    return detail::row_gather_cost<Element, Form, Scalar>(space);
  }
};

} // namespace TESSERA_KERNELS::matrix_free
