#pragma once

/// \file
/// The next level's matrix PᵀAP: its pattern, made once, and its values.

#include <tessera/core/ascending_list.hpp>
#include <tessera/solvers/multigrid/detail/contributions.hpp>
#include <tessera/solvers/multigrid/detail/transpose.hpp>
#include <tessera/solvers/multigrid/detail/types.hpp>
#include <tessera/solvers/multigrid/detail/unions.hpp>

#include <Kokkos_Core.hpp>

namespace tessera::solvers::multigrid {

/// Columns of P in the rows of an aggregate's nodes.
template <class ExecutionSpace>
struct NearLists {
  Graph<ExecutionSpace> prolongator;
  Aggregates<ExecutionSpace> aggregates;

  KOKKOS_FUNCTION Ordinal items(Ordinal aggregate) const { return aggregates.size(aggregate); }
  template <class Insert>
  KOKKOS_FUNCTION void visit(Ordinal aggregate, Ordinal item, const Insert& insert) const {
    const Ordinal node = aggregates.node(aggregates.begin(aggregate) + item);
    for (Offset k = prolongator.row_map(node); k < prolongator.row_map(node + 1); ++k)
      insert(prolongator.columns(k));
  }
};

/// Columns of A P there.
template <class ExecutionSpace>
struct FarLists {
  Graph<ExecutionSpace> matrix, prolongator;
  Aggregates<ExecutionSpace> aggregates;

  KOKKOS_FUNCTION Ordinal items(Ordinal aggregate) const { return aggregates.size(aggregate); }
  template <class Insert>
  KOKKOS_FUNCTION void visit(Ordinal aggregate, Ordinal item, const Insert& insert) const {
    const Ordinal node = aggregates.node(aggregates.begin(aggregate) + item);
    for (Offset k = matrix.row_map(node); k < matrix.row_map(node + 1); ++k) {
      const Ordinal neighbor = matrix.columns(k);
      for (Offset m = prolongator.row_map(neighbor); m < prolongator.row_map(neighbor + 1); ++m)
        insert(prolongator.columns(m));
    }
  }
};

/// Coarse neighbours of a coarse node: where the contributions of a matrix of ones are not zero.
template <class ExecutionSpace>
struct CoarseLists {
  GalerkinPlan<ExecutionSpace> plan;
  Floats<ExecutionSpace> contributions;

  KOKKOS_FUNCTION Ordinal items(Ordinal node) const { return plan.sources.length(node); }
  template <class Insert>
  KOKKOS_FUNCTION void visit(Ordinal node, Ordinal item, const Insert& insert) const {
    const Ordinal source = plan.sources.columns(plan.sources.row_map(node) + item);
    const Offset near = plan.near.row_map(source), far = plan.far.row_map(source);
    const Ordinal count = plan.far.length(source);
    const Offset row =
        tessera::detail::place_in(plan.near.columns.data() + near, plan.near.length(source), node);
    for (Ordinal k = 0; k < count; ++k)
      if (contributions(plan.begin(source) + row * count + k) > 0) insert(plan.far.columns(far + k));
  }
};

/// A level's matrix, its prolongator and what multiplies them. `contributions` is room that levels share.
template <class ExecutionSpace>
struct GalerkinProduct {
  Matrix<ExecutionSpace> a, p;
  Aggregates<ExecutionSpace> aggregates;
  GalerkinPlan<ExecutionSpace> plan;

  /// The contributions' kernel, for values or for ones.
  AggregateContributions<ExecutionSpace> kernel(const Floats<ExecutionSpace>& contributions,
                                                bool ones) const {
    AggregateContributions<ExecutionSpace> result{a,
                                                  p,
                                                  aggregates,
                                                  plan,
                                                  contributions,
                                                  ones ? 1 : a.block_rows,
                                                  ones ? 1 : a.block_columns,
                                                  ones ? 1 : p.block_columns,
                                                  ones};
    for (result.room = 4; result.room < 2 * plan.far.longest;) result.room *= 2;
    // Teams with little scratch run beside each other on devices; on the host all columns at once vectorise.
    result.at_once = runs_on_host<ExecutionSpace> ? result.modes : 1;
    const std::size_t most = Kokkos::TeamPolicy<ExecutionSpace>::scratch_size_max(0);
    result.scratch_level = result.scratch_bytes() > most / 2 ? 1 : 0;
    return result;
  }

  /// Makes the plan and the pattern. Lengthens `contributions` as needed.
  Matrix<ExecutionSpace> pattern(const ExecutionSpace& exec, Floats<ExecutionSpace>& contributions) {
    const Ordinal count = aggregates.count, modes = p.block_columns;
    plan.near = unions(exec, "Tessera::Multigrid::near", NearLists<ExecutionSpace>{p.graph, aggregates},
                       count, 32, 64);
    plan.far = unions(exec, "Tessera::Multigrid::far", FarLists<ExecutionSpace>{a.graph, p.graph, aggregates},
                      count, 32, 128);
    plan.sources = transposed(exec, plan.near, count);
    const auto begin = plan.begin = make<Offsets<ExecutionSpace>>(exec, "contributions_begin", count + 1);
    const auto near = plan.near, far = plan.far;
    Kokkos::parallel_for(
        "Tessera::Multigrid::contributions_begin", Range<ExecutionSpace>(exec, 0, count),
        KOKKOS_LAMBDA(const Ordinal i) {
          begin(i + 1) = static_cast<Offset>(near.length(i)) * static_cast<Offset>(far.length(i));
        });
    const std::size_t room =
        lengths_to_offsets(exec, begin).sum * modes * kernel(contributions, false).at_once;
    if (contributions.extent(0) < room) {
      contributions = {};
      contributions = make<Floats<ExecutionSpace>>(exec, "contributions", room);
    }
    launch_contributions(exec, kernel(contributions, true));
    const auto graph = unions(exec, "Tessera::Multigrid::coarse_pattern",
                              CoarseLists<ExecutionSpace>{plan, contributions}, count, 32, 128);
    return matrix_on(exec, graph, modes, modes);
  }

  /// Fills the values of the product.
  void values(const ExecutionSpace& exec, const Floats<ExecutionSpace>& contributions,
              const Matrix<ExecutionSpace>& coarse) const {
    auto products = kernel(contributions, false);
    const Ordinal room = Kokkos::max(Ordinal(1), coarse.graph.longest) * coarse.block_rows * products.at_once;
    for (; products.mode < coarse.block_columns; products.mode += products.at_once) {
      launch_contributions(exec, products);
      for_each_row(
          exec, "Tessera::Multigrid::coarse_rows", coarse.nodes(), 32,
          Scratch<double, ExecutionSpace>::shmem_size(room),
          CoarseRows<ExecutionSpace>{coarse, plan, contributions, products.mode, products.at_once, room});
    }
  }
};

} // namespace tessera::solvers::multigrid
