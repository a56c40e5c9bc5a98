// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// BasisVectorized: a thread per basis function.

#include <tessera/strategies/residual/detail/mesh_plan.hpp>
#include <tessera/strategies/residual/detail/residual_threads.hpp>

namespace TESSERA_KERNELS::residual {

/// A thread per basis function of a cell, which takes one quadrature point after the other: little local
/// memory, but all coefficients are pulled and the form is evaluated for every point and basis function
/// (paper 3, section 1, after MILAMIN, its reference 7).
struct BasisVectorized : MeshStrategy<BasisVectorized> {
  static constexpr const char* name = "BasisVectorized";
  static constexpr const char* source = "paper 3, section 1";

  Conflicts conflicts = Conflicts::atomics;

  /// Every basis function pays for the form's evaluation.
  template <class Element, class Form, class Scalar, class ExecutionSpace>
  Cost cost(const FunctionSpace<Element, ExecutionSpace>& space) const {
    Cost cost = residual_cost<Element, Form, Scalar>(space, conflicts);
    cost.flops *= Element::nodes;
    return cost;
  }

  template <class ExecutionSpace, class CellData, class Kernel>
  void run(const ExecutionSpace& exec, const CellData& cell_data, const Kernel& kernel,
           const Status<ExecutionSpace>& status) const {
    const Offset threads = static_cast<Offset>(cell_data.end - cell_data.begin) * CellData::Element::nodes;
    Kokkos::parallel_for("Tessera::BasisVectorized::integrate",
                         Kokkos::RangePolicy<ExecutionSpace>(exec, 0, threads),
                         detail::BasisThread<CellData, Kernel>{cell_data, kernel, status});
  }
};

} // namespace TESSERA_KERNELS::residual
