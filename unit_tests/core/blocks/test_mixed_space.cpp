// SPDX-License-Identifier: BSD-3-Clause
// Meshes of several element types: blocks over shared nodes, their boundary, constraints and loads that are
// said once, and the graph of all.

#include <tessera/core/blocks/mixed_renumber.hpp>
#include <tessera/core/blocks/mixed_space.hpp>
#include <tessera/core/system/linear_system.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/meshes/mixed_box.hpp"
#include "support/on_host.hpp"
#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace core_blocks_mixed_space {

using namespace tessera;
using test::bent;
using test::expect_throw_with;
using test::MixedBox;
using test::on_host;
using test::Solids;
using test::straight;

template <class Element, class ExecutionSpace>
struct VolumeOf {
  MeshKernel<Element, ExecutionSpace> mesh;
  KOKKOS_FUNCTION void operator()(Ordinal e, double& total) const {
    const auto cell = mesh.template cell<double>(e);
    for (int q = 0; q < Tabulation<Element, 3>::points; ++q)
      total += QuadraturePoint<Element, 3, double>(cell, q).weight();
  }
};

template <class ExecutionSpace>
class MixedSpaceTest : public ::testing::Test {
public:
  using Mixed = MixedMesh<Solids, ExecutionSpace>;
  using Space = MixedSpace<Solids, ExecutionSpace>;
  using Sides = MixedSides<Solids, ExecutionSpace>;

  static Mixed mesh(int n, test::Moved moved = bent) { return MixedBox(n, moved).mesh<ExecutionSpace>(); }
  /// All loads by degree of freedom.
  static std::vector<double> loads_of(const Space& space) {
    std::vector<double> loads(to_size(space.num_dofs()), 0.0);
    const auto sparse = space.nodal_loads();
    const auto dofs = test::to_host(sparse.dofs);
    const auto values = test::to_host(sparse.values);
    for (std::size_t i = 0; i < dofs.size(); ++i) loads[to_size(dofs[i])] += values[i];
    return loads;
  }
};
TYPED_TEST_SUITE(MixedSpaceTest, test::ExecutionSpaceTypes, test::ExecutionSpaceName);

/// The elements of a block as their nodes' positions, materials and names, in any order.
template <class Element, class ExecutionSpace>
std::multiset<std::vector<double>> elements_of(const Mesh<Element, ExecutionSpace>& block) {
  const auto x = on_host(block.coordinates());
  const auto nodes = on_host(block.connectivity());
  const auto materials = on_host(block.materials());
  std::multiset<std::vector<double>> elements;
  for (Ordinal e = 0; e < block.num_elements(); ++e) {
    std::vector<double> element{double(materials(e)),
                                double(std::hash<std::string>()(block.element_name(e)))};
    for (int n = 0; n < Element::nodes; ++n)
      for (int d = 0; d < Element::dimension; ++d) element.push_back(x(nodes(e, n), d));
    elements.insert(element);
  }
  return elements;
}

/// The elements of a block's sides in a set, and which side each is.
template <class Element, class ExecutionSpace, class Set>
std::multiset<std::vector<double>> sides_of(const Mesh<Element, ExecutionSpace>& block, const Set& set) {
  const auto x = on_host(block.coordinates());
  const auto nodes = on_host(block.connectivity());
  const auto list = on_host(set);
  std::multiset<std::vector<double>> sides;
  for (std::size_t i = 0; i < list.extent(0); ++i) {
    std::vector<double> side{double(list(i, 1))};
    for (int n = 0; n < Element::nodes; ++n)
      for (int d = 0; d < Element::dimension; ++d) side.push_back(x(nodes(list(i, 0), n), d));
    sides.insert(side);
  }
  return sides;
}

/// Where the nodes of a set are.
template <class MeshType>
std::multiset<std::vector<double>> places_of(const MeshType& mesh, const std::string& set) {
  const auto x = on_host(mesh.coordinates());
  std::multiset<std::vector<double>> places;
  for (const Ordinal node : test::to_host(mesh.node_set(set)))
    places.insert({x(node, 0), x(node, 1), x(node, 2)});
  return places;
}

