// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The two ends of a pipe between a process and its child, as mesh_transfer.hpp wants them.

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <sys/types.h>
#include <unistd.h>

namespace tessera::io {

/// The child's end.
class Sender {
public:
  static constexpr bool sends = true;

  explicit Sender(int descriptor) : descriptor_(descriptor) {}

  void bytes(const void* data, std::size_t size) const {
    const char* next = static_cast<const char*>(data);
    while (size > 0) {
      const ssize_t written = ::write(descriptor_, next, size);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) ::_exit(1); // nobody listens any more
      next += written;
      size -= static_cast<std::size_t>(written);
    }
  }

private:
  int descriptor_;
};

/// The parent's end.
class Receiver {
public:
  static constexpr bool sends = false;

  Receiver(int descriptor, std::uint64_t most) : descriptor_(descriptor), most_(most) {}

  /// Thrown when the child ends before it has sent all, or sends what it cannot hold.
  struct Ended {};

  void bytes(void* data, std::size_t size) const {
    char* next = static_cast<char*>(data);
    while (size > 0) {
      const ssize_t got = ::read(descriptor_, next, size);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) throw Ended{};
      next += got;
      size -= static_cast<std::size_t>(got);
    }
  }

  void require_capacity(std::uint64_t count, std::size_t item) const {
    if (count > most_ / item) throw Ended{};
  }

private:
  int descriptor_;
  std::uint64_t most_;
};

} // namespace tessera::io
