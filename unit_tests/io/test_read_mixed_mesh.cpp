// SPDX-License-Identifier: BSD-3-Clause
// Files with several element types, and what is written of mixed meshes.

#include <tessera/core/blocks/mixed_sides.hpp>
#include <tessera/core/elements/elements.hpp>
#include <tessera/io/read_mixed_mesh.hpp>
#ifdef TESSERA_HAVE_VTK
#include <tessera/io/vtk/picture.hpp>
#include <tessera/io/vtk/writer.hpp>
#endif

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/files.hpp"
#include "support/matrices.hpp"
#include "support/meshes/mixed_box.hpp"
#include "support/on_host.hpp"
#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

namespace io_read_mixed_mesh {

using namespace tessera;
using namespace tessera::io;
using test::expect_throw_with;
using test::Solids;
using ::testing::ElementsAre;

// A cube, a wedge beside it at x = 1, a tetrahedron on that, on the cube a pyramid with the same top; nodes
// and elements have numbers of their own.
const std::string nodes = "11 0 0 0\n12 1 0 0\n13 1 1 0\n14 0 1 0\n15 0 0 1\n16 1 0 1\n17 1 1 1\n18 0 1 1\n"
                          "19 2 0 0\n20 2 0 1\n21 1 0 2\n22 9 9 9\n";
const std::string gmsh =
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
    "$PhysicalNames\n3\n3 7 \"steel\"\n3 9 \"rubber\"\n2 3 \"floor\"\n$EndPhysicalNames\n"
    "$Nodes\n12\n" +
    nodes +
    "$EndNodes\n$Elements\n6\n"
    "1 3 2 3 1 11 14 13 12\n2 2 2 3 1 12 13 19\n"
    "31 5 2 7 1 11 12 13 14 15 16 17 18\n"
    "32 6 2 9 1 12 19 13 16 20 17\n"
    "33 4 2 9 1 16 20 17 21\n"
    "34 7 2 7 1 15 16 17 18 21\n$EndElements\n";

std::string with_commas(std::string text) {
  for (char& c : text)
    if (c == ' ') c = ',';
  return text;
}
std::string deck() {
  return "*NODE\n" + with_commas(nodes) +
         "*ELEMENT, TYPE=C3D8, ELSET=STEEL\n31,11,12,13,14,15,16,17,18\n"
         "*ELEMENT, TYPE=C3D6, ELSET=RUBBER\n32,12,19,13,16,20,17\n"
         "*ELEMENT, TYPE=C3D4, ELSET=RUBBER\n33,16,20,17,21\n"
         "*ELEMENT, TYPE=C3D5, ELSET=STEEL\n34,15,16,17,18,21\n"
         "*NSET, NSET=TOP\n21,17\n"
         "*SURFACE, NAME=FLOOR\n31,S1\n32,S1\n";
}

template <class Element, class MeshType>
std::vector<std::vector<Ordinal>> connectivity(const MeshType& mesh) {
  const auto host = test::on_host(mesh.template block<Element>().connectivity());
  std::vector<std::vector<Ordinal>> rows(host.extent(0));
  for (std::size_t e = 0; e < rows.size(); ++e)
    for (std::size_t n = 0; n < host.extent(1); ++n) rows[e].push_back(host(e, n));
  return rows;
}
template <class Set>
std::vector<std::vector<Ordinal>> rows(const Set& set) {
  const auto host = test::on_host(set);
  std::vector<std::vector<Ordinal>> rows(host.extent(0));
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = {host(i, 0), host(i, 1)};
  return rows;
}

/// What both files hold. The node that no element has is left out.
void expect_four_solids(const MixedMesh<Solids>& mesh, const std::string& floor) {
  EXPECT_EQ(mesh.num_nodes(), 11);
  EXPECT_THAT(connectivity<Hex<1>>(mesh), ElementsAre(ElementsAre(0, 1, 2, 3, 4, 5, 6, 7)));
  EXPECT_THAT(connectivity<Wedge<1>>(mesh), ElementsAre(ElementsAre(1, 8, 2, 5, 9, 6)));
  EXPECT_THAT(connectivity<Tet<1>>(mesh), ElementsAre(ElementsAre(5, 9, 6, 10)));
  EXPECT_THAT(connectivity<Pyramid<1>>(mesh), ElementsAre(ElementsAre(4, 5, 6, 7, 10)));
  EXPECT_EQ(mesh.block<Tet<1>>().element_name(0).find("element 33 of "), 0u);
  const auto sides = mesh.side_set(floor);
  EXPECT_THAT(rows(sides.block<Hex<1>>()), ElementsAre(ElementsAre(0, 4)));
  EXPECT_THAT(rows(sides.block<Wedge<1>>()), ElementsAre(ElementsAre(0, 0)));
  EXPECT_EQ(sides.block<Tet<1>>().extent(0), 0u);
  EXPECT_EQ(boundary_sides(mesh).count(), 4u + 3u + 3u + 2u);
}

TEST(ReadMixedMesh, TakesTheSolidsOfAGmshFile) {
  const test::TemporaryFolder folder;
  const auto path = folder.write("four.msh", gmsh);
  const auto mesh = read_mixed_mesh<Solids>(path);
  expect_four_solids(mesh, "floor");
  EXPECT_THAT(mesh.material_labels(), ElementsAre(MaterialLabel{7, "steel"}, MaterialLabel{9, "rubber"}));
  EXPECT_THAT(test::to_host(mesh.block<Hex<1>>().materials()), ElementsAre(0));
  EXPECT_THAT(test::to_host(mesh.block<Wedge<1>>().materials()), ElementsAre(1));
  EXPECT_THAT(test::to_host(mesh.block<Tet<1>>().materials()), ElementsAre(1));
  EXPECT_EQ(mesh.num_materials(), 2);
}

TEST(ReadMixedMesh, TakesTheSolidsOfADeck) {
  const test::TemporaryFolder folder;
  const auto path = folder.write("four.inp", deck());
  const auto mesh = read_mixed_mesh<Solids>(path);
  expect_four_solids(mesh, "FLOOR");
  EXPECT_THAT(test::to_host(mesh.node_set("TOP")), ElementsAre(6, 10));
}

// 22 edges: 12 of the cube, 5, 3 and 2 more of wedge, tetrahedron and pyramid.
TEST(ReadMixedMesh, CellsOfFirstOrderAreElevated) {
  const test::TemporaryFolder folder;
  using OnEdges = Blocks<Hex20, Wedge15, Pyramid13, Tet<2>>;
  const auto mesh = read_mixed_mesh<OnEdges>(folder.write("four.msh", gmsh));
  EXPECT_EQ(mesh.num_nodes(), 11 + 22);
  mesh.for_each_block([](const auto& block) { EXPECT_EQ(block.num_elements(), 1); });
  EXPECT_EQ(mesh.block<Tet<2>>().element_name(0).find("element 33 of "), 0u);
  EXPECT_THAT(mesh.material_labels(), ElementsAre(MaterialLabel{7, "steel"}, MaterialLabel{9, "rubber"}));
  EXPECT_EQ(mesh.side_set("floor").count(), 2u);
  EXPECT_EQ(boundary_sides(mesh).count(),
            boundary_sides(read_mixed_mesh<Solids>(folder / "four.msh")).count());
}

/// Gmsh's hexahedra below z = 1 and tetrahedra above, which it joins by pyramids: a file.
std::string joined(const test::TemporaryFolder& folder, const std::string& options) {
  folder.write("joined.geo", "SetFactory(\"OpenCASCADE\");\nRectangle(1) = {0, 0, 0, 1, 1};\n"
                             "Transfinite Curve{1:4} = 4;\nTransfinite Surface{1};\nRecombine Surface{1};\n"
                             "lower[] = Extrude {0, 0, 1} {Surface{1}; Layers{3}; Recombine;};\n"
                             "upper[] = Extrude {0, 0, 1} {Surface{lower[0]};};\nMesh.MeshSizeMax = 0.34;\n"
                             "Physical Volume(\"all\") = {lower[1], upper[1]};\n"
                             "Physical Surface(\"bottom\") = {1};\n");
  EXPECT_EQ(test::run_in(folder, "gmsh -3 joined.geo -format msh41 -o joined.msh " + options), 0)
      << test::read_file(folder / "log");
  return folder / "joined.msh";
}

template <class Hexahedron, class Pyramid, class Tetrahedron>
void expect_joined(const MixedMesh<Blocks<Hexahedron, Pyramid, Tetrahedron>>& mesh) {
  EXPECT_EQ(mesh.template block<Hexahedron>().num_elements(), 27);
  EXPECT_EQ(mesh.template block<Pyramid>().num_elements(), 9);
  EXPECT_GT(mesh.template block<Tetrahedron>().num_elements(), 100);
  EXPECT_EQ(mesh.side_set("bottom").template block<Hexahedron>().extent(0), 9u);
  const auto x = test::on_host(mesh.coordinates());
  for (const Ordinal node : test::to_host(nodes_of_sides(mesh, boundary_sides(mesh)))) {
    double outside = std::min(x(node, 2), 2 - x(node, 2)); // least distance to a face of the box
    for (int d = 0; d < 2; ++d) outside = std::min({outside, x(node, d), 1 - x(node, d)});
    EXPECT_LE(std::abs(outside), 1e-12) << "node " << node;
  }
}

TEST(ReadMixedMesh, TakesThePyramidsThatGmshMakes) {
  if (!test::has_program("gmsh")) GTEST_SKIP() << "gmsh is not installed";
  const test::TemporaryFolder folder;
  expect_joined(read_mixed_mesh<Blocks<Hex<1>, Pyramid<1>, Tet<1>>>(joined(folder, ""))); // checks Jacobians
}

/// The largest distance of a node from where the cell through its corners has it.
template <class Element, class MeshType>
double distance_from_corners(const MeshType& mesh) {
  using Corners = typename Element::template of_order<1>;
  const auto x = test::on_host(mesh.coordinates());
  double worst = 0;
  for (const auto& nodes : connectivity<Element>(mesh))
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      const auto weights = Corners::values(Element::node_coordinates()[n]);
      for (std::size_t d = 0; d < 3; ++d) {
        double expected = 0;
        for (std::size_t v = 0; v < weights.size(); ++v) expected += weights[v] * x(nodes[v], d);
        worst = std::max(worst, std::abs(x(nodes[n], d) - expected));
      }
    }
  return worst;
}

