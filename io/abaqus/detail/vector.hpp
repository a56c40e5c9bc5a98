// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Positions and directions in space, as the axes and joints of decks need them.

#include <array>
#include <cmath>

namespace tessera::io {

using AbaqusVector = std::array<double, 3>;

inline AbaqusVector difference(const AbaqusVector& a, const AbaqusVector& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

inline AbaqusVector scaled(const AbaqusVector& a, double factor) {
  return {factor * a[0], factor * a[1], factor * a[2]};
}

inline AbaqusVector cross(const AbaqusVector& a, const AbaqusVector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

inline double inner_product(const AbaqusVector& a, const AbaqusVector& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

inline double length_of(const AbaqusVector& a) { return std::hypot(a[0], a[1], a[2]); }

} // namespace tessera::io
