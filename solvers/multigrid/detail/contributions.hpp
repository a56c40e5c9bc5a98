#pragma once

/// \file
/// The values of PᵀAP. A team takes an aggregate: what its nodes contribute is a small dense matrix, as an
/// element's is, and these are summed by coarse rows. No sum depends on the order of threads.

#include <tessera/solvers/multigrid/detail/aggregates.hpp>
#include <tessera/solvers/multigrid/detail/galerkin_plan.hpp>
#include <tessera/solvers/multigrid/detail/rows.hpp>
#include <tessera/solvers/multigrid/detail/types.hpp>
#include <tessera/solvers/multigrid/detail/unions.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace tessera::solvers::multigrid {

/// Σ P(n, J)ᵀ (A P)(n, K) over an aggregate's nodes n, on the host: one thread an aggregate, rows of A P
/// spread over the far columns, all columns of a block at once, so that loops vectorise.
template <class ExecutionSpace>
struct RowWiseContributions {
  using Bounds = Kokkos::LaunchBounds<>;
  using Member = TeamMember<ExecutionSpace>;
  using FloatScratch = Scratch<float, ExecutionSpace>;
  using OrdinalScratch = Scratch<Ordinal, ExecutionSpace>;

  Matrix<ExecutionSpace> a, p;
  Aggregates<ExecutionSpace> aggregates;
  GalerkinPlan<ExecutionSpace> plan;
  Floats<ExecutionSpace> out;
  int mode = 0;     // the first column of each block of A P
  int at_once = 1;  // how many columns
  Ordinal room = 0; // of the hash table
  int scratch_level = 0;

  void choose_room() {
    at_once = p.block_columns;
    for (room = 4; room < 2 * plan.far.longest;) room *= 2;
  }
  int team_size() const { return 1; }
  int lanes() const { return 1; }

  std::size_t scratch_bytes() const {
    const std::size_t all_rows = static_cast<std::size_t>(aggregates.largest) * a.block_rows;
    return FloatScratch::shmem_size(all_rows * plan.near.longest * p.block_columns) +
           FloatScratch::shmem_size(all_rows * plan.far.longest * at_once) +
           2 * OrdinalScratch::shmem_size(room);
  }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const Ordinal aggregate = team.league_rank(), first = aggregates.begin(aggregate);
    const Ordinal far_count = plan.far.length(aggregate);
    const Ordinal all_rows = aggregates.size(aggregate) * a.block_rows;
    const Ordinal columns = plan.near.length(aggregate) * p.block_columns;
    const Ordinal far_columns = far_count * at_once;
    const std::size_t most_rows = static_cast<std::size_t>(aggregates.largest) * a.block_rows;
    const auto scratch = team.team_scratch(scratch_level);
    const FloatScratch left(scratch, most_rows * plan.near.longest * p.block_columns);
    const FloatScratch right(scratch, most_rows * plan.far.longest * at_once);
    const HashSet<ExecutionSpace> far{OrdinalScratch(scratch, room)};
    const OrdinalScratch place(scratch, room);
    for (Ordinal k = 0; k < all_rows * columns; ++k) left(k) = 0;
    for (Ordinal k = 0; k < all_rows * far_columns; ++k) right(k) = 0;
    for (Ordinal k = 0; k < room; ++k) far.table(k) = -1;
    for (Ordinal k = 0; k < far_count; ++k) {
      std::uint32_t slot = 0;
      far.insert(plan.far.columns(plan.far.row_map(aggregate) + k), slot);
      place(slot) = k;
    }
    for (Ordinal row = 0; row < all_rows; ++row) {
      const Ordinal node = aggregates.node(first + row / a.block_rows);
      const int r = row % a.block_rows;
      gather_left(aggregate, node, r, left.data() + static_cast<std::size_t>(row) * columns);
      multiply(node, r, far, place, right.data() + static_cast<std::size_t>(row) * far_columns);
    }
    const Ordinal stride = plan.stride(aggregate) * at_once;
    float* const contributions = out.data() + plan.begin(aggregate) * p.block_columns * at_once;
    for (Ordinal column = 0; column < columns; ++column)
      add_up(left.data() + column, columns, right.data(), far_columns, all_rows,
             contributions + static_cast<std::size_t>(column) * stride);
  }

  /// A row of P, spread over the near aggregates.
  KOKKOS_FUNCTION void gather_left(Ordinal aggregate, Ordinal node, int row, float* to) const {
    const Ordinal* const near = plan.near.columns.data() + plan.near.row_map(aggregate);
    const Offset begin = p.graph.row_map(node);
    const int modes = p.block_columns;
    Ordinal at = 0;
    for (Ordinal k = 0; k < p.graph.length(node); ++k) {
      while (near[at] != p.graph.columns(begin + k)) ++at;
      for (int m = 0; m < modes; ++m)
        to[at * modes + m] = p.values(p.row_begin(node, row) + static_cast<Offset>(k) * modes + m);
    }
  }

  /// A row of A P, spread over the far aggregates.
  KOKKOS_FUNCTION void multiply(Ordinal node, int row, const HashSet<ExecutionSpace>& far,
                                const OrdinalScratch& place, float* to) const {
    const Offset begin = a.graph.row_map(node), entries = a.row_begin(node, row);
    const int width = a.block_columns, modes = p.block_columns;
    for (Ordinal k = 0; k < a.graph.length(node); ++k) {
      const Ordinal neighbor = a.graph.columns(begin + k);
      const Offset p_begin = p.graph.row_map(neighbor);
      const Ordinal p_length = p.graph.length(neighbor);
      const Offset stride = static_cast<Offset>(p_length) * modes; // from a row of P to the next
      const float* const factors = a.values.data() + entries + static_cast<Offset>(k) * width;
      for (Ordinal m = 0; m < p_length; ++m) {
        float* const sums = to + place(far.find(p.graph.columns(p_begin + m))) * at_once;
        const float* const from = p.values.data() + p.row_begin(neighbor, 0) + static_cast<Offset>(m) * modes;
        for (int c = 0; c < width; ++c)
          for (int d = 0; d < at_once; ++d) sums[d] += factors[c] * from[c * stride + d];
      }
    }
  }

  /// out = Σ left(row) right(row, ·).
  KOKKOS_FUNCTION void add_up(const float* left, Ordinal stride, const float* right, Ordinal count,
                              Ordinal all_rows, float* to) const {
    for (Ordinal k = 0; k < count; ++k) to[k] = 0;
    for (Ordinal row = 0; row < all_rows; ++row) {
      const float factor = left[static_cast<std::size_t>(row) * stride];
      const float* const from = right + static_cast<std::size_t>(row) * count;
      if (factor != 0)
        for (Ordinal k = 0; k < count; ++k) to[k] += factor * from[k];
    }
  }
};

