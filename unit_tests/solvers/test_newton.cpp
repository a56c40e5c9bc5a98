// SPDX-License-Identifier: BSD-3-Clause
// Newton's method: quadratic convergence, orders of convergence of the elements, and steps that cannot be
// made.

#include <tessera/core/forms/poisson.hpp>
#include <tessera/core/forms/solids.hpp>
#include <tessera/core/mesh/elevate.hpp>
#include <tessera/io/generate/box.hpp>
#include <tessera/solvers/newton.hpp>
#include <tessera/solvers/solve.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include <cmath>
#include <sstream>
#include <vector>

namespace solvers_newton {

using namespace tessera;
using namespace tessera::solvers;
using namespace tessera::test;

template <class ExecutionSpace>
class NewtonMethod : public ::testing::Test {
public:
  using Vector = Kokkos::View<double*, ExecutionSpace>;

  /// Nodal values of a function of the coordinates.
  template <class MeshType, class Function>
  static Vector values(const MeshType& mesh, const Function& function) {
    const auto x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mesh.coordinates());
    const Vector v("Tessera::Test::values", mesh.num_nodes());
    const auto host = Kokkos::create_mirror_view(v);
    for (Ordinal n = 0; n < mesh.num_nodes(); ++n) host(n) = function(x(n, 0), x(n, 1));
    Kokkos::deep_copy(v, host);
    return v;
  }

  template <class Element>
  static Mesh<Element, ExecutionSpace> square(int n) {
    return elevated<Element>(io::box_mesh<Tri<1>, ExecutionSpace>({{n, n}, {1.0, 1.0}}));
  }

  /// Prescribes a function on the square's sides.
  template <class Space, class Function>
  static void fix_sides(Space& space, const Function& function) {
    const auto x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), space.mesh().coordinates());
    for (Ordinal n = 0; n < space.mesh().num_nodes(); ++n)
      if (std::min({x(n, 0), x(n, 1), 1 - x(n, 0), 1 - x(n, 1)}) < 1e-12)
        space.constrain(n, 0, function(x(n, 0), x(n, 1)));
  }

  /// The L2 norm of u_h - exact by a rule of degree 8.
  template <class Element, class Function>
  static double l2_error(const Mesh<Element, ExecutionSpace>& mesh, const Vector& u, const Function& exact) {
    const auto x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mesh.coordinates());
    const auto nodes = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mesh.connectivity());
    const auto values = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), u);
    using Rule = Quadrature<Element::shape, 8>;
    double sum = 0;
    for (Ordinal e = 0; e < mesh.num_elements(); ++e) {
      const Ordinal a = nodes(e, 0), b = nodes(e, 1), c = nodes(e, 2);
      const double det =
          (x(b, 0) - x(a, 0)) * (x(c, 1) - x(a, 1)) - (x(c, 0) - x(a, 0)) * (x(b, 1) - x(a, 1));
      for (int q = 0; q < Rule::points; ++q) {
        const auto phi = Element::values(Rule::coordinates[q]);
        double p[2] = {0, 0}, value = 0;
        for (int n = 0; n < Element::nodes; ++n) {
          for (int i = 0; i < 2; ++i) p[i] += phi[n] * x(nodes(e, n), i);
          value += phi[n] * values(nodes(e, n));
        }
        sum += Rule::weights[q] * det * std::pow(value - exact(p[0], p[1]), 2);
      }
    }
    return std::sqrt(sum);
  }

  /// Errors on two meshes; Newton's last steps square the residual.
  template <class Element, class Form, class Exact, class Start>
  static void expect_order(const Form& form, const Exact& exact, const Start& start) {
    double errors[2];
    for (int level = 0; level < 2; ++level) {
      const auto mesh = square<Element>(4 << level);
      FunctionSpace<Element, ExecutionSpace> space(mesh, 1);
      fix_sides(space, exact);
      const Vector u = values(mesh, start);
      const auto result = Newton(space, NewtonOptions{.relative_tolerance = 1e-12}).solve(form, u);
      ASSERT_TRUE(result.converged());
      expect_quadratic(result);
      errors[level] = l2_error(mesh, u, exact);
    }
    EXPECT_NEAR(std::log2(errors[0] / errors[1]), Element::order + 1, 0.25) << errors[0] << " " << errors[1];
  }

  /// |r_{k+1}| <= C |r_k|^2 with one C for the steps before rounding.
  static void expect_quadratic(const NewtonResult& result) {
    const auto& h = result.history;
    int squared = 0;
    for (std::size_t k = 1; k < h.size(); ++k)
      if (h[k - 1].residual < 1e-1 * h[0].residual || h[k - 1].residual < 1e-2)
        if (h[k].residual > 1e-12 * h[0].residual) {
          EXPECT_EQ(h[k].fraction, 1) << "iteration " << k + 1;
          EXPECT_LT(std::log(h[k].residual / h[0].residual),
                    1.5 * std::log(h[k - 1].residual / h[0].residual) + 1)
              << "iteration " << k + 1;
          ++squared;
        }
    EXPECT_GE(squared + 1, 1);
    EXPECT_LE(result.iterations(), 15);
  }
};

