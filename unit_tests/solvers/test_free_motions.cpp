// SPDX-License-Identifier: BSD-3-Clause
// What nothing holds: rigid motions, mechanisms and constants, against the rank of the assembled matrix.

#include <tessera/core/forms/helmholtz.hpp>
#include <tessera/core/forms/linear_elasticity.hpp>
#include <tessera/core/mesh/elevate.hpp>
#include <tessera/core/system/linear_system.hpp>
#include <tessera/io/generate/box.hpp>
#include <tessera/solvers/free_motions.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/dense_system.hpp"
#include "support/execution_spaces.hpp"
#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace solvers_free_motions {

using namespace tessera;
using solvers::FreeMotions;
using solvers::Unseen;
using ::testing::HasSubstr;
using Space = Kokkos::DefaultExecutionSpace;

std::string element_name(Ordinal e) { return "element " + std::to_string(e); }

/// A mesh of the elements that are kept; nodes without any are left out.
template <class Element>
Mesh<Element, Space> some_of(const Mesh<Element, Space>& mesh, const std::vector<Ordinal>& kept) {
  const auto x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mesh.coordinates());
  const auto nodes = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mesh.connectivity());
  std::set<Ordinal> used;
  for (const Ordinal e : kept)
    for (int i = 0; i < Element::nodes; ++i) used.insert(nodes(e, i));
  const std::vector<Ordinal> old(used.begin(), used.end());
  const typename Mesh<Element, Space>::Coordinates coordinates("Tessera::Test::x", old.size());
  const Kokkos::View<Ordinal * [Element::nodes], Space> connectivity("Tessera::Test::nodes", kept.size());
  const auto to_x = Kokkos::create_mirror_view(coordinates);
  const auto to_nodes = Kokkos::create_mirror_view(connectivity);
  for (std::size_t n = 0; n < old.size(); ++n)
    for (int d = 0; d < Element::dimension; ++d) to_x(n, d) = x(old[n], d);
  for (std::size_t e = 0; e < kept.size(); ++e)
    for (int i = 0; i < Element::nodes; ++i)
      to_nodes(e, i) =
          static_cast<Ordinal>(std::lower_bound(old.begin(), old.end(), nodes(kept[e], i)) - old.begin());
  Kokkos::deep_copy(coordinates, to_x);
  Kokkos::deep_copy(connectivity, to_nodes);
  return Mesh<Element, Space>(coordinates, connectivity);
}

template <class Element, class Form>
std::size_t nullity(const FunctionSpace<Element, Space>& space, const Form& form) {
  return test::DenseSystem(space, form).nullity();
}

template <class Element>
std::size_t free_count(const FunctionSpace<Element, Space>& space) {
  return solvers::free_motions(space, Unseen::rigid_motions).count();
}

/// Fields are orthonormal, and pins hold all: constraining them leaves nothing free.
template <class Element>
void expect_pinned(FunctionSpace<Element, Space> space, Unseen unseen) {
  const FreeMotions motions = solvers::free_motions(space, unseen);
  for (const auto& part : motions.parts)
    for (std::size_t i = 0; i < part.fields.size(); ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        double product = 0;
        for (std::size_t k = 0; k < part.dofs.size(); ++k) product += part.fields[i][k] * part.fields[j][k];
        ASSERT_NEAR(product, i == j ? 1 : 0, 1e-12);
      }
  const auto pins = motions.pins();
  ASSERT_EQ(pins.size(), motions.count());
  for (const Ordinal dof : pins) space.constrain(dof / space.components(), dof % space.components(), 0.0);
  EXPECT_TRUE(solvers::free_motions(space, unseen).none());
}

/// A box of hexahedra from which elements are taken away at random, held at random places: what is free is
/// the null space of the matrix.
template <class Element>
void attack(const Mesh<Element, Space>& box, int seed) {
  constexpr int dimension = Element::dimension;
  std::mt19937 random(seed);
  const auto chance = [&](double p) { return std::uniform_real_distribution<>()(random) < p; };
  const double keep = std::uniform_real_distribution<>(0.3, 1)(random);
  std::vector<Ordinal> kept;
  for (Ordinal e = 0; e < box.num_elements(); ++e)
    if (chance(keep)) kept.push_back(e);
  if (kept.empty()) return;
  FunctionSpace<Element, Space> space(some_of(box, kept), dimension);
  const double share = std::uniform_real_distribution<>(0, 0.12)(random);
  for (Ordinal n = 0; n < space.mesh().num_nodes(); ++n)
    for (int c = 0; c < dimension; ++c)
      if (chance(share)) space.constrain(n, c, 0.0);
  const LinearElasticity<dimension> form{.young = 1.0, .poisson = 0.3};
  ASSERT_EQ(free_count(space), nullity(space, form)) << "seed " << seed;
  expect_pinned(space, Unseen::rigid_motions);
}

