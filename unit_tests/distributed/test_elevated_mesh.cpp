// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/forms/stokes.hpp>
#include <tessera/core/mesh/elevate.hpp>
#include <tessera/distributed/equations.hpp>
#include <tessera/strategies/assembly/row_owner.hpp>

#include <gmock/gmock.h>

#include "distributed/own_views.hpp"

namespace tessera::test {
namespace distributed_elevated_mesh {

template <class To>
distributed::Mesh<To, Space>
elevated_part(const tessera::Mesh<typename To::template of_order<1>, Space>& linear) {
  using From = typename To::template of_order<1>;
  const OwnViews<From> own(linear, [&](Ordinal e) { return (5 * e + e / 3) % size_of_world(); });
  return distributed::make_elevated_mesh<To>(Space(), MPI_COMM_WORLD, own.piece(),
                                             OwnViews<From>::view_of(own.nodes),
                                             OwnViews<From>::view_of(own.elements));
}

/// Own linear views of higher order, held against the whole mesh of that order.
template <class To>
void expect_elevated(const io::Box& box, int components) {
  const auto linear = whole_box<typename To::template of_order<1>>(box);
  const auto whole = elevated<To>(linear);
  const auto mesh = elevated_part<To>(linear);
  EXPECT_EQ(mesh.num_global_nodes(), whole.num_nodes());
  expect_rows_of_whole(owned_rows(mesh, components, ConstraintTreatment::zeroed, "RowOwner"),
                       all_rows(whole, components, ConstraintTreatment::zeroed, "RowOwner"), false, To::name);
}

TEST(ElevatedMesh, HasTheRowsOfOneRank) {
  expect_elevated<Hex<2>>({{3, 2, 2}, {1.0, 2.0, 3.0}}, 3);
  expect_elevated<Tet<3>>({{2, 2, 2}, {1.0, 2.0, 3.0}}, 1);
}

/// Rows of Stokes' equations, whose pressure has the functions of the corners.
template <class Element>
Rows flow_rows(const tessera::Mesh<Element, Space>& mesh, ConstraintTreatment treatment, Ordinal nodes,
               const std::vector<GlobalOrdinal>& global) {
  constexpr int d = Element::dimension;
  FunctionSpace<Element, Space> space(mesh,
                                      {.components = d + 1, .linear_components = 1, .treatment = treatment});
  for (int axis = 0; axis < d; ++axis) space.constrain(mesh.node_set("ymin"), axis, 0.25 * axis);
  space.constrain(mesh.node_set("xmin"), d, 1.0); // other nodes than corners too
  space.add_load(mesh.side_set("xmax"), std::vector<double>(d + 1, 0.75));
  const LinearSystem<double, Space> system(space);
  assembly::RowOwner().plan(Space(), space, system.graph()).assemble(Stokes<d>{.viscosity = 0.5}, system);
  return rows_of(space, system, nodes, global);
}

TEST(ElevatedMesh, LinearComponentsHaveTheRowsOfOneRank) {
  using Element = Tet<2>;
  const auto linear = whole_box<Tet<1>>({{3, 2, 2}, {1.0, 2.0, 3.0}});
  const auto whole = elevated<Element>(linear);
  const auto mesh = elevated_part<Element>(linear);
  std::vector<GlobalOrdinal> all(to_size(whole.num_nodes()));
  for (std::size_t n = 0; n < all.size(); ++n) all[n] = static_cast<GlobalOrdinal>(n);
  const auto& numbers = mesh.global_nodes();
  for (const auto treatment : {ConstraintTreatment::removed, ConstraintTreatment::zeroed}) {
    const Rows expected = flow_rows(whole, treatment, whole.num_nodes(), all);
    expect_rows_of_whole(flow_rows(mesh.local(), treatment, mesh.owned_nodes(),
                                   {numbers.data(), numbers.data() + numbers.extent(0)}),
                         expected, false, "Stokes");
    const FunctionSpace<Element, Space> space(
        mesh.local(), {.components = 4, .linear_components = 1, .treatment = treatment});
    const auto equations = distributed::contiguous_equations(Space(), mesh, space);
    const auto unconstrained = treatment == ConstraintTreatment::removed
                                   ? 3 * whole.num_nodes() + linear.num_nodes()
                                   : 4 * whole.num_nodes();
    EXPECT_EQ(equations.total, unconstrained);
  }
}

} // namespace distributed_elevated_mesh
} // namespace tessera::test
