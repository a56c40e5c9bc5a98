// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// What the evaluation of paper 5 times.

#include <tessera/strategies/catalogue/catalogue.hpp>

#include "support/color_by_color.hpp"

namespace tessera::tools {

/// Calls `visit(variant)` for the catalogue's operators; those with colors come with a launch for each color,
/// too.
template <class Visit>
void for_each_operator(const Visit& visit) {
  for_each_strategy<MatrixFreeCatalogue>([&](const auto& variant) {
    visit(variant);
    if (const auto separate = color_by_color(variant)) visit(*separate);
  });
}

} // namespace tessera::tools