TEST(FreeMotions, AreTheNullSpaceOfRandomBodies) {
  for (int seed = 0; seed < 12; ++seed) {
    attack(io::box_mesh<Hex<1>, Space>({{3, 2, 2}, {3, 2, 1}}), seed);
    attack(io::box_mesh<Tet<1>, Space>({{2, 2, 2}, {1, 2, 3}}), seed);
    attack(io::box_mesh<Quad<1>, Space>({{4, 3}, {4, 1}}), seed);
    attack(io::box_mesh<Tri<1>, Space>({{3, 3}, {1, 1}}), seed);
    attack(elevated<Tri<2>>(io::box_mesh<Tri<1>, Space>({{2, 2}, {1, 1}})), seed);
    if (HasFatalFailure()) return;
  }
}

class Block : public ::testing::Test {
protected:
  Mesh<Hex<1>, Space> mesh = io::box_mesh<Hex<1>, Space>({{2, 2, 2}, {2, 2, 2}});
  FunctionSpace<Hex<1>, Space> space{mesh, 3};

  /// The node at a place.
  Ordinal at(double x, double y, double z) {
    const auto c = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mesh.coordinates());
    for (Ordinal n = 0; n < mesh.num_nodes(); ++n)
      if (std::abs(c(n, 0) - x) + std::abs(c(n, 1) - y) + std::abs(c(n, 2) - z) < 1e-9) return n;
    ADD_FAILURE() << "no such node";
    return 0;
  }
  void hold(double x, double y, double z) {
    for (int c = 0; c < 3; ++c) space.constrain(at(x, y, z), c, 0.0);
  }
  std::string found() {
    return solvers::free_motions(space, Unseen::rigid_motions).description(element_name);
  }
};

TEST_F(Block, Floats) {
  EXPECT_EQ(found(),
            "the part of 8 elements with element 0: translation along x, translation along y, translation "
            "along z, rotation about x, rotation about y, rotation about z");
}

TEST_F(Block, TurnsAboutOneNode) {
  hold(0, 0, 0);
  EXPECT_EQ(found(),
            "the part of 8 elements with element 0: rotation about x, rotation about y, rotation about z");
}

TEST_F(Block, TurnsAboutThreeNodesOnALine) {
  for (const double z : {0., 1., 2.}) hold(0, 2, z);
  const std::string motions = found();
  EXPECT_THAT(motions, HasSubstr("element 0: rotation about the axis along (0, 0, "));
  EXPECT_THAT(motions, HasSubstr("through (0, 2, 1)"));
  hold(2, 2, 2);
  EXPECT_EQ(found(), "");
}

TEST_F(Block, SlidesWhereOneComponentIsHeld) {
  space.constrain(mesh.node_set("zmin"), 2, 0.0);
  const std::string motions = found();
  EXPECT_THAT(motions,
              HasSubstr("element 0: translation along x, translation along y, rotation about the axis "
                        "along (0, 0, "));
  space.constrain(at(0, 0, 0), 0, 0.0);
  space.constrain(at(0, 0, 0), 1, 0.0);
  space.constrain(at(2, 0, 0), 1, 0.0);
  EXPECT_EQ(found(), "");
}

TEST_F(Block, IsHeldByABedding) {
  space.add_robin(mesh.side_set("xmin"), 0.0, 0.0);
  EXPECT_EQ(free_count(space), 6u);
  // Springs along x hold one translation and two rotations.
  space.add_robin(mesh.side_set("xmin"), [](const auto&) { return Vector<double, 3>{3, 0, 0}; }, 0.0);
  EXPECT_EQ(free_count(space), 3u);
  space.add_robin(mesh.side_set("xmin"), 3.0, 0.0);
  EXPECT_EQ(free_count(space), 0u);
}

