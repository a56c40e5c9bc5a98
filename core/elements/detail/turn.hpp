// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The two ways round a face.

#include <tessera/core/types.hpp>

#include <algorithm>
#include <span>

namespace tessera::detail {

/// Tells the two ways round a face apart, for corners that follow one another: of three or four corners the
/// one that follows the smallest, of one or two the first.
inline Ordinal turn_of(std::span<const Ordinal> corners) {
  if (corners.size() < 3) return corners.front();
  const auto after = std::min_element(corners.begin(), corners.end()) + 1;
  return after == corners.end() ? corners.front() : *after;
}

} // namespace tessera::detail
