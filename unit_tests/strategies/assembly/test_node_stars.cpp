// SPDX-License-Identifier: BSD-3-Clause
// The lists of RowOwner on simplices: every element of every node once, crowded nodes apart.

#include <tessera/strategies/assembly/detail/row_owner/stars/node_stars.hpp>
#include <tessera/strategies/assembly/detail/row_owner/stars/star_elements.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/meshes/fan.hpp"
#include "support/meshes/test_meshes.hpp"
#include "support/on_host.hpp"
#include <set>
#include <string>
#include <utility>

namespace strategies_assembly_node_stars {

using namespace tessera;
using test::on_host;

template <class ExecutionSpace>
class NodeStarsTest : public ::testing::Test {};
TYPED_TEST_SUITE(NodeStarsTest, test::ExecutionSpaceTypes, test::ExecutionSpaceName);

template <class Element, class ExecutionSpace>
void check_stars(const Mesh<Element, ExecutionSpace>& mesh, int most, Ordinal windows, Ordinal crowded) {
  SCOPED_TRACE(std::string(Element::name) + ", at most " + std::to_string(most));
  using Stars = tessera::assembly::detail::NodeStars<Element, ExecutionSpace>;
  const Stars stars = tessera::assembly::detail::node_stars(ExecutionSpace(), mesh, {{most}});
  EXPECT_EQ(stars.num_fitting, windows);
  EXPECT_EQ(stars.num_windows() - stars.num_fitting, crowded);
  const int capacity =
      tessera::assembly::detail::most_neighbors(ExecutionSpace(), stars, 0, stars.num_fitting);
  EXPECT_LE(capacity, most);
  const auto connectivity = on_host(mesh.connectivity());
  const auto window = on_host(stars.windows);
  const auto node_in_window = on_host(stars.node_in_window);
  const auto degree = on_host(stars.degree), valence = on_host(stars.valence);
  const auto neighbor_begin = on_host(stars.neighbor_begin), element_begin = on_host(stars.element_begin);
  const auto neighbors = on_host(stars.neighbors);
  const auto row = on_host(stars.row);
  const auto elements = on_host(tessera::assembly::detail::star_elements(ExecutionSpace(), mesh, stars));
  const auto corners = on_host(stars.corners);

  std::set<Ordinal> seen;
  std::set<std::pair<Ordinal, Ordinal>> pairs, places;
  for (Ordinal seat = 0; seat < stars.num_seats(); ++seat) {
    const auto [first, nodes] = window(seat / Stars::window);
    const Ordinal node = first + node_in_window(seat);
    const Ordinal slice = seat / Stars::width, lane = seat % Stars::width;
    const Ordinal first_slice = slice - slice % Stars::team_slices;
    const Offset first_place =
        Stars::folded ? row(seat) * Stars::width : neighbor_begin(slice) - neighbor_begin(first_slice);
    if (node_in_window(seat) >= nodes) {
      EXPECT_EQ(degree(seat), 0) << "seat " << seat;
      EXPECT_EQ(valence(seat), 0) << "seat " << seat;
      continue;
    }
    EXPECT_TRUE(seen.insert(node).second) << "node " << node << " has two seats";
    EXPECT_TRUE(seat / Stars::window < windows || (nodes == 1 && degree(seat) * Stars::width > most));
    const auto neighbor = [&](int k) { return neighbors(neighbor_begin(slice) + k * Stars::width + lane); };
    for (int k = 1; k < degree(seat); ++k) EXPECT_LT(neighbor(k - 1), neighbor(k));
    for (int k = 0; seat / Stars::window < windows && k < degree(seat); ++k) {
      const auto place = static_cast<Ordinal>(first_place) + k * Stars::width + lane;
      EXPECT_LT(place, capacity);
      EXPECT_TRUE(places.insert({first_slice, place}).second) << "two neighbours at " << place;
    }
    for (int k = 0; k < valence(seat); ++k) {
      const Offset at = element_begin(slice) + k * Stars::width + lane;
      const Ordinal element = elements(at);
      EXPECT_TRUE(pairs.insert({node, element}).second);
      std::set<Ordinal> nodes_of_star{node}, expected;
      for (int n = 0; n < Element::dimension; ++n)
        nodes_of_star.insert(neighbor(Stars::corner(corners(at), n)));
      for (int n = 0; n < Element::nodes; ++n) expected.insert(connectivity(element, n));
      EXPECT_EQ(nodes_of_star, expected) << "node " << node << ", element " << element;
    }
  }
  EXPECT_EQ(static_cast<Ordinal>(seen.size()), mesh.num_nodes());
  EXPECT_EQ(static_cast<Ordinal>(pairs.size()), mesh.num_elements() * Element::nodes);
}

/// With room for all: as few windows as the nodes fill.
template <class Element, class ExecutionSpace>
void check_whole_windows(const Mesh<Element, ExecutionSpace>& mesh) {
  constexpr Ordinal window = tessera::assembly::detail::NodeStars<Element, ExecutionSpace>::window;
  check_stars(mesh, 1 << 20, (mesh.num_nodes() + window - 1) / window, 0);
}

TYPED_TEST(NodeStarsTest, HoldEveryElementOfEveryNodeOnce) {
  check_whole_windows(test::distorted_box<Tri<1>, TypeParam>({{13, 11, 0}}));
  check_whole_windows(test::distorted_box<Tet<1>, TypeParam>({{5, 4, 3}}));
}

TYPED_TEST(NodeStarsTest, SetCrowdedNodesApart) {
  constexpr int width = tessera::assembly::detail::NodeStars<Tet<1>, TypeParam>::width;
  constexpr int ring = tessera::assembly::detail::NodeStars<Tet<1>, TypeParam>::team_slices == 1 ? 63 : width;
  // Ring nodes have four neighbours (triangles) or five: room for one slice of them.
  const auto triangles = test::fan<Tri<1>, TypeParam>(3 * 64 - 1);
  check_whole_windows(triangles);
  check_stars(triangles, 3 * width, 0, 3 * 64);
  check_stars(test::fan<Tri<1>, TypeParam>(ring), 4 * width, 1, 1); // node 0, then the others
  const auto tetrahedra = test::fan<Tet<1>, TypeParam>(ring);
  const auto stars = tessera::assembly::detail::node_stars(TypeParam(), tetrahedra, {{5 * width}});
  check_stars(tetrahedra, 5 * width, stars.num_fitting, 2);
}

TYPED_TEST(NodeStarsTest, TakesTheRoomWithTheFewestWindowsToATeam) {
  const auto mesh = test::distorted_box<Tet<1>, TypeParam>({{5, 4, 3}});
  const int ample = 1 << 20, none = 1; // none: every node is crowded
  const auto crowded = [&](int teams_with_none) {
    const auto stars = tessera::assembly::detail::node_stars(
        TypeParam(), mesh, {{.neighbors = none, .teams = teams_with_none}, {ample}});
    return stars.num_windows() - stars.num_fitting;
  };
  EXPECT_EQ(crowded(2), 0);
  EXPECT_EQ(crowded(1000), mesh.num_nodes());
}

} // namespace strategies_assembly_node_stars
