// SPDX-License-Identifier: BSD-3-Clause
#include "judge.hpp"

#include <tessera/strategies/best/choice.hpp>

#include "support/report/records.hpp"
#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <vector>

namespace tessera::tools {

namespace {

/// The times of all strategies in one case.
using Case = std::vector<const CalibrationRow*>;

/// Counts of cases and of times.
struct Hits {
  int cases = 0, close = 0, slow = 0; ///< choices within 1.1 times the fastest; beyond 1.5 times
  int times = 0, predicted = 0;       ///< predictions within 30 % of the time
};

bool predictions_rest_on(const std::string& mesh) {
  using namespace calibration_mesh;
  return mesh == ordered || mesh == shuffled || mesh == ordered_third || mesh == shuffled_third ||
         mesh == bent || mesh == uneven;
}

std::vector<Case> cases_of(const Calibration& calibration) {
  std::map<std::tuple<std::string, std::string, std::string, std::string, std::string>, Case> cases;
  for (const CalibrationRow& row : calibration.rows)
    if (row.mesh != calibration_mesh::small)
      cases[{row.family, row.element, row.form, row.scalar, row.mesh}].push_back(&row);
  std::vector<Case> list;
  for (const auto& [name, rows] : cases) list.push_back(rows);
  return list;
}

std::vector<Prediction> order_in(const Calibration& table, const Case& rows) {
  const CalibrationRow& first = *rows.front();
  const bool solid = first.element.starts_with("tet") || first.element.starts_with("hex");
  const ChoiceProblem problem{
      .family = first.family,
      .element = first.element,
      .scalar = first.scalar,
      .components = first.form.starts_with("helmholtz") ? 1
                    : solid                             ? 3
                                                        : 2,
      .refined = !first.form.ends_with(calibration_form::by_quadrature),
      .elements = first.elements,
      .mesh = {.spread = first.spread, .bent = first.bent, .crowding = first.crowding}};
  std::vector<ChoiceCandidate> candidates;
  for (const CalibrationRow* row : rows)
    candidates.push_back({row->strategy, false, Cost{.bytes = row->bytes, .flops = row->flops}});
  // Seconds of calls are judged, so that plans, which calls share, do not count in the choice either.
  return ranking(table, problem, candidates, {.calls = std::numeric_limits<double>::infinity()});
}

std::string line(const std::string& name, const Hits& hits) {
  if (hits.cases == 0) return {};
  const auto percent = [](int part, int whole) { return format("%.0f %%", 100.0 * part / whole); };
  return name + ": " + std::to_string(hits.cases) + " cases, within 1.1 times the fastest " +
         percent(hits.close, hits.cases) + ", beyond 1.5 times " + std::to_string(hits.slow) + "; " +
         std::to_string(hits.times) + " times, predicted within 30 % " + percent(hits.predicted, hits.times) +
         "\n";
}

} // namespace

std::string judgement(const Calibration& times, const Calibration& table) {
  std::map<std::string, Hits> fitted, others;
  std::string misses;
  for (const Case& rows : cases_of(times)) {
    const auto order = order_in(table, rows);
    if (order.empty()) continue;
    const CalibrationRow& first = *rows.front();
    const auto fastest = *std::min_element(
        rows.begin(), rows.end(), [](const auto* a, const auto* b) { return a->seconds < b->seconds; });
    const CalibrationRow& taken = *rows[order.front().candidate];
    const double ratio = taken.seconds / fastest->seconds;
    Hits& hits = (predictions_rest_on(first.mesh) ? fitted : others)[first.family];
    ++hits.cases;
    hits.close += ratio <= 1.1;
    hits.slow += ratio > 1.5;
    for (const Prediction& prediction : order) {
      const double error = prediction.seconds / rows[prediction.candidate]->seconds;
      ++hits.times;
      hits.predicted += error < 1.3 && error > 1 / 1.3;
    }
    if (ratio > 1.1)
      misses += "  " + first.family + ", " + first.element + " " + first.form + ", " + first.scalar + ", " +
                first.mesh + ": " + taken.strategy + " takes " + format("%.2f", ratio) +
                " times as long as " + fastest->strategy + "\n";
  }
  std::string text;
  for (const auto& [family, hits] : fitted) text += line(family + ", meshes that predictions rest on", hits);
  for (const auto& [family, hits] : others) text += line(family + ", other meshes", hits);
  return text + misses;
}

} // namespace tessera::tools
