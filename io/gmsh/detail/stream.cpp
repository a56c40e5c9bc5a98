// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/io/gmsh/detail/stream.hpp>

namespace tessera::io {

void GmshStream::require_capacity(std::int64_t count, const char* items, std::int64_t text_bytes,
                                  std::int64_t binary_bytes) const {
  if (count > std::numeric_limits<Ordinal>::max())
    fail(std::to_string(count) + " " + items + " are more than the " +
         std::to_string(std::numeric_limits<Ordinal>::max()) + " that 32-bit numbers can count");
  const std::uint64_t bytes =
      static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(binary_ ? binary_bytes : text_bytes);
  if (bytes > file_.remaining())
    fail("the file promises " + std::to_string(count) + " " + items + " but has only " +
         std::to_string(file_.remaining()) + " bytes left");
}

void GmshStream::fail(const std::string& what) const {
  if (!binary_) file_.fail(what);
  throw FileError(file_.path(), 0, what + " (before byte " + std::to_string(file_.position()) + ")");
}

void GmshStream::fail_tag(const char* what, std::int64_t value) const {
  fail(std::string("expected ") + what + ", at least 0, but found " + std::to_string(value));
}

} // namespace tessera::io
