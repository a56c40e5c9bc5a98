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

  std::size_t bytes() const { return near.bytes() + far.bytes() + sources.bytes() + bytes_of(begin); }
};

/// Some columns of each block of an aggregate's contributions, Σ P(n, J)ᵀ (A P)(n, K) over its nodes n.
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
  int mode = 0;           // the first column
  int at_once = 1;        // how many columns
  Ordinal room = 0;       // of the hash table
  int scratch_level = 0;

  std::size_t scratch_bytes() const {
    return FloatScratch::shmem_size(static_cast<std::size_t>(aggregates.largest) * rows * plan.near.longest *
                                    modes) +
           FloatScratch::shmem_size(static_cast<std::size_t>(aggregates.largest) * rows * plan.far.longest *
                                    at_once) +
           2 * OrdinalScratch::shmem_size(room);
  }

  KOKKOS_FUNCTION float value(const Matrix<ExecutionSpace>& matrix, Ordinal node, int row, Offset at) const {
    return ones ? 1.0f : matrix.values(matrix.row_begin(node, row) + at);
  }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const Ordinal aggregate = team.league_rank(), first = aggregates.begin(aggregate);
    const Ordinal near_count = plan.near.length(aggregate), far_count = plan.far.length(aggregate);
    const Ordinal all_rows = aggregates.size(aggregate) * rows, columns = near_count * modes;
    const Ordinal far_columns = far_count * at_once;
    const auto scratch = team.team_scratch(scratch_level);
    const FloatScratch left(scratch,
                            static_cast<std::size_t>(aggregates.largest) * rows * plan.near.longest * modes);
    const FloatScratch right(scratch, static_cast<std::size_t>(aggregates.largest) * rows * plan.far.longest *
                                          at_once);
    const HashSet<ExecutionSpace> far{OrdinalScratch(scratch, room)};
    const OrdinalScratch place(scratch, room);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, all_rows * columns), [&](Ordinal k) { left(k) = 0; });
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, all_rows * far_columns),
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
      multiply(node, r, far, place, right.data() + static_cast<std::size_t>(row) * far_columns);
    });
    team.team_barrier();
    float* const contributions = out.data() + plan.begin(aggregate) * modes * at_once;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, columns), [&](Ordinal column) {
      add_up(team, left.data() + column, columns, right.data(), far_columns, all_rows,
             contributions + static_cast<std::size_t>(column) * far_columns);
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

  /// A row of A P, of the columns that are wanted of each block, spread over the far aggregates.
  KOKKOS_FUNCTION void multiply(Ordinal node, int row, const HashSet<ExecutionSpace>& far,
                                const OrdinalScratch& place, float* to) const {
    const Offset begin = a.graph.row_map(node), entries = a.row_begin(node, row);
    const Ordinal length = a.graph.length(node);
    for (Ordinal k = 0; k < length; ++k) {
      const Ordinal neighbor = a.graph.columns(begin + k);
      const Offset p_begin = p.graph.row_map(neighbor);
      const Ordinal p_length = p.graph.length(neighbor);
      for (Ordinal m = 0; m < p_length; ++m) {
        float* const sums = to + place(far.find(p.graph.columns(p_begin + m))) * at_once;
        if (ones) {
          sums[0] += 1;
          continue;
        }
        const float* const factors = a.values.data() + entries + static_cast<Offset>(k) * width;
        const float* const from =
            p.values.data() + p.row_begin(neighbor, 0) + static_cast<Offset>(m) * modes + mode;
        const Offset stride = static_cast<Offset>(p_length) * modes; // from a row of P to the next
        if constexpr (runs_on_host<ExecutionSpace>) {
          for (int c = 0; c < width; ++c)
            for (int d = 0; d < at_once; ++d) sums[d] += factors[c] * from[c * stride + d];
        } else { // one column: the sum stays in a register
          float sum = 0;
          for (int c = 0; c < width; ++c) sum += factors[c] * from[c * stride];
          sums[0] += sum;
        }
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

/// The same columns of a coarse node's rows: the sum of the contributions in the order of their aggregates.
template <class ExecutionSpace>
struct CoarseRows {
  using Member = TeamMember<ExecutionSpace>;
  using DoubleScratch = Scratch<double, ExecutionSpace>;

  Matrix<ExecutionSpace> coarse;
  GalerkinPlan<ExecutionSpace> plan;
  Floats<ExecutionSpace> contributions;
  int mode, at_once;
  Ordinal room; // of a thread's sums

  KOKKOS_FUNCTION void operator()(const Member& team, Ordinal node, int scratch_level) const {
    const DoubleScratch sums(team.thread_scratch(scratch_level), room);
    const int modes = coarse.block_rows;
    const Ordinal length = coarse.graph.length(node), row_length = length * at_once;
    const Ordinal* const columns = coarse.graph.columns.data() + coarse.graph.row_map(node);
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, row_length * modes),
                         [&](Ordinal k) { sums(k) = 0; });
    for (Offset s = plan.sources.row_map(node); s < plan.sources.row_map(node + 1); ++s) {
      const Ordinal source = plan.sources.columns(s), count = plan.far.length(source);
      const Ordinal row = tessera::detail::place_in(plan.near.columns.data() + plan.near.row_map(source),
                                                    plan.near.length(source), node);
      const float* const from =
          contributions.data() + (plan.begin(source) + static_cast<Offset>(row) * count) * modes * at_once;
      const Ordinal* const far = plan.far.columns.data() + plan.far.row_map(source);
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, count), [&](Ordinal k) {
        const Ordinal at = tessera::detail::place_in(columns, length, far[k]);
        if (at == length || columns[at] != far[k]) return;
        for (int m = 0; m < modes; ++m)
          for (int d = 0; d < at_once; ++d)
            sums(m * row_length + at * at_once + d) +=
                static_cast<double>(from[(static_cast<std::size_t>(m) * count + k) * at_once + d]);
      });
    }
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, row_length * modes), [&](Ordinal k) {
      const int m = k / row_length;
      const Ordinal at = (k - m * row_length) / at_once, d = k - m * row_length - at * at_once;
      coarse.values(coarse.row_begin(node, m) + static_cast<Offset>(at) * modes + mode + d) =
          static_cast<float>(sums(k));
    });
  }
};

/// Runs the contributions' kernel over all aggregates.
template <class ExecutionSpace>
void launch_contributions(const ExecutionSpace& exec, const AggregateContributions<ExecutionSpace>& functor) {
  using Policy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>;
  if (functor.aggregates.count == 0) return;
  constexpr bool host = runs_on_host<ExecutionSpace>;
  const int threads = host || functor.rows * functor.modes == 1 ? 1 : 4;
  Kokkos::parallel_for("Tessera::Multigrid::contributions",
                       Policy(exec, functor.aggregates.count, threads, host ? 1 : 32)
                           .set_scratch_size(functor.scratch_level,
                                             Kokkos::PerTeam(static_cast<int>(functor.scratch_bytes()))),
                       functor);
}

} // namespace tessera::solvers::multigrid