TYPED_TEST_SUITE(NewtonMethod, ExecutionSpaceTypes, ExecutionSpaceName);

// -div((1 + u^2) grad u) = f with u = sin x + cos y.
struct SourceOfNonlinearPoisson {
  template <class Position>
  KOKKOS_FUNCTION double operator()(const Position& p) const {
    const double u = Kokkos::sin(p(0)) + Kokkos::cos(p(1)), ux = Kokkos::cos(p(0)), uy = -Kokkos::sin(p(1));
    return (1 + u * u) * u - 2 * u * (ux * ux + uy * uy);
  }
};

// PETSc's SNES example 12: -div(1/2 |grad u|^2 grad u) = -16 (x^2 + y^2) with u = x^2 + y^2.
struct SourceOfExample12 {
  template <class Position>
  KOKKOS_FUNCTION double operator()(const Position& p) const {
    return -16 * (p(0) * p(0) + p(1) * p(1));
  }
};

TYPED_TEST(NewtonMethod, NonlinearPoissonHasTheElementsOrders) {
  const auto exact = [](double x, double y) { return std::sin(x) + std::cos(y); };
  const auto zero = [](double, double) { return 0.0; };
  const auto form = weak_form(NonlinearPoisson{}, SourceOfNonlinearPoisson{});
  TestFixture::template expect_order<Tri<1>>(form, exact, zero);
  TestFixture::template expect_order<Tri<2>>(form, exact, zero);
}

TYPED_TEST(NewtonMethod, Example12IsExactInQuadraticElements) {
  const auto exact = [](double x, double y) { return x * x + y * y; };
  const auto start = [](double x, double y) {
    return x + 0.5 * y;
  }; // its Jacobian vanishes with the gradient
  const auto form = weak_form(PLaplacian{.power = 4, .scale = 0.5}, SourceOfExample12{});
  TestFixture::template expect_order<Tri<1>>(form, exact, start);
  const auto mesh = TestFixture::template square<Tri<2>>(4);
  FunctionSpace<Tri<2>, TypeParam> space(mesh, 1, ConstraintTreatment::zeroed);
  TestFixture::fix_sides(space, exact);
  const auto u = TestFixture::values(mesh, start);
  EXPECT_TRUE(Newton(space, NewtonOptions{.relative_tolerance = 1e-12}).solve(form, u).converged());
  EXPECT_LT(TestFixture::l2_error(mesh, u, exact), 1e-8);
}

template <class Vector>
struct TurnAround {
  Vector x;
  KOKKOS_FUNCTION void operator()(Ordinal i) const { x(i) = -x(i); }
};

/// A unit block, its lower face held, the upper one turned about the block's axis.
template <class ExecutionSpace>
FunctionSpace<Tet<1>, ExecutionSpace> block() {
  FunctionSpace<Tet<1>, ExecutionSpace> space(
      io::box_mesh<Tet<1>, ExecutionSpace>({{3, 3, 3}, {1.0, 1.0, 1.0}}), 3);
  space.constrain(space.mesh().node_set("zmin"), {0.0, 0.0, 0.0});
  return space;
}
template <class Space>
void turn(Space& space, double angle) {
  const auto nodes = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), space.mesh().node_set("zmax"));
  const auto x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), space.mesh().coordinates());
  for (std::size_t i = 0; i < nodes.extent(0); ++i) {
    const double dx = x(nodes(i), 0) - 0.5, dy = x(nodes(i), 1) - 0.5;
    space.constrain(nodes(i), 0, (std::cos(angle) - 1) * dx - std::sin(angle) * dy);
    space.constrain(nodes(i), 1, std::sin(angle) * dx + (std::cos(angle) - 1) * dy);
    space.constrain(nodes(i), 2, 0.0);
  }
}

