// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What the program asks of MPI, counted by MPI's profiling interface.

namespace tessera::test {

struct MessageCounts {
  int sends = 0, receives = 0, collectives = 0, communicators = 0;
  friend bool operator==(const MessageCounts&, const MessageCounts&) = default;
};

/// All calls of this rank so far.
MessageCounts& message_counts();

/// The calls that an action makes.
template <class Action>
MessageCounts messages_of(Action&& action) {
  const MessageCounts before = message_counts();
  action();
  const MessageCounts& after = message_counts();
  return {after.sends - before.sends, after.receives - before.receives,
          after.collectives - before.collectives, after.communicators - before.communicators};
}

} // namespace tessera::test
