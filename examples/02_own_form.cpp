// SPDX-License-Identifier: BSD-3-Clause
// 02: a form of one's own, in one's own file.
//
//   -div(a(x) grad u) + b . grad u + c u = f, with diffusion a(x) = 1 + x, advection b = (1, 2) and reaction
//   c = 3.
//
// The equation is written once, as what its residual tests by functions and by gradients at one point; its
// Jacobian is a form, and every strategy can assemble it, on every element and backend. This one is not
// symmetric: it says so, and the element matrices are then computed whole. The right-hand side belongs to
// u = x^2 + y, which second-order elements hold exactly: K u - f must vanish to rounding, and it must do so
// for strategies that have nothing in common.

#include <tessera/tessera.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdio>
#include <iostream>
#include <string>

using ExecutionSpace = Kokkos::DefaultExecutionSpace;
using Element = tessera::Tri<2>;

// The residual at a point: f0 is tested by functions, f1 by their gradients.
struct DiffusionAdvectionReaction {
  double reaction = 3;

  static constexpr int components = 1;
  static constexpr bool symmetric = false;
  // a and f are linear in x: one degree more than the mass matrix needs.
  template <class AnyElement>
  static constexpr int degree = 2 * AnyElement::order + 1;

  template <class Point>
  KOKKOS_FUNCTION auto f0(const Point& p) const {
    const auto x = p.position(0), y = p.position(1);
    // -div((1 + x) (2 x, 1)) + (1, 2) . (2 x, 1) + c (x^2 + y)
    const auto source = -2.0 * x + reaction * (x * x + y);
    return p.grad_u(0) + 2.0 * p.grad_u(1) + reaction * p.u - source;
  }
  template <class Point>
  KOKKOS_FUNCTION auto f1(const Point& p) const {
    return (1.0 + p.position(0)) * p.grad_u;
  }
};

// Largest entry of K u - f for the nodal values of u.
template <class Strategy>
double residual(const Strategy& strategy, const tessera::FunctionSpace<Element, ExecutionSpace>& space) {
  const tessera::LinearSystem<double, ExecutionSpace> system(space);
  auto plan = strategy.plan(space, system.graph());
  // Of a linear equation, the Jacobian at any state is the matrix, and its load the right-hand side.
  const Kokkos::View<double*, ExecutionSpace> anywhere("App::anywhere", space.num_dofs());
  plan.assemble(tessera::jacobian(DiffusionAdvectionReaction{}, space.mesh(), anywhere), system);

  // Interior equations only: at the sides the flux a n.grad u would be a load.
  const auto x = space.mesh().coordinates();
  const auto row_map = system.graph().row_map;
  const auto columns = system.graph().columns;
  const auto values = system.values();
  const auto rhs = system.rhs();
  double largest = 0;
  Kokkos::parallel_reduce(
      "App::residual", Kokkos::RangePolicy<ExecutionSpace>(0, system.num_rows()),
      KOKKOS_LAMBDA(int row, double& most) {
        const bool inside =
            x(row, 0) > 1e-9 && x(row, 0) < 1 - 1e-9 && x(row, 1) > 1e-9 && x(row, 1) < 1 - 1e-9;
        double sum = -rhs(row);
        for (auto k = row_map(row); k < row_map(row + 1); ++k)
          sum += values(k) * (x(columns(k), 0) * x(columns(k), 0) + x(columns(k), 1));
        if (inside) most = tessera::worse_of(most, Kokkos::abs(sum));
      },
      Kokkos::Max<double>(largest));
  std::printf("%-16s residual %.1e\n", Strategy::name, largest);
  return largest;
}

int run() {
  const auto mesh = tessera::io::box_mesh<Element, ExecutionSpace>({{20, 20}, {1.0, 1.0}});
  const tessera::FunctionSpace<Element, ExecutionSpace> space(mesh, /*components=*/1);
  const double largest = std::max({residual(tessera::assembly::ElementAtomic{}, space),
                                   residual(tessera::assembly::ElementLocal{}, space),
                                   residual(tessera::assembly::NzGlobal{.symmetric = false}, space)});
  return largest < 1e-12 ? 0 : 1;
}

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  try {
    return run();
  } catch (const tessera::Error& error) {
    std::cerr << "02_own_form: " << error.what() << '\n';
    return 2;
  }
}
