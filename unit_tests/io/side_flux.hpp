// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What tells whether a set's sides are those of a face, turned outwards.

#include <tessera/core/mesh/side_points.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstddef>
#include <string>
#include <support/on_host.hpp>

namespace tessera::test {

/// Integral of the outward normal's first component times x^power over a side set.
template <class Element>
double flux(const Mesh<Element, Kokkos::DefaultExecutionSpace>& mesh, const std::string& set, int power) {
  double sum = 0;
  tessera::detail::for_each_side_kind<Element>([&](auto kind) {
    constexpr int Kind = decltype(kind)::value;
    const auto points = side_points<Kind>(Kokkos::DefaultExecutionSpace(), mesh, mesh.side_set(set));
    const auto x = on_host(points.position);
    const auto normal = on_host(points.normal);
    for (std::size_t s = 0; s < x.extent(0); ++s)
      for (std::size_t q = 0; q < x.extent(1); ++q) sum += normal(s, q, 0) * std::pow(x(s, q, 0), power);
  });
  return sum;
}

} // namespace tessera::test
