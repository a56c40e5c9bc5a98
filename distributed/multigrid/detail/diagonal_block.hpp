// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The part of a rank's matrix that couples owned equations with each other.

#include <tessera/core/allocate.hpp>
#include <tessera/core/system/linear_system.hpp>
#include <tessera/core/types.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace tessera::distributed::detail {

/// Columns ascend, so that those of owned equations come first in each row.
template <class ExecutionSpace>
struct DiagonalBlock {
  Kokkos::View<Offset*, ExecutionSpace> row_map;
  Kokkos::View<Ordinal*, ExecutionSpace> columns;
  Kokkos::View<double*, ExecutionSpace> values;
};

template <class ExecutionSpace>
struct CountBlock {
  SparsityGraph<ExecutionSpace> graph;
  Ordinal owned;
  Kokkos::View<Offset*, ExecutionSpace> row_map;

  KOKKOS_FUNCTION void operator()(Ordinal row, Offset& sum, bool final) const {
    if (final) row_map(row) = sum;
    for (Offset k = graph.row_map(row); k < graph.row_map(row + 1) && graph.columns(k) < owned; ++k) ++sum;
    if (final && row + 1 == owned) row_map(owned) = sum;
  }
};

template <class ExecutionSpace>
struct FillBlock {
  SparsityGraph<ExecutionSpace> graph;
  Kokkos::View<const double*, ExecutionSpace> values;
  DiagonalBlock<ExecutionSpace> block;

  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    const Offset shift = graph.row_map(row) - block.row_map(row);
    for (Offset k = block.row_map(row); k < block.row_map(row + 1); ++k) {
      block.columns(k) = graph.columns(k + shift);
      block.values(k) = values(k + shift);
    }
  }
};

/// Writes the block of the system's present values.
template <class ExecutionSpace>
void fill_block(const ExecutionSpace& exec, const LinearSystem<double, ExecutionSpace>& system,
                const DiagonalBlock<ExecutionSpace>& block) {
  Kokkos::parallel_for(
      "Tessera::Multigrid::fill_block",
      Kokkos::RangePolicy<ExecutionSpace>(exec, 0, static_cast<Ordinal>(block.row_map.extent(0)) - 1),
      FillBlock<ExecutionSpace>{system.graph(), system.values(), block});
}

/// \throws OutOfMemoryError
template <class ExecutionSpace>
DiagonalBlock<ExecutionSpace> diagonal_block(const ExecutionSpace& exec,
                                             const LinearSystem<double, ExecutionSpace>& system,
                                             Ordinal owned) {
  DiagonalBlock<ExecutionSpace> block;
  block.row_map = allocate_zeroed<decltype(block.row_map)>(exec, "Tessera::Multigrid::row_map", owned + 1);
  Offset entries = 0;
  Kokkos::parallel_scan("Tessera::Multigrid::count_block",
                        Kokkos::RangePolicy<ExecutionSpace>(exec, 0, owned),
                        CountBlock<ExecutionSpace>{system.graph(), owned, block.row_map}, entries);
  block.columns = allocate<decltype(block.columns)>(exec, "Tessera::Multigrid::columns", entries);
  block.values = allocate<decltype(block.values)>(exec, "Tessera::Multigrid::values", entries);
  fill_block(exec, system, block);
  return block;
}

} // namespace tessera::distributed::detail
