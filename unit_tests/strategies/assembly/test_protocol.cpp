// The steps of every assembly plan: plan, prepare, and a numeric step that neither waits nor allocates.

#include <tessera/core/elements/elements.hpp>
#include <tessera/strategies/assembly/element_atomic.hpp>
#include <tessera/strategies/assembly/row_owner.hpp>
#include <tessera/strategies/catalogue/any_assembly.hpp>
#include <tessera/strategies/matrix_free/node_by_node.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/hooks.hpp"
#include "support/matrices.hpp"
#include "support/test_meshes.hpp"
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using namespace tessera;
using test::Event;
using test::events_of;
using test::expect_throw_with;

template <class ExecutionSpace>
class Protocol : public ::testing::Test {
public:
  template <class Element>
  using Space = FunctionSpace<Element, ExecutionSpace>;
  using System = LinearSystem<double, ExecutionSpace>;

  template <class Element>
  static Space<Element> space(int components) {
    Space<Element> space(test::distorted_box<Element, ExecutionSpace>({{4, 3, 2}, {1, 1, 1}}), components);
    for (int c = 0; c < components; ++c) space.constrain(3, c, 0.25);
    space.add_point_load(2, 0, 1.5);
    return space;
  }

  /// Calls `visit(plan)` with every strategy's plan.
  template <class Element, class Visit>
  static void for_each_plan(const Space<Element>& space, const System& system, const Visit& visit) {
    for (const StrategyInfo& info : assembly_strategies()) {
      SCOPED_TRACE(info.name + " on " + Element::name);
      visit(*make_assembly(info.name, space, system.graph()));
    }
  }

  /// To rounding, of atomic additions.
  static void expect_equal(const System& a, const System& b) {
    const auto compare = [](const std::vector<double>& x, const std::vector<double>& y) {
      double scale = 0;
      for (const double value : y) scale = std::max(scale, std::abs(value));
      for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(x[i], y[i], 1e-13 * scale) << "entry " << i;
    };
    compare(test::to_host(a.values()), test::to_host(b.values()));
    compare(test::to_host(a.rhs()), test::to_host(b.rhs()));
  }

  template <class Element, class Form>
  static void expect_no_wait(const Form& form) {
    const auto space = Protocol::template space<Element>(Form::components);
    const System system(space), direct(system.graph());
    for_each_plan(space, system, [&](auto& plan) {
      plan.prepare(form, double());
      EXPECT_FALSE(plan.report().path.empty());
      plan.assemble(form, direct); // Kokkos' own pool of scratch grows at a space's first large launch
      for (const Event& event : events_of([&] { plan.enqueue(form, system); })) {
        EXPECT_NE(event.kind, Event::Kind::allocation) << event;
        if (event.kind == Event::Kind::fence) {
          EXPECT_TRUE(event.label.starts_with("Kokkos::Tools::")) << event;
        }
      }
      plan.check(form, system);
      expect_equal(system, direct);
    });
  }
};
TYPED_TEST_SUITE(Protocol, test::ExecutionSpaceTypes, test::ExecutionSpaceName);

TYPED_TEST(Protocol, NumericStepNeitherWaitsNorAllocates) {
  TestFixture::template expect_no_wait<Tet<1>>(
      Helmholtz<>{.sigma = CellField::per_material<TypeParam>({1.0, 2.0}), .source = 1.0});
  TestFixture::template expect_no_wait<Tet<1>>(Helmholtz<>{.sigma = 2.0});
  TestFixture::template expect_no_wait<Hex<1>>(LinearElasticity<3>{});
}

TYPED_TEST(Protocol, EnqueueRefusesWhatIsNotPrepared) {
  const auto space = TestFixture::template space<Tri<1>>(1);
  const typename TestFixture::System system(space);
  TestFixture::for_each_plan(space, system, [&](auto& plan) {
    Kokkos::deep_copy(system.values(), 3.0);
    expect_throw_with<ArgumentError>([&] { plan.enqueue(Heat{}, system); }, "not prepared");
    EXPECT_EQ(test::to_host(system.values()), std::vector<double>(system.values().extent(0), 3.0));
    plan.prepare(Heat{}, float()); // another scalar
    expect_throw_with<ArgumentError>([&] { plan.enqueue(Heat{}, system); }, "not prepared");
    plan.prepare(Heat{}, double());
    EXPECT_NO_THROW(plan.enqueue(Heat{}, system));
    EXPECT_NO_THROW(plan.check(Heat{}, system));
  });
}

TYPED_TEST(Protocol, CheckNamesTheElementOnce) {
  const auto space = TestFixture::template space<Tet<1>>(1);
  const typename TestFixture::System system(space);
  const Kokkos::View<double*, TypeParam> sigma("Tessera::Test::sigma", space.mesh().num_elements());
  Kokkos::deep_copy(sigma, 1.0);
  const Helmholtz<> form{.sigma = CellField::per_element(sigma)};
  TestFixture::for_each_plan(space, system, [&](auto& plan) {
    plan.prepare(form, double());
    Kokkos::deep_copy(Kokkos::subview(sigma, 5), NAN);
    EXPECT_NO_THROW(plan.enqueue(form, system));
    Kokkos::fence("Tessera::Test");
    Kokkos::deep_copy(Kokkos::subview(sigma, 5), 1.0);
    if (plan.info().name != "RowOwner") // looks for the element again, and finds no fault any more
      expect_throw_with<FormError>([&] { plan.check(form, system); }, "element 5 ");
    else
      EXPECT_THROW(plan.check(form, system), FormError);
    EXPECT_NO_THROW(plan.check(form, system));
    EXPECT_NO_THROW(plan.assemble(form, system));
  });
}

