// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/elements/elements.hpp>
#include <tessera/core/mesh/elevate.hpp>
#include <tessera/core/mesh/renumber.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/meshes/test_meshes.hpp"
#include <cmath>
#include <limits>
#include <string>

namespace core_mesh_mesh {

using namespace tessera;
using Space = Kokkos::DefaultExecutionSpace;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

/// Two triangles on the unit square.
test::HostMesh<Tri<1>, Space> square() {
  return test::HostMesh<Tri<1>, Space>(io::box_mesh<Tri<1>, Space>({{1, 1, 1}}));
}

TEST(Mesh, RefusesNodeThatDoesNotExist) {
  auto host = square();
  host.connectivity(1, 2) = 4;
  EXPECT_THAT([&] { host.mesh(); },
              ThrowsMessage<MeshError>(HasSubstr("element 1 (nodes 0 3 4) names a node that "
                                                 "does not exist: nodes are 0 to 3")));
  host.connectivity(1, 2) = -1;
  EXPECT_THAT([&] { host.mesh(); }, ThrowsMessage<MeshError>(HasSubstr("element 1 (nodes 0 3 -1)")));
}

TEST(Mesh, RefusesRepeatedNode) {
  auto host = square();
  host.connectivity(0, 1) = host.connectivity(0, 0);
  EXPECT_THAT([&] { host.mesh(); },
              ThrowsMessage<MeshError>(HasSubstr("element 0 (nodes 0 0 3) names a node twice")));
}

// Whatever the order of its nodes, and of higher order the nodes between its corners.
TEST(Mesh, RefusesRepeatedElements) {
  test::HostMesh<Tri<2>, Space> host(io::box_mesh<Tri<2>, Space>({{7, 5, 1}}));
  EXPECT_NO_THROW(host.mesh());
  for (int n = 0; n < 6; ++n)
    host.connectivity(61, n) = host.connectivity(8, n < 3 ? (n + 1) % 3 : 3 + (n - 2) % 3);
  std::string nodes;
  for (int n = 0; n < 6; ++n) nodes += ' ' + std::to_string(host.connectivity(61, n));
  EXPECT_THAT([&] { host.mesh(); },
              ThrowsMessage<RepeatedElementError>(
                  "element 61 (nodes" + nodes +
                  ") repeats element 8: its corners are the same, and both would count; keep one of them"));
  for (int n = 0; n < 6; ++n) host.connectivity(3, n) = host.connectivity(61, n);
  try {
    host.mesh();
    ADD_FAILURE();
  } catch (const RepeatedElementError& error) {
    EXPECT_EQ(error.earlier(), 3);
  }
}

/// A fan of triangles round node `hub`.
test::HostMesh<Tri<1>, Space> fan(Ordinal triangles, Ordinal hub) {
  const Mesh<Tri<1>, Space>::Coordinates x("Tessera::Test::x", triangles + 2);
  const Mesh<Tri<1>, Space>::Connectivity nodes("Tessera::Test::nodes", triangles);
  const auto host_x = Kokkos::create_mirror_view(x);
  const auto host_nodes = Kokkos::create_mirror_view(nodes);
  const auto number = [&](Ordinal i) { return i < hub ? i : i + 1; };
  for (Ordinal i = 0; i <= triangles; ++i) {
    host_x(number(i), 0) = std::cos(3.0 * i / triangles);
    host_x(number(i), 1) = std::sin(3.0 * i / triangles);
  }
  for (Ordinal i = 0; i < triangles; ++i) {
    host_nodes(i, 0) = hub;
    host_nodes(i, 1) = number(i);
    host_nodes(i, 2) = number(i + 1);
  }
  Kokkos::deep_copy(x, host_x);
  Kokkos::deep_copy(nodes, host_nodes);
  return test::HostMesh<Tri<1>, Space>(Mesh<Tri<1>, Space>(x, nodes));
}

// A node of very many elements, and nodes of no element, make neighbours crowd; time stays in proportion.
TEST(Mesh, LooksForRepeatedElementsInFans) {
  constexpr Ordinal triangles = 200000;
  for (const Ordinal hub : {0, triangles / 3, triangles + 1}) {
    auto host = fan(triangles, hub);
    for (int n = 0; n < 3; ++n) host.connectivity(triangles - 1, n) = host.connectivity(77, (n + 1) % 3);
    EXPECT_THAT([&] { host.mesh(); }, ThrowsMessage<MeshError>(HasSubstr("repeats element 77"))) << hub;
  }
}

TEST(Mesh, RefusesInvertedAndFlatElements) {
  auto host = square();
  std::swap(host.connectivity(1, 1), host.connectivity(1, 2));
  EXPECT_THAT([&] { host.mesh(); },
              ThrowsMessage<MeshError>(HasSubstr("element 1 (nodes 0 2 3) is flat or inverted")));
  host = square();
  for (int n = 0; n < 4; ++n) host.coordinates(n, 1) = 2 * host.coordinates(n, 0);
  EXPECT_THAT([&] { host.mesh(); },
              ThrowsMessage<MeshError>(HasSubstr("element 0 (nodes 0 1 3) is flat or inverted")));
}

// The volume of such elements is zero or infinite in double precision, their shape is sound.
TEST(Mesh, TellsLengthsOutOfRangeFromFlatElements) {
  for (const double length : {1e-110, 1e110})
    EXPECT_THAT([&] { (io::box_mesh<Tet<1>, Space>({{1, 1, 1}, {length, length, length}})); },
                ThrowsMessage<MeshError>(HasSubstr("is so small or so large that its volume leaves the range "
                                                   "of double precision; take another unit of length")));
}

TEST(Mesh, RefusesCoordinatesThatAreNotFinite) {
  for (double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    auto host = square();
    host.coordinates(2, 1) = bad;
    EXPECT_THAT([&] { host.mesh(); }, ThrowsMessage<MeshError>("node 2 has a coordinate that is not finite"));
  }
}

TEST(Mesh, ChecksMaterials) {
  auto host = square();
  host.materials = {0, 4};
  EXPECT_EQ(host.mesh().num_materials(), 5);
  host.materials = {0, -4};
  EXPECT_THAT([&] { host.mesh(); },
              ThrowsMessage<MeshError>(HasSubstr("element 1 (nodes 0 3 2) has a negative material")));
  host.materials = {0};
  EXPECT_THAT([&] { host.mesh(); }, ThrowsMessage<MeshError>("mesh has 2 elements but 1 material numbers"));
}

TEST(Mesh, TellsTheElementThatItRefuses) {
  auto host = square();
  std::swap(host.connectivity(1, 1), host.connectivity(1, 2));
  try {
    host.mesh();
    FAIL();
  } catch (const ElementError& error) {
    EXPECT_EQ(error.element(), 1);
    EXPECT_EQ(error.nodes(), (std::vector<Ordinal>{0, 2, 3}));
    EXPECT_THAT(error.problem(), ::testing::StartsWith("is flat or inverted"));
  }
}

TEST(Mesh, KeepsLabelsOfMaterials) {
  auto host = square();
  host.materials = {0, 1};
  auto mesh = host.mesh();
  EXPECT_TRUE(mesh.material_labels().empty());
  EXPECT_THAT([&] { mesh.material("steel"); },
              ThrowsMessage<ArgumentError>("mesh has no material 'steel'; it has none"));
  EXPECT_THAT([&] { mesh.label_materials({{7, "steel"}}); },
              ThrowsMessage<MeshError>("mesh has 2 materials but 1 labels for them"));
  const std::vector<MaterialLabel> labels = {{7, "steel"}, {9, "air"}};
  mesh.label_materials(labels);
  EXPECT_EQ(mesh.material("air"), 1);
  EXPECT_THAT([&] { mesh.material("water"); },
              ThrowsMessage<ArgumentError>("mesh has no material 'water'; it has steel, air"));
  EXPECT_EQ(elevated<Tri<2>>(mesh).material_labels(), labels);
  EXPECT_EQ(hilbert_renumbered(Space(), mesh).material_labels(), labels);
  mesh.label_materials({});
  EXPECT_TRUE(mesh.material_labels().empty());
}

TEST(Mesh, NamesMissingSets) {
  const auto mesh = io::box_mesh<Tri<1>, Space>({{1, 1, 1}});
  EXPECT_THAT([&] { mesh.node_set("top"); },
              ThrowsMessage<ArgumentError>("mesh has no node set 'top'; it has xmax, xmin, ymax, ymin"));
  EXPECT_THAT([&] { square().mesh().side_set("top"); },
              ThrowsMessage<ArgumentError>("mesh has no side set 'top'; it has none"));
}

TEST(Mesh, ChecksSets) {
  auto mesh = square().mesh();
  Mesh<Tri<1>, Space>::NodeSet nodes("Tessera::Test::nodes", 2);
  Kokkos::deep_copy(nodes, 4);
  EXPECT_THAT(
      [&] { mesh.add_node_set("bad", nodes); },
      ThrowsMessage<MeshError>("node set 'bad': entry 0 names a node that does not exist: nodes are 0 to 3"));
  Mesh<Tri<1>, Space>::SideSet sides("Tessera::Test::sides", 1);
  Kokkos::deep_copy(sides, 3);
  EXPECT_THAT([&] { mesh.add_side_set("bad", sides); },
              ThrowsMessage<MeshError>(HasSubstr("names an element that does not exist")));
  Kokkos::deep_copy(Kokkos::subview(sides, Kokkos::ALL, 0), 1);
  EXPECT_THAT([&] { mesh.add_side_set("bad", sides); },
              ThrowsMessage<MeshError>(HasSubstr("names a side that does not exist: they are 0 to 2")));
  Kokkos::deep_copy(nodes, 1);
  mesh.add_node_set("good", nodes);
  EXPECT_THAT([&] { mesh.add_node_set("good", nodes); },
              ThrowsMessage<MeshError>("mesh already has a node set 'good'"));
}

TEST(Mesh, ChecksExtentsOfViewsThatAreKnownAtRunTime) {
  const Kokkos::View<double**, Kokkos::LayoutRight, Space> flat("Tessera::Test::flat", 27, 2);
  const Kokkos::View<Ordinal**, Space> nodes("Tessera::Test::nodes", 8, 8), few("Tessera::Test::few", 8, 4);
  EXPECT_THAT(
      [&] { (Mesh<Hex<1>, Space>(flat, nodes)); },
      ThrowsMessage<ArgumentError>("Mesh: coordinates: the view is 27 x 2, its index 1 must count 3"));
  const auto mesh = io::box_mesh<Hex<1>, Space>({{2, 2, 2}});
  const Mesh<Hex<1>, Space>::Coordinates corners("Tessera::Test::corners", 27);
  EXPECT_THAT(
      [&] { (Mesh<Hex<1>, Space>(corners, few)); },
      ThrowsMessage<ArgumentError>("Mesh: connectivity: the view is 8 x 4, its index 1 must count 8"));
  auto copy = mesh;
  EXPECT_THAT([&] { copy.move(flat); },
              ThrowsMessage<ArgumentError>(HasSubstr("Mesh::move: coordinates: the view is 27 x 2")));
  const Kokkos::View<Ordinal**, Kokkos::LayoutRight, Space> sides("Tessera::Test::sides", 2, 1);
  EXPECT_THAT([&] { copy.add_side_set("thin", sides); },
              ThrowsMessage<ArgumentError>("side set 'thin': the view is 2 x 1, its index 1 must count 2"));
}

TEST(Mesh, ChecksStrides) {
  // Planar points in the first columns of spatial ones are rows with gaps, which are fine; every other entry
  // of a list is not.
  const auto mesh = io::box_mesh<Tri<1>, Space>({{3, 3}});
  const Kokkos::View<double**, Kokkos::LayoutRight, Space> points("Tessera::Test::points", 16, 3);
  const auto plane = Kokkos::subview(points, Kokkos::ALL, std::make_pair(0, 2));
  Kokkos::deep_copy(plane, mesh.coordinates());
  const Kokkos::View<Ordinal* [3], Space> nodes("Tessera::Test::nodes", 18);
  Kokkos::deep_copy(nodes, mesh.connectivity());
  EXPECT_EQ((Mesh<Tri<1>, Space>(plane, nodes).num_nodes()), 16);
  const Kokkos::View<Ordinal* [2], Kokkos::LayoutRight, Space> pairs("Tessera::Test::pairs", 18);
  const auto every_other = Kokkos::subview(pairs, Kokkos::ALL, 0);
  EXPECT_THAT(
      [&] { (Mesh<Tri<1>, Space>(plane, nodes, every_other)); },
      ThrowsMessage<ArgumentError>("Mesh: materials: the view's stride along index 0 is 2, it must be "
                                   "1; copy it into one without gaps"));
}

TEST(Mesh, MovesWithItsCopies) {
  auto mesh = io::box_mesh<Tri<1>, Space>({{2, 2}});
  const auto copy = mesh;
  const auto before = copy.revision();
  const Mesh<Tri<1>, Space>::Coordinates moved("Tessera::Test::moved", mesh.num_nodes());
  Kokkos::deep_copy(moved, mesh.coordinates());
  const auto host = Kokkos::create_mirror_view(moved);
  Kokkos::deep_copy(host, moved);
  host(4, 0) += 0.125;
  Kokkos::deep_copy(moved, host);
  mesh.move(moved);
  EXPECT_NE(copy.revision(), before);
  EXPECT_EQ(copy.id(), mesh.id());
  EXPECT_EQ(Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), copy.coordinates())(4, 0), 0.625);

  const auto after = mesh.revision();
  host(4, 0) = 2.0; // beyond the side
  Kokkos::deep_copy(moved, host);
  EXPECT_THAT([&] { mesh.move(moved); }, ThrowsMessage<MeshError>(HasSubstr("is flat or inverted")));
  host(4, 0) = std::nan("");
  Kokkos::deep_copy(moved, host);
  EXPECT_THAT([&] { mesh.move(moved); },
              ThrowsMessage<MeshError>("node 4 has a coordinate that is not finite"));
  const Mesh<Tri<1>, Space>::Coordinates few("Tessera::Test::few", 8);
  EXPECT_THAT([&] { mesh.move(few); },
              ThrowsMessage<ArgumentError>("Mesh::move: coordinates of 8 nodes, the mesh has 9"));
  EXPECT_EQ(mesh.revision(), after);
  EXPECT_EQ(Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mesh.coordinates())(4, 0), 0.625);
}

