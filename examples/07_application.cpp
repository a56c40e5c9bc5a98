// SPDX-License-Identifier: BSD-3-Clause
// 07: what an application brings along: arrays of its own, a field by nodes, a linear solver of its own,
// numbers of equations of its own.
//
//   -div(k(x) (1 + u) grad u) = 0 in the unit square, u = 0 at the left edge, u = t at the right one, in
//   steps of the time t.
//
// The conductivity k = 1 + x comes as values at the nodes. With U = u + u^2 / 2 the problem is linear, so
// that U = U(1) log(1 + x) / log 2. docs/application.md explains the program part by part.

#include <tessera/tessera.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdio>
#include <iostream>
#include <vector>

using ExecutionSpace = Kokkos::DefaultExecutionSpace;
using Element = tessera::Quad<1>;
using Mesh = tessera::Mesh<Element, ExecutionSpace>;
using Space = tessera::FunctionSpace<Element, ExecutionSpace>;
using System = tessera::LinearSystem<double, ExecutionSpace>;
using Vector = Kokkos::View<double*, ExecutionSpace>;

// The application's mesh: an n x n grid in arrays of the host.
struct Grid {
  int n;
  std::vector<double> points;           // point x 2
  std::vector<tessera::Ordinal> cells;  // cell x 4, counterclockwise
  std::vector<tessera::Ordinal> heated; // the right edge, side x 2 points

  explicit Grid(int n) : n(n) {
    for (int j = 0; j <= n; ++j)
      for (int i = 0; i <= n; ++i) points.insert(points.end(), {double(i) / n, double(j) / n});
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        const int corner = j * (n + 1) + i;
        cells.insert(cells.end(), {corner, corner + 1, corner + n + 2, corner + n + 1});
        if (i == n - 1) heated.insert(heated.end(), {corner + 1, corner + n + 2});
      }
  }
};

// Views without management of the application's arrays, rows by points or cells, copied to where kernels run.
template <class To, class T>
To to_device(const char* label, const std::vector<T>& values, int columns) {
  using Array = Kokkos::View<const T**, Kokkos::LayoutRight, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  const Array array(values.data(), values.size() / columns, columns);
  const To view(label, array.extent(0));
  const auto host = Kokkos::create_mirror_view(view);
  for (std::size_t i = 0; i < array.extent(0); ++i)
    for (int k = 0; k < columns; ++k) host(i, k) = array(i, k);
  Kokkos::deep_copy(view, host);
  return view;
}

Mesh make_mesh(const Grid& grid) {
  Mesh mesh(to_device<Mesh::Coordinates>("App::coordinates", grid.points, 2),
            to_device<Mesh::Connectivity>("App::connectivity", grid.cells, 4));
  using Faces = Kokkos::View<tessera::Ordinal* [2], ExecutionSpace>;
  mesh.add_side_set("heated", tessera::sides_of_faces(mesh, to_device<Faces>("App::faces", grid.heated, 2)));
  return mesh;
}

// The physics: k is field 0, of one component.
struct Conduction {
  static constexpr int components = 1;
  template <class Point>
  KOKKOS_FUNCTION auto f1(const Point& p) const {
    return p.template a<0>() * (1.0 + p.u) * p.grad_u;
  }
};

// The application's linear solver: the Jacobian is not symmetric. It throws where it cannot go on.
struct OwnSolver {
  auto operator()(const ExecutionSpace& exec, const System& system, const Vector& x) const {
    namespace solvers = tessera::solvers;
    const solvers::CgOptions options{.relative_tolerance = 1e-12};
#ifdef TESSERA_HAVE_KOKKOSKERNELS
    const auto& graph = system.graph();
    const solvers::CrsOperator<double, ExecutionSpace> matrix(exec, graph.row_map, graph.columns,
                                                              system.values());
    const solvers::IncompleteLu<double, ExecutionSpace> lu(system);
    const auto result = solvers::bicgstab(exec, matrix, lu, system.rhs(), x, options);
#else
    const auto result = solvers::bicgstab(exec, system, x, options);
#endif
    if (!result.converged()) throw tessera::SolverError("OwnSolver: not converged");
    return result; // its `iterations` go into Newton's report
  }
};

