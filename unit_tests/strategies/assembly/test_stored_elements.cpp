// SPDX-License-Identifier: BSD-3-Clause
// StoredElements: forms by their coefficients at points are what their pairs of nodes say, the elements go in
// passes through a budget of memory, and forms that are not bilinear are refused.

#include <tessera/core/forms/helmholtz.hpp>
#include <tessera/core/forms/sum.hpp>
#include <tessera/core/forms/tensor.hpp>
#include <tessera/core/system/reference_assembly.hpp>
#include <tessera/core/system/system_error.hpp>
#include <tessera/core/weak_form/weak_form.hpp>
#include <tessera/strategies/assembly/stored_elements.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/meshes/test_meshes.hpp"
#include <string>

namespace strategies_assembly_stored_elements {

using namespace tessera;

/// Scalar, not symmetric, all four kinds of terms, with a source tested by gradients.
struct Mixed {
  static constexpr int components = 1;
  static constexpr bool symmetric = false;
  template <class Element>
  static constexpr int degree = 2 * Element::order;

  template <class Point>
  struct Integrand {
    using Real = typename Point::real_type;
    const Point& point;
    Real x;

    KOKKOS_FUNCTION Matrix<Real, 1> stiffness(int i, int j) const {
      using Value = value_type_t<Real>;
      Matrix<Real, 1> k;
      k(0, 0) = x * gradient_product(point, i, j) + point.gradient(j, 0) * point.value(i) -
                point.gradient(i, 1) * x * point.value(j) + Real(Value(2) * point.value(i) * point.value(j));
      return k;
    }
    KOKKOS_FUNCTION Vector<Real, 1> load(int i) const {
      Vector<Real, 1> f;
      f(0) = x * point.value(i) + point.gradient(i, 1);
      return f;
    }
  };
  template <class Point>
  KOKKOS_FUNCTION Integrand<Point> at(const Point& point) const {
    return {point, point.position(0) + value_type_t<typename Point::real_type>(1)};
  }
  Mixed kernel() const { return *this; }
};

/// A lumped mass: no gradient and no value makes it of functions i and j.
template <bool Pairwise, int Components = 1>
struct Lumped {
  static constexpr int components = Components;
  static constexpr bool symmetric = true, pairwise = Pairwise;
  template <class Element>
  static constexpr int degree = 2 * Element::order;

  template <class Point>
  struct Integrand {
    using Real = typename Point::real_type;
    const Point& point;

    /// Of the last component alone.
    KOKKOS_FUNCTION Matrix<Real, Components> stiffness(int i, int j) const {
      Matrix<Real, Components> k;
      if (i == j) k(Components - 1, Components - 1) = Real(value_type_t<Real>(1));
      return k;
    }
    KOKKOS_FUNCTION Vector<Real, Components> load(int) const { return {}; }
  };
  template <class Point>
  KOKKOS_FUNCTION Integrand<Point> at(const Point& point) const {
    return {point};
  }
  Lumped kernel() const { return *this; }
};

/// The mass matrix with a load, `Load::at(point, i, Load::factor(point))`.
template <class Load>
struct MassWith {
  static constexpr int components = 1;
  static constexpr bool symmetric = true;
  template <class Element>
  static constexpr int degree = 2 * Element::order;

  template <class Point>
  struct Integrand {
    using Real = typename Point::real_type;
    const Point& point;
    Real factor; ///< of this evaluation at the point

    KOKKOS_FUNCTION Matrix<Real, 1> stiffness(int i, int j) const {
      Matrix<Real, 1> k;
      k(0, 0) = Real(point.value(i) * point.value(j));
      return k;
    }
    KOKKOS_FUNCTION Vector<Real, 1> load(int i) const {
      Vector<Real, 1> f;
      f(0) = Load::at(point, i, factor);
      return f;
    }
  };
  template <class Point>
  KOKKOS_FUNCTION Integrand<Point> at(const Point& point) const {
    return {point, Load::factor(point)};
  }
  MassWith kernel() const { return *this; }
};

struct LoadByNode {
  template <class Point>
  KOKKOS_FUNCTION static auto factor(const Point&) {
    return number<typename Point::real_type>(1);
  }
  template <class Point, class Real>
  KOKKOS_FUNCTION static Real at(const Point&, int i, const Real& factor) {
    return factor * number<Real>(i);
  }
};

/// A difference of equal numbers, as a Jacobian's load is at a solution.
struct LoadOfRounding {
  template <class Point>
  KOKKOS_FUNCTION static auto factor(const Point& point) {
    using Real = typename Point::real_type;
    const Real slope = point.gradient(0, 0) + point.gradient(1, 1);
    return Real(number<Real>(0.1) * slope + number<Real>(0.2) * slope - number<Real>(0.3) * slope);
  }
  template <class Point, class Real>
  KOKKOS_FUNCTION static Real at(const Point& point, int i, const Real& factor) {
    return factor * point.value(i);
  }
};

/// Two or three components that all meet: values and gradients of each in both functions.
template <int Dimension>
struct Coupled {
  static constexpr int components = Dimension;
  static constexpr bool symmetric = false;

