#pragma once

/// \file
/// Time of repeated work on one core.

#include <algorithm>
#include <ctime>
#include <functional>
#include <vector>

namespace tessera::tools {

/// Median processor time of the calling thread, s, over `repetitions` calls after one that does not count.
/// Other programs on the machine take time from the wall clock, not from this one.
inline double median_seconds(int repetitions, const std::function<void()>& body) {
  const auto now = [] {
    std::timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  std::vector<double> seconds;
  for (int repetition = -1; repetition < repetitions; ++repetition) {
    const double begin = now();
    body();
    if (repetition >= 0) seconds.push_back(now() - begin);
  }
  std::nth_element(seconds.begin(), seconds.begin() + repetitions / 2, seconds.end());
  return seconds[repetitions / 2];
}

} // namespace tessera::tools
