// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The entries of one row of an affine element, whose number is known to the compiler, on their way to
/// scratch.

#include <tessera/core/arithmetic/small_matrix.hpp>
#include <tessera/core/elements/reference_tensors.hpp>
#include <tessera/core/types.hpp>
#include <tessera/core/unroll.hpp>
#include <tessera/strategies/assembly/detail/row_owner/tuning.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

namespace TESSERA_KERNELS::assembly::detail {

/// The entries (a, b) of the blocks in node `own`'s row: entry(constant j).
template <class Element, int own, int a, int b, class Scalar, class Integral>
KOKKOS_FORCEINLINE_FUNCTION auto row_entries(const Integral& integral) {
  if constexpr (requires { integral.factors(a, b); }) {
    return [factors = integral.factors(a, b)](auto j) {
      using Tensors = ReferenceTensors<Element>;
      Scalar sum = 0;
      tessera::detail::for_constants<Element::dimension>([&](auto p) {
        tessera::detail::for_constants<Element::dimension>([&](auto q) {
          const Scalar tensor = Tensors::template derivatives<Scalar>(own, j, p, q);
          if (tensor != 0) sum += factors(p, q) * tensor;
        });
      });
      return sum;
    };
  } else {
    return [&integral](auto j) { return integral.stiffness(own, j)(a, b); };
  }
}

/// Adds `entry(constant j)` of each node j of an element to a row: several numbers are read before the first
/// is written, as the compiler does not know that their places differ.
/// \param places two in a word
/// \param step from one entry of the row to the next
template <int nodes, int words, class Scalar, class Entry>
KOKKOS_FORCEINLINE_FUNCTION void add_entries(const std::uint32_t (&places)[words], Scalar* row, Ordinal step,
                                             const Entry& entry) {
  constexpr int together = kind_entries_together;
  tessera::detail::for_constants<(nodes + together - 1) / together>([&](auto turn) {
    constexpr int first = turn * together, count = first + together < nodes ? together : nodes - first;
    Scalar* place[count];
    Scalar sum[count];
    tessera::detail::for_constants<count>([&](auto k) {
      constexpr int j = first + k;
      place[k] = row + (places[j / 2] >> (16 * (j % 2)) & 0xffff) * step;
      sum[k] = *place[k];
    });
    tessera::detail::for_constants<count>(
        [&](auto k) { *place[k] = sum[k] + entry(std::integral_constant<int, first + k>()); });
  });
}

/// An entry whose number may be unknown to the compiler, without an array in memory.
template <class Scalar, int size>
KOKKOS_FORCEINLINE_FUNCTION Scalar entry_of(const Vector<Scalar, size>& vector, int number) {
  Scalar entry = vector(0);
  for (int k = 1; k < size; ++k) entry = k == number ? vector(k) : entry;
  return entry;
}

} // namespace TESSERA_KERNELS::assembly::detail
