// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Reciprocals without a branch.

#include <tessera/core/arithmetic/real.hpp>

#include <Kokkos_Core.hpp>

#include <type_traits>

namespace tessera {

/// 1 / x to within two units in the last place, if x and 1 / x are normal numbers; infinite or not a number
/// where x is zero or not finite. On CUDA the division of two doubles branches for the rest, and what stands
/// before and after the branch cannot overlap.
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION Real reciprocal(const Real& x) {
#ifdef __CUDA_ARCH__
  if constexpr (std::is_same_v<Real, double>) {
    double guess; // to 20 bits; the error e of x * guess leaves e^3
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(guess) : "d"(x));
    const double e = Kokkos::fma(-x, guess, 1.0);
    return Kokkos::fma(guess, Kokkos::fma(e, e, e), guess);
  } else if constexpr (std::is_same_v<Real, float>) {
    float result; // to one unit
    asm("rcp.approx.f32 %0, %1;" : "=f"(result) : "f"(x));
    return result;
  }
#endif
  return Real(value_type_t<Real>(1)) / x;
}

} // namespace tessera
