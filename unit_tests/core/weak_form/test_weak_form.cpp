#include <tessera/core/forms/solids.hpp>
#include <tessera/core/weak_form/weak_form.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace {

using namespace tessera;

template <class Number>
Number all_functions(const Number& x, const Number& y) {
  return tessera::sqrt(x) * tessera::exp(-y) + tessera::log(x + 2.0) / (1.0 + y * y) -
         tessera::pow(x, 1.5) * 0.5 + tessera::max(x, y) - tessera::min(x * y, Number(3.0)) +
         tessera::select(x < y, x * x, 2.0 / y) + tessera::sin(x) * tessera::cos(y) + tessera::abs(x - y);
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
  const auto f = all_functions(Dual<Real, 2>(x, 0), Dual<Real, 2>(y, 1));
  for (int l = 0; l < lanes_v<Real>; ++l) {
    const auto expected = all_functions(Dual<double, 2>(x[l], 0), Dual<double, 2>(y[l], 1));
    EXPECT_DOUBLE_EQ(f.value[l], expected.value);
    for (int k = 0; k < 2; ++k) EXPECT_DOUBLE_EQ(f.derivative[k][l], expected.derivative[k]);
  }
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

} // namespace