TYPED_TEST(NewtonMethod, TwistedBlockConvergesQuadratically) {
  auto space = block<TypeParam>();
  turn(space, 0.0);
  const typename TestFixture::Vector u("Tessera::Test::u", space.num_dofs());
  std::ostringstream progress;
  Newton newton(space, {.relative_tolerance = 1e-11, .progress = &progress});
  for (const double angle : {0.4, 0.8}) {
    turn(space, angle);
    const auto result = newton.solve(NeoHookean<3>{.shear = 1, .lame = 2}, u);
    ASSERT_TRUE(result.converged());
    EXPECT_EQ(result.reason, NewtonStop::relative_tolerance);
    TestFixture::expect_quadratic(result);
  }
  EXPECT_NE(progress.str().find("newton  1: |r| "), std::string::npos) << progress.str();
}

TYPED_TEST(NewtonMethod, LinearProblemsTakeOneStep) {
  auto space = block<TypeParam>();
  turn(space, 0.1);
  space.add_point_load(20, 0, 0.01);
  const typename TestFixture::Vector u("Tessera::Test::u", space.num_dofs());
  const auto result =
      Newton(space, {.relative_tolerance = 1e-7}).solve(HookeanSolid<3>{.lame = 1, .shear = 1}, u);
  EXPECT_LE(result.iterations(), 2);
  EXPECT_TRUE(result.converged());
}

/// Heat transfer h to surroundings at g on one side: u = g h / (1 + h) x.
TYPED_TEST(NewtonMethod, SeesRobinSides) {
  const double h = 3, g = 8;
  const auto mesh = io::box_mesh<Tri<1>, TypeParam>({{4, 3}});
  FunctionSpace<Tri<1>, TypeParam> space(mesh, 1);
  space.constrain(mesh.node_set("xmin"), {0.0});
  space.add_robin(mesh.side_set("xmax"), h, g);
  const typename TestFixture::Vector u("Tessera::Test::u", space.num_dofs());
  EXPECT_TRUE(Newton(space).solve(Laplace{}, u).converged());
  const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), u);
  const auto x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mesh.coordinates());
  for (std::size_t n = 0; n < found.extent(0); ++n)
    ASSERT_NEAR(found(n), g * h / (1 + h) * x(n, 0), 1e-8) << n;
}

TYPED_TEST(NewtonMethod, FailuresAreNamedAndLeaveTheState) {
  auto space = block<TypeParam>();
  turn(space, 0.0);
  const typename TestFixture::Vector u("Tessera::Test::u", space.num_dofs()),
      before("Tessera::Test::before", space.num_dofs());
  const NeoHookean<3> rubber;
  const auto expect_same = [&] {
    const auto a = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), u);
    const auto b = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), before);
    for (std::size_t i = 0; i < a.extent(0); ++i) ASSERT_EQ(a(i), b(i)) << i;
  };
  // An element turned inside out from the start.
  const auto host = Kokkos::create_mirror_view(u);
  const auto nodes = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), space.mesh().connectivity());
  for (int c = 0; c < 3; ++c) host(nodes(0, 3) * 3 + c) = -3.0;
  Kokkos::deep_copy(u, host);
  Kokkos::deep_copy(before, u);
  expect_throw_with<FormError>([&] { Newton(space).solve(rubber, u); },
                               "element 0 has a residual that is not");
  expect_same();
  // A direction that never lowers the residual: the linear solver is wrong by its sign.
  Kokkos::deep_copy(u, 0.0);
  Kokkos::deep_copy(before, 0.0);
  space.add_point_load(nodes(100, 2), 0, 0.01);
  const auto backwards = [](const TypeParam& exec, const auto& system, const auto& x) {
    const auto result = cg(exec, system, x, {.relative_tolerance = 1e-10});
    Kokkos::parallel_for("Tessera::Test::turn", Kokkos::RangePolicy<TypeParam>(exec, 0, x.extent(0)),
                         TurnAround<std::remove_cvref_t<decltype(x)>>{x});
    return result;
  };
  expect_throw_with<SolverError>([&] { Newton(space).solve(rubber, u, backwards); },
                                 "Newton: iteration 1: no fraction of the step down to");
  expect_same();
  // A step so long that every fraction turns elements inside out.
  const auto wild = [](const TypeParam& exec, const auto&, const auto& x) {
    Kokkos::deep_copy(exec, x, 1e9);
  };
  expect_throw_with<SolverError>([&] { Newton(space, {.max_halvings = 2}).solve(rubber, u, wild); },
                                 "longer steps failed: RecomputingResidual: element ");
  expect_same();
  expect_throw_with<ArgumentError>([&] { Newton(space, {.decrease = 2}); }, "decrease inside (0, 1)");
}

} // namespace solvers_newton
