// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Elasticity on hexahedra, wedges, pyramids and tetrahedra, over all ranks and on one.

#include <tessera/core/blocks/mixed_elevate.hpp>
#include <tessera/core/blocks/mixed_sides.hpp>
#include <tessera/core/blocks/mixed_space.hpp>
#include <tessera/core/elements/elements.hpp>
#include <tessera/core/forms/linear_elasticity.hpp>
#include <tessera/distributed/mesh/divide_mesh.hpp>
#include <tessera/solvers/solve.hpp>
#include <tessera/strategies/assembly/element_atomic.hpp>
#include <tessera/strategies/blocks/mixed_assembly.hpp>

#include "distributed/rows.hpp"
#include "support/meshes/mixed_box.hpp"
#include <cmath>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

namespace tessera::test {

using OnEdges = Blocks<Hex20, Wedge15, Pyramid13, Tet<2>>;

/// Of `MixedBox`: fewer where nodes are on edges, too, of which each element's matrix takes long.
template <class List>
constexpr int cells = std::is_same_v<List, OnEdges> ? 2 : 3;

/// Bent, with all its sides and some of their nodes in sets.
template <class ExecutionSpace>
MixedMesh<Solids, ExecutionSpace> solids(int n = cells<Solids>) {
  auto mesh = MixedBox(n).mesh<ExecutionSpace>();
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

/// Held at some nodes, with a prescribed displacement, and a pressure all around.
template <class List>
MixedSpace<List, Space> held_space(const MixedMesh<List, Space>& mesh, ConstraintTreatment treatment) {
  MixedSpace space(mesh, 3, treatment);
  space.constrain(mesh.node_set("held"), {0.125, 0.0, 0.0});
  space.add_pressure(mesh.side_set("boundary"), 2.0);
  return space;
}

/// With a modulus by material. Operators do without a copy of its values: it must stay.
inline LinearElasticity<3> elasticity_by_material() {
  return {.young = CellField::per_material<Space>({3.0, 5.0}), .poisson = 0.3};
}

template <class List>
void assemble_elastic(const MixedSpace<List, Space>& space, const LinearSystem<double, Space>& system) {
  auto plan = assembly::ElementAtomic{}.plan(space, system.graph());
  plan.assemble(elasticity_by_material(), system);
}

template <class List>
Rows elastic_rows(const MixedMesh<List, Space>& mesh, ConstraintTreatment treatment, Ordinal nodes,
                  const std::vector<GlobalOrdinal>& global) {
  const auto space = held_space(mesh, treatment);
  const LinearSystem<double, Space> system(space);
  assemble_elastic(space, system);
  return rows_of(space, system, nodes, global);
}

/// The rows of a whole mesh.
template <class List>
Rows elastic_rows(const MixedMesh<List, Space>& whole, ConstraintTreatment treatment) {
  std::vector<GlobalOrdinal> all(to_size(whole.num_nodes()));
  std::iota(all.begin(), all.end(), GlobalOrdinal{0});
  return elastic_rows(whole, treatment, whole.num_nodes(), all);
}

template <class List>
std::vector<GlobalOrdinal> nodes_of(const distributed::Mesh<List, Space>& mesh) {
  const auto& numbers = mesh.global_nodes();
  return {numbers.data(), numbers.data() + numbers.extent(0)};
}

template <class List>
distributed::Mesh<List, Space> divided(const distributed::WholeMesh<List>& made) {
  const auto ranks = distributed::Communicator(MPI_COMM_WORLD);
  const auto whole = distributed::on_rank_0<List>(ranks, [&] { return made; });
  return distributed::divide_mesh<List>(Space(), ranks, whole,
                                        distributed::divide_elements(whole, ranks.size()));
}

/// Sizes, and the rows of owned nodes in both treatments of constraints.
template <class List>
void expect_rows_of_all_ranks(const MixedMesh<List, Space>& whole, const distributed::Mesh<List, Space>& mesh,
                              const std::string& what) {
  EXPECT_EQ(mesh.num_global_nodes(), whole.num_nodes()) << what;
  EXPECT_EQ(mesh.num_global_elements(), static_cast<GlobalOrdinal>(whole.num_elements())) << what;
  EXPECT_EQ(sum_over_ranks(mesh.owned_elements()), mesh.num_global_elements()) << what;
  for (const auto treatment : {ConstraintTreatment::removed, ConstraintTreatment::zeroed})
    expect_rows_of_whole(elastic_rows(mesh.local(), treatment, mesh.owned_nodes(), nodes_of(mesh)),
                         elastic_rows(whole, treatment), false, what);
}

/// The solution of one rank, for all degrees of freedom.
template <class List>
std::vector<double> elastic_solution(const MixedMesh<List, Space>& whole, ConstraintTreatment treatment) {
  const auto space = held_space(whole, treatment);
  const LinearSystem<double, Space> system(space);
  assemble_elastic(space, system);
  const Kokkos::View<double*, Space> x("x", to_size(system.num_rows()));
  EXPECT_TRUE(solvers::cg(system, x, {.relative_tolerance = 1e-13}).converged());
  const auto dofs = on_host(space.expand(x));
  return {dofs.data(), dofs.data() + dofs.extent(0)};
}

/// Nodal values of all ranks, ghosts too, are those of the whole mesh.
template <class List>
void expect_values_of_whole(const distributed::Mesh<List, Space>& mesh,
                            const Kokkos::View<double*, Space>& values, const std::vector<double>& expected,
                            double tolerance, const std::string& what) {
  const auto dofs = on_host(values);
  const auto nodes = nodes_of(mesh);
  const std::size_t components = expected.size() / to_size(static_cast<Ordinal>(mesh.num_global_nodes()));
  ASSERT_EQ(dofs.extent(0), nodes.size() * components) << what;
  double scale = 0;
  for (const double value : expected) scale = std::fmax(scale, std::abs(value));
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < dofs.extent(0); ++i) {
    const double value = expected[to_size(nodes[i / components]) * components + i % components];
    wrong += std::abs(dofs(i) - value) <= tolerance * scale ? 0 : 1;
  }
  EXPECT_EQ(wrong, 0u) << what;
}

} // namespace tessera::test
