// SPDX-License-Identifier: BSD-3-Clause
// What operators store, what they refuse and what they say; the schedule of node pairs.

#include <tessera/core/forms/anisotropic_elasticity.hpp>
#include <tessera/core/forms/reduced_elasticity.hpp>
#include <tessera/core/forms/solids.hpp>
#include <tessera/core/forms/sum.hpp>

#include "support/operators.hpp"
#include "support/own_form.hpp"
#include <set>

namespace strategies_matrix_free_matrix_free {

using namespace tessera;
using matrix_free::ElementByElement;
using matrix_free::RecomputingElementByElement;
using matrix_free::SymmetricElementByElement;

template <int Nodes>
void expect_tournament() {
  using Schedule = matrix_free::detail::PairSchedule<Nodes>;
  std::set<std::pair<int, int>> met;
  for (int round = 0; round < Schedule::rounds; ++round) {
    std::set<int> busy;
    for (int pair = 0; pair < Schedule::pairs; ++pair) {
      const int i = Schedule::first(round, pair), j = Schedule::second(round, pair);
      EXPECT_EQ(Schedule::pair_of(round, i), pair);
      EXPECT_EQ(Schedule::pair_of(round, j), pair);
      busy.insert({i, j});
      met.insert(std::minmax(i, j));
    }
    EXPECT_EQ(busy.size(), static_cast<std::size_t>(2 * Schedule::pairs))
        << "a node works twice in round " << round;
  }
  EXPECT_EQ(met.size(), static_cast<std::size_t>(Nodes * (Nodes - 1) / 2)) << Nodes << " nodes";
}

TEST(PairSchedule, EveryPairMeetsOnceAndNoNodeWorksTwice) {
  expect_tournament<3>();
  expect_tournament<4>();
  expect_tournament<6>();
  expect_tournament<8>();
  expect_tournament<9>();
  expect_tournament<10>();
  expect_tournament<27>();
}

template <class ExecutionSpace>
class MatrixFree : public ::testing::Test {
public:
  using Space = FunctionSpace<Quad<1>, ExecutionSpace>;
  using Vector = Kokkos::View<double*, ExecutionSpace>;
  using Checks = test::OperatorChecks<Quad<1>, ExecutionSpace>;
};
TYPED_TEST_SUITE(MatrixFree, test::ExecutionSpaceTypes, test::ExecutionSpaceName);

TYPED_TEST(MatrixFree, StoresHalfTheNumbersOfSymmetricElements) {
  const auto mesh = io::box_mesh<Quad<1>, TypeParam>({{7, 5, 1}, {1, 1, 1}});
  const typename TestFixture::Space space(mesh, 2);
  const auto form = LinearElasticity<2>{};
  const auto half = SymmetricElementByElement{}.plan(space).template prepare<double>(form);
  EXPECT_EQ(half.numbers_per_element(), 8 * 9 / 2);
  EXPECT_EQ(half.bytes() - half.alignment_bytes(), 35u * 36u * sizeof(double));
  EXPECT_LT(half.alignment_bytes(), 32u * 36u * sizeof(double)) << "less than a block";
  const auto full = ElementByElement{}.plan(space).template prepare<double>(form);
  EXPECT_EQ(full.bytes() - full.alignment_bytes(), 35u * 64u * sizeof(double));
  const auto single = SymmetricElementByElement{}.plan(space).template prepare<double, float>(form);
  EXPECT_EQ(2 * single.bytes(), half.bytes());
  const auto recomputing = RecomputingElementByElement{}.plan(space).template prepare<double>(form);
  if constexpr (runs_on_host<TypeParam>)
    EXPECT_EQ(recomputing.bytes(), element_parts(TypeParam(), mesh).parts.bytes());
  else
    EXPECT_EQ(recomputing.bytes(), 0u) << "nothing besides the mesh";
}

TYPED_TEST(MatrixFree, SingleStorageSumsInDouble) {
  const typename TestFixture::Space space(TestFixture::Checks::bent_mesh(), 2);
  const auto form = test::sample_form<TypeParam>(std::type_identity<LinearElasticity<2>>());
  const auto x = TestFixture::Checks::random(space.num_dofs(), 3);
  const auto exact =
      TestFixture::Checks::product(ElementByElement{}.plan(space).template prepare<double>(form), x);
  const auto half = TestFixture::Checks::product(
      SymmetricElementByElement{}.plan(space).template prepare<double, float>(form), x);
  const auto full =
      TestFixture::Checks::product(ElementByElement{}.plan(space).template prepare<double, float>(form), x);
  double largest = 0, difference = 0, between = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    largest = std::max(largest, std::abs(exact[i]));
    difference = std::max(difference, std::abs(half[i] - exact[i]));
    between = std::max(between, std::abs(half[i] - full[i]));
  }
  EXPECT_LE(difference, 1e-6 * largest);
  EXPECT_GT(difference, 0) << "the numbers were not rounded to float";
  EXPECT_LE(between, 1e-13 * largest) << "both round the same numbers, and sum in double";
}

