// SPDX-License-Identifier: BSD-3-Clause
// 06: a block of rubber, twisted.
//
// Large strains of a compressible neo-Hookean body: one face of a unit block is held, the opposite one is
// turned by 60 degrees in four load steps. The material is tessera::NeoHookean, 20 lines of physics; its
// residual goes from nodal vector to nodal vector without a matrix, its Jacobian is assembled and solved by
// conjugate gradients. Where VTK is, the deformed block is drawn to twisted_block.png and written to
// twisted_block.vtu.

#include <tessera/tessera.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdio>
#include <iostream>

using ExecutionSpace = Kokkos::DefaultExecutionSpace;
using Element = tessera::Hex<1>;
using Vector = Kokkos::View<double*, ExecutionSpace>;
using Space = tessera::FunctionSpace<Element, ExecutionSpace>;

// Prescribes the face z = 1, turned by an angle about the block's axis.
void turn(Space& space, double angle) {
  const auto nodes = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), space.mesh().node_set("zmax"));
  const auto x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), space.mesh().coordinates());
  const double c = std::cos(angle), s = std::sin(angle);
  for (std::size_t i = 0; i < nodes.extent(0); ++i) {
    const double dx = x(nodes(i), 0) - 0.5, dy = x(nodes(i), 1) - 0.5;
    space.constrain(nodes(i), 0, c * dx - s * dy - dx);
    space.constrain(nodes(i), 1, s * dx + c * dy - dy);
    space.constrain(nodes(i), 2, 0.0);
  }
}

// The moment about the axis that the turned face needs, from the residual without constraints.
double moment(const tessera::Mesh<Element, ExecutionSpace>& mesh, const tessera::NeoHookean<3>& rubber,
              const Vector& u) {
  const Space free(mesh, 3);
  const Vector r("App::r", u.extent(0));
  tessera::residual::RecomputingResidual{}.plan(free).integrate(rubber, u, r);
  const auto nodes = mesh.node_set("zmax");
  const auto x = mesh.coordinates();
  double sum = 0;
  Kokkos::parallel_reduce(
      "App::moment", Kokkos::RangePolicy<ExecutionSpace>(0, nodes.extent(0)),
      KOKKOS_LAMBDA(int i, double& partial) {
        const int n = nodes(i);
        partial += (x(n, 0) + u(3 * n) - 0.5) * r(3 * n + 1) - (x(n, 1) + u(3 * n + 1) - 0.5) * r(3 * n);
      },
      sum);
  return sum;
}

int run() {
  const auto mesh = tessera::io::box_mesh<Element, ExecutionSpace>({{6, 6, 6}, {1.0, 1.0, 1.0}});
  Space space(mesh, /*components=*/3);
  space.constrain(mesh.node_set("zmin"), {0.0, 0.0, 0.0});
  turn(space, 0.0);

  const tessera::NeoHookean<3> rubber{.shear = 1.0, .lame = 2.0};
  const Vector u("App::u", space.num_dofs());
  tessera::solvers::Newton newton(space, {.relative_tolerance = 1e-10, .progress = &std::cout});
  double last = 0;
  bool stiffens = true;
  constexpr int steps = 4;
  for (int step = 1; step <= steps; ++step) {
    turn(space, step * (M_PI / 3) / steps);
    const auto result = newton.solve(rubber, u); // throws with the cell where it cannot go on
    const double needed = moment(mesh, rubber, u);
    std::printf("%2d degrees: %d iterations, moment %.4f\n", 60 * step / steps, result.iterations(), needed);
    stiffens = stiffens && result.converged() && needed > last;
    last = needed;
  }
#ifdef TESSERA_HAVE_VTK
  tessera::io::write_vtu("twisted_block.vtu", mesh, {{"displacement", u}});
  tessera::io::draw_solution("twisted_block.png", mesh, {"displacement", u}, "",
                             {.title = "a neo-Hookean block turned by 60 degrees"});
#endif
  return stiffens ? 0 : 1;
}

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  try {
    return run();
  } catch (const tessera::Error& error) {
    std::cerr << "06_twisted_block: " << error.what() << '\n';
    return 2;
  }
}
