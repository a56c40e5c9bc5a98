// SPDX-License-Identifier: BSD-3-Clause
// 03: Newton's method for a nonlinear weak form.
//
//   -div(k(u) grad u) = q in the unit cube, k(u) = 1 + u, u = 0 on two opposite faces.
//
// The physics is two pointwise functions. The residual, the Jacobian (by differentiation at the quadrature
// points; it is not symmetric) and Newton's method follow, and the mesh's plans are made once. The problem
// has a closed form: with U = u + u^2 / 2 it is -U'' = q, so that u = sqrt(1 + q x (1 - x)) - 1.

#include <tessera/tessera.hpp>

#include <Kokkos_Core.hpp>

#include <cstdio>
#include <iostream>

using ExecutionSpace = Kokkos::DefaultExecutionSpace;
using Element = tessera::Hex<2>;
using Vector = Kokkos::View<double*, ExecutionSpace>;

struct Conduction {
  double heat;
  static constexpr int components = 1;

  template <class Point>
  KOKKOS_FUNCTION auto f0(const Point&) const {
    return -heat;
  }
  template <class Point>
  KOKKOS_FUNCTION auto f1(const Point& p) const {
    return (1.0 + p.u) * p.grad_u;
  }
};

// Largest difference between u and the closed form at the nodes.
double error(const tessera::Mesh<Element, ExecutionSpace>& mesh, const Vector& u, double heat) {
  const auto x = mesh.coordinates();
  double largest = 0;
  Kokkos::parallel_reduce(
      "App::error", Kokkos::RangePolicy<ExecutionSpace>(0, mesh.num_nodes()),
      KOKKOS_LAMBDA(int n, double& most) {
        const double exact = Kokkos::sqrt(1 + heat * x(n, 0) * (1 - x(n, 0))) - 1;
        most = Kokkos::fmax(most, Kokkos::abs(u(n) - exact));
      },
      Kokkos::Max<double>(largest));
  return largest;
}

int run() {
  constexpr double heat = 12;
  const auto mesh = tessera::io::box_mesh<Element, ExecutionSpace>({{12, 3, 3}, {1.0, 1.0, 1.0}});
  tessera::FunctionSpace<Element, ExecutionSpace> space(mesh, /*components=*/1);
  space.constrain(mesh.node_set("xmin"), {0.0});
  space.constrain(mesh.node_set("xmax"), {0.0});

  const Vector u("App::u", space.num_dofs());
  tessera::solvers::Newton newton(space, {.relative_tolerance = 1e-12, .progress = &std::cout});
  const auto result = newton.solve(Conduction{heat}, u);
  const double largest = error(mesh, u, heat);
  std::printf("%d iterations, largest error %.1e\n", result.iterations(), largest);
  // Newton squares the error in each step; what is left is that of the elements.
  return result.converged() && result.iterations() <= 8 && largest < 1e-4 ? 0 : 1;
}

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  try {
    return run();
  } catch (const tessera::Error& error) {
    std::cerr << "03_newton: " << error.what() << '\n';
    return 2;
  }
}