TYPED_TEST(MatrixFree, TakesTheAffinePathOnlyWhereElementsAreAffine) {
  const typename TestFixture::Space straight(io::box_mesh<Quad<1>, TypeParam>({{7, 5, 1}, {1, 1, 1}}), 1),
      bent(TestFixture::Checks::bent_mesh(), 1);
  const Heat form;
  EXPECT_TRUE(RecomputingElementByElement{}.plan(straight).template prepare<double>(form).affine());
  EXPECT_FALSE(RecomputingElementByElement{}.plan(bent).template prepare<double>(form).affine());
  const RecomputingElementByElement general{.geometry = matrix_free::Geometry::general};
  EXPECT_FALSE(general.plan(straight).template prepare<double>(form).affine());
}

TYPED_TEST(MatrixFree, SumsWithinAndBetweenPatches) {
  constexpr int most = 2 * ElementPatches<Quad<1>, TypeParam>::most_cells;
  for (const int elements : {1, 7, most - 1, most, most + 1, 5 * most + 3})
    for (auto treatment : {ConstraintTreatment::removed, ConstraintTreatment::zeroed}) {
      SCOPED_TRACE(std::to_string(elements) + " elements");
      typename TestFixture::Space space(io::box_mesh<Quad<1>, TypeParam>({{elements, 2, 1}, {1, 1, 1}}), 2,
                                        treatment);
      test::constrain(space);
      const LinearElasticity<2> form{.young = 2.0, .poisson = 0.3};
      const auto x = TestFixture::Checks::random(space.equations().count, 6);
      const auto stored =
          TestFixture::Checks::product(ElementByElement{}.plan(space).template prepare<double>(form), x);
      const RecomputingElementByElement strategy{.conflicts = Conflicts::patches};
      const auto op = strategy.plan(space).template prepare<double>(form);
      const auto y = TestFixture::Checks::product(op, x);
      for (std::size_t i = 0; i < x.size(); ++i)
        ASSERT_NEAR(y[i], stored[i], 1e-13 * 50 * elements) << "row " << i;
      EXPECT_EQ(TestFixture::Checks::product(op, x), y);
    }
  const typename TestFixture::Space space(TestFixture::Checks::bent_mesh(), 2);
  test::expect_throw_with<UnsupportedError>(
      [&] { ElementByElement{.conflicts = Conflicts::patches}.plan(space); },
      "there are atomics, colors, gather");
}

TYPED_TEST(MatrixFree, TakesFormsWhoseMatrixIsNotSymmetricButForTheHalf) {
  const typename TestFixture::Space space(TestFixture::Checks::bent_mesh(), 1);
  const Helmholtz<GeneralTensor<2>> form{.sigma = {{{2.0, 1.0}, {-1.0, 3.0}}}};
  test::expect_throw_with<UnsupportedError>(
      [&] { SymmetricElementByElement{}.plan(space).template prepare<double>(form); }, "not symmetric");
  const auto x = TestFixture::Checks::random(space.num_dofs(), 4);
  const auto stored =
      TestFixture::Checks::product(ElementByElement{}.plan(space).template prepare<double>(form), x);
  const auto recomputed = TestFixture::Checks::product(
      RecomputingElementByElement{}.plan(space).template prepare<double>(form), x);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(stored[i], recomputed[i], 1e-13 * 10);
}

/// At namespace scope, as nvcc demands of what reaches a kernel.
struct QuadraticSigma {
  KOKKOS_FUNCTION double operator()(const Vector<double, 2>& x) const {
    return 1.0 + x(0) * x(0) + 0.5 * x(1);
  }
};

