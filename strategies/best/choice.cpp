// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/strategies/best/choice.hpp>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace tessera {

namespace {

/// The rows of one strategy on one element, form and scalar.
struct Rows {
  const CalibrationRow *ordered = nullptr, *shuffled = nullptr, *ordered_third = nullptr,
                       *shuffled_third = nullptr, *bent = nullptr, *uneven = nullptr, *small = nullptr;
  double launch = 0; ///< seconds of a call however few the elements

  double each(const CalibrationRow& row) const { return std::max(0.0, row.seconds - launch) / row.elements; }
};

/// Seconds of a call on no elements: where the line through the small and the ordered box begins.
double launch_seconds(const CalibrationRow& small, const CalibrationRow& ordered) {
  const double element = std::max(0.0, ordered.seconds - small.seconds) / (ordered.elements - small.elements);
  return std::max(0.0, small.seconds - small.elements * element);
}

Rows rows_of(const Calibration& table, const std::string& family, const std::string& strategy,
             const std::string& element, const std::string& form, const std::string& scalar) {
  Rows rows;
  for (const CalibrationRow& row : table.rows) {
    if (row.family != family || row.strategy != strategy || row.element != element || row.form != form ||
        row.scalar != scalar || row.elements <= 0)
      continue;
    for (const auto& [mesh, member] : {std::pair{calibration_mesh::ordered, &Rows::ordered},
                                       {calibration_mesh::shuffled, &Rows::shuffled},
                                       {calibration_mesh::ordered_third, &Rows::ordered_third},
                                       {calibration_mesh::shuffled_third, &Rows::shuffled_third},
                                       {calibration_mesh::bent, &Rows::bent},
                                       {calibration_mesh::uneven, &Rows::uneven},
                                       {calibration_mesh::small, &Rows::small}})
      if (row.mesh == mesh) rows.*member = &row;
  }
  if (rows.ordered && rows.small && rows.small->elements < rows.ordered->elements)
    rows.launch = launch_seconds(*rows.small, *rows.ordered);
  return rows;
}

/// How much longer a call's cost takes than a row's, an element, on the table's machine.
double growth(const Calibration& table, const Cost& cost, double elements, const CalibrationRow& row) {
  const auto seconds = [&](double bytes, double flops) {
    return std::max(bytes / table.bytes_per_second, flops / table.flops_per_second);
  };
  const double then = seconds(row.bytes, row.flops) / row.elements;
  return then > 0 ? seconds(cost.bytes, cost.flops) / elements / then : 1.0;
}

/// How far a mesh of so many elements lies between a third and its box: by the logarithm of the number.
double share_of_box(double elements, const CalibrationRow& third, const CalibrationRow& box) {
  if (third.elements >= box.elements) return 1;
  return std::clamp(std::log(elements / third.elements) / std::log(box.elements / third.elements), 0.0, 1.0);
}

/// Seconds of each of so many elements in order: between the box's and its third's, for the caches hold more
/// of a smaller mesh.
double ordered_seconds(double elements, const Rows& rows) {
  if (!rows.ordered_third) return rows.each(*rows.ordered);
  return std::lerp(rows.each(*rows.ordered_third), rows.each(*rows.ordered),
                   share_of_box(elements, *rows.ordered_third, *rows.ordered));
}

/// Seconds that each element takes longer where neighbours lie far apart, on a box: by the logarithm of the
/// spread between that of the ordered and of the shuffled one.
double far_seconds_on(const CalibrationRow& ordered, const CalibrationRow& shuffled, double spread,
                      const Rows& rows) {
  if (!(spread > 0 && ordered.spread > 0) || shuffled.spread <= ordered.spread) return 0;
  const double share = std::log(spread / ordered.spread) / std::log(shuffled.spread / ordered.spread);
  return std::clamp(share, 0.0, 1.0) * std::max(0.0, rows.each(shuffled) - rows.each(ordered));
}

/// The same on a mesh of any size. Of smaller meshes more stays in the caches; where the table has no third
/// of the boxes, the square root of the number of elements tells how much.
double far_seconds(const ChoiceProblem& problem, const Rows& rows) {
  if (!rows.shuffled) return 0;
  const double spread = problem.mesh.spread,
               on_box = far_seconds_on(*rows.ordered, *rows.shuffled, spread, rows);
  if (!rows.ordered_third || !rows.shuffled_third)
    return std::sqrt(std::min(1.0, problem.elements / rows.shuffled->elements)) * on_box;
  return std::lerp(far_seconds_on(*rows.ordered_third, *rows.shuffled_third, spread, rows), on_box,
                   share_of_box(problem.elements, *rows.shuffled_third, *rows.shuffled));
}

/// Seconds that each element takes longer where nodes have many and few elements: none on the ordered box,
/// and in proportion to the crowding beyond its own.
double uneven_seconds(const Calibration& table, double crowding, const Rows& rows) {
  if (!rows.uneven || rows.uneven->crowding <= rows.ordered->crowding) return 0;
  const CalibrationRow& uneven = *rows.uneven;
  const double expected = ordered_seconds(uneven.elements, rows) *
                          growth(table, {uneven.bytes, uneven.flops}, uneven.elements, *rows.ordered);
  const double share = (crowding - rows.ordered->crowding) / (uneven.crowding - rows.ordered->crowding);
  return std::clamp(share, 0.0, 1.5) * std::max(0.0, rows.each(uneven) - expected);
}

/// Seconds of an element that is integrated by quadrature, for forms without refinement and for bent
/// elements: the bent box's. Linear simplices cannot be bent and keep the ordered box's, which has been seen
/// to hold on a device, where additions take the time, and not on hosts. Nothing for others that the table
/// has no bent box of.
std::optional<double> quadrature_seconds(const ChoiceProblem& problem, const Rows& rows) {
  if (rows.bent) return rows.each(*rows.bent);
  if (problem.element == "tri1" || problem.element == "tet1") return ordered_seconds(problem.elements, rows);
  return {};
}

/// The prediction by a strategy's rows, where `share` of the elements take longer for their shape.
std::optional<Prediction> predict_by(const Rows& rows, double share, const Calibration& table,
                                     const ChoiceProblem& problem, const ChoiceCandidate& candidate) {
  const double factor = candidate.cost && problem.elements > 0
                            ? growth(table, *candidate.cost, problem.elements, *rows.ordered)
                            : 1.0;
  double seconds = (1 - share) * ordered_seconds(problem.elements, rows) * factor;
  if (share > 0) {
    const auto bent = quadrature_seconds(problem, rows);
    if (!bent) return {};
    seconds += share * *bent * (problem.refined ? factor : 1.0);
  }
  seconds += (1 - share) * uneven_seconds(table, problem.mesh.crowding, rows);
  seconds += far_seconds(problem, rows);
  return Prediction{.strategy = candidate.name,
                    .seconds = rows.launch + problem.elements * seconds,
                    .plan_seconds = problem.elements * rows.ordered->plan_seconds / rows.ordered->elements,
                    .plan_bytes = problem.elements * rows.ordered->plan_bytes / rows.ordered->elements};
}

} // namespace

std::optional<Prediction> predict(const Calibration& table, const ChoiceProblem& problem,
                                  const ChoiceCandidate& candidate) {
  const auto rows_with = [&](const std::string& form) {
    return rows_of(table, problem.family, candidate.name, problem.element, form, problem.scalar);
  };
  const std::string form = problem.components == 1 ? "helmholtz" : "elasticity";
  if (!problem.refined) {
    const Rows by_quadrature = rows_with(form + calibration_form::by_quadrature);
    if (by_quadrature.ordered) return predict_by(by_quadrature, 0, table, problem, candidate);
    if (candidate.by_refinement) return {};
  }
  const Rows rows = rows_with(form);
  if (!rows.ordered) return {};
  const double share = candidate.any_shape ? 0.0 : problem.refined ? problem.mesh.bent : 1.0;
  return predict_by(rows, share, table, problem, candidate);
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
