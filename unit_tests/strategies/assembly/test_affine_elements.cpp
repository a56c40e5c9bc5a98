// SPDX-License-Identifier: BSD-3-Clause
// Affine elements: found among others to the rounding of their coordinates and no farther, and assembled from
// reference tensors as the oracle does by quadrature, alone and beside bent elements.

#include <tessera/core/elements/affine_cell.hpp>
#include <tessera/core/elements/elements.hpp>
#include <tessera/core/forms/helmholtz.hpp>
#include <tessera/core/forms/linear_elasticity.hpp>
#include <tessera/core/forms/sum.hpp>
#include <tessera/core/system/reference_assembly.hpp>
#include <tessera/core/system/system_error.hpp>
#include <tessera/strategies/assembly/row_owner.hpp>
#include <tessera/strategies/catalogue/any_assembly.hpp>
#include <tessera/strategies/common/all_affine.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/compiled_elements.hpp"
#include "support/execution_spaces.hpp"
#include "support/meshes/test_meshes.hpp"
#include <array>
#include <limits>
#include <string>
#include <type_traits>

namespace strategies_assembly_affine_elements {

using namespace tessera;

/// A sheared box, far from the origin if wanted, whose elements are affine but for those that `bend` moves
/// nodes of.
template <class Element, class ExecutionSpace>
test::HostMesh<Element, ExecutionSpace> sheared_box(double offset = 0) {
  const std::array<int, 3> cells = Element::nodes > 16 ? std::array{2, 1, 1} : std::array{3, 2, 2};
  test::HostMesh<Element, ExecutionSpace> host(io::box_mesh<Element, ExecutionSpace>({cells}));
  for (std::size_t n = 0; n < host.coordinates.extent(0); ++n) {
    double x[3] = {};
    for (int d = 0; d < Element::dimension; ++d) x[d] = host.coordinates(n, d);
    for (int d = 0; d < Element::dimension; ++d)
      host.coordinates(n, d) = offset + (d + 1) * x[d] + 0.25 * x[(d + 1) % Element::dimension];
  }
  for (std::size_t e = 0; e < host.connectivity.extent(0); ++e)
    host.materials.push_back(static_cast<Ordinal>(e % 2));
  return host;
}

/// The last local node of the first element, moved: a corner of linear cubes, an inner node of the others; of
/// a pyramid, whose apex may be anywhere, a corner of the base.
template <class Element, class ExecutionSpace>
void bend(test::HostMesh<Element, ExecutionSpace>& host, double distance) {
  constexpr int node = Element::shape == Shape::pyramid ? 2 : Element::nodes - 1;
  host.coordinates(host.connectivity(0, node), 0) += distance;
}

/// Calls `use` with a space, its graph and the oracle, unconstrained and constrained, under both treatments.
template <class Element, class ExecutionSpace, class Form, class Use>
void for_each_space(const Mesh<Element, ExecutionSpace>& mesh, const Form& form, const Use& use) {
  for (const auto treatment : {ConstraintTreatment::removed, ConstraintTreatment::zeroed})
    for (const bool constrained : {false, true}) {
      FunctionSpace<Element, ExecutionSpace> space(mesh, Form::components, treatment);
      if (constrained) test::constrain(space);
      const auto graph = sparsity_graph(ExecutionSpace(), space);
      use(space, graph, reference_assembly(form, space, graph));
    }
}

template <class Scalar, class Plan, class Form, class ExecutionSpace>
void expect_agreement(Plan& plan, const Form& form, const SparsityGraph<ExecutionSpace>& graph,
                      const ReferenceSystem& reference, const std::string& path) {
  SCOPED_TRACE("components " + std::to_string(Form::components) +
               (sizeof(Scalar) == 8 ? ", double" : ", float"));
  const LinearSystem<Scalar, ExecutionSpace> system(graph);
  const Scalar nan = std::numeric_limits<Scalar>::quiet_NaN(); // what is not written stays
  Kokkos::deep_copy(system.values(), nan);
  Kokkos::deep_copy(system.rhs(), nan);
  plan.assemble(form, system);
  EXPECT_THAT(plan.report().path, ::testing::HasSubstr(path));
  const SystemError error = system_error<Scalar>(system, reference);
  EXPECT_LE(error.matrix, sizeof(Scalar) == 8 ? 1e-13 : 1e-5);
  EXPECT_LE(error.rhs, sizeof(Scalar) == 8 ? 1e-13 : 1e-5);
}

template <class Element, class ExecutionSpace, class Form>
void check_form(const Mesh<Element, ExecutionSpace>& mesh, const Form& form, const std::string& rows_path) {
  for_each_space(mesh, form, [&](const auto& space, const auto& graph, const ReferenceSystem& reference) {
    for (const std::string strategy : {"ElementAtomic", "RowOwner"}) {
      SCOPED_TRACE(strategy);
      const std::string path = strategy == "RowOwner" ? rows_path : "";
      const auto plan = make_assembly(strategy, space, graph);
      expect_agreement<double>(*plan, form, graph, reference, path);
      expect_agreement<float>(*plan, form, graph, reference, path);
    }
  });
}

template <class Element, class ExecutionSpace>
void check_forms(const Mesh<Element, ExecutionSpace>& mesh, const std::string& rows_path) {
  const Helmholtz<> helmholtz{
      .sigma = CellField::per_material<ExecutionSpace>({1.0, 7.5}), .lambda = 0.5, .source = 3.0};
  check_form(mesh, helmholtz, Element::affine_simplex ? "" : rows_path);
  LinearElasticity<Element::dimension> elasticity{
      .young = CellField::per_material<ExecutionSpace>({2.0, 3.0}), .poisson = 0.2};
  elasticity.body_force[0] = 1.5;
  check_form(mesh, elasticity, std::is_same_v<Element, Hex<1>> ? "" : rows_path);
}

template <class Element>
class AffineElements : public ::testing::Test {};
using AllElements = test::CompiledOf<Tri<1>, Tri<2>, Tri<5>, Quad<1>, Quad<2>, Tet<1>, Tet<2>, Tet<3>, Hex<1>,
                                     Hex<2>, Quad8, Hex20, Wedge<1>, Pyramid<1>, Wedge15, Pyramid13>;
TYPED_TEST_SUITE(AffineElements, AllElements);

TYPED_TEST(AffineElements, AreAssembledFromReferenceTensors) {
  using Element = TypeParam;
  using Space = Kokkos::DefaultExecutionSpace;
  const auto mesh = sheared_box<Element, Space>().mesh();
  EXPECT_TRUE(all_affine(Space(), mesh));
  check_forms(mesh, "reference tensors");
}

TYPED_TEST(AffineElements, AreAssembledBesideBentOnes) {
  using Element = TypeParam;
  using Space = Kokkos::DefaultExecutionSpace;
  auto host = sheared_box<Element, Space>();
  bend(host, 0.02);
  const auto mesh = host.mesh();
  EXPECT_EQ(all_affine(Space(), mesh), Element::affine_simplex);
  check_forms(mesh, Element::affine_simplex ? "reference tensors" : "by quadrature around bent elements");
}

/// What bends an element by more than rounding its coordinates could is not taken for affine, what does not
/// is; far from the origin coordinates are rounded more.
TYPED_TEST(AffineElements, AreTheImageToRounding) {
  using Element = TypeParam;
  using Space = Kokkos::DefaultExecutionSpace;
  if (Element::affine_simplex) return; // always affine
  for (const double offset : {0.0, 1e6}) {
    const double rounding = std::numeric_limits<double>::epsilon() * (2 + offset);
    auto host = sheared_box<Element, Space>(offset);
    EXPECT_TRUE(all_affine(Space(), host.mesh()));
    bend(host, rounding);
    EXPECT_TRUE(all_affine(Space(), host.mesh())) << "offset " << offset;
    bend(host, 50 * rounding);
    EXPECT_FALSE(all_affine(Space(), host.mesh())) << "offset " << offset;
  }
}

TYPED_TEST(AffineElements, FollowAMovingMesh) {
  using Element = TypeParam;
  using Space = Kokkos::DefaultExecutionSpace;
  auto host = sheared_box<Element, Space>();
  auto mesh = host.mesh();
  const FunctionSpace<Element, Space> space(mesh, 1);
  const LinearSystem<double, Space> system(space);
  const Heat form{.source = 1.0};
  const auto atomic = make_assembly("ElementAtomic", space, system.graph());
  const auto rows = make_assembly("RowOwner", space, system.graph());
  atomic->assemble(form, system);
  rows->assemble(form, system);
  bend(host, 0.02);
  const typename Mesh<Element, Space>::Coordinates moved("Tessera::Test::moved", mesh.num_nodes());
  Kokkos::deep_copy(moved, host.coordinates);
  mesh.move(moved);
  const auto check = [&](auto& plan) {
    plan.assemble(form, system);
    const SystemError error = system_error<double>(system, reference_assembly(form, space, system.graph()));
    EXPECT_LE(error.matrix, 1e-13);
    EXPECT_LE(error.rhs, 1e-13);
  };
  check(*atomic);
  check(*rows);
}

template <class Element>
class AffineElementsOfSums : public ::testing::Test {};
using SomeElements = test::CompiledOf<Tri<2>, Quad<1>, Tet<2>, Hex<1>>;
TYPED_TEST_SUITE(AffineElementsOfSums, SomeElements);

TYPED_TEST(AffineElementsOfSums, AreKnown) {
  using Element = TypeParam;
  using Space = Kokkos::DefaultExecutionSpace;
  const auto mesh = sheared_box<Element, Space>().mesh();
  const auto form = sum(Heat{.source = 2.0}, Helmholtz<>{.sigma = 3.0, .lambda = 1.5});
  for_each_space(mesh, form, [&](const auto& space, const auto& graph, const ReferenceSystem& reference) {
    auto plan = assembly::RowOwner{}.plan(space, graph);
    expect_agreement<double>(plan, form, graph, reference,
                             Element::affine_simplex ? "" : "reference tensors");
  });
}

} // namespace strategies_assembly_affine_elements
