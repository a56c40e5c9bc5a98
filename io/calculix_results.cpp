#include <tessera/io/calculix_results.hpp>
#include <tessera/io/input_file.hpp>
#include <tessera/io/text.hpp>

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

namespace tessera::io {

namespace {

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t first = line.find_first_not_of(" \t");
    if (first == std::string_view::npos) return words;
    line.remove_prefix(first);
    words.push_back(line.substr(0, line.find_first_of(" \t")));
    line.remove_prefix(words.back().size());
  }
}

std::string_view trimmed(std::string_view text) {
  const auto words = words_of(text);
  return words.size() == 1 ? words.front() : std::string_view();
}

double real(const InputFile& file, std::string_view text) {
  double value = 0.0;
  if (!parse(text, value))
    file.fail("expected a displacement, a finite number, but found " + in_quotes(text));
  return value;
}

/// Tables "displacements (vx,vy,vz) for set ... and time ..." with a line for each node, below "S T E P  1".
NodalDisplacements read_dat(InputFile& file) {
  NodalDisplacements found;
  bool in_table = false;
  for (std::string_view line; file.next_line(line);) {
    const auto words = words_of(line);
    if (words.empty()) continue;
    if (line.find("S T E P") != std::string_view::npos && words.back() != "1") break;
    std::int64_t node = 0;
    const bool is_row = parse(words.front(), node);
    if (!is_row) in_table = words.front() == "displacements";
    if (!in_table || !is_row) continue;
    if (words.size() != 4) file.fail("expected a node's number and three displacements");
    found[node] = {real(file, words[1]), real(file, words[2]), real(file, words[3])};
  }
  return found;
}

/// Blocks "-4 DISP" below "1PSTEP", whose last number is the step: fields of 3, 10, 12, 12 and 12 characters.
NodalDisplacements read_frd(InputFile& file) {
  constexpr std::size_t number_at = 3, number_width = 10, values_at = 13, value_width = 12;
  NodalDisplacements found;
  bool in_block = false;
  bool first_step = false;
  for (std::string_view line; file.next_line(line);) {
    if (line.starts_with("    1PSTEP")) first_step = words_of(line).back() == "1";
    if (line.starts_with("  100CL") && words_of(line).back() != "1")
      file.fail("only the long text form of a .frd file is read");
    if (line.starts_with(" -4")) in_block = first_step && line.substr(3).starts_with("  DISP ");
    if (line.starts_with(" -3")) in_block = false;
    if (!in_block || !line.starts_with(" -1")) continue;
    std::int64_t node = 0;
    if (line.size() < values_at + 3 * value_width ||
        !parse(trimmed(line.substr(number_at, number_width)), node))
      file.fail("expected a node's number and three displacements");
    for (std::size_t d = 0; d < 3; ++d)
      found[node][d] = real(file, trimmed(line.substr(values_at + d * value_width, value_width)));
  }
  return found;
}

} // namespace

NodalDisplacements read_calculix_displacements(const std::string& path) {
  bool frd = false;
  {
    InputFile file(path);
    frd = file.word() == "1C";
  }
  InputFile file(path);
  NodalDisplacements found = frd ? read_frd(file) : read_dat(file);
  if (found.empty()) throw FileError(path, 0, "has no displacements of a first step");
  return found;
}

void write_calculix_displacements(const std::string& path, const NodalDisplacements& displacements) {
  const auto close = [](std::FILE* file) { std::fclose(file); };
  const std::unique_ptr<std::FILE, decltype(close)> file(std::fopen(path.c_str(), "w"));
  const auto require = [&](bool written) {
    if (!written) throw FileError(path, 0, std::string("cannot be written: ") + std::strerror(errno));
  };
  require(file != nullptr);
  require(std::fprintf(file.get(), "\n                        S T E P       1\n\n"
                                   " displacements (vx,vy,vz) for set ALL and time  0.1000000E+01\n\n") > 0);
  for (const auto& [node, u] : displacements)
    require(std::fprintf(file.get(), "%10lld %13.6E %13.6E %13.6E\n", static_cast<long long>(node), u[0],
                         u[1], u[2]) > 0);
  require(std::fflush(file.get()) == 0);
}

double DisplacementDifference::digits() const noexcept {
  return difference == 0.0 ? INFINITY : std::log10(largest / difference);
}

DisplacementDifference compare(const NodalDisplacements& found, const NodalDisplacements& reference) {
  DisplacementDifference result;
  for (const auto& [node, expected] : reference) {
    const auto here = found.find(node);
    if (here == found.end()) continue;
    ++result.nodes;
    for (std::size_t d = 0; d < 3; ++d) {
      result.largest = std::max(result.largest, std::abs(expected[d]));
      const double difference = std::abs(here->second[d] - expected[d]);
      if (difference <= result.difference) continue;
      result.difference = difference;
      result.worst = node;
    }
  }
  return result;
}

} // namespace tessera::io