/// Two cubes of a row of three, of which one is held; and two that share an edge, or a node.
TEST(FreeMotions, OfTwoBodiesAndHinges) {
  const auto box = io::box_mesh<Hex<1>, Space>({{3, 2, 2}, {3, 2, 2}});
  const auto element = [](int i, int j, int k) { return static_cast<Ordinal>(i + 3 * (j + 2 * k)); };
  const auto two = [&](Ordinal other) {
    FunctionSpace<Hex<1>, Space> space(some_of(box, {0, other}), 3);
    const auto nodes = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), space.mesh().connectivity());
    for (const int i : {0, 3, 4, 7}) // its side at x = 0
      for (int c = 0; c < 3; ++c) space.constrain(nodes(0, i), c, 0.0);
    EXPECT_EQ(nullity(space, LinearElasticity<3>{.young = 1.0}), free_count(space));
    const std::string found = solvers::free_motions(space, Unseen::rigid_motions).description(element_name);
    expect_pinned(space, Unseen::rigid_motions);
    return found;
  };
  EXPECT_THAT(two(element(2, 0, 0)), HasSubstr("the part of 1 elements with element 1: translation along x"));
  EXPECT_THAT(two(element(1, 1, 0)),
              HasSubstr("1 elements with element 1: rotation about the axis along (0, 0, "));
  EXPECT_THAT(two(element(1, 1, 1)),
              HasSubstr("1 elements with element 1: rotation about x, rotation about y"));
  EXPECT_EQ(two(element(1, 0, 0)), "");
}

/// A chain of squares that hang together at corners: a four-bar linkage is found as one mechanism.
TEST(FreeMotions, OfAMechanismInThePlane) {
  const auto box = io::box_mesh<Quad<1>, Space>({{3, 3}, {3, 3}});
  FunctionSpace<Quad<1>, Space> space(some_of(box, {0, 2, 4, 6, 8}), 2); // a checkerboard
  EXPECT_EQ(free_count(space), nullity(space, LinearElasticity<2>{.young = 1.0}));
  const auto found = solvers::free_motions(space, Unseen::rigid_motions);
  ASSERT_EQ(found.parts.size(), 1u);
  EXPECT_EQ(found.parts[0].pieces, 5);
  EXPECT_EQ(found.count(), 7u);
  EXPECT_THAT(found.description(element_name),
              HasSubstr("5 pieces that hang together at nodes or edges alone, in the part of 5 elements with "
                        "element 0: one that moves node "));
}

TEST(FreeMotions, OfScalarFormsAreConstantsOfEachPart) {
  const auto box = io::box_mesh<Quad<1>, Space>({{4, 1}, {4, 1}});
  const auto mesh = some_of(box, {0, 2, 3});
  FunctionSpace<Quad<1>, Space> space(mesh, 1);
  const auto found = [&] {
    return solvers::free_motions(space, Unseen::constants).description(element_name);
  };
  EXPECT_EQ(found(),
            "the part of 1 elements with element 0: any constant; the part of 2 elements with element 1: "
            "any constant");
  EXPECT_EQ(nullity(space, Heat{}), 2u);
  expect_pinned(space, Unseen::constants);
  space = FunctionSpace<Quad<1>, Space>(mesh, 1);
  space.constrain(0, 0, 1.0);
  EXPECT_EQ(found(), "the part of 2 elements with element 1: any constant");
}

TEST(FreeMotions, AreNotHeldByWhatFollowsFromCorners) {
  FunctionSpace<Tri<2>, Space> space(io::box_mesh<Tri<2>, Space>({{3, 2}}),
                                     {.components = 2, .linear_components = 1});
  const FreeMotions motions = solvers::free_motions(space, Unseen::constants);
  ASSERT_EQ(motions.parts.size(), 2u);
  EXPECT_EQ(motions.parts[0].dofs.size(), 7u * 5);
  EXPECT_EQ(motions.parts[1].dofs.size(), 4u * 3); // at corners alone
  expect_pinned(space, Unseen::constants);
}

TEST(FreeMotions, NeedAComponentPerDimension) {
  const FunctionSpace<Quad<1>, Space> space(io::box_mesh<Quad<1>, Space>({{2, 2}}), 3);
  test::expect_throw_with<ArgumentError>(
      [&] { solvers::free_motions(space, Unseen::rigid_motions); },
      "rigid motions in 2 dimensions have as many components, the space has 3");
}

} // namespace solvers_free_motions