TEST(Box, RefusesNonsense) {
  EXPECT_THAT([] { (io::box_mesh<Tri<1>, Space>({{0, 1, 1}})); },
              ThrowsMessage<ArgumentError>(HasSubstr("must be positive")));
  EXPECT_THAT([] { (io::box_mesh<Hex<1>, Space>({{2000, 2000, 2000}})); },
              ThrowsMessage<ArgumentError>("box: 8000000000 elements and 8012006001 nodes; one process holds "
                                           "fewer than 2147483647 of each"));
}

/// Nodes and elements are what is numbered: an element's sides, and entries of the connectivity, may be more.
TEST(Box, HasAsManyElementsAsThereAreNumbers) {
  const io::detail::BoxCounts<Tet<1>> most({{480, 480, 480}});
  EXPECT_EQ(most.elements, 663552000);
  EXPECT_EQ(most.nodes, 481 * 481 * 481);
  EXPECT_THAT([] { io::detail::BoxCounts<Tet<1>>({{711, 711, 711}}); },
              ThrowsMessage<ArgumentError>(HasSubstr("box: 2156552586 elements")));
}

template <class E>
class BoxOf : public ::testing::Test {};
template <class Tuple>
struct ToTypes;
template <class... T>
struct ToTypes<std::tuple<T...>> {
  using type = ::testing::Types<T...>;
};
TYPED_TEST_SUITE(BoxOf, ToTypes<Elements>::type);

