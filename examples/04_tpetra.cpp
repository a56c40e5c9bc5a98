// SPDX-License-Identifier: BSD-3-Clause
// 04: an application of several processes on Trilinos, which has a Tpetra map of its nodes and Kokkos views.
//
// A cantilever bends under its own weight. Each rank has the elements of a slab and their nodes, as the
// application left them. `assembled` takes them to a matrix of Tpetra's without a message in any assembly:
// tessera::distributed finds the ghosts, whichever strategy of the catalogue the command line names assembles
// the rows of the rank's own nodes whole, and Tpetra sees them where they are. Belos solves by conjugate
// gradients with MueLu's multigrid, and with Tessera's on each rank. The first rank solves the whole problem
// alone, without Trilinos, and the answers must agree.
//
//   mpiexec -n 4 04_tpetra [strategy...]

#include <tessera/core/elements/elements.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/forms/linear_elasticity.hpp>
#include <tessera/core/space/function_space.hpp>
#include <tessera/distributed/mesh/make_mesh.hpp>
#include <tessera/distributed/tpetra/belos.hpp>
#include <tessera/distributed/tpetra/muelu.hpp>
#include <tessera/distributed/tpetra/multigrid.hpp>
#include <tessera/distributed/tpetra/system.hpp>
#include <tessera/io/generate/box.hpp>
#include <tessera/solvers/solve.hpp>
#include <tessera/strategies/catalogue/any_assembly.hpp>

#include <Kokkos_Core.hpp>

#include <Tpetra_Core.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <exception>
#include <iostream>
#include <mpi.h>
#include <string>
#include <vector>

namespace distributed = tessera::distributed;
using Teuchos::RCP;
using Teuchos::rcp;

using ExecutionSpace = Tpetra::Map<>::node_type::execution_space;
using Element = tessera::Hex<1>;
using LocalMesh = tessera::Mesh<Element, ExecutionSpace>;
using Types = distributed::TpetraTypes<ExecutionSpace>;
using System = distributed::TpetraSystem<ExecutionSpace>;
using HostVector = Kokkos::View<double*, Kokkos::HostSpace>;

// Lengths in m, Young's modulus in MPa, force per volume in MN/m^3: steel under its weight.
const tessera::LinearElasticity<3> steel{.young = 200e3, .poisson = 0.3, .body_force = {0, 0, -0.077}};
const std::array<int, 3> cells{40, 8, 8};
const tessera::io::Box cantilever{{cells[0], cells[1], cells[2]}, {5.0, 1.0, 1.0}};

// What the application has on a rank: its elements, and all their nodes, some of them on other ranks too.
struct Application {
  RCP<const Types::Map> nodes;
  LocalMesh::Coordinates coordinates;
  LocalMesh::Connectivity connectivity; // in the rank's own numbers of nodes
  LocalMesh::NodeSet clamped;
  Kokkos::View<std::int64_t*, Kokkos::HostSpace> elements; // their numbers among those of all ranks
};

// The problem of one rank, from the application's views to the assembled matrix.
struct Problem {
  distributed::Mesh<Element, ExecutionSpace> mesh;
  tessera::FunctionSpace<Element, ExecutionSpace> space;
  System system;
};

distributed::Mesh<Element, ExecutionSpace> mesh_of(const Application& app) {
  LocalMesh piece(app.coordinates, app.connectivity);
  piece.add_node_set("clamped", app.clamped);
  return distributed::make_mesh(ExecutionSpace(), MPI_COMM_WORLD, piece,
                                app.nodes->getMyGlobalIndicesDevice(), app.elements);
}

tessera::FunctionSpace<Element, ExecutionSpace> space_of(const LocalMesh& mesh) {
  // Constrained rows stay: equation = 3 node + component, on every rank.
  tessera::FunctionSpace<Element, ExecutionSpace> space(mesh, 3, tessera::ConstraintTreatment::zeroed);
  space.constrain(mesh.node_set("clamped"), {0.0, 0.0, 0.0}); // ghosts too: the mesh has completed the set
  return space;
}

Problem make_problem(const Application& app) {
  const auto mesh = mesh_of(app);
  const auto space = space_of(mesh.local());
  return {mesh, space, System(mesh, space)};
}

// As often as needed, without a message: system.matrix() and system.rhs() follow.
void assemble(const Problem& problem, const std::string& strategy) {
  const auto plan = tessera::make_assembly(strategy, problem.space, problem.system.local().graph());
  plan->assemble(steel, problem.system.local());
}