TEST(ReadMixedMesh, TakesGmshsCellsOfSecondOrder) {
  if (!test::has_program("gmsh")) GTEST_SKIP() << "gmsh is not installed";
  const test::TemporaryFolder folder;
  const auto mesh = read_mixed_mesh<Blocks<Hex20, Pyramid13, Tet<2>>>(
      joined(folder, "-order 2 -setnumber Mesh.SecondOrderIncomplete 1"));
  expect_joined(mesh);
  EXPECT_LE(distance_from_corners<Hex20>(mesh), 1e-9);
  EXPECT_LE(distance_from_corners<Pyramid13>(mesh), 1e-9);
  EXPECT_LE(distance_from_corners<Tet<2>>(mesh), 1e-9);
  const std::string complete = joined(folder, "-order 2");
  expect_throw_with<FileError>([&] { read_mesh_data(complete); },
                               "elements of Gmsh's type 14 (14-node pyramid) are not supported");
}

TEST(ReadMixedMesh, TypesThatAFileLacksAreEmptyAndOthersAreNotDropped) {
  const test::TemporaryFolder folder;
  const auto path = folder.write("four.msh", gmsh);
  using Two = Blocks<Tet<1>, Hex<1>>;
  expect_throw_with<MeshError>(
      [&] { read_mixed_mesh<Two>(path); },
      "a mesh of its tet1, hex1 cells alone would lack 1 wedge1 and 1 pyramid1 cells");
  const auto two = read_mixed_mesh<Two>(path, {.allow_partial = true});
  EXPECT_EQ(two.num_nodes(), 10); // without the wedge's own
  EXPECT_EQ(two.num_elements(), 2u);
  expect_throw_with<MeshError>([&] { read_mixed_mesh<Blocks<Hex20>>(path); },
                               "a mesh of its hex1 cells alone would lack 1 tet1");
  using More = Blocks<Hex<1>, Wedge<1>, Pyramid<1>, Tet<1>>;
  auto alone = read_mesh_data(path);
  alone.blocks.erase(alone.blocks.begin(), alone.blocks.end() - 1);
  EXPECT_EQ(to_mixed_mesh<More>(std::move(alone)).num_elements(), 1u);
}