// Largest difference from the closed form at the nodes.
double error(const Mesh& mesh, const Vector& u, double t) {
  const auto x = mesh.coordinates();
  const double right = (t + t * t / 2) / std::log(2.0);
  double largest = 0;
  Kokkos::parallel_reduce(
      "App::error", Kokkos::RangePolicy<ExecutionSpace>(0, mesh.num_nodes()),
      KOKKOS_LAMBDA(int n, double& most) {
        const double exact = Kokkos::sqrt(1 + 2 * right * Kokkos::log(1 + x(n, 0))) - 1;
        most = tessera::worse_of(most, Kokkos::abs(u(n) - exact));
      },
      Kokkos::Max<double>(largest));
  return largest;
}

// Sum of all entries of a matrix.
double sum_of(const Vector& values) {
  double sum = 0;
  Kokkos::parallel_reduce(
      "App::sum", Kokkos::RangePolicy<ExecutionSpace>(0, values.extent(0)),
      KOKKOS_LAMBDA(int k, double& all) { all += values(k); }, sum);
  return sum;
}

// The matrix of heat conduction in the application's numbers, cell x 4 corners: the points backwards, none at
// the right edge. It has the entries of the library's, elsewhere.
bool agrees_in_own_numbers(const Grid& grid, const Mesh& mesh) {
  const int points = (grid.n + 1) * (grid.n + 1);
  std::vector<tessera::Ordinal> numbers;
  for (const tessera::Ordinal point : grid.cells)
    numbers.push_back(point % (grid.n + 1) == grid.n ? -1 : points - 1 - point);
  const auto own_table = to_device<Mesh::Connectivity>("App::equations", numbers, 4);

  Space space(mesh, /*components=*/1);
  const tessera::EquationTable<ExecutionSpace> table(space, own_table, points);
  table.constrain(space);
  const System system(space);
  const auto plan = tessera::make_assembly("Best", space, system.graph());
  plan->assemble(tessera::Helmholtz<>{}, system);
  const tessera::RenumberedSystem<double, ExecutionSpace> own(table, system);
  std::printf("%d equations of %d in the application's numbers\n", system.num_rows(), own.num_rows());
  return std::abs(sum_of(own.values()) - sum_of(system.values())) < 1e-10;
}

int run() {
  const Grid grid(32);
  const Mesh mesh = make_mesh(grid);
  const auto x = mesh.coordinates();
  const Vector conductivity("App::conductivity", mesh.num_nodes());
  Kokkos::parallel_for(
      "App::conductivity", Kokkos::RangePolicy<ExecutionSpace>(0, mesh.num_nodes()),
      KOKKOS_LAMBDA(int n) { conductivity(n) = 1 + x(n, 0); });
  const auto form = tessera::weak_form(Conduction{}, tessera::NodalField<1, ExecutionSpace>{conductivity});

  Space space(mesh, /*components=*/1);
  const auto heated = tessera::nodes_of_sides(mesh, mesh.side_set("heated"));
  const Kokkos::View<tessera::Ordinal*, ExecutionSpace> cooled("App::cooled", heated.extent(0));
  const auto columns = static_cast<int>(heated.extent(0));
  Kokkos::parallel_for(
      "App::cooled", Kokkos::RangePolicy<ExecutionSpace>(0, columns),
      KOKKOS_LAMBDA(int j) { cooled(j) = j * columns; });
  space.constrain(cooled, {0.0});
  space.constrain(heated, {0.0});

  const Vector u("App::u", space.num_dofs());
  tessera::solvers::Newton newton(space, {.relative_tolerance = 1e-10});
  double worst = 0;
  for (const double t : {0.5, 1.0, 1.5}) {
    space.constrain(heated, {t}); // new values: graph and plans stay
    const auto result = newton.solve(form, u, OwnSolver{});
    worst = std::max(worst, error(mesh, u, t));
    std::printf("t = %.1f: %d iterations, error %.1e\n", t, result.iterations(), error(mesh, u, t));
  }
  std::printf("derivatives agree to %.1e\n", tessera::check_jacobian(form, space, u));
  return worst < 1e-4 && agrees_in_own_numbers(grid, mesh) ? 0 : 1;
}

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  try {
    return run();
  } catch (const tessera::Error& error) {
    std::cerr << "07_application: " << error.what() << '\n';
    return 2;
  }
}
