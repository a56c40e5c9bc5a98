#pragma once

/// \file
/// The values of PᵀAP on devices. A team takes an aggregate: what its nodes contribute is a small dense
/// matrix, as an element's is, and these are summed by coarse rows. No sum depends on the order of threads.

#include <tessera/solvers/multigrid/detail/aggregates.hpp>
#include <tessera/solvers/multigrid/detail/galerkin_plan.hpp>
#include <tessera/solvers/multigrid/detail/rows.hpp>
#include <tessera/solvers/multigrid/detail/types.hpp>
#include <tessera/solvers/multigrid/detail/unions.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace tessera::solvers::multigrid {

/// A column of each block of a coarse node's rows: the sum of the contributions in the order of their
/// aggregates.
///
/// \tparam Scalar  whether blocks are single values.
template <class ExecutionSpace, bool Scalar>
struct CoarseRows {
  using Member = TeamMember<ExecutionSpace>;
  using DoubleScratch = Scratch<double, ExecutionSpace>;
  using OrdinalScratch = Scratch<Ordinal, ExecutionSpace>;

  Matrix<ExecutionSpace> coarse;
  GalerkinPlan<ExecutionSpace> plan;
  Floats<ExecutionSpace> contributions;
  int mode; // the column

  std::size_t scratch_bytes() const {
    return DoubleScratch::shmem_size(static_cast<std::size_t>(coarse.graph.longest) * coarse.block_rows) +
           OrdinalScratch::shmem_size(coarse.graph.longest);
  }

  KOKKOS_FUNCTION void operator()(const Member& team, Ordinal node, int scratch_level) const {
    const int modes = Scalar ? 1 : coarse.block_rows;
    const Ordinal length = coarse.graph.length(node);
    const DoubleScratch sums(team.thread_scratch(scratch_level), coarse.graph.longest * modes);
    const OrdinalScratch list(team.thread_scratch(scratch_level), coarse.graph.longest);
    const Offset first_column = coarse.graph.row_map(node);
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, length),
                         [&](Ordinal k) { list(k) = coarse.graph.columns(first_column + k); });
    const AscendingSearch columns(list.data(), length);
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, length * modes), [&](Ordinal k) { sums(k) = 0; });
    for (Offset s = plan.sources.row_map(node); s < plan.sources.row_map(node + 1); ++s) {
      const Ordinal source = plan.sources.columns(s), count = plan.far.length(source),
                    stride = plan.stride(source);
      const float* const from =
          contributions.data() + (plan.begin(source) + static_cast<Offset>(plan.place(s)) * stride) * modes;
      const Ordinal* const far = plan.far.columns.data() + plan.far.row_map(source);
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, count), [&](Ordinal k) {
        const Ordinal column = far[k], at = columns.place_of(column);
        if (at >= length || list(at) != column) return; // the contribution is zero
        for (int m = 0; m < modes; ++m) sums(m * length + at) += static_cast<double>(from[m * stride + k]);
      });
    }
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, length * modes), [&](Ordinal k) {
      const int m = Scalar ? 0 : k / length;
      const Offset at = k - m * length;
      coarse.values(coarse.row_begin(node, m) + at * modes + mode) = static_cast<float>(sums(k));
    });
  }
};

/// Runs the contributions' kernel over all aggregates.
template <class ExecutionSpace, class Functor>
void launch_contributions(const ExecutionSpace& exec, Functor functor) {
  using Policy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>, typename Functor::Bounds>;
  if (functor.aggregates.count == 0) return;
  functor.choose_room();
  const int level = functor.scratch_bytes() > static_cast<std::size_t>(Policy::scratch_size_max(0)) ? 1 : 0;
  functor.scratch_level = level;
  Kokkos::parallel_for(
      "Tessera::Multigrid::contributions",
      Policy(exec, functor.aggregates.count, functor.team_size(), functor.lanes())
          .set_scratch_size(level, Kokkos::PerTeam(static_cast<int>(functor.scratch_bytes()))),
      functor);
}

} // namespace tessera::solvers::multigrid
