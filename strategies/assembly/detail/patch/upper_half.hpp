// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The upper half of a symmetric matrix, which is what paper 4 stores (section 4).

#include <tessera/core/allocate.hpp>
#include <tessera/core/system/sparsity_graph.hpp>

#include <Kokkos_Core.hpp>

#include <string>

namespace TESSERA_KERNELS::assembly {

/// The entries of a graph on the diagonal and above it. Systems made of it are for strategies that say that
/// they serve it.
/// \throws OutOfMemoryError
template <class ExecutionSpace>
SparsityGraph<ExecutionSpace> upper_half(const ExecutionSpace& exec,
                                         const SparsityGraph<ExecutionSpace>& graph) {
  using Graph = SparsityGraph<ExecutionSpace>;
  using Range = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>;
  Graph half = graph;
  half.row_map =
      allocate<typename Graph::RowMap>(exec, "Tessera::UpperHalf::row_map", graph.row_map.extent(0));
  const auto begin = half.row_map;
  const Ordinal rows = graph.num_rows();
  Offset entries = 0;
  Kokkos::parallel_scan(
      "Tessera::UpperHalf::scan", Range(exec, 0, rows),
      KOKKOS_LAMBDA(const Ordinal row, Offset& sum, const bool final) {
        if (final && row == 0) begin(0) = 0;
        for (Offset k = graph.row_map(row); k < graph.row_map(row + 1); ++k)
          if (graph.columns(k) >= row) ++sum;
        if (final) begin(row + 1) = sum;
      },
      entries);
  half.columns = allocate<typename Graph::Columns>(exec, "Tessera::UpperHalf::columns", entries);
  const auto columns = half.columns;
  Kokkos::parallel_for(
      "Tessera::UpperHalf::fill", Range(exec, 0, rows), KOKKOS_LAMBDA(const Ordinal row) {
        Offset to = begin(row);
        for (Offset k = graph.row_map(row); k < graph.row_map(row + 1); ++k)
          if (graph.columns(k) >= row) columns(to++) = graph.columns(k);
      });
  exec.fence("Tessera::UpperHalf::fill");
  return half;
}

/// Whether a graph has no entry below the diagonal.
template <class ExecutionSpace>
bool is_upper_half(const ExecutionSpace& exec, const SparsityGraph<ExecutionSpace>& graph) {
  Ordinal below = 0;
  Kokkos::parallel_reduce(
      "Tessera::UpperHalf::look",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>(exec, 0, graph.num_rows()),
      KOKKOS_LAMBDA(const Ordinal row, Ordinal& count) {
        const Offset first = graph.row_map(row);
        if (first < graph.row_map(row + 1) && graph.columns(first) < row) ++count;
      },
      below);
  return below == 0;
}

} // namespace TESSERA_KERNELS::assembly
