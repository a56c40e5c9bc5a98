// SPDX-License-Identifier: BSD-3-Clause
// 14: two fields, the velocities and the pressure of a slow flow through a channel.
//
//   -viscosity lap u + grad p = 0, div u = 0 in a channel of length 2 and height 1, u = 0 at the walls, a
//   parabola at the inlet, no forces at the outlet.
//
// Velocities are of second order on triangles, the pressure is linear (Taylor and Hood's pair): components of
// one space on one mesh. The matrix is symmetric and not definite; GMRES solves it with a preconditioner that
// has multigrid for each field. The flow is Poiseuille's, u = 4 y (1 - y), p = 8 viscosity (2 - x), which
// this pair has without an error.

#include <tessera/core/forms/stokes.hpp>
#include <tessera/solvers/fields/stokes_preconditioner.hpp>
#include <tessera/solvers/gmres.hpp>
#include <tessera/tessera.hpp>

#include <Kokkos_Core.hpp>

#include <cstdio>
#include <iostream>

using ExecutionSpace = Kokkos::DefaultExecutionSpace;
using Element = tessera::Tri<2>;
using Vector = Kokkos::View<double*, ExecutionSpace>;
using Mesh = tessera::Mesh<Element, ExecutionSpace>;
using Space = tessera::FunctionSpace<Element, ExecutionSpace>;

// Two velocities, and the pressure as a linear component.
Space make_space(const Mesh& mesh) {
  Space space(mesh, {.components = 3, .linear_components = 1});
  for (const char* wall : {"ymin", "ymax"})
    for (const int axis : {0, 1}) space.constrain(mesh.node_set(wall), axis, 0.0);
  const auto inlet = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mesh.node_set("xmin"));
  const auto x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mesh.coordinates());
  for (std::size_t i = 0; i < inlet.extent(0); ++i) {
    const double y = x(inlet(i), 1);
    space.constrain(inlet(i), 0, 4 * y * (1 - y));
    space.constrain(inlet(i), 1, 0.0);
  }
  return space;
}

// Node x (two velocities, pressure).
Vector solve(const Space& space, double viscosity) {
  const ExecutionSpace exec;
  const tessera::Stokes<2> form{.viscosity = viscosity};
  const tessera::LinearSystem<double, ExecutionSpace> system(space);
  tessera::assembly::ElementAtomic{}.plan(space, system.graph()).assemble(form, system);
  const auto preconditioner = tessera::solvers::stokes_preconditioner(exec, form, space, system);
  const tessera::solvers::CrsOperator<double, ExecutionSpace> matrix(exec, system.graph().row_map,
                                                                     system.graph().columns, system.values());
  const Vector x("App::x", system.num_rows());
  const auto result = tessera::solvers::gmres(exec, matrix, preconditioner, system.rhs(), x,
                                              {.relative_tolerance = 1e-10}, /*cycle=*/100);
  std::printf("%d equations, %d iterations\n", system.num_rows(), result.iterations);
  return space.expand(x);
}

double largest_error(const Mesh& mesh, double viscosity, const Vector& u) {
  const auto x = mesh.coordinates();
  double largest = 0;
  Kokkos::parallel_reduce(
      "App::error", Kokkos::RangePolicy<ExecutionSpace>(0, mesh.num_nodes()),
      KOKKOS_LAMBDA(int n, double& most) {
        const double y = x(n, 1), pressure = 8 * viscosity * (2 - x(n, 0));
        const double errors[] = {u(3 * n) - 4 * y * (1 - y), u(3 * n + 1), u(3 * n + 2) - pressure};
        for (const double error : errors) most = tessera::worse_of(most, Kokkos::abs(error)); // NaN counts
      },
      Kokkos::Max<double>(largest));
  return largest;
}

int run() {
  constexpr double viscosity = 0.5;
  const auto mesh = tessera::io::box_mesh<Element, ExecutionSpace>({{16, 8, 1}, {2.0, 1.0, 1.0}});
  const double error = largest_error(mesh, viscosity, solve(make_space(mesh), viscosity));
  std::printf("largest error of velocities and pressure %.1e\n", error);
  return error < 1e-6 ? 0 : 1;
}

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  try {
    return run();
  } catch (const tessera::Error& error) {
    std::cerr << "14_channel_flow: " << error.what() << '\n';
    return 2;
  }
}
