// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// What the lanes of a node add at the node itself, summed up.

#include <tessera/core/arithmetic/real.hpp>
#include <tessera/strategies/assembly/detail/row_owner/corners/node_cells.hpp>
#include <tessera/strategies/cuda/share_sums.hpp>

#include <Kokkos_Core.hpp>

namespace TESSERA_KERNELS::assembly::detail {

/// Sums of `values` numbers over the lanes of a node; each of its threads gets a share of the sums.
template <class ExecutionSpace, class Real, int values>
struct CornerOwnSums {
  using Scalar = value_type_t<Real>;
  using Cells = NodeCells<ExecutionSpace>;
  static constexpr int lanes = lanes_v<Real>, threads = Cells::lanes / lanes;
  static constexpr int share = (values + threads - 1) / threads; ///< of a thread
  static constexpr int pitch = Cells::lanes + 1;                 ///< not a multiple of the number of banks
  /// Scratch of a node: none where lanes exchange their numbers by shuffles.
  static constexpr int scratch_numbers = has_shuffles<ExecutionSpace> ? 0 : values * pitch;

  /// \param lane the thread's first one
  /// \param all `scratch_numbers` of the node's
  template <class Member>
  KOKKOS_FORCEINLINE_FUNCTION static Share add_up([[maybe_unused]] const Member& team, Real (&own)[values],
                                                  int lane, [[maybe_unused]] Scalar* all,
                                                  Scalar (&sum)[share]) {
    if constexpr (has_shuffles<ExecutionSpace>) {
      const Share mine = share_sums<Cells::lanes>(own, lane);
      for (int k = 0; k < share; ++k) sum[k] = own[k];
      return mine;
    } else {
      for (int i = 0; i < values; ++i)
        for (int l = 0; l < lanes; ++l) all[i * pitch + lane + l] = lane_of(own[i], l);
      team.team_barrier();
      const int first = lane / lanes * share;
      const Share mine{.first = first, .count = Kokkos::clamp(values - first, 0, share)};
      for (int k = 0; k < mine.count; ++k) sum[k] = of_lanes(all + (first + k) * pitch);
      return mine;
    }
  }

private:
  KOKKOS_FORCEINLINE_FUNCTION static Scalar of_lanes(const Scalar* numbers) {
    Scalar even = 0, odd = 0;
    for (int l = 0; l < Cells::lanes; l += 2) {
      even += numbers[l];
      odd += numbers[l + 1];
    }
    return even + odd;
  }
};

} // namespace TESSERA_KERNELS::assembly::detail
