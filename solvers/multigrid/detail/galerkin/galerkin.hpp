// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The next level's matrix PᵀAP: its pattern, made once, and its values.

#include <tessera/solvers/multigrid/detail/galerkin/block_product.hpp>
#include <tessera/solvers/multigrid/detail/galerkin/contributions.hpp>
#include <tessera/solvers/multigrid/detail/galerkin/host_product.hpp>
#include <tessera/solvers/multigrid/detail/galerkin/meeting_lists.hpp>
#include <tessera/solvers/multigrid/detail/galerkin/tiled_contributions.hpp>
#include <tessera/solvers/multigrid/detail/sparse.hpp>
#include <tessera/solvers/multigrid/detail/tuning.hpp>
#include <tessera/solvers/sparse/detail/transpose.hpp>
#include <tessera/solvers/sparse/detail/unions.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <optional>

namespace tessera::solvers::multigrid::detail {

/// Coarse neighbours of a coarse node: where the contributions of aggregates are not zero.
template <class ExecutionSpace>
struct CoarseLists {
  static constexpr Ordinal lanes = runs_on_host<ExecutionSpace> ? 1 : 8; // that share an aggregate

  GalerkinPlan<ExecutionSpace> plan;
  MeetingLists<ExecutionSpace> lists;

  KOKKOS_FUNCTION Ordinal items(Ordinal node) const { return plan.sources.length(node) * lanes; }
  template <class Insert>
  KOKKOS_FORCEINLINE_FUNCTION void visit(Ordinal node, Ordinal item, const Insert& insert) const {
    const Offset entry = plan.sources.row_map(node) + item / lanes;
    const Ordinal source = plan.sources.columns(entry), count = plan.far.length(source);
    const Ordinal* const far = plan.far.columns.data() + plan.far.row_map(source);
    const std::uint32_t* const words = lists(source).of(plan.place(entry));
    if constexpr (lanes == 1) {
      for (Ordinal begin = 0; begin < count; begin += 32)
        for (std::uint32_t left = words[begin / 32]; left != 0; left &= left - 1)
          insert(far[begin + Kokkos::countr_zero(left)]);
    } else {
      for (Ordinal k = item % lanes; k < count; k += lanes)
        if ((words[k / 32] >> (k % 32) & 1u) != 0) insert(far[k]);
    }
  }
};

/// Whether contributions are made by tiles, and blocks node by node, as devices want it, or all row by row.
template <class ExecutionSpace>
inline constexpr bool by_tiles = !runs_on_host<ExecutionSpace>;

/// A level's matrix, its prolongator and what multiplies them.
template <class ExecutionSpace, bool Tiles = by_tiles<ExecutionSpace>>
struct GalerkinProduct {
  Matrix<ExecutionSpace> a, p;
  Graph<ExecutionSpace> transpose; // of P's
  Aggregates<ExecutionSpace> aggregates;
  GalerkinPlan<ExecutionSpace> plan;

  bool of_blocks() const { return a.block_rows * p.block_columns > 1; }

  /// Makes the plan and the pattern. Lengthens `contributions`, for contributions or A P, which levels share,
  /// as needed.
  /// \param any  whether any pattern will do.
  /// \return none if another will not, and most aggregates reach far more others than rows have entries
  std::optional<Matrix<ExecutionSpace>> pattern(const Workspace<ExecutionSpace>& work, bool any,
                                                Floats<ExecutionSpace>& contributions) {
    const ReturnTemporaries<ExecutionSpace> at_end(work);
    const int modes = p.block_columns;
    if constexpr (Tiles)
      if (of_blocks()) {
        const auto graph = block_pattern(work, a.graph, p.graph, transpose, plan);
        lengthen(work, plan.product.columns.extent(0) * a.block_rows * modes, contributions);
        return matrix_on(work, "coarse_matrix", graph, modes, modes);
      }
    const Ordinal count = aggregates.count;
    const auto met = meeting_aggregates<Tiles>(work, a.graph, p.graph, aggregates, any, plan);
    if (met.storage.empty()) return std::nullopt;
    find_sources(work, plan);
    lengthen(work, static_cast<std::size_t>(met.contributions) * modes * modes, contributions);
    // Rows reach about as many columns as aggregates do; the few that reach far more are made again.
    Ordinal capacity_of_row = tuning::coarse_row_capacity;
    while (2 * static_cast<Offset>(capacity_of_row) * count <
           3 * static_cast<Offset>(plan.far.columns.extent(0)))
      capacity_of_row *= 2;
    const auto graph = unions(work, "coarse_pattern", CoarseLists<ExecutionSpace>{plan, met.lists}, count,
                              count, 32, capacity_of_row, [&](Offset entries) {
                                reserve_matrix(work, "coarse_matrix", entries, modes * modes);
                              });
    return matrix_on(work, "coarse_matrix", graph, modes, modes);
  }

  static void lengthen(const Workspace<ExecutionSpace>& work, std::size_t values,
                       Floats<ExecutionSpace>& contributions) {
    if (contributions.extent(0) >= values) return;
    contributions = {};
    contributions = make_kept<Floats<ExecutionSpace>>(work, "contributions", values);
  }

  /// Fills the values of the product.
  void values(const Workspace<ExecutionSpace>& work, const Floats<ExecutionSpace>& contributions,
              const Matrix<ExecutionSpace>& coarse) const {
    if constexpr (Tiles) {
      if (!of_blocks())
        tiled_values(work.exec, contributions, coarse);
      else if (p.block_columns == 6 && a.block_rows == 3) // a solid's finest level
        block_values<3, 6>(work.exec, a, p, transpose, plan, contributions, coarse);
      else if (p.block_columns == 6 && a.block_rows == 6)
        block_values<6, 6>(work.exec, a, p, transpose, plan, contributions, coarse);
      else
        block_values<1, 0>(work.exec, a, p, transpose, plan, contributions, coarse);
    } else if (of_blocks()) {
      host_values<false>(work, contributions, coarse);
    } else {
      host_values<true>(work, contributions, coarse);
    }
  }

  void tiled_values(const ExecutionSpace& exec, const Floats<ExecutionSpace>& contributions,
                    const Matrix<ExecutionSpace>& coarse) const {
    // Few aggregates wait for memory: then a row is shared by lanes.
    const bool few =
        tuning::threads_sharing_rows * aggregates.count <= static_cast<Offset>(exec.concurrency());
    if (static_cast<Offset>(p.entries()) <= tuning::short_prolongator_rows * p.nodes() && !few)
      launch_contributions(exec,
                           TiledContributions<ExecutionSpace, true>{a, p, aggregates, plan, contributions});
    else
      launch_contributions(exec,
                           TiledContributions<ExecutionSpace, false>{a, p, aggregates, plan, contributions});
    const CoarseRows<ExecutionSpace> rows{coarse, plan, contributions,
                                          plan.far.longest > tuning::long_far_list ? 32 : 16};
    for_each_row(exec, "Tessera::Multigrid::coarse_rows", coarse.nodes(), rows.lanes, rows.scratch_bytes(),
                 rows);
  }

  template <bool Scalar>
  void host_values(const Workspace<ExecutionSpace>& work, const Floats<ExecutionSpace>& contributions,
                   const Matrix<ExecutionSpace>& coarse) const {
    host_product(work, HostContributions<ExecutionSpace, Scalar>{a, p, aggregates, plan, contributions},
                 HostCoarseRows<ExecutionSpace, Scalar>{coarse, plan, contributions});
  }
};

} // namespace tessera::solvers::multigrid::detail
