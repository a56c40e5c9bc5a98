// SPDX-License-Identifier: BSD-3-Clause
// Supports, loads and temperatures of a deck.

#include <tessera/core/error.hpp>
#include <tessera/io/abaqus/detail/deck_reader.hpp>
#include <tessera/io/abaqus/detail/vector.hpp>
#include <tessera/io/detail/text.hpp>

#include <algorithm>
#include <cmath>

namespace tessera::io {

void AbaqusDeckReader::read_temperatures(const AbaqusKeyword& keyword) {
  AbaqusDataLines lines(lexer_);
  while (lines.next()) {
    Pending line = pending(Kind::temperature, lines);
    line.value = lines.real(1, "a temperature");
    lines.require_at_most(2, keyword);
    pending_.push_back(std::move(line));
  }
}

/// A direction, and twice a place along it and the temperature there.
void AbaqusDeckReader::read_linear_temperatures(const AbaqusKeyword& keyword) {
  AbaqusDataLines lines(lexer_);
  while (lines.next()) {
    Pending line = pending(Kind::linear_temperature, lines);
    line.value = 1.0;
    for (std::size_t d = 0; d < 3; ++d) line.direction[d] = lines.real(d, "a component of a direction");
    for (std::size_t end = 0; end < 2; ++end)
      line.between[end] = {lines.real(3 + 2 * end, "a place along the direction"),
                           lines.real(4 + 2 * end, "a temperature")};
    lines.require_at_most(7, keyword);
    if (!(length_of(line.direction) > 0.0)) lines.fail("the direction of " + keyword.shown + " is zero");
    line.direction = scaled(line.direction, 1 / length_of(line.direction));
    if (line.between[0][0] == line.between[1][0])
      lines.fail("the two places of " + keyword.shown + " are one");
    std::sort(line.between.begin(), line.between.end());
    pending_.push_back(std::move(line));
  }
}

AbaqusDeckReader::Pending AbaqusDeckReader::pending(Kind kind, const AbaqusDataLines& lines) const {
  return {kind, capitals(lines.field(0)), 0, 0, 0.0, {}, {}, deck_.steps.size(), lines.place(), amplitude_,
          {}};
}

void AbaqusDeckReader::read_boundary(const AbaqusKeyword& keyword) {
  AbaqusDataLines lines(lexer_);
  while (lines.next()) {
    Pending line = pending(Kind::constraint, lines);
    const std::int64_t first = lines.integer(1, "the first component that is held");
    const std::int64_t last =
        lines.field(2).empty() ? first : lines.integer(2, "the last component that is held");
    if (!lines.field(3).empty()) line.value = lines.real(3, "the value of a constraint");
    lines.require_at_most(4, keyword);
    if (last < first)
      lines.fail("the last component, " + std::to_string(last) + ", is less than the first, " +
                 std::to_string(first));
    if (first < 1 || last > 6) {
      other(keyword, "components " + std::to_string(first) + " to " + std::to_string(last));
      continue;
    }
    line.first = static_cast<int>(first);
    line.last = static_cast<int>(last);
    pending_.push_back(std::move(line));
  }
}

void AbaqusDeckReader::read_nodal_loads(const AbaqusKeyword& keyword) {
  AbaqusDataLines lines(lexer_);
  while (lines.next()) {
    Pending line = pending(Kind::nodal_load, lines);
    const std::int64_t component = lines.integer(1, "the component of a force");
    line.value = lines.real(2, "the value of a force");
    lines.require_at_most(3, keyword);
    if (component < 1 || component > 6) {
      other(keyword, "component " + std::to_string(component));
      continue;
    }
    line.first = static_cast<int>(component);
    pending_.push_back(std::move(line));
  }
}

void AbaqusDeckReader::read_distributed_loads(const AbaqusKeyword& keyword) {
  AbaqusDataLines lines(lexer_);
  while (lines.next()) {
    Pending line = pending(Kind::pressure, lines);
    const std::string label = capitals(lines.field(1));
    const bool gravity = keyword.name == "DLOAD" && label == "GRAV";
    const bool rotation = keyword.name == "DLOAD" && label == "CENTRIF";
    if (keyword.name == "DSLOAD" && label == "P") {
      line.kind = Kind::surface_pressure;
    } else if (keyword.name == "DLOAD" && label.size() == 2 && label[0] == 'P' && label[1] >= '1' &&
               label[1] <= '6') {
      line.first = label[1] - '0';
    } else if (gravity) {
      line.kind = Kind::gravity;
      for (std::size_t d = 0; d < 3; ++d)
        if (!lines.field(3 + d).empty())
          line.direction[d] = lines.real(3 + d, "a component of gravity's direction");
    } else if (rotation) {
      line.kind = Kind::rotation;
      for (std::size_t d = 0; d < 3; ++d) {
        line.point[d] = lines.real(3 + d, "a coordinate of a point on the axis");
        line.direction[d] = lines.real(6 + d, "a component of the axis");
      }
    } else {
      other(keyword, label);
      continue;
    }
    line.value = lines.real(2, gravity    ? "an acceleration"
                               : rotation ? "the square of a speed"
                                          : "a pressure");
    lines.require_at_most(gravity ? 6 : rotation ? 9 : 3, keyword);
    pending_.push_back(std::move(line));
  }
}

void AbaqusDeckReader::resolve(const Pending& line) {
  // Loads above the first step have no meaning; what CalculiX refuses is refused here.
  if (line.step == 0 && line.kind != Kind::constraint && line.kind != Kind::temperature)
    line.place.fail("a load outside a step");
  AbaqusStep* step = line.step == 0 ? nullptr : &deck_.steps[line.step - 1];
  switch (line.kind) {
  case Kind::constraint:
    (step == nullptr ? deck_.constraints : step->constraints)
        .push_back({mesh_.nodes_of(line.target, line.place), line.first, line.last, line.value, line.place});
    break;
  case Kind::nodal_load:
    step->nodal_loads.push_back(
        {mesh_.loaded_nodes(line.target, line.place), line.first, line.value, line.place});
    break;
  case Kind::pressure:
    resolve_pressure(line, *step);
    break;
  case Kind::surface_pressure:
    resolve_surface_pressure(line, *step);
    break;
  case Kind::gravity:
    resolve_gravity(line, *step);
    break;
  case Kind::rotation:
    resolve_rotation(line, *step);
    break;
  case Kind::temperature:
    (step == nullptr ? deck_.initial_temperatures : step->temperatures)
        .push_back({mesh_.nodes_of(line.target, line.place), line.value, line.place});
    break;
  case Kind::linear_temperature:
    resolve_linear_temperature(line, *step);
    break;
  }
}

void AbaqusDeckReader::resolve_pressure(const Pending& line, AbaqusStep& step) {
  const std::vector<CellSet> cells = mesh_.loaded_cells(line.target, line.place);
  for (std::size_t b = 0; b < cells.size(); ++b) {
    if (cells[b].empty()) continue;
    const CellBlock& block = mesh_.data().blocks[b];
    const Ordinal side = mesh_.side_of(block, line.first, line.place);
    AbaqusPressure load{block.type, {}, line.value, line.place};
    for (const CellRange& range : cells[b])
      for (Ordinal cell = range.first; cell < range.first + range.count; ++cell)
        load.sides.push_back({cell, side});
    step.pressures.push_back(std::move(load));
  }
}

void AbaqusDeckReader::resolve_surface_pressure(const Pending& line, AbaqusStep& step) {
  std::vector<std::vector<Side>> sides = mesh_.loaded_sides(line.target, line.place);
  for (std::size_t b = 0; b < sides.size(); ++b)
    if (!sides[b].empty())
      step.pressures.push_back({mesh_.data().blocks[b].type, std::move(sides[b]), line.value, line.place});
}

void AbaqusDeckReader::resolve_gravity(const Pending& line, AbaqusStep& step) {
  const double length = std::hypot(line.direction[0], line.direction[1], line.direction[2]);
  if (!(length > 0.0)) line.place.fail("the direction of gravity is zero");
  std::vector<CellSet> cells = mesh_.loaded_cells(line.target, line.place);
  for (std::size_t b = 0; b < cells.size(); ++b) {
    if (cells[b].empty()) continue;
    AbaqusGravity load{mesh_.data().blocks[b].type, std::move(cells[b]), {}, line.place};
    for (std::size_t d = 0; d < 3; ++d) load.acceleration[d] = line.value * (line.direction[d] / length);
    step.gravities.push_back(std::move(load));
  }
}

void AbaqusDeckReader::resolve_rotation(const Pending& line, AbaqusStep& step) {
  const double length = std::hypot(line.direction[0], line.direction[1], line.direction[2]);
  if (!(length > 0.0)) line.place.fail("the axis of rotation has no direction");
  std::vector<CellSet> cells = mesh_.loaded_cells(line.target, line.place);
  for (std::size_t b = 0; b < cells.size(); ++b) {
    if (cells[b].empty()) continue;
    AbaqusRotation load{
        mesh_.data().blocks[b].type, std::move(cells[b]), line.value, line.point, {}, line.place};
    for (std::size_t d = 0; d < 3; ++d) load.axis[d] = line.direction[d] / length;
    step.rotations.push_back(std::move(load));
  }
}

/// At the nodes between the two places, and on them.
void AbaqusDeckReader::resolve_linear_temperature(const Pending& line, AbaqusStep& step) {
  const auto& [first, last] = line.between;
  for (Ordinal node = 0; node < mesh_.data().nodes(); ++node) {
    const double* const x = &mesh_.data().points[3 * static_cast<std::size_t>(node)];
    const double place = inner_product(line.direction, {x[0], x[1], x[2]});
    if (place < first[0] || place > last[0]) continue;
    const double share = (place - first[0]) / (last[0] - first[0]);
    step.temperatures.push_back({{node}, line.value * std::lerp(first[1], last[1], share), line.place});
  }
}

} // namespace tessera::io
