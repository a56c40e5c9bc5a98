// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// QuadratureReduction: a thread per quadrature point, and a reduction over them.

#include <tessera/strategies/residual/detail/mesh_plan.hpp>
#include <tessera/strategies/residual/detail/residual_threads.hpp>

#include <algorithm>
#include <bit>

namespace TESSERA_KERNELS::residual {

/// The quadrature points of a cell to the lanes of a vector; each basis function is a reduction over the
/// lanes, whose synchronisation is what paper 3 wants to be rid of (section 2).
struct QuadratureReduction : MeshStrategy<QuadratureReduction> {
  static constexpr const char* name = "QuadratureReduction";
  static constexpr const char* source = "paper 3, section 2";

  Conflicts conflicts = Conflicts::atomics;

  template <class ExecutionSpace, class CellData, class Kernel>
  void run(const ExecutionSpace& exec, const CellData& cell_data, const Kernel& kernel,
           const Status<ExecutionSpace>& status) const {
    using Loop = detail::PointThreads<CellData, Kernel>;
    using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
    const Loop loop{cell_data, kernel, status};
    const Ordinal cells = cell_data.end - cell_data.begin;
    if (cells == 0) return;
    const int width =
        runs_on_host<ExecutionSpace>
            ? 1
            : std::min<int>(std::bit_ceil(static_cast<unsigned>(Loop::points)), Policy::vector_length_max());
    const auto of_threads = [&](int threads) {
      Policy policy(exec, (cells + threads - 1) / threads, threads, width);
      policy.set_scratch_size(0, Kokkos::PerThread(Loop::scratch_bytes()));
      return policy;
    };
    const int most = of_threads(1).team_size_max(loop, Kokkos::ParallelForTag());
    Kokkos::parallel_for("Tessera::QuadratureReduction::integrate",
                         of_threads(std::max(1, std::min(most, 128 / width))), loop);
  }
};

} // namespace TESSERA_KERNELS::residual
