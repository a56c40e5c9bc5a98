// SPDX-License-Identifier: BSD-3-Clause
// Meshes of several element types over ranks: the rows of all ranks are those of one with the whole mesh.

#include <tessera/core/blocks/mixed_elevate.hpp>
#include <tessera/core/blocks/mixed_sides.hpp>
#include <tessera/core/blocks/mixed_space.hpp>
#include <tessera/core/elements/elements.hpp>
#include <tessera/core/forms/linear_elasticity.hpp>
#include <tessera/distributed/divide_mesh.hpp>
#include <tessera/distributed/equations.hpp>
#include <tessera/strategies/assembly/element_atomic.hpp>
#include <tessera/strategies/blocks/mixed_assembly.hpp>

#include "distributed/rows.hpp"
#include "support/meshes/mixed_box.hpp"
#include <numeric>
#include <string>
#include <vector>

namespace tessera::test {
namespace distributed_mixed_mesh {

using Host = Kokkos::DefaultHostExecutionSpace;
using OnEdges = Blocks<Hex20, Wedge15, Pyramid13, Tet<2>>;

/// Bent, with all its sides and some of their nodes in sets.
template <class ExecutionSpace>
MixedMesh<Solids, ExecutionSpace> box() {
  auto mesh = MixedBox(3).mesh<ExecutionSpace>();
  mesh.add_side_set("boundary", boundary_sides(mesh));
  const auto x = on_host(mesh.coordinates());
  const auto outside = on_host(nodes_of_sides(mesh, boundary_sides(mesh)));
  std::vector<Ordinal> held;
  for (std::size_t i = 0; i < outside.extent(0); ++i)
    if (x(outside(i), 0) < 0.4) held.push_back(outside(i));
  const typename MixedMesh<Solids, ExecutionSpace>::NodeSet set("Tessera::Test::held", held.size());
  Kokkos::deep_copy(set, Kokkos::View<const Ordinal*, Kokkos::HostSpace>(held.data(), held.size()));
  mesh.add_node_set("held", set);
  return mesh;
}

/// Elasticity with a modulus by material, held at some nodes, under a pressure all around.
template <class List>
Rows rows_on(const MixedMesh<List, Space>& mesh, ConstraintTreatment treatment, Ordinal nodes,
             const std::vector<GlobalOrdinal>& global) {
  MixedSpace space(mesh, 3, treatment);
  space.constrain(mesh.node_set("held"), 0, 0.125);
  space.constrain(mesh.node_set("held"), 2, 0.0);
  space.add_pressure(mesh.side_set("boundary"), 2.0);
  const LinearSystem<double, Space> system(space);
  auto plan = assembly::ElementAtomic{}.plan(space, system.graph());
  plan.assemble(LinearElasticity<3>{.young = CellField::per_material<Space>({3.0, 5.0}), .poisson = 0.3},
                system);
  return rows_of(space, system, nodes, global);
}

std::vector<GlobalOrdinal> numbers_of(const distributed::Mesh<Solids, Space>::GlobalNumbers& numbers) {
  return {numbers.data(), numbers.data() + numbers.extent(0)};
}

template <class List>
distributed::Mesh<List, Space> divided(const distributed::WholeMesh<List>& made) {
  const auto ranks = distributed::Communicator(MPI_COMM_WORLD);
  const auto whole = distributed::on_rank_0<List>(ranks, [&] { return made; });
  return distributed::divide_mesh<List>(Space(), ranks, whole,
                                        distributed::divide_elements(whole, ranks.size()));
}

template <class List>
void expect_rows_of_all_ranks(const MixedMesh<List, Space>& whole,
                              const distributed::Mesh<List, Space>& mesh) {
  EXPECT_EQ(mesh.num_global_nodes(), whole.num_nodes());
  EXPECT_EQ(mesh.num_global_elements(), static_cast<GlobalOrdinal>(whole.num_elements()));
  EXPECT_EQ(sum_over_ranks(mesh.owned_elements()), mesh.num_global_elements());
  std::vector<GlobalOrdinal> all(to_size(whole.num_nodes()));
  std::iota(all.begin(), all.end(), GlobalOrdinal{0});
  for (const auto treatment : {ConstraintTreatment::removed, ConstraintTreatment::zeroed})
    expect_rows_of_whole(
        rows_on(mesh.local(), treatment, mesh.owned_nodes(), numbers_of(mesh.global_nodes())),
        rows_on(whole, treatment, whole.num_nodes(), all), false, "mixed mesh");
}

TEST(DistributedMixedMesh, RowsAreThoseOfTheWholeMesh) {
  const auto mesh = divided<Solids>(box<Host>());
  expect_rows_of_all_ranks(box<Space>(), mesh);
  if (mesh.ranks().size() > 1) EXPECT_LT(mesh.local().num_nodes(), mesh.num_global_nodes());
}

TEST(DistributedMixedMesh, RowsOfElevatedOnes) {
  expect_rows_of_all_ranks(elevated<OnEdges>(box<Space>()), divided<OnEdges>(elevated<OnEdges>(box<Host>())));
}

TEST(DistributedMixedMesh, EquationsAreNumberedOverAllRanks) {
  const auto mesh = divided<Solids>(box<Host>());
  MixedSpace space(mesh.local(), 3, ConstraintTreatment::removed);
  space.constrain(mesh.local().node_set("held"), 0, 0.0);
  const auto equations = distributed::global_equations(Space(), mesh, space);
  EXPECT_EQ(sum_over_ranks(equations.owned), equations.total);
  EXPECT_LT(equations.total, 3 * mesh.num_global_nodes());
  EXPECT_TRUE(equations.contiguous);
  // A ghost that is held where its owner is not.
  if (mesh.ghost_nodes() > 0) space.constrain(mesh.owned_nodes(), 1, 1.0);
  if (sum_over_ranks(mesh.ghost_nodes()) > 0) {
    EXPECT_THROW(distributed::global_equations(Space(), mesh, space), MeshError);
    distributed::share_constraints(mesh, space);
  }
  EXPECT_EQ(distributed::global_equations(Space(), mesh, space).total, equations.total);
}

} // namespace distributed_mixed_mesh
} // namespace tessera::test
