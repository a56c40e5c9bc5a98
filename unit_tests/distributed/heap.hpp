// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Memory that `new` gives out, for what set-up keeps on the host.

#include <cstdint>

namespace tessera::test {

/// Bytes of this process that are in use, and the most that have been.
struct Heap {
  std::int64_t used = 0, peak = 0;
};
Heap& heap();

/// The most bytes beyond those in use before that an action has in use.
template <class Action>
std::int64_t peak_of(Action&& action) {
  const std::int64_t before = heap().used;
  heap().peak = before;
  action();
  return heap().peak - before;
}

} // namespace tessera::test
