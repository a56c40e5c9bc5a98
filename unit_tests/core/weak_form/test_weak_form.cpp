// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/forms/solids.hpp>
#include <tessera/core/weak_form/weak_form.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace core_weak_form_weak_form {

using namespace tessera;

template <class Number>
Number all_functions(const Number& x, const Number& y) {
  return tessera::sqrt(x) * tessera::exp(-y) + tessera::log(x + 2.0) / (1.0 + y * y) -
         tessera::pow(x, 1.5) * 0.5 + tessera::max(x, y) - tessera::min(x * y, Number(3.0)) +
         tessera::select(x < y, x * x, 2.0 / y) + tessera::sin(x) * tessera::cos(y) + tessera::abs(x - y);
}

template <class Number>
Number other_functions(const Number& x, const Number& y) {
  const Number small = x * y / 10.0;
  return tessera::tanh(x) * tessera::sinh(y) + tessera::cosh(x - y) + tessera::tan(small) / tessera::atan(x) +
         tessera::asin(small) - tessera::acos(small) * tessera::erf(y) +
         tessera::cbrt(x) * tessera::log10(y) + tessera::expm1(small) * tessera::log1p(x);
}

// Of each function by itself: a wrong derivative cannot hide behind another.
TEST(Dual, DerivativesOfTheFieldsUsualFunctions) {
  using Number = Dual<double, 1>;
  const double x = 0.6, h = 1e-6;
  const auto check = [&](const char* name, const auto& f) {
    EXPECT_DOUBLE_EQ(f(Number(x, 0)).value, f(x)) << name;
    EXPECT_NEAR(f(Number(x, 0)).derivative[0], (f(x + h) - f(x - h)) / (2 * h), 1e-9) << name;
  };
#define TESSERA_CHECK(name) check(#name, [](const auto& t) { return tessera::name(t); })
  TESSERA_CHECK(cbrt);
  TESSERA_CHECK(expm1);
  TESSERA_CHECK(log1p);
  TESSERA_CHECK(log10);
  TESSERA_CHECK(tan);
  TESSERA_CHECK(asin);
  TESSERA_CHECK(acos);
  TESSERA_CHECK(atan);
  TESSERA_CHECK(sinh);
  TESSERA_CHECK(cosh);
  TESSERA_CHECK(tanh);
  TESSERA_CHECK(erf);
#undef TESSERA_CHECK
  const Dual<double, 2> a(0.6, 0), b(1.7, 1), power = tessera::pow(a, b);
  EXPECT_DOUBLE_EQ(power.value, std::pow(0.6, 1.7));
  EXPECT_NEAR(power.derivative[0], 1.7 * std::pow(0.6, 0.7), 1e-14);
  EXPECT_NEAR(power.derivative[1], std::log(0.6) * std::pow(0.6, 1.7), 1e-14);
}

TEST(Dual, DerivativesOfEveryFunction) {
  using Number = Dual<double, 2>;
  for (const auto& [x, y] : {std::pair{0.7, 1.3}, std::pair{2.5, 0.4}}) {
    const Number f = all_functions(Number(x, 0), Number(y, 1));
    EXPECT_DOUBLE_EQ(f.value, all_functions(x, y));
    const double h = 1e-6;
    EXPECT_NEAR(f.derivative[0], (all_functions(x + h, y) - all_functions(x - h, y)) / (2 * h), 1e-8);
    EXPECT_NEAR(f.derivative[1], (all_functions(x, y + h) - all_functions(x, y - h)) / (2 * h), 1e-8);
  }
}

TEST(Dual, PacksAgreeWithNumbersLaneByLane) {
  using Real = NativePack<double>;
  Real x, y;
  for (int l = 0; l < lanes_v<Real>; ++l) {
    x.set(l, 0.3 + 0.4 * l);
    y.set(l, 2.1 - 0.2 * l);
  }
  const auto check = [&](const auto& function) {
    const auto f = function(Dual<Real, 2>(x, 0), Dual<Real, 2>(y, 1));
    for (int l = 0; l < lanes_v<Real>; ++l) {
      const auto expected = function(Dual<double, 2>(x[l], 0), Dual<double, 2>(y[l], 1));
      EXPECT_DOUBLE_EQ(f.value[l], expected.value);
      for (int k = 0; k < 2; ++k) EXPECT_DOUBLE_EQ(f.derivative[k][l], expected.derivative[k]);
    }
  };
  check([](const auto& a, const auto& b) { return all_functions(a, b); });
  check([](const auto& a, const auto& b) { return other_functions(a, b); });
}

