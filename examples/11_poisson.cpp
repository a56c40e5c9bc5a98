// SPDX-License-Identifier: BSD-3-Clause
// 11: Poisson's equation in few lines, as docs/coming_from.md sets it beside other libraries.
//
//   -div grad u = 1 in the unit cube, u = 0 on its boundary: u = 0.0562 in the middle.
//
// Where VTK is, half of the solution is drawn to poisson.png.

#include <tessera/tessera.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdio>
#include <iostream>

using ExecutionSpace = Kokkos::DefaultExecutionSpace;
using Element = tessera::Hex<1>;
using Vector = Kokkos::View<double*, ExecutionSpace>;

Vector solve(const tessera::Mesh<Element, ExecutionSpace>& mesh) {
  tessera::FunctionSpace space(mesh, /*components=*/1);
  space.constrain(nodes_of_sides(mesh, boundary_sides(mesh)), {0.0});
  const tessera::LinearSystem<double, ExecutionSpace> system(space);
  auto plan = tessera::assembly::Best{}.plan(space, system.graph());
  plan.assemble(tessera::Heat{.sigma = 1.0, .source = 1.0}, system);
  const Vector x("App::x", system.num_rows());
  tessera::solvers::cg(system, x);
  return space.expand(x); // a value for each node
}

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  try {
    const auto mesh = tessera::io::box_mesh<Element, ExecutionSpace>({{16, 16, 16}, {1, 1, 1}});
    const Vector u = solve(mesh);
    double most = 0;
    Kokkos::parallel_reduce(
        "App::most", Kokkos::RangePolicy<ExecutionSpace>(0, mesh.num_nodes()),
        KOKKOS_LAMBDA(int node, double& largest) { largest = Kokkos::max(largest, u(node)); },
        Kokkos::Max<double>(most));
    std::printf("%.4f in the middle\n", most);
#ifdef TESSERA_HAVE_VTK
    tessera::io::draw_solution("poisson.png", mesh, {"u", u}, "", {.title = "half of a cube", .cut = true});
#endif
    return std::abs(most - 0.0562) < 0.0006 ? 0 : 1;
  } catch (const tessera::Error& error) {
    std::cerr << "11_poisson: " << error.what() << '\n';
    return 2;
  }
}
