// Tables of times, what is read of damaged ones, predictions worked by hand, and the choice under wishes.

#include <tessera/core/error.hpp>
#include <tessera/strategies/best/choice.hpp>
#include <tessera/strategies/best/machine_calibration.hpp>
#include <tessera/strategies/best/trial.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/files.hpp"
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

namespace {

using namespace tessera;
using test::expect_throw_with;

CalibrationRow row(const std::string& strategy, const std::string& mesh, double elements, double seconds) {
  return {.family = "assembly",
          .strategy = strategy,
          .element = "tet2",
          .form = "helmholtz",
          .scalar = "double",
          .mesh = mesh,
          .elements = elements,
          .spread = 0.1,
          .bytes = 100 * elements,
          .flops = elements,
          .seconds = seconds,
          .plan_seconds = 0.001 * elements,
          .plan_bytes = 8 * elements};
}

/// Slow: 5 s for launches and 4 s an element on the ordered box, 10 on the shuffled one, 20 bent, 6 on the
/// uneven one. Quick: 3 s on every mesh.
Calibration table() {
  Calibration table{.device = "device", .kokkos = "5", .date = "today", .commit = "none"};
  table.bytes_per_second = 100;
  table.flops_per_second = 100;
  table.rows = {row("Slow", "ordered", 1000, 4005),  row("Slow", "shuffled", 1000, 10005),
                row("Slow", "bent", 1000, 20005),    row("Slow", "uneven", 1000, 6005),
                row("Slow", "small", 10, 45),        row("Quick", "ordered", 1000, 3000),
                row("Quick", "shuffled", 1000, 3000)};
  for (CalibrationRow& r : table.rows)
    if (r.mesh == "shuffled") r.spread = 10;
  table.rows[2].bent = 1;
  table.rows[3].crowding = 2;
  return table;
}

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

TEST(Prediction, OnEachBoxIsItsTime) {
  const Calibration thirds = table_with_thirds();
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

TEST(Prediction, OfElementsWithoutABentBoxGrowsAsThatOfOrderTwo) {
  Calibration both = table();
  CalibrationRow linear = row("Slow", "ordered", 1000, 1000);
  linear.element = "tet1";
  both.rows.push_back(linear);
  ChoiceProblem general = problem();
  general.element = "tet1";
  general.refined = false;
  const auto prediction = predict(both, general, {.name = "Slow", .cost = {}});
  ASSERT_TRUE(prediction);
  EXPECT_NEAR(prediction->seconds, 100 * 1 * 20.0 / 4.0, 1e-9);
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

TEST(Wishes, MustBePositive) {
  expect_throw_with<ArgumentError>([] { detail::check_wishes("Best", {.plan_bytes = -1}); }, "plan_bytes");
  expect_throw_with<ArgumentError>([] { detail::check_wishes("Best", {.calls = 0}); }, "one call");
  expect_throw_with<ArgumentError>([] { detail::check_wishes("Best", {.calls = NAN}); }, "one call");
}

TEST(Calibration, IsReadAsItWasWritten) {
  const std::string text = calibration_text(table());
  const Calibration read = parse_calibration(text, "here");
  EXPECT_EQ(calibration_text(read), text);
  EXPECT_EQ(read.rows.size(), table().rows.size());
  EXPECT_EQ(read.rows[3].crowding, 2);
}

TEST(Calibration, ThatIsDamagedIsRefusedWithItsLine) {
  const std::string text = calibration_text(table());
  const auto refused = [](const std::string& damaged, const std::string& why) {
    expect_throw_with<ArgumentError>([&] { parse_calibration(damaged, "times.txt"); }, why);
  };
  const auto changed = [&](const std::string& what, const std::string& into) {
    std::string other = text;
    other.replace(other.find(what), what.size(), into);
    return other;
  };
  refused("", "times.txt, line 1: the table ends before its version");
  refused("something else\n", "times.txt, line 1: is no table of times");
  refused(text.substr(0, text.size() / 2), "times.txt, line");
  refused(text.substr(0, text.size() - 4), "the table ends before its end");
  refused(changed("rows = 7", "rows = 6"), "more rows than the table says");
  refused(changed("rows = 7", "rows = 8"), "has no strategy");
  refused(changed("4005", "nan"), "seconds is 'nan'");
  refused(changed("4005", "-1"), "seconds is '-1'");
  refused(changed("family,", "families,"), "must be 'family,strategy");
  refused(changed("bytes_per_second = 100", "bytes_per_second = 0"), "must be positive");
}

/// The environment as it was, at the end.
class Environment {
public:
  Environment(const char* name, const std::string& value) : name_(name) {
    if (const char* const old = std::getenv(name)) old_ = old;
    setenv(name, value.c_str(), 1);
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  ~Environment() {
    if (old_)
      setenv(name_, old_->c_str(), 1);
    else
      unsetenv(name_);
  }

private:
  const char* name_;
  std::optional<std::string> old_;
};

detail::MachineKind machine(const std::string& device, bool measured = true) {
  return {device, true, [measured] {
            if (!measured) ADD_FAILURE() << "measured again";
            return Machine{.bytes_per_second = 1e9, .flops_per_second = 1e9};
          }};
}

TEST(MachineCalibration, OfAnUnknownDeviceIsMadeOfAnotherAndLeftInTheCache) {
  const test::TemporaryFolder folder;
  const Environment cache("TESSERA_CACHE", folder.path().string());
  const auto made = detail::calibration_of(machine("Unknown processor, 3 threads"));
  EXPECT_EQ(made->device, "Unknown processor, 3 threads");
  EXPECT_EQ(made->bytes_per_second, 1e9);
  EXPECT_GT(made->rows.size(), 100u);
  std::size_t files = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder.path() / "calibration")) {
    ++files;
    EXPECT_EQ(read_calibration(file.path().string()).rows.size(), made->rows.size());
  }
  EXPECT_EQ(files, 1u);
}

TEST(MachineCalibration, OfAnotherDeviceOrDamagedIsRefused) {
  const test::TemporaryFolder folder;
  const std::string file = (folder.path() / "times.txt").string();
  const Environment named("TESSERA_CALIBRATION", file);
  expect_throw_with<ArgumentError>([&] { detail::calibration_of(machine("processor A")); }, "cannot be read");
  std::ofstream(file).flush();
  expect_throw_with<ArgumentError>([&] { detail::calibration_of(machine("processor A")); },
                                   "times.txt: is empty");
  std::ofstream(file) << calibration_text(table());
  expect_throw_with<ArgumentError>([&] { detail::calibration_of(machine("processor A", false)); },
                                   "has the times of 'device', this is 'processor A'");
  std::ofstream(file) << "tessera calibration 1\n";
  expect_throw_with<ArgumentError>([&] { detail::calibration_of(machine("processor A", false)); },
                                   "times.txt, line 2");
  std::ofstream(file) << calibration_text(table());
  EXPECT_EQ(detail::calibration_of(machine("device", false))->rows.size(), table().rows.size());
}

} // namespace
