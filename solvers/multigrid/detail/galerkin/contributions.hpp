// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The values of PᵀAP for single values a block on devices. A team takes an aggregate: what its nodes
/// contribute is a small dense matrix, as an element's is, and these are summed by coarse rows. No sum
/// depends on the order of threads.

#include <tessera/core/vector_fence.hpp>
#include <tessera/solvers/multigrid/detail/aggregation/aggregates.hpp>
#include <tessera/solvers/multigrid/detail/galerkin/galerkin_plan.hpp>
#include <tessera/solvers/multigrid/detail/sparse.hpp>
#include <tessera/solvers/sparse/detail/rows.hpp>
#include <tessera/solvers/sparse/detail/unions.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>

namespace tessera::solvers::multigrid::detail {

/// A coarse row: the sum of the contributions in the order of their aggregates.
template <class ExecutionSpace>
struct CoarseRows {
  using Member = TeamMember<ExecutionSpace>;
  using DoubleScratch = Scratch<double, ExecutionSpace>;
  using OffsetScratch = Scratch<Offset, ExecutionSpace>;
  using OrdinalScratch = Scratch<Ordinal, ExecutionSpace>;

  static constexpr Ordinal none = std::numeric_limits<Ordinal>::max(); // larger than any column
  static constexpr Ordinal sources_at_once = 32; // of which it is known where their contributions are
  static constexpr int at_once = 3;              // contributions on their way to a lane

  Matrix<ExecutionSpace> coarse;
  GalerkinPlan<ExecutionSpace> plan;
  Floats<ExecutionSpace> contributions;
  int lanes;

  KOKKOS_FUNCTION Ordinal list_capacity() const { return AscendingSearch::padded(coarse.graph.longest); }
  std::size_t scratch_bytes() const {
    return DoubleScratch::shmem_size(coarse.graph.longest) + 2 * OffsetScratch::shmem_size(sources_at_once) +
           OrdinalScratch::shmem_size(list_capacity() + sources_at_once);
  }

  template <class Level>
  KOKKOS_FUNCTION void operator()(const Member& team, Ordinal node, Level level) const {
    const Ordinal length = coarse.graph.length(node);
    const auto& scratch = team.thread_scratch(level);
    const DoubleScratch sums(scratch, coarse.graph.longest);
    const OffsetScratch values(scratch, sources_at_once), far(scratch, sources_at_once);
    const OrdinalScratch numbers(scratch, list_capacity() + sources_at_once);
    Ordinal* const list = numbers.data();
    Ordinal* const counts = list + list_capacity();
    const Offset first_column = coarse.graph.row_map(node);
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, AscendingSearch::padded(length)), [&](Ordinal k) {
      list[k] = k < length ? coarse.graph.columns(first_column + k) : none;
    });
    const AscendingSearch columns(list, length);
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, length), [&](Ordinal k) { sums(k) = 0; });
    vector_fence();
    const Offset end = plan.sources.row_map(node + 1);
    for (Offset begin = plan.sources.row_map(node); begin < end; begin += sources_at_once) {
      const auto sources = static_cast<Ordinal>(Kokkos::min(Offset{sources_at_once}, end - begin));
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, sources), [&](Ordinal s) {
        const Ordinal source = plan.sources.columns(begin + s);
        const Offset place = plan.place(begin + s);
        values(s) = plan.begin(source) + place * plan.stride(source);
        far(s) = plan.far.row_map(source);
        counts[s] = plan.far.length(source);
      });
      vector_fence();
      for (Ordinal s = 0; s < sources; ++s) {
        Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, lanes), [&](int lane) {
          add(contributions.data() + values(s), plan.far.columns.data() + far(s), counts[s], lane, columns,
              list, sums.data());
        });
        vector_fence();
      }
    }
    float* const to = coarse.values.data() + first_column;
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, length),
                         [&](Ordinal k) { to[k] = static_cast<float>(sums(k)); });
  }

  /// Adds a lane's share of an aggregate's contributions; some are read, and looked up, at once.
  KOKKOS_FORCEINLINE_FUNCTION void add(const float* from, const Ordinal* far, Ordinal count, int lane,
                                       const AscendingSearch& columns, const Ordinal* list,
                                       double* sums) const {
    for (Ordinal k = lane; k < count; k += at_once * lanes) {
      Ordinal column[at_once], at[at_once];
      float value[at_once];
      for (int i = 0; i < at_once; ++i) {
        const Ordinal entry = Kokkos::min(k + i * lanes, count - 1);
        column[i] = far[entry];
        value[i] = from[entry];
      }
      columns.places_of(column, at);
      for (int i = 0; i < at_once; ++i) {
        const Ordinal entry = k + i * lanes;
        if (entry >= count || list[at[i]] != column[i]) continue; // else it is zero
        sums[at[i]] += static_cast<double>(value[i]);
      }
    }
  }
};

/// Runs the contributions' kernel over all aggregates.
template <class ExecutionSpace, class Functor>
void launch_contributions(const ExecutionSpace& exec, Functor functor) {
  if (functor.aggregates.count == 0) return;
  functor.choose_capacity();
  for_each_team<typename Functor::Bounds>(exec, "Tessera::Multigrid::contributions", functor.aggregates.count,
                                          functor.team_size(), functor.lanes(), functor);
}

} // namespace tessera::solvers::multigrid::detail
