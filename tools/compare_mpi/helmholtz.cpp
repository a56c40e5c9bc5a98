// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/elements/elements.hpp>
#include <tessera/core/forms/helmholtz.hpp>
#include <tessera/core/forms/poisson.hpp>
#include <tessera/core/weak_form/weak_form.hpp>

#include "measure.hpp"

namespace tessera::ranks {

std::vector<Line> measure_helmholtz(const Settings& settings, const std::vector<int>& counts) {
  return measure<Tet<1>>(settings, counts, Helmholtz<>{.sigma = 1.0, .lambda = 1.0}, weak_form(Laplace{}));
}

} // namespace tessera::ranks
