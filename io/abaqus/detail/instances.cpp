// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/io/abaqus/detail/data_lines.hpp>
#include <tessera/io/abaqus/detail/instances.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace tessera::io {

namespace {

/// Between the first ids of two instances; the largest number that Abaqus takes is one less.
constexpr std::int64_t stride = 1'000'000'000;

void require_only(const AbaqusKeyword& keyword, std::initializer_list<std::string_view> known) {
  for (const auto& [parameter, value] : keyword.parameters)
    if (std::find(known.begin(), known.end(), parameter) == known.end())
      keyword.place.fail(keyword.shown + " with " + parameter + " is not supported");
}

std::string needed(const AbaqusKeyword& keyword, const char* parameter) {
  std::string value = keyword.label(parameter);
  if (value.empty()) keyword.place.fail(keyword.shown + " needs the parameter " + parameter + "=name");
  return value;
}

std::array<double, 3> reals(const AbaqusDataLines& lines, std::size_t first, const char* what) {
  std::array<double, 3> values{};
  for (std::size_t d = 0; d < 3; ++d)
    if (!lines.field(first + d).empty()) values[d] = lines.real(first + d, what);
  return values;
}

/// About the axis from a to b, by Rodrigues' formula.
std::array<std::array<double, 3>, 3> rotation(const std::array<double, 3>& a, const std::array<double, 3>& b,
                                              double degrees, const AbaqusDataLines& lines) {
  std::array<double, 3> u{b[0] - a[0], b[1] - a[1], b[2] - a[2]};
  const double length = std::hypot(u[0], u[1], u[2]);
  if (!(length > 0.0)) lines.fail("the two points of the axis of rotation are one");
  for (double& component : u) component /= length;
  const double angle = std::remainder(degrees, 360.0) * (std::numbers::pi / 180.0);
  const double c = std::cos(angle), s = std::sin(angle);
  std::array<std::array<double, 3>, 3> r{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) r[i][j] = (1.0 - c) * u[i] * u[j] + (i == j ? c : 0.0);
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
    r[i][j] -= s * u[k];
    r[j][i] += s * u[k];
  }
  return r;
}

AbaqusPlacement read_placement(const AbaqusKeyword& keyword, AbaqusLexer& lexer) {
  AbaqusPlacement placement;
  AbaqusDataLines lines(lexer);
  if (!lines.next()) return placement;
  placement.translation = reals(lines, 0, "a component of the translation");
  lines.require_at_most(3, keyword);
  if (!lines.next()) return placement;
  placement.axis_point = reals(lines, 0, "a coordinate of the axis of rotation");
  placement.rotation = rotation(placement.axis_point, reals(lines, 3, "a coordinate of the axis of rotation"),
                                lines.real(6, "the angle of rotation"), lines);
  lines.require_at_most(7, keyword);
  if (lines.next()) lines.fail(keyword.shown + " has at most two data lines; is a keyword missing?");
  return placement;
}

} // namespace

std::array<double, 3> AbaqusPlacement::operator()(std::array<double, 3> point) const {
  std::array<double, 3> arm{}, placed = axis_point;
  for (std::size_t d = 0; d < 3; ++d) arm[d] = point[d] + translation[d] - axis_point[d];
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) placed[i] += rotation[i][j] * arm[j];
  return placed;
}

bool AbaqusInstances::read(const AbaqusKeyword& keyword, AbaqusLexer& lexer) {
  const std::string& name = keyword.name;
  const bool begins = name == "PART" || name == "ASSEMBLY" || name == "STEP";
  if (begins || name == "INSTANCE" || name == "ENDASSEMBLY") require_instance_ended(keyword.shown, keyword);
  if (assembly_ && begins)
    keyword.place.fail(keyword.shown + " inside the assembly of line " + std::to_string(assembly_->line) +
                       ", which has no *END ASSEMBLY");
  if (name == "PART") {
    require_only(keyword, {"NAME"});
    if (!part_) part_ = keyword.place;
  } else if (name == "ASSEMBLY") {
    begin_assembly(keyword);
    expect_no_data(keyword, lexer);
  } else if (name == "INSTANCE") {
    begin_instance(keyword, lexer);
  } else if (name == "ENDINSTANCE") {
    if (!instance_) keyword.place.fail("*END INSTANCE without *INSTANCE");
    expect_no_data(keyword, lexer);
    instance_.reset();
    scope_ = {{}, stride, stride - 1};
    placement_ = {};
  } else if (name == "ENDASSEMBLY") {
    // Decks that were made flat for CalculiX, which passes over it, have a lone one.
    if (!assembly_ && part_) keyword.place.fail("*END ASSEMBLY without *ASSEMBLY");
    expect_no_data(keyword, lexer);
    assembly_.reset();
  } else {
    return false;
  }
  return true;
}

