#pragma once

/// \file
/// Files that appear under their name when they are complete.

#include <string>
#include <string_view>

namespace tessera::io {

/// A file beside the final one, removed unless it is put in its place.
class PartFile {
public:
  /// Makes an empty file beside `path`. \throws FileError
  explicit PartFile(const std::string& path);
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;
  ~PartFile();

  const std::string& name() const noexcept { return part_; }

  /// Checks that the file ends in `last` and is on the disk, and gives it its name. \throws FileError
  void finish(std::string_view last);

  /// Removes the file. \throws FileError with the reason
  [[noreturn]] void fail(const std::string& why) const;

private:
  std::string path_;
  std::string part_;
};

} // namespace tessera::io
