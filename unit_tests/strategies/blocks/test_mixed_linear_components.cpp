// SPDX-License-Identifier: BSD-3-Clause
// Linear components on mixed meshes of second order, which follow from the corners of all blocks' elements.

#include <tessera/core/blocks/mixed_jacobian.hpp>
#include <tessera/core/forms/navier_stokes.hpp>
#include <tessera/core/forms/stokes.hpp>
#include <tessera/core/system/linear_system.hpp>
#include <tessera/strategies/assembly/element_atomic.hpp>
#include <tessera/strategies/assembly/two_kernels.hpp>
#include <tessera/strategies/blocks/mixed_assembly.hpp>
#include <tessera/strategies/blocks/mixed_operator.hpp>
#include <tessera/strategies/blocks/mixed_residual.hpp>
#include <tessera/strategies/matrix_free/recomputing_element_by_element.hpp>
#include <tessera/strategies/residual/recomputing_residual.hpp>

#include <gtest/gtest.h>

#include "core/space/taylor_hood.hpp"
#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/meshes/mixed_box.hpp"
#include "support/meshes/second_order.hpp"
#include "support/on_host.hpp"
#include <algorithm>
#include <cmath>
#include <vector>

namespace strategies_blocks_mixed_linear_components {

using namespace tessera;
using test::expect_throw_with;
constexpr int d = 3, c = d + 1;
using OnEdges = Blocks<Hex20, Wedge15, Pyramid13, Tet<2>>;
using Lagrange = Blocks<Hex<2>, Wedge<2>, Tet<2>>;

template <class List, class ExecutionSpace>
MixedMesh<List, ExecutionSpace> solids(test::Moved moved) {
  return test::SecondOrder<List>::over(test::MixedBox(1, test::straight).mesh<ExecutionSpace>(), moved);
}

template <class ExecutionSpace>
class MixedLinearComponents : public ::testing::Test {
public:
  using View = Kokkos::View<double*, ExecutionSpace>;

  /// The sum of all blocks' equations by the book, over the degrees of freedom that have one.
  template <class Space>
  struct Book {
    std::vector<std::size_t> dofs;
    std::size_t size;
    std::vector<double> k, f;

    Book(const Space& space, const Stokes<d>& form)
        : size(to_size(space.num_dofs())), k(size * size), f(size) {
      std::vector<bool> corner(to_size(space.mesh().num_nodes()), false);
      space.mesh().for_each_block([&]<class Element>(const Mesh<Element, ExecutionSpace>& mesh) {
        const test::TaylorHood<Element> own(mesh, form);
        for (std::size_t i = 0; i < k.size(); ++i) k[i] += own.k[i];
        for (std::size_t i = 0; i < size; ++i) f[i] += own.f[i];
        const auto nodes = test::on_host(mesh.connectivity());
        for (Ordinal e = 0; e < mesh.num_elements(); ++e)
          for (int v = 0; v < Element::vertices; ++v) corner[to_size(nodes(e, v))] = true;
      });
      for (std::size_t node = 0; node < corner.size(); ++node)
        for (std::size_t a = 0; a < (corner[node] ? c : d); ++a) dofs.push_back(node * c + a);
    }
  };

  template <class List>
  static void expect_book() {
    const MixedSpace space(solids<List, ExecutionSpace>(test::bent),
                           {.components = c, .linear_components = 1});
    const Stokes<d> form{.viscosity = 0.8, .body_force = {0.3, -0.2, 0.7}};
    const Book<std::remove_const_t<decltype(space)>> book(space, form);
    const LinearSystem<double, ExecutionSpace> system(space);
    const auto row_map = test::to_host(system.graph().row_map);
    const auto columns = test::to_host(system.graph().columns);
    const std::size_t rows = book.dofs.size();
    ASSERT_EQ(rows, to_size(system.num_rows()));
    const auto expect_system = [&] {
      const auto values = test::to_host(system.values()), rhs = test::to_host(system.rhs());
      for (std::size_t row = 0; row < rows; ++row) {
        std::vector<double> dense(rows, 0.0);
        for (Offset k = row_map[row]; k < row_map[row + 1]; ++k) dense[to_size(columns[k])] = values[k];
        for (std::size_t column = 0; column < rows; ++column)
          ASSERT_NEAR(dense[column], book.k[book.dofs[row] * book.size + book.dofs[column]], 1e-13);
        ASSERT_NEAR(rhs[row], book.f[book.dofs[row]], 1e-13);
      }
    };
    const auto assemble = [&](const auto& strategy) {
      Kokkos::deep_copy(system.values(), NAN);
      Kokkos::deep_copy(system.rhs(), NAN);
      strategy.plan(space, system.graph()).assemble(form, system);
      expect_system();
    };
    assemble(assembly::ElementAtomic{});
    assemble(assembly::TwoKernels{});

    const auto x = test::random_vector<double>(rows);
    const View y("Tessera::Test::y", rows);
    matrix_free::RecomputingElementByElement{}.plan(space).template prepare<double>(form).apply(
        ExecutionSpace(), test::to_device<ExecutionSpace>(x), y);
    const auto product = test::to_host(y);
    for (std::size_t row = 0; row < rows; ++row) {
      double sum = 0;
      for (std::size_t column = 0; column < rows; ++column)
        sum += book.k[book.dofs[row] * book.size + book.dofs[column]] * x[column];
      ASSERT_NEAR(product[row], sum, 1e-12);
    }
  }

