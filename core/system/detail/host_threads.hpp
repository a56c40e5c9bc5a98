// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// All cores of the host, whatever Kokkos was built with: for checks and preparations.

#include <tessera/core/types.hpp>

#include <algorithm>
#include <exception>
#include <thread>
#include <vector>

namespace tessera::detail {

/// Calls `body(thread, threads)` for every thread 0 … threads−1 at the same time, as many as this process may
/// use cores, and returns when all have ended; rethrows the first exception of one.
template <class Body>
void on_host_threads(const Body& body) {
  const int threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  std::vector<std::exception_ptr> failures(to_size(threads));
  const auto run = [&](int thread) {
    try {
      body(thread, threads);
    } catch (...) {
      failures[to_size(thread)] = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    for (int thread = 1; thread < threads; ++thread) others.emplace_back(run, thread);
    run(0);
  }
  for (const auto& failure : failures)
    if (failure) std::rethrow_exception(failure);
}

} // namespace tessera::detail
