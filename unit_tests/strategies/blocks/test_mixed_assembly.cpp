// SPDX-License-Identifier: BSD-3-Clause
// Systems of mixed meshes by every strategy: the sum of all blocks' elements whatever the system held, with
// the space's natural terms once; or a strategy refuses by name.

#include <tessera/core/blocks/mixed_space.hpp>
#include <tessera/core/elements/elements.hpp>
#include <tessera/core/forms/helmholtz.hpp>
#include <tessera/core/forms/linear_elasticity.hpp>
#include <tessera/core/system/linear_system.hpp>
#include <tessera/strategies/assembly/element_atomic.hpp>
#include <tessera/strategies/blocks/mixed_assembly.hpp>
#include <tessera/strategies/catalogue/any_assembly.hpp>

#include <gtest/gtest.h>

#include "every_strategy.hpp"
#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/meshes/mixed_box.hpp"
#include "support/mixed_oracle.hpp"
#include "support/on_host.hpp"
#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string>
#include <vector>

namespace strategies_blocks_mixed_assembly {

using namespace tessera;
using test::expect_sum_by_every_strategy;
using test::expect_throw_with;
using test::MixedBox;
using test::MixedOracle;
using test::Solids;

enum class Constraints { none, removed, zeroed };

template <class ExecutionSpace>
class MixedAssemblyTest : public ::testing::Test {
public:
  using Mixed = MixedMesh<Solids, ExecutionSpace>;
  using Space = MixedSpace<Solids, ExecutionSpace>;
  using System = LinearSystem<double, ExecutionSpace>;

  static Mixed mesh(int n) { return MixedBox(n).mesh<ExecutionSpace>(); }