  template <class Point>
  KOKKOS_FUNCTION auto f0(const Point& p) const {
    auto f = p.u;
    for (int a = 0; a < Dimension; ++a)
      f(a) = p.position(0) * p.u((a + 1) % Dimension) + p.grad_u(a, 0) - 1.5 * p.grad_u(0, a);
    return f;
  }
  template <class Point>
  KOKKOS_FUNCTION auto f1(const Point& p) const {
    auto f = p.grad_u;
    for (int a = 0; a < Dimension; ++a)
      for (int d = 0; d < Dimension; ++d)
        f(a, d) = 2.0 * p.grad_u(a, d) + p.grad_u(d, a) + p.position(1) * p.u(d);
    return f;
  }
};

/// Compares an element's matrix and load by coefficients with those by pairs of nodes.
template <class Element, class Kernel, class ExecutionSpace>
struct CompareElements {
  using System = element_system_t<Element, Kernel, double>;
  Kernel kernel;
  MeshKernel<Element, ExecutionSpace> mesh;

  KOKKOS_FUNCTION void operator()(Ordinal e, double& worst) const {
    const auto cell = mesh.template cell<double>(e);
    System pairs, coefficients;
    tessera::detail::integrate_quadrature(kernel, cell, pairs);
    tessera::detail::integrate_coefficients(kernel, cell, coefficients);
    double largest = 0, difference = 0;
    for (int pair = 0; pair < System::pairs; ++pair)
      for (int ab = 0; ab < System::components * System::components; ++ab)
        compare(pairs.block[pair].entry[ab], coefficients.block[pair].entry[ab], largest, difference);
    worst = Kokkos::fmax(worst, difference / largest);
    largest = 1e-300;
    difference = 0;
    for (int i = 0; i < Element::nodes; ++i)
      for (int a = 0; a < System::components; ++a)
        compare(pairs.load[i](a), coefficients.load[i](a), largest, difference);
    worst = Kokkos::fmax(worst, difference / largest);
  }
  KOKKOS_FUNCTION static void compare(double a, double b, double& largest, double& difference) {
    largest = Kokkos::fmax(largest, Kokkos::abs(a));
    if (!(Kokkos::abs(a - b) <= difference)) difference = Kokkos::abs(a - b);
  }
};

template <class ExecutionSpace>
class StoredElementsTest : public ::testing::Test {
protected:
  template <class Element>
  static Mesh<Element, ExecutionSpace> mesh() {
    return test::distorted_box<Element, ExecutionSpace>({{2, 2, 2}, {1.0, 1.0, 1.0}});
  }

  template <class Element, class Kernel>
  static void expect_equal(const Mesh<Element, ExecutionSpace>& mesh, const Kernel& kernel) {
    SCOPED_TRACE(Element::name);
    double worst = 1;
    Kokkos::parallel_reduce(
        "Tessera::Test::compare", Kokkos::RangePolicy<ExecutionSpace>(0, mesh.num_elements()),
        CompareElements<Element, Kernel, ExecutionSpace>{kernel, mesh.kernel()}, Kokkos::Max<double>(worst));
    EXPECT_LE(worst, 1e-13);
  }

  template <class Element>
  static void expect_scalar_forms_equal() {
    const auto mesh = StoredElementsTest::mesh<Element>();
    expect_equal(mesh, Mixed());
    expect_equal(mesh, Helmholtz<>{.sigma = 2.0, .lambda = 3.0, .source = 1.0}.kernel());
  }
  template <class Element>
  static void expect_weak_form_equal() {
    const auto mesh = StoredElementsTest::mesh<Element>();
    constexpr int c = Element::dimension;
    const Kokkos::View<double*, ExecutionSpace> u("Tessera::Test::u", c * to_size(mesh.num_nodes()));
    expect_equal(mesh, jacobian(Coupled<c>(), mesh, u).kernel());
  }

  /// Both treatments of constraints, in systems of which nothing is known before.
  template <class Form, class Element>
  static void expect_oracle(const Form& form, const Mesh<Element, ExecutionSpace>& mesh,
                            const assembly::StoredElements& strategy, Ordinal passes) {
    expect_oracle(form, form, mesh, strategy, passes);
  }
  template <class Form, class HostForm, class Element>
  static void expect_oracle(const Form& form, const HostForm& on_host,
                            const Mesh<Element, ExecutionSpace>& mesh,
                            const assembly::StoredElements& strategy, Ordinal passes) {
    SCOPED_TRACE(std::string(Element::name) + ", passes " + std::to_string(passes));
    for (const auto treatment : {ConstraintTreatment::removed, ConstraintTreatment::zeroed}) {
      FunctionSpace<Element, ExecutionSpace> space(mesh, Form::components, treatment);
      space.constrain(3, 0, 1.5);
      space.constrain(7, Form::components - 1, -2.0);
      const LinearSystem<double, ExecutionSpace> system(space);
      Kokkos::deep_copy(system.values(), Kokkos::Experimental::quiet_NaN_v<double>);
      Kokkos::deep_copy(system.rhs(), Kokkos::Experimental::quiet_NaN_v<double>);
      auto plan = strategy.plan(space, system.graph());
      EXPECT_EQ(plan.passes(), passes);
      plan.assemble(form, system);
      const SystemError error =
          system_error<double>(system, reference_assembly(on_host, space, system.graph()));
      EXPECT_LE(error.matrix, 1e-13);
      EXPECT_LE(error.rhs, 1e-13);
    }
  }

