// SPDX-License-Identifier: BSD-3-Clause
// 09: several processes on PETSc, whose matrix takes the rows that each has assembled, without a message.
//
// A cantilever bends under its own weight. PETSc learns the places of all entries once
// (MatSetPreallocationCOO); then each assembly hands it the values of the owned rows, which are the first of
// the local system. With MAT_NO_OFF_PROC_ENTRIES nobody waits for the rows of others. A beam of half the
// stiffness must bend twice as far, and PETSc must find the residual of both below the tolerance.
//
//   mpiexec -n 4 09_petsc_ranks [PETSc's options]

#include <tessera/core/elements/elements.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/forms/linear_elasticity.hpp>
#include <tessera/core/space/function_space.hpp>
#include <tessera/core/system/linear_system.hpp>
#include <tessera/distributed/equations.hpp>
#include <tessera/distributed/mesh/box.hpp>
#include <tessera/strategies/catalogue/any_assembly.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdio>
#include <exception>
#include <petscksp.h>
#include <vector>

namespace {

namespace distributed = tessera::distributed;

using ExecutionSpace = Kokkos::DefaultHostExecutionSpace; // PETSc reads the values on the host here
using Element = tessera::Hex<1>;
using System = tessera::LinearSystem<double, ExecutionSpace>;

void check(PetscErrorCode error) {
  if (error != PETSC_SUCCESS) throw tessera::Error("PETSc's error " + std::to_string(error));
}

/// PETSc's matrix and vectors of a rank's owned rows.
class PetscSystem {
public:
  PetscSystem(const System& system, const distributed::GlobalEquations& equations) : system_(system) {
    const auto owned = static_cast<PetscInt>(equations.owned);
    const auto& graph = system.graph();
    std::vector<PetscInt> rows, columns;
    for (PetscInt row = 0; row < owned; ++row)
      for (auto k = graph.row_map(row); k < graph.row_map(row + 1); ++k) {
        rows.push_back(static_cast<PetscInt>(equations.numbers(row)));
        columns.push_back(static_cast<PetscInt>(equations.numbers(graph.columns(k))));
      }
    check(MatCreate(PETSC_COMM_WORLD, &matrix_));
    check(MatSetSizes(matrix_, owned, owned, PETSC_DETERMINE, PETSC_DETERMINE));
    check(MatSetFromOptions(matrix_));
    check(MatSetOption(matrix_, MAT_NO_OFF_PROC_ENTRIES, PETSC_TRUE));
    check(MatSetPreallocationCOO(matrix_, static_cast<PetscCount>(rows.size()), rows.data(), columns.data()));
    check(MatSetOption(matrix_, MAT_SPD, PETSC_TRUE));
    check(VecCreateMPIWithArray(PETSC_COMM_WORLD, 1, owned, PETSC_DETERMINE, nullptr, &rhs_));
    check(VecDuplicate(rhs_, &x_));
    check(KSPCreate(PETSC_COMM_WORLD, &solver_));
    check(KSPSetType(solver_, KSPCG));
    check(KSPSetTolerances(solver_, 1e-10, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT));
    check(KSPSetFromOptions(solver_));
  }
  PetscSystem(const PetscSystem&) = delete;
  PetscSystem& operator=(const PetscSystem&) = delete;
  ~PetscSystem() {
    KSPDestroy(&solver_);
    VecDestroy(&x_);
    VecDestroy(&rhs_);
    MatDestroy(&matrix_);
  }

  /// Solves what the system holds now. \returns the largest entry of the solution
  double solve() {
    check(MatSetValuesCOO(matrix_, system_.values().data(), INSERT_VALUES));
    check(VecPlaceArray(rhs_, system_.rhs().data()));
    check(KSPSetOperators(solver_, matrix_, matrix_));
    check(KSPSolve(solver_, rhs_, x_));
    PetscInt iterations = 0;
    PetscReal load = 0, residual = 0, largest = 0;
    check(KSPGetIterationNumber(solver_, &iterations));
    check(VecNorm(rhs_, NORM_2, &load));
    check(VecNorm(x_, NORM_INFINITY, &largest));
    Vec difference = nullptr;
    check(VecDuplicate(x_, &difference));
    check(MatResidual(matrix_, rhs_, x_, difference));
    check(VecNorm(difference, NORM_2, &residual));
    check(VecDestroy(&difference));
    check(VecResetArray(rhs_));
    check(PetscPrintf(PETSC_COMM_WORLD,
                      "%d iterations, relative residual %.1e, largest displacement %.6e m\n",
                      static_cast<int>(iterations), residual / load, largest));
    if (!(residual <= 1e-7 * load)) throw tessera::SolverError("PETSc has not solved the system");
    return largest;
  }

private:
  System system_;
  Mat matrix_ = nullptr;
  Vec rhs_ = nullptr, x_ = nullptr;
  KSP solver_ = nullptr;
};

bool run() {
  const auto mesh =
      distributed::box_mesh<Element, ExecutionSpace>(PETSC_COMM_WORLD, {{20, 4, 4}, {5.0, 1.0, 1.0}});
  // Constrained rows are removed: equations are then numbered rank by rank, as PETSc asks.
  tessera::FunctionSpace<Element, ExecutionSpace> space(mesh.local(), 3);
  space.constrain(mesh.local().node_set("xmin"), {0.0, 0.0, 0.0});
  const System system(space);
  const auto plan = tessera::make_assembly("RowOwner", space, system.graph());
  PetscSystem petsc(system, distributed::global_equations(ExecutionSpace(), mesh, space));
  tessera::LinearElasticity<3> steel{.young = 200e3, .poisson = 0.3, .body_force = {0, 0, -0.077}};
  plan->assemble(steel, system);
  const double stiff = petsc.solve();
  steel.young = 100e3;
  plan->assemble(steel, system);
  const double soft = petsc.solve();
  return std::abs(soft / stiff - 2) < 1e-6;
}

} // namespace

int main(int argc, char** argv) {
  if (PetscInitialize(&argc, &argv, nullptr, nullptr) != PETSC_SUCCESS) return 1;
  int status = 1;
  {
    const Kokkos::ScopeGuard kokkos;
    try {
      status = run() ? 0 : 1;
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
    }
  }
  if (status != 0) MPI_Abort(PETSC_COMM_WORLD, status);
  PetscFinalize();
  return status;
}
