// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/elements/elements.hpp>
#include <tessera/core/forms/element_system.hpp>
#include <tessera/core/forms/form.hpp>
#include <tessera/core/forms/helmholtz.hpp>
#include <tessera/core/forms/integrate_element.hpp>
#include <tessera/core/forms/linear_elasticity.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/meshes/test_meshes.hpp"
#include "support/shipped_forms.hpp"
#include <cmath>

namespace core_forms_forms {

using namespace tessera;
using Space = Kokkos::DefaultHostExecutionSpace;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

template <class E>
class Forms : public ::testing::Test {
public:
  static Cell<E, double> cell() {
    return test::distorted_box<E, Space>({{2, 2, 2}}).kernel().template cell<double>(3);
  }

  template <IntegrationPath Path = IntegrationPath::best, class Form>
  static auto integrated(const Form& form) {
    const auto kernel = form.kernel();
    element_system_t<E, decltype(kernel), double> system;
    EXPECT_TRUE((integrate<Path>(kernel, cell(), system)));
    return system;
  }

  template <class Form>
  static void expect_refinement_equals_quadrature(const Form& form) {
    const auto best = integrated(form);
    const auto plain = integrated<IntegrationPath::quadrature>(form);
    double scale = 0;
    for (int i = 0; i < E::nodes; ++i) scale = std::max(scale, std::abs(plain(i, 0, i, 0)));
    for (int i = 0; i < E::nodes; ++i)
      for (int a = 0; a < Form::components; ++a) {
        EXPECT_NEAR(best.load[i](a), plain.load[i](a), 1e-14);
        for (int j = 0; j < E::nodes; ++j)
          for (int b = 0; b < Form::components; ++b)
            EXPECT_NEAR(best(i, a, j, b), plain(i, a, j, b), 1e-14 * scale);
      }
  }
};
template <class Tuple>
struct ToTypes;
template <class... T>
struct ToTypes<std::tuple<T...>> {
  using type = ::testing::Types<T...>;
};
TYPED_TEST_SUITE(Forms, ToTypes<Elements>::type);

TYPED_TEST(Forms, RefinementsEqualQuadrature) {
  test::for_each_shipped_form<Space, TypeParam::dimension>(
      [&](const auto& form) { this->expect_refinement_equals_quadrature(form); });
  LinearElasticity<TypeParam::dimension> elasticity{.young = 3.0, .poisson = 0.2};
  elasticity.plane = Plane::stress;
  this->expect_refinement_equals_quadrature(elasticity);
}

/// Rows of K times rigid-body motions and the gradient part times constants vanish.
TYPED_TEST(Forms, RigidMotionsCostNothing) {
  constexpr int d = TypeParam::dimension;
  const auto cell = this->cell();
  const auto k = this->integrated(LinearElasticity<d>{.young = 5.0, .poisson = 0.3});
  for (int mode = 0; mode < (d == 2 ? 3 : 6); ++mode)
    for (int i = 0; i < TypeParam::nodes; ++i)
      for (int a = 0; a < d; ++a) {
        double sum = 0;
        for (int j = 0; j < TypeParam::nodes; ++j)
          for (int b = 0; b < d; ++b) {
            double u = b == mode ? 1.0 : 0.0;
            if (mode >= d) { // rotation in the plane of axes p and q
              const int p = d == 2 ? 0 : (mode - d + 1) % 3, q = d == 2 ? 1 : (mode - d + 2) % 3;
              u = b == p ? -cell.coordinates[j][q] : b == q ? cell.coordinates[j][p] : 0.0;
            }
            sum += k(i, a, j, b) * u;
          }
        EXPECT_NEAR(sum, 0.0, 2e-13) << "mode " << mode;
      }
  const auto heat = this->integrated(Helmholtz<>{.sigma = 3.0});
  for (int i = 0; i < TypeParam::nodes; ++i) {
    double sum = 0;
    for (int j = 0; j < TypeParam::nodes; ++j) sum += heat(i, 0, j, 0);
    EXPECT_NEAR(sum, 0.0, 2e-13);
  }
}

/// The patch test: the stiffness of a linear field against any test function is the boundary's work, so that
/// its sum against a second linear field is the product of gradients times the measure.
TYPED_TEST(Forms, LinearFieldsHaveExactEnergy) {
  const auto cell = this->cell();
  const auto mass = this->integrated(Helmholtz<>{.sigma = 1.0, .lambda = 0.0, .source = 1.0});
  double measure = 0;
  for (int i = 0; i < TypeParam::nodes; ++i) measure += mass.load[i](0);
  for (int p = 0; p < TypeParam::dimension; ++p)
    for (int q = 0; q < TypeParam::dimension; ++q) {
      double energy = 0;
      for (int i = 0; i < TypeParam::nodes; ++i)
        for (int j = 0; j < TypeParam::nodes; ++j)
          energy += cell.coordinates[i][p] * mass(i, 0, j, 0) * cell.coordinates[j][q];
      EXPECT_NEAR(energy, p == q ? measure : 0.0, 1e-12 * measure);
    }
}

TYPED_TEST(Forms, PacksEqualScalars) {
  const auto mesh = test::distorted_box<TypeParam, Space>({{3, 2, 2}});
  const auto kernel = Helmholtz<>{.sigma = 1.5, .lambda = 2.0, .source = 1.0}.kernel();
  using Wide = NativePack<double>;
  element_system_t<TypeParam, decltype(kernel), Wide> packed;
  const auto cells = mesh.kernel().template cell<Wide>(0);
  ASSERT_TRUE(integrate(kernel, cells, packed));
  for (int lane = 0; lane < lanes_v<Wide>; ++lane) {
    const Ordinal e = std::min<Ordinal>(lane, mesh.num_elements() - 1);
    element_system_t<TypeParam, decltype(kernel), double> single;
    ASSERT_TRUE(integrate(kernel, mesh.kernel().template cell<double>(e), single));
    for (int i = 0; i < TypeParam::nodes; ++i)
      for (int j = 0; j < TypeParam::nodes; ++j)
        EXPECT_NEAR(packed(i, 0, j, 0)[lane], single(i, 0, j, 0),
                    1e-14 * std::sqrt(single(i, 0, i, 0) * single(j, 0, j, 0)) + 1e-15);
  }
}

TYPED_TEST(Forms, TensorsGeneraliseScalars) {
  constexpr int d = TypeParam::dimension;
  SymmetricTensor<d> isotropic{}, stretched{};
  GeneralTensor<d> turned{};
  for (int a = 0; a < d; ++a) {
    isotropic.entry[a][a] = 2.0;
    stretched.entry[a][a] = turned.entry[a][a] = 1.0 + a;
  }
  turned.entry[0][1] = 0.5;
  turned.entry[1][0] = -0.5;
  const auto scalar = this->integrated(Helmholtz<>{.sigma = 2.0, .lambda = 1.0});
  const auto tensor = this->integrated(Helmholtz<SymmetricTensor<d>>{.sigma = isotropic, .lambda = 1.0});
  const auto symmetric = this->integrated(Helmholtz<SymmetricTensor<d>>{.sigma = stretched});
  const auto general = this->integrated(Helmholtz<GeneralTensor<d>>{.sigma = turned});
  static_assert(decltype(symmetric)::symmetric && !decltype(general)::symmetric);
  double skew = 0;
  for (int i = 0; i < TypeParam::nodes; ++i)
    for (int j = 0; j < TypeParam::nodes; ++j) {
      EXPECT_NEAR(tensor(i, 0, j, 0), scalar(i, 0, j, 0), 1e-13);
      // The symmetric part of the general tensor is the stretched one.
      EXPECT_NEAR(0.5 * (general(i, 0, j, 0) + general(j, 0, i, 0)), symmetric(i, 0, j, 0), 1e-13);
      skew = std::max(skew, std::abs(general(i, 0, j, 0) - general(j, 0, i, 0)));
    }
  EXPECT_GT(skew, 1e-3);
}

struct Ramp {
  KOKKOS_FUNCTION double operator()(const Vector<double, 2>& x) const { return 1.0 + x(0) + 2.0 * x(1); }
};

TEST(Coefficients, CallablesSeePhysicalPositions) {
  // int (1 + x + 2y) over the unit square.
  const auto mesh = io::box_mesh<Quad<1>, Space>({});
  const auto kernel = Helmholtz<CellField, CellField, Ramp>{}.kernel();
  element_system_t<Quad<1>, decltype(kernel), double> system;
  ASSERT_TRUE(integrate(kernel, mesh.kernel().cell<double>(0), system));
  double sum = 0;
  for (const auto& f : system.load) sum += f(0);
  EXPECT_NEAR(sum, 2.5, 1e-14);
}

TEST(Coefficients, BadValuesAreNamed) {
  const auto check = [](const auto& form) { form.template check<Space>(2, 5); };
  EXPECT_THAT([&] { check(Helmholtz<>{.sigma = 0.0}); },
              ThrowsMessage<FormError>(HasSubstr("Helmholtz::sigma must be positive, got 0")));
  EXPECT_THAT([&] { check(Helmholtz<>{.lambda = -1.0}); },
              ThrowsMessage<FormError>(HasSubstr("Helmholtz::lambda must be at least 0, got -1")));
  EXPECT_THAT([&] { check(Helmholtz<>{.source = std::nan("")}); },
              ThrowsMessage<FormError>(HasSubstr("Helmholtz::source must be finite, got nan")));
  EXPECT_THAT([&] { check(Helmholtz<>{.sigma = CellField::per_material<Space>({1.0, -2.0})}); },
              ThrowsMessage<FormError>(HasSubstr("got -2.000000 for material 1")));
  EXPECT_THAT([&] { check(Helmholtz<>{.sigma = CellField::per_material<Space>({1.0})}); },
              ThrowsMessage<ArgumentError>("Helmholtz::sigma: 1 values given, the mesh has 2 materials"));
  EXPECT_THAT([&] { check(LinearElasticity<3>{.young = -1.0}); },
              ThrowsMessage<FormError>(HasSubstr("LinearElasticity::young must be positive")));
  for (double nu : {-1.0, 0.5, 0.7})
    EXPECT_THAT([&] { check(LinearElasticity<2>{.poisson = nu}); },
                ThrowsMessage<FormError>(HasSubstr("LinearElasticity::poisson must be inside (-1, 0.5)")));
  SymmetricTensor<2> indefinite{{{1.0, 2.0}, {2.0, 1.0}}}, skewed{{{1.0, 0.5}, {0.0, 1.0}}};
  EXPECT_THAT([&] { check(Helmholtz<SymmetricTensor<2>>{.sigma = indefinite}); },
              ThrowsMessage<FormError>("Helmholtz::sigma must be positive definite"));
  EXPECT_THAT([&] { check(Helmholtz<SymmetricTensor<2>>{.sigma = skewed}); },
              ThrowsMessage<FormError>("Helmholtz::sigma: a SymmetricTensor must be symmetric"));
}

// R D Rᵀ is symmetric to rounding, and seldom to the bit.
TEST(Coefficients, RotatedTensorsAreSymmetric) {
  int rounded = 0;
  for (int degrees = 1; degrees < 90; ++degrees) {
    const double c = std::cos(degrees * M_PI / 180), s = std::sin(degrees * M_PI / 180);
    const double rotation[3][3] = {{c, -s * c, s * s}, {s, c * c, -c * s}, {0, s, c}},
                 main[3] = {1, 10, 1000};
    SymmetricTensor<3> tensor{};
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b)
        for (int k = 0; k < 3; ++k) tensor.entry[a][b] += rotation[a][k] * main[k] * rotation[b][k];
    EXPECT_NO_THROW((Helmholtz<SymmetricTensor<3>>{.sigma = tensor}.check<Space>(1, 1))) << degrees;
    const SymmetricTensor<3> part = coefficient_kernel(tensor);
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < a; ++b) {
        rounded += tensor.entry[a][b] != tensor.entry[b][a] ? 1 : 0;
        EXPECT_EQ(part.entry[a][b], part.entry[b][a]);
        EXPECT_NEAR(part.entry[a][b], tensor.entry[a][b], 1e-11);
      }
  }
  EXPECT_GT(rounded, 0);
}

