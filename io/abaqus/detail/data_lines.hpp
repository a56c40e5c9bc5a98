// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The data lines below a keyword, field by field, and those of keywords whose data make no difference. A
/// line that does not fit the keyword above it may belong to one that got lost, and is refused.

#include <tessera/io/abaqus/detail/lexer.hpp>

#include <cstdint>
#include <string_view>
#include <vector>

namespace tessera::io {

/// The data lines of one keyword, one after the other.
class AbaqusDataLines {
public:
  explicit AbaqusDataLines(AbaqusLexer& lexer) : lexer_(lexer) {}

  /// Goes on to the next line; false where there is none.
  bool next() { return lexer_.next_data(fields_); }

  /// A field as written; empty where the line has ended.
  std::string_view field(std::size_t index) const {
    return index < fields_.size() ? fields_[index] : std::string_view();
  }
  const std::vector<std::string_view>& fields() const { return fields_; }

  /// A field that must be a finite number. `what` names it in the FileError that is thrown if it is not.
  double real(std::size_t index, const char* what) const;
  /// The same for an integer.
  std::int64_t integer(std::size_t index, const char* what) const;

  /// \throws FileError if the line has more than so many fields with something in them
  void require_at_most(std::size_t count, const AbaqusKeyword& keyword) const;

  AbaqusPlace place() const { return lexer_.place(); }
  [[noreturn]] void fail(const std::string& what) const { lexer_.fail(what); }

private:
  void require(std::size_t index, const char* what) const;

  AbaqusLexer& lexer_;
  std::vector<std::string_view> fields_;
};

/// \throws FileError for any data line
void expect_no_data(const AbaqusKeyword& keyword, AbaqusLexer& lexer);

/// \throws FileError for a number, where only names can stand
void expect_names(const AbaqusKeyword& keyword, AbaqusLexer& lexer);

/// \throws FileError for anything but numbers
void expect_numbers(const AbaqusKeyword& keyword, AbaqusLexer& lexer);

/// \throws FileError for a line in which a number follows a comma, as in loads and supports, and hardly in
/// titles
void expect_title(const AbaqusKeyword& keyword, AbaqusLexer& lexer);

/// \throws FileError unless numbers follow that ascend
void expect_times(const AbaqusKeyword& keyword, AbaqusLexer& lexer);

/// A line at most: the first increment, the step's time, the least and the largest increment, on which a
/// linear answer does not depend. \return the step's time, 1 if it is not there
/// \throws FileError for anything else
double expect_increments(const AbaqusKeyword& keyword, AbaqusLexer& lexer);

} // namespace tessera::io
