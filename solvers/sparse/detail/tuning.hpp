// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The sparse toolkit's thresholds and sizes: what each decides, and what was measured for it on one H200 or
/// one core (docs/performance/multigrid.md, experiments.md). Where nothing is said the value was not swept.

#include <tessera/core/types.hpp>

#include <cstddef>

namespace tessera::solvers::sparse::detail::tuning {

/// A list is long that has so many numbers, and so many times the average: a floating electrode on a whole
/// face, a hub of a network.
inline constexpr Offset long_list = 512, long_list_of_average = 16;

/// Rows that make enough warps to bring their entries to fast memory; fewer are better gone through where
/// they are: 413 rows of 135 entries are packed in 0.14 ms where they are and in 0.26 from there.
inline constexpr Ordinal many_rows = 1 << 14;
/// Entries of 32 rows in fast memory at a time.
inline constexpr Ordinal staged_entries = 640;
/// Entries on their way to a thread while they are brought, all as a rule, and while a row is gone through.
/// The product in double takes 0.40 ms with 16 loads at once, 0.51 with eight.
inline constexpr int staged_at_once = 16, visited_at_once = 8;
/// Warps in a reduction, in parts of those that a device has at work.
inline constexpr int staged_share = 2;

/// Lanes and threads of a team that goes through rows.
inline constexpr int row_team = 128;
/// Rows of a team on hosts, and rows that a thread of the host takes at a time.
inline constexpr Ordinal host_rows = 64;
/// Entries for each lane, from which on a row of a transfer's product is shared. Restriction at 8.1 million
/// unknowns by 8 lanes a row 112 µs, by 16 120, by 32 136.
inline constexpr int transfer_entries_per_lane = 8;
/// Entries on their way to each of these lanes: 112 µs; one after the other 210.
inline constexpr int transfer_at_once = 4;

/// First capacity for the columns of a row of a product.
inline constexpr Ordinal product_row_capacity = 64;

/// Entries fetched on hosts before they are needed, some rows later.
inline constexpr int fetched_entries = 64 * 16;
/// Numbers of a list on hosts that are ranked by counting, which does not branch; longer ones are sorted.
inline constexpr Ordinal ranked_numbers = 256;

/// Pivots that a dense inverse sweeps at a time: a matrix of 103 rows takes 149 µs, pivot by pivot 260.
inline constexpr int pivots_at_once = 4;
/// Pivot of a matrix with a unit diagonal that is zero up to rounding, with a product that is kept exact or
/// without.
constexpr double zero_pivot(bool exact) { return exact ? 1e-12 : 1e-6; }
/// The least that is added to a diagonal where pivots are negative, and by how many times it grows.
inline constexpr double least_shift = 1e-6, shift_growth = 10;

} // namespace tessera::solvers::sparse::detail::tuning
