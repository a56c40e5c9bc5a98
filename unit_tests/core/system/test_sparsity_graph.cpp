// SPDX-License-Identifier: BSD-3-Clause
// Incidence, graph and element map against brute force on the host.

#include <tessera/core/elements/elements.hpp>
#include <tessera/core/system/element_to_values.hpp>
#include <tessera/core/system/linear_system.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/meshes/boxes.hpp"
#include "support/meshes/test_meshes.hpp"
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace core_system_sparsity_graph {

using namespace tessera;
using test::expect_throw_with;
using test::to_host;

template <class ExecutionSpace>
class Graph : public ::testing::Test {
public:
  template <class Element>
  static Mesh<Element, ExecutionSpace> mesh() {
    return test::distorted_box<Element, ExecutionSpace>({{4, 3, 2}, {1.3, 1.0, 0.8}});
  }

  /// Connectivity as host rows.
  template <class MeshType>
  static std::vector<std::vector<Ordinal>> elements_of(const MeshType& mesh) {
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mesh.connectivity());
    std::vector<std::vector<Ordinal>> elements(host.extent(0));
    for (std::size_t e = 0; e < host.extent(0); ++e)
      for (std::size_t n = 0; n < host.extent(1); ++n) elements[e].push_back(host(e, n));
    return elements;
  }

  /// Some nodes are constrained wholly, some in one component, most not at all.
  template <class Space>
  static std::set<Ordinal> constrain(Space& space) {
    std::set<Ordinal> constrained;
    for (Ordinal node = 1; node < space.mesh().num_nodes(); node += 3)
      for (int c = 0; c < space.components(); ++c)
        if (node % 2 == 0 || c == node % space.components()) {
          space.constrain(node, c, 1.0);
          constrained.insert(node * space.components() + c);
        }
    return constrained;
  }

  template <class MeshType>
  static void expect_incidence(const MeshType& mesh) {
    const auto elements = elements_of(mesh);
    const auto incidence = node_to_element(ExecutionSpace(), mesh.connectivity(), mesh.num_nodes());
    const auto offsets = to_host(incidence.offsets);
    const auto around = to_host(incidence.elements);
    const auto local = to_host(incidence.local_nodes);
    ASSERT_EQ(offsets.size(), static_cast<std::size_t>(mesh.num_nodes()) + 1);
    ASSERT_EQ(around.size(), elements.front().size() * elements.size());
    std::size_t k = 0;
    for (Ordinal node = 0; node < mesh.num_nodes(); ++node) {
      ASSERT_EQ(offsets[node], k);
      for (std::size_t e = 0; e < elements.size(); ++e)
        for (std::size_t n = 0; n < elements[e].size(); ++n)
          if (elements[e][n] == node) {
            ASSERT_EQ(around[k], static_cast<Ordinal>(e)) << "node " << node;
            ASSERT_EQ(local[k++], n) << "node " << node;
          }
    }
    EXPECT_EQ(offsets.back(), k);
  }

  /// Compares everything with rows collected in sets. \param without degrees of freedom that have no equation
  template <class Element>
  static void expect_brute_force(const FunctionSpace<Element, ExecutionSpace>& space,
                                 const std::set<Ordinal>& without) {
    const ExecutionSpace exec;
    const auto elements = elements_of(space.mesh());
    const int components = space.components();
    std::map<Ordinal, Ordinal> equation; // of each degree of freedom that has one
    for (Ordinal dof = 0; dof < space.num_dofs(); ++dof)
      if (!without.contains(dof)) equation.emplace(dof, static_cast<Ordinal>(equation.size()));
    const auto dofs_of = [&](Ordinal node) {
      std::vector<Ordinal> dofs;
      for (int c = 0; c < components; ++c)
        if (!without.contains(node * components + c)) dofs.push_back(node * components + c);
      return dofs;
    };
    std::vector<std::set<Ordinal>> rows(equation.size());
    for (const auto& element : elements)
      for (const Ordinal i : element)
        for (const Ordinal row : dofs_of(i))
          for (const Ordinal j : element)
            for (const Ordinal column : dofs_of(j)) rows[equation[row]].insert(equation[column]);

    const auto graph = sparsity_graph(exec, space);
    const auto row_map = to_host(graph.row_map);
    const auto columns = to_host(graph.columns);
    ASSERT_EQ(graph.num_rows(), static_cast<Ordinal>(rows.size()));
    ASSERT_EQ(row_map.size(), rows.size() + 1);
    ASSERT_EQ(row_map.front(), 0u);
    ASSERT_EQ(row_map.back(), graph.num_entries());
    for (std::size_t row = 0; row < rows.size(); ++row) {
      ASSERT_LE(row_map[row], row_map[row + 1]);
      const std::vector<Ordinal> wanted(rows[row].begin(), rows[row].end()),
          got(columns.begin() + row_map[row], columns.begin() + row_map[row + 1]);
      ASSERT_EQ(got, wanted) << "row " << row; // a set is ascending, so the columns must be
    }

    const auto map = element_to_values(exec, space, graph);
    const auto position = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), map.position);
    ASSERT_EQ(position.extent(0), elements.size());
    for (std::size_t e = 0; e < elements.size(); ++e)
      for (int i = 0; i < Element::nodes; ++i)
        for (const Ordinal row : dofs_of(elements[e][i]))
          for (int j = 0; j < Element::nodes; ++j) {
            int rank = 0;
            for (const Ordinal column : dofs_of(elements[e][j]))
              ASSERT_EQ(columns[row_map[equation[row]] + position(e, i, j) + rank++], equation[column])
                  << "element " << e << ", nodes " << i << " and " << j;
          }
  }

  template <class Element>
  static void expect_brute_force() {
    SCOPED_TRACE(Element::name);
    const auto mesh = Graph::template mesh<Element>();
    for (int components = 1; components <= 3; ++components) {
      SCOPED_TRACE(std::to_string(components) + " components");
      expect_brute_force<Element>({mesh, components}, {});
      FunctionSpace<Element, ExecutionSpace> removed(mesh, components, ConstraintTreatment::removed),
          zeroed(mesh, components, ConstraintTreatment::zeroed);
      expect_brute_force(removed, constrain(removed));
      constrain(zeroed);
      expect_brute_force(zeroed, {});
    }
  }
};
TYPED_TEST_SUITE(Graph, test::ExecutionSpaceTypes, test::ExecutionSpaceName);

