// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Positions on the Hilbert curve.

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace tessera::detail {

/// Positions on the Hilbert curve through a grid of 2^bits cells per axis (J. Skilling, "Programming the
/// Hilbert curve", AIP Conference Proceedings 707, 2004) of some points, the lanes of a vector. `cell` is
/// overwritten.
template <int Dimension, int Lanes>
KOKKOS_INLINE_FUNCTION void hilbert_indices(std::uint32_t (&cell)[Dimension][Lanes], int bits,
                                            std::uint64_t (&index)[Lanes]) {
  // From the axes to the transposed index: undo the exchanges and inversions of each level, then Gray-encode.
  for (std::uint32_t level = std::uint32_t{1} << (bits - 1); level > 1; level >>= 1) {
    const std::uint32_t below = level - 1;
    for (int d = 0; d < Dimension; ++d)
      for (int lane = 0; lane < Lanes; ++lane) { // by masks: which way is as random as the cell
        const std::uint32_t inverted = (cell[d][lane] & level) != 0 ? below : 0;
        const std::uint32_t exchanged = (cell[0][lane] ^ cell[d][lane]) & (below ^ inverted);
        cell[0][lane] ^= inverted ^ exchanged;
        cell[d][lane] ^= exchanged;
      }
  }
  for (int d = 1; d < Dimension; ++d)
    for (int lane = 0; lane < Lanes; ++lane) cell[d][lane] ^= cell[d - 1][lane];
  std::uint32_t flips[Lanes] = {};
  for (std::uint32_t level = std::uint32_t{1} << (bits - 1); level > 1; level >>= 1)
    for (int lane = 0; lane < Lanes; ++lane)
      flips[lane] ^= (cell[Dimension - 1][lane] & level) != 0 ? level - 1 : 0;
  for (int lane = 0; lane < Lanes; ++lane) index[lane] = 0;
  for (int bit = bits - 1; bit >= 0; --bit)
    for (int d = 0; d < Dimension; ++d)
      for (int lane = 0; lane < Lanes; ++lane)
        index[lane] = (index[lane] << 1) | (((cell[d][lane] ^ flips[lane]) >> bit) & 1u);
}

} // namespace tessera::detail
