// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Several sums at a time, each by a group of neighbouring lanes that exchange by shuffles.

#include <tessera/strategies/cuda/shuffle.hpp>

#include <Kokkos_Core.hpp>

#include <bit>

namespace tessera {

/// Calls `store(s, sum)` for s = 0 ... sums - 1 with sum = term(s, 0) + ... + term(s, Terms - 1), where a
/// thread's vector of `Lanes` lanes has as many sums at once as it has groups of `Terms` lanes, rounded up to
/// a power of two (paper 2, Listing 1). Only where `has_shuffles`, by all lanes of the vector; afterwards
/// they all see what was stored.
template <int Lanes, int Terms, class Real, class Term, class Store>
KOKKOS_FORCEINLINE_FUNCTION void group_sums([[maybe_unused]] int sums, [[maybe_unused]] const Term& term,
                                            [[maybe_unused]] const Store& store) {
#ifdef __CUDA_ARCH__
  constexpr int group = static_cast<int>(std::bit_ceil(static_cast<unsigned>(Terms)));
  static_assert(group <= Lanes, "a sum has at most as many terms as the vector has lanes");
  const int lane = warp_lane() % Lanes, place = lane % group;
  const unsigned mask = Lanes == 32 ? ~0u : ((1u << Lanes % 32) - 1) << (warp_lane() - lane);
  for (int first = 0; first < sums; first += Lanes / group) {
    const int s = first + lane / group;
    const bool stands = s < sums && place < Terms;
    Real value = stands ? term(s, place) : Real(0);
    for (int distance = group / 2; distance > 0; distance /= 2)
      value += __shfl_xor_sync(mask, value, distance, group);
    if (stands && place == 0) store(s, value);
  }
  __syncwarp(mask);
#endif
}

} // namespace tessera
