// SPDX-License-Identifier: BSD-3-Clause
// 12: nonlinear heat conduction in time by BDF2, each step by Newton's method.
//
//   c(u) u_t - div(k(u) grad u) = q in a unit square, c = k = 1 + u, u prescribed at x = 0 and x = 1.
//
// A step's rate is u_t = shift (u - known): of backward Euler shift = 1/dt and known = u_1, the state before;
// of BDF2 shift = 3/(2 dt) and known = (4 u_1 - u_2) / 3. The physics asks for `p.u_t()`, and its Jacobian
// has shift times the derivative by the rate. The heat q is chosen so that u = (1 + x) (1 + sin(2 t) / 2):
// linear in space, so that the steps alone err, with the square of dt.

#include <tessera/tessera.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>

using ExecutionSpace = Kokkos::DefaultExecutionSpace;
using Element = tessera::Quad<1>;
using Vector = Kokkos::View<double*, ExecutionSpace>;
using Mesh = tessera::Mesh<Element, ExecutionSpace>;

double g(double t) { return 1 + std::sin(2 * t) / 2; }

struct Conduction {
  double g, rate; // g and dg/dt at the end of the step
  static constexpr int components = 1;
  template <class AnyElement>
  static constexpr int degree = 4;

  template <class Point>
  KOKKOS_FUNCTION auto f0(const Point& p) const {
    const auto across = 1.0 + p.position(0);
    const auto heat = (1.0 + g * across) * (rate * across) - g * g;
    return (1.0 + p.u) * p.u_t() - heat;
  }
  template <class Point>
  KOKKOS_FUNCTION auto f1(const Point& p) const {
    return (1.0 + p.u) * p.grad_u;
  }
};

void set_to_solution(const Mesh& mesh, double t, const Vector& u) {
  const auto x = mesh.coordinates();
  const double factor = g(t);
  Kokkos::parallel_for(
      "App::solution", Kokkos::RangePolicy<ExecutionSpace>(0, mesh.num_nodes()),
      KOKKOS_LAMBDA(int n) { u(n) = (1 + x(n, 0)) * factor; });
}

double largest_error(const Mesh& mesh, double t, const Vector& u) {
  const auto x = mesh.coordinates();
  const double factor = g(t);
  double largest = 0;
  Kokkos::parallel_reduce(
      "App::error", Kokkos::RangePolicy<ExecutionSpace>(0, mesh.num_nodes()),
      KOKKOS_LAMBDA(int n, double& most) {
        most = Kokkos::fmax(most, Kokkos::abs(u(n) - (1 + x(n, 0)) * factor));
      },
      Kokkos::Max<double>(largest));
  return largest;
}

// The largest error up to t = 1.
double error_of(int steps) {
  const double dt = 1.0 / steps;
  const auto mesh = tessera::io::box_mesh<Element, ExecutionSpace>({{8, 8, 1}, {1.0, 1.0, 1.0}});
  tessera::FunctionSpace<Element, ExecutionSpace> space(mesh, /*components=*/1);
  space.constrain(mesh.node_set("xmin"), {g(0)});
  space.constrain(mesh.node_set("xmax"), {2 * g(0)});
  tessera::solvers::Newton newton(space, {.relative_tolerance = 1e-10});
  const Vector u("App::u", space.num_dofs()), known("App::known", space.num_dofs()),
      before("App::before", space.num_dofs()); // u_2
  set_to_solution(mesh, 0, u);
  double error = 0;
  set_to_solution(mesh, -dt, before); // where no such state is known, the first step is one of backward Euler
  for (int n = 1; n <= steps; ++n) {
    const double t = n * dt;
    Kokkos::parallel_for(
        "App::known", Kokkos::RangePolicy<ExecutionSpace>(0, u.extent(0)), KOKKOS_LAMBDA(int i) {
          known(i) = (4 * u(i) - before(i)) / 3;
          before(i) = u(i);
        });
    space.constrain(mesh.node_set("xmin"), {g(t)}); // new values: graph and plans stay
    space.constrain(mesh.node_set("xmax"), {2 * g(t)});
    const auto form = tessera::weak_form(Conduction{g(t), std::cos(2 * t)});
    newton.solve(form.with_rate_from(known, 3 / (2 * dt)), u);
    error = std::max(error, largest_error(mesh, t, u));
  }
  return error;
}

int run() {
  const double coarse = error_of(16), fine = error_of(32), order = std::log2(coarse / fine);
  std::printf("errors %.2e with 16 steps, %.2e with 32: order %.2f\n", coarse, fine, order);
  return order > 1.8 && order < 2.2 && fine < 1e-3 ? 0 : 1;
}

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  try {
    return run();
  } catch (const tessera::Error& error) {
    std::cerr << "12_nonlinear_heat_in_time: " << error.what() << '\n';
    return 2;
  }
}