/// Mean distance of the numbers of two nodes of an element.
template <class List, class ExecutionSpace>
double spread_of(const MixedMesh<List, ExecutionSpace>& mesh) {
  double sum = 0;
  mesh.for_each_block([&]<class Element>(const Mesh<Element, ExecutionSpace>& block) {
    const auto nodes = on_host(block.connectivity());
    for (Ordinal e = 0; e < block.num_elements(); ++e)
      for (int n = 1; n < Element::nodes; ++n) sum += std::abs(nodes(e, n) - nodes(e, 0));
  });
  return sum / static_cast<double>(mesh.num_elements());
}

TYPED_TEST(MixedSpaceTest, RenumberedAlongTheCurveIsTheSameMesh) {
  auto mesh = this->mesh(5, straight);
  const TypeParam exec;
  mesh.add_node_set("boundary", nodes_of_sides(mesh, boundary_sides(mesh)));
  mesh.add_side_set("boundary", boundary_sides(mesh));
  const auto other = hilbert_renumbered(exec, mesh);
  EXPECT_LT(spread_of(other), spread_of(mesh) / 3);
  EXPECT_NE(other.nodes_id(), mesh.nodes_id());
  EXPECT_EQ(places_of(other, "boundary"), places_of(mesh, "boundary"));
  mesh.for_each_block([&]<class Element>(const Mesh<Element, TypeParam>& block) {
    const auto& renumbered = other.template block<Element>();
    EXPECT_EQ(renumbered.nodes_id(), other.nodes_id());
    EXPECT_EQ(elements_of(renumbered), elements_of(block)) << Element::name;
    EXPECT_EQ(sides_of(renumbered, other.side_set("boundary").template block<Element>()),
              sides_of(block, mesh.side_set("boundary").template block<Element>()))
        << Element::name;
  });
}

TYPED_TEST(MixedSpaceTest, RenumberingRefusesPermutationsOfOtherLengths) {
  const auto mesh = this->mesh(1);
  const TypeParam exec;
  const auto identity = [&](Ordinal items) { return make_permutation(exec, detail::all_items(exec, items)); };
  const auto all = [&](const auto& block) { return identity(block.num_elements()); };
  expect_throw_with<ArgumentError>(
      [&] {
        renumber(exec, mesh, identity(mesh.num_nodes()),
                 {all(mesh.template block<Hex<1>>()), all(mesh.template block<Wedge<1>>()), identity(1),
                  all(mesh.template block<Tet<1>>())});
      },
      "renumber: a permutation of 1 elements for a mesh of");
}

TYPED_TEST(MixedSpaceTest, BlocksShareNodesAndWhatBelongsToThem) {
  auto mesh = this->mesh(2);
  EXPECT_EQ(mesh.num_elements(), 8u + 16u + 44u + 56u);
  EXPECT_EQ(mesh.num_materials(), 2);
  const auto& hexes = mesh.template block<Hex<1>>();
  const auto& tets = mesh.template block<Tet<1>>();
  EXPECT_EQ(hexes.coordinates().data(), tets.coordinates().data());
  EXPECT_EQ(hexes.nodes_id(), tets.nodes_id());
  EXPECT_NE(hexes.id(), tets.id());
  EXPECT_EQ(tets.element_name(5), "tet1 element 5");
  const auto nodes = test::to_device<TypeParam>(std::vector<Ordinal>{3, 1});
  mesh.add_node_set("pair", nodes);
  EXPECT_EQ(mesh.node_set("pair").data(), tets.node_set("pair").data());
  expect_throw_with<MeshError>([&] { mesh.add_node_set("pair", nodes); }, "already has a node set");
}

TYPED_TEST(MixedSpaceTest, BlocksThatAreMadeAreJoined) {
  using Mixed = typename TestFixture::Mixed;
  const auto mesh = this->mesh(1), other = this->mesh(1);
  const auto& hexes = mesh.template block<Hex<1>>();
  const auto& wedges = mesh.template block<Wedge<1>>();
  const auto& pyramids = mesh.template block<Pyramid<1>>();
  Mixed joined(hexes, wedges, pyramids, mesh.template block<Tet<1>>());
  EXPECT_EQ(joined.nodes_id(), mesh.nodes_id());
  expect_throw_with<ArgumentError>([&] { Mixed(hexes, wedges, pyramids, other.template block<Tet<1>>()); },
                                   "block of tet1 is not over the nodes of the first");

  expect_throw_with<MeshError>([&] { joined.label_materials({{7, "steel"}}); },
                               "has 2 materials but 1 labels");
  joined.label_materials({{7, "steel"}, {9, "rubber"}});
  EXPECT_EQ(joined.template block<Tet<1>>().material("rubber"), 1);
  EXPECT_EQ(joined.material_labels().size(), 2u);
}

