// SPDX-License-Identifier: BSD-3-Clause
// Rows kind by kind of node, which RowOwner takes on devices for affine elements, against the oracle on every
// execution space.

#include <tessera/core/elements/elements.hpp>
#include <tessera/core/elements/node_kinds.hpp>
#include <tessera/core/forms/helmholtz.hpp>
#include <tessera/core/forms/linear_elasticity.hpp>
#include <tessera/core/forms/sum.hpp>
#include <tessera/core/system/linear_system.hpp>
#include <tessera/core/system/reference_assembly.hpp>
#include <tessera/core/system/system_error.hpp>
#include <tessera/strategies/assembly/detail/row_owner/affine/kind_path.hpp>
#include <tessera/strategies/assembly/row_owner.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/meshes/test_meshes.hpp"
#include <cstdint>
#include <set>
#include <string>

namespace strategies_assembly_kind_rows {

using namespace tessera;

template <class Element>
void check_kinds(int count) {
  SCOPED_TRACE(Element::name);
  constexpr const NodeKinds<Element>& kinds = node_kinds<Element>;
  EXPECT_EQ(kinds.count, count);
  for (int n = 0; n < Element::nodes; ++n) {
    const std::set<int> images(kinds.image[n], kinds.image[n] + Element::nodes);
    EXPECT_EQ(images.size(), static_cast<std::size_t>(Element::nodes)) << n;
    EXPECT_EQ(*images.begin(), 0);
    EXPECT_EQ(kinds.image[n][kinds.first[kinds.kind[n]]], n);
    for (int k = 0; k < Element::nodes; ++k) EXPECT_EQ(kinds.kind[kinds.image[n][k]], kinds.kind[k]);
  }
}

TEST(NodeKinds, AreTheOrbitsOfTheSymmetries) {
  check_kinds<Tri<1>>(1);
  check_kinds<Tri<3>>(3);
  check_kinds<Tri<5>>(5);
  check_kinds<Quad<2>>(3);
  check_kinds<Tet<2>>(2);
  check_kinds<Tet<3>>(3);
  check_kinds<Hex<1>>(1);
  check_kinds<Hex<2>>(4);
  check_kinds<Quad8>(2);
  check_kinds<Hex20>(2);
  check_kinds<Wedge<1>>(1);
  check_kinds<Wedge<2>>(4);
  check_kinds<Wedge15>(3);
  check_kinds<Pyramid<1>>(2);
  check_kinds<Pyramid13>(4);
}

template <class ExecutionSpace>
class KindRows : public ::testing::Test {};
TYPED_TEST_SUITE(KindRows, test::ExecutionSpaceTypes, test::ExecutionSpaceName);

template <class Scalar, class Element, class ExecutionSpace, class Form>
void check_form(const Mesh<Element, ExecutionSpace>& mesh, const Form& form) {
  const ExecutionSpace exec;
  const auto kernel = form.kernel();
  for (const bool constrained : {false, true}) {
    SCOPED_TRACE(std::string(Element::name) + ", components " + std::to_string(Form::components) +
                 (constrained ? ", constrained" : ""));
    FunctionSpace<Element, ExecutionSpace> space(mesh, Form::components, ConstraintTreatment::removed);
    for (Ordinal node = 0; constrained && node < mesh.num_nodes(); node += 3)
      space.constrain(node, node % Form::components, 0.1 * node);
    const LinearSystem<Scalar, ExecutionSpace> system(space);
    Kokkos::deep_copy(system.values(), Scalar(-1)); // what is not written stays
    Kokkos::deep_copy(system.rhs(), Scalar(-1));
    const assembly::detail::KindPath<Element, ExecutionSpace> path(
        exec, space, system.graph(), node_to_element(exec, mesh.kernel().connectivity, mesh.num_nodes()));
    ASSERT_TRUE((path.template fits<Scalar, decltype(kernel)>()));
    EXPECT_GT(path.bytes(), 0U);
    const Status<ExecutionSpace> status;
    const SystemKernel<ExecutionSpace, Scalar> arrays{space.equations(), system.graph().row_map,
                                                      system.values(), system.rhs()};
    path.run(exec, space, kernel, arrays, status, {});
    exec.fence();
    const SystemError error = system_error<Scalar>(system, reference_assembly(form, space, system.graph()));
    EXPECT_LE(error.matrix, sizeof(Scalar) == 8 ? 1e-13 : 1e-5);
    EXPECT_LE(error.rhs, sizeof(Scalar) == 8 ? 1e-13 : 1e-5);
  }
}

template <class Element, class ExecutionSpace>
void check_element() {
  const auto mesh = io::box_mesh<Element, ExecutionSpace>({{3, 2, 2}});
  check_form<double>(mesh, Helmholtz<>{.lambda = 0.5, .source = 1.5});
  check_form<float>(mesh, Helmholtz<>{.lambda = 0.5, .source = 1.5});
  constexpr int dimension = Element::dimension;
  const LinearElasticity<dimension> elasticity{.poisson = 0.25, .body_force = {1.0, 2.0}};
  check_form<double>(mesh, elasticity);
  check_form<double>(mesh, sum(elasticity, elasticity)); // does not say that it is isotropic
}

TYPED_TEST(KindRows, AgreeWithOracle) {
  check_element<Tri<3>, TypeParam>(); // some symmetries mirror the element
  check_element<Quad<2>, TypeParam>();
  check_element<Tet<2>, TypeParam>();
  check_element<Hex<1>, TypeParam>();
  check_element<Pyramid<1>, TypeParam>();
  check_element<Pyramid13, TypeParam>();
}

// A corner of one triangle at the midpoint of another's edge: its row is of no kind.
TYPED_TEST(KindRows, NodesOfTwoKindsAreNotTaken) {
  using Host = test::HostMesh<Tri<2>, TypeParam>;
  constexpr double at[11][2] = {{0, 0},  {2, 0},  {0, 2},      {1, 0},    {1, 1},   {0, 1}, // the first one
                                {0, -1}, {1, -1}, {0.5, -0.5}, {0.5, -1}, {1, -0.5}};
  constexpr Ordinal nodes[2][6] = {{0, 1, 2, 3, 4, 5}, {3, 6, 7, 8, 9, 10}};
  Host host(io::box_mesh<Tri<2>, TypeParam>({{1, 1}}));
  Kokkos::resize(host.coordinates, 11);
  for (int n = 0; n < 11; ++n)
    for (int d = 0; d < 2; ++d) host.coordinates(n, d) = at[n][d];
  for (int e = 0; e < 2; ++e)
    for (int n = 0; n < 6; ++n) host.connectivity(e, n) = nodes[e][n];
  host.materials.assign(2, 0);
  const Mesh<Tri<2>, TypeParam> mesh = host.mesh();
  const FunctionSpace<Tri<2>, TypeParam> space(mesh, 1);
  const LinearSystem<double, TypeParam> system(space);
  const Helmholtz<> form{.lambda = 0.5};
  const assembly::detail::KindPath<Tri<2>, TypeParam> path(
      TypeParam(), space, system.graph(), node_to_element(TypeParam(), mesh.kernel().connectivity, 11));
  EXPECT_FALSE((path.template fits<double, decltype(form.kernel())>()));
  assembly::RowOwner{}.plan(space, system.graph()).assemble(form, system);
  EXPECT_LE(system_error<double>(system, reference_assembly(form, space, system.graph())).matrix, 1e-13);
}

} // namespace strategies_assembly_kind_rows
