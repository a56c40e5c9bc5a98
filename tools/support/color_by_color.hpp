// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Colored strategies as the papers launch them.

#include <tessera/strategies/common/conflicts.hpp>
#include <tessera/strategies/common/variant.hpp>
#include <tessera/strategies/cuda/color_launches.hpp>

#include <optional>
#include <string>

namespace tessera::tools {

/// What a variant's name has in addition where each color is a launch of its own.
inline constexpr const char* separate_colors = "/separate";

/// The same variant with a launch for each color, as the papers' programs have it, in place of the CUDA graph
/// of all colors that the catalogue takes where it can; none where there are no colors, or the catalogue
/// itself has it.
template <class Strategy>
std::optional<Variant<Strategy>> color_by_color(Variant<Strategy> variant) {
  if constexpr (requires { variant.strategy.color_launches; }) {
    if (variant.strategy.color_launches != ColorLaunches::automatic) return {};
    if constexpr (requires { variant.strategy.conflicts; })
      if (variant.strategy.conflicts != Conflicts::colors) return {};
    variant.name += separate_colors;
    variant.strategy.color_launches = ColorLaunches::separate;
    for (const auto& known : variants_of<Strategy>())
      if (known.name == variant.name) return {};
    return variant;
  }
  return {};
}

} // namespace tessera::tools
