// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Kernels of ElementByElement: a thread per element, or a team per block whose threads take rows.

#include <tessera/core/arithmetic/real.hpp>
#include <tessera/strategies/common/element_real.hpp>
#include <tessera/strategies/cuda/by_value.hpp>
#include <tessera/strategies/element_loops/result_sink.hpp>
#include <tessera/strategies/matrix_free/detail/stored_elements.hpp>

#include <algorithm>

namespace TESSERA_KERNELS::matrix_free::detail {

/// All entries, by rows.
template <int Nodes, int Components>
struct FullLayout {
  static constexpr int dofs = Nodes * Components;
  static constexpr int entries = dofs * dofs;

  template <class Visit>
  KOKKOS_FORCEINLINE_FUNCTION static void for_each(const Visit& visit) {
    for (int i = 0; i < Nodes; ++i)
      for (int a = 0; a < Components; ++a)
        for (int j = 0; j < Nodes; ++j)
          for (int b = 0; b < Components; ++b)
            visit((i * Components + a) * dofs + j * Components + b, i, a, j, b);
  }
};

/// Elements of a block: the lanes of a vector on the host, of a warp (or half a wavefront) on devices.
template <class ExecutionSpace, class Scalar>
constexpr int full_block_width() {
  return runs_on_host<ExecutionSpace> ? lanes_v<NativePack<Scalar>> : warp_lanes;
}

/// What the kernels read and write of one range of elements.
template <class Element, class ExecutionSpace, class Scalar, class Stored, int Components>
struct FullBlock {
  static constexpr int nodes = Element::nodes, components = Components, dofs = nodes * components;
  static constexpr int width = full_block_width<ExecutionSpace, Scalar>();
  using Execution = ExecutionSpace;
  using Sink = ResultSink<Element, components, ExecutionSpace, Scalar>;
  using Number = Scalar;

  MeshKernel<Element, ExecutionSpace> mesh;
  Kokkos::View<const Stored*, ExecutionSpace> values;
  Sink sink;
  Kokkos::View<const Scalar*, ExecutionSpace> x;
  Ordinal begin, end, first_block;
  int rows_per_thread; ///< of `run_by_rows`

  KOKKOS_FORCEINLINE_FUNCTION const Stored* block_values(Ordinal block) const {
    return values.data() + static_cast<Offset>(first_block + block) * (dofs * dofs * width);
  }
  KOKKOS_FORCEINLINE_FUNCTION Ordinal blocks() const { return (end - begin + width - 1) / width; }
};

/// A thread per element. The loop over rows stays rolled where rows are long: a row's numbers are loaded at
/// once, and its result leaves before the next begins.
template <class Block>
struct ElementThread {
  Block block;

  KOKKOS_FUNCTION void operator()(Ordinal index) const {
    using Real = element_real_t<typename Block::Execution, typename Block::Number>;
    constexpr int c = Block::components, lanes = lanes_v<Real>;
    const Ordinal first = block.begin + index * lanes;
    const int active = block.end - first < lanes ? block.end - first : lanes;
    const auto* const matrix =
        block.block_values(index * lanes / Block::width) + index * lanes % Block::width;
    Real u[Block::dofs];
    TESSERA_UNROLL(unrolled)
    for (int n = 0; n < Block::nodes; ++n) {
      for (int lane = 0; lane < lanes; ++lane) {
        typename Block::Number value[c];
        block.sink.node_values.read(block.x, block.mesh.connectivity(first + (lane < active ? lane : 0), n),
                                    value);
        for (int a = 0; a < c; ++a) set_lane(u[n * c + a], lane, value[a]);
      }
    }
    TESSERA_UNROLL(1)
    for (int i = 0; i < Block::nodes; ++i) {
      Real v[c];
      for (int a = 0; a < c; ++a) {
        v[a] = Real(typename Block::Number(0));
        const auto* const row = matrix + (i * c + a) * Block::dofs * Block::width;
        TESSERA_UNROLL(unrolled)
        for (int j = 0; j < Block::dofs; ++j) v[a] += load_lanes<Real>(row + j * Block::width) * u[j];
      }
      for (int lane = 0; lane < active; ++lane) {
        typename Block::Number value[c];
        for (int a = 0; a < c; ++a) value[a] = lane_of(v[a], lane);
        block.sink.add(first + lane, i, block.mesh.connectivity(first + lane, i), value);
      }
    }
  }

