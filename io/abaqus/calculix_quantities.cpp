// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/error.hpp>
#include <tessera/core/system/deviation.hpp>
#include <tessera/io/abaqus/calculix_quantities.hpp>
#include <tessera/io/abaqus/detail/calculix_files.hpp>

#include <algorithm>
#include <cmath>
#include <string_view>

namespace tessera::io {

const char* name_of(CalculixKind kind) {
  switch (kind) {
  case CalculixKind::forces:
    return "forces";
  case CalculixKind::total_forces:
    return "total forces";
  case CalculixKind::stresses:
    return "stresses";
  case CalculixKind::strains:
    return "strains";
  case CalculixKind::section_forces:
    return "section forces";
  case CalculixKind::strain_energy:
    return "strain energies";
  }
  return "";
}

std::string entry_of_node(std::int64_t node) { return "node " + std::to_string(node); }

std::string entry_of_point(std::int64_t element, std::int64_t point) {
  return "element " + std::to_string(element) + ", point " + std::to_string(point);
}

std::vector<double> SectionForces::values() const {
  std::vector<double> all(force.begin(), force.end());
  for (const double component : moment) all.push_back(component / std::sqrt(area));
  return all;
}

namespace {

using Words = std::vector<std::string_view>;
using Entries = std::map<std::string, std::vector<double>>;

/// The numbers of a line that has so many. \throws FileError for another line
std::vector<double> numbers_of(const InputFile& file, const Words& words, std::size_t first,
                               std::size_t count, const std::string& quantity) {
  if (words.size() < first + count)
    file.fail("expected " + std::to_string(count) + " " + quantity + ", but the line ends");
  std::vector<double> numbers;
  for (std::size_t i = first; i < first + count; ++i) numbers.push_back(real_in(file, words[i], quantity));
  return numbers;
}

bool begins(const Words& words, std::initializer_list<std::string_view> with) {
  return words.size() >= with.size() && std::equal(with.begin(), with.end(), words.begin());
}

/// The numbers of the next line with words. \throws FileError if there is none
std::vector<double> next_numbers(const InputFile& file, StepLines& lines, std::size_t count,
                                 const std::string& quantity) {
  Words words;
  if (!lines.next(words)) file.fail("the file ends before the " + quantity);
  return numbers_of(file, words, 0, count, quantity);
}

/// A line "total force (fx,fy,fz) for set NAME and time TIME" and one with the force.
Entries read_total_forces(InputFile& file, std::size_t step) {
  Entries totals;
  StepLines lines(file, step);
  for (Words words; lines.next(words);)
    if (begins(words, {"total", "force"}) && words.size() == 9) {
      const std::string set = capitals(words[5]);
      totals["set " + set] = next_numbers(file, lines, 3, "forces");
    }
  return totals;
}

/// A heading "stresses (elem, ...) for set ..." and a line for each point of the elements.
Entries read_stresses(InputFile& file, std::size_t step) {
  Entries stresses;
  bool in_table = false;
  StepLines lines(file, step);
  for (Words words; lines.next(words);) {
    std::int64_t element = 0, point = 0;
    if (!parse(words.front(), element)) {
      in_table = words.front() == "stresses";
    } else if (in_table) {
      if (words.size() < 2 || !parse(words[1], point)) file.fail("expected an element and a point");
      if (words.size() > 8) file.fail("stresses along axes of the element's own are not read");
      stresses[entry_of_point(element, point)] = numbers_of(file, words, 2, 6, "stresses");
    }
  }
  return stresses;
}

/// "statistics for surface set NAME and time TIME", and four lines with headings: force and moment about the
/// origin; center and normal; moment about the center; area and what follows of these.
Entries read_section_forces(InputFile& file, std::size_t step) {
  Entries sections;
  StepLines lines(file, step);
  const auto below_heading = [&](std::size_t count, const std::string& quantity) {
    Words heading;
    lines.next(heading);
    return next_numbers(file, lines, count, quantity);
  };
  for (Words words; lines.next(words);) {
    if (!begins(words, {"statistics", "for", "surface", "set"})) continue;
    if (words.size() != 8) file.fail("expected 'statistics for surface set NAME and time TIME'");
    const std::string surface = capitals(words[4]);
    SectionForces section;
    const std::vector<double> force = below_heading(6, "forces");
    below_heading(6, "coordinates");
    const std::vector<double> moment = below_heading(3, "moments");
    section.area = below_heading(5, "areas").front();
    std::copy_n(force.begin(), 3, section.force.begin());
    std::copy_n(moment.begin(), 3, section.moment.begin());
    if (!(section.area > 0.0)) file.fail("the area of surface " + surface + " is not positive");
    sections["surface " + surface] = section.values();
  }
  return sections;
}

/// A line "STRAINENERGY" with its value, below the step that asks for it.
Entries read_strain_energy(InputFile& file, std::size_t step) {
  Entries energy;
  StepLines lines(file, step + 1);
  for (Words words; lines.next(words);)
    if (words.front() == "STRAINENERGY") energy["mesh"] = numbers_of(file, words, 1, 1, "strain energies");
  return energy;
}

Entries read_forces(InputFile& file, const NodalAxes& axes, std::size_t step) {
  Entries forces;
  for (const auto& [set, table] : read_nodal_tables(file, "forces", axes, step))
    for (const auto& [node, force] : table) forces[entry_of_node(node)] = {force.begin(), force.end()};
  return forces;
}

/// A block TOSTRAIN, whose components are xx, yy, zz, xy, yz, zx.
Entries read_strains(InputFile& file, std::size_t step) {
  Entries strains;
  for (const auto& [node, e] : read_frd_block<6>(file, "TOSTRAIN", "strains", step))
    strains[entry_of_node(node)] = {e[0], e[1], e[2], e[3], e[5], e[4]};
  return strains;
}

} // namespace

std::vector<CalculixQuantity> read_calculix_quantities(const std::string& path, const NodalAxes& axes,
                                                       std::size_t step) {
  std::vector<CalculixQuantity> quantities;
  const auto add = [&](CalculixKind kind, const auto& read) {
    InputFile file(path);
    Entries values = read(file);
    if (!values.empty()) quantities.push_back({kind, std::move(values)});
  };
  if (is_frd(path)) {
    add(CalculixKind::strains, [&](InputFile& file) { return read_strains(file, step); });
    return quantities;
  }
  add(CalculixKind::forces, [&](InputFile& file) { return read_forces(file, axes, step); });
  add(CalculixKind::total_forces, [&](InputFile& file) { return read_total_forces(file, step); });
  add(CalculixKind::stresses, [&](InputFile& file) { return read_stresses(file, step); });
  add(CalculixKind::section_forces, [&](InputFile& file) { return read_section_forces(file, step); });
  add(CalculixKind::strain_energy, [&](InputFile& file) { return read_strain_energy(file, step); });
  return quantities;
}

double QuantityDifference::digits() const noexcept {
  return difference == 0.0 ? INFINITY : std::log10(largest / difference);
}

QuantityDifference compare(const CalculixQuantity& found, const CalculixQuantity& recorded) {
  QuantityDifference result;
  if (found.kind != recorded.kind)
    throw ArgumentError(std::string("compare: ") + name_of(found.kind) + " with " + name_of(recorded.kind));
  for (const auto& [entry, expected] : recorded.values) {
    const auto here = found.values.find(entry);
    if (here == found.values.end()) continue;
    if (here->second.size() != expected.size())
      throw ArgumentError("compare: " + std::to_string(here->second.size()) + " components of " + entry +
                          " with " + std::to_string(expected.size()));
    ++result.compared;
    for (std::size_t d = 0; d < expected.size(); ++d) {
      result.largest = std::max(result.largest, std::abs(expected[d]));
      const double difference = std::abs(here->second[d] - expected[d]);
      if (difference <= result.difference || std::isnan(result.difference)) continue;
      result.difference = worse_of(result.difference, difference);
      result.worst = entry;
    }
  }
  return result;
}

} // namespace tessera::io
