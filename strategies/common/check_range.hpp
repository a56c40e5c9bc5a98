// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Whether elements have a size that a kernel's scalar can compute with.

#include <tessera/core/error.hpp>
#include <tessera/core/mesh/mesh.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <type_traits>

namespace tessera {

namespace detail {

template <class Element, class ExecutionSpace>
struct SmallestElement {
  MeshKernel<Element, ExecutionSpace> mesh;
  KOKKOS_FUNCTION void operator()(Ordinal e, double& smallest) const {
    const auto cell = mesh.template cell<double>(e);
    double size = 0;
    for (const auto& x : cell.coordinates)
      for (int d = 0; d < Element::dimension; ++d) size = Kokkos::fmax(size, Kokkos::abs(x[d]));
    smallest = Kokkos::fmin(smallest, size);
  }
};

} // namespace detail

/// Element kernels multiply the lengths of two sides (3D: two areas). In single precision such products have
/// lost digits below 1.2e-38, and are zero below 1.4e-45, long before the matrix's entries are small.
/// Double's range is that of the mesh itself.
/// \throws UnsupportedError with the smallest element's size, and the least that `Scalar` takes
template <class Scalar, class Element, class ExecutionSpace>
void check_range(const ExecutionSpace& exec, const std::string& who,
                 const Mesh<Element, ExecutionSpace>& mesh) {
  if constexpr (std::is_same_v<Scalar, float>) {
    if (mesh.num_elements() == 0) return;
    const double least =
        std::pow(100.0 * std::numeric_limits<float>::min(), 1.0 / (2 * (Element::dimension - 1)));
    double smallest = 0;
    Kokkos::parallel_reduce(
        "Tessera::check_range", Kokkos::RangePolicy<ExecutionSpace>(exec, 0, mesh.num_elements()),
        detail::SmallestElement<Element, ExecutionSpace>{mesh.kernel()}, Kokkos::Min<double>(smallest));
    if (smallest >= least) return;
    char numbers[96];
    std::snprintf(numbers, sizeof numbers, "an element of size %.1e, single precision takes %.1e or more",
                  smallest, least);
    throw UnsupportedError(who + ": the mesh has " + numbers + "; take another unit of length, or double");
  }
}

} // namespace tessera