  /// Loads and Robin sides over the whole boundary, and nodes of all blocks constrained to values.
  static Space space_on(const Mixed& mesh, int components, Constraints constraints) {
    Space space(mesh, components,
                constraints == Constraints::zeroed ? ConstraintTreatment::zeroed
                                                   : ConstraintTreatment::removed);
    const auto boundary = boundary_sides(mesh);
    space.add_load(boundary, std::vector<double>(to_size(components), 0.7));
    space.add_robin(boundary, 1.5, [](const auto& x) { return x(0) - x(2); });
    space.add_point_load(mesh.num_nodes() / 2, 0, 3.0);
    for (Ordinal node = 0; constraints != Constraints::none && node < mesh.num_nodes(); node += 5)
      for (int c = 0; c < (node % 2 == 0 ? components : 1); ++c) space.constrain(node, c, 0.1 * node + c);
    return space;
  }
};
TYPED_TEST_SUITE(MixedAssemblyTest, test::ExecutionSpaceTypes, test::ExecutionSpaceName);

/// E and nu of two materials.
LinearElasticity<3> steel_and_rubber() {
  return {.young = CellField::per_material({2.0, 5.0}), .poisson = 0.3, .body_force = {0.5, 0.0, -1.0}};
}

TYPED_TEST(MixedAssemblyTest, EveryStrategyAddsTheBlocksOrRefuses) {
  const auto mesh = this->mesh(2);
  for (const auto constraints : {Constraints::none, Constraints::removed, Constraints::zeroed}) {
    SCOPED_TRACE(static_cast<int>(constraints));
    expect_sum_by_every_strategy(Helmholtz<>{.sigma = 2.0, .lambda = 0.5, .source = 1.5},
                                 this->space_on(mesh, 1, constraints), {"Patch", "RowOwner"});
    expect_sum_by_every_strategy(steel_and_rubber(), this->space_on(mesh, 3, constraints),
                                 {"Patch", "RowOwner"});
  }
}

TYPED_TEST(MixedAssemblyTest, TheOrderOfBlocksDoesNotMatter) {
  using Reversed = MixedMesh<Blocks<Tet<1>, Pyramid<1>, Wedge<1>, Hex<1>>, TypeParam>;
  const MixedBox box(1);
  const Reversed mesh(box.coordinates<TypeParam>(), box.cells<Tet<1>, Reversed>(),
                      box.cells<Pyramid<1>, Reversed>(), box.cells<Wedge<1>, Reversed>(),
                      box.cells<Hex<1>, Reversed>());
  MixedSpace space(mesh, 1, ConstraintTreatment::zeroed);
  space.add_robin(boundary_sides(mesh), 1.5, 0.5);
  space.constrain(2, 0, 0.25);
  expect_sum_by_every_strategy(Helmholtz<>{.sigma = 2.0, .lambda = 0.5, .source = 1.5}, space,
                               {"Patch", "RowOwner"});
}

// A hexahedron, and a tetrahedron before it that shares three corners and two middles of edges.
TYPED_TEST(MixedAssemblyTest, ElementsOfSecondOrderShareEdges) {
  using Mixed = MixedMesh<Blocks<Hex20, Tet<2>>, TypeParam>;
  const auto hex = Hex20::node_coordinates();
  const auto tet = Tet<2>::node_coordinates();
  std::vector<std::array<double, 3>> x;
  for (const auto& node : hex) x.push_back({0.5 * (1 + node[0]), 0.5 * (1 + node[1]), 0.5 * (1 + node[2])});
  std::vector<Ordinal> of_tet;
  for (const auto& node : tet) {
    const std::array<double, 3> at{node[0], -node[2], node[1]}; // before the face y = 0
    const auto same = std::find_if(x.begin(), x.end(), [&](const auto& other) {
      return std::abs(at[0] - other[0]) + std::abs(at[1] - other[1]) + std::abs(at[2] - other[2]) < 1e-12;
    });
    of_tet.push_back(static_cast<Ordinal>(same - x.begin()));
    if (same == x.end()) x.push_back(at);
  }
  const auto coordinates = test::filled_on_host<typename Mixed::Coordinates>(
      "Tessera::Test::coordinates", x.size(), [&](const auto& view) {
        for (std::size_t n = 0; n < x.size(); ++n) {
          const auto moved = test::bent(x[n][0], x[n][1], x[n][2]);
          for (std::size_t d = 0; d < 3; ++d) view(n, d) = moved[d];
        }
      });
  const Mixed mesh(
      coordinates,
      {test::filled_on_host<typename Mesh<Hex20, TypeParam>::Connectivity>("Tessera::Test::hexes", 1,
                                                                           [](const auto& c) {
                                                                             for (int n = 0; n < 20; ++n)
                                                                               c(0, n) = n;
                                                                           }),
       {}},
      {test::filled_on_host<typename Mesh<Tet<2>, TypeParam>::Connectivity>("Tessera::Test::tets", 1,
                                                                            [&](const auto& c) {
                                                                              for (int n = 0; n < 10; ++n)
                                                                                c(0, n) = of_tet[n];
                                                                            }),
       {}});
  EXPECT_EQ(mesh.num_nodes(), 20 + 10 - 5);
  EXPECT_EQ(boundary_sides(mesh).count(), 10u);
  const MixedSpace space(mesh, 1);
  const Helmholtz<> form{.sigma = 2.0, .lambda = 0.5, .source = 1.5};
  const LinearSystem<double, TypeParam> system(space);
  Kokkos::deep_copy(system.values(), NAN);
  Kokkos::deep_copy(system.rhs(), NAN);
  auto plan = assembly::ElementAtomic{}.plan(space, system.graph());
  plan.assemble(form, system);
  EXPECT_LE(MixedOracle(space, form).deviation(space, system), 1e-13);
}

TYPED_TEST(MixedAssemblyTest, BlocksWithoutElementsTakeNoPart) {
  using Mixed = typename TestFixture::Mixed;
  const MixedBox box(2);
  const auto x = box.coordinates<TypeParam>();
  const Helmholtz<> form{.sigma = 2.0, .lambda = 0.5, .source = 1.5};
  // Nodes of the hexahedra alone are no element's: their rows are empty, or the identity.
  const Mixed two(x, {}, box.cells<Wedge<1>, Mixed>(), {}, box.cells<Tet<1>, Mixed>());
  MixedSpace space(two, 1, ConstraintTreatment::zeroed);
  const MixedOracle all(MixedSpace(box.mesh<TypeParam>(), 1), Helmholtz<>());
  const MixedOracle own(space, Helmholtz<>());
  for (std::size_t node = 0; node < own.size(); ++node)
    if (own.k(node, node) == 0 && all.k(node, node) != 0) space.constrain(static_cast<Ordinal>(node), 0, 0.5);
  expect_sum_by_every_strategy(form, space, {"Patch", "RowOwner"});
  // One block alone is as a mesh of one type.
  const Mixed one(x, {}, {}, {}, box.cells<Tet<1>, Mixed>());
  expect_sum_by_every_strategy(form, this->space_on(one, 1, Constraints::removed), {});
}

TYPED_TEST(MixedAssemblyTest, ASecondAssemblyAddsAndKeepsNaturalTermsOnce) {
  const auto mesh = this->mesh(1);
  const auto space = this->space_on(mesh, 1, Constraints::removed);
  MixedOracle oracle(space, Helmholtz<>{.sigma = 5.0, .lambda = 0.5, .source = 1.0});
  oracle.add_natural_terms(space);
  const LinearSystem<double, TypeParam> system(space);
  auto plan = make_assembly("ElementAtomic", space, system.graph());
  plan.assemble(Helmholtz<>{.sigma = 2.0, .lambda = 0.5}, system);
  plan.assemble(Helmholtz<>{.sigma = 3.0, .source = 1.0}, system, {.add = true});
  EXPECT_LE(oracle.deviation(space, system), 1e-13);
}

TYPED_TEST(MixedAssemblyTest, FormsAreMadeByBlock) {
  const auto mesh = this->mesh(2);
  const auto space = this->space_on(mesh, 1, Constraints::zeroed);
  const auto form = by_block([](const auto& block) {
    using Values = Kokkos::View<double*, TypeParam>;
    const auto sigma = test::filled_on_host<Values>(
        "Tessera::Test::sigma", to_size(block.num_elements()), [&](const auto& values) {
          for (std::size_t e = 0; e < values.extent(0); ++e)
            values(e) = 1.0 + 0.1 * static_cast<double>(e) + 0.01 * static_cast<double>(values.extent(0));
        });
    return Helmholtz<>{.sigma = CellField::per_element(sigma), .lambda = 0.25};
  });
  expect_sum_by_every_strategy(form, space, {"Patch", "RowOwner"});
}

// Linear displacements have no forces inside, whatever elements are around a node.
TYPED_TEST(MixedAssemblyTest, PassesTheLinearPatchTest) {
  const auto mesh = this->mesh(2);
  const MixedSpace space(mesh, 3);
  const LinearSystem<double, TypeParam> system(space);
  make_assembly("ElementAtomic", space, system.graph())
      .assemble(LinearElasticity<3>{.young = 2.0, .poisson = 0.3}, system);
  const auto x = test::on_host(mesh.coordinates());
  const auto row_map = test::to_host(system.graph().row_map);
  const auto columns = test::to_host(system.graph().columns);
  const auto values = test::to_host(system.values());
  const auto u = [&](Ordinal dof) {
    constexpr double gradient[3][3] = {{0.3, -0.2, 0.5}, {0.1, 0.4, -0.6}, {-0.7, 0.2, 0.9}};
    double sum = 1.0;
    for (int a = 0; a < 3; ++a) sum += gradient[dof % 3][a] * x(dof / 3, a);
    return sum;
  };
  std::vector<bool> inside(to_size(mesh.num_nodes()), true);
  for (const Ordinal node : test::to_host(nodes_of_sides(mesh, boundary_sides(mesh))))
    inside[to_size(node)] = false;
  int tested = 0;
  for (Ordinal row = 0; row < system.num_rows(); ++row) {
    double force = 0, size = 0;
    for (Offset k = row_map[to_size(row)]; k < row_map[to_size(row) + 1]; ++k) {
      force += values[k] * u(columns[k]);
      size += std::abs(values[k] * u(columns[k]));
    }
    if (!inside[to_size(row / 3)]) continue;
    EXPECT_LE(std::abs(force), 1e-14 * size) << "row " << row;
    ++tested;
  }
  // In each cube a node, one in each face between two, one in the edge of all; the middles of pyramids'
  // cells.
  EXPECT_EQ(tested, 3 * (4 + 4 + 1 + 8));
}

TYPED_TEST(MixedAssemblyTest, RefusesGraphsOfOtherBlocks) {
  const auto mesh = this->mesh(1);
  const MixedSpace space(mesh, 1);
  const auto hexes = sparsity_graph(TypeParam(), space.template block<Hex<1>>());
  for (const char* name : {"ElementAtomic", "NzGlobal", "WarpPerElement", "RowGlobal", "TwoKernels"})
    expect_throw_with<ArgumentError>([&] { make_assembly(name, space, hexes); },
                                     std::string(name) + ": the graph was built for another mesh");
  expect_throw_with<ArgumentError>([&] { make_assembly("NoSuch", space, hexes); }, "NoSuch");
}

TYPED_TEST(MixedAssemblyTest, AMovedMeshIsFollowedByAllBlocks) {
  auto mesh = this->mesh(1);
  const MixedSpace space(mesh, 1);
  const LinearSystem<double, TypeParam> system(space);
  auto plan = make_assembly("WarpPerElement", space, system.graph());
  const Helmholtz<> form{.sigma = 2.0, .lambda = 0.5};
  plan.assemble(form, system);
  mesh.move(MixedBox(1, test::straight).coordinates<TypeParam>());
  expect_throw_with<ArgumentError>([&] { plan.enqueue(form, system); }, "WarpPerElement");
  plan.assemble(form, system);
  EXPECT_LE(MixedOracle(space, form).deviation(space, system), 1e-13);
}

} // namespace strategies_blocks_mixed_assembly
