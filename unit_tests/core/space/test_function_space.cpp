// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/space/function_space.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/matrices.hpp"
#include "support/meshes/test_meshes.hpp"
#include <array>
#include <cmath>

namespace core_space_function_space {

using namespace tessera;
using Space = Kokkos::DefaultExecutionSpace;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(FunctionSpace, RefusesComponentsOutOfRange) {
  const auto mesh = io::box_mesh<Tri<1>, Space>({});
  for (int components : {0, 9})
    EXPECT_THAT([&] { FunctionSpace(mesh, components); },
                ThrowsMessage<ArgumentError>("FunctionSpace: 1 to 8 components per node, got " +
                                             std::to_string(components)));
}

TEST(FunctionSpace, RefusesBadConstraintsAndLoads) {
  const auto mesh = io::box_mesh<Tri<1>, Space>({});
  FunctionSpace space(mesh, 2);
  EXPECT_THAT(
      [&] { space.constrain(4, 0, 0.0); },
      ThrowsMessage<ArgumentError>("FunctionSpace::constrain: node 4 does not exist: nodes are 0 to 3"));
  EXPECT_THAT(
      [&] { space.constrain(0, 2, 0.0); },
      ThrowsMessage<ArgumentError>("FunctionSpace::constrain: component 2 does not exist: they are 0 to 1"));
  EXPECT_THAT([&] { space.constrain(1, 0, std::nan("")); },
              ThrowsMessage<ArgumentError>("FunctionSpace::constrain: the value at node 1 is not finite"));
  EXPECT_THAT([&] { space.constrain(mesh.node_set("xmin"), {1.0}); },
              ThrowsMessage<ArgumentError>("FunctionSpace::constrain: 1 values for 2 components"));
  EXPECT_THAT([&] { space.add_load(mesh.side_set("xmin"), {1.0, 2.0, 3.0}); },
              ThrowsMessage<ArgumentError>("FunctionSpace::add_load: 3 values for 2 components"));
  EXPECT_THAT([&] { space.add_point_load(-1, 0, 1.0); },
              ThrowsMessage<ArgumentError>(HasSubstr("node -1 does not exist")));
  FunctionSpace scalar(mesh, 1);
  EXPECT_THAT(
      [&] { scalar.add_pressure(mesh.side_set("xmin"), 1.0); },
      ThrowsMessage<ArgumentError>(HasSubstr("a pressure needs 2 components per node, the space has 1")));
}

/// What kernels see of the equations of the test below.
struct AskEquations {
  Equations<Space> equations;
  Kokkos::View<Ordinal*, Space> found;
  KOKKOS_FUNCTION void operator()(int) const {
    found(0) = equations.equation(0, 1);
    found(1) = equations.equation(1, 1);
    found(2) = equations.equation(5, 0);
    found(3) = equations.equations_of(4);
    found(4) = equations.is_constrained(1, 0) && !equations.is_constrained(1, 1);
  }
};

TEST(FunctionSpace, NumbersFreeEquationsConsecutively) {
  const auto mesh = io::box_mesh<Quad<1>, Space>({{2, 1, 1}}); // six nodes
  FunctionSpace space(mesh, 2);
  EXPECT_EQ(space.equations().count, 12);
  space.constrain(1, 0, 3.0);
  space.constrain(4, 0, 1.0);
  space.constrain(4, 1, 2.0);
  const auto equations = space.equations();
  EXPECT_EQ(equations.count, 9);
  EXPECT_TRUE(equations.removed);
  Kokkos::View<Ordinal*, Space> found("Tessera::Test::found", 5);
  Kokkos::parallel_for("Tessera::Test::equations", Kokkos::RangePolicy<Space>(0, 1),
                       AskEquations{equations, found});
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), found);
  EXPECT_EQ(host(0), 1);
  EXPECT_EQ(host(1), 2);
  EXPECT_EQ(host(2), 7);
  EXPECT_EQ(host(3), 0);
  EXPECT_EQ(host(4), 1);

  Kokkos::View<double*, Space> solution("Tessera::Test::solution", 9);
  Kokkos::deep_copy(solution, 5.0);
  const auto expanded = space.expand(solution);
  const auto full = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), expanded);
  for (Ordinal dof = 0; dof < 12; ++dof)
    EXPECT_EQ(full(dof), dof == 2 ? 3.0 : dof == 8 ? 1.0 : dof == 9 ? 2.0 : 5.0) << dof;
  EXPECT_THAT([&] { space.expand(expanded); },
              ThrowsMessage<ArgumentError>("FunctionSpace::expand: 12 values for 9 equations"));
}

