// SPDX-License-Identifier: BSD-3-Clause
// What plan, prepare and the numeric step promise alike in every family: assembly, operators, residuals.
// Every kernel, allocation and region has a label of ours and runs on the instance that was given; the
// numeric step neither waits nor allocates, refuses what was not prepared, and does not miss that the mesh
// has moved.

#include <tessera/core/elements/elements.hpp>
#include <tessera/core/forms/solids.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/hooks.hpp"
#include "support/steps.hpp"
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace strategies_protocol {

using namespace tessera;
using test::Event;
using test::events_of;
using test::expect_throw_with;
using test::Steps;

/// To rounding, of atomic additions.
void expect_equal(const std::vector<double>& a, const std::vector<double>& b) {
  ASSERT_EQ(a.size(), b.size());
  double scale = 0;
  for (const double value : b) scale = std::max(scale, std::abs(value));
  ASSERT_GT(scale, 0);
  for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], 1e-13 * scale) << "entry " << i;
}

void expect_annotated(const auto& exec, Steps& steps) {
  const auto planning = events_of([&] { steps.plan(); });
  test::expect_annotated(exec, planning, "plan");
  test::expect_region(planning, "::plan", "plan");
  const auto preparing = events_of([&] { steps.prepare(); });
  test::expect_annotated(exec, preparing, "prepare");
  test::expect_region(preparing, "::prepare", "prepare");
  steps.enqueue();
  steps.check(); // Kokkos' own pool of scratch grows at a space's first large launch
  const auto events = events_of([&] {
    steps.enqueue();
    steps.check();
  });
  test::expect_annotated(exec, events, "numeric step");
  test::expect_no_global_fence(events, "numeric step");
  test::expect_region(events, steps.region(), "numeric step");
}

void expect_no_wait(Steps& steps) {
  steps.plan();
  steps.run();
  const auto direct = steps.result();
  steps.prepare();
  steps.enqueue();
  for (const Event& event : events_of([&] { steps.enqueue(); })) {
    EXPECT_NE(event.kind, Event::Kind::allocation) << event;
    if (event.kind == Event::Kind::fence) {
      EXPECT_TRUE(event.label.starts_with("Kokkos::Tools::")) << event;
    }
  }
  steps.check();
  expect_equal(steps.result(), direct);
}

/// `prepare` once more does nothing, and every step is in the report.
void expect_report(Steps& steps) {
  steps.plan();
  const PlanReport planned = steps.report();
  EXPECT_GT(planned.seconds, 0);
  EXPECT_EQ(planned.prepare_seconds, 0);
  steps.prepare();
  const PlanReport prepared = steps.report();
  EXPECT_EQ(prepared.seconds, planned.seconds);
  EXPECT_GT(prepared.prepare_seconds, 0);
  EXPECT_FALSE(prepared.path.empty());
  steps.prepare();
  steps.run();
  EXPECT_EQ(steps.report().bytes, prepared.bytes);
  if (steps.keeps_what_was_prepared()) {
    EXPECT_EQ(steps.report().prepare_seconds, prepared.prepare_seconds);
  }
}

void expect_refusal(Steps& steps) {
  if (!steps.keeps_what_was_prepared()) return; // there is no operator before `prepare`
  steps.plan();
  const auto before = steps.result();
  expect_throw_with<ArgumentError>([&] { steps.enqueue(); }, "not prepared");
  EXPECT_EQ(steps.result(), before);
  steps.prepare();
  EXPECT_NO_THROW(steps.enqueue());
  EXPECT_NO_THROW(steps.check());
}

/// Where the mesh has moved, `enqueue` refuses, and `prepare` and the step that prepares follow.
template <class MeshType>
void expect_to_follow(Steps& steps, MeshType mesh, const test::Moves<MeshType>& moves) {
  const auto of_new_plan = [&] {
    steps.plan();
    steps.run();
    return steps.result();
  };
  const auto straight = of_new_plan();
  mesh.move(moves.bent);
  expect_throw_with<ArgumentError>([&] { steps.enqueue(); }, "the mesh");
  steps.prepare();
  steps.enqueue();
  steps.check();
  const auto bent = steps.result();
  expect_equal(bent, of_new_plan());
  EXPECT_NE(bent, straight);
  mesh.move(moves.straight);
  steps.run();
  expect_equal(steps.result(), straight);
}

