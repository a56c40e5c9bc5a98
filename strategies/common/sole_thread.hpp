// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// One thread in the library at a time, where Kokkos is built for that alone.

#include <tessera/core/error.hpp>

#include <Kokkos_Core.hpp>

#include <atomic>
#include <string>

namespace tessera::detail {

/// Lasts as long as a call of a plan, or the making of one. With Kokkos_ENABLE_ATOMICS_BYPASS, as Debian's
/// serial Kokkos is built, the references to a view's memory are counted without atomic operations, and
/// kernels of an execution space share scratch memory without a lock: calls of two threads at once, on
/// whatever spaces and plans, would give memory back that is in use.
class SoleThread {
public:
#ifdef KOKKOS_ENABLE_ATOMICS_BYPASS
  /// \throws ArgumentError naming `who` where another thread is in such a call
  explicit SoleThread(const std::string& who) {
    if (calls_ == 0 && busy_.exchange(true))
      throw ArgumentError(who +
                          ": another thread is in a call of the library, and this Kokkos is built for one "
                          "thread at a time (Kokkos_ENABLE_ATOMICS_BYPASS); call from one at a time, or "
                          "take a Kokkos without it");
    ++calls_;
  }
  ~SoleThread() {
    if (--calls_ == 0) busy_.store(false);
  }

private:
  static inline std::atomic<bool> busy_ = false;
  static inline thread_local int calls_ = 0; ///< one within another
#else
  explicit SoleThread(const std::string&) {}
#endif

public:
  SoleThread(const SoleThread&) = delete;
  SoleThread& operator=(const SoleThread&) = delete;
};

} // namespace tessera::detail