TYPED_TEST(Graph, EqualsBruteForceOnTriangles) {
  this->template expect_brute_force<Tri<1>>();
  this->template expect_brute_force<Tri<4>>();
}
TYPED_TEST(Graph, EqualsBruteForceOnTetrahedra) {
  this->template expect_brute_force<Tet<1>>();
  this->template expect_brute_force<Tet<2>>();
}
TYPED_TEST(Graph, EqualsBruteForceOnQuadrilateralsAndHexahedra) {
  this->template expect_brute_force<Quad<2>>();
  this->template expect_brute_force<Hex<1>>();
}

TYPED_TEST(Graph, IncidenceEqualsBruteForce) { this->expect_incidence(this->template mesh<Tet<1>>()); }

// More elements around a node than a thread sorts in a list of its own, and more nodes than it collects
// there.
TYPED_TEST(Graph, EqualsBruteForceAroundACrowdedNode) {
  const auto mesh = test::mesh_of<Tri<1>, TypeParam>(test::fan(1500));
  this->expect_incidence(mesh);
  this->expect_brute_force(FunctionSpace<Tri<1>, TypeParam>(mesh, 2), {});
}

TYPED_TEST(Graph, HasRowsWithoutEntriesForNodesWithoutElements) {
  using MeshType = Mesh<Tri<1>, TypeParam>;
  typename MeshType::Coordinates coordinates("Tessera::Test::coordinates", 5);
  typename MeshType::Connectivity connectivity("Tessera::Test::connectivity", 1);
  const auto x = Kokkos::create_mirror_view(coordinates);
  const auto nodes = Kokkos::create_mirror_view(connectivity);
  x(3, 0) = x(4, 1) = 1; // the triangle 1, 3, 4; nodes 0 and 2 stand alone
  for (int n = 0; n < 3; ++n) nodes(0, n) = n == 0 ? 1 : n + 2;
  Kokkos::deep_copy(coordinates, x);
  Kokkos::deep_copy(connectivity, nodes);
  const FunctionSpace<Tri<1>, TypeParam> space(MeshType(coordinates, connectivity), 1);
  const auto graph = sparsity_graph(TypeParam(), space);
  EXPECT_EQ(to_host(graph.row_map), (std::vector<Offset>{0, 0, 3, 3, 6, 9}));
  EXPECT_EQ(to_host(graph.columns), (std::vector<Ordinal>{1, 3, 4, 1, 3, 4, 1, 3, 4}));
}

