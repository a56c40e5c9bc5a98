// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Copies from global memory to a team's scratch memory that go through no register, for which Kokkos has no
/// name.

#include <tessera/core/unroll.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace tessera {

namespace detail {

/// Copies `Bytes` (4, 8 or 16) between addresses that are multiples of it. On CUDA (from sm_80 on) it returns
/// before they have arrived.
template <int Bytes>
KOKKOS_FORCEINLINE_FUNCTION void begin_copy(void* to, const void* from) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  const auto shared = static_cast<unsigned>(__cvta_generic_to_shared(to));
  if constexpr (Bytes == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared), "l"(from) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared), "l"(from), "n"(Bytes) : "memory");
#else
  struct alignas(Bytes) Chunk {
    unsigned char byte[Bytes];
  };
  *static_cast<Chunk*>(to) = *static_cast<const Chunk*>(from);
#endif
}

} // namespace detail

/// One thread's share of a team's copy of `count` numbers to scratch memory. They are there when every thread
/// has called `wait_for_copies` and then passed a barrier.
/// \tparam Rounds of 16 bytes for each thread are enough on devices; host teams may be smaller
/// \param rank,size the thread's number, and of how many
/// \param to a multiple of 16 bytes, for 16 bytes go at once where `from` is one too
template <int Rounds, class Scalar>
KOKKOS_FORCEINLINE_FUNCTION void copy_to_scratch(int rank, int size, Scalar* to, const Scalar* from,
                                                 int count) {
#ifdef __CUDA_ARCH__
  constexpr int of_chunk = 16 / sizeof(Scalar);
  if (reinterpret_cast<std::uintptr_t>(from) % 16 == 0) {
    const int chunks = count / of_chunk, rest = chunks * of_chunk + rank;
    TESSERA_UNROLL(Rounds)
    for (int k = 0; k < Rounds; ++k)
      if (const int i = rank + k * size; i < chunks)
        detail::begin_copy<16>(to + i * of_chunk, from + i * of_chunk);
    if (rest < count) detail::begin_copy<sizeof(Scalar)>(to + rest, from + rest);
    return;
  }
#endif
  for (int i = rank; i < count; i += size) detail::begin_copy<sizeof(Scalar)>(to + i, from + i);
}

/// Waits until the calling thread's copies have arrived.
KOKKOS_FORCEINLINE_FUNCTION void wait_for_copies() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

/// The same address, of which the compiler knows from now on that it is in scratch memory of level 0.
template <class Scalar>
KOKKOS_FORCEINLINE_FUNCTION Scalar* near_scratch(Scalar* address) {
#ifdef __CUDA_ARCH__
  __builtin_assume(__isShared(address));
#endif
  return address;
}

namespace detail {

/// What of `Count` numbers that lie together, at a multiple of their whole size, can be read at once.
template <int Count, class Scalar>
struct Together {
  static constexpr int width = Count * sizeof(Scalar) % 16 == 0  ? 16 / sizeof(Scalar)
                               : Count * sizeof(Scalar) % 8 == 0 ? 8 / sizeof(Scalar)
                                                                 : 1;
  alignas(width * sizeof(Scalar)) Scalar entry[width];
};

} // namespace detail

/// Reads `Count` numbers that lie together, at a multiple of their whole size, as many at once as that
/// allows.
template <int Count, class Scalar>
KOKKOS_FORCEINLINE_FUNCTION void read_together(const Scalar* from, Scalar (&to)[Count]) {
  using Chunk = detail::Together<Count, Scalar>;
  TESSERA_UNROLL(Count)
  for (int i = 0; i < Count / Chunk::width; ++i) {
    const Chunk chunk = reinterpret_cast<const Chunk*>(from)[i];
    for (int k = 0; k < Chunk::width; ++k) to[i * Chunk::width + k] = chunk.entry[k];
  }
}

/// Writes them likewise.
template <int Count, class Scalar>
KOKKOS_FORCEINLINE_FUNCTION void write_together(const Scalar (&from)[Count], Scalar* to) {
  using Chunk = detail::Together<Count, Scalar>;
  TESSERA_UNROLL(Count)
  for (int i = 0; i < Count / Chunk::width; ++i) {
    Chunk chunk;
    for (int k = 0; k < Chunk::width; ++k) chunk.entry[k] = from[i * Chunk::width + k];
    reinterpret_cast<Chunk*>(to)[i] = chunk;
  }
}

} // namespace tessera