template <class ExecutionSpace>
class Protocol : public ::testing::Test {
public:
  const ExecutionSpace exec = test::other_instance<ExecutionSpace>();

  template <class Element>
  FunctionSpace<Element, ExecutionSpace>
  space(int components, ConstraintTreatment treatment = ConstraintTreatment::removed) const {
    FunctionSpace<Element, ExecutionSpace> space(
        test::distorted_box<Element, ExecutionSpace>({{4, 3, 2}, {1, 1, 1}}), components, treatment);
    for (const Ordinal node : {1, 4, 7})
      for (int c = 0; c < components; ++c) space.constrain(node, c, 0.25);
    space.add_point_load(2, 0, 1.5);
    space.nodal_loads(exec); // loads reach the device here, not in the first strategy's preparation
    return space;
  }

  /// Visits all families on an element, and assembly, whose strategies are compiled, on more.
  template <class Visit>
  void for_all(const Visit& visit) const {
    test::for_each_of_all_families(exec, space<Quad<1>>(2), LinearElasticity<2>{}, HookeanSolid<2>{}, visit);
    test::for_each_assembly(exec, space<Tet<1>>(1), Helmholtz<>{.sigma = 2.0}, visit);
    test::for_each_assembly(
        exec, space<Tet<1>>(1, ConstraintTreatment::zeroed),
        Helmholtz<>{.sigma = CellField::per_material<ExecutionSpace>({1.0, 2.0}), .source = 1.0}, visit);
    test::for_each_assembly(exec, space<Hex<1>>(3, ConstraintTreatment::zeroed), LinearElasticity<3>{},
                            visit);
  }
};
TYPED_TEST_SUITE(Protocol, test::ExecutionSpaceTypes, test::ExecutionSpaceName);

TYPED_TEST(Protocol, EveryStepIsAnnotatedAndStaysOnItsInstance) {
  this->for_all([&](Steps& steps) { expect_annotated(this->exec, steps); });
}

TYPED_TEST(Protocol, NumericStepNeitherWaitsNorAllocates) { this->for_all(expect_no_wait); }

TYPED_TEST(Protocol, EnqueueRefusesWhatIsNotPrepared) { this->for_all(expect_refusal); }

TYPED_TEST(Protocol, ReportsItsStepsAndPreparesOnce) { this->for_all(expect_report); }

TYPED_TEST(Protocol, PlansFollowAMovingMesh) {
  const auto follow = [](const auto& space) {
    return [mesh = space.mesh(), moves = test::Moves(space.mesh())](Steps& steps) {
      expect_to_follow(steps, mesh, moves);
    };
  };
  const auto flat = this->template space<Quad<1>>(2);
  test::for_each_of_all_families(this->exec, flat, LinearElasticity<2>{}, HookeanSolid<2>{}, follow(flat));
  const auto tetrahedra = this->template space<Tet<1>>(1);
  test::for_each_assembly(this->exec, tetrahedra, Heat{}, follow(tetrahedra));
  const auto hexahedra = this->template space<Hex<1>>(1);
  test::for_each_assembly(this->exec, hexahedra, Heat{}, follow(hexahedra));
}

TYPED_TEST(Protocol, OperatorsLoadAndDiagonalAreAnnotated) {
  const auto space = this->template space<Quad<1>>(2);
  for_each_strategy<MatrixFreeCatalogue>([&](const auto& variant) {
    const auto op = variant.strategy.plan(this->exec, space).prepare(LinearElasticity<2>{});
    const Kokkos::View<double*, TypeParam> y("Tessera::Test::y", op.rows());
    test::expect_annotated(this->exec, events_of([&] { op.load(this->exec, y); }), variant.name + "::load");
    test::expect_annotated(this->exec, events_of([&] { op.diagonal(this->exec, y); }),
                           variant.name + "::diagonal");
  });
}

} // namespace strategies_protocol