TYPED_TEST(MixedSpaceTest, AMoveIsOfAllBlocksOrOfNone) {
  auto mesh = this->mesh(1, straight);
  const auto heights = [&] {
    const auto x = test::on_host(mesh.coordinates());
    std::vector<double> all(x.extent(0));
    for (std::size_t n = 0; n < all.size(); ++n) all[n] = x(n, 2);
    return all;
  };
  const auto before = heights();
  const std::size_t revision = mesh.revision();
  // Hexahedra and wedges stay as they are: what is above them goes below.
  using Coordinates = typename TestFixture::Mixed::Coordinates;
  const Coordinates turned("Tessera::Test::turned", to_size(mesh.num_nodes()));
  Kokkos::deep_copy(turned, mesh.coordinates());
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), turned);
  for (std::size_t n = 0; n < host.extent(0); ++n)
    if (host(n, 2) > 1.5) host(n, 2) = 0.5;
  Kokkos::deep_copy(turned, host);
  expect_throw_with<ElementError>([&] { mesh.move(turned); }, "flat or inverted");
  EXPECT_EQ(heights(), before);
  EXPECT_EQ(mesh.revision(), revision);

  for (std::size_t n = 0; n < host.extent(0); ++n) host(n, 2) = 2 * before[n];
  Kokkos::deep_copy(turned, host);
  mesh.move(turned);
  mesh.for_each_block([&](const auto& block) { EXPECT_EQ(block.revision(), revision + 1); });
}

TYPED_TEST(MixedSpaceTest, TheBoundaryHasNoSideBetweenBlocks) {
  constexpr int n = 2;
  auto mesh = this->mesh(n, straight);
  const auto sides = boundary_sides(mesh);
  // Quadrilaterals of 4 faces of the hexahedra's cube, as many of the pyramids' and 3 of the wedges',
  // triangles below these, and of 4 faces of the tetrahedra's cube.
  EXPECT_EQ(sides.template block<Hex<1>>().extent(0), 4u * n * n);
  EXPECT_EQ(sides.template block<Pyramid<1>>().extent(0), 4u * n * n);
  EXPECT_EQ(sides.template block<Wedge<1>>().extent(0), 3u * n * n + 2u * n * n);
  EXPECT_EQ(sides.template block<Tet<1>>().extent(0), 4u * 2 * n * n);
  EXPECT_EQ(sides.count(), 21u * n * n);
  EXPECT_LT(nodes_of_sides(mesh, sides).extent(0), to_size(mesh.num_nodes()));
  const auto floor = sides_where(mesh, sides, [](const auto& x) { return x(2) < 1e-12; });
  EXPECT_EQ(floor.template block<Hex<1>>().extent(0), to_size(n * n));
  EXPECT_EQ(floor.template block<Wedge<1>>().extent(0), 2u * n * n);
  EXPECT_EQ(floor.template block<Tet<1>>().extent(0), 0u);

  mesh.add_side_set("all", sides);
  EXPECT_EQ(mesh.side_set("all").count(), sides.count());
  expect_throw_with<MeshError>([&] { mesh.add_side_set("all", sides); }, "already has a side set 'all'");
  expect_throw_with<ArgumentError>([&] { mesh.side_set("some"); }, "no side set 'some'; it has all");
  auto wrong = sides;
  wrong.template block<Tet<1>>() = test::filled_on_host<typename Mesh<Tet<1>, TypeParam>::SideSet>(
      "Tessera::Test::sides", 1, [](const auto& side) { side(0, 0) = 1000, side(0, 1) = 0; });
  expect_throw_with<MeshError>([&] { mesh.add_side_set("wrong", wrong); }, "sides of tet1: entry 0 names");
  expect_throw_with<ArgumentError>([&] { mesh.side_set("wrong"); }, "it has all");
}

