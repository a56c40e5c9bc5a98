// SPDX-License-Identifier: BSD-3-Clause
// 01: from an application's own Kokkos views to a matrix, all on the device.
//
// An application keeps its mesh in views of its own, in its own layout. This example makes such views by a
// kernel, hands them to Tessera, and gets the CRS matrix and the right-hand side back where they were
// computed: nothing of the mesh or the matrix passes through the host. It solves a heat problem whose answer
// is known and checks it.
//
//   -div(grad u) = 0 in the unit square, u = 0 at the left edge, flux 2 into the right edge: u = 2 x.

#include <tessera/tessera.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdio>
#include <iostream>

using ExecutionSpace = Kokkos::DefaultExecutionSpace;
using Element = tessera::Quad<1>;
using Mesh = tessera::Mesh<Element, ExecutionSpace>;

// What the application has: points and cells by columns, as its own kernels like them.
struct OwnMesh {
  Kokkos::View<double**, Kokkos::LayoutLeft, ExecutionSpace> points; // point x 2
  Kokkos::View<int**, Kokkos::LayoutLeft, ExecutionSpace> cells;     // cell x 4, counterclockwise
};

OwnMesh make_own_mesh(int n) {
  OwnMesh own{decltype(OwnMesh::points)("App::points", (n + 1) * (n + 1), 2),
              decltype(OwnMesh::cells)("App::cells", n * n, 4)};
  const auto points = own.points;
  const auto cells = own.cells;
  Kokkos::parallel_for(
      "App::points", Kokkos::RangePolicy<ExecutionSpace>(0, (n + 1) * (n + 1)), KOKKOS_LAMBDA(int p) {
        points(p, 0) = static_cast<double>(p % (n + 1)) / n;
        points(p, 1) = static_cast<double>(p / (n + 1)) / n;
      });
  Kokkos::parallel_for(
      "App::cells", Kokkos::RangePolicy<ExecutionSpace>(0, n * n), KOKKOS_LAMBDA(int c) {
        const int corner = c % n + (n + 1) * (c / n);
        cells(c, 0) = corner;
        cells(c, 1) = corner + 1;
        cells(c, 2) = corner + n + 2;
        cells(c, 3) = corner + n + 1;
      });
  return own;
}

// Tessera's views have its element's extents and layouts. A deep_copy between layouts on the device is all it
// takes; views that are laid out so already are shared instead, without a copy.
Mesh make_mesh(const OwnMesh& own) {
  const Mesh::Coordinates coordinates("App::coordinates", own.points.extent(0));
  const Mesh::Connectivity connectivity("App::connectivity", own.cells.extent(0));
  Kokkos::deep_copy(ExecutionSpace(), coordinates, own.points);
  Kokkos::deep_copy(ExecutionSpace(), connectivity, own.cells);
  return Mesh(coordinates, connectivity);
}

// The left edge's nodes and the right edge's sides, for an n x n mesh.
void add_edges(Mesh& mesh, int n) {
  const Mesh::NodeSet left("App::left", n + 1);
  const Mesh::SideSet right("App::right", n);
  Kokkos::parallel_for(
      "App::edges", Kokkos::RangePolicy<ExecutionSpace>(0, n + 1), KOKKOS_LAMBDA(int i) {
        left(i) = i * (n + 1);
        if (i < n) {
          right(i, 0) = i * n + n - 1; // the element
          right(i, 1) = 1;             // its side from node 1 to node 2
        }
      });
  mesh.add_node_set("left", left);
  mesh.add_side_set("right", right);
}

int run() {
  constexpr int n = 40;
  const ExecutionSpace exec;
  Mesh mesh = make_mesh(make_own_mesh(n));
  add_edges(mesh, n);

  tessera::FunctionSpace<Element, ExecutionSpace> space(mesh, /*components=*/1);
  space.constrain(mesh.node_set("left"), {0.0});
  space.add_load(mesh.side_set("right"), {2.0});
  const tessera::LinearSystem<double, ExecutionSpace> system(space);
  auto plan = tessera::assembly::Best{}.plan(exec, space, system.graph());
  plan.assemble(tessera::Heat{.sigma = 1.0}, system);

  // The application's part: the arrays of the matrix are plain views. Here it multiplies by the known
  // solution.
  const auto row_map = system.graph().row_map;
  const auto columns = system.graph().columns;
  const auto values = system.values();
  const auto rhs = system.rhs();
  const Kokkos::View<double*, ExecutionSpace> exact("App::exact", system.num_rows());
  Kokkos::parallel_for(
      "App::exact", Kokkos::RangePolicy<ExecutionSpace>(0, system.num_rows()), KOKKOS_LAMBDA(int row) {
        exact(row) = 2.0 * (row % n + 1) / n; // the left column of nodes has no equations
      });
  double residual = 0;
  Kokkos::parallel_reduce(
      "App::residual", Kokkos::RangePolicy<ExecutionSpace>(0, system.num_rows()),
      KOKKOS_LAMBDA(int row, double& largest) {
        double sum = -rhs(row);
        for (auto k = row_map(row); k < row_map(row + 1); ++k) sum += values(k) * exact(columns(k));
        largest = tessera::worse_of(largest, Kokkos::abs(sum)); // NaN counts
      },
      Kokkos::Max<double>(residual));
  std::printf("%d equations, %zu entries; residual of the known solution %.1e\n", system.num_rows(),
              static_cast<std::size_t>(system.graph().num_entries()), residual);
  return residual < 1e-12 ? 0 : 1;
}

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  try {
    return run();
  } catch (const tessera::Error& error) {
    std::cerr << "01_own_views: " << error.what() << '\n';
    return 2;
  }
}
