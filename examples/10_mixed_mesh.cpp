// SPDX-License-Identifier: BSD-3-Clause
// 10: a bracket of hexahedra, wedges and tetrahedra that share nodes.
//
// An L of three unit cubes: hexahedra, beside them wedges, on these tetrahedra. Its far end is clamped, a
// pressure pushes its top down. The program is that of a mesh of one type: constraints and loads are said
// once, one form serves all blocks, one graph couples them. The supports must carry what the pressure
// brings, and the residual of the solution, computed without the matrix, must vanish.

#include <tessera/tessera.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <map>
#include <vector>

using ExecutionSpace = Kokkos::DefaultExecutionSpace;
using Parts = tessera::Blocks<tessera::Hex<1>, tessera::Wedge<1>, tessera::Tet<1>>;
using Mesh = tessera::MixedMesh<Parts, ExecutionSpace>;
using Vector = Kokkos::View<double*, ExecutionSpace>;

// Rows of a list on the device.
template <class View, class T, std::size_t N>
View to_device(const std::vector<std::array<T, N>>& rows) {
  const View view("App::rows", rows.size());
  const auto host = Kokkos::create_mirror_view(view);
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < N; ++j) host(i, j) = rows[i][j];
  Kokkos::deep_copy(view, host);
  return view;
}

// The L with n cells along an edge.
Mesh bracket(int n) {
  std::vector<std::array<double, 3>> x;
  std::map<std::array<int, 3>, int> numbers;
  const auto node = [&](int i, int j, int k) {
    const auto [known, is_new] = numbers.try_emplace({i, j, k}, static_cast<int>(x.size()));
    if (is_new) x.push_back({1.0 * i / n, 1.0 * j / n, 1.0 * k / n});
    return known->second;
  };
  std::vector<std::array<int, 8>> hexahedra;
  std::vector<std::array<int, 6>> wedges;
  std::vector<std::array<int, 4>> tetrahedra;
  for (int i = 0; i < 2 * n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < (i < n ? n : 2 * n); ++k) {
        const int a = node(i, j, k), b = node(i + 1, j, k), c = node(i + 1, j + 1, k), d = node(i, j + 1, k),
                  e = node(i, j, k + 1), f = node(i + 1, j, k + 1), g = node(i + 1, j + 1, k + 1),
                  h = node(i, j + 1, k + 1);
        if (i < n)
          hexahedra.push_back({a, b, c, d, e, f, g, h});
        else if (k < n)
          wedges.insert(wedges.end(), {{a, b, c, e, f, g}, {a, c, d, e, g, h}});
        else // six around the diagonal, whose triangles meet those of the wedges
          tetrahedra.insert(
              tetrahedra.end(),
              {{a, b, c, g}, {a, c, d, g}, {a, d, h, g}, {a, h, e, g}, {a, e, f, g}, {a, f, b, g}});
      }
  return Mesh(to_device<Mesh::Coordinates>(x),
              {to_device<tessera::Mesh<tessera::Hex<1>, ExecutionSpace>::Connectivity>(hexahedra), {}},
              {to_device<tessera::Mesh<tessera::Wedge<1>, ExecutionSpace>::Connectivity>(wedges), {}},
              {to_device<tessera::Mesh<tessera::Tet<1>, ExecutionSpace>::Connectivity>(tetrahedra), {}});
}

int run() {
  auto mesh = bracket(6);
  const auto boundary = boundary_sides(mesh);
  mesh.add_side_set("end", sides_where(mesh, boundary, [](const auto& x) { return x(0) < 1e-9; }));
  mesh.add_side_set("top", sides_where(mesh, boundary, [](const auto& x) { return x(2) > 2 - 1e-9; }));

  constexpr double pressure = 2e6;
  tessera::MixedSpace space(mesh, /*components=*/3);
  space.constrain(nodes_of_sides(mesh, mesh.side_set("end")), {0.0, 0.0, 0.0});
  space.add_pressure(mesh.side_set("top"), pressure);

  const tessera::LinearElasticity<3> steel{.young = 200e9, .poisson = 0.3};
  const tessera::LinearSystem<double, ExecutionSpace> system(space);
  auto plan = tessera::assembly::Best{}.plan(space, system.graph());
  plan.assemble(steel, system);
  std::printf("%s\n", plan.report().path.c_str());

  const ExecutionSpace exec;
  const auto& graph = system.graph();
  const tessera::solvers::CrsOperator<double, ExecutionSpace> matrix(exec, graph.row_map, graph.columns,
                                                                     system.values());
  const tessera::solvers::Multigrid multigrid(system, space);
  const Vector x("App::x", system.num_rows());
  const auto result = tessera::solvers::cg(exec, matrix, multigrid, system.rhs(), x);
  const Vector u = space.expand(x);

  // What the clamped end pushes up with.
  const Vector support = reactions(exec, steel, space, u);
  double lift = 0;
  Kokkos::parallel_reduce(
      "App::lift", Kokkos::RangePolicy<ExecutionSpace>(0, mesh.num_nodes()),
      KOKKOS_LAMBDA(int node, double& sum) { sum += support(3 * node + 2); }, lift);

  // What is left of the forces inside, by elements alone.
  const double lame = 200e9 * 0.3 / (1.3 * 0.4), shear = 200e9 / 2.6;
  const Vector r("App::r", u.extent(0));
  tessera::residual::RecomputingResidual{}.plan(space).integrate(
      tessera::HookeanSolid<3>{.lame = lame, .shear = shear}, u, r);
  double left = 0;
  Kokkos::parallel_reduce(
      "App::left", Kokkos::RangePolicy<ExecutionSpace>(0, static_cast<int>(r.extent(0))),
      KOKKOS_LAMBDA(int dof, double& most) { most = Kokkos::max(most, Kokkos::abs(r(dof))); },
      Kokkos::Max<double>(left));
  std::printf("%zu elements, %d iterations, supports carry %.6e N of %.6e N, %.1e N left\n",
              mesh.num_elements(), result.iterations, lift, pressure, left);
#ifdef TESSERA_HAVE_VTK
  tessera::io::write_vtu("mixed_mesh.vtu", mesh, {{"displacement", u}});
#endif
  return result.converged() && std::abs(lift - pressure) < 1e-6 * pressure && left < 1e-6 * pressure ? 0 : 1;
}

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  try {
    return run();
  } catch (const tessera::Error& error) {
    std::cerr << "10_mixed_mesh: " << error.what() << '\n';
    return 2;
  }
}
