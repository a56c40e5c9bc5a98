// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/elements/elements.hpp>
#include <tessera/core/forms/poisson.hpp>
#include <tessera/core/weak_form/weak_form.hpp>
#include <tessera/distributed/mesh/box.hpp>
#include <tessera/distributed/mesh/split_mesh.hpp>
#include <tessera/distributed/split_sum.hpp>
#include <tessera/strategies/matrix_free/recomputing_element_by_element.hpp>
#include <tessera/strategies/residual/recomputing_residual.hpp>

#include "distributed/rows.hpp"
#include <cmath>

namespace tessera::test {
namespace distributed_split_mesh {

using Element = Tet<1>;
using Vector = Kokkos::View<double*, Space>;

const Helmholtz<> form{.sigma = 1.5, .lambda = 0.5};
const auto weak = weak_form(Laplace{});

FunctionSpace<Element, Space> space_on(const tessera::Mesh<Element, Space>& mesh) {
  FunctionSpace<Element, Space> space(mesh, 1, ConstraintTreatment::zeroed);
  space.constrain(mesh.node_set("xmin"), 0, 2.0);
  space.add_load(mesh.side_set("xmax"), std::vector<double>{1.25});
  return space;
}

auto operator_on(const FunctionSpace<Element, Space>& space) {
  return matrix_free::RecomputingElementByElement{}.plan(space).prepare<double>(form);
}

auto residual_on(const FunctionSpace<Element, Space>& space) {
  auto plan = residual::RecomputingResidual{}.plan(space);
  plan.prepare<double>(weak);
  return plan;
}

double value_at(GlobalOrdinal node) { return std::sin(0.7 * static_cast<double>(node)); }

/// The values of owned nodes; those of ghosts are not there yet.
Vector owned_values(const distributed::Mesh<Element, Space>& mesh) {
  const Vector x("x", to_size(mesh.local().num_nodes()));
  const auto host = Kokkos::create_mirror_view(x);
  for (Ordinal n = 0; n < mesh.local().num_nodes(); ++n)
    host(n) = n < mesh.owned_nodes() ? value_at(mesh.global_nodes()(n)) : 1e30;
  Kokkos::deep_copy(x, host);
  return x;
}

/// What the whole box gives, on every rank.
template <class Compute>
auto result_of_whole(const tessera::Mesh<Element, Space>& whole, const Compute& compute) {
  const Vector x("x", whole.num_nodes()), y("y", whole.num_nodes());
  const auto host = Kokkos::create_mirror_view(x);
  for (Ordinal n = 0; n < whole.num_nodes(); ++n) host(n) = value_at(n);
  Kokkos::deep_copy(x, host);
  compute(x, y);
  return on_host(y);
}

class SplitSums : public ::testing::Test {
protected:
  const io::Box box{{5, 4, 3}, {1.0, 2.0, 3.0}};
  const tessera::Mesh<Element, Space> whole = io::box_mesh<Element, Space>(box);
  const FunctionSpace<Element, Space> whole_space = space_on(whole);
  const distributed::Mesh<Element, Space> mesh = distributed::box_mesh<Element>(Space(), MPI_COMM_WORLD, box);
  const distributed::SplitMesh<Element, Space> split = distributed::split_mesh(Space(), mesh);
  const FunctionSpace<Element, Space> interior = space_on(split.interior.mesh),
                                      border = space_on(split.border.mesh);

  /// Twice, for the buffers are used again.
  template <class Interior, class Border, class Expected>
  void expect_sum(const Interior& of_interior, const Border& of_border, const Expected& expected) {
    distributed::SplitSum<double, Space> sum(Space(), mesh, interior);
    for (int i = 0; i < 2; ++i) {
      const Vector x = owned_values(mesh), y("y", x.extent(0));
      sum.apply(Space(), x, y, of_interior, of_border);
      const auto result = on_host(y);
      for (Ordinal n = 0; n < mesh.owned_nodes(); ++n)
        EXPECT_NEAR(result(n), expected(mesh.global_nodes()(n)), 1e-13) << "node " << mesh.global_nodes()(n);
    }
  }
};

TEST_F(SplitSums, AreTheProductOfAllElements) {
  const auto a = operator_on(interior), b = operator_on(border), all = operator_on(whole_space);
  const auto apply = [](const auto& op) {
    return [&op](const Vector& x, const Vector& y) { op.apply(Space(), x, y); };
  };
  expect_sum(apply(a), apply(b), result_of_whole(whole, apply(all)));
}

TEST_F(SplitSums, AreTheResidualOfAllElements) {
  auto a = residual_on(interior), b = residual_on(border), all = residual_on(whole_space);
  const auto integrate = [](auto& plan) {
    return [&plan](const Vector& x, const Vector& y) { plan.integrate(weak, x, y); };
  };
  expect_sum(integrate(a), integrate(b), result_of_whole(whole, integrate(all)));
}

} // namespace distributed_split_mesh
} // namespace tessera::test
