// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/system/deviation.hpp>
#include <tessera/io/abaqus/calculix_results.hpp>
#include <tessera/io/abaqus/detail/lexer.hpp>
#include <tessera/io/detail/input_file.hpp>
#include <tessera/io/detail/text.hpp>
#include <tessera/io/output_file.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
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

double real(const InputFile& file, std::string_view text) {
  double value = 0.0;
  if (!parse(text, value))
    file.fail("expected a displacement, a finite number, but found " + in_quotes(text));
  return value;
}

/// Displacements by the names of their node sets in capitals; those of a .frd file have none.
using Tables = std::map<std::string, NodalDisplacements>;

/// Displacements along the axes of a node.
std::array<double, 3> along_common_axes(const InputFile& file, std::int64_t node,
                                        const std::array<double, 3>& u, const NodalAxes& axes) {
  const auto own = axes.find(node);
  if (own == axes.end())
    file.fail("displacements along axes of its own at node " + std::to_string(node) + ", which has none");
  std::array<double, 3> common{};
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t d = 0; d < 3; ++d) common[d] += u[k] * own->second[k][d];
  return common;
}

/// Tables "displacements (vx,vy,vz) for set ... and time ..." with a line for each node, below "S T E P" with
/// its number. Of the increments of a step the last one counts.
Tables read_dat(InputFile& file, const NodalAxes& axes, std::size_t step) {
  Tables tables;
  std::map<std::string, double> times;
  NodalDisplacements* table = nullptr;
  std::int64_t current = 1;
  for (std::string_view line; file.next_line(line);) {
    file.require_line_end();
    const auto words = words_of(line);
    if (words.empty()) continue;
    if (line.find("S T E P") != std::string_view::npos && !parse(words.back(), current))
      file.fail("expected the number of a step, but found " + in_quotes(words.back()));
    if (current > static_cast<std::int64_t>(step)) break;
    if (current < static_cast<std::int64_t>(step)) continue;
    std::int64_t node = 0;
    if (!parse(words.front(), node)) {
      table = nullptr;
      if (words.front() != "displacements") continue;
      if (words.size() != 8) file.fail("expected 'displacements (vx,vy,vz) for set NAME and time TIME'");
      const std::string set = capitals(words[4]);
      times[set] = real(file, words[7]);
      table = &tables[set];
      table->clear();
    } else if (table != nullptr) {
      const bool own_axes = words.size() == 5 && words[4] == "L";
      if (words.size() != 4 && !own_axes) file.fail("expected a node's number and three displacements");
      const std::array<double, 3> u{real(file, words[1]), real(file, words[2]), real(file, words[3])};
      (*table)[node] = own_axes ? along_common_axes(file, node, u, axes) : u;
    }
  }
  for (const auto& [set, time] : times)
    for (const auto& [other, end] : times)
      if (time < end)
        throw FileError(file.path(), 0,
                        "displacements of set " + set + " end at time " + shown(time) + ", those of set " +
                            other + " at " + shown(end) + "; is the file cut short?");
  return tables;
}

/// Blocks "-4 DISP" below "1PSTEP", whose last number is the step: fields of 3, 10, 12, 12 and 12 characters.
/// The line "100C" above a block has the number of its nodes in columns 25 to 36.
Tables read_frd(InputFile& file, std::size_t step) {
  constexpr std::size_t number_at = 3, number_width = 10, values_at = 13, value_width = 12, count_at = 24;
  NodalDisplacements found;
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
      in_block = of_step && line.substr(3).starts_with("  DISP ");
      if (in_block) found.clear();
    }
    if (line.starts_with(" -3")) {
      if (in_block && static_cast<std::int64_t>(found.size()) != promised)
        file.fail("the block of displacements holds " + std::to_string(found.size()) + " nodes where " +
                  std::to_string(promised) + " are promised");
      in_block = false;
    }
    if (!in_block || !line.starts_with(" -1")) continue;
    std::int64_t node = 0;
    if (line.size() < values_at + 3 * value_width ||
        !parse(trimmed(line.substr(number_at, number_width)), node))
      file.fail("expected a node's number and three displacements");
    for (std::size_t d = 0; d < 3; ++d)
      found[node][d] = real(file, trimmed(line.substr(values_at + d * value_width, value_width)));
  }
  if (in_block) file.fail("the file ends inside a block of displacements");
  if (found.empty()) return {};
  return {{"", std::move(found)}};
}

Tables read_tables(const std::string& path, const NodalAxes& axes, std::size_t step) {
  bool frd = false;
  {
    InputFile file(path);
    frd = file.word() == "1C";
  }
  InputFile file(path);
  Tables tables = frd ? read_frd(file, step) : read_dat(file, axes, step);
  std::erase_if(tables, [](const auto& table) { return table.second.empty(); });
  if (tables.empty())
    throw FileError(
        path, 0, "has no displacements of " + (step == 1 ? "a first step" : "step " + std::to_string(step)));
  return tables;
}

NodalDisplacements merged(const Tables& tables) {
  NodalDisplacements all;
  for (const auto& [set, table] : tables) all.insert(table.begin(), table.end());
  return all;
}

/// Which nodes belong to cells.
std::vector<bool> used_nodes(const MeshData& mesh) {
  std::vector<bool> used(static_cast<std::size_t>(mesh.nodes()), false);
  for (const CellBlock& block : mesh.blocks)
    for (const Ordinal node : block.nodes) used[static_cast<std::size_t>(node)] = true;
  return used;
}

} // namespace

NodalDisplacements read_calculix_displacements(const std::string& path, std::size_t step) {
  return merged(read_tables(path, {}, step));
}

NodalDisplacements read_calculix_displacements(const std::string& path, const MeshData& mesh,
                                               const NodalAxes& axes, std::size_t step) {
  const Tables tables = read_tables(path, axes, step);
  std::vector<Ordinal> all(static_cast<std::size_t>(mesh.nodes()));
  std::iota(all.begin(), all.end(), 0);
  const std::vector<bool> used = used_nodes(mesh);
  for (const auto& [name, table] : tables) {
    const auto set = mesh.node_sets.find(name);
    const bool of_set = set != mesh.node_sets.end();
    std::size_t wanted = 0, there = 0;
    for (const Ordinal node : of_set ? set->second : all) {
      if (!used[static_cast<std::size_t>(node)]) continue;
      ++wanted;
      there += table.count(mesh.node_ids.id(node));
    }
    if (there < wanted)
      throw FileError(path, 0,
                      "has displacements of " + std::to_string(there) + " of the " + std::to_string(wanted) +
                          " nodes " + (of_set ? "of set " + name + " " : "") + "of " + mesh.source +
                          "; is it cut short?");
  }
  return merged(tables);
}

void write_calculix_displacements(const std::string& path, const NodalDisplacements& displacements) {
  std::string text = "\n                        S T E P       1\n\n"
                     " displacements (vx,vy,vz) for set ALL and time  0.1000000E+01\n\n";
  char line[128];
  for (const auto& [node, u] : displacements) {
    std::snprintf(line, sizeof line, "%10lld %13.6E %13.6E %13.6E\n", static_cast<long long>(node), u[0],
                  u[1], u[2]);
    text += line;
  }
  write_file(path, text);
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
      result.difference = worse_of(result.difference, difference);
      result.worst = node;
    }
  }
  return result;
}

} // namespace tessera::io
