// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// What a strategy costs: bytes, flops and device memory, for the comparison and the choice of a strategy.

#include <cstddef>
#include <string>

namespace tessera {

/// Cost of one numeric call, by a strategy's own model.
struct Cost {
  double bytes = 0; ///< read and written in the device's memory
  double flops = 0; ///< additions, multiplications and divisions, one each
};

/// What making a plan, and preparing it for forms, took.
struct PlanReport {
  double seconds = 0;         ///< wall time of `plan`: what depends on the mesh
  std::size_t bytes = 0;      ///< device memory that is held, by the plan and by what was prepared
  double prepare_seconds = 0; ///< wall time of `prepare`, of all forms: what depends on the form
  std::string path;           ///< how the form that was prepared last is computed

  /// Wall time of both steps.
  double total_seconds() const { return seconds + prepare_seconds; }
};

} // namespace tessera