TEST(FunctionSpace, RevisionTellsOfNewConstraintsNotOfNewValues) {
  FunctionSpace space(io::box_mesh<Tri<1>, Space>({}), 1);
  const auto before = space.revision();
  space.constrain(0, 0, 1.0);
  const auto after = space.revision();
  EXPECT_NE(before, after);
  space.constrain(0, 0, 2.0);
  EXPECT_EQ(space.revision(), after);
  const auto equations = space.equations();
  EXPECT_EQ(Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), equations.prescribed)(0), 2.0);
}

TEST(FunctionSpace, ReleasesConstraints) {
  const auto mesh = io::box_mesh<Quad<1>, Space>({{2, 1, 1}}); // six nodes
  FunctionSpace space(mesh, 2);
  const FunctionSpace copy(space);
  const auto left = mesh.node_set("xmin"), right = mesh.node_set("xmax");
  space.constrain(left, {1.0, 2.0});
  space.constrain(right, {3.0, 4.0});
  EXPECT_EQ(space.equations().count, 4);
  const auto before = space.revision();
  space.release(right, 1);
  EXPECT_NE(space.revision(), before);
  EXPECT_EQ(space.equations().count, 6);
  EXPECT_EQ(copy.equations().count, 6);
  const auto after = space.revision();
  space.release(right, 1); // is free already
  EXPECT_EQ(space.revision(), after);
  space.constrain(right, 1, 5.0);
  EXPECT_EQ(space.equations().count, 4);
  EXPECT_EQ(Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), space.equations().prescribed)(5), 5.0);
  EXPECT_THAT(
      [&] { space.release(left, 2); },
      ThrowsMessage<ArgumentError>("FunctionSpace::release: component 2 does not exist: they are 0 to 1"));
  EXPECT_THAT(
      [&] { space.release(test::to_device<Space>(std::vector<Ordinal>{0, 6})); },
      ThrowsMessage<ArgumentError>("FunctionSpace::release: node 6 does not exist: nodes are 0 to 5"));
  space.release(left);
  space.release(right);
  EXPECT_EQ(space.revision(), 0u);
  EXPECT_EQ(space.equations().count, 12);
  EXPECT_FALSE(space.equations().constrained);
  space.constrain(left, {0.0, 0.0}); // nothing of the old values comes back
  EXPECT_EQ(Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), space.equations().prescribed)(5), 0.0);
  space.clear_constraints();
  EXPECT_EQ(copy.equations().count, 12);
  EXPECT_FALSE(copy.equations().constrained);
}

/// Every failed call leaves the space as it was.
TEST(FunctionSpace, RefusesSetsThatTheMeshDoesNotHave) {
  const auto mesh = io::box_mesh<Tri<1>, Space>({{2, 2}}); // nine nodes, eight elements of three sides
  FunctionSpace space(mesh, 1);
  const auto nodes = test::to_device<Space>(std::vector<Ordinal>{1, 9});
  const auto refuses = [&](const auto& call, const char* message) {
    EXPECT_THAT(call, ThrowsMessage<ArgumentError>(message));
  };
  refuses([&] { space.constrain(nodes, {0.0}); },
          "FunctionSpace::constrain: node 9 does not exist: nodes are 0 to 8");
  refuses([&] { space.prescribe(nodes, [](const auto&) { return 1.0; }); },
          "FunctionSpace::prescribe: node 9 does not exist: nodes are 0 to 8");
  EXPECT_EQ(space.revision(), 0u);
  EXPECT_EQ(space.equations().count, 9);

  const Mesh<Tri<1>, Space>::SideSet sides("Tessera::Test::sides", 3);
  Kokkos::deep_copy(sides, 3);
  refuses([&] { space.add_load(sides, {1.0}); },
          "side set: entry 0 names a side that does not exist: they are 0 to 2");
  Kokkos::deep_copy(sides, -1);
  refuses([&] { space.add_load(sides, {1.0}); },
          "side set: entry 0 names an element that does not exist: they are 0 to 7");
  refuses([&] { space.add_load(mesh.side_set("xmin"), {INFINITY}); },
          "FunctionSpace::add_load: the value at node 3 is not finite");
  refuses([&] { space.add_load(mesh.side_set("xmin"), [](const auto& x) { return std::log(-1 - x(0)); }); },
          "FunctionSpace::add_load: the value at node 3 is not finite");
  EXPECT_EQ(space.nodal_loads().dofs.extent(0), 0u);
  const Kokkos::View<Ordinal**, Kokkos::LayoutRight, Space> wide("Tessera::Test::wide", 2, 3);
  refuses([&] { space.add_load(wide, {1.0}); },
          "FunctionSpace::add_load: sides: the view is 2 x 3, its index 1 must count 2");
  refuses([&] { space.constrain(Kokkos::subview(sides, Kokkos::ALL, 0), {1.0}); },
          "FunctionSpace::constrain: nodes: the view's stride along index 0 is 2, it must be 1; copy it into "
          "one without gaps");
}

