// SPDX-License-Identifier: BSD-3-Clause
// Predictions worked by hand, and the choice under wishes.

#include <tessera/core/error.hpp>
#include <tessera/strategies/best/choice.hpp>
#include <tessera/strategies/best/trial.hpp>

#include <gtest/gtest.h>

#include "strategies/best/sample_table.hpp"
#include "support/execution_spaces.hpp"
#include <cmath>
#include <optional>
#include <string>
#include <utility>

namespace strategies_best_choice {

using namespace tessera;
using test::expect_throw_with;
using test::row;
using test::table;

ChoiceProblem problem(MeshFeatures mesh = {.spread = 0.1}) {
  return {.family = "assembly", .element = "tet2", .scalar = "double", .elements = 100, .mesh = mesh};
}

/// The table with boxes of 100 elements, which take 1 s an element ordered and 2 s shuffled.
Calibration table_with_thirds() {
  Calibration thirds = table();
  thirds.rows.push_back(row("Slow", "ordered third", 100, 105));
  thirds.rows.push_back(row("Slow", "shuffled third", 100, 205));
  thirds.rows.back().spread = 10;
  return thirds;
}

double seconds_of(const std::string& strategy, const ChoiceProblem& problem, std::optional<Cost> cost = {}) {
  const auto prediction = predict(table(), problem, {.name = strategy, .cost = cost});
  return prediction ? prediction->seconds : NAN;
}

TEST(Prediction, OnTheOrderedBoxIsItsTimeAndTheLaunches) {
  EXPECT_NEAR(seconds_of("Slow", problem()), 405, 1e-9);
}

TEST(Prediction, GrowsWithTheLogarithmOfTheSpread) {
  const double size = std::sqrt(100.0 / 1000); // of the mesh, beside the box
  EXPECT_NEAR(seconds_of("Slow", problem({.spread = 1})), 405 + 300 * size, 1e-9); // halfway from 0.1 to 10
  EXPECT_NEAR(seconds_of("Slow", problem({.spread = 1000})), 405 + 600 * size, 1e-9);
  EXPECT_NEAR(seconds_of("Slow", problem({.spread = 0.001})), 405, 1e-9);
}

TEST(Prediction, IsTheOrderedTimeWhereTheOrderedBoxHasNoSpread) {
  Calibration flat = table();
  for (CalibrationRow& r : flat.rows)
    if (r.mesh == "ordered") r.spread = 0;
  EXPECT_NEAR(predict(flat, problem({.spread = 1}), {.name = "Slow", .cost = {}})->seconds, 405, 1e-9);
}

TEST(Prediction, OnEachBoxIsItsTime) {
  Calibration thirds = table_with_thirds();
  thirds.rows.back().spread = 3; // fewer elements do not lie as far apart
  for (const CalibrationRow& r : thirds.rows) {
    ChoiceProblem box = problem({.spread = r.spread, .bent = r.bent, .crowding = r.crowding});
    box.elements = r.elements;
    if (r.strategy == "Slow" && r.mesh != "small" && r.mesh != "uneven") {
      EXPECT_NEAR(predict(thirds, box, {.name = "Slow", .cost = {}})->seconds, r.seconds, 1e-9) << r.mesh;
    }
  }
}

TEST(Prediction, LiesBetweenABoxAndItsThirdByTheLogarithmOfTheSize) {
  const Calibration thirds = table_with_thirds();
  const auto seconds = [&](double elements, double spread) {
    ChoiceProblem box = problem({.spread = spread});
    box.elements = elements;
    return predict(thirds, box, {.name = "Slow", .cost = {}})->seconds;
  };
  const double middle = std::sqrt(100.0 * 1000.0);
  EXPECT_NEAR(seconds(middle, 0.1), 5 + middle * 2.5, 1e-9);
  EXPECT_NEAR(seconds(middle, 10), 5 + middle * 6, 1e-9);
  EXPECT_NEAR(seconds(middle, 1), 5 + middle * 4.25, 1e-9);
  EXPECT_NEAR(seconds(10, 10), 5 + 10 * 2, 1e-9); // no less than the third
  EXPECT_NEAR(seconds(10000, 10), 5 + 10000 * 10, 1e-9);
  EXPECT_NEAR(seconds(0, 10), 5, 1e-9);
}

/// Quick is slower than Slow where the mesh fits the caches, and faster where it does not.
TEST(Ranking, TurnsWithTheSizeOfTheMesh) {
  const Calibration thirds = table_with_thirds();
  const auto first = [&](double elements) {
    ChoiceProblem box = problem({.spread = 10});
    box.elements = elements;
    return ranking(thirds, box, {{"Slow", true, {}}, {"Quick", true, {}}}, {.calls = 1e9}).front().strategy;
  };
  EXPECT_EQ(first(90), "Slow");
  EXPECT_EQ(first(1000), "Quick");
}

TEST(Prediction, TakesTheBentTimeForTheShareOfBentElements) {
  EXPECT_NEAR(seconds_of("Slow", problem({.spread = 0.1, .bent = 0.25})), 5 + 75 * 4 + 25 * 20, 1e-9);
}

TEST(Prediction, TakesTheOrderedTimeOfBentElementsWhereShapesDoNotCount) {
  const ChoiceCandidate slow{.name = "Slow", .cost = {}, .any_shape = true};
  EXPECT_NEAR(predict(table(), problem({.spread = 0.1, .bent = 0.25}), slow)->seconds, 405, 1e-9);
}

TEST(Prediction, TakesMoreTimeWhereNodesAreCrowded) {
  EXPECT_NEAR(seconds_of("Slow", problem({.spread = 0.1, .crowding = 1})), 405 + 100, 1e-9); // half of 2 s
  EXPECT_NEAR(seconds_of("Slow", problem({.spread = 0.1, .crowding = 9})), 405 + 300,
              1e-9); // at most 1.5 times
}

TEST(Prediction, GrowsAsTheCostModelDoes) {
  EXPECT_NEAR(seconds_of("Slow", problem(), Cost{.bytes = 20000, .flops = 0}), 5 + 800, 1e-9);
  EXPECT_NEAR(seconds_of("Slow", problem(), Cost{.bytes = 0, .flops = 10000}), 405, 1e-9);
}

TEST(Prediction, OfFormsWithoutRefinementIsTheBentTime) {
  ChoiceProblem general = problem();
  general.refined = false;
  EXPECT_NEAR(seconds_of("Slow", general), 5 + 2000, 1e-9);
}

TEST(Prediction, OfLinearSimplicesWithoutRefinementIsTheOrderedTime) {
  Calibration both = table();
  CalibrationRow linear = row("Slow", "ordered", 1000, 1000);
  linear.element = "tet1";
  both.rows.push_back(linear);
  ChoiceProblem general = problem();
  general.element = "tet1";
  general.refined = false;
  const auto prediction = predict(both, general, {.name = "Slow", .cost = {}});
  ASSERT_TRUE(prediction);
  EXPECT_NEAR(prediction->seconds, 100, 1e-9);
}

TEST(Prediction, OfFormsWithoutRefinementIsNothingWhereAStrategyLivesByThem) {
  ChoiceProblem general = problem();
  const ChoiceCandidate slow{.name = "Slow", .cost = {}, .by_refinement = true};
  EXPECT_TRUE(predict(table(), general, slow));
  general.refined = false;
  EXPECT_FALSE(predict(table(), general, slow));
}

TEST(Prediction, OfFormsWithoutRefinementRestsOnTimesOfSuchForms) {
  Calibration both = table();
  for (const auto& [mesh, seconds] : {std::pair{"ordered", 7000.0}, {"shuffled", 9000.0}}) {
    both.rows.push_back(row("Slow", mesh, 1000, seconds));
    both.rows.back().form += calibration_form::by_quadrature;
  }
  both.rows.back().spread = 10;
  const ChoiceCandidate slow{.name = "Slow", .cost = {}, .by_refinement = true};
  ChoiceProblem general = problem({.spread = 10, .bent = 1});
  general.elements = 1000;
  general.refined = false;
  EXPECT_NEAR(predict(both, general, slow)->seconds, 9000, 1e-9);
  general.scalar = "float"; // of which there are none
  EXPECT_FALSE(predict(both, general, slow));
}

TEST(Prediction, IsNothingForWhatTheTableDoesNotHave) {
  EXPECT_TRUE(std::isnan(seconds_of("Other", problem())));
  ChoiceProblem vector = problem();
  vector.components = 3;
  EXPECT_TRUE(std::isnan(seconds_of("Slow", vector)));
  EXPECT_TRUE(std::isnan(seconds_of("Quick", problem({.spread = 0.1, .bent = 0.5})))); // no bent box
}

std::string first(const ChoiceWishes& wishes, const std::vector<ChoiceCandidate>& candidates) {
  const auto order = ranking(table(), problem(), candidates, wishes);
  return order.empty() ? "none" : order.front().strategy;
}

TEST(Ranking, KeepsToTheWishes) {
  const std::vector<ChoiceCandidate> both{{"Slow", true, {}}, {"Quick", false, {}}};
  EXPECT_EQ(first({}, both), "Quick");
  EXPECT_EQ(first({.deterministic = true}, both), "Slow");
  EXPECT_EQ(first({.plan_bytes = 800}, both), "Quick");
  EXPECT_EQ(first({.plan_bytes = 799}, both), "none");
}

TEST(Ranking, CountsThePlanForFewCalls) {
  Calibration costly = table();
  for (CalibrationRow& r : costly.rows)
    if (r.strategy == "Quick") r.plan_seconds = 1e6;
  const std::vector<ChoiceCandidate> both{{"Slow", true, {}}, {"Quick", true, {}}};
  EXPECT_EQ(ranking(costly, problem(), both, {.calls = 1}).front().strategy, "Slow");
  EXPECT_EQ(ranking(costly, problem(), both, {.calls = 1e6}).front().strategy, "Quick");
}

TEST(Trial, PutsWhatIsNotKnownLastAndSaysWhyNothingWasTaken) {
  const auto order =
      detail::order_of_trial(table(), problem(), {{"Other", true, {}}, {"Slow", true, {}}}, {});
  ASSERT_EQ(order.size(), 2u);
  EXPECT_EQ(order[0].strategy, "Slow");
  EXPECT_EQ(order[1].strategy, "Other");
  detail::Trial trial(order, {.plan_bytes = 10}, false);
  for (int candidate = 0; candidate < 2; ++candidate) {
    ASSERT_NE(trial.next(), nullptr);
    EXPECT_FALSE(trial.keeps_to({.bytes = 11}));
  }
  expect_throw_with<UnsupportedError>([&] { trial.next(); }, "no strategy keeps to the wishes");
}

TEST(Trial, PutsWhatLivesByRefinementsLastOfTheUnknownWhereElementsNeedQuadrature) {
  const std::vector<ChoiceCandidate> unknown{{.name = "Rows", .cost = {}, .by_refinement = true},
                                             {.name = "Other", .cost = {}}};
  const auto first_of = [&](const ChoiceProblem& asked) {
    return detail::order_of_trial(table(), asked, unknown, {}).front().strategy;
  };
  EXPECT_EQ(first_of(problem()), "Rows");
  EXPECT_EQ(first_of(problem({.spread = 0.1, .bent = 1})), "Other");
  ChoiceProblem general = problem();
  general.refined = false;
  EXPECT_EQ(first_of(general), "Other");
}

TEST(Wishes, MustBePositive) {
  expect_throw_with<ArgumentError>([] { detail::check_wishes("Best", {.plan_bytes = -1}); }, "plan_bytes");
  expect_throw_with<ArgumentError>([] { detail::check_wishes("Best", {.calls = 0}); }, "one call");
  expect_throw_with<ArgumentError>([] { detail::check_wishes("Best", {.calls = NAN}); }, "one call");
}

} // namespace strategies_best_choice
