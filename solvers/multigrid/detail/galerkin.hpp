#pragma once

/// \file
/// The next level's matrix PᵀAP: its pattern, made once, and its values.

#include <tessera/core/ascending_list.hpp>
#include <tessera/solvers/multigrid/detail/contributions.hpp>
#include <tessera/solvers/multigrid/detail/host_product.hpp>
#include <tessera/solvers/multigrid/detail/meeting_aggregates.hpp>
#include <tessera/solvers/multigrid/detail/tiled_contributions.hpp>
#include <tessera/solvers/multigrid/detail/transpose.hpp>
#include <tessera/solvers/multigrid/detail/types.hpp>
#include <tessera/solvers/multigrid/detail/unions.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace tessera::solvers::multigrid {

/// Coarse neighbours of a coarse node: where the contributions of aggregates are not zero.
template <class ExecutionSpace>
struct CoarseLists {
  static constexpr Ordinal lanes = runs_on_host<ExecutionSpace> ? 1 : 8; // that share an aggregate

  GalerkinPlan<ExecutionSpace> plan;
  MeetingLists<ExecutionSpace> lists;

  KOKKOS_FUNCTION Ordinal items(Ordinal node) const { return plan.sources.length(node) * lanes; }
  template <class Insert>
  KOKKOS_FUNCTION void visit(Ordinal node, Ordinal item, const Insert& insert) const {
    const Offset entry = plan.sources.row_map(node) + item / lanes;
    const Ordinal source = plan.sources.columns(entry), count = plan.far.length(source);
    const Ordinal* const far = lists.far_of(source);
    const std::uint32_t* const words = lists.bits_of(source, plan.place(entry));
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

/// Finds a coarse node in the near lists of its sources.
template <class ExecutionSpace>
struct PlacesOfSources {
  GalerkinPlan<ExecutionSpace> plan;

  KOKKOS_FUNCTION void operator()(const TeamMember<ExecutionSpace>& team, Ordinal node, int) const {
    const Offset first = plan.sources.row_map(node);
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, plan.sources.length(node)), [&](Ordinal k) {
      const Ordinal source = plan.sources.columns(first + k);
      plan.place(first + k) = tessera::detail::place_in(plan.near.columns.data() + plan.near.row_map(source),
                                                        plan.near.length(source), node);
    });
  }
};

/// Whether contributions are made by tiles, as devices want it, or row by row.
template <class ExecutionSpace>
inline constexpr bool by_tiles = !runs_on_host<ExecutionSpace>;

/// A level's matrix, its prolongator and what multiplies them. `contributions` is room that levels share.
template <class ExecutionSpace, bool Tiles = by_tiles<ExecutionSpace>>
struct GalerkinProduct {
  Matrix<ExecutionSpace> a, p;
  Aggregates<ExecutionSpace> aggregates;
  GalerkinPlan<ExecutionSpace> plan;

  /// A column of each block at a time, or on the host all.
  int at_once() const { return Tiles ? 1 : p.block_columns; }

  /// Runs the kernel of the contributions for a column of the blocks.
  void contribute(const ExecutionSpace& exec, const Floats<ExecutionSpace>& contributions, int mode) const {
    if (a.block_rows * a.block_columns * p.block_columns == 1 &&
        static_cast<Offset>(p.entries()) <= Offset{12} * p.nodes())
      launch_contributions(
          exec, TiledContributions<ExecutionSpace, true>{a, p, aggregates, plan, contributions, mode});
    else
      launch_contributions(
          exec, TiledContributions<ExecutionSpace, false>{a, p, aggregates, plan, contributions, mode});
  }

  /// Makes the plan and the pattern. Lengthens `contributions` as needed.
  Matrix<ExecutionSpace> pattern(const ExecutionSpace& exec, Floats<ExecutionSpace>& contributions) {
    const Ordinal count = aggregates.count, modes = p.block_columns;
    Offset sum = 0;
    const auto lists = meeting_aggregates<Tiles>(exec, a.graph, p.graph, aggregates, plan, sum);
    plan.sources = transposed(exec, plan.near, count);
    plan.place = make<Ordinals<ExecutionSpace>>(exec, "place", plan.sources.columns.extent(0));
    for_each_row(exec, "Tessera::Multigrid::places", count, lanes_for(plan.sources.columns.extent(0), count),
                 0, PlacesOfSources<ExecutionSpace>{plan});
    const std::size_t room = sum * modes * at_once();
    if (contributions.extent(0) < room) {
      contributions = {};
      contributions = make<Floats<ExecutionSpace>>(exec, "contributions", room);
    }
    // Rows reach about as many columns as aggregates do; the few that reach far more are made again.
    Ordinal room_of_row = 64;
    while (2 * static_cast<Offset>(room_of_row) * count < 3 * static_cast<Offset>(plan.far.columns.extent(0)))
      room_of_row *= 2;
    const auto graph = unions(exec, "Tessera::Multigrid::coarse_pattern",
                              CoarseLists<ExecutionSpace>{plan, lists}, count, count, 32, room_of_row);
    return matrix_on(exec, graph, modes, modes);
  }

  /// Fills the values of the product.
  void values(const ExecutionSpace& exec, const Floats<ExecutionSpace>& contributions,
              const Matrix<ExecutionSpace>& coarse) const {
    if constexpr (Tiles)
      for (int mode = 0; mode < coarse.block_columns; ++mode)
        values_of_column(exec, contributions, coarse, mode);
    else if (a.block_rows * coarse.block_columns == 1)
      host_values<true>(exec, contributions, coarse);
    else
      host_values<false>(exec, contributions, coarse);
  }

  void values_of_column(const ExecutionSpace& exec, const Floats<ExecutionSpace>& contributions,
                        const Matrix<ExecutionSpace>& coarse, int mode) const {
    contribute(exec, contributions, mode);
    const int lanes = coarse.block_rows * coarse.block_columns > 1 || plan.far.longest > 64 ? 32 : 16;
    if (coarse.block_rows * coarse.block_columns == 1)
      sum_rows(exec, CoarseRows<ExecutionSpace, true>{coarse, plan, contributions, mode, lanes});
    else
      sum_rows(exec, CoarseRows<ExecutionSpace, false>{coarse, plan, contributions, mode, lanes});
  }

  template <bool Scalar>
  void host_values(const ExecutionSpace& exec, const Floats<ExecutionSpace>& contributions,
                   const Matrix<ExecutionSpace>& coarse) const {
    host_product(exec, HostContributions<ExecutionSpace, Scalar>{a, p, aggregates, plan, contributions},
                 HostCoarseRows<ExecutionSpace, Scalar>{coarse, plan, contributions});
  }

  template <class Rows>
  static void sum_rows(const ExecutionSpace& exec, const Rows& rows) {
    for_each_row(exec, "Tessera::Multigrid::coarse_rows", rows.coarse.nodes(), rows.lanes,
                 rows.scratch_bytes(), rows);
  }
};

} // namespace tessera::solvers::multigrid
