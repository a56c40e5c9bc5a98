// SPDX-License-Identifier: BSD-3-Clause
// Assemblies of the matrix alone, of the right-hand side alone, and onto what a system holds, by every
// strategy.

#include <tessera/core/elements/elements.hpp>
#include <tessera/core/forms/sum.hpp>
#include <tessera/core/space/right_hand_side.hpp>
#include <tessera/core/system/add_natural_terms.hpp>
#include <tessera/strategies/assembly/element_atomic.hpp>
#include <tessera/strategies/catalogue/any_assembly.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/hooks.hpp"
#include "support/matrices.hpp"
#include "support/meshes/test_meshes.hpp"
#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

namespace strategies_assembly_assembly_options {

using namespace tessera;
using test::Event;
using test::events_of;
using test::expect_throw_with;
using test::to_host;

template <class ExecutionSpace>
class Options : public ::testing::Test {
public:
  template <class Element>
  using Space = FunctionSpace<Element, ExecutionSpace>;
  using System = LinearSystem<double, ExecutionSpace>;

  /// With constraints, loads and a Robin side.
  template <class Element>
  static Space<Element> space(int components, ConstraintTreatment treatment) {
    Space<Element> space(test::distorted_box<Element, ExecutionSpace>({{4, 3, 2}, {1, 1, 1}}), components,
                         treatment);
    for (int c = 0; c < components; ++c) space.constrain(3, c, 0.25);
    space.constrain(7, 0, -0.5);
    space.add_point_load(2, 0, 1.5);
    const typename Mesh<Element, ExecutionSpace>::SideSet sides("Tessera::Test::sides", 2);
    const auto host = Kokkos::create_mirror_view(sides);
    for (int s = 0; s < 2; ++s) host(s, 0) = s, host(s, 1) = 1;
    Kokkos::deep_copy(sides, host);
    space.add_robin(sides, 2.0, 3.0);
    return space;
  }

  template <class Element, class Form>
  static System assembled(const Form& form, const Space<Element>& space,
                          const SparsityGraph<ExecutionSpace>& graph) {
    const System system(graph);
    assembly::ElementAtomic{}.plan(space, graph).assemble(form, system);
    return system;
  }

  /// To rounding, of atomic additions.
  static void expect_equal(const std::vector<double>& found, const std::vector<double>& expected) {
    double scale = 0;
    for (const double value : expected) scale = std::max(scale, std::abs(value));
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i)
      ASSERT_NEAR(found[i], expected[i], 1e-13 * scale) << "entry " << i;
  }
  static void expect_equal(const System& found, const System& expected) {
    expect_equal(to_host(found.values()), to_host(expected.values()));
    expect_equal(to_host(found.rhs()), to_host(expected.rhs()));
  }

  /// Calls `visit(plan)` with every strategy's plan.
  template <class Element, class Visit>
  static void for_each_plan(const Space<Element>& space, const System& system, const Visit& visit) {
    for (const StrategyInfo& info : assembly_strategies()) {
      SCOPED_TRACE(info.name + " on " + Element::name);
      visit(*make_assembly(info.name, space, system.graph()));
    }
  }

  /// A form assembled onto another's system is as their sum, or is refused by name.
  template <class Element, class Form>
  static void expect_added(const Form& first, const Form& second) {
    for (const auto treatment : {ConstraintTreatment::removed, ConstraintTreatment::zeroed}) {
      const auto space = Options::template space<Element>(Form::components, treatment);
      const System system(space);
      const System both = assembled(sum(first, second), space, system.graph());
      const System alone = assembled(first, space, system.graph());
      const System by_parts(system.graph());
      assembly::ElementAtomic{}.plan(space, system.graph()).assemble(first, by_parts, {.add = true});
      add_natural_terms(ExecutionSpace(), space, by_parts);
      expect_equal(by_parts, alone);
      std::set<std::string> refused;
      for_each_plan(space, system, [&](auto& plan) {
        plan.assemble(first, system);
        try {
          plan.assemble(second, system, {.add = true});
          expect_equal(system, both);
        } catch (const UnsupportedError& error) {
          const std::string name = plan.info().name.substr(0, plan.info().name.find('/'));
          EXPECT_EQ(std::string(error.what()).find(name + ": writes every value once"), 0u) << error.what();
          refused.insert(name);
          expect_equal(system, alone);
        }
      });
      EXPECT_EQ(refused, (std::set<std::string>{"Patch", "RowOwner"}));
    }
  }

