// SPDX-License-Identifier: BSD-3-Clause
// Best in each family: what it takes under each wish, by tables made for it.

#include <tessera/core/error.hpp>
#include <tessera/core/forms/helmholtz.hpp>
#include <tessera/core/system/reference_assembly.hpp>
#include <tessera/core/system/system_error.hpp>
#include <tessera/io/generate/box.hpp>
#include <tessera/solvers/crs_operator.hpp>
#include <tessera/strategies/best/apply.hpp>
#include <tessera/strategies/best/assembly.hpp>
#include <tessera/strategies/best/residual.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/hooks.hpp"
#include "support/matrices.hpp"
#include "support/meshes/test_meshes.hpp"
#include <cmath>
#include <memory>
#include <string>

namespace strategies_best_best {

using namespace tessera;
using test::expect_throw_with;
using ExecutionSpace = Kokkos::DefaultExecutionSpace;
using Element = Tri<1>;
using Space = FunctionSpace<Element, ExecutionSpace>;
using System = LinearSystem<double, ExecutionSpace>;

/// A table in which the strategies named take one second an element, or as many as stand behind them.
std::shared_ptr<const Calibration> times(const std::string& family,
                                         const std::vector<std::pair<std::string, double>>& strategies) {
  Calibration table{.device = "made up", .kokkos = "", .date = "", .commit = "", .rows = {}};
  table.bytes_per_second = table.flops_per_second = 1;
  for (const auto& [strategy, seconds] : strategies)
    table.rows.push_back({.family = family,
                          .strategy = strategy,
                          .element = "tri1",
                          .form = "helmholtz",
                          .scalar = "double",
                          .mesh = "ordered",
                          .elements = 1,
                          .seconds = seconds,
                          .plan_seconds = 0,
                          .plan_bytes = 0});
  return std::make_shared<const Calibration>(table);
}

using Vector = Kokkos::View<double*, ExecutionSpace>;

Vector sines(std::size_t count) {
  const Vector vector("Tessera::Test::sines", count);
  const auto host = Kokkos::create_mirror_view(vector);
  for (std::size_t i = 0; i < count; ++i) host(i) = std::sin(static_cast<double>(3 * i + 1));
  Kokkos::deep_copy(vector, host);
  return vector;
}

void expect_close(const Vector& a, const Vector& b) {
  const auto left = test::to_host(a), right = test::to_host(b);
  ASSERT_EQ(left.size(), right.size());
  for (std::size_t i = 0; i < left.size(); ++i) ASSERT_NEAR(left[i], right[i], 1e-12) << "entry " << i;
}

/// The area of a surface, which has no derivative where the gradient is zero.
struct Minimal {
  static constexpr int components = 1;
  template <class Point>
  KOKKOS_FUNCTION auto f1(const Point& p) const {
    return (1.0 / tessera::sqrt(dot(p.grad_u, p.grad_u))) * p.grad_u;
  }
};

class Best : public ::testing::Test {
public:
  const Mesh<Element, ExecutionSpace> mesh =
      test::distorted_box<Element, ExecutionSpace>({{6, 5, 1}, {1, 1, 1}});
  const Space space{mesh, 1};
  const System system{space};
  const Helmholtz<> form{.sigma = 2.0, .lambda = 1.0, .source = 3.0};

