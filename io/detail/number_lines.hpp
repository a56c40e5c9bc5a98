// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Files of lines of numbers, as TetGen and AVS UCD have them.

#include <tessera/io/detail/input_file.hpp>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera::io {

/// Lines of numbers and words; '#' begins a comment, and lines without anything else do not count. `what`
/// names in FileErrors what was expected.
class NumberLines {
public:
  NumberLines(const std::string& path, Progress progress) : file_(path, std::move(progress)) {}

  /// Goes to the next line that holds something.
  void next(const char* what) {
    if (!advance()) fail(std::string("the file ends where ") + what + " was expected");
  }

  /// The same; false at the file's end.
  bool advance();

  /// To be called after the last line that the file promises.
  void end() {
    if (advance()) fail("a line beyond those that the file promises");
  }

  std::size_t fields() const noexcept { return fields_.size(); }

  /// The line without its comment.
  std::string_view line() const noexcept { return line_; }

  std::string_view word(std::size_t field, const char* what) const;
  std::int64_t integer(std::size_t field, const char* what) const;
  double real(std::size_t field, const char* what) const;

  /// A number that a node or cell bears, or how many there are of something: 0 to the largest Ordinal.
  std::int64_t number(std::size_t field, const char* what) const;

  /// A count of items with a line of at least `bytes` bytes each.
  std::int64_t count(std::size_t field, const char* what, std::int64_t bytes) const;

  /// \throws FileError if less bytes are left than what the file promises needs
  void require_left(std::uint64_t bytes) const;

  /// One of the given values.
  std::int64_t choice(std::size_t field, const char* what, std::initializer_list<std::int64_t> valid) const;

  [[noreturn]] void fail(const std::string& what) const { file_.fail(what); }

private:
  InputFile file_;
  std::string_view line_;
  std::vector<std::string_view> fields_;
};

} // namespace tessera::io
