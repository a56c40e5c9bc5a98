// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// ThreadTransposition: paper 3's own strategy.

#include <tessera/core/error.hpp>
#include <tessera/strategies/common/team.hpp>
#include <tessera/strategies/common/with_default_instance.hpp>
#include <tessera/strategies/residual/detail/mesh_plan.hpp>
#include <tessera/strategies/residual/detail/transposition_kernel.hpp>

#include <algorithm>
#include <numeric>
#include <string>

namespace TESSERA_KERNELS::residual {

/// Threads change what they work for: first each has a quadrature point, of one cell after the other; then,
/// after one barrier, each has a basis function. No sum goes over threads, and no coefficient is read twice
/// (paper 3, section 3). A block has N_bs = LCM(N_b, N_q) cells, a batch `blocks` blocks that N_bs N_comp
/// threads each work on at once, a team's chunk `batches` batches. Remainder cells stay on the device. On
/// devices several batches go between the same two barriers where cells have one quadrature point, which
/// takes as many times the paper's scratch memory.
///
/// f1 is turned to the reference element where it is made, so that the second phase needs no geometry, and
/// fewer flops.
struct ThreadTransposition : MeshStrategy<ThreadTransposition> {
  using WithDefaultInstance<ThreadTransposition>::plan;
  static constexpr const char* name = "ThreadTransposition";
  static constexpr const char* source = "paper 3, section 3 and Appendix A";

  Conflicts conflicts = Conflicts::atomics;
  int blocks = 0;  ///< concurrent blocks of a batch, N_bl; 0: at most 128 threads, half warps of cells
  int batches = 4; ///< batches of a chunk, N_cb

  /// \throws ArgumentError for negative options; UnsupportedError for `Conflicts::patches`; OutOfMemoryError
  template <class Element, class ExecutionSpace>
  auto plan(const ExecutionSpace& exec, const FunctionSpace<Element, ExecutionSpace>& space) const {
    if (blocks < 0 || batches < 1)
      throw ArgumentError("ThreadTransposition: blocks must be at least 0 and batches at least 1, got " +
                          std::to_string(blocks) + " and " + std::to_string(batches));
    return MeshStrategy::plan(exec, space);
  }

  /// \throws UnsupportedError with the numbers where a team has not the threads or the scratch memory
  template <class ExecutionSpace, class CellData, class Kernel>
  void validate(const ExecutionSpace& exec, const CellData& cell_data, const Kernel& kernel,
                const Status<ExecutionSpace>& status) const {
    detail::TranspositionLoop<CellData, Kernel> loop{cell_data, kernel, status, 0, 0, 0};
    policy(exec, loop);
  }

  template <class ExecutionSpace, class CellData, class Kernel>
  void run(const ExecutionSpace& exec, const CellData& cell_data, const Kernel& kernel,
           const Status<ExecutionSpace>& status) const {
    if (cell_data.begin == cell_data.end) return;
    detail::TranspositionLoop<CellData, Kernel> loop{cell_data, kernel, status, 0, 0, 0};
    const auto teams = policy(exec, loop);
    Kokkos::parallel_for("Tessera::ThreadTransposition::integrate", teams, loop);
  }

private:
  /// At most 128 threads; where that is enough for it, batches of half warps of cells, which begin at
  /// multiples of 16 bytes in all arrays.
  template <class Loop>
  static constexpr int default_blocks() {
    constexpr int most = std::max(1, 128 / (Loop::N_bs * Loop::N_comp)), unit = 16 / std::gcd(16, Loop::N_bs);
    return most < unit ? most : most / unit * unit;
  }

  /// Sets the loop's sizes.
  template <class ExecutionSpace, class Loop>
  auto policy(const ExecutionSpace& exec, Loop& loop) const {
    using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
    constexpr bool host =
        runs_on_host<ExecutionSpace>; // its second level of scratch memory is as near as the first
    const int of_block = Loop::N_bs * Loop::N_comp; // threads
    const auto limit = static_cast<std::size_t>(Policy::scratch_size_max(host ? 1 : 0));
    int concurrent = blocks > 0 ? blocks : default_blocks<Loop>();
    while (blocks == 0 && concurrent > 1 &&
           Loop::scratch_bytes(concurrent * Loop::N_bs * Loop::at_once) > limit)
      concurrent /= 2;
    const int threads = concurrent * of_block; // N_t
    const Ordinal cells = loop.cell_data.end - loop.cell_data.begin;
    loop.N_bc = concurrent * Loop::N_bs * Loop::at_once;
    loop.chunk = (batches + Loop::at_once - 1) / Loop::at_once * loop.N_bc;
    const std::size_t scratch = Loop::scratch_bytes(loop.N_bc);
    loop.level = scratch > scratch_limit<ExecutionSpace>() ? 1 : 0;
    const std::string wish = std::string(name) + ": " + std::to_string(concurrent) + " blocks of " +
                             std::to_string(Loop::N_bs) + " cells ";
    if (scratch > limit)
      throw UnsupportedError(wish + "need " + std::to_string(scratch) +
                             " bytes of scratch memory, a team on " + ExecutionSpace::name() +
                             " has at most " + std::to_string(limit));
    const Ordinal teams = (cells + loop.chunk - 1) / loop.chunk;
    Policy policy(exec, teams, 1);
    policy.set_scratch_size(loop.level, Kokkos::PerTeam(scratch));
    if (runs_on_host<ExecutionSpace>) return policy; // a thread plays all of them
    const int most = policy.team_size_max(loop, Kokkos::ParallelForTag());
    if (threads > most)
      throw UnsupportedError(wish + "need " + std::to_string(threads) +
                             " threads, a team of this kernel on " + ExecutionSpace::name() +
                             " has at most " + std::to_string(most));
    policy = Policy(exec, teams, threads);
    policy.set_scratch_size(loop.level, Kokkos::PerTeam(scratch));
    return policy;
  }
};

} // namespace TESSERA_KERNELS::residual
