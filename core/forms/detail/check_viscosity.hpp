// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What the forms of viscous flow have in common.

#include <tessera/core/error.hpp>

#include <cmath>
#include <string>

namespace tessera::detail {

/// \throws FormError naming the form, for a viscosity that is not positive and finite
inline void check_viscosity(const char* form, double viscosity) {
  if (!(viscosity > 0) || !std::isfinite(viscosity))
    throw FormError(std::string(form) + ": the viscosity must be positive, got " + std::to_string(viscosity));
}

} // namespace tessera::detail
