// SPDX-License-Identifier: BSD-3-Clause
// Renumbered meshes: the same elements, materials and sets under other numbers.

#include <tessera/core/mesh/renumber.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/meshes/boxes.hpp"
#include "support/on_host.hpp"
#include <array>
#include <cstdlib>
#include <map>
#include <set>
#include <vector>

namespace core_mesh_renumber {

using namespace tessera;
using test::on_host;
using Point = std::array<double, 3>;

template <class ExecutionSpace>
class Renumber : public ::testing::Test {
public:
  using MeshType = Mesh<Tet<1>, ExecutionSpace>;

  static std::vector<Point> points(const MeshType& mesh) {
    const auto x = on_host(mesh.coordinates());
    std::vector<Point> points;
    for (Ordinal n = 0; n < mesh.num_nodes(); ++n) points.push_back({x(n, 0), x(n, 1), x(n, 2)});
    return points;
  }

  /// Corners in their order, and the material.
  static std::map<std::vector<Point>, Ordinal> elements(const MeshType& mesh) {
    const auto at = points(mesh);
    const auto nodes = on_host(mesh.connectivity());
    const auto materials = on_host(mesh.materials());
    std::map<std::vector<Point>, Ordinal> elements;
    for (Ordinal e = 0; e < mesh.num_elements(); ++e)
      elements[{at[nodes(e, 0)], at[nodes(e, 1)], at[nodes(e, 2)], at[nodes(e, 3)]}] =
          materials.extent(0) == 0 ? 0 : materials(e);
    return elements;
  }

  static std::vector<Point> node_set(const MeshType& mesh, const std::string& name) {
    const auto at = points(mesh);
    const auto nodes = on_host(mesh.node_set(name));
    std::vector<Point> set;
    for (std::size_t i = 0; i < nodes.extent(0); ++i) set.push_back(at[nodes(i)]);
    return set;
  }

  static std::vector<Point> side_set(const MeshType& mesh, const std::string& name) {
    const auto at = points(mesh);
    const auto sides = on_host(mesh.side_set(name));
    const auto nodes = on_host(mesh.connectivity());
    const auto corners = Tet<1>::side_nodes();
    std::vector<Point> set;
    for (std::size_t i = 0; i < sides.extent(0); ++i)
      for (int n = 0; n < 3; ++n) set.push_back(at[nodes(sides(i, 0), corners[sides(i, 1)][n])]);
    return set;
  }

  /// Mean distance of the numbers of two nodes of an element.
  static double spread(const MeshType& mesh) {
    const auto nodes = on_host(mesh.connectivity());
    double sum = 0;
    for (Ordinal e = 0; e < mesh.num_elements(); ++e)
      for (int n = 1; n < 4; ++n) sum += std::abs(nodes(e, n) - nodes(e, 0));
    return sum / (3 * mesh.num_elements());
  }

  /// A shuffled box with materials and sets.
  static MeshType mesh() {
    const auto plain = test::mesh_of<Tet<1>, ExecutionSpace>(test::shuffled(test::tetrahedra(9, 8, 7)));
    typename MeshType::Materials materials("Tessera::Test::materials", plain.num_elements());
    typename MeshType::NodeSet nodes("Tessera::Test::nodes", 3);
    typename MeshType::SideSet sides("Tessera::Test::sides", 2);
    const auto m = Kokkos::create_mirror_view(materials);
    for (Ordinal e = 0; e < plain.num_elements(); ++e) m(e) = e % 5;
    Kokkos::deep_copy(materials, m);
    const auto n = Kokkos::create_mirror_view(nodes);
    n(0) = 70, n(1) = 5, n(2) = 200;
    Kokkos::deep_copy(nodes, n);
    const auto s = Kokkos::create_mirror_view(sides);
    s(0, 0) = 33, s(0, 1) = 2, s(1, 0) = 7, s(1, 1) = 0;
    Kokkos::deep_copy(sides, s);
    const typename MeshType::Coordinates coordinates("Tessera::Test::coordinates", plain.num_nodes());
    Kokkos::deep_copy(coordinates, plain.coordinates());
    MeshType mesh(coordinates, plain.connectivity(), materials);
    mesh.add_node_set("some", nodes);
    mesh.add_side_set("sides", sides);
    return mesh;
  }
};
TYPED_TEST_SUITE(Renumber, test::ExecutionSpaceTypes, test::ExecutionSpaceName);

TYPED_TEST(Renumber, KeepsElementsMaterialsAndSets) {
  const auto mesh = this->mesh();
  const auto other = hilbert_renumbered(TypeParam(), mesh);
  EXPECT_NE(this->points(other), this->points(mesh));
  EXPECT_EQ(this->elements(other), this->elements(mesh));
  EXPECT_EQ(this->node_set(other, "some"), this->node_set(mesh, "some"));
  EXPECT_EQ(this->side_set(other, "sides"), this->side_set(mesh, "sides"));
  EXPECT_LT(this->spread(other), this->spread(mesh) / 3);
}

TYPED_TEST(Renumber, LeavesOneMaterialUnsaid) {
  const auto mesh = test::mesh_of<Tet<1>, TypeParam>(test::tetrahedra(2, 1, 1));
  const auto other = hilbert_renumbered(TypeParam(), mesh);
  EXPECT_EQ(other.materials().extent(0), 0u);
  EXPECT_EQ(this->elements(other), this->elements(mesh));
}

TYPED_TEST(Renumber, RefusesPermutationsOfOtherLengths) {
  const auto mesh = test::mesh_of<Tet<1>, TypeParam>(test::tetrahedra(2, 1, 1)); // 12 nodes, 12 elements
  const TypeParam exec;
  const auto right = make_permutation(exec, detail::all_items(exec, 12));
  const auto wrong = make_permutation(exec, detail::all_items(exec, 7));
  test::expect_throw_with<ArgumentError>([&] { renumber(exec, mesh, wrong, right); },
                                         "renumber: a permutation of 7 nodes for a mesh of 12");
  test::expect_throw_with<ArgumentError>([&] { renumber(exec, mesh, right, wrong); },
                                         "renumber: a permutation of 7 elements for a mesh of 12");
}

TYPED_TEST(Renumber, RefusesListsThatAreNoPermutations) {
  const auto mesh = test::mesh_of<Tet<1>, TypeParam>(test::tetrahedra(2, 1, 1));
  const TypeParam exec;
  const auto right = make_permutation(exec, detail::all_items(exec, 12));
  const auto with_entry = [&](Ordinal place, Ordinal value) {
    const auto list = detail::all_items(exec, 12);
    Kokkos::deep_copy(Kokkos::subview(list, place), value);
    return make_permutation(exec, list);
  };
  for (const Ordinal value : {12, -1})
    test::expect_throw_with<ArgumentError>([&] { renumber(exec, mesh, with_entry(7, value), right); },
                                           "renumber: the permutation of nodes: new_to_old(7) is " +
                                               std::to_string(value) + "; numbers are 0 to 11");
  test::expect_throw_with<ArgumentError>([&] { renumber(exec, mesh, right, with_entry(7, 9)); },
                                         "renumber: the permutation of elements: new_to_old(");
  auto other = right; // another's inverse
  other.old_to_new = with_entry(0, 5).old_to_new;
  test::expect_throw_with<ArgumentError>([&] { renumber(exec, mesh, other, right); },
                                         "is 0, and old_to_new does not lead back");
}

} // namespace core_mesh_renumber