  static constexpr int unrolled = Block::dofs <= 24 ? Block::dofs : 1;
};

template <class Block>
void run_by_elements(const typename Block::Execution& exec, const Block& block) {
  constexpr int lanes = lanes_v<element_real_t<typename Block::Execution, typename Block::Number>>;
  Kokkos::parallel_for("Tessera::ElementByElement::apply",
                       by_value<ElementThread<Block>>(Kokkos::RangePolicy<typename Block::Execution>(
                           exec, 0, (block.end - block.begin + lanes - 1) / lanes)),
                       ElementThread<Block>{block});
}

/// A team per block: lanes take elements, the team's threads rows of one node or of one degree of freedom.
/// The block's values are read once into scratch memory.
template <class Block>
struct RowThreads {
  using Policy = Kokkos::TeamPolicy<typename Block::Execution>;
  using Member = typename Policy::member_type;
  using Number = typename Block::Number;
  using Values = Kokkos::View<Number * [Block::width], Kokkos::LayoutRight,
                              typename Block::Execution::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  Block block;

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    constexpr int c = Block::components, dofs = Block::dofs, width = Block::width;
    const Ordinal first = block.begin + team.league_rank() * width;
    const int active = block.end - first < width ? block.end - first : width;
    const auto* const matrix = block.block_values(team.league_rank());
    const Values u(team.team_scratch(0), dofs);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, Block::nodes), [&](int n) {
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, active), [&](int lane) {
        Number value[c];
        block.sink.node_values.read(block.x, block.mesh.connectivity(first + lane, n), value);
        for (int a = 0; a < c; ++a) u(n * c + a, lane) = value[a];
      });
    });
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, dofs / block.rows_per_thread), [&](int unit) {
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, active), [&](int lane) {
        for (int r = 0; r < block.rows_per_thread; ++r) {
          const int i = unit * block.rows_per_thread + r;
          const auto* const row = matrix + i * dofs * width + lane;
          Number sum = 0;
          TESSERA_UNROLL(8)
          for (int j = 0; j < dofs; ++j) sum += Number(row[j * width]) * u(j, lane);
          block.sink.add(first + lane, i / c, block.mesh.connectivity(first + lane, i / c), i % c, sum);
        }
      });
    });
  }
};

template <class Block>
void run_by_rows(const typename Block::Execution& exec, const Block& block) {
  using Kernel = RowThreads<Block>;
  using Policy = typename Kernel::Policy;
  if (block.blocks() == 0) return;
  const std::size_t scratch = Kernel::Values::shmem_size(Block::dofs);
  const int lanes = std::min(Block::width, Policy::vector_length_max());
  auto policy = by_value<Kernel>(Policy(exec, block.blocks(), 1, lanes));
  policy.set_scratch_size(0, Kokkos::PerTeam(scratch));
  if (scratch > static_cast<std::size_t>(Policy::scratch_size_max(0)))
    throw UnsupportedError("ElementByElement: " + std::to_string(scratch) +
                           " bytes of scratch memory wanted, " + std::to_string(Policy::scratch_size_max(0)) +
                           " available");
  const Kernel kernel{block};
  const int threads =
      std::min(Block::dofs / block.rows_per_thread, policy.team_size_max(kernel, Kokkos::ParallelForTag()));
  auto sized = by_value<Kernel>(Policy(exec, block.blocks(), threads, lanes));
  Kokkos::parallel_for("Tessera::ElementByElement::apply",
                       sized.set_scratch_size(0, Kokkos::PerTeam(scratch)), kernel);
}

} // namespace TESSERA_KERNELS::matrix_free::detail
