// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/elements/elements.hpp>
#include <tessera/core/forms/linear_elasticity.hpp>
#include <tessera/core/forms/solids.hpp>
#include <tessera/core/weak_form/weak_form.hpp>

#include "measure.hpp"

namespace tessera::ranks {

std::vector<Line> measure_elasticity(const Settings& settings, const std::vector<int>& counts) {
  return measure<Hex<1>>(settings, counts, LinearElasticity<3>{.young = 200e9, .poisson = 0.3},
                         weak_form(HookeanSolid<3>{}));
}

} // namespace tessera::ranks
