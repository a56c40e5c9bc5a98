#pragma once

/// \file
/// What a strategy costs: bytes, flops and device memory, for the comparison and the choice of a strategy.

#include <cstddef>

namespace tessera {

/// Cost of one numeric call, by a strategy's own model.
struct Cost {
  double bytes = 0; ///< read and written in the device's memory
  double flops = 0; ///< additions, multiplications and divisions, one each
};

/// What making a plan took.
struct PlanReport {
  double seconds = 0;    ///< wall time of the preprocessing
  std::size_t bytes = 0; ///< device memory that the plan holds
};

} // namespace tessera
