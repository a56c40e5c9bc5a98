#pragma once

/// \file
/// The kernels of PᵀAP. One team takes an aggregate: what its nodes contribute is a small dense matrix, as an
/// element's is, and these are summed by coarse rows. No sum depends on the order of threads.

#include <tessera/core/ascending_list.hpp>
#include <tessera/solvers/multigrid/detail/aggregates.hpp>
#include <tessera/solvers/multigrid/detail/rows.hpp>
#include <tessera/solvers/multigrid/detail/types.hpp>
#include <tessera/solvers/multigrid/detail/unions.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace tessera::solvers::multigrid {

/// Which aggregates meet in the product.
template <class ExecutionSpace>
struct GalerkinPlan {
  Graph<ExecutionSpace> near;    ///< aggregate I: columns of P in the rows of its nodes
  Graph<ExecutionSpace> far;     ///< aggregate I: columns of A P there
  Graph<ExecutionSpace> sources; ///< coarse node J: the aggregates that have it near
  Offsets<ExecutionSpace> begin; ///< aggregate (+1): its first contribution, near × far
  Ordinal most_near = 1, most_far = 1, most_nodes = 1;

  std::size_t bytes() const { return near.bytes() + far.bytes() + sources.bytes() + bytes_of(begin); }
};

/// One column of each block of an aggregate's contributions, Σ P(n, J)ᵀ (A P)(n, K) over its nodes n.
template <class ExecutionSpace>
struct AggregateContributions {
  using Member = TeamMember<ExecutionSpace>;
  using FloatScratch = Scratch<float, ExecutionSpace>;
  using OrdinalScratch = Scratch<Ordinal, ExecutionSpace>;

  Matrix<ExecutionSpace> a, p;
  Aggregates<ExecutionSpace> aggregates;
  GalerkinPlan<ExecutionSpace> plan;
  Floats<ExecutionSpace> out;
  int rows, width, modes; // of a block: of A its rows and columns, of P its columns; 1 if `ones`
  bool ones;              // all values count as one: the pattern is wanted
  int mode = 0;           // the column
  Ordinal room = 0;       // of the hash table
  int scratch_level = 0;

  std::size_t scratch_bytes() const {
    return FloatScratch::shmem_size(static_cast<std::size_t>(plan.most_nodes) * rows * plan.most_near *
                                    modes) +
           FloatScratch::shmem_size(static_cast<std::size_t>(plan.most_nodes) * rows * plan.most_far) +
           2 * OrdinalScratch::shmem_size(room);
  }

  KOKKOS_FUNCTION float value(const Matrix<ExecutionSpace>& matrix, Ordinal node, int row, Offset at) const {
    return ones ? 1.0f : matrix.values(matrix.row_begin(node, row) + at);
  }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const Ordinal aggregate = team.league_rank(), first = aggregates.begin(aggregate);
    const Ordinal near_count = plan.near.length(aggregate), far_count = plan.far.length(aggregate);
    const Ordinal all_rows = aggregates.size(aggregate) * rows, columns = near_count * modes;
    const auto scratch = team.team_scratch(scratch_level);
    const FloatScratch left(scratch,
                            static_cast<std::size_t>(plan.most_nodes) * rows * plan.most_near * modes);
    const FloatScratch right(scratch, static_cast<std::size_t>(plan.most_nodes) * rows * plan.most_far);
    const HashSet<ExecutionSpace> far{OrdinalScratch(scratch, room)};
    const OrdinalScratch place(scratch, room);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, all_rows * columns), [&](Ordinal k) { left(k) = 0; });
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, all_rows * far_count),
                         [&](Ordinal k) { right(k) = 0; });
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, room), [&](Ordinal k) { far.table(k) = -1; });
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, far_count), [&](Ordinal k) {
      std::uint32_t slot = 0;
      far.insert(plan.far.columns(plan.far.row_map(aggregate) + k), slot);
      place(slot) = k;
    });
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, all_rows), [&](Ordinal row) {
      const Ordinal node = aggregates.node(first + row / rows);
      const int r = row - row / rows * rows;
      gather_left(aggregate, node, r, left.data() + static_cast<std::size_t>(row) * columns);
      multiply(node, r, far, place, right.data() + static_cast<std::size_t>(row) * far_count);
    });
    team.team_barrier();
    float* const contributions = out.data() + plan.begin(aggregate) * modes;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, columns), [&](Ordinal column) {
      add_up(team, left.data() + column, columns, right.data(), far_count, all_rows,
             contributions + static_cast<std::size_t>(column) * far_count);
    });
  }

  /// A row of P, spread over the near aggregates.
  KOKKOS_FUNCTION void gather_left(Ordinal aggregate, Ordinal node, int row, float* to) const {
    const Ordinal* const near = plan.near.columns.data() + plan.near.row_map(aggregate);
    const Offset begin = p.graph.row_map(node);
    Ordinal at = 0;
    for (Ordinal k = 0; k < p.graph.length(node); ++k) {
      while (near[at] != p.graph.columns(begin + k)) ++at;
      for (int m = 0; m < modes; ++m)
        to[at * modes + m] = value(p, node, row, static_cast<Offset>(k) * modes + m);
    }
  }

  /// A row of A P, of the column that is wanted of each block, spread over the far aggregates.
  KOKKOS_FUNCTION void multiply(Ordinal node, int row, const HashSet<ExecutionSpace>& far,
                                const OrdinalScratch& place, float* to) const {
    const Offset begin = a.graph.row_map(node), entries = a.row_begin(node, row);
    const Ordinal length = a.graph.length(node);
    for (Ordinal k = 0; k < length; ++k) {
      const Ordinal neighbor = a.graph.columns(begin + k);
      const Offset p_begin = p.graph.row_map(neighbor);
      const Ordinal p_length = p.graph.length(neighbor);
      for (Ordinal m = 0; m < p_length; ++m) {
        float sum = 0;
        if (ones) {
          sum = 1;
        } else {
          const Offset a_at = entries + static_cast<Offset>(k) * width;
          const Offset p_at = (p_begin * width + m) * modes + mode;
          for (int c = 0; c < width; ++c)
            sum += a.values(a_at + c) * p.values(p_at + static_cast<Offset>(c) * p_length * modes);
        }
        to[place(far.find(p.graph.columns(p_begin + m)))] += sum;
      }
    }
  }

  /// out = Σ left(row) right(row, ·), lanes over columns; on the host row by row, so that it vectorises.
  KOKKOS_FUNCTION void add_up(const Member& team, const float* left, Ordinal stride, const float* right,
                              Ordinal count, Ordinal all_rows, float* to) const {
    if constexpr (runs_on_host<ExecutionSpace>) {
      for (Ordinal k = 0; k < count; ++k) to[k] = 0;
      for (Ordinal row = 0; row < all_rows; ++row) {
        const float factor = left[static_cast<std::size_t>(row) * stride];
        const float* const from = right + static_cast<std::size_t>(row) * count;
        if (factor != 0)
          for (Ordinal k = 0; k < count; ++k) to[k] += factor * from[k];
      }
    } else {
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, count), [&](Ordinal k) {
        float sum = 0;
        for (Ordinal row = 0; row < all_rows; ++row) sum += left[row * stride] * right[row * count + k];
        to[k] = sum;
      });
    }
  }
};