TYPED_TEST(MixedSpaceTest, APressureOnAClosedSurfaceHasNoResultant) {
  const auto mesh = this->mesh(2);
  const MixedSpace space = [&] {
    MixedSpace made(mesh, 3);
    made.add_pressure(boundary_sides(mesh), 2.0);
    return made;
  }();
  const auto loads = this->loads_of(space);
  const auto x = on_host(mesh.coordinates());
  double sum[3] = {}, work = 0, size = 0;
  for (std::size_t dof = 0; dof < loads.size(); ++dof) {
    sum[dof % 3] += loads[dof];
    work += loads[dof] * x(dof / 3, dof % 3);
    size += std::abs(loads[dof]);
  }
  for (const double component : sum) EXPECT_LE(std::abs(component), 1e-14 * size);
  // The work of a pressure p in u = x is -3 p V, and the volume the sum of that of elements.
  double volume = 0;
  mesh.for_each_block([&]<class Element>(const Mesh<Element, TypeParam>& block) {
    double own = 0;
    Kokkos::parallel_reduce("Tessera::Test::volume", Kokkos::RangePolicy<TypeParam>(0, block.num_elements()),
                            VolumeOf<Element, TypeParam>{block.kernel()}, own);
    volume += own;
  });
  EXPECT_NEAR(work, -3 * 2.0 * volume, 1e-13 * std::abs(work));
}

TYPED_TEST(MixedSpaceTest, LoadsOfAllBlocksSumUpAndRefuseFacesThatStandTwice) {
  const auto mesh = this->mesh(2, straight);
  MixedSpace space(mesh, 1);
  const auto boundary = boundary_sides(mesh);
  space.add_load(boundary, {1.5});
  auto loads = this->loads_of(space);
  double sum = 0;
  for (const double load : loads) sum += load;
  EXPECT_NEAR(sum, 1.5 * 16, 1e-12); // the surface of the four cubes
  space.add_robin(boundary, 2.0, 3.0);
  double transfer = 0;
  const auto products = test::on_host(space.robin(TypeParam()).products);
  for (std::size_t k = 0; k < products.extent(0); ++k) transfer += products(k, 0);
  EXPECT_NEAR(transfer, 2.0 * 16, 1e-12);

  // The face between hexahedra and wedges from both.
  auto both = boundary;
  const auto all_sides = [&]<class Element>(const Mesh<Element, TypeParam>& block) {
    std::vector<std::pair<Ordinal, int>> list;
    for (Ordinal e = 0; e < block.num_elements(); ++e)
      for (int s = 0; s < Element::sides; ++s) list.emplace_back(e, s);
    both.template block<Element>() = tessera::detail::to_side_set<Mesh<Element, TypeParam>>(list);
  };
  mesh.for_each_block(all_sides);
  const auto interface =
      sides_where(mesh, both, [](const auto& x) { return std::abs(x(0) - 1) < 1e-12 && x(2) < 1 + 1e-12; });
  EXPECT_EQ(interface.template block<Hex<1>>().extent(0), 4u);
  EXPECT_EQ(interface.template block<Wedge<1>>().extent(0), 4u);
  expect_throw_with<ArgumentError>([&] { space.add_load(interface, {1.0}); }, "would be loaded twice");
  expect_throw_with<ArgumentError>([&] { space.add_robin(interface, 1.0, 1.0); }, "would be loaded twice");
  MixedSpace vectors(mesh, 3);
  expect_throw_with<ArgumentError>([&] { vectors.add_pressure(interface, 1.0); }, "would be loaded twice");
  vectors.add_pressure(interface, 1.0, Opposed::meant);
  for (const double load : this->loads_of(vectors)) EXPECT_NEAR(load, 0.0, 1e-15);

  // What throws in a later block leaves nothing of the earlier ones.
  const auto above = [](const auto& x) { return x(2) > 1.2 ? NAN : 1.0; };
  expect_throw_with<ArgumentError>([&] { space.add_load(boundary, above); }, "not finite");
  EXPECT_EQ(this->loads_of(space), loads);
}

TYPED_TEST(MixedSpaceTest, ConstraintsAreOfAllBlocks) {
  const auto mesh = this->mesh(1);
  MixedSpace space(mesh, 2, ConstraintTreatment::zeroed);
  const auto nodes = test::to_device<TypeParam>(std::vector<Ordinal>{0, 4});
  space.constrain(nodes, {1.0, 2.0});
  const std::size_t revision = space.revision();
  EXPECT_NE(revision, 0u);
  space.for_each_block([&](const auto& block) {
    EXPECT_EQ(block.revision(), revision);
    EXPECT_EQ(on_host(block.equations().mask)(4), 3);
  });
  space.release(nodes, 1);
  EXPECT_EQ(on_host(space.template block<Tet<1>>().equations().mask)(4), 1);
  const auto other = this->mesh(1);
  expect_throw_with<ArgumentError>(
      [&] {
        FunctionSpace<Tet<1>, TypeParam>(other.template block<Tet<1>>(), space.template block<Hex<1>>());
      },
      "not blocks over the same nodes");
}

