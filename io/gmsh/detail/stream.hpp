// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The values of a Gmsh file, written as text or in binary of either byte order, read the same way.

#include <tessera/io/detail/input_file.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

namespace tessera::io {

/// Reads the numbers of a Gmsh section one by one, in the encoding that the file's header names.
class GmshStream {
public:
  GmshStream(const std::string& path, Progress progress) : file_(path, std::move(progress)) {}

  InputFile& file() noexcept { return file_; }

  bool binary() const noexcept { return binary_; }
  int version() const noexcept { return tag_bytes_ == 4 ? 2 : 4; }

  /// Whether the file is of version 4.0, which orders some numbers otherwise than 4.1.
  bool first_of_4() const noexcept { return first_of_4_; }
  void set_first_of_4(bool first) noexcept { first_of_4_ = first; }

  /// Sets the encoding: binary or text, bytes in the other order or not, and the bytes of a node's number.
  void set_encoding(bool binary, bool swapped, int tag_bytes) noexcept {
    binary_ = binary;
    swapped_ = swapped;
    tag_bytes_ = tag_bytes;
  }

  /// A 4-byte integer.
  std::int32_t integer(const char* what) {
    if (binary_) return in_order(file_.raw<std::int32_t>(what));
    const std::int64_t value = file_.integer(what);
    if (value < std::numeric_limits<std::int32_t>::min() || value > std::numeric_limits<std::int32_t>::max())
      fail(std::string(what) + " is " + std::to_string(value) + ", which does not fit 32 bits");
    return static_cast<std::int32_t>(value);
  }

  /// A count or a node's or element's number: 4 bytes in version 2, 8 bytes in version 4; never negative.
  std::int64_t tag(const char* what) {
    std::int64_t value = 0;
    if (!binary_)
      value = file_.integer(what);
    else if (tag_bytes_ == 8)
      value = in_order(file_.raw<std::int64_t>(what));
    else
      value = in_order(file_.raw<std::int32_t>(what));
    if (value < 0 || value > (std::int64_t{1} << 62)) fail_tag(what, value);
    return value;
  }

  /// A finite number.
  double real(const char* what) {
    if (!binary_) return file_.real(what);
    const double value = in_order(file_.raw<double>(what));
    // False for NaN as well.
    if (!(value >= -std::numeric_limits<double>::max() && value <= std::numeric_limits<double>::max()))
      fail(std::string("expected ") + what + ", a finite number, but found " + std::to_string(value));
    return value;
  }

  /// Throws unless the file can still hold `count` items of which the text form takes at least `text_bytes`
  /// and the binary form at least `binary_bytes` each, and the count fits 32 bits. After this, reserving is
  /// safe.
  void require_capacity(std::int64_t count, const char* items, std::int64_t text_bytes,
                        std::int64_t binary_bytes) const;

  /// To be called after the first value of a record which has a line of its own in text.
  /// \throws FileError if that line is still the last record's, which then had too many values
  void start_record() {
    if (binary_) return;
    if (file_.line() == record_line_) fail("the line has more values than expected");
    record_line_ = file_.line();
  }

  /// To be called after the last value of a record.
  /// \throws FileError if the record's line had too few values
  void end_record(const char* what) const {
    if (!binary_ && file_.line() != record_line_)
      throw FileError(file_.path(), record_line_,
                      std::string("the line ends where ") + what + " was expected");
  }

  /// Throws FileError at the current line, or in binary at the current byte.
  [[noreturn]] void fail(const std::string& what) const;

private:
  template <class T>
  T in_order(T value) const noexcept {
    if (!swapped_) return value;
    auto bytes = std::bit_cast<std::array<std::byte, sizeof(T)>>(value);
    std::reverse(bytes.begin(), bytes.end());
    return std::bit_cast<T>(bytes);
  }

  [[noreturn]] void fail_tag(const char* what, std::int64_t value) const;

  InputFile file_;
  bool binary_ = false;
  bool swapped_ = false;
  int tag_bytes_ = 8;
  bool first_of_4_ = false;
  std::size_t record_line_ = 0;
};

} // namespace tessera::io
