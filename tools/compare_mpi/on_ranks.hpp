// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Times of calls on all ranks at once, and work on some ranks while others wait.

#include <tessera/distributed/agree.hpp>
#include <tessera/distributed/communicator.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Timer.hpp>

#include <chrono>
#include <exception>
#include <functional>
#include <limits>
#include <mpi.h>
#include <thread>
#include <vector>

namespace tessera::ranks {

using Space = Kokkos::DefaultExecutionSpace;

/// Seconds of `repetitions` calls after three that do not count, each on all ranks at once: the longest of
/// the ranks for each.
inline std::vector<double> time_on_ranks(MPI_Comm ranks, int repetitions, const std::function<void()>& body) {
  std::vector<double> seconds;
  for (int repetition = -3; repetition < repetitions; ++repetition) {
    Space().fence("Tessera::ranks::before_timing");
    MPI_Barrier(ranks);
    const Kokkos::Timer timer;
    body();
    Space().fence("Tessera::ranks::after_timing");
    double mine = timer.seconds(), longest = 0;
    MPI_Allreduce(&mine, &longest, 1, MPI_DOUBLE, MPI_MAX, ranks);
    if (repetition >= 0) seconds.push_back(longest);
  }
  return seconds;
}

/// A barrier that leaves the core to ranks that are at work.
/// \returns whether all ranks came to it within `seconds`
inline bool wait_asleep(MPI_Comm ranks, double seconds) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(ranks, &request);
  const Kokkos::Timer timer;
  for (int done = 0; timer.seconds() < seconds;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

/// Collective: `work()` on some ranks, for which the others wait asleep.
/// \throws on every rank what it throws on one; on that one alone, if others wait for its messages in vain
inline void while_others_wait(const distributed::Communicator& all, const std::function<void()>& work) {
  std::exception_ptr failure;
  try {
    work();
  } catch (...) {
    failure = std::current_exception();
  }
  const double patience = failure ? 5 : std::numeric_limits<double>::infinity();
  const bool together = wait_asleep(all.own(), patience);
  if (failure && !together) std::rethrow_exception(failure);
  distributed::agree(all, [&] {
    if (failure) std::rethrow_exception(failure);
  });
}

} // namespace tessera::ranks
