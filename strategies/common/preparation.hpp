#pragma once

/// \file
/// The steps before the numeric one as Kokkos Tools see them, and their time.

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <chrono>
#include <memory>
#include <string>

namespace tessera {

/// Lasts from its construction to `finish`, as the region `Tessera::STRATEGY::STEP`.
class Preparation {
public:
  Preparation(const std::string& strategy, const char* step)
      : region_(std::make_shared<Kokkos::Profiling::ScopedRegion>("Tessera::" + strategy + "::" + step)) {}

  /// Ends the region; returns the seconds since it began.
  double finish() {
    region_.reset();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  // Shared, for plans can be copied; once they are prepared there is no region any more.
  std::shared_ptr<Kokkos::Profiling::ScopedRegion> region_;
};

} // namespace tessera
