// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// A number that tells patterns apart.

#include <tessera/core/types.hpp>
#include <tessera/solvers/detail/crs.hpp>
#include <tessera/solvers/detail/mixed.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace tessera::solvers::multigrid::detail {

/// A hash of row map and columns: of two patterns of one size the same once in 2⁶⁴. Waits for `exec`.
template <class ExecutionSpace>
std::uint64_t pattern_sum(const ExecutionSpace& exec,
                          const solvers::detail::CrsViews<double, ExecutionSpace>& a) {
  using solvers::detail::mixed;
  using Range = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>;
  const auto row_map = a.row_map;
  const auto columns = a.columns;
  std::uint64_t of_columns = 0, of_rows = 0;
  Kokkos::parallel_reduce(
      "Tessera::Multigrid::pattern", Range(exec, 0, static_cast<std::int64_t>(columns.extent(0))),
      KOKKOS_LAMBDA(const std::int64_t k, std::uint64_t& sum) {
        sum += mixed(mixed(static_cast<std::uint64_t>(k)) + static_cast<std::uint64_t>(columns(k)));
      },
      of_columns);
  Kokkos::parallel_reduce(
      "Tessera::Multigrid::pattern", Range(exec, 0, static_cast<std::int64_t>(row_map.extent(0))),
      KOKKOS_LAMBDA(const std::int64_t row, std::uint64_t& sum) {
        sum += mixed(mixed(static_cast<std::uint64_t>(row)) + static_cast<std::uint64_t>(row_map(row)));
      },
      of_rows);
  return of_columns + 3 * of_rows;
}

} // namespace tessera::solvers::multigrid::detail
