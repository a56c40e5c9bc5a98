// SPDX-License-Identifier: BSD-3-Clause
// 17: the gradient of a functional by one adjoint solve.
//
//   -div(exp(a) (1 + u^2) grad u) = q in a unit square, u = 0 at x = 0, a convective film at x = 1: which
//   a(x), a number at each node, explains temperatures that were measured?
//
// J(a) is half the sum of the squares of u(a) - measured. With the Jacobian K at u, K' lambda = u - measured
// and dJ/da = -lambda' dr/da: one linear system, however many numbers there are. The gradient is held against
// differences, and a few steps against it bring J down.

#include <tessera/core/system/transpose.hpp>
#include <tessera/core/weak_form/parameter_derivatives.hpp>
#include <tessera/tessera.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdio>
#include <exception>
#include <iostream>
#include <utility>

using ExecutionSpace = Kokkos::DefaultExecutionSpace;
using Element = tessera::Quad<1>;
using Vector = Kokkos::View<double*, ExecutionSpace>;
using Mesh = tessera::Mesh<Element, ExecutionSpace>;
using Space = tessera::FunctionSpace<Element, ExecutionSpace>;

struct Conduction {
  static constexpr int components = 1;

  template <class Point>
  KOKKOS_FUNCTION auto f0(const Point& p) const {
    return -5.0 + 0.0 * p.u;
  }
  template <class Point>
  KOKKOS_FUNCTION auto f1(const Point& p) const {
    return tessera::exp(p.template a<0>()) * (1.0 + p.u * p.u) * p.grad_u;
  }
};

auto with(const Vector& a) {
  return tessera::weak_form(Conduction(), tessera::NodalField<1, ExecutionSpace>{a});
}

double dot(const Vector& x, const Vector& y) {
  double sum = 0;
  Kokkos::parallel_reduce(
      "App::dot", Kokkos::RangePolicy<ExecutionSpace>(0, x.extent(0)),
      KOKKOS_LAMBDA(int i, double& partial) { partial += x(i) * y(i); }, sum);
  return sum;
}

// x + factor * y.
Vector sum(const Vector& x, double factor, const Vector& y) {
  const Vector result("App::sum", x.extent(0));
  Kokkos::parallel_for(
      "App::sum", Kokkos::RangePolicy<ExecutionSpace>(0, x.extent(0)),
      KOKKOS_LAMBDA(int i) { result(i) = x(i) + factor * y(i); });
  return result;
}

// dJ/du, an entry for each equation.
void set_slope(const Space& space, const Vector& u, const Vector& measured, const Vector& slope) {
  const auto equations = space.equations();
  Kokkos::parallel_for(
      "App::slope", Kokkos::RangePolicy<ExecutionSpace>(0, space.mesh().num_nodes()), KOKKOS_LAMBDA(int n) {
        if (!equations.is_constrained(n, 0)) slope(equations.equation(n, 0)) = u(n) - measured(n);
      });
}

class Identification {
public:
  explicit Identification(const Space& space)
      : space_(space), newton_(space, {.relative_tolerance = 1e-12}), system_(space),
        plan_(tessera::assembly::ElementAtomic().plan(space, system_.graph())) {}

  Vector temperature(const Vector& a) {
    const Vector u("App::u", space_.num_dofs());
    newton_.solve(with(a), u); // throws where it cannot
    return u;
  }
  void measure(const Vector& a) { measured_ = temperature(a); }
  double functional(const Vector& a) {
    const Vector misfit = sum(temperature(a), -1, measured_);
    return dot(misfit, misfit) / 2;
  }
  Vector gradient(const Vector& a) {
    const Vector u = temperature(a);
    plan_.assemble(tessera::jacobian(with(a), space_.mesh(), u), system_);
    const auto adjoint = tessera::transposed(ExecutionSpace(), system_);
    set_slope(space_, u, measured_, adjoint.rhs());
    const Vector x("App::x", adjoint.num_rows());
    tessera::solvers::KrylovWithJacobi<false>{{.relative_tolerance = 1e-12}}(ExecutionSpace(), adjoint, x);
    const Vector zero("App::zero", a.extent(0));
    return sum(zero, -1, tessera::parameter_gradient<0>(with(a), space_, u, space_.expand(x)));
  }

private:
  using System = tessera::LinearSystem<double, ExecutionSpace>;
  using Plan = decltype(tessera::assembly::ElementAtomic().plan(std::declval<const Space&>(),
                                                                std::declval<const System&>().graph()));
  Space space_;
  tessera::solvers::Newton<Element, ExecutionSpace> newton_;
  System system_;
  Plan plan_;
  Vector measured_;
};

Vector field(const Mesh& mesh, double height) {
  const Vector a("App::a", mesh.num_nodes());
  const auto x = mesh.coordinates();
  Kokkos::parallel_for(
      "App::field", Kokkos::RangePolicy<ExecutionSpace>(0, mesh.num_nodes()),
      KOKKOS_LAMBDA(int n) { a(n) = height * Kokkos::sin(3 * x(n, 0)) * Kokkos::cos(2 * x(n, 1)); });
  return a;
}

bool run() {
  const auto mesh = tessera::io::box_mesh<Element, ExecutionSpace>({{12, 12, 1}, {1.0, 1.0, 1.0}});
  Space space(mesh, /*components=*/1);
  space.constrain(mesh.node_set("xmin"), {0.0});
  space.add_robin(mesh.side_set("xmax"), /*transfer=*/2.0, /*surroundings=*/0.0);
  Identification problem(space);
  problem.measure(field(mesh, 0.5));

  Vector a = field(mesh, 0.0);
  Vector g = problem.gradient(a);
  const double slope = dot(g, g), h = 1e-4 / std::sqrt(slope);
  const double difference = (problem.functional(sum(a, h, g)) - problem.functional(sum(a, -h, g))) / (2 * h);
  std::printf("slope along the gradient of %d numbers: %.8f by the adjoint, %.8f by differences\n",
              static_cast<int>(a.extent(0)), slope, difference);

  // Steepest descent with the steps of J. Barzilai and J. M. Borwein (IMA J. Numer. Anal. 8, 1988).
  const double first = problem.functional(a);
  double step = 0.1 / std::sqrt(slope);
  for (int iteration = 0; iteration < 20; ++iteration) {
    const Vector next = sum(a, -step, g), other = problem.gradient(next);
    const Vector way = sum(next, -1, a), turn = sum(other, -1, g);
    step = dot(way, way) / dot(way, turn);
    a = next;
    g = other;
  }
  const double last = problem.functional(a);
  std::printf("J falls from %.3e to %.3e in 20 steps\n", first, last);
  return std::abs(slope - difference) < 1e-6 * slope && last < 0.02 * first;
}

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  try {
    return run() ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << "17_adjoint_gradient: " << error.what() << '\n';
    return 2;
  }
}
