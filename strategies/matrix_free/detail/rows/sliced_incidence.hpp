// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The elements around each node, reordered so that threads of neighbouring nodes read neighbouring entries.

#include <tessera/core/execution_spaces.hpp>
#include <tessera/core/graphs/incidence.hpp>
#include <tessera/strategies/matrix_free/detail/stored_elements.hpp>

#include <Kokkos_Core.hpp>

namespace TESSERA_KERNELS::matrix_free::detail {

/// Lists of nodes in slices of `width`: entry k of node n is at offsets(n / width) + k * width + n % width;
/// -1 where the node has fewer entries than the longest of its slice. One node a slice on the host.
template <class ExecutionSpace>
struct SlicedIncidence {
  static constexpr int width = runs_on_host<ExecutionSpace> ? 1 : warp_lanes;
  Kokkos::View<Offset*, ExecutionSpace> offsets; ///< slice (+1)
  Kokkos::View<Ordinal*, ExecutionSpace> elements;
  Kokkos::View<std::uint8_t*, ExecutionSpace> local_nodes; ///< the node's number in the element

  std::size_t bytes() const { return bytes_of(offsets) + bytes_of(elements) + bytes_of(local_nodes); }
};

template <class ExecutionSpace>
struct SliceIncidence {
  NodeToElement<ExecutionSpace> incidence;
  SlicedIncidence<ExecutionSpace> sliced;
  Ordinal nodes, slices;
  static constexpr int width = SlicedIncidence<ExecutionSpace>::width;

  struct Scan {};
  struct Fill {};

  KOKKOS_FUNCTION Offset longest(Ordinal slice) const {
    Offset most = 0;
    for (Ordinal n = slice * width; n < (slice + 1) * width && n < nodes; ++n)
      most = Kokkos::max(most, incidence.offsets(n + 1) - incidence.offsets(n));
    return most;
  }
  KOKKOS_FUNCTION void operator()(Scan, Ordinal slice, Offset& sum, bool final) const {
    if (final) sliced.offsets(slice) = sum;
    if (slice < slices) sum += longest(slice) * width;
  }
  KOKKOS_FUNCTION void operator()(Fill, Ordinal node) const {
    const Ordinal slice = node / width;
    Offset at = sliced.offsets(slice) + node % width;
    if (node < nodes)
      for (Offset k = incidence.offsets(node); k < incidence.offsets(node + 1); ++k, at += width) {
        sliced.elements(at) = incidence.elements(k);
        sliced.local_nodes(at) = incidence.local_nodes(k);
      }
    for (; at < sliced.offsets(slice + 1); at += width) {
      sliced.elements(at) = -1;
      sliced.local_nodes(at) = 0;
    }
  }
};

/// Builds the sliced lists on the device.
template <class ExecutionSpace, class Connectivity>
SlicedIncidence<ExecutionSpace> sliced_incidence(const ExecutionSpace& exec, const Connectivity& connectivity,
                                                 Ordinal num_nodes) {
  using Builder = SliceIncidence<ExecutionSpace>;
  constexpr int width = Builder::width;
  const Ordinal slices = (num_nodes + width - 1) / width;
  Builder builder{node_to_element(exec, connectivity, num_nodes), {}, num_nodes, slices};
  auto& sliced = builder.sliced;
  sliced.offsets = allocate<decltype(sliced.offsets)>(exec, "Tessera::SlicedIncidence::offsets", slices + 1);
  Offset entries = 0;
  Kokkos::parallel_scan("Tessera::SlicedIncidence::scan",
                        Kokkos::RangePolicy<ExecutionSpace, typename Builder::Scan>(exec, 0, slices + 1),
                        builder, entries);
  sliced.elements = allocate<decltype(sliced.elements)>(exec, "Tessera::SlicedIncidence::elements", entries);
  sliced.local_nodes =
      allocate<decltype(sliced.local_nodes)>(exec, "Tessera::SlicedIncidence::local_nodes", entries);
  Kokkos::parallel_for("Tessera::SlicedIncidence::fill",
                       Kokkos::RangePolicy<ExecutionSpace, typename Builder::Fill>(exec, 0, slices * width),
                       builder);
  return sliced;
}

} // namespace TESSERA_KERNELS::matrix_free::detail