  /// The largest entry of the residual of a plane flow, z (2 - z) along x, with its velocities prescribed on
  /// the boundary. \param slope of the pressure, -2 for equilibrium
  template <class List>
  static double residual_of_plane_flow(double slope) {
    const auto mesh = solids<List, ExecutionSpace>(test::straight);
    MixedSpace space(mesh, {.components = c, .linear_components = 1});
    const auto x = test::on_host(mesh.coordinates());
    std::vector<double> state(to_size(space.num_dofs()), 0.0);
    for (Ordinal node = 0; node < mesh.num_nodes(); ++node) {
      state[to_size(node * c)] = x(node, 2) * (2 - x(node, 2));
      state[to_size(node * c + d)] = space.linear().mask(node) == 0 ? slope * x(node, 0) : NAN; // not read
    }
    for (int a = 0; a < d; ++a) space.constrain(nodes_of_sides(mesh, boundary_sides(mesh)), a, 0.0);
    const View r("Tessera::Test::r", state.size());
    residual::RecomputingResidual{}.plan(space).integrate(NavierStokes<d>{.density = 3},
                                                          test::to_device<ExecutionSpace>(state), r);
    double largest = 0;
    for (const double entry : test::to_host(r)) largest = std::max(largest, std::abs(entry));
    return largest;
  }
};
TYPED_TEST_SUITE(MixedLinearComponents, test::ExecutionSpaceTypes, test::ExecutionSpaceName);

TYPED_TEST(MixedLinearComponents, MakeTaylorAndHoodsMatrix) {
  this->template expect_book<OnEdges>();
  this->template expect_book<Lagrange>();
}

TYPED_TEST(MixedLinearComponents, HaveNoResidualInAPlaneFlow) {
  EXPECT_LE(this->template residual_of_plane_flow<Lagrange>(-2), 1e-13);
  EXPECT_GE(this->template residual_of_plane_flow<Lagrange>(-1.9), 1e-3);
}

TYPED_TEST(MixedLinearComponents, FollowFromTheCornersOfAllBlocks) {
  const auto mesh = solids<OnEdges, TypeParam>(test::straight);
  MixedSpace space(mesh, {.components = c, .linear_components = 1, .treatment = ConstraintTreatment::zeroed});
  const auto x = test::on_host(mesh.coordinates());
  const auto linear = [&](Ordinal node) { return 2 + x(node, 0) - 3 * x(node, 1) + 0.5 * x(node, 2); };
  std::vector<double> state(to_size(space.num_dofs()), 0.0);
  Ordinal between = 0;
  for (Ordinal node = 0; node < mesh.num_nodes(); ++node)
    if (space.linear().mask(node) == 0)
      state[to_size(node * c + d)] = linear(node);
    else
      ++between;
  EXPECT_GT(between, 20);
  const auto full = test::to_host(space.expand(test::to_device<TypeParam>(state)));
  for (Ordinal node = 0; node < mesh.num_nodes(); ++node)
    EXPECT_NEAR(full[to_size(node * c + d)], linear(node), 1e-13) << node;
}

TYPED_TEST(MixedLinearComponents, OfABlockDoNotKnowAnother) {
  const auto mesh = solids<Lagrange, TypeParam>(test::straight);
  const FunctionSpace<Hex<2>, TypeParam> first(mesh.template block<Hex<2>>(),
                                               {.components = c, .linear_components = 1});
  expect_throw_with<UnsupportedError>(
      [&] { FunctionSpace<Tet<2>, TypeParam>(mesh.template block<Tet<2>>(), first); }, "make a MixedSpace");
}

} // namespace strategies_blocks_mixed_linear_components
