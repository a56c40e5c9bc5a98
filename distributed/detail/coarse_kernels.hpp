// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Kernels between a rank's rows and the coarse level's aggregates.

#include <tessera/core/space/equations.hpp>
#include <tessera/core/system/sparsity_graph.hpp>
#include <tessera/core/types.hpp>
#include <tessera/solvers/multigrid/detail/transfer/near_null_space.hpp>

#include <Kokkos_Core.hpp>

namespace tessera::distributed::detail {

/// What the kernels share: the prolongation, by local rows.
template <class ExecutionSpace>
struct CoarseModes {
  Kokkos::View<Ordinal*, ExecutionSpace> aggregate; ///< row: among all ranks' aggregates, or -1 for none
  Kokkos::View<double**, Kokkos::LayoutRight, ExecutionSpace> values; ///< row x mode
};

/// Evaluates the modes of a node's rows about the centre of its aggregate.
template <int Dimension, class ExecutionSpace>
struct FillModes {
  Equations<ExecutionSpace> equations;
  Kokkos::View<const double**, Kokkos::LayoutRight, ExecutionSpace> coordinates;
  Kokkos::View<const Ordinal*, ExecutionSpace> aggregate; ///< node
  Kokkos::View<const double*, ExecutionSpace> center;     ///< node * Dimension + d: of its aggregate
  CoarseModes<ExecutionSpace> modes;

  KOKKOS_FUNCTION void operator()(Ordinal node) const {
    const int components = equations.components, count = static_cast<int>(modes.values.extent(1));
    double x[3] = {};
    for (int d = 0; d < Dimension; ++d) x[d] = coordinates(node, d) - center(node * Dimension + d);
    for (int c = 0; c < components; ++c) {
      const bool constrained = equations.is_constrained(node, c);
      if (constrained && equations.removed) continue;
      const Ordinal row = equations.equation(node, c);
      modes.aggregate(row) = constrained ? -1 : aggregate(node);
      for (int k = 0; k < count; ++k) {
        double value = k == c ? 1 : 0;
        if (count > components) value = solvers::multigrid::detail::rigid_motion<Dimension>(k, c, x);
        modes.values(row, k) = constrained ? 0 : value;
      }
    }
  }
};

/// Marks which aggregates the rows of each own aggregate are coupled with.
template <class ExecutionSpace>
struct MarkCouplings {
  SparsityGraph<ExecutionSpace> graph;
  CoarseModes<ExecutionSpace> modes;
  Ordinal first; ///< this rank's first aggregate
  Kokkos::View<int**, Kokkos::LayoutRight, ExecutionSpace> marks;

  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    const Ordinal own = modes.aggregate(row);
    if (own < 0) return;
    for (Offset k = graph.row_map(row); k < graph.row_map(row + 1); ++k) {
      const Ordinal other = modes.aggregate(graph.columns(k));
      if (other >= 0) Kokkos::atomic_store(&marks(own - first, other), 1);
    }
  }
};

/// Sums the block of the coarse matrix between an own aggregate, whose rows are listed, and another.
template <class ExecutionSpace>
struct CoarseBlock {
  using value_type = double[];
  using size_type = Ordinal;

  const Ordinal value_count; ///< modes squared
  SparsityGraph<ExecutionSpace> graph;
  Kokkos::View<const double*, ExecutionSpace> matrix;
  CoarseModes<ExecutionSpace> modes;
  Kokkos::View<const Ordinal*, ExecutionSpace> rows;
  Ordinal other;

  KOKKOS_FUNCTION void operator()(Ordinal i, double* sum) const {
    const auto count = static_cast<int>(modes.values.extent(1));
    const Ordinal row = rows(i);
    for (Offset k = graph.row_map(row); k < graph.row_map(row + 1); ++k) {
      const Ordinal column = graph.columns(k);
      if (modes.aggregate(column) != other) continue;
      for (int a = 0; a < count; ++a) {
        const double scaled = modes.values(row, a) * matrix(k);
        if (scaled == 0) continue;
        for (int b = 0; b < count; ++b) sum[a * count + b] += scaled * modes.values(column, b);
      }
    }
  }
  KOKKOS_FUNCTION void join(double* into, const double* from) const {
    for (Ordinal i = 0; i < value_count; ++i) into[i] += from[i];
  }
  KOKKOS_FUNCTION void init(double* sum) const {
    for (Ordinal i = 0; i < value_count; ++i) sum[i] = 0;
  }
};

/// Products of the modes with a vector, over pieces of aggregates: a team a piece.
template <class ExecutionSpace>
struct RestrictPieces {
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;

  CoarseModes<ExecutionSpace> modes;
  Kokkos::View<const Ordinal*, ExecutionSpace> rows;
  Kokkos::View<const Ordinal*, ExecutionSpace> piece_begin; ///< piece (+1): position in `rows`
  Kokkos::View<const double*, ExecutionSpace> vector;
  Kokkos::View<double**, Kokkos::LayoutRight, ExecutionSpace> sums; ///< piece x mode

  KOKKOS_FUNCTION void operator()(const typename Policy::member_type& team) const {
    const auto piece = static_cast<Ordinal>(team.league_rank());
    for (int k = 0; k < static_cast<int>(sums.extent(1)); ++k) {
      double sum = 0;
      Kokkos::parallel_reduce(
          Kokkos::TeamThreadRange(team, piece_begin(piece), piece_begin(piece + 1)),
          [&](const Ordinal i, double& partial) { partial += modes.values(rows(i), k) * vector(rows(i)); },
          sum);
      Kokkos::single(Kokkos::PerTeam(team), [&]() { sums(piece, k) = sum; });
    }
  }
};

/// Adds up the pieces of each aggregate, in their order.
template <class ExecutionSpace>
struct SumPieces {
  Kokkos::View<const double**, Kokkos::LayoutRight, ExecutionSpace> sums;
  Kokkos::View<const Ordinal*, ExecutionSpace> first_piece; ///< own aggregate (+1)
  Kokkos::View<double*, ExecutionSpace> coarse;             ///< own aggregate * modes + mode

  KOKKOS_FUNCTION void operator()(Ordinal i) const {
    const auto count = static_cast<Ordinal>(sums.extent(1));
    double sum = 0;
    for (Ordinal piece = first_piece(i / count); piece < first_piece(i / count + 1); ++piece)
      sum += sums(piece, i % count);
    coarse(i) = sum;
  }
};

/// Adds the prolonged correction to the owned rows.
template <class ExecutionSpace>
struct Prolong {
  CoarseModes<ExecutionSpace> modes;
  Ordinal first; ///< this rank's first aggregate
  Kokkos::View<const double*, ExecutionSpace> coarse;
  Kokkos::View<double*, ExecutionSpace> vector;

  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    if (modes.aggregate(row) < 0) return;
    const auto count = static_cast<Ordinal>(modes.values.extent(1));
    double sum = 0;
    for (Ordinal k = 0; k < count; ++k)
      sum += modes.values(row, k) * coarse((modes.aggregate(row) - first) * count + k);
    vector(row) += sum;
  }
};

} // namespace tessera::distributed::detail
