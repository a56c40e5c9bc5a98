#include <tessera/strategies/best/choice.hpp>

#include <algorithm>
#include <cmath>
#include <set>

namespace tessera {

namespace {

/// The rows of one strategy on one element, form and scalar.
struct Rows {
  const CalibrationRow *ordered = nullptr, *shuffled = nullptr, *bent = nullptr, *uneven = nullptr,
                       *small = nullptr;
};

Rows rows_of(const Calibration& table, const std::string& family, const std::string& strategy,
             const std::string& element, const std::string& form, const std::string& scalar) {
  Rows rows;
  for (const CalibrationRow& row : table.rows) {
    if (row.family != family || row.strategy != strategy || row.element != element || row.form != form ||
        row.scalar != scalar || row.elements <= 0)
      continue;
    if (row.mesh == calibration_mesh::ordered) rows.ordered = &row;
    if (row.mesh == calibration_mesh::shuffled) rows.shuffled = &row;
    if (row.mesh == calibration_mesh::bent) rows.bent = &row;
    if (row.mesh == calibration_mesh::uneven) rows.uneven = &row;
    if (row.mesh == calibration_mesh::small) rows.small = &row;
  }
  return rows;
}

double each(const CalibrationRow& row) { return row.seconds / row.elements; }

/// How much longer a call's cost takes than a row's, an element, on the table's machine.
double growth(const Calibration& table, const Cost& cost, double elements, const CalibrationRow& row) {
  const auto seconds = [&](double bytes, double flops) {
    return std::max(bytes / table.bytes_per_second, flops / table.flops_per_second);
  };
  const double then = seconds(row.bytes, row.flops) / row.elements;
  return then > 0 ? seconds(cost.bytes, cost.flops) / elements / then : 1.0;
}

/// Seconds that each element takes longer where neighbours lie far apart: by the logarithm of the spread
/// between that of the ordered and of the shuffled box. Of smaller meshes more stays in the caches; the
/// square root is what fits the measured meshes of a fifth of the box's size.
double far_seconds(const ChoiceProblem& problem, const Rows& rows) {
  const double spread = problem.mesh.spread;
  if (!rows.shuffled || !(spread > 0) || rows.shuffled->spread <= rows.ordered->spread) return 0;
  const double share =
      std::log(spread / rows.ordered->spread) / std::log(rows.shuffled->spread / rows.ordered->spread);
  const double size = std::sqrt(std::min(1.0, problem.elements / rows.shuffled->elements));
  return std::clamp(share, 0.0, 1.0) * size * std::max(0.0, each(*rows.shuffled) - each(*rows.ordered));
}

/// Seconds that each element takes longer where nodes have many and few elements: none on the ordered box,
/// and in proportion to the crowding beyond its own.
double uneven_seconds(const Calibration& table, double crowding, const Rows& rows, double launch) {
  if (!rows.uneven || rows.uneven->crowding <= rows.ordered->crowding) return 0;
  const CalibrationRow& uneven = *rows.uneven;
  const double expected = each(*rows.ordered) *
                              growth(table, {uneven.bytes, uneven.flops}, uneven.elements, *rows.ordered) *
                              uneven.elements +
                          launch;
  const double share = (crowding - rows.ordered->crowding) / (uneven.crowding - rows.ordered->crowding);
  return std::clamp(share, 0.0, 1.5) * std::max(0.0, uneven.seconds - expected) / uneven.elements;
}

/// The element of order two of the same shape.
std::string curved_element(std::string element) {
  element.back() = '2';
  return element;
}

/// Seconds of an element that is integrated by quadrature, for forms without refinement and for bent
/// elements. Where the table has no bent box of the element, as of linear simplices, its ordered box's time
/// grows as that of the element of order two does. Nothing if there is none either.
std::optional<double> quadrature_seconds(const Calibration& table, const ChoiceProblem& problem,
                                         const std::string& strategy, const std::string& form,
                                         const Rows& rows) {
  if (rows.bent) return each(*rows.bent);
  const Rows curved =
      rows_of(table, problem.family, strategy, curved_element(problem.element), form, problem.scalar);
  if (!curved.ordered || !curved.bent) return {};
  return each(*rows.ordered) * each(*curved.bent) / each(*curved.ordered);
}

} // namespace

std::optional<Prediction> predict(const Calibration& table, const ChoiceProblem& problem,
                                  const ChoiceCandidate& candidate) {
  const std::string form = problem.components == 1 ? "helmholtz" : "elasticity";
  const Rows rows = rows_of(table, problem.family, candidate.name, problem.element, form, problem.scalar);
  if (!rows.ordered) return {};
  const double factor = candidate.cost && problem.elements > 0
                            ? growth(table, *candidate.cost, problem.elements, *rows.ordered)
                            : 1.0;
  const double share = problem.refined ? problem.mesh.bent : 1.0;
  double seconds = (1 - share) * each(*rows.ordered) * factor;
  if (share > 0) {
    const auto bent = quadrature_seconds(table, problem, candidate.name, form, rows);
    if (!bent) return {};
    seconds += share * *bent * (problem.refined ? factor : 1.0);
  }
  const double launch =
      rows.small ? std::max(0.0, rows.small->seconds - rows.small->elements * each(*rows.ordered)) : 0.0;
  seconds += (1 - share) * uneven_seconds(table, problem.mesh.crowding, rows, launch);
  seconds += far_seconds(problem, rows);
  return Prediction{.strategy = candidate.name,
                    .seconds = launch + problem.elements * seconds,
                    .plan_seconds = problem.elements * rows.ordered->plan_seconds / rows.ordered->elements,
                    .plan_bytes = problem.elements * rows.ordered->plan_bytes / rows.ordered->elements};
}

std::vector<std::string> strategies_of(const Calibration& table, const std::string& family) {
  std::set<std::string> names;
  for (const CalibrationRow& row : table.rows)
    if (row.family == family) names.insert(row.strategy);
  return {names.begin(), names.end()};
}

std::vector<Prediction> ranking(const Calibration& table, const ChoiceProblem& problem,
                                const std::vector<ChoiceCandidate>& candidates, const ChoiceWishes& wishes) {
  std::vector<Prediction> predictions;
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    if (wishes.deterministic && !candidates[c].deterministic) continue;
    auto prediction = predict(table, problem, candidates[c]);
    if (!prediction || prediction->plan_bytes > wishes.plan_bytes) continue;
    prediction->candidate = c;
    predictions.push_back(*prediction);
  }
  std::stable_sort(predictions.begin(), predictions.end(), [&](const Prediction& a, const Prediction& b) {
    return a.total(wishes.calls) < b.total(wishes.calls);
  });
  return predictions;
}

} // namespace tessera