TYPED_TEST(MixedSpaceTest, TheGraphCouplesTheNodesOfAllBlocks) {
  const auto mesh = this->mesh(2);
  for (const auto treatment : {ConstraintTreatment::removed, ConstraintTreatment::zeroed}) {
    MixedSpace space(mesh, 3, treatment);
    space.constrain(test::to_device<TypeParam>(std::vector<Ordinal>{2, 9, 17}), 1, 0.5);
    const auto graph = sparsity_graph(TypeParam(), space);
    EXPECT_FALSE(graph.own);
    std::vector<std::set<Ordinal>> neighbors(to_size(mesh.num_nodes()));
    mesh.for_each_block([&]<class Element>(const Mesh<Element, TypeParam>& block) {
      EXPECT_TRUE(graph.fits(space.template block<Element>()));
      const auto nodes = on_host(block.connectivity());
      for (Ordinal e = 0; e < block.num_elements(); ++e)
        for (int i = 0; i < Element::nodes; ++i)
          for (int j = 0; j < Element::nodes; ++j) neighbors[to_size(nodes(e, i))].insert(nodes(e, j));
    });
    const auto held = [&](Ordinal node, int c) {
      return treatment == ConstraintTreatment::removed && c == 1 && (node == 2 || node == 9 || node == 17);
    };
    std::vector<Ordinal> equation(to_size(space.num_dofs()), -1);
    Ordinal count = 0;
    for (Ordinal dof = 0; dof < space.num_dofs(); ++dof)
      if (!held(dof / 3, dof % 3)) equation[to_size(dof)] = count++;
    const auto row_map = test::to_host(graph.row_map);
    const auto columns = test::to_host(graph.columns);
    ASSERT_EQ(graph.num_rows(), count);
    for (Ordinal dof = 0; dof < space.num_dofs(); ++dof) {
      if (held(dof / 3, dof % 3)) continue;
      std::vector<Ordinal> expected;
      for (const Ordinal node : neighbors[to_size(dof / 3)])
        for (int c = 0; c < 3; ++c)
          if (!held(node, c)) expected.push_back(equation[to_size(node * 3 + c)]);
      const auto row = to_size(equation[to_size(dof)]);
      EXPECT_EQ(expected,
                std::vector<Ordinal>(columns.begin() + static_cast<std::ptrdiff_t>(row_map[row]),
                                     columns.begin() + static_cast<std::ptrdiff_t>(row_map[row + 1])));
    }
  }
}

TYPED_TEST(MixedSpaceTest, GraphsOfOtherBlocksDoNotFit) {
  const auto mesh = this->mesh(1);
  MixedSpace space(mesh, 1);
  const auto& hexes = space.template block<Hex<1>>();
  const auto& wedges = space.template block<Wedge<1>>();
  const auto& tets = space.template block<Tet<1>>();
  EXPECT_FALSE(sparsity_graph(TypeParam(), hexes).fits(tets));
  EXPECT_TRUE(sparsity_graph(TypeParam(), hexes).own);
  const auto two = shared_graph(TypeParam(), hexes, wedges);
  EXPECT_TRUE(two.fits(wedges));
  EXPECT_FALSE(two.fits(tets));
  const auto all = sparsity_graph(TypeParam(), space);
  space.constrain(0, 0, 1.0);
  EXPECT_FALSE(all.fits(tets));
  FunctionSpace<Tet<1>, TypeParam> own(mesh.template block<Tet<1>>(), 1);
  expect_throw_with<ArgumentError>([&] { shared_graph(TypeParam(), hexes, own); }, "other components or");
}

TYPED_TEST(MixedSpaceTest, BlocksMayBeEmpty) {
  using Mixed = typename TestFixture::Mixed;
  const MixedBox box(1);
  const Mixed tets(box.coordinates<TypeParam>(), {}, {}, {}, box.cells<Tet<1>, Mixed>());
  EXPECT_EQ(tets.num_elements(), 6u + 2u);
  EXPECT_EQ(boundary_sides(tets).count(), 10u + 4u);
  const MixedSpace space(tets, 1);
  EXPECT_TRUE(sparsity_graph(TypeParam(), space).own);
}

} // namespace core_blocks_mixed_space