  void expect_right() const {
    const SystemError error = system_error<double>(system, reference_assembly(form, space, system.graph()));
    EXPECT_LE(error.max(), 1e-13);
  }
  std::string taken(const assembly::Best& best) const {
    auto plan = best.plan(space, system.graph());
    const std::string path = plan.prepare(form).path;
    Kokkos::deep_copy(system.values(), 7.0);
    plan.assemble(form, system);
    expect_right();
    return path.substr(0, path.find(','));
  }
};

TEST_F(Best, TakesTheStrategyThatIsPredictedToBeTheFastest) {
  EXPECT_EQ(taken({.calibration = times("assembly", {{"RowOwner", 1}, {"ElementAtomic", 2}})}), "RowOwner");
  EXPECT_EQ(taken({.calibration = times("assembly", {{"RowOwner", 2}, {"ElementAtomic", 1}})}),
            "ElementAtomic");
}

TEST_F(Best, SaysWhatItTookAndWhatCameSecond) {
  auto plan = assembly::Best{.calibration = times("assembly", {{"RowOwner", 1}, {"ElementAtomic", 2}})}.plan(
      space, system.graph());
  const std::string path = plan.prepare(form).path;
  EXPECT_TRUE(path.starts_with("RowOwner, ")) << path;
  EXPECT_NE(path.find("predicted; next ElementAtomic, "), std::string::npos) << path;
  EXPECT_GT(plan.report().bytes, 0u);
}

TEST_F(Best, NeverTakesWhatDoesNotRepeatWhereThatIsWished) {
  const auto quick = times("assembly", {{"RowOwner", 9}, {"ElementAtomic", 1}});
  const std::string name = taken({.deterministic = true, .calibration = quick});
  EXPECT_EQ(name, runs_on_host<ExecutionSpace> ? "ElementAtomic" : "RowOwner"); // in a fixed order on hosts
}

TEST_F(Best, KeepsToTheBytesOfItsPlan) {
  const auto both = times("assembly", {{"RowOwner", 1}, {"ElementAtomic", 2}});
  auto owner = assembly::RowOwner().plan(space, system.graph());
  auto atomic = assembly::ElementAtomic().plan(space, system.graph());
  const auto owner_bytes = static_cast<double>(owner.prepare(form).bytes),
             atomic_bytes = static_cast<double>(atomic.prepare(form).bytes);
  ASSERT_NE(owner_bytes, atomic_bytes);
  EXPECT_EQ(taken({.plan_bytes = owner_bytes, .calibration = both}), "RowOwner");
  if (atomic_bytes < owner_bytes) {
    EXPECT_EQ(taken({.plan_bytes = atomic_bytes, .calibration = both}), "ElementAtomic");
  }
  auto none = assembly::Best{.plan_bytes = 1, .calibration = both}.plan(space, system.graph());
  expect_throw_with<UnsupportedError>(
      [&] { none.prepare(form); },
      "no strategy keeps to the wishes (a plan of at most 1.000000 bytes); RowOwner "
      "takes " +
          std::to_string(static_cast<long>(owner_bytes)));
}

TEST_F(Best, TimesTheFirstCandidatesWhereThatIsAskedFor) {
  auto plan = assembly::Best{.measure = true,
                             .calibration = times("assembly", {{"RowOwner", 1e-9}, {"ElementAtomic", 1e9}})}
                  .plan(space, system.graph());
  const std::string path = plan.prepare(form).path;
  EXPECT_NE(path.find("ms measured"), std::string::npos) << path;
  plan.assemble(form, system);
  expect_right();
}

TEST_F(Best, TakesAStrategyThatAddsWhereTheFormIsToBeAdded) {
  auto plan = assembly::Best{.calibration = times("assembly", {{"RowOwner", 1}, {"ElementAtomic", 2}})}.plan(
      space, system.graph());
  plan.assemble(form, system);
  plan.assemble(form, system, {.add = true});
  const auto twice = test::to_host(system.values());
  plan.assemble(form, system);
  const auto once = test::to_host(system.values());
  for (std::size_t k = 0; k < once.size(); ++k) ASSERT_NEAR(twice[k], 2 * once[k], 1e-12);
}

TEST_F(Best, AllocatesNothingInTheLastStep) {
  auto plan = assembly::Best{}.plan(space, system.graph());
  plan.assemble(form, system);
  for (const test::Event& event : test::events_of([&] { plan.enqueue(form, system); }))
    EXPECT_NE(event.kind, test::Event::Kind::allocation) << event;
  plan.check(form, system);
}

TEST_F(Best, RefusesWishesThatAreNotPositive) {
  const auto refuse = [&](const assembly::Best& best, const std::string& why) {
    expect_throw_with<ArgumentError>([&] { best.plan(space, system.graph()); }, why);
  };
  refuse({.plan_bytes = -1}, "Best: plan_bytes must be a number from 0");
  refuse({.assemblies = 0}, "Best: at least one call must be expected");
  expect_throw_with<ArgumentError>([&] { apply::Best{.products = 0}.plan(space); }, "at least one call");
  expect_throw_with<ArgumentError>([&] { residual::Best{.integrations = 0}.plan(space); },
                                   "at least one call");
}

TEST_F(Best, OfOperatorsAndResidualsTakesAVariant) {
  const auto products = times("apply", {{"RecomputingElementByElement", 2},
                                        {"RecomputingElementByElement/gather", 1},
                                        {"RecomputingElementByElement/colors", 3}});
  EXPECT_TRUE(apply::Best{.calibration = products}.plan(space).choice().starts_with(
      "RecomputingElementByElement/gather, "));
  const auto residuals = times("residual", {{"RecomputingResidual", 1}, {"RecomputingResidual/colors", 3}});
  EXPECT_TRUE(
      residual::Best{.calibration = residuals}.plan(space).choice().starts_with("RecomputingResidual, "));
  const std::string repeats =
      residual::Best{.deterministic = true, .calibration = residuals}.plan(space).choice();
  EXPECT_TRUE(repeats.starts_with(runs_on_host<ExecutionSpace> ? "RecomputingResidual, " // in a fixed order
                                                               : "RecomputingResidual/colors, "))
      << repeats;
}

/// Times that are far from what is measured.
std::shared_ptr<const Calibration> wrong_times(const std::string& family, const std::string& strategy) {
  return times(family, {{strategy, 1e-9}, {strategy + "/gather", 1e-8}, {strategy + "/colors", 1e9}});
}

TEST_F(Best, OfOperatorsTimesTheFirstCandidatesWithTheFirstForm) {
  const auto plan =
      apply::Best{.measure = true, .calibration = wrong_times("apply", "RecomputingElementByElement")}.plan(
          space);
  EXPECT_EQ(plan.choice(), "to be timed with the first form that is prepared");
  EXPECT_GT(plan.report().seconds, 0);
  const auto op = plan.prepare(form);
  const std::string choice = plan.choice();
  EXPECT_NE(choice.find("ms measured; next RecomputingElementByElement"), std::string::npos) << choice;
  const std::size_t bytes = plan.report().bytes;
  plan.prepare<float>(Helmholtz<>{});
  EXPECT_EQ(plan.choice(), choice); // the first form decides
  EXPECT_EQ(plan.report().bytes, bytes);

  const auto x = sines(op.rows());
  const Vector y("Tessera::Test::y", op.rows()), expected("Tessera::Test::expected", op.rows());
  op.apply(ExecutionSpace(), x, y);
  matrix_free::RecomputingElementByElement{}.plan(space).prepare(form).apply(ExecutionSpace(), x, expected);
  expect_close(y, expected);
}

TEST_F(Best, OfOperatorsKeepsToTheWishesWhereItTimes) {
  const auto wrong = wrong_times("apply", "RecomputingElementByElement");
  const auto least =
      static_cast<double>(matrix_free::RecomputingElementByElement{}.plan(space).report().bytes);
  const auto plan = apply::Best{.plan_bytes = least, .measure = true, .calibration = wrong}.plan(space);
  plan.prepare(form);
  EXPECT_LE(static_cast<double>(plan.report().bytes), least) << plan.choice();
}

TEST_F(Best, OfResidualsTimesTheFirstCandidatesWithTheFirstForm) {
  const residual::Best best{.measure = true, .calibration = wrong_times("residual", "RecomputingResidual")};
  const auto u = sines(space.num_dofs());
  const Vector r("Tessera::Test::r", u.extent(0)), expected("Tessera::Test::expected", u.extent(0));
  residual::RecomputingResidual{}.plan(space).integrate(Minimal{}, u, expected);
  auto integrated = best.plan(space), prepared = best.plan(space);
  integrated.integrate(Minimal{}, u, r);
  EXPECT_NE(integrated.choice().find("ms measured; next RecomputingResidual"), std::string::npos)
      << integrated.choice();
  expect_close(r, expected);
  prepared.prepare(Minimal{});
  const std::string choice = prepared.choice();
  Kokkos::deep_copy(r, 0.0);
  prepared.enqueue(Minimal{}, u, r);
  prepared.check(); // what zero gave while candidates were timed is forgotten
  expect_close(r, expected);
  EXPECT_EQ(prepared.choice(), choice);
  auto moved = std::move(prepared);
  EXPECT_THROW(prepared.integrate(Minimal{}, u, r), ArgumentError);
  moved.integrate(Minimal{}, u, r);
}

TEST_F(Best, KnowsWhenAMatrixIsFaster) {
  Calibration table = *times("apply", {{"RecomputingElementByElement", 1e6}});
  CalibrationRow assembly = table.rows[0];
  assembly.family = "assembly";
  assembly.strategy = "RowOwner";
  assembly.seconds = 1e9; // for a product's 1e6
  table.rows.push_back(assembly);
  const auto times = std::make_shared<const Calibration>(table);
  const ExecutionSpace exec;
  const Vector x = sines(system.num_rows());
  const auto product = [&](double products, bool matrix_expected) {
    const apply::Best best{.products = products, .calibration = times};
    const bool matrix = apply::matrix_or_not(exec, space, system.graph(), best).matrix_is_faster();
    EXPECT_EQ(matrix, matrix_expected);
    const Vector y("Tessera::Test::y", system.num_rows());
    if (matrix) {
      assembly::Best{.assemblies = 1, .calibration = times}
          .plan(space, system.graph())
          .assemble(form, system);
      const auto& graph = system.graph();
      solvers::CrsOperator<double, ExecutionSpace>(exec, graph.row_map, graph.columns, system.values())
          .apply(exec, x, y);
    } else {
      best.plan(space).prepare(form).apply(exec, x, y);
    }
    return y;
  };
  expect_close(product(10, false), product(1e5, true));
}

} // namespace strategies_best_best