// Rows of the identity, which assembly writes; a free component leaves the node's rows empty.
TYPED_TEST(Graph, HasDiagonalsForConstrainedNodesWithoutElements) {
  using MeshType = Mesh<Tri<1>, TypeParam>;
  const typename MeshType::Coordinates x("Tessera::Test::coordinates", 6);
  const auto points = Kokkos::create_mirror_view(x);
  for (int n = 0; n < 6; ++n) points(n, 0) = n, points(n, 1) = n * n;
  Kokkos::deep_copy(x, points);
  const typename MeshType::Connectivity nodes("Tessera::Test::connectivity", 1);
  const auto corners = Kokkos::create_mirror_view(nodes);
  for (int n = 0; n < 3; ++n) corners(0, n) = n;
  Kokkos::deep_copy(nodes, corners);
  const MeshType mesh(x, nodes);
  const auto lengths = [&](ConstraintTreatment treatment) {
    FunctionSpace<Tri<1>, TypeParam> space(mesh, 2, treatment);
    for (int c = 0; c < 2; ++c) space.constrain(3, c, 1.0), space.constrain(5, c, 2.0);
    space.constrain(4, 0, 1.0);
    const auto row_map = to_host(sparsity_graph(TypeParam(), space).row_map);
    std::vector<Offset> lengths;
    for (std::size_t row = 6; row + 1 < row_map.size(); ++row)
      lengths.push_back(row_map[row + 1] - row_map[row]);
    return lengths;
  };
  EXPECT_EQ(lengths(ConstraintTreatment::zeroed), (std::vector<Offset>{2, 2, 0, 0, 2, 2}));
  EXPECT_EQ(lengths(ConstraintTreatment::removed), (std::vector<Offset>{0}));
}

TYPED_TEST(Graph, OfEmptyMeshIsEmpty) {
  using MeshType = Mesh<Tri<1>, TypeParam>;
  const FunctionSpace<Tri<1>, TypeParam> space(MeshType({}, {}), 2);
  const LinearSystem<double, TypeParam> system(space);
  EXPECT_EQ(system.num_rows(), 0);
  EXPECT_EQ(system.values().extent(0), 0u);
  EXPECT_EQ(to_host(system.graph().row_map), std::vector<Offset>{0});
  EXPECT_EQ(element_to_values(TypeParam(), space, system.graph()).position.extent(0), 0u);
}

TYPED_TEST(Graph, KnowsTheSpaceItFits) {
  const TypeParam exec;
  const auto mesh = this->template mesh<Tri<1>>(), other_mesh = this->template mesh<Tri<1>>();
  FunctionSpace<Tri<1>, TypeParam> space(mesh, 1);
  const auto graph = sparsity_graph(exec, space);
  EXPECT_TRUE(graph.fits(space));
  const auto expect_refusal = [&](const FunctionSpace<Tri<1>, TypeParam>& other) {
    EXPECT_FALSE(graph.fits(other));
    expect_throw_with<ArgumentError>(
        [&] { element_to_values(exec, other, graph); },
        "the graph was built for another mesh, another number of components or other "
        "constraints than this space has now; build it again");
  };
  expect_refusal({other_mesh, 1});
  expect_refusal({mesh, 2});
  space.constrain(0, 0, 1.0);
  expect_refusal(space);
  const auto again = sparsity_graph(exec, space);
  EXPECT_TRUE(again.fits(space));
  space.constrain(0, 0, 2.0); // another value for the same degree of freedom
  EXPECT_TRUE(again.fits(space));
}