TYPED_TEST(MatrixFree, TakesCoefficientsThatVaryInAnElement) {
  const typename TestFixture::Space space(TestFixture::Checks::bent_mesh(), 1);
  const Helmholtz<QuadraticSigma> form{.sigma = {}, .lambda = 0.5};
  const auto x = TestFixture::Checks::random(space.num_dofs(), 5);
  const auto stored =
      TestFixture::Checks::product(ElementByElement{}.plan(space).template prepare<double>(form), x);
  const auto recomputed = TestFixture::Checks::product(
      RecomputingElementByElement{}.plan(space).template prepare<double>(form), x);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(stored[i], recomputed[i], 1e-13 * 10);
}

/// Two components whose fluxes and sources depend on both, and on the state.
struct CoupledPair {
  static constexpr int components = 2;
  template <class Point>
  KOKKOS_FUNCTION auto f0(const Point& p) const {
    auto r = p.u;
    r(0) = 0.5 * p.u(0) + p.u(1) * p.u(0);
    r(1) = 2.0 * p.u(1) - p.grad_u(0, 1);
    return r;
  }
  template <class Point>
  KOKKOS_FUNCTION auto f1(const Point& p) const {
    auto flux = p.grad_u;
    for (int d = 0; d < Point::dimension; ++d) {
      flux(0, d) = (1.0 + p.u(1) * p.u(1)) * p.grad_u(0, d);
      flux(1, d) = p.grad_u(1, d) + 0.3 * p.grad_u(0, d);
    }
    return flux;
  }
};

/// Products without a matrix are what the stored matrices give.
template <class Element, class ExecutionSpace>
class RecomputedProducts {
  using Checks = test::OperatorChecks<Element, ExecutionSpace>;

public:
  template <class Form>
  void expect_stored(const Form& form) const {
    SCOPED_TRACE(Element::name);
    FunctionSpace<Element, ExecutionSpace> space(mesh, Form::components);
    space.constrain(2, 0, 0.0);
    const auto x = Checks::random(space.num_dofs() - 1, 7);
    const auto stored = Checks::product(ElementByElement{}.plan(space).template prepare<double>(form), x);
    for (const auto& [suffix, strategy] : RecomputingElementByElement::variants()) {
      const auto found = Checks::product(strategy.plan(space).template prepare<double>(form), x);
      for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(found[i], stored[i], 1e-12) << suffix;
    }
  }
  /// \param size of the nodal values of the state, which vary
  template <class Form>
  void expect_jacobian(const Form& form, double size) const {
    const auto values = Checks::random(Form::components * to_size(mesh.num_nodes()), 9);
    const Kokkos::View<double*, ExecutionSpace> u("Tessera::Test::u", values.size());
    const auto host = Kokkos::create_mirror_view(u);
    for (std::size_t k = 0; k < values.size(); ++k) host(k) = size * values[k];
    Kokkos::deep_copy(u, host);
    expect_stored(jacobian(form, mesh, u));
  }

  Mesh<Element, ExecutionSpace> mesh = Checks::bent_mesh();
};

template <class Element, class ExecutionSpace>
void expect_own_forms() {
  const RecomputedProducts<Element, ExecutionSpace> products;
  products.expect_stored(test::DiffusionAdvectionReaction());
  products.expect_jacobian(CoupledPair(), 0.3);
}

TYPED_TEST(MatrixFree, TakesOwnFormsAndJacobians) {
  expect_own_forms<Tri<1>, TypeParam>();
  expect_own_forms<Quad<2>, TypeParam>();
  expect_own_forms<Tet<2>, TypeParam>();
  expect_own_forms<Wedge<1>, TypeParam>();
}

/// Orthotropic, its axes along the mesh's.
AnisotropicElasticity wood() {
  AnisotropicElasticity form;
  for (int s = 0; s < VoigtStiffness::size; ++s)
    for (int t = 0; t <= s; ++t)
      form.stiffness[to_size(VoigtStiffness::at(s, t))] = s == t ? 3.0 + s : s < 3 ? 0.5 + t : 0.0;
  return form;
}