TEST(VectorAlgebra, InversesAndProducts) {
  Matrix<double, 3> m;
  for (int i = 0; i < 9; ++i) m.entry[i] = std::sin(3.0 * i + 1) + (i % 4 == 0 ? 2 : 0);
  const auto one = transpose(inverse_transposed(m)) * m;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) EXPECT_NEAR(one(i, j), i == j, 1e-14);
  EXPECT_DOUBLE_EQ(trace(m), dot(m, identity(m)));
  Vector<float, 2> v;
  v(0) = 1.5f;
  v(1) = -2;
  static_assert(std::is_same_v<decltype(2.0 * v), Vector<float, 2>>,
                "plain numbers take the entries' precision");
  EXPECT_FLOAT_EQ((2.0 * v - v)(1), -2);
  static_assert(std::is_same_v<decltype(v / 2.0), Vector<float, 2>>);
  EXPECT_EQ((v / 4)(0), 0.375f);
  EXPECT_EQ((m / 3.0)(2, 1), m(2, 1) / 3.0);
  const Dual<double, 1> divisor(4.0, 0);
  Vector<double, 2> w;
  w(0) = 2;
  EXPECT_EQ((w / divisor)(0).value, 0.5);
  EXPECT_EQ((w / divisor)(0).derivative[0], -0.125);
}

// A neo-Hookean body's derivatives by hand and by dual numbers, and their symmetry.
TEST(WeakForm, DerivativesByHandAreThoseOfDualNumbers) {
  using Element = Tet<1>;
  const auto form = weak_form(NeoHookean<3>{.shear = 2, .lame = 3});
  const MeshKernel<Element, Kokkos::DefaultHostExecutionSpace> mesh{};
  const auto kernel = form.kernel(mesh);
  using Kernel = std::remove_const_t<decltype(kernel)>;
  static_assert(Kernel::degree<Element> == 1 && Kernel::symmetric && !Kernel::uses_value);
  static_assert(Kernel::tests_gradient<Element> && !Kernel::tests_value<Element>);
  const Cell<Element, double> cell{};
  Matrix<double, 3> inverse, gradient;
  for (int i = 0; i < 9; ++i) gradient.entry[i] = 0.2 * std::sin(2.0 * i);
  const MappedPoint<Element, 1, double> point{cell, inverse, 0};
  using Linear = tessera::detail::Linearisation<Kernel, MappedPoint<Element, 1, double>>;
  static_assert(Linear::by_hand && Linear::directions == 9);
  const auto by_hand = Linear::at(kernel, {}, gradient, point);
  const auto by_duals = Linear::differentiate(kernel, {}, gradient, point);
  for (int i = 0; i < 9; ++i) {
    EXPECT_DOUBLE_EQ(by_hand.f.f1.entry[i], by_duals.f.f1.entry[i]);
    for (int j = 0; j < 9; ++j) {
      EXPECT_NEAR(by_hand.g3(i, j), by_duals.g3(i, j), 1e-14);
      EXPECT_NEAR(by_hand.g3(i, j), by_hand.g3(j, i), 1e-14);
    }
  }
  static_assert(Linear::has_tangent);
  Linear::Argument p(point, kernel.fields);
  for (int i = 0; i < 9; ++i) p.grad_u.entry[i] = gradient.entry[i];
  const auto tangent = form.physics.tangent(p);
  for (int test = 0; test < 3; ++test)
    for (int trial = 0; trial < 3; ++trial) {
      Vector<double, 3> v, w; // of the axes
      v(test) = w(trial) = 1;
      const auto k = tangent(v, w);
      for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b) EXPECT_NEAR(k(a, b), by_duals.g3(a * 3 + test, b * 3 + trial), 1e-14);
    }
}

} // namespace core_weak_form_weak_form
