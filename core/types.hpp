// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The integer types of the library: 32-bit local ordinals, 64-bit offsets wherever a count can pass 2^31.

#include <Kokkos_Core.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>

// Kernels report elements, and solvers failures, by numbers that are not finite.
#if defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__
#error                                                                                                       \
    "Tessera finds bad input and failed iterations by NaN, which -ffast-math takes away: compile with -fno-finite-math-only behind it"
#endif

// The namespace of what has the time of an assembly, product or residual. In the compiled catalogue that has
// names of its own: linkers take one of several functions of a name for all, and it is to be neither the
// catalogue's in a program nor a program's in the catalogue, which may have been compiled by another
// compiler, without optimization or for another processor.
#ifdef TESSERA_COMPILES_CATALOGUE
#define TESSERA_KERNELS tessera::inline compiled
#else
#define TESSERA_KERNELS tessera
#endif

namespace tessera {

/// Number of a node, element, row or column on this process.
using Ordinal = std::int32_t;

/// Position in the values of a sparse matrix or in any array that can pass 2^31 entries.
using Offset = std::size_t;

/// A number that is not negative, as containers of the standard library count.
template <std::integral Number>
KOKKOS_FUNCTION constexpr std::size_t to_size(Number number) {
  return static_cast<std::size_t>(number);
}

} // namespace tessera
