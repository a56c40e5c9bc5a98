#pragma once

/// \file
/// Lists of numbers by the lanes of a host's vector.

#include <tessera/core/types.hpp>
#include <tessera/solvers/sparse/detail/host_lanes.hpp>
#include <tessera/solvers/sparse/detail/row_passes.hpp>

#include <Kokkos_Core.hpp>

#include <limits>

namespace tessera::solvers::sparse::detail {

/// How many numbers of a list are smaller.
KOKKOS_INLINE_FUNCTION Ordinal count_smaller(const Ordinal* list, Ordinal count, Ordinal number) {
  Ordinal smaller = 0;
#ifdef TESSERA_GATHERS
  const __m512i own = _mm512_set1_epi32(number);
  for (Ordinal k = 0; k < count; k += host_lanes) {
    const __mmask16 in = leading_lanes(count - k);
    smaller += Kokkos::popcount(
        static_cast<unsigned>(_mm512_mask_cmplt_epi32_mask(in, _mm512_maskz_loadu_epi32(in, list + k), own)));
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
      __builtin_prefetch(keys + k + ahead / 2);
      merge(_mm512_maskz_loadu_epi32(leading_lanes(taken), keys + k), taken, number);
      k += taken;
    }
  }

  /// Writes them in ascending order.
  void write(Ordinal* to) const {
    const __m512i one = _mm512_set1_epi32(1);
    __m512i rank = _mm512_setzero_si512();
    for (Ordinal k = 0; k < (count_ <= 8 ? 8 : host_lanes); ++k) {
      const __mmask16 larger =
          _mm512_cmplt_epi32_mask(_mm512_permutexvar_epi32(_mm512_set1_epi32(k), numbers_), numbers_);
      rank = _mm512_mask_add_epi32(rank, larger, rank, one);
    }
    const __mmask16 all = leading_lanes(count_);
    if (count_ <= 8)
      _mm256_mask_i32scatter_epi32(to, static_cast<__mmask8>(all), _mm512_castsi512_si256(rank),
                                   _mm512_castsi512_si256(numbers_), sizeof(Ordinal));
    else
      _mm512_mask_i32scatter_epi32(to, all, rank, numbers_, sizeof(Ordinal));
  }

private:
  /// Puts so many behind those that are there, and keeps the first of equals.
  template <class Number>
  KOKKOS_FORCEINLINE_FUNCTION void merge(__m512i keys, Ordinal taken, const Number& number) {
    const __mmask16 in = leading_lanes(count_ + taken);
    const __m512i all =
        _mm512_mask_expand_epi32(numbers_, static_cast<__mmask16>(in & ~leading_lanes(count_)), number(keys));
    const __m512i equals = _mm512_conflict_epi32(all);
    const auto first =
        static_cast<__mmask16>(_mm512_mask_testn_epi32_mask(in, equals, equals) & ~_mm512_movepi32_mask(all));
    numbers_ = _mm512_mask_compress_epi32(none, first, all);
    count_ = Kokkos::popcount(static_cast<unsigned>(first));
  }

  const __m512i none = _mm512_set1_epi32(std::numeric_limits<Ordinal>::max());
  __m512i numbers_ = none;
  Ordinal count_ = 0;
  bool fits_ = true;
};
#endif

} // namespace tessera::solvers::sparse::detail
