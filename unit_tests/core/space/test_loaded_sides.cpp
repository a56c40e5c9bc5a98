// SPDX-License-Identifier: BSD-3-Clause
// Loads on faces that stand twice in a set, on faces inside the mesh, and on meshes whose areas leave the
// range of squares.

#include <tessera/core/mesh/side_sets.hpp>
#include <tessera/core/space/function_space.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/matrices.hpp"
#include "support/meshes/test_meshes.hpp"
#include "support/on_host.hpp"
#include <array>
#include <cmath>
#include <string>
#include <vector>

namespace core_space_loaded_sides {

using namespace tessera;
using Space = Kokkos::DefaultExecutionSpace;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

template <class Element>
typename Mesh<Element, Space>::SideSet sides_of(const std::vector<std::array<Ordinal, 2>>& list) {
  const typename Mesh<Element, Space>::SideSet sides("Tessera::Test::sides", list.size());
  const auto host = Kokkos::create_mirror_view(sides);
  for (std::size_t i = 0; i < list.size(); ++i)
    for (std::size_t j = 0; j < 2; ++j) host(i, j) = list[i][j];
  Kokkos::deep_copy(sides, host);
  return sides;
}

/// The sum of all loads along each axis.
template <class Element>
std::vector<double> resultant(const FunctionSpace<Element, Space>& space) {
  const auto loads = space.nodal_loads();
  const auto dofs = test::to_host(loads.dofs);
  const auto values = test::to_host(loads.values);
  std::vector<double> sum(static_cast<std::size_t>(space.components()), 0.0);
  for (std::size_t i = 0; i < dofs.size(); ++i)
    sum[static_cast<std::size_t>(dofs[i] % space.components())] += values[i];
  return sum;
}

/// Numbers of a hexahedron's faces.
constexpr Ordinal plus_x = 1, minus_x = 0;

// Two layers of 2 x 2 hexahedra along x: elements 0, 2, 4, 6 lie below x = 1/2.
io::Box two_layers() { return {{2, 2, 2}}; }

TEST(LoadedSides, InsideTheMeshPushIntoTheElementOfTheSide) {
  const auto mesh = io::box_mesh<Hex<1>, Space>(two_layers());
  FunctionSpace<Hex<1>, Space> space(mesh, 3);
  space.add_pressure(sides_of<Hex<1>>({{0, plus_x}, {2, plus_x}, {4, plus_x}, {6, plus_x}}), 8.0);
  EXPECT_NEAR(resultant(space)[0], -8.0, 1e-14);
  space.clear_loads();
  space.add_pressure(sides_of<Hex<1>>({{1, minus_x}, {3, minus_x}}), 8.0);
  EXPECT_NEAR(resultant(space)[0], 4.0, 1e-14);
}

TEST(LoadedSides, InsideTheMeshMustBeTurnedAlike) {
  const auto mesh = io::box_mesh<Hex<1>, Space>(two_layers());
  FunctionSpace<Hex<1>, Space> space(mesh, 3);
  const auto sides = sides_of<Hex<1>>({{0, plus_x}, {3, minus_x}});
  EXPECT_THAT([&] { space.add_pressure(sides, 8.0); },
              ThrowsMessage<ArgumentError>(HasSubstr(
                  "FunctionSpace::add_pressure: sides 0 (nodes 1 4 13 10) and 1 (nodes 4 13 16 7) of "
                  "the set are neighbours inside the mesh, and the pressure would push them in "
                  "opposite directions")));
  EXPECT_EQ(space.nodal_loads().dofs.extent(0), 0u);
  space.add_pressure(sides, 8.0, Opposed::meant);
  EXPECT_NEAR(resultant(space)[0], 0.0, 1e-14);
  // A traction does not depend on the normal.
  space.clear_loads();
  space.add_load(sides, {1.0, 2.0, 3.0});
  EXPECT_NEAR(resultant(space)[2], 1.5, 1e-14);
}

TEST(LoadedSides, InThePlaneMustBeTurnedAlike) {
  const auto mesh = io::box_mesh<Quad<1>, Space>({{2, 2, 1}}); // sides 1 and 3 are at larger and smaller x
  FunctionSpace<Quad<1>, Space> space(mesh, 2);
  space.add_pressure(sides_of<Quad<1>>({{0, 1}, {2, 1}}), 1.0);
  EXPECT_NEAR(resultant(space)[0], -1.0, 1e-15);
  EXPECT_THAT([&] { space.add_pressure(sides_of<Quad<1>>({{0, 1}, {3, 3}}), 1.0); },
              ThrowsMessage<ArgumentError>(HasSubstr("are neighbours inside the mesh")));
}

// Two squares that touch at a corner: their sides there go opposite ways, and lie on the boundary all the
// same.
TEST(LoadedSides, OfBodiesThatTouchAreNotInside) {
  test::HostMesh<Quad<1>, Space> host(io::box_mesh<Quad<1>, Space>({{2, 2, 1}}));
  for (int n = 0; n < 4; ++n) host.connectivity(1, n) = host.connectivity(3, n);
  Kokkos::resize(host.connectivity, 2);
  const auto mesh = host.mesh();
  FunctionSpace<Quad<1>, Space> space(mesh, 2);
  space.add_pressure(sides_of<Quad<1>>({{0, 1}, {1, 3}}), 1.0);
  EXPECT_NEAR(resultant(space)[0], 0.0, 1e-15);
}

TEST(LoadedSides, MustNotStandTwice) {
  const auto mesh = io::box_mesh<Hex<1>, Space>(two_layers());
  FunctionSpace<Hex<1>, Space> space(mesh, 3);
  const auto same = sides_of<Hex<1>>({{1, plus_x}, {3, plus_x}, {1, plus_x}});
  const auto of_two = sides_of<Hex<1>>({{0, plus_x}, {1, minus_x}});
  const auto twice = [](const std::string& function, const std::string& sides) {
    return ThrowsMessage<ArgumentError>("FunctionSpace::" + function + ": sides " + sides +
                                        ", which would be loaded twice");
  };
  EXPECT_THAT([&] { space.add_load(same, {1.0, 0.0, 0.0}); },
              twice("add_load", "0 and 2 of the set are the same face (nodes 2 5 11 14)"));
  EXPECT_THAT([&] { space.add_load(of_two, {1.0, 0.0, 0.0}); },
              twice("add_load", "0 and 1 of the set are the same face (nodes 1 4 10 13)"));
  EXPECT_THAT([&] { space.add_pressure(of_two, 1.0); },
              twice("add_pressure", "0 and 1 of the set are the same face (nodes 1 4 10 13)"));
  EXPECT_THAT([&] { space.add_robin(same, 1.0, 0.0); },
              twice("add_robin", "0 and 2 of the set are the same face (nodes 2 5 11 14)"));
  EXPECT_EQ(space.nodal_loads().dofs.extent(0), 0u);
}

// The square of an area of 1e-200 is zero in double precision.
TEST(LoadedSides, AreasWhoseSquaresUnderflow) {
  const double size = 1e-100;
  const auto mesh = io::box_mesh<Tet<1>, Space>({{1, 1, 1}, {size, size, size}});
  FunctionSpace<Tet<1>, Space> space(mesh, 1);
  space.add_load(mesh.side_set("zmax"), {5.0});
  EXPECT_NEAR(resultant(space)[0] / (size * size), 5.0, 1e-14);
  space.add_robin(mesh.side_set("zmax"), 2.0, 3.0);
  double flux = 0;
  const auto loads = test::on_host(space.robin(Space()).loads);
  for (std::size_t i = 0; i < loads.extent(0); ++i) flux += loads(i, 0);
  EXPECT_NEAR(flux / (size * size), 6.0, 1e-14);
}

} // namespace core_space_loaded_sides
