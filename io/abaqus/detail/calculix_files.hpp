// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Tables of CalculiX's .dat files and blocks of its .frd files.

#include <tessera/io/abaqus/calculix_results.hpp>
#include <tessera/io/abaqus/detail/lexer.hpp>
#include <tessera/io/detail/input_file.hpp>
#include <tessera/io/detail/text.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::io {

std::vector<std::string_view> words_of(std::string_view line);

/// One of a quantity, "forces", say. \throws FileError for anything but a finite number
double real_in(const InputFile& file, std::string_view text, const std::string& quantity);

/// The lines of a .dat file that stand below "S T E P" with the number of a step.
class StepLines {
public:
  StepLines(InputFile& file, std::size_t step) : file_(file), step_(static_cast<std::int64_t>(step)) {}

  /// The words of the next line that has some; false at the end of the step or the file.
  bool next(std::vector<std::string_view>& words);

private:
  InputFile& file_;
  std::int64_t step_, current_ = 1;
};

/// Vectors of nodes by the names of their sets in capitals; those of a .frd file have none.
using NodalTables = std::map<std::string, NodalDisplacements>;

/// Tables "QUANTITY (vx,vy,vz) for set ... and time ..." with a line for each node. Of the increments of a
/// step the last one counts.
/// \throws FileError for a damaged line, and tables that end at different times
NodalTables read_nodal_tables(InputFile& file, const std::string& quantity, const NodalAxes& axes,
                              std::size_t step);

/// Whether a file is a .frd file. \throws FileError if it cannot be read
bool is_frd(const std::string& path);

/// Blocks "-4 NAME" below "1PSTEP", whose last number is the step: fields of 3, 10, and 12 characters for
/// each number. The line "100C" above a block has the number of its nodes in columns 25 to 36.
template <std::size_t Components>
std::map<std::int64_t, std::array<double, Components>>
read_frd_block(InputFile& file, const std::string& name, const std::string& quantity, std::size_t step) {
  constexpr std::size_t number_at = 3, number_width = 10, values_at = 13, value_width = 12, count_at = 24;
  std::map<std::int64_t, std::array<double, Components>> found;
  std::int64_t promised = 0;
  bool in_block = false;
  bool of_step = false;
  for (std::string_view line; file.next_line(line);) {
    if (line.starts_with("    1PSTEP")) of_step = words_of(line).back() == std::to_string(step);
    if (line.starts_with("  100CL")) {
      if (words_of(line).back() != "1") file.fail("only the long text form of a .frd file is read");
      if (line.size() < count_at + value_width ||
          !parse(trimmed(line.substr(count_at, value_width)), promised))
        file.fail("expected the number of a block's nodes in columns 25 to 36");
    }
    if (line.starts_with(" -4")) {
      in_block = of_step && line.substr(3).starts_with("  " + name + " ");
      if (in_block) found.clear();
    }
    if (line.starts_with(" -3")) {
      if (in_block && static_cast<std::int64_t>(found.size()) != promised)
        file.fail("the block of " + quantity + " holds " + std::to_string(found.size()) + " nodes where " +
                  std::to_string(promised) + " are promised");
      in_block = false;
    }
    if (!in_block || !line.starts_with(" -1")) continue;
    std::int64_t node = 0;
    if (line.size() < values_at + Components * value_width ||
        !parse(trimmed(line.substr(number_at, number_width)), node))
      file.fail(std::string("expected a node's number and ") + (Components == 3 ? "three " : "six ") +
                quantity);
    for (std::size_t d = 0; d < Components; ++d)
      found[node][d] =
          real_in(file, trimmed(line.substr(values_at + d * value_width, value_width)), quantity);
  }
  if (in_block) file.fail("the file ends inside a block of " + quantity);
  return found;
}

} // namespace tessera::io
