// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/error.hpp>
#include <tessera/io/detail/text.hpp>
#include <tessera/io/vtk/detail/legacy_end.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>

namespace tessera::io {

namespace {

/// Whether a text ends with the types of all cells. VTK has checked that each suits its cell's nodes, so that
/// no digit is missing from the last.
bool ends_with_cell_types(std::ifstream& file) {
  file.clear();
  file.seekg(0);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const std::size_t header = text.rfind("CELL_TYPES");
  if (header == std::string::npos) return false;
  std::istringstream rest(text.substr(header + std::string_view("CELL_TYPES").size()));
  long count = 0, found = 0;
  rest >> count;
  for (int type = 0; rest >> type;) ++found;
  return rest.eof() && found == count;
}

/// Whether a line announces data that must follow it.
bool announces_data(std::string_view line) {
  for (const char* header : {"POINT_DATA ", "CELL_DATA ", "SCALARS ", "LOOKUP_TABLE ", "VECTORS "})
    if (line.starts_with(header)) return true;
  return line.starts_with("FIELD ") && !line.ends_with(" 0");
}

} // namespace

void require_legacy_end(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string line;
  for (int i = 0; i < 3; ++i) std::getline(file, line); // the third says how the file is written
  const bool is_text = line.starts_with("ASCII");
  constexpr std::streamoff longest_header = 256;
  file.seekg(0, std::ios::end);
  file.seekg(-std::min<std::streamoff>(longest_header, file.tellg()), std::ios::end);
  std::string end(std::istreambuf_iterator<char>(file), {});
  if (is_text && !end.ends_with('\n') && !ends_with_cell_types(file))
    throw FileError(path, 0, "ends in the middle of a line: it may be cut short; if it is not, end the line");
  while (end.ends_with('\n') || end.ends_with('\r') || end.ends_with(' ')) end.pop_back();
  const std::string_view last = std::string_view(end).substr(end.rfind('\n') + 1);
  if (announces_data(last)) throw FileError(path, 0, "ends after the line " + in_quotes(last));
}

} // namespace tessera::io
