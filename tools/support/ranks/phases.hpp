// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The time of each phase of a program on many ranks.

#include <tessera/distributed/communicator.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Timer.hpp>

#include <cstdio>
#include <mpi.h>
#include <string>
#include <utility>
#include <vector>

namespace tessera::tools {

/// Least and most of what the ranks have.
struct Extremes {
  double least, most;
};

/// Collective.
inline Extremes extremes(MPI_Comm communicator, double mine) {
  double both[2] = {-mine, mine};
  MPI_Allreduce(MPI_IN_PLACE, both, 2, MPI_DOUBLE, MPI_MAX, communicator);
  return {-both[0], both[1]};
}

/// Phases one after the other. Rank 0 says on the error stream what begins.
class Phases {
public:
  explicit Phases(const distributed::Communicator& ranks) : ranks_(ranks) {}

  /// Ends the phase that is under way, if any, and begins one; `what` is told, by default the name.
  void begin(const std::string& name, const std::string& what = {}) {
    end();
    name_ = name;
    timer_.reset();
    if (ranks_.rank() == 0)
      std::fprintf(stderr, "[%7.1f s] %s\n", clock_.seconds(), (what.empty() ? name : what).c_str());
  }
  void end() {
    if (name_.empty()) return;
    Kokkos::fence("Tessera::tools::phase");
    seconds_.emplace_back(name_, timer_.seconds());
    name_.clear();
  }

  /// Collective: prints on rank 0 the least and the most seconds of the ranks in each phase.
  void print() const {
    for (const auto& [name, seconds] : seconds_) {
      const Extremes all = extremes(ranks_.own(), seconds);
      if (ranks_.rank() == 0) std::printf("%-14s %9.3f to %9.3f s\n", name.c_str(), all.least, all.most);
    }
  }

private:
  distributed::Communicator ranks_;
  Kokkos::Timer clock_, timer_;
  std::string name_;
  std::vector<std::pair<std::string, double>> seconds_;
};

} // namespace tessera::tools
