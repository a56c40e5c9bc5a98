// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Time of repeated work on one core.

#include <algorithm>
#include <cstddef>
#include <ctime>
#include <functional>
#include <vector>

namespace tessera::tools {

/// Processor time so far, s, of the calling thread or the process. Other programs on the machine take time
/// from the wall clock, not from these.
inline double processor_seconds(clockid_t clock = CLOCK_THREAD_CPUTIME_ID) {
  std::timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

inline double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Median processor time of the calling thread, s, over `repetitions` calls after one that does not count.
inline double median_seconds(int repetitions, const std::function<void()>& body) {
  std::vector<double> seconds;
  for (int repetition = -1; repetition < repetitions; ++repetition) {
    const double begin = processor_seconds();
    body();
    if (repetition >= 0) seconds.push_back(processor_seconds() - begin);
  }
  return median(seconds);
}

} // namespace tessera::tools
