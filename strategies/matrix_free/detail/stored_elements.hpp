// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Stored element matrices, interleaved over the elements of a block.

#include <tessera/core/forms/element_system.hpp>
#include <tessera/core/forms/integrate_element.hpp>
#include <tessera/strategies/common/element_order.hpp>
#include <tessera/strategies/common/element_real.hpp>
#include <tessera/strategies/common/team.hpp>
#include <tessera/strategies/cuda/by_value.hpp>

#include <Kokkos_Core.hpp>

#include <string>
#include <vector>

namespace TESSERA_KERNELS::matrix_free::detail {

/// Numbers of all elements, blocks of `width` elements side by side: number k of element lane of a block is
/// values((block * entries + k) * width + lane). Each range of an order begins a new block, so that
/// all that is stored beyond one set of numbers per element is the rest of the last block of each range.
template <class ExecutionSpace, class Stored>
struct StoredElements {
  Kokkos::View<Stored*, ExecutionSpace> values;
  int width = 1;
  int entries = 0;
  std::vector<Ordinal> first_block{0}; ///< of each range, and the end; host memory

  StoredElements() = default;
  /// \throws OutOfMemoryError with the bytes wanted
  template <class Element>
  StoredElements(const ExecutionSpace& exec, const ElementOrder<Element, ExecutionSpace>& order,
                 int block_width, int entries_per_element, const std::string& label)
      : width(block_width), entries(entries_per_element) {
    for (int r = 0; r < order.ranges(); ++r)
      first_block.push_back(first_block.back() +
                            (order.offsets[r + 1] - order.offsets[r] + width - 1) / width);
    values =
        allocate<decltype(values)>(exec, label, static_cast<Offset>(first_block.back()) * entries * width);
  }

  /// Bytes beyond `entries` numbers per element.
  std::size_t alignment_bytes(Ordinal elements) const {
    return bytes_of(values) - static_cast<std::size_t>(elements) * entries * sizeof(Stored);
  }
};

/// Integrates the elements of a range and stores the numbers that `Layout` asks for:
/// `Layout::for_each(visit)` calls `visit(k, i, a, j, b)` for every number k, the entry of test node i,
/// component a, and trial node j, component b.
template <class Layout, class Element, class ExecutionSpace, class Scalar, class Stored, class Kernel>
struct StoreElements {
  using Real = element_real_t<ExecutionSpace, Scalar>;

  Kernel kernel;
  MeshKernel<Element, ExecutionSpace> mesh;
  Status<ExecutionSpace> status;
  Kokkos::View<Stored*, ExecutionSpace> values;
  int width, entries;
  Ordinal begin, end, first_block;

  KOKKOS_FUNCTION void operator()(Ordinal chunk) const {
    const Ordinal offset = chunk * lanes_v<Real>;
    const Cell<Element, Real> cell = mesh.template cell<Real>(begin + offset);
    element_system_t<Element, Kernel, Real> local;
    if (!integrate(kernel, cell, local)) status.fail(kernel, cell);
    for (int lane = 0; lane < lanes_v<Real> && begin + offset + lane < end; ++lane) {
      const Ordinal at = offset + lane;
      Stored* const first =
          values.data() + static_cast<Offset>(first_block + at / width) * entries * width + at % width;
      Layout::for_each([&](int k, int i, int a, int j, int b) {
        first[static_cast<Offset>(k) * width] = Stored(lane_of(local(i, a, j, b), lane));
      });
    }
  }

  /// Fills the blocks of all ranges; lanes without an element become zero.
  static void run(const ExecutionSpace& exec, const Kernel& kernel,
                  const ElementOrder<Element, ExecutionSpace>& order,
                  const StoredElements<ExecutionSpace, Stored>& blocks, const Status<ExecutionSpace>& status,
                  const std::string& label) {
    Kokkos::deep_copy(exec, blocks.values, Stored(0));
    for (int r = 0; r < order.ranges(); ++r) {
      const Ordinal begin = order.offsets[r], end = order.offsets[r + 1];
      Kokkos::parallel_for(label,
                           by_value<StoreElements>(Kokkos::RangePolicy<ExecutionSpace>(
                               exec, 0, (end - begin + lanes_v<Real> - 1) / lanes_v<Real>)),
                           StoreElements{kernel, order.mesh, status, blocks.values, blocks.width,
                                         blocks.entries, begin, end, blocks.first_block[r]});
    }
  }
};

/// A pack (or a number) from consecutive numbers in memory.
template <class Real, class Stored>
KOKKOS_FORCEINLINE_FUNCTION Real load_lanes(const Stored* from) {
  return from_lanes<Real>([&](int lane) { return from[lane]; });
}

} // namespace TESSERA_KERNELS::matrix_free::detail
