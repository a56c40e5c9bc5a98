// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/io/abaqus/detail/data_lines.hpp>
#include <tessera/io/abaqus/detail/mesh.hpp>

#include <algorithm>

namespace tessera::io {

namespace {

/// A slip in a number would fill the memory; ends of lines of more nodes come from no keyboard.
constexpr std::int64_t most_generated_nodes = 10'000'000;

/// Largest count or step in numbers, so that three of them multiply and add up without overflow.
constexpr std::int64_t largest_step = 999'999'999;

std::int64_t positive(const AbaqusDataLines& lines, std::size_t field, const char* what) {
  if (lines.field(field).empty()) return 1;
  const std::int64_t value = lines.integer(field, what);
  if (value < 1 || value > largest_step)
    lines.fail(std::string("expected ") + what + " from 1 to " + std::to_string(largest_step) +
               ", but found " + std::to_string(value));
  return value;
}

} // namespace

void AbaqusMesh::generate_nodes(const AbaqusKeyword& keyword, AbaqusLexer& lexer) {
  if (keyword.has("LINE"))
    keyword.place.fail(keyword.shown + " with LINE=" + keyword.label("LINE") +
                       " is not supported; read are straight lines");
  const std::string set = name_here(keyword, "NSET");
  const AbaqusScope& scope = instances_.scope();
  AbaqusDataLines lines(lexer);
  while (lines.next()) {
    const std::int64_t first = nodes_.parse_id(lines.field(0), scope, lexer);
    const std::int64_t last = nodes_.parse_id(lines.field(1), scope, lexer);
    const std::int64_t step = positive(lines, 2, "the step between two nodes' numbers");
    lines.require_at_most(3, keyword);
    if (last <= first || (last - first) % step != 0)
      lines.fail("numbers from " + instances_.shown(first) + " do not come to " + instances_.shown(last) +
                 " in steps of " + std::to_string(step));
    const std::int64_t pieces = (last - first) / step;
    generated_nodes_ += pieces - 1;
    if (generated_nodes_ > most_generated_nodes)
      lines.fail("the deck generates more than " + std::to_string(most_generated_nodes) +
                 " nodes; is a number wrong?");
    index_all_nodes();
    const Ordinal ends[] = {data_.node_ids.find(first), data_.node_ids.find(last)};
    for (const int end : {0, 1})
      if (ends[end] < 0)
        lines.fail("there is no node " + instances_.shown(end == 0 ? first : last) + " above this line");
    for (std::int64_t i = 0; i <= pieces; ++i) {
      const std::int64_t id = first + i * step;
      if (!set.empty()) nodes_.add(set, id, lines.place());
      if (i == 0 || i == pieces) continue;
      data_.node_ids.append(id);
      const double t = static_cast<double>(i) / static_cast<double>(pieces);
      for (std::size_t d = 0; d < 3; ++d) {
        const double a = data_.points[3 * static_cast<std::size_t>(ends[0]) + d];
        const double b = data_.points[3 * static_cast<std::size_t>(ends[1]) + d];
        data_.points.push_back(a + t * (b - a));
      }
    }
  }
}

void AbaqusMesh::read_generations(const AbaqusKeyword& keyword, AbaqusLexer& lexer) {
  const AbaqusScope& scope = instances_.scope();
  AbaqusDataLines lines(lexer);
  while (lines.next()) {
    Generation line{elements_.parse_id(lines.field(0), scope, lexer),
                    {},
                    name_here(keyword, "ELSET"),
                    scope.base + scope.last_number,
                    lines.place()};
    for (std::size_t d = 0; d < 3; ++d)
      line.directions[d] = {positive(lines, 1 + 3 * d, "the number of elements"),
                            positive(lines, 2 + 3 * d, "the step between nodes' numbers"),
                            positive(lines, 3 + 3 * d, "the step between elements' numbers")};
    lines.require_at_most(10, keyword);
    generations_.push_back(std::move(line));
  }
}

void AbaqusMesh::generate_elements() {
  for (const Generation& generation : generations_) generate_elements(generation);
  generations_ = {};
}

void AbaqusMesh::generate_elements(const Generation& generation) {
  const auto& [row, rows, layers] = generation.directions;
  const AbaqusPlace& place = generation.place;
  CellBlock* block = nullptr;
  Ordinal master = -1;
  for (CellBlock& candidate : data_.blocks) {
    if (const auto repeated = candidate.ids.build_index())
      place.fail("element " + instances_.shown(*repeated) + " is defined twice");
    master = candidate.ids.find(generation.master);
    if (master < 0) continue;
    block = &candidate;
    break;
  }
  if (block == nullptr) place.fail("there is no element " + instances_.shown(generation.master));
  // Copies have different nodes.
  if (row.count * rows.count > data_.nodes() || row.count * rows.count * layers.count > data_.nodes())
    place.fail("more elements are generated than the deck has nodes, " + std::to_string(data_.nodes()));
  const auto nodes = static_cast<std::size_t>(block->type.nodes());
  const Ordinal first = block->cells();
  const auto shifted = [&](std::int64_t id, std::int64_t shift) {
    return shift > generation.last_id - id ? std::int64_t{-1} : id + shift;
  };
  for (std::int64_t l = 0; l < layers.count; ++l)
    for (std::int64_t r = 0; r < rows.count; ++r)
      for (std::int64_t c = 0; c < row.count; ++c) {
        const std::int64_t id = shifted(generation.master, c * row.element_step + r * rows.element_step +
                                                               l * layers.element_step);
        if (id < 0) place.fail("an element's number is too large");
        if (!generation.set.empty()) elements_.add(generation.set, id, place);
        if (id == generation.master) continue;
        for (std::size_t n = 0; n < nodes; ++n) {
          const Ordinal node = block->nodes[static_cast<std::size_t>(master) * nodes + n];
          const std::int64_t other =
              shifted(data_.node_ids.id(node), c * row.node_step + r * rows.node_step + l * layers.node_step);
          block->nodes.push_back(other < 0 ? -1 : data_.node_ids.find(other));
          if (block->nodes.back() < 0)
            place.fail("element " + instances_.shown(id) + " would need " +
                       (other < 0 ? "a node of a number that is too large"
                                  : "node " + instances_.shown(other) + ", which the deck does not define"));
        }
        block->material.push_back(0);
        block->ids.append(id);
      }
  const auto formulation =
      std::find_if(block->formulations.begin(), block->formulations.end(), [&](const auto& entry) {
        return std::any_of(entry.second.begin(), entry.second.end(), [&](const CellRange& range) {
          return range.first <= master && master - range.first < range.count;
        });
      });
  append(formulation->second, {first, block->cells() - first});
}

} // namespace tessera::io
