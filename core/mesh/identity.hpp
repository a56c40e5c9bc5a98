// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Numbers by which objects that keep each other's results recognise each other.

#include <atomic>
#include <cstddef>

namespace tessera {

/// A number > 0 that no other call in this process returns, from any thread. Addresses would not do: memory
/// that is freed is given out again.
inline std::size_t unique_number() {
  static std::atomic<std::size_t> last{0};
  return ++last;
}

} // namespace tessera
