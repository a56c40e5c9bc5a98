// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// ThreadPerCell: every thread computes whole elements.

#include <tessera/strategies/residual/detail/mesh_plan.hpp>
#include <tessera/strategies/residual/detail/residual_threads.hpp>

namespace TESSERA_KERNELS::residual {

/// A cell to a thread, which keeps coefficients, geometry and element vector to itself: no barrier and no
/// scratch memory, but many registers (paper 3, section 1, after its references 4, 5, 8, 15 and 17).
struct ThreadPerCell : MeshStrategy<ThreadPerCell> {
  static constexpr const char* name = "ThreadPerCell";
  static constexpr const char* source = "paper 3, section 1";

  Conflicts conflicts = Conflicts::atomics;

  template <class ExecutionSpace, class CellData, class Kernel>
  void run(const ExecutionSpace& exec, const CellData& cell_data, const Kernel& kernel,
           const Status<ExecutionSpace>& status) const {
    Kokkos::parallel_for("Tessera::ThreadPerCell::integrate",
                         Kokkos::RangePolicy<ExecutionSpace>(exec, 0, cell_data.end - cell_data.begin),
                         detail::CellThread<CellData, Kernel>{cell_data, kernel, status});
  }
};

} // namespace TESSERA_KERNELS::residual
