// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// How another library's iteration over all ranks went.

#include <tessera/solvers/cg_result.hpp>

namespace tessera::distributed {

/// What became of a solve, the same on every rank.
struct KrylovResult {
  bool converged = false;
  solvers::StopReason reason = solvers::StopReason::max_iterations;
  int iterations = 0;
  double relative_residual = 0; ///< ‖b − A x‖ / ‖b‖, computed anew: what decides
};

} // namespace tessera::distributed