/// Measure of a mesh from its side integrals by the divergence theorem: int x . n = dimension times volume.
template <class Element>
double enclosed_measure(const Mesh<Element, Space>& mesh) {
  double sum = 0;
  for (const auto& [name, sides] : mesh.side_sets()) {
    detail::for_each_side_kind<Element>([&](auto kind) {
      constexpr int Kind = decltype(kind)::value;
      const auto points = side_points<Kind>(Space(), mesh, sides);
      const auto x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), points.position);
      const auto normal = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), points.normal);
      for (std::size_t s = 0; s < x.extent(0); ++s)
        for (std::size_t q = 0; q < x.extent(1); ++q)
          for (int d = 0; d < Element::dimension; ++d)
            sum += x(s, q, d) * normal(s, q, d) / Element::dimension;
    });
  }
  return sum;
}

TYPED_TEST(BoxOf, SidesEncloseTheBox) {
  const auto mesh = io::box_mesh<TypeParam, Space>({{3, 2, 4}, {1.5, 2.0, 0.5}});
  EXPECT_NEAR(enclosed_measure(mesh), TypeParam::dimension == 3 ? 1.5 : 3.0, 1e-12);
  const Ordinal cells[] = {3, 2, 4};
  Ordinal nodes = 1, corners = 1, edges = 0;
  for (int d = 0; d < TypeParam::dimension; ++d) {
    nodes *= cells[d] * TypeParam::order + 1;
    corners *= cells[d] + 1;
    Ordinal along = cells[d];
    for (int e = 0; e < TypeParam::dimension; ++e) along *= e == d ? 1 : cells[e] + 1;
    edges += along;
  }
  // Diagonals: of wedges of all cells' squares across z, of pyramids of each cell and of its faces at an
  // apex.
  if (std::is_same_v<TypeParam, Wedge15>) edges += 3 * 2 * (4 + 1);
  if (std::is_same_v<TypeParam, Pyramid13>) edges += 3 * 2 * 4 + 2 * (2 * 4) + 2 * (3 * 4) + 3 * (3 * 2);
  EXPECT_EQ(mesh.num_nodes(), io::detail::BoxLattice<TypeParam>::edges_alone ? corners + edges : nodes);
}

