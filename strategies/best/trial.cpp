// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/error.hpp>
#include <tessera/strategies/best/trial.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace tessera::detail {

namespace {

std::string milliseconds(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g ms", 1e3 * seconds);
  return text;
}

} // namespace

void check_wishes(const std::string& who, const ChoiceWishes& wishes) {
  if (!(wishes.plan_bytes >= 0))
    throw ArgumentError(who + ": plan_bytes must be a number from 0, got " +
                        std::to_string(wishes.plan_bytes));
  if (!(wishes.calls >= 1))
    throw ArgumentError(who + ": at least one call must be expected, got " + std::to_string(wishes.calls));
}

std::vector<Prediction> order_of_trial(const Calibration& table, const ChoiceProblem& problem,
                                       const std::vector<ChoiceCandidate>& candidates,
                                       const ChoiceWishes& wishes) {
  std::vector<Prediction> order = ranking(table, problem, candidates, wishes);
  const auto known = order.size();
  for (std::size_t c = 0; c < candidates.size(); ++c)
    if ((candidates[c].deterministic || !wishes.deterministic) && !predict(table, problem, candidates[c]))
      order.push_back({.candidate = c, .strategy = candidates[c].name, .seconds = NAN});
  const bool by_quadrature = !problem.refined || problem.mesh.bent > 0.5;
  std::stable_partition(order.begin() + static_cast<std::ptrdiff_t>(known), order.end(),
                        [&](const Prediction& unknown) {
                          return !(by_quadrature && candidates[unknown.candidate].by_refinement);
                        });
  return order;
}

const Prediction* Trial::next() {
  const bool enough = measure_ ? timed_ == most_timed : fastest_.has_value();
  if (enough || tried_ == order_.size()) {
    if (!fastest_)
      throw UnsupportedError("Best: no strategy keeps to the wishes" +
                             (std::isinf(wishes_.plan_bytes)
                                  ? std::string()
                                  : " (a plan of at most " + std::to_string(wishes_.plan_bytes) + " bytes)") +
                             reasons_);
    return nullptr;
  }
  return &order_[tried_++];
}

bool Trial::keeps_to(const PlanReport& plan) {
  if (static_cast<double>(plan.bytes) <= wishes_.plan_bytes) return true;
  refuse(order_[tried_ - 1].strategy + " takes " + std::to_string(plan.bytes) + " bytes");
  return false;
}

bool Trial::take(double seconds) {
  ++timed_;
  const std::size_t candidate = tried_ - 1;
  const double total = seconds + order_[candidate].plan_seconds / wishes_.calls;
  if (fastest_ && !(total < fastest_seconds_)) return false;
  fastest_ = candidate;
  fastest_seconds_ = total;
  return true;
}

std::string Trial::why() const {
  const Prediction& taken = order_[*fastest_];
  std::string text = taken.strategy;
  if (measure_)
    text += ", " + milliseconds(fastest_seconds_) + " measured";
  else if (std::isnan(taken.seconds))
    text += ", no times known";
  else
    text += ", " + milliseconds(taken.seconds) + " predicted";
  for (const Prediction& other : order_)
    if (&other != &taken && !std::isnan(other.seconds))
      return text + "; next " + other.strategy + ", " + milliseconds(other.seconds) + " predicted";
  return text;
}

} // namespace tessera::detail