/// The same columns of a coarse node's rows: the sum of the contributions in the order of their aggregates.
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
  int mode, columns_at_once;

  std::size_t scratch_bytes() const {
    return DoubleScratch::shmem_size(static_cast<std::size_t>(coarse.graph.longest) * coarse.block_rows *
                                     columns_at_once) +
           OrdinalScratch::shmem_size(coarse.graph.longest);
  }

  KOKKOS_FUNCTION void operator()(const Member& team, Ordinal node, int scratch_level) const {
    const int modes = Scalar ? 1 : coarse.block_rows, at_once = Scalar ? 1 : columns_at_once;
    const Ordinal length = coarse.graph.length(node), row_length = length * at_once;
    const DoubleScratch sums(team.thread_scratch(scratch_level), coarse.graph.longest * modes * at_once);
    const OrdinalScratch list(team.thread_scratch(scratch_level), coarse.graph.longest);
    const Offset first_column = coarse.graph.row_map(node);
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, length),
                         [&](Ordinal k) { list(k) = coarse.graph.columns(first_column + k); });
    const AscendingSearch columns(list.data(), length);
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, row_length * modes),
                         [&](Ordinal k) { sums(k) = 0; });
    for (Offset s = plan.sources.row_map(node); s < plan.sources.row_map(node + 1); ++s) {
      const Ordinal source = plan.sources.columns(s), count = plan.far.length(source),
                    stride = plan.stride(source);
      const float* const from =
          contributions.data() +
          (plan.begin(source) + static_cast<Offset>(plan.place(s)) * stride) * modes * at_once;
      const Ordinal* const far = plan.far.columns.data() + plan.far.row_map(source);
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, count), [&](Ordinal k) {
        const Ordinal column = far[k], at = columns.place_of(column);
        if (at >= length || list(at) != column) return; // the contribution is zero
        for (int m = 0; m < modes; ++m)
          for (int d = 0; d < at_once; ++d)
            sums(m * row_length + at * at_once + d) +=
                static_cast<double>(from[(m * stride + k) * at_once + d]);
      });
    }
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, row_length * modes), [&](Ordinal k) {
      const int m = Scalar ? 0 : k / row_length;
      const Ordinal at = (k - m * row_length) / at_once, d = k - m * row_length - at * at_once;
      coarse.values(coarse.row_begin(node, m) + static_cast<Offset>(at) * modes + mode + d) =
          static_cast<float>(sums(k));
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
