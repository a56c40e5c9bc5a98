// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Finds plans that several threads use at once, and plans that were moved from.

#include <tessera/core/error.hpp>
#include <tessera/strategies/common/sole_thread.hpp>

#include <atomic>
#include <memory>
#include <string>

namespace tessera {

/// Says whether a call of a plan is under way. Copies of a plan share their memory, and so this too; a plan
/// that was moved from has none.
class InUse {
public:
  /// A call of the plan, from its beginning to its end.
  class Call {
  public:
    Call(std::atomic<bool>& busy, const char* who) : busy_{busy}, thread_(who) {}

  private:
    struct Busy {
      std::atomic<bool>& flag;
      ~Busy() { flag.store(false); }
    } busy_;
    detail::SoleThread thread_;
  };

  /// Begins a call. \throws ArgumentError naming `who` if the plan was moved from, or another call has not
  /// ended: of this plan, by another thread or around this call, or of any by another thread where Kokkos is
  /// built for one
  [[nodiscard]] Call begin(const char* who) const {
    if (!busy_) throw ArgumentError(std::string(who) + ": the plan was moved from; use the one it went to");
    if (busy_->exchange(true))
      throw ArgumentError(
          std::string(who) +
          ": the plan is in use by another thread, with which it shares its memory, or by the "
          "call that this one is made in; give each a plan of its own");
    return Call(*busy_, who);
  }

private:
  std::shared_ptr<std::atomic<bool>> busy_ = std::make_shared<std::atomic<bool>>(false);
};

} // namespace tessera
