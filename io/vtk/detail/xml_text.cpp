// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/io/vtk/detail/xml_text.hpp>

#include <algorithm>
#include <cstddef>
#include <map>

namespace tessera::io {

namespace {

/// Bytes of the UTF-8 character that a text begins with; 0 if it begins with none (RFC 3629, section 4).
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const unsigned first = byte(0), second = byte(1);
  if (first < 0x80) return 1;
  const std::size_t length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  const bool is_other = (first == 0xe0 && second < 0xa0) || (first == 0xed && second >= 0xa0) ||
                        (first == 0xf0 && second < 0x90) || (first == 0xf4 && second >= 0x90);
  return is_other ? 0 : length;
}

} // namespace

std::string xml_text(std::string_view name) {
  static const std::map<char, std::string_view> escaped = {
      {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}};
  std::string result;
  while (!name.empty()) {
    const std::size_t length = utf8_length(name);
    const auto mark = escaped.find(name[0]);
    if (mark != escaped.end())
      result += mark->second;
    else if (length == 0 || (length == 1 && static_cast<unsigned char>(name[0]) < 0x20))
      result += '?';
    else
      result += name.substr(0, length);
    name.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return result;
}

} // namespace tessera::io