TEST(ReadMixedMesh, MessagesHaveTheFilesNumbers) {
  const test::TemporaryFolder folder;
  std::string turned = gmsh;
  turned.replace(turned.find("33 4 2 9 1 16 20 17 21"), 22, "33 4 2 9 1 16 20 17 12");
  const auto path = folder.write("turned.msh", turned);
  auto data = read_mesh_data(path);
  for (auto& block : data.blocks) // a reader may have turned it
    if (block.type == cell_type_of<Tet<1>>()) block.nodes = {5, 9, 6, 1};
  expect_throw_with<MeshError>([&] { to_mixed_mesh<Solids>(std::move(data)); },
                               "turned.msh: element 33 (nodes 16 20 17 12)");
}

#ifdef TESSERA_HAVE_VTK
TEST(WriteMixedMesh, VtuFilesGiveEverythingBack) {
  auto mesh = test::MixedBox(2).mesh<Kokkos::DefaultExecutionSpace>();
  mesh.label_materials({{4, "steel"}, {6, "rubber"}});
  const auto boundary = boundary_sides(mesh);
  mesh.add_side_set("boundary", boundary);
  mesh.add_node_set("some", test::to_device<Kokkos::DefaultExecutionSpace>(std::vector<Ordinal>{3, 5, 8}));
  std::vector<double> u(to_size(mesh.num_nodes())), stress(mesh.num_elements());
  for (std::size_t i = 0; i < u.size(); ++i) u[i] = 0.5 * static_cast<double>(i);
  for (std::size_t e = 0; e < stress.size(); ++e) stress[e] = 3 * static_cast<double>(e);
  const test::TemporaryFolder folder;
  write_vtu(folder / "a.vtu", mesh, {{"u", u}}, {{"stress", stress}});

  const auto back = read_mixed_mesh<Solids>(folder / "a.vtu");
  const auto x = test::on_host(mesh.coordinates()), y = test::on_host(back.coordinates());
  ASSERT_EQ(back.num_nodes(), mesh.num_nodes());
  for (Ordinal n = 0; n < mesh.num_nodes(); ++n)
    for (int d = 0; d < 3; ++d) EXPECT_EQ(x(n, d), y(n, d));
  EXPECT_EQ(connectivity<Hex<1>>(back), connectivity<Hex<1>>(mesh));
  EXPECT_EQ(connectivity<Wedge<1>>(back), connectivity<Wedge<1>>(mesh));
  EXPECT_EQ(connectivity<Pyramid<1>>(back), connectivity<Pyramid<1>>(mesh));
  EXPECT_EQ(connectivity<Tet<1>>(back), connectivity<Tet<1>>(mesh));
  EXPECT_EQ(back.material_labels(), mesh.material_labels());
  mesh.for_each_block([&]<class Element, class Space>(const Mesh<Element, Space>& block) {
    const auto& other = back.block<Element>();
    EXPECT_EQ(test::to_host(other.materials()), test::to_host(block.materials()));
    EXPECT_EQ(rows(other.side_set("boundary")), rows(block.side_set("boundary")));
  });
  EXPECT_THAT(test::to_host(back.node_set("some")), ElementsAre(3, 5, 8));

  const auto data = read_mesh_data(folder / "a.vtu");
  EXPECT_EQ(find_field(data.node_fields, "u").values, u);
  std::vector<double> all;
  for (const auto& block : data.blocks) {
    const auto& values = find_field(block.fields, "stress").values;
    all.insert(all.end(), values.begin(), values.end());
  }
  EXPECT_EQ(all, stress);

  const std::vector<double> wrong(stress.size() + 1);
  expect_throw_with<ArgumentError>([&] { write_vtu(folder / "b.vtu", mesh, {}, {{"stress", wrong}}); },
                                   "cell field 'stress'");
}