TYPED_TEST(BoxOf, ElevatedFromLinearHasTheSameNodes) {
  using Linear = typename TypeParam::template of_order<1>;
  const io::Box box{{3, 2, 2}, {1.5, 2.0, 0.5}};
  const auto direct = io::box_mesh<TypeParam, Space>(box);
  const auto mesh = elevated<TypeParam>(io::box_mesh<Linear, Space>(box));
  ASSERT_EQ(mesh.num_nodes(), direct.num_nodes());
  ASSERT_EQ(mesh.num_elements(), direct.num_elements());
  const auto x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mesh.coordinates());
  const auto y = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), direct.coordinates());
  const auto xn = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mesh.connectivity());
  const auto yn = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), direct.connectivity());
  for (Ordinal e = 0; e < mesh.num_elements(); ++e)
    for (int n = 0; n < TypeParam::nodes; ++n)
      for (int d = 0; d < TypeParam::dimension; ++d) EXPECT_NEAR(x(xn(e, n), d), y(yn(e, n), d), 1e-14);
  for (const char* name : {"xmin", "ymax"}) {
    EXPECT_EQ(mesh.node_set(name).extent(0), direct.node_set(name).extent(0)) << name;
    EXPECT_EQ(mesh.side_set(name).extent(0), direct.side_set(name).extent(0)) << name;
  }
}

} // namespace core_mesh_mesh
