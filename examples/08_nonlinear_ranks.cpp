// SPDX-License-Identifier: BSD-3-Clause
// 08: Newton's method over several processes, on Tpetra and Belos.
//
//   -div(k(u) grad u) = q in a bar, k(u) = 1 + u, u = 0 at its ends: the problem of 03, whose closed form is
//   u = sqrt(1 + q x (1 - x)) - 1.
//
// Each rank makes its own part of the mesh. A step of Newton's method exchanges the values of ghosts once;
// the residual and the Jacobian of the rank's own nodes are whole then, without another message. Belos solves
// by GMRES, for the Jacobian is not symmetric.
//
//   mpiexec -n 4 08_nonlinear_ranks

#include <tessera/core/elements/elements.hpp>
#include <tessera/core/space/function_space.hpp>
#include <tessera/core/weak_form/jacobian.hpp>
#include <tessera/core/weak_form/weak_form.hpp>
#include <tessera/distributed/mesh/box.hpp>
#include <tessera/distributed/node_exchange.hpp>
#include <tessera/distributed/tpetra/belos.hpp>
#include <tessera/distributed/tpetra/muelu.hpp>
#include <tessera/distributed/tpetra/system.hpp>
#include <tessera/strategies/assembly/element_atomic.hpp>
#include <tessera/strategies/residual/recomputing_residual.hpp>

#include <Kokkos_Core.hpp>

#include <Tpetra_Core.hpp>
#include <cstdio>
#include <exception>
#include <iostream>
#include <mpi.h>

namespace distributed = tessera::distributed;
using ExecutionSpace = Tpetra::Map<>::node_type::execution_space;
using Element = tessera::Hex<2>;
using Mesh = distributed::Mesh<Element, ExecutionSpace>;
using Space = tessera::FunctionSpace<Element, ExecutionSpace>;
using Vector = distributed::TpetraVector<ExecutionSpace>;

constexpr double heat = 12;

struct Conduction {
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

// Newton's method from zero. Returns its steps; none of them is shortened.
int solve(const Mesh& mesh, const Space& space, const Vector& u) {
  const auto weak = tessera::as_weak_form(Conduction());
  const distributed::TpetraSystem<ExecutionSpace> system(mesh, space);
  auto assembly = tessera::assembly::ElementAtomic().plan(space, system.local().graph());
  auto residual = tessera::residual::RecomputingResidual().plan(space);
  distributed::NodeExchange<double, ExecutionSpace> ghosts(ExecutionSpace(), mesh.import(), 1);
  const Vector r = system.make_vector(), step = system.make_vector();
  double first = 0;
  for (int steps = 0;; ++steps) {
    ghosts.begin(ExecutionSpace(), u.local);
    ghosts.end(ExecutionSpace(), u.local);
    residual.integrate(weak, u.local, r.local);
    const double norm = r.owned->norm2();
    if (steps == 0) first = norm;
    if (mesh.ranks().rank() == 0) std::printf("step %d: |r| %.3e\n", steps, norm);
    if (norm <= 1e-12 * first || steps == 20) return steps;

    assembly.assemble(tessera::jacobian(weak, mesh.local(), u.local), system.local());
    system.rhs()->update(-1.0, *r.owned, 0.0); // r is zero where u is prescribed
    step.owned->putScalar(0.0);
    distributed::belos_gmres<ExecutionSpace>(system.matrix(), system.rhs(), step.owned,
                                             distributed::muelu(system, mesh), {.relative_tolerance = 1e-10});
    u.owned->update(1.0, *step.owned, 1.0);
  }
}

// Largest difference between u and the closed form at the nodes of all ranks.
double error(const Mesh& mesh, const Vector& u) {
  const auto x = mesh.local().coordinates();
  const auto values = u.local;
  double largest = 0, of_all = 0;
  Kokkos::parallel_reduce(
      "App::error", Kokkos::RangePolicy<ExecutionSpace>(0, mesh.owned_nodes()),
      KOKKOS_LAMBDA(int n, double& most) {
        const double exact = Kokkos::sqrt(1 + heat * x(n, 0) * (1 - x(n, 0))) - 1;
        most = Kokkos::fmax(most, Kokkos::abs(values(n) - exact));
      },
      Kokkos::Max<double>(largest));
  MPI_Allreduce(&largest, &of_all, 1, MPI_DOUBLE, MPI_MAX, mesh.communicator());
  return of_all;
}

bool run() {
  const auto mesh =
      distributed::box_mesh<Element, ExecutionSpace>(MPI_COMM_WORLD, {{12, 3, 3}, {1.0, 1.0, 1.0}});
  // Constrained rows stay, so that equations are nodes.
  Space space(mesh.local(), /*components=*/1, tessera::ConstraintTreatment::zeroed);
  space.constrain(mesh.local().node_set("xmin"), {0.0});
  space.constrain(mesh.local().node_set("xmax"), {0.0});
  const auto maps = distributed::tpetra_maps<ExecutionSpace>(
      mesh.ranks(), distributed::global_equations(ExecutionSpace(), mesh, space));
  const Vector u = distributed::tpetra_vector(ExecutionSpace(), maps, "App::u");
  const int steps = solve(mesh, space, u);
  const double largest = error(mesh, u);
  if (mesh.ranks().rank() == 0)
    std::printf("%d ranks, %d steps, largest error %.1e\n", mesh.ranks().size(), steps, largest);
  // Newton squares the error in each step; what is left is that of the elements.
  return steps <= 8 && largest < 1e-4;
}

int main(int argc, char** argv) {
  const Tpetra::ScopeGuard tpetra(&argc, &argv); // MPI and Kokkos
  try {
    return run() ? 0 : 1;
  } catch (const std::exception& error) { // the other ranks must not wait for this one
    std::cerr << "08_nonlinear_ranks: " << error.what() << std::endl;
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
}
