// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The driven cavity of Taylor and Hood's pair.

#include <tessera/core/mesh/elevate.hpp>
#include <tessera/core/space/function_space.hpp>
#include <tessera/io/generate/box.hpp>

#include "support/on_host.hpp"
#include <algorithm>

namespace tessera::test {

/// The unit square or cube, velocities at rest on its sides but for the top, which moves; the pressure is
/// zero at one corner.
template <template <int> class Simplex, class ExecutionSpace>
FunctionSpace<Simplex<2>, ExecutionSpace> cavity(int n, ConstraintTreatment treatment) {
  constexpr int d = Simplex<2>::dimension;
  FunctionSpace<Simplex<2>, ExecutionSpace> space(
      elevated<Simplex<2>>(io::box_mesh<Simplex<1>, ExecutionSpace>({{n, n, n}, {1.0, 1.0, 1.0}})),
      {.components = d + 1, .linear_components = 1, .treatment = treatment});
  const auto x = on_host(space.mesh().coordinates());
  for (Ordinal node = 0; node < space.mesh().num_nodes(); ++node) {
    double least = 1, sum = 0;
    for (int a = 0; a < d; ++a) {
      least = std::min({least, x(node, a), 1 - x(node, a)});
      sum += x(node, a);
    }
    if (least < 1e-12)
      for (int a = 0; a < d; ++a) space.constrain(node, a, a == 0 && x(node, d - 1) == 1 ? 1.0 : 0.0);
    if (sum == 0) space.constrain(node, d, 0.0);
  }
  return space;
}

} // namespace tessera::test