TYPED_TEST(MatrixFree, TakesVectorFormsByTheirFluxesAndByTheirCoefficients) {
  const RecomputedProducts<Tet<1>, TypeParam> tetrahedra;
  tetrahedra.expect_stored(wood());
  tetrahedra.expect_jacobian(NeoHookean<3>(), 0.01);
  const RecomputedProducts<Hex<1>, TypeParam> hexahedra;
  hexahedra.expect_stored(wood());
  const RecomputedProducts<Wedge<1>, TypeParam> wedges;
  wedges.expect_stored(wood());
  wedges.expect_stored(ReducedElasticity<3>());
  const RecomputedProducts<Tri<4>, TypeParam> triangles;
  const LinearElasticity<2> soft{.young = 2.0, .poisson = 0.4}, stiff{.young = 5.0, .poisson = 0.1};
  triangles.expect_stored(sum(soft, stiff)); // has no flux of its own
}

TYPED_TEST(MatrixFree, OperatorsKeepTheirFormsMemory) {
  const typename TestFixture::Space space(TestFixture::Checks::bent_mesh(), 1);
  const typename TestFixture::Vector sigma("Tessera::Test::sigma", space.mesh().num_elements());
  Kokkos::deep_copy(sigma, 2.0);
  const auto count = sigma.use_count();
  {
    const auto op = RecomputingElementByElement{}.plan(space).template prepare<double>(
        Helmholtz<>{.sigma = CellField::per_element(sigma)});
    EXPECT_GT(sigma.use_count(), count);
  }
  EXPECT_EQ(sigma.use_count(), count);
}

TYPED_TEST(MatrixFree, RefusesWhatDoesNotFit) {
  using Vector = typename TestFixture::Vector;
  typename TestFixture::Space space(TestFixture::Checks::bent_mesh(), 2);
  const RecomputingElementByElement strategy;
  test::expect_throw_with<ArgumentError>([&] { strategy.plan(space).template prepare<double>(Heat{}); },
                                         "the form has 1 components per node, the space has 2");
  test::expect_throw_with<FormError>(
      [&] { strategy.plan(space).template prepare<double>(LinearElasticity<2>{.young = -1.0}); }, "young");
  const auto op = strategy.plan(space).template prepare<double>(LinearElasticity<2>{});
  const Vector x("Tessera::Test::x", op.rows()), small("Tessera::Test::small", 3);
  const TypeParam exec;
  test::expect_throw_with<ArgumentError>([&] { op.apply(exec, small, x); }, "x has 3 entries");
  test::expect_throw_with<ArgumentError>([&] { op.apply(exec, x, small); }, "y has 3 entries");
  test::expect_throw_with<ArgumentError>([&] { op.apply(exec, x, x); }, "distinct");
  test::expect_throw_with<ArgumentError>([&] { op.load(exec, small); }, "f has 3 entries");
  space.constrain(0, 0, 1.0);
  test::expect_throw_with<ArgumentError>([&] { op.apply(exec, x, Vector("Tessera::Test::y", op.rows())); },
                                         "other constraints");
}

TYPED_TEST(MatrixFree, NamesTheElementThatCannotBeIntegrated) {
  using Space = typename TestFixture::Space;
  const Space space(io::box_mesh<Quad<1>, TypeParam>({{4, 4, 1}, {1, 1, 1}}), 1);
  Kokkos::View<double*, TypeParam> sigma("Tessera::Test::sigma", 16);
  Kokkos::deep_copy(sigma, 1.0);
  Kokkos::deep_copy(Kokkos::subview(sigma, 9), NAN);
  const Heat form{.sigma = CellField::per_element(sigma)};
  for_each_strategy<MatrixFreeCatalogue>([&](const auto& variant) {
    SCOPED_TRACE(variant.name);
    // A vector of elements reports its first.
    test::expect_throw_with<FormError>([&] { variant.strategy.plan(space).template prepare<double>(form); },
                                       "element ");
  });
}

TYPED_TEST(MatrixFree, WorksWithoutElements) {
  using MeshType = Mesh<Quad<1>, TypeParam>;
  const MeshType mesh(typename MeshType::Coordinates("Tessera::Test::coordinates", 3),
                      typename MeshType::Connectivity("Tessera::Test::connectivity", 0));
  const typename TestFixture::Space space(mesh, 1);
  for_each_strategy<MatrixFreeCatalogue>([&](const auto& variant) {
    SCOPED_TRACE(variant.name);
    const auto op = variant.strategy.plan(space).template prepare<double>(Heat{});
    EXPECT_EQ(TestFixture::Checks::product(op, {1.0, 2.0, 3.0}), std::vector<double>(3, 0.0));
  });
}

} // namespace strategies_matrix_free_matrix_free
