// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/io/abaqus/detail/data_lines.hpp>

#include <algorithm>
#include <array>
#include <limits>

namespace tessera::io {

namespace {

[[noreturn]] void refuse(const AbaqusLexer& lexer, const std::string& what) {
  lexer.fail(what + "; is a keyword missing?");
}

bool is_number(std::string_view field) {
  double value = 0;
  return parse(field, value);
}

} // namespace

void AbaqusDataLines::require(std::size_t index, const char* what) const {
  if (index >= fields_.size()) fail(std::string("expected ") + what + ", but the line ends");
}

double AbaqusDataLines::real(std::size_t index, const char* what) const {
  require(index, what);
  double value = 0.0;
  if (!parse(fields_[index], value))
    fail(std::string("expected ") + what + ", a finite number, but found " + in_quotes(fields_[index]));
  return value;
}

std::int64_t AbaqusDataLines::integer(std::size_t index, const char* what) const {
  require(index, what);
  std::int64_t value = 0;
  if (!parse(fields_[index], value))
    fail(std::string("expected ") + what + ", an integer, but found " + in_quotes(fields_[index]));
  return value;
}

void AbaqusDataLines::require_at_most(std::size_t count, const AbaqusKeyword& keyword) const {
  for (std::size_t i = count; i < fields_.size(); ++i)
    if (!fields_[i].empty())
      refuse(lexer_, keyword.shown + " takes " + std::to_string(count) + (count == 1 ? " field" : " fields") +
                         " a line here, but the line goes on with " + in_quotes(fields_[i]));
}

void expect_no_data(const AbaqusKeyword& keyword, AbaqusLexer& lexer) {
  std::vector<std::string_view> fields;
  if (lexer.next_data(fields)) refuse(lexer, keyword.shown + " has no data lines");
}

void expect_names(const AbaqusKeyword& keyword, AbaqusLexer& lexer) {
  std::vector<std::string_view> fields;
  while (lexer.next_data(fields))
    for (const std::string_view field : fields)
      if (is_number(field))
        refuse(lexer, keyword.shown + " lists names, but the line has the number " + in_quotes(field));
}

void expect_numbers(const AbaqusKeyword& keyword, AbaqusLexer& lexer) {
  std::vector<std::string_view> fields;
  while (lexer.next_data(fields))
    for (const std::string_view field : fields)
      if (!field.empty() && !is_number(field))
        refuse(lexer, keyword.shown + " lists numbers, but the line has " + in_quotes(field));
}

void expect_title(const AbaqusKeyword& keyword, AbaqusLexer& lexer) {
  std::vector<std::string_view> fields;
  while (lexer.next_data(fields))
    for (std::size_t i = 1; i < fields.size(); ++i)
      if (is_number(fields[i]))
        refuse(lexer, keyword.shown + " takes a title, but in the line the number " + in_quotes(fields[i]) +
                          " follows a comma");
}

void expect_times(const AbaqusKeyword& keyword, AbaqusLexer& lexer) {
  double last = -std::numeric_limits<double>::infinity();
  const bool generated = keyword.has("GENERATE"); // from one time to another in steps
  AbaqusDataLines lines(lexer);
  while (lines.next())
    for (std::size_t i = 0; i < lines.fields().size(); ++i) {
      if (lines.field(i).empty()) continue;
      const double time = lines.real(i, "a point of time");
      if (!generated && !(time > last))
        refuse(lexer, keyword.shown + " lists times that ascend, but " + in_quotes(lines.field(i)) +
                          " follows " + shown(last));
      last = time;
    }
}

double expect_increments(const AbaqusKeyword& keyword, AbaqusLexer& lexer) {
  std::vector<std::string_view> fields;
  if (!lexer.next_data(fields)) return 1.0;
  std::array<double, 4> time{};
  bool possible = fields.size() <= time.size();
  for (std::size_t i = 0; possible && i < fields.size(); ++i)
    possible = fields[i].empty() || (parse(fields[i], time[i]) && time[i] >= 0);
  const auto [first, period, least, most] = time;
  const auto ordered = [](double low, double high) { return low == 0 || high == 0 || low <= high; };
  if (!possible || !ordered(first, period) || !ordered(least, first) || !ordered(first, most))
    refuse(lexer, keyword.shown + " has at most a first increment, the step's time, and the least and the "
                                  "largest increment");
  if (lexer.next_data(fields)) refuse(lexer, keyword.shown + " has one data line");
  return period == 0 ? 1.0 : period;
}

} // namespace tessera::io
