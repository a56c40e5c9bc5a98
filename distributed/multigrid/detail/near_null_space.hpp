// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What ranks' levels owe to the near-null space of all.

#include <tessera/core/allocate.hpp>
#include <tessera/core/system/sparsity_graph.hpp>
#include <tessera/core/types.hpp>
#include <tessera/distributed/agree.hpp>
#include <tessera/distributed/multigrid/detail/couplings.hpp>
#include <tessera/distributed/multigrid/detail/rank_rows.hpp>
#include <tessera/distributed/node_exchange.hpp>
#include <tessera/solvers/multigrid/detail/level.hpp>
#include <tessera/solvers/multigrid/detail/tuning.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <utility>

namespace tessera::distributed::detail {

/// Entries of the near-null space in shared rows, one vector after the other for each row.
template <class ExecutionSpace>
struct TakeModes {
  sparse::Floats<ExecutionSpace> test;     ///< the only mode, or
  sparse::Modes<ExecutionSpace> near_null; ///< several
  Kokkos::View<const Ordinal*, ExecutionSpace> rows;
  Ordinal count;
  Kokkos::View<double*, ExecutionSpace> values;
  KOKKOS_FUNCTION void operator()(Ordinal k) const {
    for (Ordinal m = 0; m < count; ++m)
      values(k * count + m) = test.extent(0) > 0 ? static_cast<double>(test(rows(k))) : near_null(rows(k), m);
  }
};

/// The couplings' product with the near-null space.
template <class ExecutionSpace>
struct CouplingModes {
  sparse::Matrix<ExecutionSpace, double> entries;
  Kokkos::View<const double*, ExecutionSpace> values; ///< of shared rows, then of ghosts
  sparse::Modes<ExecutionSpace> product;

  KOKKOS_FUNCTION void operator()(Ordinal k) const {
    const auto count = static_cast<Ordinal>(product.extent(1));
    for (Ordinal m = 0; m < count; ++m) {
      double sum = 0;
      entries.each_entry(k, [&](Ordinal place, double value) { sum += value * values(place * count + m); });
      product(k, m) = sum;
    }
  }
};

/// Collective: the couplings' products with the near-null space of a level.
template <class ExecutionSpace>
amg::OuterCouplings<ExecutionSpace> outer_couplings(const ExecutionSpace& exec,
                                                    const CouplingMatrix<ExecutionSpace>& matrix,
                                                    const amg::Level<ExecutionSpace>& level) {
  using Outer = amg::OuterCouplings<ExecutionSpace>;
  using Vector = Kokkos::View<double*, ExecutionSpace>;
  const SharedRows<ExecutionSpace>& rows = matrix.rows;
  const Communicator& ranks = rows.import.ranks();
  int count = level.rows() == 0 ? 0 : level.has_test() ? 1 : static_cast<int>(level.near_null.extent(1));
  MPI_Allreduce(MPI_IN_PLACE, &count, 1, MPI_INT, MPI_MAX, ranks.own());
  NodeExchange<double, ExecutionSpace> exchange(exec, rows.import, std::max(count, 1));
  const auto [values, outer] = agree(ranks, [&] {
    return std::make_pair(allocate_zeroed<Vector>(exec, "Tessera::Multigrid::shared_modes",
                                                  to_size(rows.all()) * to_size(exchange.components())),
                          Outer{rows.rows, allocate<sparse::Modes<ExecutionSpace>>(
                                               exec, "Tessera::Multigrid::outer", rows.count(), count)});
  });
  const sparse::Range<ExecutionSpace> shared(exec, 0, rows.count());
  Kokkos::parallel_for("Tessera::Multigrid::take_modes", shared,
                       TakeModes<ExecutionSpace>{level.test, level.near_null, rows.rows, count, values});
  exchange.begin(exec, values);
  exchange.end(exec, values);
  Kokkos::parallel_for("Tessera::Multigrid::outer", shared,
                       CouplingModes<ExecutionSpace>{matrix.entries, values, outer.product});
  exec.fence("Tessera::Multigrid::outer");
  return outer;
}

template <class ExecutionSpace>
sparse::Modes<ExecutionSpace> copy_of(const ExecutionSpace& exec,
                                      const sparse::Modes<ExecutionSpace>& modes) {
  const auto copy = allocate<sparse::Modes<ExecutionSpace>>(exec, "Tessera::Multigrid::modes",
                                                            modes.extent(0), modes.extent(1));
  Kokkos::deep_copy(exec, copy, modes);
  return copy;
}

/// Whether a row's entries sum to zero, up to rounding.
template <class ExecutionSpace>
struct CountOtherSums {
  SparsityGraph<ExecutionSpace> graph;
  Kokkos::View<const double*, ExecutionSpace> values;
  KOKKOS_FUNCTION void operator()(Ordinal row, Ordinal& others) const {
    double sum = 0, absolute = 0;
    for (Offset k = graph.row_map(row); k < graph.row_map(row + 1); ++k) {
      sum += values(k);
      absolute += Kokkos::abs(values(k));
    }
    others += Kokkos::abs(sum) <= amg::tuning::row_sum_rounding * absolute ? 0 : 1;
  }
};

/// Collective: whether all owned rows sum to zero, so that the constant is a null vector.
template <class ExecutionSpace>
bool rows_sum_to_zero(const ExecutionSpace& exec, const RankRows<ExecutionSpace>& rows) {
  Ordinal others = 0;
  Kokkos::parallel_reduce("Tessera::Multigrid::row_sums", sparse::Range<ExecutionSpace>(exec, 0, rows.owned),
                          CountOtherSums<ExecutionSpace>{rows.system.graph(), rows.system.values()}, others);
  MPI_Allreduce(MPI_IN_PLACE, &others, 1, MPI_INT32_T, MPI_SUM, rows.import.ranks().own());
  return others == 0;
}

} // namespace tessera::distributed::detail