TEST(FunctionSpace, PrescribesByFunctionAndByView) {
  const auto mesh = io::box_mesh<Quad<1>, Space>({{2, 1}, {2.0, 1.0}}); // nodes (0,0) (1,0) (2,0) (0,1) ...
  FunctionSpace space(mesh, 2, ConstraintTreatment::zeroed);
  const auto values = [&] { return test::to_host(space.equations().prescribed); };
  space.prescribe(mesh.node_set("ymax"), [](const auto& x) { return std::array{3 * x(0), x(1)}; });
  EXPECT_EQ(values(), (std::vector<double>{0, 0, 0, 0, 0, 0, 0, 1, 3, 1, 6, 1}));
  space.prescribe(mesh.node_set("ymin"), 1, [](const auto& x) { return -x(0); });
  EXPECT_EQ(values(), (std::vector<double>{0, 0, 0, -1, 0, -2, 0, 1, 3, 1, 6, 1}));
  const Kokkos::View<double* [2], Space> given("Tessera::Test::given", 2);
  Kokkos::deep_copy(given, 7.0);
  space.prescribe(mesh.node_set("xmin"), given);
  EXPECT_EQ(values(), (std::vector<double>{7, 7, 0, -1, 0, -2, 7, 7, 3, 1, 6, 1}));
  EXPECT_EQ(test::to_host(space.equations().mask), (std::vector<std::uint8_t>{3, 2, 2, 3, 3, 3}));

  EXPECT_THAT([&] { space.prescribe(mesh.node_set("ymin"), given); },
              ThrowsMessage<ArgumentError>(
                  "FunctionSpace::prescribe: values are 2 x 2, needed are 3 nodes x 2 components"));
  EXPECT_THAT([&] { space.prescribe(mesh.node_set("ymin"), [](const auto&) { return 1.0; }); },
              ThrowsMessage<ArgumentError>("FunctionSpace::prescribe: 1 values for 2 components"));
  EXPECT_THAT([&] { space.prescribe(mesh.node_set("ymin"), 2, [](const auto&) { return 1.0; }); },
              ThrowsMessage<ArgumentError>(HasSubstr("component 2 does not exist")));
  EXPECT_EQ(values(), (std::vector<double>{7, 7, 0, -1, 0, -2, 7, 7, 3, 1, 6, 1}));
}

TEST(FunctionSpace, NewValuesAndLoadsReuseMemory) {
  const auto mesh = io::box_mesh<Tri<1>, Space>({{4, 4}});
  FunctionSpace space(mesh, 1);
  space.constrain(mesh.node_set("xmin"), {1.0});
  space.add_load(mesh.side_set("xmax"), {1.0});
  space.add_load(mesh.side_set("ymax"), {1.0});
  const auto before = space.equations();
  const auto loads = space.nodal_loads();
  EXPECT_EQ(loads.dofs.extent(0), 9u);

  space.constrain(mesh.node_set("xmin"), {2.0});
  space.clear_loads();
  EXPECT_EQ(space.nodal_loads().dofs.extent(0), 0u);
  space.add_load(mesh.side_set("xmax"), {3.0});
  EXPECT_EQ(space.equations().prescribed.data(), before.prescribed.data());
  EXPECT_EQ(test::to_host(before.prescribed)[0], 2.0);
  const auto again = space.nodal_loads();
  EXPECT_EQ(again.dofs.data(), loads.dofs.data());
  ASSERT_EQ(again.dofs.extent(0), 5u);
  EXPECT_NEAR(test::to_host(again.values)[1], 0.75, 1e-14);

  space.constrain(mesh.node_set("ymin"), {0.0}); // another numbering: what graphs hold of the old one stays
  EXPECT_NE(space.equations().mask.data(), before.mask.data());
}