/// One column of each block of a coarse node's rows: the sum of the contributions in the order of their
/// aggregates.
template <class ExecutionSpace>
struct CoarseRows {
  using Member = TeamMember<ExecutionSpace>;
  using DoubleScratch = Scratch<double, ExecutionSpace>;

  Matrix<ExecutionSpace> coarse;
  GalerkinPlan<ExecutionSpace> plan;
  Floats<ExecutionSpace> contributions;
  int mode;
  Ordinal room; // of a thread's sums

  KOKKOS_FUNCTION void operator()(const Member& team, Ordinal node, int scratch_level) const {
    const DoubleScratch sums(team.thread_scratch(scratch_level), room);
    const int modes = coarse.block_rows;
    const Ordinal length = coarse.graph.length(node);
    const Ordinal* const columns = coarse.graph.columns.data() + coarse.graph.row_map(node);
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, length * modes), [&](Ordinal k) { sums(k) = 0; });
    for (Offset s = plan.sources.row_map(node); s < plan.sources.row_map(node + 1); ++s) {
      const Ordinal source = plan.sources.columns(s), count = plan.far.length(source);
      const Ordinal row = tessera::detail::place_in(plan.near.columns.data() + plan.near.row_map(source),
                                                    plan.near.length(source), node);
      const float* const from =
          contributions.data() + (plan.begin(source) + static_cast<Offset>(row) * count) * modes;
      const Ordinal* const far = plan.far.columns.data() + plan.far.row_map(source);
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, count), [&](Ordinal k) {
        const Ordinal at = tessera::detail::place_in(columns, length, far[k]);
        if (at == length || columns[at] != far[k]) return;
        for (int m = 0; m < modes; ++m) sums(m * length + at) += static_cast<double>(from[m * count + k]);
      });
    }
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, length * modes), [&](Ordinal k) {
      const int m = k / length;
      coarse.values(coarse.row_begin(node, m) + static_cast<Offset>(k - m * length) * modes + mode) =
          static_cast<float>(sums(k));
    });
  }
};

/// Runs the contributions' kernel over all aggregates.
template <class ExecutionSpace>
void launch_contributions(const ExecutionSpace& exec, AggregateContributions<ExecutionSpace> functor) {
  using Policy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>;
  if (functor.aggregates.count == 0) return;
  constexpr bool host = runs_on_host<ExecutionSpace>;
  for (functor.room = 4; functor.room < 2 * functor.plan.most_far;) functor.room *= 2;
  const auto bytes = functor.scratch_bytes();
  functor.scratch_level = bytes > static_cast<std::size_t>(Policy::scratch_size_max(0)) / 2 ? 1 : 0;
  const int threads = host || functor.rows * functor.modes == 1 ? 1 : 4;
  Kokkos::parallel_for("Tessera::Multigrid::contributions",
                       Policy(exec, functor.aggregates.count, threads, host ? 1 : 32)
                           .set_scratch_size(functor.scratch_level, Kokkos::PerTeam(static_cast<int>(bytes))),
                       functor);
}

} // namespace tessera::solvers::multigrid
