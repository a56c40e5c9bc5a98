// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Host kernels compiled for more than one instruction set, of which the processor's best is taken at run
/// time.
///
/// What is compiled for any x86-64 processor computes with two doubles at a time and without fused
/// operations, at a third of the speed that most processors have. Only the functions that take most of the
/// time are compiled once more, by an attribute: flags of a source would reach the functions of Kokkos and
/// the standard library that it instantiates, and the linker might take those for the whole program.

#include <tessera/core/arithmetic/real.hpp>

#include <Kokkos_Core.hpp>

// Functions for less than the second instruction set alone can be inlined into functions for it. Nothing is
// inlined without optimization.
#if defined(__x86_64__) && defined(__GNUC__) && defined(__OPTIMIZE__) && !defined(__AVX__) &&                \
    !defined(__AES__) && !defined(__PCLMUL__) && !defined(__SSE4A__) && !defined(KOKKOS_ENABLE_CUDA) &&      \
    !defined(KOKKOS_ENABLE_HIP) && !defined(KOKKOS_ENABLE_SYCL)
#define TESSERA_CHOOSES_INSTRUCTIONS
#endif

#ifdef __clang__
#define TESSERA_FOR_SIZE [[clang::minsize]]
#else
#define TESSERA_FOR_SIZE
#endif

/// For lambdas that are passed to `by_best_instructions`.
#define TESSERA_INLINED __attribute__((always_inline))

namespace tessera {

#ifdef TESSERA_CHOOSES_INSTRUCTIONS
namespace detail {

/// For size: in a register file of two doubles each, the code of a pack of eight would take Clang three times
/// as long as that of `by_x86_64_v3`.
template <class Body>
TESSERA_FOR_SIZE [[gnu::noinline, gnu::flatten]] auto by_any_processor(const Body& body) {
  return body();
}
/// AVX2 and fused multiplications and additions.
template <class Body>
[[gnu::noinline, gnu::flatten, gnu::target("arch=x86-64-v3")]] auto by_x86_64_v3(const Body& body) {
  return body();
}

} // namespace detail
#endif

/// `body()`; on hosts, where `Real` is a pack, compiled for several instruction sets, of which the
/// processor's best runs.
/// \param body is inlined with all that it calls: calls of its own that are not would run for any processor
template <class Real, class Body>
KOKKOS_FORCEINLINE_FUNCTION auto by_best_instructions(const Body& body) {
#ifdef TESSERA_CHOOSES_INSTRUCTIONS
  if constexpr (lanes_v<Real> > 1)
    return __builtin_cpu_supports("x86-64-v3") ? detail::by_x86_64_v3(body) : detail::by_any_processor(body);
#endif
  return body();
}

} // namespace tessera
