#pragma once

/// \file
/// The preparation of a plan as Kokkos Tools see it, and its time.

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <Kokkos_Timer.hpp>

#include <memory>
#include <string>

namespace tessera {

/// Lasts from its construction to `finish`, as the region `Tessera::STRATEGY::plan`.
class Preparation {
public:
  explicit Preparation(const std::string& strategy)
      : region_(std::make_shared<Kokkos::Profiling::ScopedRegion>("Tessera::" + strategy + "::plan")) {}

  /// Ends the region; returns the seconds since it began.
  double finish() {
    region_.reset();
    return timer_.seconds();
  }

private:
  Kokkos::Timer timer_;
  // Shared, for plans can be copied; once they are prepared there is no region any more.
  std::shared_ptr<Kokkos::Profiling::ScopedRegion> region_;
};

} // namespace tessera