TYPED_TEST(Protocol, PreparesOnceForAForm) {
  const auto space = TestFixture::template space<Tet<1>>(1);
  const typename TestFixture::System system(space);
  TestFixture::for_each_plan(space, system, [&](auto& plan) {
    plan.assemble(Heat{}, system);
    const PlanReport first = plan.report();
    plan.assemble(Heat{.sigma = 3.0}, system);
    EXPECT_EQ(plan.report().prepare_seconds, first.prepare_seconds);
    EXPECT_EQ(plan.report().bytes, first.bytes);
  });
}

struct Height {
  KOKKOS_FUNCTION double operator()(const Vector<double, 3>& x) const { return x(2); }
};

TYPED_TEST(Protocol, RowOwnerReportsItsPath) {
  const auto path_of = [](const auto& space, const auto& form) {
    const LinearSystem<double, TypeParam> system(space);
    auto plan = assembly::RowOwner{}.plan(space, system.graph());
    EXPECT_EQ(plan.report().bytes, 0u);
    const PlanReport report = plan.prepare(form);
    EXPECT_GT(report.bytes, 0u);
    return report.path;
  };
  EXPECT_EQ(path_of(TestFixture::template space<Tet<1>>(1), Heat{}),
            "stars of nodes in scratch, elements in closed form");
  EXPECT_EQ(path_of(TestFixture::template space<Tet<1>>(3), LinearElasticity<3>{}),
            "rows in scratch, elements by reference tensors");
  EXPECT_EQ(path_of(TestFixture::template space<Tet<2>>(1), Helmholtz<CellField, CellField, Height>{}),
            "rows in place, elements by quadrature");
  EXPECT_EQ(path_of(TestFixture::template space<Hex<1>>(3), LinearElasticity<3>{}),
            "cells around nodes in scratch, elements by moments");
}

/// The coordinates of a mesh as they are, and bent in every element.
template <class MeshType>
struct Moves {
  using Coordinates = typename MeshType::Coordinates;
  Coordinates straight, bent;

  explicit Moves(const MeshType& mesh)
      : straight("Tessera::Test::straight", mesh.num_nodes()), bent("Tessera::Test::bent", mesh.num_nodes()) {
    const test::HostMesh<typename MeshType::Element, typename MeshType::execution_space> host(mesh);
    Kokkos::deep_copy(straight, host.coordinates);
    for (std::size_t n = 0; n < host.coordinates.extent(0); ++n) {
      host.coordinates(n, 0) *= 1.2 + 0.1 * host.coordinates(n, 1);
      host.coordinates(n, 1) *= 0.9;
    }
    Kokkos::deep_copy(bent, host.coordinates);
  }
};

TYPED_TEST(Protocol, PlansFollowAMovingMesh) {
  const auto follow = [&]<class Element>(std::type_identity<Element>) {
    auto mesh = test::distorted_box<Element, TypeParam>({{3, 2, 2}, {1, 1, 1}});
    const typename TestFixture::template Space<Element> space(mesh, 1);
    const typename TestFixture::System system(space), fresh(system.graph());
    const Moves moves(mesh);
    TestFixture::for_each_plan(space, system, [&](auto& plan) {
      plan.assemble(Heat{}, system);
      mesh.move(moves.bent);
      make_assembly("ElementAtomic", space, system.graph())->assemble(Heat{}, fresh);
      try { // either as the mesh is now, or not at all
        plan.enqueue(Heat{}, system);
        plan.check(Heat{}, system);
        TestFixture::expect_equal(system, fresh);
      } catch (const ArgumentError& error) {
        EXPECT_NE(std::string(error.what()).find("state of the mesh"), std::string::npos) << error.what();
      }
      plan.assemble(Heat{}, system);
      TestFixture::expect_equal(system, fresh);
      mesh.move(moves.straight);
    });
  };
  follow(std::type_identity<Tet<1>>());
  follow(std::type_identity<Hex<1>>());
}

TYPED_TEST(Protocol, OperatorsRefuseAMovedMesh) {
  auto mesh = test::distorted_box<Tri<1>, TypeParam>({{3, 2, 1}, {1, 1, 1}});
  const typename TestFixture::template Space<Tri<1>> space(mesh, 1);
  const auto op = matrix_free::NodeByNode{}.plan(space).template prepare<double>(Heat{});
  const Kokkos::View<double*, TypeParam> x("Tessera::Test::x", op.rows()), y("Tessera::Test::y", op.rows());
  EXPECT_NO_THROW(op.apply(TypeParam(), x, y));
  mesh.move(Moves(mesh).bent);
  expect_throw_with<ArgumentError>([&] { op.apply(TypeParam(), x, y); }, "the mesh has been moved");
}

TYPED_TEST(Protocol, PlansAreMovedAndKept) {
  const auto space = TestFixture::template space<Tet<1>>(1);
  const typename TestFixture::System system(space);
  std::optional kept(assembly::ElementAtomic{}.plan(space, system.graph()));
  auto moved = std::move(*kept);
  kept = assembly::ElementAtomic{}.plan(space, system.graph());
  EXPECT_NO_THROW(moved.assemble(Heat{}, system));
  EXPECT_NO_THROW(kept->assemble(Heat{}, system));
  std::optional operators(matrix_free::NodeByNode{}.plan(space));
  operators = matrix_free::NodeByNode{}.plan(space);
  std::vector made{operators->template prepare<double>(Heat{})};
  made.push_back(operators->template prepare<double>(Heat{.sigma = 2.0}));
  EXPECT_EQ(made.back().rows(), static_cast<std::size_t>(system.num_rows()));
  EXPECT_GT(made.back().report().bytes, 0u);
}

} // namespace
