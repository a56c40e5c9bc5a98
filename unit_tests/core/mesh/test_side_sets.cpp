// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/mesh/side_sets.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/matrices.hpp"
#include "support/meshes/test_meshes.hpp"
#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace core_mesh_side_sets {

using namespace tessera;
using Space = Kokkos::DefaultExecutionSpace;
using ::testing::ThrowsMessage;

template <class Sides>
std::vector<std::pair<Ordinal, Ordinal>> to_pairs(const Sides& sides) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), sides);
  std::vector<std::pair<Ordinal, Ordinal>> pairs;
  for (std::size_t i = 0; i < host.extent(0); ++i) pairs.emplace_back(host(i, 0), host(i, 1));
  return pairs;
}

template <class Element>
class SideSets : public ::testing::Test {};
using Elements = ::testing::Types<Tri<1>, Quad<2>, Tet<2>, Hex<1>, Wedge<1>, Pyramid<1>, Wedge15, Pyramid13>;
TYPED_TEST_SUITE(SideSets, Elements);

// A box's own six (four) sets are its boundary.
TYPED_TEST(SideSets, BoundaryOfABox) {
  const auto mesh = io::box_mesh<TypeParam, Space>({{3, 2, 2}});
  std::set<std::pair<Ordinal, Ordinal>> expected;
  std::set<Ordinal> nodes;
  for (const auto& [name, sides] : mesh.side_sets())
    for (const auto& side : to_pairs(sides)) expected.insert(side);
  for (const auto& [name, set] : mesh.node_sets())
    for (const Ordinal node : test::to_host(set)) nodes.insert(node);
  const auto boundary = boundary_sides(mesh);
  EXPECT_EQ(to_pairs(boundary), std::vector(expected.begin(), expected.end()));
  EXPECT_EQ(test::to_host(nodes_of_sides(mesh, boundary)), std::vector<Ordinal>(nodes.begin(), nodes.end()));
}

TYPED_TEST(SideSets, OfFacesInAnyOrderOfTheirCorners) {
  const auto mesh = io::box_mesh<TypeParam, Space>({{3, 2, 2}});
  const auto sides = to_pairs(boundary_sides(mesh));
  constexpr int corners = detail::SidesOf<TypeParam>::most_corners;
  constexpr auto side_nodes = TypeParam::side_nodes();
  const auto connectivity = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mesh.connectivity());
  const Kokkos::View<Ordinal**, Kokkos::LayoutLeft, Kokkos::HostSpace> faces("Tessera::Test::faces",
                                                                             sides.size(), corners);
  Kokkos::deep_copy(faces, -1);
  for (std::size_t f = 0; f < sides.size(); ++f)
    for (int n = 0, own = detail::side_corners_of<TypeParam>(sides[f].second); n < own; ++n)
      faces(f, own - 1 - n) = connectivity(sides[f].first, side_nodes[sides[f].second][n]);
  EXPECT_EQ(to_pairs(sides_of_faces(mesh, faces)), sides);
}

// The face between two elements is a side of the one that its normal points out of.
TYPED_TEST(SideSets, OfFacesBetweenElementsByTheOrderOfTheirCorners) {
  const auto mesh = io::box_mesh<TypeParam, Space>({{3, 2, 2}});
  constexpr int corners = detail::SidesOf<TypeParam>::most_corners;
  constexpr auto side_nodes = TypeParam::side_nodes();
  const auto connectivity = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mesh.connectivity());
  std::vector<std::pair<Ordinal, Ordinal>> sides;
  for (Ordinal e = mesh.num_elements() - 1; e >= 0; --e)
    for (Ordinal s = 0; s < TypeParam::sides; ++s) sides.emplace_back(e, s);
  for (int turns = 0; turns < corners; ++turns) { // the same way round from each corner on
    const Kokkos::View<Ordinal* [corners], Kokkos::HostSpace> faces("Tessera::Test::faces", sides.size());
    Kokkos::deep_copy(faces, -1);
    for (std::size_t f = 0; f < sides.size(); ++f)
      for (int n = 0, own = detail::side_corners_of<TypeParam>(sides[f].second); n < own; ++n)
        faces(f, (n + (own > 2 ? turns : 0)) % own) =
            connectivity(sides[f].first, side_nodes[sides[f].second][n]);
    EXPECT_EQ(to_pairs(sides_of_faces(mesh, faces)), sides);
  }
}

TEST(SideSetsOfFaces, RefusesWhatIsNoSide) {
  const auto mesh = io::box_mesh<Quad<1>, Space>({{2, 1, 1}}); // nodes 0 1 2 below, 3 4 5 above
  const Kokkos::View<Ordinal* [2], Kokkos::HostSpace> edges("Tessera::Test::edges", 2);
  edges(0, 0) = 1; // between the elements: the first one's
  edges(0, 1) = 4;
  edges(1, 0) = 0;
  edges(1, 1) = 4;
  EXPECT_THAT(
      [&] { sides_of_faces(mesh, edges); },
      ThrowsMessage<ArgumentError>("sides_of_faces: face 1, of the nodes 0 4, is a side of no element"));
  EXPECT_EQ(to_pairs(sides_of_faces(mesh, Kokkos::subview(edges, std::make_pair(0, 1), Kokkos::ALL)))[0],
            (std::pair<Ordinal, Ordinal>{0, 1}));
  EXPECT_THAT([&] { sides_of_faces(mesh, Kokkos::subview(edges, Kokkos::ALL, std::make_pair(0, 1))); },
              ThrowsMessage<ArgumentError>("sides_of_faces: 1 nodes a face, a side of quad1 has 2 corners"));
}

} // namespace core_mesh_side_sets
