// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/system/deviation.hpp>
#include <tessera/io/abaqus/calculix_results.hpp>
#include <tessera/io/abaqus/detail/calculix_files.hpp>
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

double real_in(const InputFile& file, std::string_view text, const std::string& quantity) {
  double value = 0.0;
  if (!parse(text, value))
    file.fail("expected a " + quantity.substr(0, quantity.size() - 1) + ", a finite number, but found " +
              in_quotes(text));
  return value;
}

bool StepLines::next(std::vector<std::string_view>& words) {
  for (std::string_view line; file_.next_line(line);) {
    file_.require_line_end();
    words = words_of(line);
    if (words.empty()) continue;
    if (line.find("S T E P") != std::string_view::npos && !parse(words.back(), current_))
      file_.fail("expected the number of a step, but found " + in_quotes(words.back()));
    if (current_ > step_) return false;
    if (current_ == step_) return true;
  }
  return false;
}

namespace {

/// A vector along the axes of a node.
std::array<double, 3> along_common_axes(const InputFile& file, const std::string& quantity, std::int64_t node,
                                        const std::array<double, 3>& u, const NodalAxes& axes) {
  const auto own = axes.find(node);
  if (own == axes.end())
    file.fail(quantity + " along axes of its own at node " + std::to_string(node) + ", which has none");
  std::array<double, 3> common{};
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t d = 0; d < 3; ++d) common[d] += u[k] * own->second[k][d];
  return common;
}

} // namespace

NodalTables read_nodal_tables(InputFile& file, const std::string& quantity, const NodalAxes& axes,
                              std::size_t step) {
  NodalTables tables;
  std::map<std::string, double> times;
  NodalDisplacements* table = nullptr;
  StepLines lines(file, step);
  for (std::vector<std::string_view> words; lines.next(words);) {
    std::int64_t node = 0;
    if (!parse(words.front(), node)) {
      table = nullptr;
      if (words.front() != quantity) continue;
      if (words.size() != 8) file.fail("expected '" + quantity + " (...) for set NAME and time TIME'");
      const std::string set = capitals(words[4]);
      times[set] = real_in(file, words[7], "times");
      table = &tables[set];
      table->clear();
    } else if (table != nullptr) {
      const bool own_axes = words.size() == 5 && words[4] == "L";
      if (words.size() != 4 && !own_axes) file.fail("expected a node's number and three " + quantity);
      std::array<double, 3> u{};
      for (std::size_t d = 0; d < 3; ++d) u[d] = real_in(file, words[d + 1], quantity);
      (*table)[node] = own_axes ? along_common_axes(file, quantity, node, u, axes) : u;
    }
  }
  for (const auto& [set, time] : times)
    for (const auto& [other, end] : times)
      if (time < end)
        throw FileError(file.path(), 0,
                        quantity + " of set " + set + " end at time " + shown(time) + ", those of set " +
                            other + " at " + shown(end) + "; is the file cut short?");
  return tables;
}

bool is_frd(const std::string& path) {
  InputFile file(path);
  return file.word() == "1C";
}

namespace {

/// Those of the displacements; none if the file has none of the step.
NodalTables tables_of(const std::string& path, const NodalAxes& axes, std::size_t step) {
  const bool frd = is_frd(path);
  InputFile file(path);
  NodalTables tables;
  if (frd)
    tables[""] = read_frd_block<3>(file, "DISP", "displacements", step);
  else
    tables = read_nodal_tables(file, "displacements", axes, step);
  std::erase_if(tables, [](const auto& table) { return table.second.empty(); });
  return tables;
}

NodalTables read_tables(const std::string& path, const NodalAxes& axes, std::size_t step) {
  NodalTables tables = tables_of(path, axes, step);
  if (tables.empty())
    throw FileError(
        path, 0, "has no displacements of " + (step == 1 ? "a first step" : "step " + std::to_string(step)));
  return tables;
}

NodalDisplacements merged(const NodalTables& tables) {
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

bool has_calculix_displacements(const std::string& path, const NodalAxes& axes, std::size_t step) {
  return !tables_of(path, axes, step).empty();
}

NodalDisplacements read_calculix_displacements(const std::string& path, std::size_t step) {
  return merged(read_tables(path, {}, step));
}

NodalDisplacements read_calculix_displacements(const std::string& path, const MeshData& mesh,
                                               const NodalAxes& axes, std::size_t step) {
  const NodalTables tables = read_tables(path, axes, step);
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
