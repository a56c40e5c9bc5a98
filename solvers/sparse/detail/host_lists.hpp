// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Lists of numbers by the lanes of a host's vector.

#include <tessera/core/types.hpp>
#include <tessera/solvers/sparse/detail/host_lanes.hpp>
#include <tessera/solvers/sparse/detail/row_passes.hpp>
#include <tessera/solvers/sparse/detail/tuning.hpp>

#include <Kokkos_Core.hpp>

#include <limits>

namespace tessera::solvers::sparse::detail {

/// How many numbers of a list are smaller.
KOKKOS_INLINE_FUNCTION Ordinal count_smaller(const Ordinal* list, Ordinal count, Ordinal number) {
  Ordinal smaller = 0;
#ifdef TESSERA_GATHERS
  const avx512::Ints16 own = avx512::all(number);
  for (Ordinal k = 0; k < count; k += host_lanes) {
    const avx512::Mask16 in = avx512::leading16(count - k);
    smaller += avx512::count(avx512::less(in, avx512::load(in, list + k), own));
  }
#else
  for (Ordinal k = 0; k < count; ++k) smaller += list[k] < number ? 1 : 0;
#endif
  return smaller;
}

#ifdef TESSERA_GATHERS
/// A few distinct numbers in the lanes of a vector.
class DistinctLanes {
public:
  Ordinal count() const { return count_; }
  bool fits() const { return fits_; }

  /// Adds number(key) of some keys, but those that are negative.
  template <class Number>
  KOKKOS_FORCEINLINE_FUNCTION void add(const Ordinal* keys, Ordinal length, const Number& number) {
    for (Ordinal k = 0; k < length && fits_;) {
      const Ordinal taken = Kokkos::min(host_lanes - count_, length - k);
      fits_ = taken > 0;
      __builtin_prefetch(keys + k + tuning::fetched_entries / 2);
      merge(avx512::load(avx512::leading16(taken), keys + k), taken, number);
      k += taken;
    }
  }

  /// Writes them in ascending order.
  void write(Ordinal* to) const {
    const avx512::Ints16 one = avx512::all(1);
    avx512::Ints16 rank = avx512::all(0);
    for (Ordinal k = 0; k < (count_ <= 8 ? 8 : host_lanes); ++k)
      rank = avx512::add_in(avx512::less(avx512::spread(numbers_, k), numbers_), rank, one);
    const avx512::Mask16 own = avx512::leading16(count_);
    if (count_ <= 8)
      avx512::scatter_lower(static_cast<avx512::Mask8>(own), to, rank, numbers_);
    else
      avx512::scatter(own, to, rank, numbers_);
  }

private:
  /// Puts so many behind those that are there, and keeps the first of equals.
  template <class Number>
  KOKKOS_FORCEINLINE_FUNCTION void merge(avx512::Ints16 keys, Ordinal taken, const Number& number) {
    const avx512::Mask16 in = avx512::leading16(count_ + taken);
    const auto behind = static_cast<avx512::Mask16>(in & ~avx512::leading16(count_));
    const avx512::Ints16 both = avx512::expand_into(behind, numbers_, number(keys));
    const auto first =
        static_cast<avx512::Mask16>(avx512::first_of_equals(in, both) & ~avx512::negative(both));
    numbers_ = avx512::close_up(first, both, none);
    count_ = avx512::count(first);
  }

  const avx512::Ints16 none = avx512::all(std::numeric_limits<Ordinal>::max());
  avx512::Ints16 numbers_ = none;
  Ordinal count_ = 0;
  bool fits_ = true;
};
#endif

} // namespace tessera::solvers::sparse::detail
