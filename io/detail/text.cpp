// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/io/detail/text.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace tessera::io {

const char* skip_plus(const char* first, const char* last) noexcept {
  return last - first > 1 && first[0] == '+' && first[1] != '-' && first[1] != '+' ? first + 1 : first;
}

const char* convert(const char* first, const char* last, double& value) {
  const auto [end, error] = std::from_chars(first, last, value);
  if (error == std::errc::result_out_of_range) {
    // Either 1e999, which is an error, or 1e-999, which is zero; the standard leaves value alone in both.
    const std::string copy(first, end);
    value = std::strtod(copy.c_str(), nullptr);
  } else if (error != std::errc()) {
    return nullptr;
  }
  return std::isfinite(value) ? end : nullptr;
}

bool parse(std::string_view text, std::int64_t& value) noexcept {
  const char* last = text.data() + text.size();
  const auto [stop, error] = std::from_chars(skip_plus(text.data(), last), last, value);
  return error == std::errc() && stop == last;
}

bool parse(std::string_view text, double& value) {
  if (text.empty() || text.size() > longest_word) return false;
  char digits[longest_word];
  std::transform(text.begin(), text.end(), digits, [](char c) { return c == 'd' || c == 'D' ? 'e' : c; });
  const char* last = digits + text.size();
  return convert(skip_plus(digits, last), last, value) == last;
}

std::string in_quotes(std::string_view text) {
  std::string shown(1, '\'');
  for (const char c : text.substr(0, 40)) shown += c >= ' ' && c <= '~' ? c : '?';
  return shown + (text.size() > 40 ? "...'" : "'");
}

std::string shown(double value) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.9g", value);
  return digits;
}

} // namespace tessera::io
