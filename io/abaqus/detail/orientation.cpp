// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/error.hpp>
#include <tessera/io/abaqus/detail/equations.hpp>
#include <tessera/io/abaqus/detail/orientation.hpp>
#include <tessera/io/detail/text.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string_view>

namespace tessera::io {

namespace {

/// Six numbers from a field on.
AbaqusPoints read_points(const AbaqusDataLines& lines, std::size_t first) {
  AbaqusPoints points{};
  for (std::size_t i = 0; i < 6; ++i)
    points[i / 3][i % 3] = lines.real(first + i, "a coordinate of two points");
  return points;
}

std::string required_name(const AbaqusKeyword& keyword) {
  std::string name = keyword.label("NAME");
  if (name.empty()) keyword.place.fail(keyword.shown + " needs the parameter NAME=name");
  return name;
}

/// Turns the other two axes about one.
AbaqusAxes turned(AbaqusAxes axes, int about, double degrees) {
  const auto second = static_cast<std::size_t>(about % 3), third = (second + 1) % 3;
  const double c = std::cos(degrees * std::numbers::pi / 180), s = std::sin(degrees * std::numbers::pi / 180);
  for (std::size_t d = 0; d < 3; ++d) {
    const double a = axes[second][d], b = axes[third][d];
    axes[second][d] = c * a + s * b;
    axes[third][d] = c * b - s * a;
  }
  return axes;
}

bool has_axes(const AbaqusTable& expansion) {
  return !expansion.empty() && expansion.rows.front().size() == 3;
}

/// Whether a material is not the same along all axes; not one inside a part, which is listed as unsupported.
bool has_axes(const AbaqusDeck& deck, const std::string& name) {
  return std::any_of(deck.materials.begin(), deck.materials.end(), [&](const AbaqusMaterial& material) {
    return material.name == name && (material.stiffness || has_axes(material.expansion));
  });
}

bool contains(const CellSet& cells, Ordinal cell) {
  return std::any_of(cells.begin(), cells.end(), [&](const CellRange& range) {
    return cell >= range.first && cell < range.first + range.count;
  });
}

/// By the inverse of the compliance.
std::array<double, 21> from_engineering_constants(const std::vector<double>& numbers) {
  const double e1 = numbers[0], e2 = numbers[1], e3 = numbers[2];
  const double s12 = -numbers[3] / e1, s13 = -numbers[4] / e1, s23 = -numbers[5] / e2;
  const double s11 = 1 / e1, s22 = 1 / e2, s33 = 1 / e3;
  const double det =
      s11 * (s22 * s33 - s23 * s23) - s12 * (s12 * s33 - s23 * s13) + s13 * (s12 * s23 - s22 * s13);
  std::array<double, 21> c{};
  c[0] = (s22 * s33 - s23 * s23) / det;
  c[1] = (s13 * s23 - s12 * s33) / det;
  c[2] = (s11 * s33 - s13 * s13) / det;
  c[3] = (s12 * s23 - s13 * s22) / det;
  c[4] = (s12 * s13 - s11 * s23) / det;
  c[5] = (s11 * s22 - s12 * s12) / det;
  c[9] = numbers[6];
  c[14] = numbers[7];
  c[20] = numbers[8];
  return c;
}

std::array<double, 21> from_orthotropic(const std::vector<double>& numbers) {
  std::array<double, 21> c{};
  std::copy_n(numbers.begin(), 6, c.begin());
  c[9] = numbers[6];
  c[14] = numbers[7];
  c[20] = numbers[8];
  return c;
}

} // namespace

AbaqusOrientation read_orientation(const AbaqusKeyword& keyword, AbaqusLexer& lexer) {
  AbaqusOrientation orientation;
  orientation.name = required_name(keyword);
  orientation.place = keyword.place;
  orientation.cylindrical = keyword.label("SYSTEM").starts_with("C");
  for (const auto& [parameter, value] : keyword.parameters)
    if (parameter != "NAME" && !(parameter == "SYSTEM" && keyword.label("SYSTEM").starts_with("R")) &&
        !(parameter == "DEFINITION" && keyword.label("DEFINITION") == "COORDINATES"))
      orientation.obstacle = parameter + "=" + value;
  AbaqusDataLines lines(lexer);
  if (!lines.next()) keyword.place.fail(keyword.shown + " has no data line");
  double number = 0.0;
  if (!parse(lines.field(0), number)) {
    orientation.distribution = capitals(lines.field(0));
    lines.require_at_most(1, keyword);
  } else {
    orientation.points = read_points(lines, 0);
    for (std::size_t d = 0; d < 3 && lines.fields().size() > 6; ++d) { // from another origin
      const double origin = lines.real(6 + d, "a coordinate of the origin");
      orientation.points[0][d] -= origin;
      orientation.points[1][d] -= origin;
    }
    lines.require_at_most(9, keyword);
  }
  if (!lines.next()) return orientation;
  const std::int64_t axis = lines.integer(0, "an axis to turn about");
  if (axis < 1 || axis > 3) lines.fail("expected an axis from 1 to 3, but found " + std::to_string(axis));
  orientation.turned_about = static_cast<int>(axis);
  if (!lines.field(1).empty()) orientation.angle = lines.real(1, "an angle");
  lines.require_at_most(2, keyword);
  if (lines.next()) lines.fail(keyword.shown + " has two data lines; is a keyword missing?");
  return orientation;
}

AbaqusDistribution read_distribution(const AbaqusKeyword& keyword, AbaqusLexer& lexer) {
  AbaqusDistribution distribution{required_name(keyword), {}};
  AbaqusDataLines lines(lexer);
  while (lines.next()) {
    distribution.lines.push_back({capitals(lines.field(0)), read_points(lines, 1), lines.place()});
    lines.require_at_most(7, keyword);
    if (distribution.lines.back().elements.empty() != (distribution.lines.size() == 1))
      lines.fail("the first line of " + keyword.shown + ", and no other, is for all elements");
  }
  if (distribution.lines.empty()) keyword.place.fail(keyword.shown + " has no data line");
  return distribution;
}

void add_orientations(const std::vector<AbaqusOrientation>& orientations,
                      const std::vector<AbaqusDistribution>& distributions, const AbaqusMesh& mesh,
                      AbaqusDeck& deck) {
  for (const CellBlock& block : mesh.data().blocks)
    deck.orientation_of_cells.emplace_back(static_cast<std::size_t>(block.cells()), 0);
  for (const AbaqusSection& section : mesh.sections()) {
    const std::vector<CellSet> of_section = mesh.cells_of(section);
    // Calls with the number of each cell of the section that is in some cells.
    const auto set = [&](const std::vector<CellSet>& some, std::int32_t number, bool whole) {
      for (std::size_t b = 0; b < some.size(); ++b)
        for (const CellRange& range : some[b])
          for (Ordinal cell = range.first; cell < range.first + range.count; ++cell)
            if (whole || contains(of_section[b], cell))
              deck.orientation_of_cells[b][static_cast<std::size_t>(cell)] = number;
    };
    set(of_section, 0, true); // a later section takes the place of an earlier one
    if (section.orientation.empty() || !has_axes(deck, section.material)) continue;
    const AbaqusOrientation& orientation =
        entry_named(orientations, section.orientation, "orientation", section.place);
    if (!orientation.obstacle.empty())
      orientation.place.unsupported("*ORIENTATION, " + orientation.obstacle +
                                    " is not supported in a linear static deck");
    const auto add = [&](const AbaqusPoints& points, const AbaqusPlace& place) {
      const AbaqusAxes axes = axes_from(points[0], points[1], place);
      deck.orientations.push_back(
          orientation.turned_about == 0 ? axes : turned(axes, orientation.turned_about, orientation.angle));
      return static_cast<std::int32_t>(deck.orientations.size());
    };
    if (orientation.distribution.empty()) {
      set(of_section, add(orientation.points, orientation.place), true);
      continue;
    }
    for (const AbaqusDistribution::Line& line :
         entry_named(distributions, orientation.distribution, "distribution", orientation.place).lines)
      set(line.elements.empty() ? of_section : mesh.cells_of(line.elements, line.place),
          add(line.points, line.place), false);
  }
}

bool read_stiffness(const AbaqusKeyword& keyword, AbaqusDataLines& lines, AbaqusMaterial& material) {
  const std::string type = keyword.label("TYPE");
  const bool aniso = type.starts_with("ANISO"), ortho = type.starts_with("ORTHO");
  if (!aniso && !ortho && !type.starts_with("ENGINEERING")) return false;
  const std::size_t count = aniso ? 21 : 9;
  constexpr std::size_t on_a_line = 8;
  std::vector<double> numbers;
  numbers.reserve(count);
  while (numbers.size() < count) {
    if (!lines.next())
      keyword.place.fail(keyword.shown + ", TYPE=" + type + " has " + std::to_string(count) +
                         " numbers, but only " + std::to_string(numbers.size()) + " follow");
    const std::size_t wanted = std::min(on_a_line, count - numbers.size());
    for (std::size_t i = 0; i < wanted; ++i) numbers.push_back(lines.real(i, "a stiffness"));
    lines.require_at_most(wanted + (numbers.size() == count ? 1 : 0), keyword); // the last is the temperature
  }
  if (aniso)
    std::copy_n(numbers.begin(), count, material.stiffness.emplace().begin());
  else
    material.stiffness = ortho ? from_orthotropic(numbers) : from_engineering_constants(numbers);
  return true;
}

} // namespace tessera::io
