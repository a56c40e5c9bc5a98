// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/io/detail/number_lines.hpp>

#include <algorithm>
#include <limits>

namespace tessera::io {

bool NumberLines::advance() {
  std::string_view line;
  while (file_.next_line(line)) {
    line = line_ = line.substr(0, line.find('#'));
    fields_.clear();
    while (true) {
      const std::size_t begin = line.find_first_not_of(" \t\r");
      if (begin == std::string_view::npos) break;
      line.remove_prefix(begin);
      const std::size_t end = std::min(line.find_first_of(" \t\r"), line.size());
      fields_.push_back(line.substr(0, end));
      line.remove_prefix(end);
    }
    if (fields_.empty()) continue;
    file_.require_line_end();
    return true;
  }
  return false;
}

std::string_view NumberLines::word(std::size_t field, const char* what) const {
  if (field >= fields_.size()) fail(std::string("the line ends where ") + what + " was expected");
  return fields_[field];
}

std::int64_t NumberLines::integer(std::size_t field, const char* what) const {
  std::int64_t value = 0;
  if (!parse(word(field, what), value))
    fail(std::string("expected ") + what + ", an integer, but found " + in_quotes(fields_[field]));
  return value;
}

double NumberLines::real(std::size_t field, const char* what) const {
  double value = 0.0;
  if (!parse(word(field, what), value))
    fail(std::string("expected ") + what + ", a finite number, but found " + in_quotes(fields_[field]));
  return value;
}

std::int64_t NumberLines::number(std::size_t field, const char* what) const {
  constexpr Ordinal most = std::numeric_limits<Ordinal>::max();
  const std::int64_t value = integer(field, what);
  if (value < 0 || value > most)
    fail(std::string("expected ") + what +
         (value < 0 ? ", at least 0" : ", at most " + std::to_string(most)) + ", but found " +
         std::to_string(value));
  return value;
}

std::int64_t NumberLines::count(std::size_t field, const char* what, std::int64_t bytes) const {
  const std::int64_t value = number(field, what);
  if (static_cast<std::uint64_t>(value * bytes) > file_.remaining())
    fail("the file promises " + std::to_string(value) + " lines, but has only " +
         std::to_string(file_.remaining()) + " bytes left");
  return value;
}

void NumberLines::require_left(std::uint64_t bytes) const {
  if (bytes > file_.remaining())
    fail("the file promises at least " + std::to_string(bytes) + " bytes more, but has only " +
         std::to_string(file_.remaining()));
}

std::int64_t NumberLines::choice(std::size_t field, const char* what,
                                 std::initializer_list<std::int64_t> valid) const {
  const std::int64_t value = integer(field, what);
  if (std::find(valid.begin(), valid.end(), value) != valid.end()) return value;
  std::string list;
  for (const std::int64_t entry : valid) list += (list.empty() ? "" : " or ") + std::to_string(entry);
  fail(std::string("expected ") + what + ", " + list + ", but found " + std::to_string(value));
}

} // namespace tessera::io