void AbaqusInstances::require_instance_ended(const std::string& what, const AbaqusKeyword& keyword) const {
  if (instance_)
    keyword.place.fail(what + " inside the instance of line " + std::to_string(instance_->line) +
                       ", which has no *END INSTANCE");
}

void AbaqusInstances::begin_assembly(const AbaqusKeyword& keyword) {
  require_only(keyword, {"NAME"});
  if (!owners_.empty()) keyword.place.fail("a second " + keyword.shown);
  assembly_ = keyword.place;
  scope_ = {{}, stride, stride - 1};
  owners_[stride] = "";
}

void AbaqusInstances::begin_instance(const AbaqusKeyword& keyword, AbaqusLexer& lexer) {
  if (!assembly_) keyword.place.fail(keyword.shown + " outside an assembly");
  require_only(keyword, {"NAME", "PART"});
  const std::string name = needed(keyword, "NAME"), part = needed(keyword, "PART");
  for (const auto& [base, owner] : owners_)
    if (owner == name) keyword.place.fail("there are two instances " + in_quotes(name));
  // The assembly's ids follow those of the first instance.
  const std::int64_t base = owners_.size() == 1 ? 0 : owners_.rbegin()->first + stride;
  if (base > Numbering::max_id - stride) keyword.place.fail("more instances than ids can tell apart");
  owners_[base] = name;
  instance_ = keyword.place;
  scope_ = {name + ".", base, stride - 1};
  placement_ = read_placement(keyword, lexer);
  lexer.read_part(part, keyword.place);
}

std::int64_t AbaqusInstances::base_of(const std::string& instance, const AbaqusPlace& place) const {
  for (const auto& [base, owner] : owners_)
    if (owner == instance && !owner.empty()) return base;
  place.fail("there is no instance " + in_quotes(instance) + " above this line");
}

AbaqusScope AbaqusInstances::listed(const AbaqusKeyword& keyword) const {
  if (!keyword.has("INSTANCE")) return scope_;
  require_instance_ended(keyword.shown + " with INSTANCE", keyword);
  const std::string name = keyword.label("INSTANCE");
  return {name + ".", base_of(name, keyword.place), stride - 1};
}

std::optional<std::int64_t> AbaqusInstances::id_of(const std::string& name) const {
  std::int64_t number = 0, base = scope_.base;
  if (!parse(name, number)) {
    const std::size_t dot = name.rfind('.');
    if (dot == std::string::npos || !parse(name.substr(dot + 1), number)) return std::nullopt;
    const auto owner = std::find_if(owners_.begin(), owners_.end(),
                                    [&](const auto& entry) { return entry.second == name.substr(0, dot); });
    if (owner == owners_.end()) return std::nullopt;
    base = owner->first;
  }
  const std::int64_t last = owners_.empty() ? scope_.last_number : stride - 1;
  return number < 0 || number > last ? -1 : base + number;
}

std::string AbaqusInstances::plain(const std::string& name) const {
  if (owners_.size() != 2) return name;
  const std::string prefix = owners_.begin()->second + ".";
  return name.starts_with(prefix) ? name.substr(prefix.size()) : name;
}

void AbaqusInstances::finish() const {
  if (instance_) instance_->fail("the instance has no *END INSTANCE: the deck may be cut short");
  if (assembly_) assembly_->fail("the assembly has no *END ASSEMBLY: the deck may be cut short");
  if (part_ && owners_.size() < 2) part_->fail("no part of the deck has an *INSTANCE");
}

} // namespace tessera::io