/// A kernel, and what each member more makes of it.
struct Nothing {};
struct WithNumbers {
  static constexpr int components = 1;
  static constexpr bool symmetric = true;
  template <class>
  static constexpr int degree = 1;
};
struct WithStiffness : WithNumbers {
  struct Integrand {
    Matrix<double, 1> stiffness(int, int) const { return {}; }
  };
  template <class Point>
  Integrand at(const Point&) const {
    return {};
  }
};
struct WithLoad : WithNumbers {
  struct Integrand : WithStiffness::Integrand {
    Vector<double, 1> load(int) const { return {}; }
  };
  template <class Point>
  Integrand at(const Point&) const {
    return {};
  }
};

TEST(FormKernels, AreToldFromWhatLacksAMember) {
  EXPECT_FALSE((FormKernelOn<Nothing, Tet<1>>));
  EXPECT_FALSE((FormKernelOn<WithNumbers, Tet<1>>));
  EXPECT_FALSE((FormKernelOn<WithStiffness, Tet<1>>));
  EXPECT_TRUE((FormKernelOn<WithLoad, Tet<1>>));
  EXPECT_TRUE((FormKernelOn<decltype(Helmholtz<>{}.kernel()), Hex<2>>));
  EXPECT_TRUE((FormKernelOn<decltype(LinearElasticity<2>{}.kernel()), Quad<1>, float>));
}

} // namespace core_forms_forms