// A picture of one color has one block's cells, one of two colors those of two.
TEST(DrawMixedMesh, AllBlocksAreDrawn) {
  const auto mesh = test::MixedBox(1, test::straight).mesh<Kokkos::DefaultExecutionSpace>();
  const test::TemporaryFolder folder;
  const PictureOptions look{.width = 400, .height = 300};
  const auto bytes_of = [&](const std::vector<Ordinal>& numbers) {
    draw_numbers(folder / "a.png", mesh, "types", numbers, look);
    return test::read_file(folder / "a.png");
  };
  std::vector<Ordinal> all(16, 0), wedges = all, pyramids = all, tets = all;
  wedges[1] = wedges[2] = 1;
  std::fill(pyramids.begin() + 3, pyramids.begin() + 8, 1);
  std::fill(tets.begin() + 8, tets.end(), 1);
  const std::set<std::string> drawn{bytes_of(all), bytes_of(wedges), bytes_of(pyramids), bytes_of(tets)};
  EXPECT_EQ(drawn.size(), 4u);
  expect_throw_with<ArgumentError>([&] { bytes_of({1, 2}); }, "2 numbers for 16 cells");

  auto named = mesh;
  named.add_side_set("boundary", boundary_sides(mesh));
  const auto sets = drawn_sets(named);
  // Quadrilaterals, then of wedges triangles and quadrilaterals, of pyramids quadrilaterals, triangles.
  ASSERT_EQ(sets.size(), 5u);
  std::size_t sides = 0;
  for (const DrawnSet& set : sets) sides += set.connectivity.size() / to_size(set.type.nodes());
  EXPECT_EQ(sides, boundary_sides(mesh).count());
  draw_mesh(folder / "b.png", named, look);
  const std::vector<double> u(3 * to_size(mesh.num_nodes()), 0.25);
  draw_solution(folder / "c.png", named, {"u", u}, "m", look);
  EXPECT_GT(test::read_file(folder / "c.png").size(), 1000u);
}
#endif

} // namespace io_read_mixed_mesh
