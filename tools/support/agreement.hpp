// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// What a result may differ from the oracle, and how much of it is checked.

#include <cstddef>
#include <limits>
#include <type_traits>

namespace tessera::tools {

/// Largest error of an entry, relative to the sum of the absolute products that it is made of.
template <class Scalar>
constexpr double agreement_tolerance = std::is_same_v<Scalar, double> ? 1e-13 : 1e-5;

/// Rows that are checked of a larger system, so that the check takes no longer than what it checks.
inline constexpr std::size_t sampled_rows = 50000;
/// Systems of up to so many rows are checked whole.
inline constexpr std::size_t whole_rows = 200000;

/// The oracle's `most_rows` for a system of `rows`.
inline std::size_t rows_to_check(std::size_t rows, bool all) {
  return all || rows <= whole_rows ? std::numeric_limits<std::size_t>::max() : sampled_rows;
}

} // namespace tessera::tools
