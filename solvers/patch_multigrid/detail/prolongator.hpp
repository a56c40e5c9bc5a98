// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The smoothed prolongator (paper 4, equations 5 and 6).

#include <tessera/core/graphs/detail/scrambled.hpp>
#include <tessera/solvers/crs_operator.hpp>
#include <tessera/solvers/detail/diagonal.hpp>
#include <tessera/solvers/patch_multigrid/detail/sparse_product.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdint>

namespace tessera::solvers::patch_multigrid::detail {

template <class ExecutionSpace>
double norm(const ExecutionSpace& exec, const Kokkos::View<double*, ExecutionSpace>& x) {
  double sum = 0;
  Kokkos::parallel_reduce(
      "Tessera::PatchMultigrid::norm", Range<ExecutionSpace>(exec, 0, static_cast<Ordinal>(x.extent(0))),
      KOKKOS_LAMBDA(const Ordinal row, double& partial) { partial += x(row) * x(row); }, sum);
  return std::sqrt(sum);
}

/// Estimates the spectral radius of D⁻¹A by power iteration from a fixed start. It comes out low, by some
/// percent: 4/(3ρ) stays below 2/ρ until it misses a third.
template <class ExecutionSpace>
double spectral_radius(const ExecutionSpace& exec, const SparseMatrix<ExecutionSpace>& matrix,
                       const Kokkos::View<double*, ExecutionSpace>& inverse_diagonal) {
  constexpr int steps = 15;
  using Vector = Kokkos::View<double*, ExecutionSpace>;
  const Range<ExecutionSpace> rows(exec, 0, matrix.rows());
  const auto x = make<Vector>(exec, "power", matrix.rows()), y = make<Vector>(exec, "next", matrix.rows());
  const CrsOperator<double, ExecutionSpace> a(exec, matrix.graph.row_map, matrix.graph.columns,
                                              matrix.values);
  Kokkos::parallel_for(
      "Tessera::PatchMultigrid::power_start", rows, KOKKOS_LAMBDA(const Ordinal row) {
        constexpr double half = 2147483648.0;
        y(row) = tessera::detail::scrambled(static_cast<std::uint32_t>(row)) - half;
      });
  for (int step = 0; step < steps; ++step) {
    const double scale = 1 / norm(exec, y);
    Kokkos::parallel_for(
        "Tessera::PatchMultigrid::power_scale", rows,
        KOKKOS_LAMBDA(const Ordinal row) { x(row) = scale * y(row); });
    a.apply(exec, x, y);
    Kokkos::parallel_for(
        "Tessera::PatchMultigrid::power_step", rows,
        KOKKOS_LAMBDA(const Ordinal row) { y(row) *= inverse_diagonal(row); });
  }
  return norm(exec, y);
}

/// The tentative prolongator: row i has a 1 in the column of the node's aggregate (equation 5).
template <class ExecutionSpace>
SparseMatrix<ExecutionSpace>
tentative_prolongator(const ExecutionSpace& exec,
                      const Kokkos::View<const Ordinal*, ExecutionSpace>& aggregate_of_node) {
  const auto nodes = static_cast<Ordinal>(aggregate_of_node.extent(0));
  SparseMatrix<ExecutionSpace> p;
  p.graph = {make<decltype(p.graph.row_map)>(exec, "row_map", nodes + 1),
             make<decltype(p.graph.columns)>(exec, "columns", nodes), 1};
  p.values = make<decltype(p.values)>(exec, "values", nodes);
  Kokkos::parallel_for(
      "Tessera::PatchMultigrid::tentative", Range<ExecutionSpace>(exec, 0, nodes + 1),
      KOKKOS_LAMBDA(const Ordinal node) {
        p.graph.row_map(node) = node;
        if (node == nodes) return;
        p.graph.columns(node) = aggregate_of_node(node);
        p.values(node) = 1;
      });
  return p;
}

/// P = (I − ω D⁻¹ A) P̂ (equation 6).
template <class ExecutionSpace>
SparseMatrix<ExecutionSpace>
smoothed_prolongator(const ExecutionSpace& exec, const SparseMatrix<ExecutionSpace>& matrix,
                     const Kokkos::View<double*, ExecutionSpace>& inverse_diagonal,
                     const SparseMatrix<ExecutionSpace>& tentative, Ordinal aggregates, double omega) {
  const auto p = product(exec, "prolongator", matrix, tentative, aggregates);
  Kokkos::parallel_for(
      "Tessera::PatchMultigrid::smooth_prolongator", Range<ExecutionSpace>(exec, 0, p.rows()),
      KOKKOS_LAMBDA(const Ordinal row) {
        p.each_entry(row, [&](Ordinal column, double& value) {
          value =
              (column == tentative.graph.columns(row) ? 1.0 : 0.0) - omega * inverse_diagonal(row) * value;
        });
      });
  return p;
}

} // namespace tessera::solvers::patch_multigrid::detail