// The slab of a rank. Nodes are numbered along x first.
Application slab(int rank, int ranks) {
  const int begin = cells[0] * rank / ranks, end = cells[0] * (rank + 1) / ranks;
  const int columns = end - begin + 1, rows = cells[1] + 1, layers = cells[2] + 1;
  const auto local = [&](int i, int j, int k) { return i - begin + columns * (j + rows * k); };
  std::vector<Types::GlobalNumber> numbers;
  Application app;
  app.coordinates = LocalMesh::Coordinates("App::coordinates", begin < end ? columns * rows * layers : 0);
  app.connectivity = LocalMesh::Connectivity("App::connectivity", (end - begin) * cells[1] * cells[2]);
  app.clamped = LocalMesh::NodeSet("App::clamped", begin == 0 && begin < end ? rows * layers : 0);
  app.elements = decltype(app.elements)("App::elements", app.connectivity.extent(0));
  const auto x = Kokkos::create_mirror_view(app.coordinates);
  const auto nodes = Kokkos::create_mirror_view(app.connectivity);
  const auto clamped = Kokkos::create_mirror_view(app.clamped);
  for (int k = 0, n = 0, c = 0; k < layers && begin < end; ++k)
    for (int j = 0; j < rows; ++j)
      for (int i = begin; i <= end; ++i, ++n) {
        const std::array<int, 3> at{i, j, k};
        for (std::size_t d = 0; d < 3; ++d) x(n, d) = cantilever.lengths[d] * at[d] / cells[d];
        if (i == 0) clamped(c++) = n;
        numbers.push_back(i + (cells[0] + 1) * (j + rows * k));
      }
  for (int k = 0, e = 0; k < cells[2]; ++k)
    for (int j = 0; j < cells[1]; ++j)
      for (int i = begin; i < end; ++i, ++e) {
        app.elements(e) = i + cells[0] * (j + cells[1] * k);
        const int corners[4][2] = {{i, j}, {i + 1, j}, {i + 1, j + 1}, {i, j + 1}};
        for (int n = 0; n < 8; ++n) nodes(e, n) = local(corners[n % 4][0], corners[n % 4][1], k + n / 4);
      }
  Kokkos::deep_copy(app.coordinates, x);
  Kokkos::deep_copy(app.connectivity, nodes);
  Kokkos::deep_copy(app.clamped, clamped);
  app.nodes = rcp(new Types::Map(Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid(),
                                 Teuchos::arrayViewFromVector(numbers), 0, Tpetra::getDefaultComm()));
  return app;
}

// The whole problem by one process and by Tessera alone.
HostVector reference() {
  auto whole = tessera::io::box_mesh<Element, ExecutionSpace>(cantilever);
  whole.add_node_set("clamped", whole.node_set("xmin"));
  const auto space = space_of(whole);
  const tessera::LinearSystem<double, ExecutionSpace> system(space);
  tessera::make_assembly("ElementAtomic", space, system.graph())->assemble(steel, system);
  const Kokkos::View<double*, ExecutionSpace> x("App::x", system.num_rows());
  if (!tessera::solvers::cg(system, x, {.relative_tolerance = 1e-10}).converged())
    throw tessera::SolverError("the reference did not converge");
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
}

// Largest difference over the largest displacement, on the first rank.
double difference(const Types::Vector& x, const HostVector& expected) {
  const auto comm = x.getMap()->getComm();
  const auto first =
      rcp(new Types::Map(x.getGlobalLength(), comm->getRank() == 0 ? x.getGlobalLength() : 0, 0, comm));
  Types::Vector gathered(first);
  gathered.doImport(x, Types::Import(x.getMap(), first), Tpetra::INSERT);
  const auto values = gathered.getLocalViewHost(Tpetra::Access::ReadOnly);
  double largest = 0, scale = 0;
  for (std::size_t i = 0; i < expected.extent(0); ++i) {
    largest = tessera::worse_of(largest, std::abs(values(i, 0) - expected(i)));
    scale = std::max(scale, std::abs(expected(i)));
  }
  return comm->getRank() == 0 ? largest / scale : 0;
}

bool solves(const Problem& problem, const RCP<Types::Operator>& preconditioner, const std::string& what,
            const HostVector& expected) {
  const auto x = problem.system.make_vector();
  const auto result = distributed::belos_cg<ExecutionSpace>(
      problem.system.matrix(), problem.system.rhs(), x.owned, preconditioner,
      {.relative_tolerance = 1e-10, .max_iterations = 200});
  const double error = difference(*x.owned, expected);
  if (problem.system.ranks().rank() == 0)
    std::printf("%d ranks, %s: %zu equations, %d iterations, differs from one rank's answer by %.1e\n",
                problem.system.ranks().size(), what.c_str(), x.owned->getGlobalLength(), result.iterations,
                error);
  return result.converged && error < 1e-9;
}

bool run(const std::vector<std::string>& strategies) {
  const auto comm = Tpetra::getDefaultComm();
  const Problem problem = make_problem(slab(comm->getRank(), comm->getSize()));
  const HostVector expected = comm->getRank() == 0 ? reference() : HostVector();
  bool agrees = true;
  for (const auto& strategy : strategies) {
    assemble(problem, strategy);
    agrees &=
        solves(problem, distributed::muelu(problem.system, problem.mesh), strategy + ", MueLu", expected);
  }
  const auto multigrid = rcp(new distributed::TpetraMultigrid<ExecutionSpace>(problem.system, problem.mesh));
  return solves(problem, multigrid, "Tessera's multigrid", expected) && agrees;
}

int main(int argc, char** argv) {
  const Tpetra::ScopeGuard tpetra(&argc, &argv); // MPI and Kokkos
  try {
    const std::vector<std::string> strategies(argv + 1, argv + argc);
    return run(strategies.empty() ? std::vector<std::string>{"RowOwner"} : strategies) ? 0 : 1;
  } catch (
      const std::exception& error) { // of Tessera and of Trilinos; the other ranks must not wait for this one
    std::cerr << "04_tpetra: " << error.what() << std::endl;
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
}
