// SPDX-License-Identifier: BSD-3-Clause
// Cells that a file numbers the other way round: turned where a caller hears of it, with the sides of sets.

#include <tessera/core/elements/elements.hpp>
#include <tessera/core/error.hpp>
#include <tessera/io/detail/mesh_arrays.hpp>
#include <tessera/io/detail/turned_cells.hpp>
#include <tessera/io/generate/box.hpp>
#include <tessera/io/read_mesh.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/side_flux.hpp"
#include <string>
#include <support/files.hpp>
#include <support/on_host.hpp>
#include <tuple>
#include <vector>

namespace io_turned_cells {

using namespace tessera;
using namespace tessera::io;
using test::flux;
using test::on_host;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

using Space = Kokkos::DefaultExecutionSpace;

/// A box of lengths 1, 2 and 3 in a mirror, x -> -x: all its cells go the other way round.
template <class Element>
MeshData mirrored_box() {
  const auto mesh = box_mesh<Element>({{2, 1, 2}, {1, 2, 3}});
  const HostArrays host(mesh);
  const MeshArrays arrays = host.arrays();
  MeshData data;
  data.source = "mirror";
  for (std::size_t node = 0; node < arrays.nodes(); ++node)
    for (std::size_t d = 0; d < 3; ++d) {
      const bool there = d < Element::dimension;
      data.points.push_back(!there ? 0.0
                                   : (d == 0 ? -1 : 1) * arrays.coordinates[Element::dimension * node + d]);
    }
  data.node_ids.append_range(1, static_cast<Ordinal>(arrays.nodes()));
  data.node_ids.build_index();
  CellBlock& block = data.block(arrays.type);
  block.nodes.assign(arrays.connectivity.begin(), arrays.connectivity.end());
  block.material.resize(arrays.cells());
  block.ids.append_range(1, block.cells());
  for (const auto& [name, sides] : arrays.sets->sides)
    for (std::size_t i = 0; i < sides.size(); i += 2)
      block.side_sets[name].push_back({sides[i], sides[i + 1]});
  return data;
}

template <class E>
class TurnedCells : public ::testing::Test {};
template <class Tuple>
struct ToTypes;
template <class... T>
struct ToTypes<std::tuple<T...>> {
  using type = ::testing::Types<T...>;
};
TYPED_TEST_SUITE(TurnedCells, ToTypes<Elements>::type);

TYPED_TEST(TurnedCells, AllOfAMeshWithTheSidesOfSets) {
  EXPECT_THROW(to_mesh<TypeParam>(mirrored_box<TypeParam>()), MeshError);
  MeshData data = mirrored_box<TypeParam>();
  const Ordinal cells = data.blocks.front().cells();
  EXPECT_EQ(turn_cells(data), cells);
  EXPECT_EQ(turn_cells(data), 0);
  const auto mesh = to_mesh<TypeParam>(std::move(data));
  // The side set lies at x = -1 with its normals along -x, and the whole boundary encloses the box.
  const double area = TypeParam::dimension == 2 ? 2.0 : 6.0;
  EXPECT_NEAR(flux(mesh, "xmax", 0), -area, 1e-12);
  EXPECT_NEAR(flux(mesh, "xmax", 1), area, 1e-12);
  EXPECT_NEAR(flux(mesh, "xmin", 0), area, 1e-12);
  EXPECT_NEAR(flux(mesh, "ymin", 0), 0.0, 1e-12);
  double volume = 0;
  for (const auto& [name, sides] : mesh.side_sets()) volume += flux(mesh, name, 1);
  EXPECT_NEAR(volume, area, 1e-12);
}

/// A row of two cubes, the second numbered the other way round where `swap`, with the face between them as a
/// group whose corners turn out of the first, and the far end.
std::string two_cubes(bool swap) {
  std::string text = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n12\n";
  for (int node = 0; node < 12; ++node)
    text += std::to_string(node + 1) + ' ' + std::to_string(node % 3) + ' ' + std::to_string(node / 3 % 2) +
            ' ' + std::to_string(node / 6) + '\n';
  text += "$EndNodes\n$Elements\n4\n1 3 2 1 1 2 5 11 8\n2 3 2 2 2 3 6 12 9\n3 5 2 3 3 1 2 5 4 7 8 11 10\n";
  text += swap ? "4 5 2 3 3 2 5 6 3 8 11 12 9\n" : "4 5 2 3 3 2 3 6 5 8 9 12 11\n";
  return text + "$EndElements\n";
}

TEST(TurnedCellsOf, SingleOnesOfAFileWhereTheCallerHearsOfThem) {
  const test::TemporaryFolder folder;
  const std::string path = folder.write("a.msh", two_cubes(true));
  EXPECT_THAT(
      [&] { read_mesh<Hex<1>>(path); },
      ThrowsMessage<MeshError>(StartsWith(path + ": element 4 (nodes 2 5 6 3 8 11 12 9) is flat or")));
  std::vector<std::string> heard;
  const ReadOptions options{.turned = [&](const std::string& what) { heard.push_back(what); }};
  const auto turned = read_mesh<Hex<1>>(path, options);
  EXPECT_THAT(heard,
              ElementsAre(path + ": of its 2 quad1 and 2 hex1 cells, 1 was numbered the other way round, "
                                 "and turned"));
  const auto right = read_mesh<Hex<1>>(folder.write("b.msh", two_cubes(false)), options);
  EXPECT_EQ(heard.size(), 1u);
  for (const std::string set : {"surface1", "surface2"}) {
    EXPECT_EQ(on_host(turned.side_set(set))(0, 0), on_host(right.side_set(set))(0, 0)) << set;
    EXPECT_NEAR(flux(turned, set, 0), 1.0, 1e-14) << set;
    EXPECT_NEAR(flux(right, set, 0), 1.0, 1e-14) << set;
  }
}

/// Triangles with the given nodes over the unit square's corners and a node 5 at `place`.
std::string triangles(const std::string& place, const std::vector<std::string>& nodes) {
  std::string text =
      "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 " + place +
      " 0\n$EndNodes\n$Elements\n" + std::to_string(nodes.size()) + '\n';
  for (std::size_t i = 0; i < nodes.size(); ++i)
    text += std::to_string(i + 1) + " 2 2 1 1 " + nodes[i] + '\n';
  return text + "$EndElements\n";
}

TEST(TurnedCellsOf, FoldedAndFlatOnesAreNotTurned) {
  const test::TemporaryFolder folder;
  const ReadOptions options{.turned = [](const std::string&) {}};
  const std::vector<std::string> fan{"1 2 5", "2 3 5", "3 4 5", "4 1 5"};
  EXPECT_EQ(read_mesh<Tri<1>>(folder.write("a.msh", triangles("0.5 0.5", fan)), options).num_elements(), 4);
  // The node in the middle has left the square: its order is right, its place is not.
  const std::string path = folder.write("b.msh", triangles("1.5 0.5", fan));
  EXPECT_THAT(
      [&] { read_mesh<Tri<1>>(path, options); },
      ThrowsMessage<MeshError>(AllOf(StartsWith(path + ": element "), HasSubstr("element 2 (nodes 2 5 3)"),
                                     HasSubstr("lie at the same side of what is between them: the mesh "
                                               "is folded there; repair it"))));
  const std::string flat = folder.write("c.msh", triangles("0.5 0.5", {"1 2 5", "2 3 5", "1 3 5"}));
  EXPECT_THAT([&] { read_mesh<Tri<1>>(flat, options); },
              ThrowsMessage<MeshError>(HasSubstr("element 3 (nodes 1 3 5) is flat or inverted")));
}

} // namespace io_turned_cells