// Spaces that constrain as many degrees of freedom as each other, and a mesh at another's former address.
TYPED_TEST(Graph, IsNotTakenForAnotherSpaces) {
  using Space = FunctionSpace<Tri<1>, TypeParam>;
  const TypeParam exec;
  const auto mesh = io::box_mesh<Tri<1>, TypeParam>({{2, 2}});
  const auto constrained = [&](const char* side, ConstraintTreatment treatment) {
    Space space(mesh, 1, treatment);
    space.constrain(mesh.node_set(side), {0.0});
    return space;
  };
  const Space left = constrained("xmin", ConstraintTreatment::removed);
  const auto graph = sparsity_graph(exec, left);
  EXPECT_TRUE(graph.fits(left));
  EXPECT_FALSE(graph.fits(constrained("xmax", ConstraintTreatment::removed)));
  EXPECT_FALSE(graph.fits(constrained("xmin", ConstraintTreatment::zeroed)));
  EXPECT_TRUE((sparsity_graph(exec, Space(mesh, 1)).fits(Space(mesh, 1)))); // both without constraints

  SparsityGraph<TypeParam> former;
  {
    const Space space(io::box_mesh<Tri<1>, TypeParam>({{2, 2}}), 1);
    former = sparsity_graph(exec, space);
  }
  for (int attempt = 0; attempt < 8; ++attempt)
    EXPECT_FALSE((former.fits(Space(io::box_mesh<Tri<1>, TypeParam>({{2, 2}}), 1))));
}

// A fan of triangles around one node: its row has an entry for every node of the mesh.
TYPED_TEST(Graph, MapRefusesRowsBeyond16BitsAndTakesTheLongestBelow) {
  const TypeParam exec;
  for (const int triangles : {65534, 65535}) {
    const auto fan = test::fan(triangles);
    const FunctionSpace<Tri<1>, TypeParam> space(test::mesh_of<Tri<1>, TypeParam>(fan), 1);
    const auto graph = sparsity_graph(exec, space);
    ASSERT_EQ(to_host(graph.row_map)[1], static_cast<Offset>(triangles) + 1);
    if (triangles == 65535) {
      expect_throw_with<UnsupportedError>([&] { element_to_values(exec, space, graph); },
                                          "row 0 of the matrix has more than 65535 entries");
      continue;
    }
    const auto position = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(),
                                                              element_to_values(exec, space, graph).position);
    EXPECT_EQ(position(triangles - 2, 0, 2), 65534);
  }
}

TYPED_TEST(Graph, SystemsShareViewsAndAddUp) {
  const TypeParam exec;
  const FunctionSpace<Tri<1>, TypeParam> space(this->template mesh<Tri<1>>(), 1);
  const LinearSystem<double, TypeParam> system(space);
  const LinearSystem<double, TypeParam> other(system.graph());
  Kokkos::deep_copy(system.values(), 1.0);
  Kokkos::deep_copy(other.values(), 2.0);
  Kokkos::deep_copy(other.rhs(), 4.0);
  system.add(exec, 0.5, other);
  EXPECT_EQ(to_host(system.values()), std::vector<double>(system.graph().num_entries(), 2.0));
  EXPECT_EQ(to_host(system.rhs()), std::vector<double>(system.num_rows(), 2.0));
  const LinearSystem<double, TypeParam> shared(system.graph(), system.values(), other.rhs());
  EXPECT_EQ(shared.values().data(), system.values().data());
  EXPECT_EQ(shared.rhs().data(), other.rhs().data());
  expect_throw_with<ArgumentError>(
      [&] { LinearSystem<double, TypeParam>(system.graph(), system.rhs(), other.rhs()); },
      "entries of the right-hand side for a graph of ");
  expect_throw_with<ArgumentError>([&] { system.add(exec, 1.0, LinearSystem<double, TypeParam>(space)); },
                                   "LinearSystem::add: the systems have different graphs");
}

TYPED_TEST(Graph, SystemStartsAtZeroAndSharesTheGraph) {
  const FunctionSpace<Tri<1>, TypeParam> space(this->template mesh<Tri<1>>(), 2);
  const auto graph = sparsity_graph(TypeParam(), space);
  const LinearSystem<float, TypeParam> system(graph);
  EXPECT_EQ(system.graph().columns.data(), graph.columns.data());
  EXPECT_EQ(to_host(system.values()), std::vector<float>(graph.num_entries(), 0.f));
  EXPECT_EQ(to_host(system.rhs()), std::vector<float>(graph.num_rows(), 0.f));
#ifdef TESSERA_HAVE_KOKKOSKERNELS
  const auto matrix = system.matrix();
  EXPECT_EQ(matrix.values.data(), system.values().data());
  EXPECT_EQ(matrix.nnz(), graph.num_entries());
  EXPECT_EQ(matrix.numRows(), graph.num_rows());
#endif
}

} // namespace core_system_sparsity_graph
