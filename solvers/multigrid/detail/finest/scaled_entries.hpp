// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The given matrix's entries on their way to the finest level on devices.

#include <tessera/solvers/multigrid/detail/finest/scale_rows.hpp>
#include <tessera/solvers/multigrid/detail/sparse.hpp>
#include <tessera/solvers/sparse/detail/rows.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace tessera::solvers::multigrid::detail {

/// Entries of the finest level of single rows for `StagedRow`: they are scaled and written while they come.
template <class ExecutionSpace>
struct ScaledEntries {
  static constexpr bool values = true;
  static constexpr Ordinal warp = wave_lanes<ExecutionSpace>;
  ScaleRows<ExecutionSpace> rows;
  Matrix<ExecutionSpace> fine;

  /// Of a warp's rows: where they begin, counted from the first, where they lie in the given matrix, counted
  /// from where they are, and their scales.
  struct Rows {
    Scratch<Ordinal, ExecutionSpace> begins;
    Scratch<Offset, ExecutionSpace> shifts;
    Scratch<float, ExecutionSpace> scales;
    Offset first_entry = 0;

    KOKKOS_FUNCTION explicit Rows(const TeamMember<ExecutionSpace>& team)
        : begins(team.team_scratch(0), warp), shifts(team.team_scratch(0), warp),
          scales(team.team_scratch(0), warp) {}
    static std::size_t scratch_bytes() {
      return Scratch<Ordinal, ExecutionSpace>::shmem_size(warp) +
             Scratch<Offset, ExecutionSpace>::shmem_size(warp) +
             Scratch<float, ExecutionSpace>::shmem_size(warp);
    }
    KOKKOS_FUNCTION void begin(const ScaledEntries& source, const TeamMember<ExecutionSpace>& team,
                               Ordinal first) {
      const auto& row_map = source.fine.graph.row_map;
      const Ordinal rank = team.team_rank(), count = source.fine.graph.count(), row = first + rank;
      first_entry = row_map(first);
      begins(rank) = static_cast<Ordinal>(row_map(Kokkos::min(row, count)) - first_entry);
      if (row < count) {
        shifts(rank) = source.rows.a.row_map(source.rows.order.new_to_old(row)) - row_map(row);
        scales(rank) = source.rows.scale(row);
      }
      team.team_barrier();
    }
    /// The row of an entry.
    KOKKOS_FORCEINLINE_FUNCTION Ordinal row_of(Offset k) const {
      const auto entry = static_cast<Ordinal>(k - first_entry);
      Ordinal row = 0;
      for (Ordinal step = warp / 2; step > 0; step /= 2)
        if (begins(row + step) <= entry) row += step;
      return row;
    }
  };

  KOKKOS_FORCEINLINE_FUNCTION const Graph<ExecutionSpace>& graph() const { return fine.graph; }
  KOKKOS_FORCEINLINE_FUNCTION double load(const Rows& of_warp, Offset k) const {
    const Ordinal row = of_warp.row_of(k);
    return of_warp.scales(row) * rows.a.values(k + of_warp.shifts(row));
  }
  KOKKOS_FORCEINLINE_FUNCTION float fetch(Ordinal column) const { return rows.scale(column); }
  KOKKOS_FORCEINLINE_FUNCTION float value(Offset k, double loaded, float other) const {
    return fine.values(k) = static_cast<float>(loaded * other);
  }
};

} // namespace tessera::solvers::multigrid::detail
