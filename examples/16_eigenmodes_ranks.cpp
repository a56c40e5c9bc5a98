// SPDX-License-Identifier: BSD-3-Clause
// 16: the frequencies of 13's beam over several processes, by Anasazi's LOBPCG on Tessera's matrices, with
// Tessera's multigrid as its preconditioner.
//
//   mpiexec -n 4 16_eigenmodes_ranks

#include <tessera/core/elements/elements.hpp>
#include <tessera/core/forms/linear_elasticity.hpp>
#include <tessera/core/space/function_space.hpp>
#include <tessera/core/system/deviation.hpp>
#include <tessera/core/weak_form/weak_form.hpp>
#include <tessera/distributed/mesh/box.hpp>
#include <tessera/distributed/tpetra/multigrid.hpp>
#include <tessera/distributed/tpetra/system.hpp>
#include <tessera/strategies/assembly/element_atomic.hpp>

#include <Kokkos_Core.hpp>

#include <AnasaziBasicEigenproblem.hpp>
#include <AnasaziLOBPCGSolMgr.hpp>
#include <AnasaziTpetraAdapter.hpp>
#include <Tpetra_Core.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <exception>
#include <iostream>
#include <mpi.h>

namespace distributed = tessera::distributed;
using ExecutionSpace = Tpetra::Map<>::node_type::execution_space;
using Element = tessera::Hex<2>;
using Types = distributed::TpetraTypes<ExecutionSpace>;
using System = distributed::TpetraSystem<ExecutionSpace>;
using Eigenproblem = Anasazi::BasicEigenproblem<double, Types::MultiVector, Types::Operator>;
using Lobpcg = Anasazi::LOBPCGSolMgr<double, Types::MultiVector, Types::Operator>;
using Teuchos::rcp;

constexpr int wanted = 10, block = 14;
// What 13 prints.
constexpr std::array<double, wanted> frequencies{0.00179, 0.00255, 0.01119, 0.01584, 0.03126,
                                                 0.04263, 0.04376, 0.06116, 0.07883, 0.08425};

struct Inertia {
  static constexpr int components = 3;
  static constexpr bool symmetric = true;
  template <class Point>
  KOKKOS_FUNCTION auto f0(const Point& p) const {
    return p.u;
  }
};

bool run() {
  const auto mesh = distributed::box_mesh<Element, ExecutionSpace>(
      MPI_COMM_WORLD, tessera::io::Box{{10, 2, 2}, {20.0, 1.0, 0.7}});
  // Constrained rows are removed: those of the identity would be modes of their own.
  tessera::FunctionSpace<Element, ExecutionSpace> space(mesh.local(), /*components=*/3);
  space.constrain(mesh.local().node_set("xmin"), {0, 0, 0});
  const System stiffness(mesh, space), mass(mesh, space);
  auto plan = tessera::assembly::ElementAtomic().plan(space, stiffness.local().graph());
  plan.assemble(tessera::LinearElasticity<3>{.young = 1.0, .poisson = 0.3}, stiffness.local());
  const Kokkos::View<double*, ExecutionSpace> anywhere("App::anywhere", tessera::to_size(space.num_dofs()));
  tessera::assembly::ElementAtomic()
      .plan(space, mass.local().graph())
      .assemble(tessera::jacobian(Inertia{}, mesh.local(), anywhere), mass.local());

  const auto first = rcp(new Types::MultiVector(stiffness.maps().owned, block));
  first->randomize();
  const auto problem = rcp(new Eigenproblem(stiffness.matrix(), mass.matrix(), first));
  problem->setPrec(rcp(new distributed::TpetraMultigrid<ExecutionSpace>(stiffness, mesh)));
  problem->setHermitian(true);
  problem->setNEV(wanted);
  if (!problem->setProblem()) throw tessera::SolverError("Anasazi does not take the problem");
  Teuchos::ParameterList options;
  options.set("Which", "SM").set("Block Size", block).set("Maximum Iterations", 200);
  options.set("Convergence Tolerance", 1e-6).set("Full Ortho", true);
  Lobpcg solver(problem, options);
  const bool converged = solver.solve() == Anasazi::Converged;

  const auto& values = problem->getSolution().Evals;
  double worst = values.size() < wanted ? INFINITY : 0;
  for (std::size_t j = 0; j < std::min<std::size_t>(wanted, values.size()); ++j) {
    const double omega = std::sqrt(values[j].realpart);
    if (mesh.ranks().rank() == 0) std::printf("omega %2zu: %.5f, by 13 %.5f\n", j + 1, omega, frequencies[j]);
    worst = tessera::worse_of(worst, std::abs(omega - frequencies[j]));
  }
  if (mesh.ranks().rank() == 0)
    std::printf("%d ranks, Anasazi %s in %d iterations\n", mesh.ranks().size(),
                converged ? "converged" : "failed", solver.getNumIters());
  return converged && worst < 1e-5;
}

int main(int argc, char** argv) {
  const Tpetra::ScopeGuard tpetra(&argc, &argv); // MPI and Kokkos
  try {
    return run() ? 0 : 1;
  } catch (const std::exception& error) { // the other ranks must not wait for this one
    std::cerr << "16_eigenmodes_ranks: " << error.what() << std::endl;
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
}
