// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Element matrices in memory, row by row, as the rows of the system read them.

#include <tessera/core/types.hpp>
#include <tessera/core/unroll.hpp>

#include <Kokkos_Core.hpp>

namespace TESSERA_KERNELS::assembly::detail {

/// Where the numbers of element matrices are: a row for each test function (place i, component a), one after
/// the other; a row has the entries of component 0 of all trial functions, then component 1's, then the load.
/// Places of functions: `function_place` of their nodes. Both halves of a symmetric matrix are there, so that
/// a row of the system reads what an element has for it in one run.
template <class Element, int Components, class Scalar>
struct RowData {
  static constexpr int nodes = Element::nodes, components = Components;
  static constexpr int row_entries = nodes * components + 1;
  static constexpr int node_entries = components * row_entries, element_entries = nodes * node_entries;

  Scalar* data;

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int column(int place, int b) { return b * nodes + place; }
  KOKKOS_FORCEINLINE_FUNCTION Scalar* row(Ordinal element, int i, int a) const {
    return data + static_cast<Offset>(element) * element_entries + i * node_entries + a * row_entries;
  }
};

/// Runs of `Count` numbers that each of `Lanes` threads has for its own element, on their way to memory:
/// lanes write them to scratch and then, together, each element's run to where it belongs.
template <class Scalar, int Lanes>
struct RunTranspose {
  Scalar* buffer; ///< `numbers(Count)` of them
  int lane;

  /// Numbers of scratch for runs of `count`: neighbouring numbers of an element lie in different banks.
  static constexpr int numbers(int count) { return count * (Lanes + 1); }

  KOKKOS_FORCEINLINE_FUNCTION void put(int k, const Scalar& value) const {
    buffer[k * (Lanes + 1) + lane] = value;
  }
  /// Once all lanes have put: number k of element e < `elements` goes to `target(k)[e * stride]`, nowhere
  /// where that is null.
  template <int Count, class Target>
  KOKKOS_FORCEINLINE_FUNCTION void write(int elements, int stride, const Target& target) const {
    constexpr int at_once = Count < Lanes ? Lanes / Count : 1; // elements
    if (Count < Lanes && lane >= at_once * Count) return;
    const int first = Count < Lanes ? lane / Count : 0;
    for (int k = Count < Lanes ? lane % Count : lane; k < Count; k += Lanes) {
      Scalar* const to = target(k);
      if (to == nullptr) continue;
      TESSERA_UNROLL(4)
      for (int e = first; e < elements; e += at_once) to[e * stride] = buffer[k * (Lanes + 1) + e];
    }
  }
};

} // namespace TESSERA_KERNELS::assembly::detail
