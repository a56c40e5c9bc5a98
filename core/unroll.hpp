// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Unrolling and inlining on GPUs, where an array stays in registers only if every index is a constant.

#include <tessera/core/instruction_sets.hpp>

#include <Kokkos_Core.hpp>

#include <type_traits>
#include <utility>

#define TESSERA_PRAGMA(text) _Pragma(#text)
#if defined(__CUDA_ARCH__) || (defined(__clang__) && !defined(__CUDACC__))
/// Asks for `count` (an integral constant expression) copies of the next loop's body; 1 forbids unrolling.
#ifdef __HIP__ // whose compiler warns of parentheses around the whole argument
#define TESSERA_UNROLL(count) TESSERA_PRAGMA(unroll + (count))
#else
#define TESSERA_UNROLL(count) TESSERA_PRAGMA(unroll(count))
#endif
#else
#define TESSERA_UNROLL(count)
#endif
#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
/// For the few loops whose counters are factors that vanish when they are constants: on the host too.
#define TESSERA_UNROLL_ON_HOST_TOO(count) TESSERA_PRAGMA(GCC unroll count)
#else
#define TESSERA_UNROLL_ON_HOST_TOO(count) TESSERA_UNROLL(count)
#endif

#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__) || defined(__SYCL_DEVICE_ONLY__)
/// For loops with long bodies, whose copies a processor does not gain from and its compiler takes long for.
#define TESSERA_UNROLL_ON_GPUS(count) TESSERA_UNROLL(count)
/// For loops that a GPU takes more copies of than a processor does.
#define TESSERA_UNROLL_EACH(on_gpus, on_hosts) TESSERA_UNROLL(on_gpus)
#else
#define TESSERA_UNROLL_ON_GPUS(count)
#define TESSERA_UNROLL_EACH(on_gpus, on_hosts) TESSERA_UNROLL(on_hosts)
#endif
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP) || defined(KOKKOS_ENABLE_SYCL) ||              \
    defined(TESSERA_CHOOSES_INSTRUCTIONS)
/// For long functions that many kernels call: inlined on GPUs and where `by_best_instructions` has copies of
/// its own, else compiled once for processors.
#define TESSERA_INLINE_ON_GPUS KOKKOS_FORCEINLINE_FUNCTION
#else
#define TESSERA_INLINE_ON_GPUS inline
#endif

namespace tessera {

/// Full unrolling of loops over up to 8 entries, none beyond: the code of longer ones would fill the
/// instruction cache, and their arrays would not fit into registers anyway.
template <int Count>
inline constexpr int unroll_up_to_8 = Count <= 8 ? Count : 1;

/// Full unrolling up to a quadratic tetrahedron's ten nodes, for threads that have an element's vectors and
/// no matrix; see `unroll_up_to_8`.
template <int Nodes>
inline constexpr int unroll_nodes = Nodes <= 10 ? Nodes : 1;

namespace detail {

/// Calls `body(std::integral_constant<int, i>)` for i = 0 ... Count-1: a loop that every compiler unrolls.
template <int Count, class Body>
KOKKOS_FORCEINLINE_FUNCTION void for_constants(const Body& body) {
  [&]<int... I>(std::integer_sequence<int, I...>) {
    (body(std::integral_constant<int, I>()), ...);
  }(std::make_integer_sequence<int, Count>());
}

/// Calls `body(i)` for i = 0 ... Count-1, in a loop that compilers unroll as they see fit.
template <int Count, class Body>
KOKKOS_FORCEINLINE_FUNCTION void for_all(const Body& body) {
  for (int i = 0; i < Count; ++i) body(i);
}

/// The same on hosts. On GPUs with constants if `Copies` is `Count`, in a loop that is not unrolled if it is
/// 1, and as the compiler sees fit if it is 0.
template <int Copies, int Count, class Body>
KOKKOS_FORCEINLINE_FUNCTION void for_indices(const Body& body) {
  KOKKOS_IF_ON_HOST((for_all<Count>(body);))
  KOKKOS_IF_ON_DEVICE((
      if constexpr (Copies == Count) { for_constants<Count>(body); } else if constexpr (Copies == 1) {
        TESSERA_UNROLL(1)
        for (int i = 0; i < Count; ++i) body(i);
      } else { for_all<Count>(body); }))
}

} // namespace detail

} // namespace tessera
