// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// What the time of a strategy depends on in a mesh, beside its size.

#include <tessera/core/allocate.hpp>
#include <tessera/core/mesh/mesh.hpp>
#include <tessera/strategies/common/all_affine.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace tessera {

/// Features of a mesh that predictions rest on.
struct MeshFeatures {
  double spread = 0;   ///< lines of 16 nodes that an element brings to the cache, in windows of 256 elements
  double bent = 0;     ///< share of the elements that are no affine images of the reference element
  double crowding = 0; ///< the most elements around a corner, over what an element's corners have, less one
};

namespace detail {

/// Elements of a window, about those that a device's multiprocessor is at work on at a time; windows of which
/// a large mesh is a sample; nodes of a line, 128 bytes of one coordinate.
inline constexpr Ordinal window_elements = 256, most_windows = 64, line_nodes = 16;

template <class Connectivity, class ExecutionSpace>
struct CopyWindows {
  Connectivity connectivity;
  Kokkos::View<Ordinal**, ExecutionSpace> windows; ///< sampled element x node
  Ordinal step;                                    ///< elements from one window to the next

  KOKKOS_FUNCTION void operator()(Ordinal i) const {
    const Ordinal e = i / window_elements * step + i % window_elements;
    for (std::size_t n = 0; n < windows.extent(1); ++n) windows(i, n) = connectivity(e, n);
  }
};

/// The mean over the sampled windows of the distinct lines of nodes that each reads, an element.
template <class Element, class ExecutionSpace>
double spread_of(const ExecutionSpace& exec, const Mesh<Element, ExecutionSpace>& mesh) {
  const Ordinal elements = mesh.num_elements();
  if (elements == 0) return 0;
  const Ordinal length = std::min(window_elements, elements);
  const Ordinal windows = std::min(most_windows, elements / length);
  const Ordinal step = windows > 1 ? (elements - length) / (windows - 1) : 0;
  using Sample = Kokkos::View<Ordinal**, ExecutionSpace>;
  // A mesh of less than a window is one.
  const Ordinal sampled = windows == 1 ? length : windows * window_elements;
  const auto sample = allocate<Sample>(exec, "Tessera::MeshFeatures::sample", sampled, Element::nodes);
  Kokkos::parallel_for("Tessera::MeshFeatures::sample", Kokkos::RangePolicy<ExecutionSpace>(exec, 0, sampled),
                       CopyWindows<typename Mesh<Element, ExecutionSpace>::ConstConnectivity, ExecutionSpace>{
                           mesh.connectivity(), sample, step});
  const auto host = Kokkos::create_mirror_view(sample);
  Kokkos::deep_copy(exec, host, sample);
  exec.fence("Tessera::MeshFeatures::sample");
  std::int64_t lines = 0;
  std::vector<Ordinal> window;
  for (Ordinal begin = 0; begin < sampled; begin += length) {
    window.clear();
    for (Ordinal i = begin; i < begin + length; ++i)
      for (int n = 0; n < Element::nodes; ++n) window.push_back(host(i, n) / line_nodes);
    std::sort(window.begin(), window.end());
    lines += std::unique(window.begin(), window.end()) - window.begin();
  }
  return static_cast<double>(lines) / sampled;
}

template <class Connectivity, class ExecutionSpace>
struct CountAroundCorners {
  Connectivity connectivity;
  int corners;
  Kokkos::View<int*, ExecutionSpace> around;

  KOKKOS_FUNCTION void operator()(Ordinal e) const {
    for (int n = 0; n < corners; ++n) Kokkos::atomic_inc(&around(connectivity(e, n)));
  }
};

template <class ExecutionSpace>
struct SumCounts {
  Kokkos::View<const int*, ExecutionSpace> around;
  KOKKOS_FUNCTION void operator()(Ordinal node, double& squares, int& most) const {
    squares += static_cast<double>(around(node)) * around(node);
    most = Kokkos::max(most, around(node));
  }
};

template <class Element, class ExecutionSpace>
double crowding_of(const ExecutionSpace& exec, const Mesh<Element, ExecutionSpace>& mesh) {
  using Range = Kokkos::RangePolicy<ExecutionSpace>;
  constexpr int corners = Element::template of_order<1>::nodes;
  const auto around =
      allocate<Kokkos::View<int*, ExecutionSpace>>(exec, "Tessera::MeshFeatures::around", mesh.num_nodes());
  Kokkos::deep_copy(exec, around, 0);
  Kokkos::parallel_for(
      "Tessera::MeshFeatures::count", Range(exec, 0, mesh.num_elements()),
      CountAroundCorners<typename Mesh<Element, ExecutionSpace>::ConstConnectivity, ExecutionSpace>{
          mesh.connectivity(), corners, around});
  double squares = 0;
  int most = 0;
  Kokkos::parallel_reduce("Tessera::MeshFeatures::sum", Range(exec, 0, mesh.num_nodes()),
                          SumCounts<ExecutionSpace>{around}, squares, Kokkos::Max<int>(most));
  return most == 0 ? 0.0 : most * static_cast<double>(mesh.num_elements()) * corners / squares - 1;
}

} // namespace detail

/// Features of a mesh, from a sample of it and two passes over its elements. Waits for them.
template <class Element, class ExecutionSpace>
MeshFeatures mesh_features(const ExecutionSpace& exec, const Mesh<Element, ExecutionSpace>& mesh) {
  const Ordinal elements = mesh.num_elements();
  return {detail::spread_of(exec, mesh),
          elements > 0 ? static_cast<double>(bent_elements(exec, mesh)) / elements : 0.0,
          detail::crowding_of(exec, mesh)};
}

} // namespace tessera