  template <class Element, class Form>
  static void expect_matrix_alone(const Form& form) {
    const auto space = Options::template space<Element>(Form::components, ConstraintTreatment::zeroed);
    const System system(space);
    const auto expected = to_host(assembled(form, space, system.graph()).values());
    const std::vector<double> sevens(system.num_rows(), 7.0);
    for_each_plan(space, system, [&](auto& plan) {
      Kokkos::deep_copy(system.rhs(), 7.0);
      plan.prepare(form, double());
      const std::size_t bytes = plan.report().bytes;
      expect_throw_with<ArgumentError>([&] { plan.enqueue(form, system, {.matrix_alone = true}); },
                                       "not prepared for this form, scalar, options");
      plan.prepare(form, double(), {.matrix_alone = true});
      EXPECT_EQ(plan.report().bytes, bytes + 8 * sevens.size());
      plan.assemble(form, system, {.matrix_alone = true});
      for (const Event& event : events_of([&] { plan.enqueue(form, system, {.matrix_alone = true}); }))
        EXPECT_NE(event.kind, Event::Kind::allocation) << event;
      plan.check(form, system);
      expect_equal(to_host(system.values()), expected);
      EXPECT_EQ(to_host(system.rhs()), sevens);
    });
  }

  /// The right-hand side alone, and one added to another, are as those of whole systems.
  template <class Element, class Form>
  static void expect_right_hand_side(const Form& first, const Form& second) {
    for (const auto treatment : {ConstraintTreatment::removed, ConstraintTreatment::zeroed}) {
      const auto space = Options::template space<Element>(Form::components, treatment);
      const auto graph = sparsity_graph(ExecutionSpace(), space);
      const RightHandSide right_hand_side(space);
      const Kokkos::View<double*, ExecutionSpace> f("Tessera::Test::f", graph.num_rows());
      Kokkos::deep_copy(f, NAN);
      right_hand_side.assemble(first, f);
      expect_equal(to_host(f), to_host(assembled(first, space, graph).rhs()));
      right_hand_side.assemble(second, f, true);
      expect_equal(to_host(f), to_host(assembled(sum(first, second), space, graph).rhs()));
    }
  }
};
TYPED_TEST_SUITE(Options, test::ExecutionSpaceTypes, test::ExecutionSpaceName);

const Helmholtz<> heat{.sigma = 2.0, .lambda = 0.5, .source = 1.5}, other_heat{.sigma = 0.7, .source = -0.5};

template <int Dimension>
LinearElasticity<Dimension> elastic(double young) {
  LinearElasticity<Dimension> form{.young = young, .poisson = 0.3};
  form.body_force[0] = young - 1.5;
  return form;
}

TYPED_TEST(Options, AddToWhatTheSystemHolds) {
  TestFixture::template expect_added<Tri<1>>(heat, other_heat);
  TestFixture::template expect_added<Hex<1>>(elastic<3>(1.0), elastic<3>(4.0));
}

TYPED_TEST(Options, LeaveTheRightHandSide) {
  TestFixture::template expect_matrix_alone<Tri<1>>(heat);
  TestFixture::template expect_matrix_alone<Hex<1>>(elastic<3>(2.0));
}

TYPED_TEST(Options, TheRightHandSideAlone) {
  TestFixture::template expect_right_hand_side<Tri<1>>(heat, other_heat);
  TestFixture::template expect_right_hand_side<Hex<1>>(elastic<3>(1.0), elastic<3>(4.0));
}

TYPED_TEST(Options, TheRightHandSideAloneRefuses) {
  auto space = TestFixture::template space<Tri<1>>(1, ConstraintTreatment::removed);
  const RightHandSide right_hand_side(space);
  const Kokkos::View<double*, TypeParam> f("Tessera::Test::f", space.equations().count),
      longer("Tessera::Test::f", space.num_dofs());
  expect_throw_with<ArgumentError>([&] { right_hand_side.assemble(heat, longer); }, "entries for");
  expect_throw_with<ArgumentError>([&] { right_hand_side.assemble(elastic<2>(1.0), f); },
                                   "the form has 2 components per node, the space has 1");
  const Kokkos::View<double*, TypeParam> sigma("Tessera::Test::sigma", space.mesh().num_elements());
  Kokkos::deep_copy(sigma, 1.0);
  Kokkos::deep_copy(Kokkos::subview(sigma, 5), -1.0);
  expect_throw_with<FormError>(
      [&] { right_hand_side.assemble(Helmholtz<>{.sigma = CellField::per_element(sigma)}, f); },
      "RightHandSide: element 5 has ");
}

} // namespace strategies_assembly_assembly_options
