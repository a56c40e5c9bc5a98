// SPDX-License-Identifier: BSD-3-Clause
// Residuals of the shipped forms: against the oracle on every other element, against K u - f, and what bad
// input gets.

#include "support/residuals.hpp"
#include <cmath>

namespace strategies_residual_forms {

using namespace tessera;
using namespace tessera::test;

template <class ExecutionSpace>
class ResidualForms : public ::testing::Test {};

TYPED_TEST_SUITE(ResidualForms, ExecutionSpaceTypes, ExecutionSpaceName);

template <class Element, class ExecutionSpace>
void expect_ours() {
  using Checks = ResidualChecks<Element, ExecutionSpace>;
  const auto mesh = Checks::Operators::bent_mesh();
  const Variant<residual::RecomputingResidual> ours{"RecomputingResidual", {}};
  Checks::expect_oracle(ours, mesh, Checks::everything(mesh));
  Checks::expect_oracle(ours, mesh, Checks::neo_hookean());
}

// Elements of higher order than the program of each element has vectors for, and those that builds of few
// elements have no program for.
TYPED_TEST(ResidualForms, OtherElementsAgreeWithOracle) {
  expect_ours<Tri<2>, TypeParam>();
  expect_ours<Tri<5>, TypeParam>();
  expect_ours<Tet<3>, TypeParam>();
  expect_ours<Hex<2>, TypeParam>();
}

TYPED_TEST(ResidualForms, NonlinearScalarFormsAgreeWithOracle) {
  using Checks = ResidualChecks<Tri<2>, TypeParam>;
  const auto mesh = Checks::Operators::bent_mesh();
  const Variant<residual::RecomputingResidual> ours{"RecomputingResidual", {}};
  const auto expect = [&](const char* name, const auto& form, const OraclePhysics& physics) {
    using Weak = std::remove_cvref_t<decltype(form)>;
    Checks::expect_oracle(ours, mesh, typename Checks::template Case<Weak>{name, form, physics, {}});
  };
  expect("NonlinearPoisson", weak_form(NonlinearPoisson{}, 2.0),
         [](const OraclePoint& p, std::vector<double>& f0, std::vector<double>& f1) {
           f0[0] = -2;
           for (int i = 0; i < 2; ++i) f1[i] = (1 + p.u[0] * p.u[0]) * p.grad_u[i];
         });
  expect("PLaplacian", weak_form(PLaplacian{.power = 3, .scale = 2, .regularisation = 0.1}, 0.5),
         [](const OraclePoint& p, std::vector<double>& f0, std::vector<double>& f1) {
           f0[0] = -0.5;
           const double size = p.grad_u[0] * p.grad_u[0] + p.grad_u[1] * p.grad_u[1] + 0.01;
           for (int i = 0; i < 2; ++i) f1[i] = 2 * std::sqrt(size) * p.grad_u[i];
         });
  expect("AdvectionDiffusionReaction",
         weak_form(AdvectionDiffusionReaction<2>{.diffusion = 2, .advection = {3, -1}, .reaction = 4}, 1.5),
         [](const OraclePoint& p, std::vector<double>& f0, std::vector<double>& f1) {
           f0[0] = 4 * p.u[0] - 1.5 + 3 * p.grad_u[0] - p.grad_u[1];
           for (int i = 0; i < 2; ++i) f1[i] = 2 * p.grad_u[i];
         });
}

// r = K u - f, natural loads included, of forms that are written both ways.
template <class Scalar = double, class Element, class ExecutionSpace, class Form, class Weak>
void expect_linear(const Mesh<Element, ExecutionSpace>& mesh, const Form& form, const Weak& weak,
                   double tolerance = 1e-13) {
  using Checks = ResidualChecks<Element, ExecutionSpace>;
  FunctionSpace<Element, ExecutionSpace> space(mesh, Form::components);
  space.add_point_load(3, 0, 0.7);
  const auto reference = reference_assembly(form, space, sparsity_graph(ExecutionSpace(), space));
  const auto u = Checks::state(space.num_dofs(), 9, 1.0);
  OracleResidual expected{std::vector<double>(u.size(), 0.0), 0};
  for (std::size_t row = 0; row < u.size(); ++row) {
    expected.values[row] = -reference.rhs[row];
    for (Offset k = reference.row_map[row]; k < reference.row_map[row + 1]; ++k) {
      expected.values[row] += reference.values[k] * u[reference.columns[k]];
      expected.scale = std::max(expected.scale, std::abs(reference.values[k]));
    }
  }
  auto plan = residual::RecomputingResidual{}.plan(space);
  Checks::expect_near(Checks::template integrate<Scalar>(plan, weak, u), expected, tolerance);
}

TYPED_TEST(ResidualForms, LinearFormsAreTheirMatrixTimesTheUnknown) {
  using Operators = OperatorChecks<Tet<2>, TypeParam>;
  const auto mesh = Operators::bent_mesh();
  expect_linear(mesh, Helmholtz<>{.sigma = CellField::per_material<TypeParam>({1.0, 7.5}), .source = 1.5},
                weak_form(Poisson{}, CellField::per_material<TypeParam>({1.0, 7.5}), 1.5));
  const double young = 3, nu = 0.3;
  expect_linear(mesh, LinearElasticity<3>{.young = young, .poisson = nu},
                weak_form(HookeanSolid<3>{.lame = young * nu / ((1 + nu) * (1 - 2 * nu)),
                                          .shear = young / (2 * (1 + nu))}));
}

TYPED_TEST(ResidualForms, ShippedFormsHaveThemAsWeakForms) {
  const auto expect = []<class Element>(const Mesh<Element, TypeParam>& mesh) {
    for_each_shipped_form<TypeParam, Element::dimension>([&](const auto& form) {
      expect_linear(mesh, form, form.weak());
      expect_linear<float>(mesh, form, form.weak(), 1e-5);
    });
  };
  expect(OperatorChecks<Tet<2>, TypeParam>::bent_mesh());
  const auto flat = OperatorChecks<Quad<1>, TypeParam>::bent_mesh();
  expect(flat);
  const LinearElasticity<2> sheet{.young = 3.0, .poisson = 0.2, .plane = Plane::stress};
  expect_linear(flat, sheet, sheet.weak());
  // With functions of the position.
  const Helmholtz<Wave, CellField, Wave> waves{.lambda = 2.0};
  expect_linear(flat, waves, waves.weak());
}

TYPED_TEST(ResidualForms, ConstrainedDegreesOfFreedomHaveNone) {
  using Checks = ResidualChecks<Tri<1>, TypeParam>;
  const auto mesh = Checks::Operators::bent_mesh();
  for (const auto treatment : {ConstraintTreatment::removed, ConstraintTreatment::zeroed}) {
    typename Checks::Space free(mesh, 2), space(mesh, 2, treatment);
    space.constrain(4, 1, 0.5);
    space.constrain(7, 0, -1.0);
    space.add_point_load(7, 0, 3.0);
    const auto u = Checks::state(space.num_dofs(), 8);
    const HookeanSolid<2> solid;
    auto expected = Checks::integrate(residual::ThreadPerCell{}.plan(free), solid, u);
    expected[4 * 2 + 1] = expected[7 * 2] = 0;
    for_each_strategy<ResidualCatalogue>([&](const auto& variant) {
      SCOPED_TRACE(variant.name);
      const auto r = Checks::integrate(variant.strategy.plan(space), solid, u);
      for (std::size_t i = 0; i < r.size(); ++i) ASSERT_NEAR(r[i], expected[i], 1e-14) << i;
      EXPECT_EQ(r[4 * 2 + 1], 0);
      EXPECT_EQ(r[7 * 2], 0);
    });
  }
}

TYPED_TEST(ResidualForms, BadInputIsNamed) {
  using Checks = ResidualChecks<Tet<1>, TypeParam>;
  using Vector = Kokkos::View<double*, TypeParam>;
  const auto mesh = Checks::Operators::bent_mesh();
  const typename Checks::Space space(mesh, 1);
  auto plan = residual::RecomputingResidual{}.plan(space);
  const auto dofs = static_cast<std::size_t>(space.num_dofs());
  const Vector u("u", dofs), r("r", dofs), shorter("shorter", dofs - 1);
  const auto name = std::to_string(dofs);
  expect_throw_with<ArgumentError>([&] { plan.integrate(Laplace{}, shorter, r); },
                                   "u has " + std::to_string(dofs - 1) + " entries, the space has " + name);
  expect_throw_with<ArgumentError>([&] { plan.integrate(Laplace{}, u, shorter); }, "r has");
  expect_throw_with<ArgumentError>([&] { plan.integrate(Laplace{}, u, u); }, "u and r must be distinct");
  expect_throw_with<ArgumentError>([&] { plan.integrate(HookeanSolid<3>{}, u, r); },
                                   "the form has 3 components per node, the space has 1");
  expect_throw_with<ArgumentError>(
      [&] { plan.integrate(weak_form(VariableLaplace{}, NodalField<1, TypeParam>{shorter}), u, r); },
      "auxiliary field 0 has " + std::to_string(dofs - 1) + " values, the nodes of this mesh have " + name);
  expect_throw_with<ArgumentError>(
      [&] { plan.integrate(weak_form(VariableLaplace{}, ElementField<1, TypeParam>{shorter}), u, r); },
      "the elements' nodes of this mesh have " + std::to_string(mesh.num_elements() * 4));
  expect_throw_with<FormError>([&] { plan.integrate(weak_form(PLaplacian{.power = 0}, 1.0), u, r); },
                               "PLaplacian::power");
  expect_throw_with<ArgumentError>([&] { jacobian(Laplace{}, mesh, shorter); }, "WeakJacobian: u has");
  const residual::ThreadTransposition patches{.conflicts = Conflicts::patches};
  expect_throw_with<UnsupportedError>([&] { patches.plan(space); }, "RecomputingResidual");
  expect_throw_with<ArgumentError>([&] { residual::ThreadTransposition{.batches = 0}.plan(space); },
                                   "batches at least 1");
  auto large = residual::ThreadTransposition{.blocks = 1 << 20}.plan(space);
  expect_throw_with<UnsupportedError>([&] { large.template prepare<double>(Laplace{}); },
                                      "bytes of scratch memory, a team on");
  using Kernel = decltype(as_weak_form(Laplace{}).kernel(mesh.kernel()));
  auto arrays = residual::element_arrays<Kernel::template degree<Tet<1>>>(
      TypeParam(), mesh, Kokkos::View<const double*, TypeParam>(u), 1, true);
  const decltype(arrays.vectors) wide("wide", mesh.num_elements(), 5);
  arrays.vectors = Kokkos::subview(wide, Kokkos::ALL(), Kokkos::pair(0, 4));
  expect_throw_with<ArgumentError>(
      [&] { residual::ThreadTransposition{}.plan(space).integrate_elements(Laplace{}, arrays); },
      "ElementArrays::vectors must lie in one piece");
}

// In single precision products of two such sides have lost their digits.
TYPED_TEST(ResidualForms, ElementsTooSmallForSinglePrecisionAreNamed) {
  const Mesh<Tet<1>, TypeParam> mesh =
      test::distorted_box<Tet<1>, TypeParam>({{2, 2, 2}, {1e-10, 1e-10, 1e-10}});
  const FunctionSpace<Tet<1>, TypeParam> space(mesh, 1);
  auto plan = residual::RecomputingResidual{}.plan(space);
  const Kokkos::View<double*, TypeParam> u("u", space.num_dofs()), r("r", space.num_dofs());
  const Kokkos::View<float*, TypeParam> v("v", space.num_dofs()), s("s", space.num_dofs());
  EXPECT_NO_THROW(plan.integrate(Laplace{}, u, r));
  for (int call = 0; call < 2; ++call)
    expect_throw_with<UnsupportedError>([&] { plan.integrate(Laplace{}, v, s); }, "single precision takes");
  expect_throw_with<UnsupportedError>([&] { plan.template prepare<float>(Laplace{}); },
                                      "single precision takes");
}

TYPED_TEST(ResidualForms, ElementsThatAreNotNumbersAreNamed) {
  using Checks = ResidualChecks<Tet<1>, TypeParam>;
  const auto mesh = Checks::Operators::bent_mesh();
  const typename Checks::Space space(mesh, 1);
  std::vector<double> coefficient(mesh.num_elements(), 1.0);
  coefficient[17] = NAN;
  const auto form = weak_form(VariableLaplace{}, CellField::per_element(Checks::device(coefficient)));
  const auto u = Checks::state(space.num_dofs(), 8);
  for_each_strategy<ResidualCatalogue>([&](const auto& variant) {
    SCOPED_TRACE(variant.name);
    auto plan = variant.strategy.plan(space);
    expect_throw_with<FormError>([&] { Checks::integrate(plan, form, u); },
                                 "element 17 has a residual that is not finite");
  });
}

} // namespace strategies_residual_forms
