// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Sums over groups of lanes; every lane gets a share of the result.

#include <tessera/core/unroll.hpp>
#include <tessera/strategies/cuda/shuffle.hpp>

#include <Kokkos_Core.hpp>

namespace tessera {

/// The place of a share among the values that were summed: `first` up to `first + count`.
struct Share {
  int first, count;
};

/// Sums `Count` values over groups of `Lanes` consecutive lanes of a warp, a power of two; only where
/// `has_shuffles`. At each step two lanes exchange halves, so that a lane sends about `Count` values in all,
/// not `Count` at each step.
///
/// \param v the lane's values; afterwards the sums of its share come first
/// \param lane the lane's number in its group
template <int Lanes, int Count, class T>
KOKKOS_FORCEINLINE_FUNCTION Share share_sums([[maybe_unused]] T (&v)[Count], [[maybe_unused]] int lane,
                                             Share share = {.first = 0, .count = Count}) {
#ifdef __CUDA_ARCH__
  if constexpr (Lanes > 1) {
    constexpr int half = (Count + 1) / 2;
    const bool upper = lane & (Lanes / 2);
    T mine[half];
    TESSERA_UNROLL(half)
    for (int i = 0; i < half; ++i) {
      const T low = v[i], high = i + half < Count ? v[i + half] : T(0);
      mine[i] = (upper ? high : low) + shuffle_xor(upper ? low : high, Lanes / 2);
    }
    share = upper ? Share{share.first + half, share.count - half} : Share{share.first, half};
    share = share_sums<Lanes / 2>(mine, lane, share);
    TESSERA_UNROLL(half)
    for (int i = 0; i < half; ++i) v[i] = mine[i];
  }
#endif
  return share;
}

} // namespace tessera
