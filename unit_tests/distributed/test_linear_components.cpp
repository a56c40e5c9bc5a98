// SPDX-License-Identifier: BSD-3-Clause
// Pressures in linear functions over ranks, on meshes of one element type and of several: what all ranks have
// is what one has.

#include <tessera/core/forms/navier_stokes.hpp>
#include <tessera/core/forms/stokes.hpp>
#include <tessera/distributed/crs_operator.hpp>
#include <tessera/distributed/equations.hpp>
#include <tessera/distributed/expand.hpp>
#include <tessera/io/generate/box.hpp>
#include <tessera/solvers/crs_operator.hpp>
#include <tessera/strategies/blocks/mixed_residual.hpp>
#include <tessera/strategies/residual/recomputing_residual.hpp>

#include <gmock/gmock.h>

#include "distributed/mixed_problem.hpp"
#include <cmath>
#include <map>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tessera::test {
namespace distributed_linear_components {

using Host = Kokkos::DefaultHostExecutionSpace;
using Vector = Kokkos::View<double*, Space>;
constexpr int d = 3, components = d + 1;
constexpr auto removed = ConstraintTreatment::removed, zeroed = ConstraintTreatment::zeroed;

/// A whole mesh of the cells, straight, with the sets "held" and "boundary".
template <class Cells, class ExecutionSpace>
auto whole_mesh() {
  if constexpr (std::is_same_v<Cells, OnEdges>) {
    return elevated<OnEdges>(solids<ExecutionSpace>(cells<OnEdges>));
  } else {
    auto mesh = io::box_mesh<Cells, ExecutionSpace>({{3, 2, 1}, {1.0, 2.0, 1.5}});
    mesh.add_node_set("held", mesh.node_set("xmin"));
    mesh.add_side_set("boundary", mesh.side_set("ymax"));
    return mesh;
  }
}

/// A flow with all that a space has, of the pressure too: prescribed values at nodes between corners, loads
/// and Robin sides.
template <class Cells>
distributed::SpaceOn<Cells, Space> flow_space(const typename distributed::Mesh<Cells, Space>::Local& mesh,
                                              ConstraintTreatment treatment) {
  distributed::SpaceOn<Cells, Space> space(
      mesh, {.components = components, .linear_components = 1, .treatment = treatment});
  for (int axis = 0; axis < d; ++axis) space.constrain(mesh.node_set("held"), axis, 0.25 * axis);
  space.prescribe(mesh.node_set("held"), d, [](const auto& x) { return 1 + x(1); });
  space.add_load(mesh.side_set("boundary"), std::vector<double>{0.75, 0.5, 0.25, 0.125});
  space.add_robin(mesh.side_set("boundary"), 2.0, 0.5);
  return space;
}

template <class FlowSpace>
LinearSystem<double, Space> flow_system(const FlowSpace& space) {
  const LinearSystem<double, Space> system(space);
  assembly::ElementAtomic().plan(space, system.graph()).assemble(Stokes<d>{.viscosity = 0.5}, system);
  return system;
}

std::vector<GlobalOrdinal> first_numbers(Ordinal count) {
  std::vector<GlobalOrdinal> all(to_size(count));
  std::iota(all.begin(), all.end(), GlobalOrdinal{0});
  return all;
}

/// One value a degree of freedom of nodes; none where it follows from corners.
template <class FlowSpace>
Vector state_of(const FlowSpace& space, const std::vector<GlobalOrdinal>& nodes) {
  return filled_on_host<Vector>("u", to_size(space.num_dofs()), [&](const auto& u) {
    for (std::size_t dof = 0; dof < u.extent(0); ++dof) {
      const std::size_t node = dof / components, c = dof % components;
      const bool follows = ((space.linear().mask(static_cast<Ordinal>(node)) >> c) & 1) != 0;
      u(dof) = follows ? NAN : std::sin(0.7 * static_cast<double>(nodes[node] * components) + double(c));
    }
  });
}

template <class FlowSpace>
std::vector<double> residual_of(const FlowSpace& space, const std::vector<GlobalOrdinal>& nodes) {
  const Vector r("r", to_size(space.num_dofs()));
  residual::RecomputingResidual{}.plan(space).integrate(NavierStokes<d>{.density = 3}, state_of(space, nodes),
                                                        r);
  const auto host = on_host(r);
  return {host.data(), host.data() + host.extent(0)};
}

template <class Cells>
class LinearComponentsOverRanks : public ::testing::Test {
public:
  const distributed::Mesh<Cells, Space> mesh = divided<Cells>(whole_mesh<Cells, Host>());
  const std::vector<GlobalOrdinal> nodes{mesh.global_nodes().data(),
                                         mesh.global_nodes().data() + mesh.global_nodes().extent(0)};
};
using Meshes = ::testing::Types<Hex<2>, OnEdges>;
TYPED_TEST_SUITE(LinearComponentsOverRanks, Meshes);

TYPED_TEST(LinearComponentsOverRanks, HaveTheRowsOfOneRank) {
  const auto whole = whole_mesh<TypeParam, Space>();
  for (const auto treatment : {removed, zeroed}) {
    const auto of_whole = flow_space<TypeParam>(whole, treatment);
    const auto space = flow_space<TypeParam>(this->mesh.local(), treatment);
    expect_rows_of_whole(
        rows_of(space, flow_system(space), this->mesh.owned_nodes(), this->nodes),
        rows_of(of_whole, flow_system(of_whole), whole.num_nodes(), first_numbers(whole.num_nodes())), false,
        "Stokes");
    EXPECT_EQ(distributed::global_equations(Space(), this->mesh, space).total, of_whole.equations().count);
  }
}

TYPED_TEST(LinearComponentsOverRanks, HaveTheResidualOfOneRank) {
  const auto whole = whole_mesh<TypeParam, Space>();
  const std::vector<double> expected =
      residual_of(flow_space<TypeParam>(whole, removed), first_numbers(whole.num_nodes()));
  const std::vector<double> found =
      residual_of(flow_space<TypeParam>(this->mesh.local(), removed), this->nodes);
  for (std::size_t dof = 0; dof < to_size(this->mesh.owned_nodes()) * components; ++dof)
    ASSERT_NEAR(found[dof], expected[to_size(this->nodes[dof / components]) * components + dof % components],
                1e-12);
}

/// Also where nodes that a rank owns lie between corners that another owns.
TYPED_TEST(LinearComponentsOverRanks, FollowFromCornersOfOtherRanks) {
  const auto x = on_host(this->mesh.local().coordinates());
  const auto value = [&](std::size_t node, std::size_t c) {
    return c < d ? std::sin(static_cast<double>(this->nodes[node]) + static_cast<double>(c))
                 : 2 + x(node, 0) - 3 * x(node, 1) + 0.5 * x(node, 2);
  };
  for (const auto treatment : {removed, zeroed}) {
    distributed::SpaceOn<TypeParam, Space> space(
        this->mesh.local(), {.components = components, .linear_components = 1, .treatment = treatment});
    space.prescribe(this->mesh.local().node_set("held"), d,
                    [](const auto& p) { return 2 + p(0) - 3 * p(1) + 0.5 * p(2); });
    const auto equations = local_dofs(space, this->nodes);
    const auto& dofs = equations.first;
    const auto& node_of = equations.second;
    const auto solution = filled_on_host<Vector>("x", dofs.size(), [&](const auto& to) {
      for (std::size_t row = 0; row < dofs.size(); ++row)
        to(row) = node_of[row] < this->mesh.owned_nodes()
                      ? value(to_size(node_of[row]), to_size(dofs[row] % components))
                      : NAN; // not there yet
    });
    const auto full = on_host(distributed::expand(Space(), this->mesh, space, solution));
    for (std::size_t dof = 0; dof < full.extent(0); ++dof)
      ASSERT_NEAR(full(dof), value(dof / components, dof % components), 1e-13);
  }
}

TYPED_TEST(LinearComponentsOverRanks, HaveTheProductOfOneRank) {
  const auto entry = [](GlobalOrdinal dof) { return std::cos(1.3 * static_cast<double>(dof)); };
  const auto vector_of = [&](const std::vector<GlobalOrdinal>& dofs, std::size_t count) {
    return filled_on_host<Vector>("x", count, [&](const auto& x) {
      for (std::size_t row = 0; row < count; ++row) x(row) = entry(dofs[row]);
    });
  };
  const auto mesh = whole_mesh<TypeParam, Space>();
  const auto whole = flow_space<TypeParam>(mesh, removed);
  const auto dofs = local_dofs(whole, first_numbers(mesh.num_nodes())).first;
  const auto of_whole = flow_system(whole);
  const auto& graph = of_whole.graph();
  const solvers::CrsOperator<double, Space> matrix(Space(), graph.row_map, graph.columns, of_whole.values());
  const Vector kx("kx", dofs.size());
  matrix.apply(Space(), vector_of(dofs, dofs.size()), kx);
  const auto product = on_host(kx);
  std::map<GlobalOrdinal, double> expected;
  for (std::size_t row = 0; row < dofs.size(); ++row) expected[dofs[row]] = product(row);

  const auto space = flow_space<TypeParam>(this->mesh.local(), removed);
  const auto system = flow_system(space);
  const distributed::CrsOperator<Space> a(Space(), this->mesh, system,
                                          distributed::contiguous_equations(Space(), this->mesh, space));
  const auto own = local_dofs(space, this->nodes).first;
  const Vector y("y", a.rows());
  a.apply(Space(), vector_of(own, a.rows()), y);
  const auto found = on_host(y);
  for (std::size_t row = 0; row < a.rows(); ++row) ASSERT_NEAR(found(row), expected.at(own[row]), 1e-12);
}

TEST(LinearComponentsOfRanks, AreAsManyOnEach) {
  const auto mesh = divided<Tet<2>>(io::box_mesh<Tet<2>, Host>({{2, 2, 2}, {1.0, 1.0, 1.0}}));
  const FunctionSpace<Tet<2>, Space> space(
      mesh.local(), {.components = 2, .linear_components = rank_of_world() == 0 ? 0 : 1});
  if (size_of_world() > 1)
    EXPECT_THAT([&] { distributed::global_equations(Space(), mesh, space); },
                ::testing::ThrowsMessage<ArgumentError>(::testing::HasSubstr("linear components")));
}

} // namespace distributed_linear_components
} // namespace tessera::test
