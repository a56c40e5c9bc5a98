// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The steps before the numeric one as Kokkos Tools see them, and their time.

#include <tessera/strategies/common/sole_thread.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <chrono>
#include <memory>
#include <string>

namespace tessera {

/// Lasts from its construction to `finish`, as the region `Tessera::STRATEGY::STEP`.
class Preparation {
public:
  /// \throws as `SoleThread`
  Preparation(const std::string& strategy, const char* step)
      : step_(std::make_shared<Step>(strategy, "Tessera::" + strategy + "::" + step)) {}

  /// Ends the region; returns the seconds since it began.
  double finish() {
    step_.reset();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  struct Step {
    detail::SoleThread thread;
    Kokkos::Profiling::ScopedRegion region;
    Step(const std::string& strategy, const std::string& name) : thread(strategy), region(name) {}
  };
  // Shared, for plans can be copied; once they are prepared there is no step any more.
  std::shared_ptr<Step> step_;
};

} // namespace tessera
