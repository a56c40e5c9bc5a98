// SPDX-License-Identifier: BSD-3-Clause
// Every kernel, allocation and region has a label of ours and runs on the instance that was given: what
// Kokkos Tools show is readable, and work on several instances can overlap (the idea of ArborX's tests of its
// annotations and execution space instances).

#include <tessera/core/elements/elements.hpp>
#include <tessera/core/graphs/coloring.hpp>
#include <tessera/core/graphs/reorder.hpp>
#include <tessera/core/system/element_to_values.hpp>
#include <tessera/solvers/block_jacobi.hpp>
#include <tessera/solvers/solve.hpp>
#include <tessera/strategies/catalogue/any_assembly.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/hooks.hpp"
#include "support/meshes/test_meshes.hpp"
#include <algorithm>
#include <string>
#include <vector>

namespace strategies_assembly_hooks {

using namespace tessera;
using test::Event;
using test::events_of;
using test::expect_annotated;
using test::expect_no_global_fence;
using test::expect_region;

template <class ExecutionSpace>
struct FillWithIndex {
  Kokkos::View<int*, ExecutionSpace> view;
  KOKKOS_FUNCTION void operator()(int i) const { view(i) = i; }
};

template <class ExecutionSpace>
class Hooks : public ::testing::Test {
public:
  const ExecutionSpace exec = test::other_instance<ExecutionSpace>();

  template <class Element>
  static FunctionSpace<Element, ExecutionSpace> space(int components, ConstraintTreatment treatment) {
    FunctionSpace<Element, ExecutionSpace> space(
        test::distorted_box<Element, ExecutionSpace>({{3, 3, 2}, {1, 1, 1}}), components, treatment);
    for (const Ordinal node : {1, 4, 7})
      for (int c = 0; c < components; ++c) space.constrain(node, c, 0.5);
    space.add_point_load(2, 0, 1.5);
    return space;
  }
};
TYPED_TEST_SUITE(Hooks, test::ExecutionSpaceTypes, test::ExecutionSpaceName);

TYPED_TEST(Hooks, Recorder) {
  const auto events = events_of([&] {
    const Kokkos::View<int*, TypeParam> view(Kokkos::view_alloc(this->exec, std::string("mine")), 3);
    Kokkos::parallel_for("kernel", Kokkos::RangePolicy<TypeParam>(this->exec, 0, 3),
                         FillWithIndex<TypeParam>{view});
    Kokkos::fence("everything");
  });
  const auto has = [&](Event::Kind kind, const std::string& label) {
    return std::any_of(events.begin(), events.end(),
                       [&](const Event& e) { return e.kind == kind && e.label == label; });
  };
  EXPECT_TRUE(has(Event::Kind::allocation, "mine"));
  EXPECT_TRUE(has(Event::Kind::kernel, "kernel"));
  EXPECT_TRUE(has(Event::Kind::fence, "everything"));
  EXPECT_TRUE(events_of([] {}).empty());
}

TYPED_TEST(Hooks, MeshGraphAndMap) {
  using MeshType = Mesh<Tet<1>, TypeParam>;
  expect_annotated(this->exec,
                   events_of([&] { io::box_mesh<Tet<1>, TypeParam>(this->exec, {{2, 2, 2}, {1, 1, 1}}); }),
                   "box");
  const MeshType mesh = io::box_mesh<Tet<1>, TypeParam>({{2, 2, 2}, {1, 1, 1}});
  const typename MeshType::Coordinates coordinates("Tessera::Test::coordinates", mesh.num_nodes());
  Kokkos::deep_copy(coordinates, mesh.coordinates());
  expect_annotated(this->exec, events_of([&] { MeshType(this->exec, coordinates, mesh.connectivity()); }),
                   "mesh");
  for (const auto treatment : {ConstraintTreatment::removed, ConstraintTreatment::zeroed}) {
    const auto space = this->template space<Tet<1>>(2, treatment);
    SparsityGraph<TypeParam> graph;
    expect_annotated(this->exec, events_of([&] { graph = sparsity_graph(this->exec, space); }), "graph");
    expect_annotated(this->exec, events_of([&] { element_to_values(this->exec, space, graph); }), "map");
    expect_annotated(this->exec, events_of([&] { LinearSystem<double, TypeParam>(this->exec, graph); }),
                     "system");
    const Kokkos::View<double*, TypeParam> x("Tessera::Test::x", graph.num_rows());
    expect_annotated(this->exec, events_of([&] { space.expand(this->exec, x); }), "expand");
  }
}

TYPED_TEST(Hooks, OperatorsPreconditionersAndCg) {
  const auto space = this->template space<Tri<1>>(2, ConstraintTreatment::zeroed);
  const LinearSystem<double, TypeParam> system(this->exec, space);
  make_assembly(this->exec, "ElementAtomic", space, system.graph())->assemble(LinearElasticity<2>{}, system);
  const auto& graph = system.graph();
  const Kokkos::View<double*, TypeParam> x("Tessera::Test::x", system.num_rows()),
      y("Tessera::Test::y", system.num_rows());
  using Operator = solvers::CrsOperator<double, TypeParam>;
  using Jacobi = solvers::Jacobi<double, TypeParam>;
  using Blocks = solvers::BlockJacobi<2, double, TypeParam>;
  const auto make = [&]<class Type>(std::type_identity<Type>, const std::string& who) {
    expect_annotated(
        this->exec, events_of([&] { Type(this->exec, graph.row_map, graph.columns, system.values()); }), who);
    const Type made(this->exec, graph.row_map, graph.columns, system.values());
    const auto events = events_of([&] { made.apply(this->exec, x, y); });
    expect_annotated(this->exec, events, who + "::apply");
    expect_no_global_fence(events, who + "::apply");
    return events;
  };
  expect_region(make(std::type_identity<Operator>(), "CrsOperator"), "CrsOperator::apply", "CrsOperator");
  make(std::type_identity<Jacobi>(), "Jacobi");
  make(std::type_identity<Blocks>(), "BlockJacobi");
  const auto events = events_of([&] { solvers::cg(this->exec, system, x); });
  expect_annotated(this->exec, events, "cg");
  expect_no_global_fence(events, "cg");
  const Operator matrix(this->exec, graph.row_map, graph.columns, system.values());
  expect_region(events_of([&] { solvers::cg(this->exec, matrix, system.rhs(), x); }), "::solve", "cg");
}

TYPED_TEST(Hooks, ColoringAndReordering) {
  const auto mesh = test::distorted_box<Tri<1>, TypeParam>({{4, 3, 2}, {1, 1, 1}});
  expect_annotated(this->exec,
                   events_of([&] { color_elements(this->exec, mesh.connectivity(), mesh.num_nodes()); }),
                   "coloring");
}

} // namespace strategies_assembly_hooks
