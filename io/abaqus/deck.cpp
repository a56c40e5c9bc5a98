// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/error.hpp>
#include <tessera/io/abaqus/deck.hpp>
#include <tessera/io/abaqus/detail/deck_reader.hpp>
#include <tessera/io/abaqus/detail/without_effect.hpp>
#include <tessera/io/detail/text.hpp>

#include <algorithm>
#include <cmath>

namespace tessera::io {

AbaqusDeck AbaqusDeckReader::read() {
  AbaqusKeyword keyword;
  while (lexer_.next_keyword(keyword)) {
    if (!mesh_.read(keyword, lexer_)) read_keyword(keyword);
  }
  mesh_.finish();
  for (Pending& pending : pending_) {
    if (!pending.amplitude.empty())
      pending.value *= factor_at_end(entry_named(amplitudes_, pending.amplitude, "amplitude", pending.place),
                                     deck_.steps, pending.step);
    resolve(pending);
  }
  for (const AbaqusPretension& pretension : pretensions_) add_pretension(pretension, mesh_, deck_);
  for (const AbaqusEquationLines& lines : equations_) add_equations(lines, mesh_, deck_);
  for (const AbaqusTie& tie : ties_) add(tie);
  for (const AbaqusCoupling& coupling : couplings_) add_coupling(coupling, orientations_, mesh_, deck_);
  for (const AbaqusRigidBody& body : rigid_bodies_) add_rigid_body(body, mesh_, deck_);
  for (const AbaqusTransform& transform : transforms_) add_axes(transform, mesh_, deck_);
  add_orientations(orientations_, distributions_, mesh_, deck_);
  deck_.sections = mesh_.sections();
  deck_.mesh = std::move(mesh_.data());
  return std::move(deck_);
}

void AbaqusDeckReader::other(const AbaqusKeyword& keyword, const std::string& detail) {
  deck_.others.push_back(
      {keyword.shown + (detail.empty() ? "" : ", " + detail), keyword.place, deck_.steps.size()});
}

bool AbaqusDeckReader::only(const AbaqusKeyword& keyword, std::initializer_list<std::string_view> known) {
  bool all = true;
  for (const auto& [parameter, value] : keyword.parameters)
    if (std::find(known.begin(), known.end(), parameter) == known.end()) {
      other(keyword, parameter + (value.empty() ? "" : "=" + value));
      all = false;
    }
  return all;
}

bool AbaqusDeckReader::takes_operation(const AbaqusKeyword& keyword, bool AbaqusStep::* anew,
                                       std::string_view parameter) {
  if (!deck_.steps.empty()) amplitude_ = keyword.label("AMPLITUDE");
  const std::string operation = keyword.label("OP");
  const bool known = !deck_.steps.empty() && (operation == "NEW" || operation == "MOD");
  if (known && operation == "NEW") deck_.steps.back().*anew = true;
  return only(keyword, {known ? "OP" : "", deck_.steps.empty() ? "" : "AMPLITUDE", parameter});
}

void AbaqusDeckReader::add(const AbaqusTie& tie) {
  if (!tie.cyclic)
    add_tie(tie, mesh_, deck_);
  else if (sectors_.size() == 1)
    add_cyclic_tie(tie, sectors_.front(), mesh_, deck_);
  else
    deck_.others.push_back({"*TIE, CYCLIC SYMMETRY, and " + std::to_string(sectors_.size()) +
                                " *CYCLIC SYMMETRY MODEL without parameters but N and NGRAPH,",
                            tie.place, 0});
}

void AbaqusDeckReader::read_keyword(const AbaqusKeyword& keyword) {
  const std::string& name = keyword.name;
  if (mesh_.inside_instance()) return other(keyword, "inside a part");
  if (name == "MATERIAL") {
    AbaqusMaterial& added = deck_.materials.emplace_back();
    added.name = keyword.label("NAME");
    added.place = keyword.place;
    expect_no_data(keyword, lexer_);
    if (mesh_.materials().size() != deck_.materials.size())
      keyword.place.fail("material " + in_quotes(deck_.materials.back().name) + " is defined twice");
  } else if (name == "ELASTIC") {
    read_elastic(keyword);
  } else if (name == "DENSITY") {
    read_density(keyword);
  } else if (name == "EXPANSION") {
    read_expansion(keyword);
  } else if (name == "INITIALCONDITIONS" && deck_.steps.empty()) {
    only(keyword, {"TYPE"});
    if (keyword.label("TYPE") != "TEMPERATURE") return other(keyword, "TYPE=" + keyword.label("TYPE"));
    read_temperatures(keyword);
  } else if (name == "TEMPERATURE" && !deck_.steps.empty()) {
    if (!takes_operation(keyword, &AbaqusStep::new_temperatures, "LINTEMP")) return;
    if (keyword.has("LINTEMP"))
      read_linear_temperatures(keyword);
    else
      read_temperatures(keyword);
  } else if (name == "ORIENTATION") {
    orientations_.push_back(read_orientation(keyword, lexer_));
  } else if (name == "DISTRIBUTION") {
    only(keyword, {"NAME"});
    distributions_.push_back(read_distribution(keyword, lexer_));
  } else if (name == "STEP") {
    deck_.steps.emplace_back();
    deck_.steps.back().place = keyword.place;
    if (std::any_of(pending_.begin(), pending_.end(),
                    [](const auto& line) { return !line.amplitude.empty(); }))
      other(keyword, "after a step with an AMPLITUDE"); // which goes on
    // The number of increments makes no difference to a linear answer; NLGEOM=NO says that it is one.
    only(keyword, {"INC", "NAME", keyword.label("NLGEOM") == "NO" ? "NLGEOM" : ""});
    expect_title(keyword, lexer_);
  } else if (name == "STATIC") {
    only(keyword, {"SOLVER", "DIRECT"});
    if (deck_.steps.empty()) keyword.place.fail("*STATIC outside a step");
    deck_.steps.back().is_static = true;
    deck_.steps.back().period = expect_increments(keyword, lexer_);
  } else if (name == "AMPLITUDE") {
    amplitudes_.push_back(read_amplitude(keyword, lexer_));
  } else if (name == "EQUATION" && deck_.steps.empty()) {
    only(keyword, {});
    read_equations(keyword, lexer_, equations_);
  } else if (name == "TIE" && deck_.steps.empty()) {
    if (only(keyword, {"NAME", "ADJUST", "POSITIONTOLERANCE", "CYCLICSYMMETRY"}))
      read_ties(keyword, lexer_, ties_);
  } else if (name == "CYCLICSYMMETRYMODEL" && deck_.steps.empty()) {
    if (only(keyword, {"N", "NGRAPH"})) sectors_.push_back(read_sectors(keyword, lexer_));
  } else if (name == "COUPLING" && deck_.steps.empty()) {
    read_coupling(keyword);
  } else if (name == "KINEMATIC" && !couplings_.empty()) {
    read_kinematic(keyword);
  } else if (name == "DISTRIBUTING" && !couplings_.empty()) {
    read_distributing(keyword);
  } else if (name == "PRE-TENSIONSECTION" && deck_.steps.empty()) {
    if (only(keyword, {"SURFACE", "NODE"})) pretensions_.push_back(read_pretension(keyword, lexer_));
  } else if (name == "RIGIDBODY" && deck_.steps.empty()) {
    read_rigid_body(keyword);
  } else if (name == "TRANSFORM" && deck_.steps.empty()) {
    only(keyword, {"NSET", "TYPE"});
    transforms_.push_back(read_transform(keyword, lexer_));
  } else if (name == "BOUNDARY") {
    takes_operation(keyword, &AbaqusStep::new_constraints);
    read_boundary(keyword);
  } else if (name == "CLOAD") {
    takes_operation(keyword, &AbaqusStep::new_nodal_loads);
    read_nodal_loads(keyword);
  } else if (name == "DLOAD" || name == "DSLOAD") {
    takes_operation(keyword, &AbaqusStep::new_distributed_loads);
    read_distributed_loads(keyword);
  } else {
    if (is_unused_property(keyword)) material(keyword);
    if (!pass_over(keyword, lexer_)) other(keyword);
  }
}

AbaqusMaterial& AbaqusDeckReader::material(const AbaqusKeyword& keyword) {
  if (deck_.materials.empty()) keyword.place.fail(keyword.shown + " outside a material");
  return deck_.materials.back();
}

void AbaqusDeckReader::read_elastic(const AbaqusKeyword& keyword) {
  AbaqusMaterial& target = material(keyword);
  if (target.young || target.stiffness)
    keyword.place.fail("material " + in_quotes(target.name) + " has a second " + keyword.shown);
  AbaqusDataLines lines(lexer_);
  if (read_stiffness(keyword, lines, target)) {
    if (lines.next()) other(keyword, "depending on the temperature");
    return;
  }
  const bool isotropic = !keyword.has("TYPE") || keyword.label("TYPE").starts_with("ISO");
  if (!isotropic) return other(keyword, "TYPE=" + keyword.label("TYPE"));
  target.elastic = read_table(keyword, lines, {"Young's modulus", "Poisson's ratio"});
  target.young = target.elastic.rows.front()[0];
  target.poisson = target.elastic.rows.front()[1];
}

AbaqusTable AbaqusDeckReader::read_table(const AbaqusKeyword& keyword, AbaqusDataLines& lines,
                                         const std::vector<const char*>& names) {
  AbaqusTable table;
  while (lines.next()) {
    std::vector<double>& row = table.rows.emplace_back();
    for (std::size_t i = 0; i < names.size(); ++i) row.push_back(lines.real(i, names[i]));
    lines.require_at_most(names.size() + 1, keyword);
    const double temperature =
        lines.field(names.size()).empty() ? 0.0 : lines.real(names.size(), "a temperature");
    if (!table.arguments.empty() && temperature <= table.arguments.back())
      lines.fail("the temperatures of " + keyword.shown + " do not ascend");
    table.arguments.push_back(temperature);
  }
  if (table.empty()) keyword.place.fail(keyword.shown + " has no data line");
  return table;
}

void AbaqusDeckReader::read_density(const AbaqusKeyword& keyword) {
  AbaqusMaterial& target = material(keyword);
  if (target.density)
    keyword.place.fail("material " + in_quotes(target.name) + " has a second " + keyword.shown);
  AbaqusDataLines lines(lexer_);
  const AbaqusTable table = read_table(keyword, lines, {"the density"});
  target.density = table.rows.front().front();
  target.density_varies = table.varies();
}

void AbaqusDeckReader::read_coupling(const AbaqusKeyword& keyword) {
  only(keyword, {"REFNODE", "SURFACE", "ORIENTATION", "CONSTRAINTNAME"});
  AbaqusCoupling coupling{keyword.label("REFNODE"),
                          keyword.label("SURFACE"),
                          keyword.label("ORIENTATION"),
                          {},
                          keyword.place,
                          false};
  if (coupling.reference.empty() || coupling.surface.empty())
    keyword.place.fail(keyword.shown + " needs the parameters REF NODE=node and SURFACE=name");
  couplings_.push_back(std::move(coupling));
  expect_no_data(keyword, lexer_);
}

std::vector<std::pair<int, int>> AbaqusDeckReader::read_ranges(const AbaqusKeyword& keyword, int most,
                                                               const std::string& name) {
  std::vector<std::pair<int, int>> ranges;
  AbaqusDataLines lines(lexer_);
  while (lines.next()) {
    const std::int64_t first = lines.integer(0, "the first component");
    const std::int64_t last = lines.field(1).empty() ? first : lines.integer(1, "the last component");
    lines.require_at_most(2, keyword);
    if (first < 1 || last > most || last < first)
      other(keyword, name + " " + std::to_string(first) + " to " + std::to_string(last));
    else
      ranges.emplace_back(static_cast<int>(first), static_cast<int>(last));
  }
  return ranges;
}

void AbaqusDeckReader::read_kinematic(const AbaqusKeyword& keyword) {
  only(keyword, {});
  couplings_.back().axes = read_ranges(keyword, 3, "axes");
  if (couplings_.back().axes.empty()) other(keyword, "without axes");
}

void AbaqusDeckReader::read_distributing(const AbaqusKeyword& keyword) {
  only(keyword, {"CYCLICSYMMETRY"});
  couplings_.back().distributes = true;
  couplings_.back().of_sector = keyword.has("CYCLICSYMMETRY");
  read_ranges(keyword, 6, "components");
}

void AbaqusDeckReader::read_rigid_body(const AbaqusKeyword& keyword) {
  only(keyword, {"NSET", "REFNODE", "ROTNODE"});
  for (const char* parameter : {"NSET", "REFNODE", "ROTNODE"})
    if (!keyword.has(parameter)) return other(keyword, std::string("without ") + parameter);
  rigid_bodies_.push_back(
      {keyword.label("NSET"), keyword.label("REFNODE"), keyword.label("ROTNODE"), keyword.place});
  expect_no_data(keyword, lexer_);
}

void AbaqusDeckReader::read_expansion(const AbaqusKeyword& keyword) {
  AbaqusMaterial& target = material(keyword);
  if (!target.expansion.empty())
    keyword.place.fail("material " + in_quotes(target.name) + " has a second " + keyword.shown);
  only(keyword, {"ZERO", "TYPE"});
  const std::string type = keyword.has("TYPE") ? keyword.label("TYPE") : "ISO";
  const bool orthotropic = type.starts_with("ORTHO");
  if (!orthotropic && !type.starts_with("ISO")) return other(keyword, "TYPE=" + type);
  if (keyword.has("ZERO") && !parse(keyword.parameters.at("ZERO"), target.expansion_zero))
    keyword.place.fail("ZERO of " + keyword.shown + " is no number");
  AbaqusDataLines lines(lexer_);
  target.expansion =
      read_table(keyword, lines, std::vector<const char*>(orthotropic ? 3 : 1, "an expansion"));
}

std::vector<double> AbaqusTable::at(double argument) const {
  const auto above = std::upper_bound(arguments.begin(), arguments.end(), argument);
  if (above == arguments.begin()) return rows.front();
  if (above == arguments.end()) return rows.back();
  const auto next = static_cast<std::size_t>(above - arguments.begin());
  const double share = (argument - arguments[next - 1]) / (*above - arguments[next - 1]);
  std::vector<double> row(rows.front().size());
  for (std::size_t i = 0; i < row.size(); ++i) row[i] = std::lerp(rows[next - 1][i], rows[next][i], share);
  return row;
}

AbaqusDeck read_abaqus_deck(const std::string& path, const ReadOptions& options) {
  return AbaqusDeckReader(path, options).read();
}

} // namespace tessera::io