  template <class Form>
  static std::string failure(const Form& form) {
    const auto mesh = StoredElementsTest::mesh<Tri<2>>();
    const FunctionSpace<Tri<2>, ExecutionSpace> space(mesh, Form::components);
    const LinearSystem<double, ExecutionSpace> system(space);
    try {
      assembly::StoredElements().plan(space, system.graph()).assemble(form, system);
    } catch (const FormError& error) {
      return error.what();
    }
    return "";
  }
};
TYPED_TEST_SUITE(StoredElementsTest, test::ExecutionSpaceTypes, test::ExecutionSpaceName);

TYPED_TEST(StoredElementsTest, CoefficientsOfScalarFormsAreTheirPairs) {
  TestFixture::template expect_scalar_forms_equal<Tri<2>>();
  TestFixture::template expect_scalar_forms_equal<Quad<1>>();
  TestFixture::template expect_scalar_forms_equal<Tet<2>>();
  TestFixture::template expect_scalar_forms_equal<Wedge<1>>();
}

TYPED_TEST(StoredElementsTest, CoefficientsOfWeakFormsAreTheirPairs) {
  TestFixture::template expect_weak_form_equal<Tri<2>>();
  TestFixture::template expect_weak_form_equal<Hex<1>>();
}

TYPED_TEST(StoredElementsTest, TilesAgreeWithTheOracle) {
  const auto triangles = TestFixture::template mesh<Tri<3>>();
  TestFixture::expect_oracle(Mixed(), triangles, {}, 1);
  using Host = Kokkos::DefaultHostExecutionSpace;
  const auto by_state = []<class Space>(const Mesh<Tri<3>, Space>& mesh) {
    return jacobian(Coupled<2>(), mesh,
                    Kokkos::View<double*, Space>("Tessera::Test::u", 2 * to_size(mesh.num_nodes())));
  };
  const auto on_host = test::distorted_box<Tri<3>, Host>({{2, 2, 2}, {1.0, 1.0, 1.0}});
  TestFixture::expect_oracle(by_state(triangles), by_state(on_host), triangles, {}, 1);
}

TYPED_TEST(StoredElementsTest, SumsOneDirectionAfterTheOtherAgreeWithTheOracle) {
  const auto hexahedra = TestFixture::template mesh<Hex<2>>();
  TestFixture::expect_oracle(Mixed(), hexahedra, {}, 1);
  TestFixture::expect_oracle(Helmholtz<>{.sigma = 2.0, .lambda = 3.0, .source = 1.0}, hexahedra, {}, 1);
}

TYPED_TEST(StoredElementsTest, PassesAgreeWithTheOracle) {
  const auto hexahedra = TestFixture::template mesh<Hex<1>>(); // 8 elements of 8 rows of 9 numbers
  TestFixture::expect_oracle(Mixed(), hexahedra, {.memory_budget = 3 * 8 * 9 * 8}, 3);
  TestFixture::expect_oracle(Mixed(), hexahedra, {.memory_budget = 8 * 9 * 8}, 8);
}

TYPED_TEST(StoredElementsTest, BudgetsAreNamed) {
  const auto mesh = TestFixture::template mesh<Hex<1>>();
  const FunctionSpace<Hex<1>, TypeParam> space(mesh, 1);
  const LinearSystem<double, TypeParam> system(space);
  EXPECT_THAT([&] { assembly::StoredElements{.memory_budget = 0}.plan(space, system.graph()); },
              ::testing::ThrowsMessage<ArgumentError>(::testing::HasSubstr("must be positive, got 0 bytes")));
  EXPECT_THAT([&] { assembly::StoredElements{.memory_budget = 575}.plan(space, system.graph()); },
              ::testing::ThrowsMessage<UnsupportedError>(
                  ::testing::HasSubstr("is 575 bytes, the matrix of one element takes 576")));
}

TYPED_TEST(StoredElementsTest, FormsThatLookAtNodesAreRefusedUnlessTheySaySo) {
  EXPECT_THAT(this->failure(Lumped<false>()), ::testing::HasSubstr("state `static constexpr bool pairwise"));
  EXPECT_THAT(this->failure(MassWith<LoadByNode>()), ::testing::HasSubstr("load(i) is not linear"));
  EXPECT_THAT(this->failure(Lumped<false, 2>()),
              ::testing::HasSubstr("state `static constexpr bool pairwise"));
  EXPECT_EQ(this->failure(Lumped<true>()), "");
  EXPECT_EQ(this->failure(sum(Lumped<true, 2>(), Lumped<true, 2>())), "");
  EXPECT_EQ(this->failure(Mixed()), "");
  EXPECT_EQ(this->failure(MassWith<LoadOfRounding>()), "");
}

} // namespace strategies_assembly_stored_elements
