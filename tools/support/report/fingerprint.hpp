// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Whether results repeat, bit by bit, without a second copy of them.

#include <tessera/core/system/linear_system.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

namespace tessera::tools {

/// Sums a hash of each entry's bits and place, in integers: the order of the sum does not matter.
template <class View>
struct Fingerprint {
  View view;
  using Value = typename View::non_const_value_type;
  using Bits = std::conditional_t<sizeof(Value) == 8, std::uint64_t, std::uint32_t>;

  KOKKOS_FUNCTION void operator()(std::int64_t i, std::uint64_t& sum) const {
    std::uint64_t hash =
        Kokkos::bit_cast<Bits>(view(i)) + 0x9e3779b97f4a7c15u * static_cast<std::uint64_t>(i + 1);
    hash = (hash ^ hash >> 30) * 0xbf58476d1ce4e5b9u; // splitmix64 (Steele, Lea and Flood 2014)
    hash = (hash ^ hash >> 27) * 0x94d049bb133111ebu;
    sum += hash ^ hash >> 31;
  }
};

/// A number that two arrays share if they are equal bit by bit, and otherwise by a chance of 2^-64.
template <class ExecutionSpace, class View>
std::uint64_t fingerprint(const ExecutionSpace& exec, const View& view) {
  std::uint64_t sum = 0;
  Kokkos::parallel_reduce("Tessera::tools::fingerprint",
                          Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>(
                              exec, 0, static_cast<std::int64_t>(view.extent(0))),
                          Fingerprint<View>{view}, sum);
  return sum;
}

/// Whether `compute` leaves the same bits in all views time after time.
template <class ExecutionSpace, class Compute, class... Views>
bool repeats(const ExecutionSpace& exec, int times, const Compute& compute, const Views&... views) {
  const auto all = [&] {
    std::uint64_t hash = 0;
    ((hash = hash * 0x9e3779b97f4a7c15u + fingerprint(exec, views)), ...);
    return hash;
  };
  compute();
  const std::uint64_t first = all();
  for (int time = 1; time < times; ++time) {
    compute();
    if (all() != first) return false;
  }
  return true;
}

} // namespace tessera::tools
