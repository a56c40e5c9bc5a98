#include <tessera/core/function_space.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/test_meshes.hpp"
#include <cmath>

namespace {

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
  const auto full = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), space.expand(solution));
  for (Ordinal dof = 0; dof < 12; ++dof)
    EXPECT_EQ(full(dof), dof == 2 ? 3.0 : dof == 8 ? 1.0 : dof == 9 ? 2.0 : 5.0) << dof;
  EXPECT_THAT([&] { space.expand(full); },
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

template <class E>
class Loads : public ::testing::Test {};
using Solids = ::testing::Types<Tri<1>, Tri<3>, Quad<2>, Tet<1>, Tet<2>, Hex<1>, Hex<2>>;
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
}

} // namespace
