// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Items sorted by keys, on devices in memory of the pool.

#include <tessera/core/error.hpp>
#include <tessera/core/execution_spaces.hpp>
#include <tessera/core/graphs/detail/counting_sort.hpp>
#include <tessera/solvers/sparse/detail/types.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Sort.hpp>

#include <cstddef>
#include <string>

#if defined(KOKKOS_ENABLE_CUDA) && defined(__CUDACC__)
#include <cub/device/device_radix_sort.cuh>
#endif

namespace tessera::solvers::sparse::detail {

#if defined(KOKKOS_ENABLE_CUDA) && defined(__CUDACC__)
/// Sorts pairs by the lowest `bits` bits of their keys, equal ones in their order. Kokkos' sort allocates,
/// and waits.
template <class Key>
void sort_pairs(const Workspace<Kokkos::Cuda>& work, const Kokkos::View<Key*, Kokkos::Cuda>& keys,
                const Ordinals<Kokkos::Cuda>& numbers, const Kokkos::View<Key*, Kokkos::Cuda>& sorted_keys,
                const Ordinals<Kokkos::Cuda>& sorted, int bits) {
  const auto call = [&](void* memory, std::size_t& bytes) {
    const cudaError_t status =
        cub::DeviceRadixSort::SortPairs(memory, bytes, keys.data(), sorted_keys.data(), numbers.data(),
                                        sorted.data(), keys.extent_int(0), 0, bits, work.exec.cuda_stream());
    if (status != cudaSuccess) throw Error(std::string("Multigrid: sort: ") + cudaGetErrorString(status));
  };
  std::size_t bytes = 0;
  call(nullptr, bytes);
  const auto memory = make_temporary<Kokkos::View<char*, Kokkos::Cuda>>(work, "sort", bytes);
  call(memory.data(), bytes);
}
#endif

template <class Key, class ExecutionSpace>
void sort_pairs(const Workspace<ExecutionSpace>& work, const Kokkos::View<Key*, ExecutionSpace>& keys,
                const Ordinals<ExecutionSpace>& numbers,
                const Kokkos::View<Key*, ExecutionSpace>& sorted_keys, const Ordinals<ExecutionSpace>& sorted,
                int) {
  Kokkos::deep_copy(work.exec, sorted_keys, keys);
  Kokkos::deep_copy(work.exec, sorted, numbers);
  Kokkos::Experimental::sort_by_key(work.exec, sorted_keys, sorted);
}

/// Numbers of items sorted by the lowest `bits` bits of their keys, which have no others; equal keys by
/// number.
/// \return neighbours in this order with the same key
template <class Key, class ExecutionSpace>
Ordinal sort_items(const Workspace<ExecutionSpace>& work, const Kokkos::View<Key*, ExecutionSpace>& keys,
                   int bits, const Ordinals<ExecutionSpace>& items) {
  const auto count = static_cast<Ordinal>(keys.extent(0));
  const ReturnTemporaries<ExecutionSpace> at_end(work);
  auto sorted_keys = keys;
  if constexpr (runs_on_host<ExecutionSpace>) {
    Kokkos::deep_copy(work.exec, items, tessera::detail::radix_sort(work.exec, keys, bits));
    work.exec.fence("Tessera::Sparse::sort_items");
  } else {
    sorted_keys = make_temporary<Kokkos::View<Key*, ExecutionSpace>>(work, "keys", count);
    const auto numbers = make_temporary<Ordinals<ExecutionSpace>>(work, "items", count);
    Kokkos::parallel_for(
        "Tessera::Sparse::items", Range<ExecutionSpace>(work.exec, 0, count),
        KOKKOS_LAMBDA(const Ordinal item) { numbers(item) = item; });
    sort_pairs(work, keys, numbers, sorted_keys, items, bits);
  }
  Ordinal ties = 0;
  Kokkos::parallel_reduce(
      "Tessera::Sparse::ties", Range<ExecutionSpace>(work.exec, 1, Kokkos::max(count, Ordinal(1))),
      KOKKOS_LAMBDA(const Ordinal i, Ordinal& sum) {
        const auto key = [&](Ordinal place) {
          return runs_on_host<ExecutionSpace> ? keys(items(place)) : sorted_keys(place);
        };
        sum += key(i) == key(i - 1) ? 1 : 0;
      },
      ties);
  return ties;
}

} // namespace tessera::solvers::sparse::detail
