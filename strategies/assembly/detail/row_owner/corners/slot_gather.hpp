// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The rows of a node from the slots in which lanes laid down what they add.

#include <tessera/core/unroll.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace TESSERA_KERNELS::assembly::detail {

/// The address that lies `bytes` behind another one: places in scratch that are computed in 32 bits spare
/// instructions that scale and widen indices.
template <class Scalar>
KOKKOS_FORCEINLINE_FUNCTION const Scalar* at_byte(const Scalar* begin, std::uint32_t bytes) {
  return reinterpret_cast<const Scalar*>(reinterpret_cast<const char*>(begin) + bytes);
}

/// Adds up slots of scratch memory, each holding a block of `components` x `components` entries, `plane`
/// numbers from entry to entry. `First` says that there is nothing in the rows yet to add to.
template <class Scalar, int components, int plane>
struct SlotGather {
  const std::uint64_t* lists; ///< by neighbour: the slots that add up to its block, in bytes from the lowest
  int list_stride;
  const Scalar* slots; ///< slot 0 holds zeros
  int degree;          ///< number of neighbours, which follow each other in each of the rows

  /// All values of a neighbour at a time.
  template <bool First>
  KOKKOS_FORCEINLINE_FUNCTION void neighbors(Scalar* rows) const {
    for (int k = 0; k < degree; ++k) {
      Scalar sum[components * components] = {};
      for (std::uint64_t list = lists[k * list_stride]; list != 0; list >>= 8)
        for (int ab = 0; ab < components * components; ++ab) sum[ab] += slots[ab * plane + (list & 255)];
      for (int a = 0; a < components; ++a)
        for (int b = 0; b < components; ++b)
          put<First>(rows[(a * degree + k) * components + b], sum[components * a + b]);
    }
  }

  /// The columns of one of `threads` threads, as many at a time as there are components, so that reads
  /// overlap.
  template <bool First, int threads>
  KOKKOS_FORCEINLINE_FUNCTION void columns(Scalar* rows, int thread) const {
    constexpr int step = components * threads;
    const int columns = components * degree;
    const std::uint64_t* next[components];
    const Scalar* entries[components];
    Scalar* out[components];
    TESSERA_UNROLL(components)
    for (int i = 0; i < components; ++i) {
      const int column = thread + i * threads;
      next[i] = lists + column / components * list_stride;
      entries[i] = slots + column % components * plane;
      out[i] = rows + i * columns + thread;
    }
    TESSERA_UNROLL(1)
    for (int left = columns - thread; left > 0; left -= step) {
      std::uint64_t list[components];
      Scalar sum[components][components];
      TESSERA_UNROLL(components)
      for (int i = 0; i < components; ++i) {
        list[i] = i * threads < left ? *next[i] : 0;
        next[i] += threads * list_stride;
      }
      TESSERA_UNROLL(components)
      for (int i = 0; i < components; ++i) {
        for (int a = 0; a < components; ++a) sum[i][a] = *entry_of(entries[i], a, list[i] & 255);
        add_slots<1>(sum[i], entries[i], static_cast<std::uint32_t>(list[i]));
      }
      // Slots beyond the fourth, in the upper halves of the lists: few columns have them, mostly none of the
      // three.
      if ((list[0] | list[1] | list[2]) >> 32 != 0) {
        TESSERA_UNROLL(components)
        for (int i = 0; i < components; ++i)
          add_slots<0>(sum[i], entries[i], static_cast<std::uint32_t>(list[i] >> 32));
      }
      TESSERA_UNROLL(components)
      for (int i = 0; i < components; ++i)
        if (i * threads < left)
          for (int a = 0; a < components; ++a) put<First>(out[a][i * threads], sum[i][a]);
      for (int a = 0; a < components; ++a) out[a] += step;
    }
  }

private:
  static_assert(components == 3, "SlotGather: columns() looks at three lists at a time");

  /// A slot's entry of row `a`. In single precision its place is counted in bytes, which spares an addition.
  KOKKOS_FORCEINLINE_FUNCTION static const Scalar* entry_of(const Scalar* entries, int a,
                                                            std::uint32_t slot) {
    const Scalar* entry = entries + slot;
    if constexpr (sizeof(Scalar) == 4)
      entry = at_byte(entries, slot * static_cast<std::uint32_t>(sizeof(Scalar)));
    return entry + a * components * plane;
  }

  /// Adds the slots of half a list, from the one at `first`, to three rows' entries.
  template <int First>
  KOKKOS_FORCEINLINE_FUNCTION static void add_slots(Scalar (&sum)[components], const Scalar* entries,
                                                    std::uint32_t list) {
    TESSERA_UNROLL(4)
    for (int i = First; i < 4; ++i)
      if (const std::uint32_t slot = list >> (8 * i) & 255u; slot != 0)
        for (int a = 0; a < components; ++a) sum[a] += *entry_of(entries, a, slot);
  }

  template <bool First>
  KOKKOS_FORCEINLINE_FUNCTION static void put(Scalar& target, Scalar value) {
    target = First ? value : target + value;
  }
};

} // namespace TESSERA_KERNELS::assembly::detail
