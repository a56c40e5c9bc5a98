// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Largest differences that NaN cannot hide in. `max` and `fmax` drop a NaN, so that a result that was never
/// written would pass for right.

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace tessera {

/// The larger of `worst` and `error`; infinity if either is NaN. Kokkos::Max joins what the threads keep.
KOKKOS_INLINE_FUNCTION double worse_of(double worst, double error) {
  if (worst >= error) return worst;
  return error > worst ? error : Kokkos::Experimental::infinity_v<double>;
}

namespace detail {

template <class Left, class Right>
struct DeviationKernel {
  Left values;
  Right reference;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double& difference, double& largest) const {
    const double expected = static_cast<double>(reference(i));
    difference = worse_of(difference, Kokkos::abs(static_cast<double>(values(i)) - expected));
    largest = worse_of(largest, Kokkos::abs(expected));
  }
};

} // namespace detail

/// max |values − reference| / max |reference|: 0 for equal arrays, infinite where the extents differ, an
/// entry of either is not finite, or all of the reference is zero and the values are not.
///
/// \param exec       instance that runs the reduction; the call returns after it has ended.
/// \param values     rank 1, of any floating point type, in memory of the execution space.
/// \param reference  the same.
template <class ExecutionSpace, class Values, class Reference>
double relative_deviation(const ExecutionSpace& exec, const Values& values, const Reference& reference) {
  static_assert(Values::rank() == 1 && Reference::rank() == 1,
                "tessera::relative_deviation: both views must have rank 1.");
  constexpr double infinity = Kokkos::Experimental::infinity_v<double>;
  if (values.extent(0) != reference.extent(0)) return infinity;
  if (values.extent(0) == 0) return 0;
  using Left = typename Values::const_type;
  using Right = typename Reference::const_type;
  double difference = 0, largest = 0;
  Kokkos::parallel_reduce("Tessera::relative_deviation",
                          Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>(
                              exec, 0, static_cast<std::int64_t>(values.extent(0))),
                          detail::DeviationKernel<Left, Right>{values, reference},
                          Kokkos::Max<double>(difference), Kokkos::Max<double>(largest));
  if (!(largest < infinity)) return infinity;
  return difference == 0 ? 0.0 : difference / largest;
}

} // namespace tessera
