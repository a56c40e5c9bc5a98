// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A table of times small enough to predict from by hand.

#include <tessera/strategies/best/calibration.hpp>

#include <string>

namespace tessera::test {

inline CalibrationRow row(const std::string& strategy, const std::string& mesh, double elements,
                          double seconds) {
  return {.family = "assembly",
          .strategy = strategy,
          .element = "tet2",
          .form = "helmholtz",
          .scalar = "double",
          .mesh = mesh,
          .elements = elements,
          .spread = 0.1,
          .bytes = 100 * elements,
          .flops = elements,
          .seconds = seconds,
          .plan_seconds = 0.001 * elements,
          .plan_bytes = 8 * elements};
}

/// Slow: 5 s for launches and 4 s an element on the ordered box, 10 on the shuffled one, 20 bent, 6 on the
/// uneven one. Quick: 3 s on every mesh.
inline Calibration table() {
  Calibration table{.device = "device", .kokkos = "5", .date = "today", .commit = "none", .rows = {}};
  table.bytes_per_second = 100;
  table.flops_per_second = 100;
  table.rows = {row("Slow", "ordered", 1000, 4005),  row("Slow", "shuffled", 1000, 10005),
                row("Slow", "bent", 1000, 20005),    row("Slow", "uneven", 1000, 6005),
                row("Slow", "small", 10, 45),        row("Quick", "ordered", 1000, 3000),
                row("Quick", "shuffled", 1000, 3000)};
  for (CalibrationRow& r : table.rows)
    if (r.mesh == "shuffled") r.spread = 10;
  table.rows[2].bent = 1;
  table.rows[3].crowding = 2;
  return table;
}

} // namespace tessera::test