template <class E>
class Loads : public ::testing::Test {};
using Solids = ::testing::Types<Tri<1>, Tri<3>, Quad<2>, Tet<1>, Tet<2>, Hex<1>, Hex<2>, Quad8, Hex20,
                                Wedge<1>, Pyramid<1>, Wedge<2>, Wedge15, Pyramid13>;
TYPED_TEST_SUITE(Loads, Solids);

/// Sum of the loads of one component.
template <class S>
double sum(const S& space, int component) {
  const auto loads = space.nodal_loads();
  const auto dofs = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), loads.dofs);
  const auto values = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), loads.values);
  double total = 0;
  for (std::size_t i = 0; i < dofs.extent(0); ++i)
    if (dofs(i) % space.components() == component) total += values(i);
  return total;
}

TYPED_TEST(Loads, SumToTractionTimesArea) {
  constexpr int d = TypeParam::dimension;
  const auto mesh = io::box_mesh<TypeParam, Space>({{2, 3, 2}, {2.0, 3.0, 5.0}});
  const double area = d == 3 ? 15.0 : 3.0; // of the face xmax
  FunctionSpace space(mesh, d);
  std::vector<double> traction{1.0, -2.0, 4.0};
  traction.resize(d);
  space.add_load(mesh.side_set("xmax"), traction);
  for (int c = 0; c < d; ++c) EXPECT_NEAR(sum(space, c), traction[c] * area, 1e-12);

  FunctionSpace pressed(mesh, d);
  pressed.add_pressure(mesh.side_set("xmax"), 10.0);
  EXPECT_NEAR(sum(pressed, 0), -10.0 * area, 1e-11);
  EXPECT_NEAR(sum(pressed, 1), 0.0, 1e-11);
  pressed.add_pressure(mesh.side_set("xmin"), 10.0);
  EXPECT_NEAR(sum(pressed, 0), 0.0, 1e-11);

  // A function of the position: y over the side is half its length on average.
  FunctionSpace varying(mesh, d);
  varying.add_load(mesh.side_set("xmax"), [](const auto& x) {
    std::array<double, d> load{};
    load[0] = x(0) + 4 * x(1);
    return load;
  });
  EXPECT_NEAR(sum(varying, 0), (2 + 4 * 1.5) * area, 1e-12 * area);
  EXPECT_NEAR(sum(varying, 1), 0.0, 1e-12);
  varying.clear_loads();
  varying.add_pressure(mesh.side_set("xmax"), [](const auto& x) { return 2 * x(1); });
  EXPECT_NEAR(sum(varying, 0), -3.0 * area, 1e-12 * area);
}

// Sides of all kinds that an element has.
TYPED_TEST(Loads, OfAClosedSurfaceAreInBalance) {
  constexpr int d = TypeParam::dimension;
  const auto mesh = io::box_mesh<TypeParam, Space>({{2, 3, 2}, {2.0, 3.0, 5.0}});
  const double volume = d == 3 ? 30 : 6, area = d == 3 ? 62 : 10;
  FunctionSpace space(mesh, d);
  const auto sides = boundary_sides(mesh);
  space.add_pressure(sides, 7.0);
  for (int c = 0; c < d; ++c) EXPECT_NEAR(sum(space, c), 0, 1e-11);
  const auto loads = space.nodal_loads();
  const auto dofs = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), loads.dofs);
  const auto values = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), loads.values);
  const auto x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mesh.coordinates());
  double work = 0;
  for (std::size_t i = 0; i < dofs.extent(0); ++i) work += values(i) * x(dofs(i) / d, dofs(i) % d);
  EXPECT_NEAR(work, -7.0 * d * volume, 1e-10);

  FunctionSpace cooled(mesh, 1);
  cooled.add_robin(sides, 2.0, 3.0);
  const auto robin = cooled.robin(Space());
  const auto total = [](const auto& view) {
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
    double all = 0;
    for (std::size_t i = 0; i < host.extent(0); ++i) all += host(i, 0);
    return all;
  };
  EXPECT_NEAR(total(robin.loads), 6.0 * area, 1e-10);
  EXPECT_NEAR(total(robin.products), 2.0 * area, 1e-10);
}

} // namespace core_space_function_space
