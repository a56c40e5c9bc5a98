// SPDX-License-Identifier: BSD-3-Clause
#include "solver_problem.hpp"
#include <HYPRE.h>
#include <HYPRE_IJ_mv.h>
#include <HYPRE_krylov.h>
#include <HYPRE_parcsr_ls.h>
#include <algorithm>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <type_traits>

namespace tessera::tools {

namespace {

void check(HYPRE_Int error) {
  if (error == 0) return;
  char text[256] = {};
  HYPRE_DescribeError(error, text);
  HYPRE_ClearAllErrors();
  throw std::runtime_error(std::string("hypre: ") + text);
}

/// What hypre's functions make, destroyed with its owner.
template <class Handle, auto destroy>
struct Destroy {
  using pointer = Handle;
  void operator()(Handle handle) const { destroy(handle); }
};
template <class Handle, auto destroy>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Destroy<Handle, destroy>>;
using Matrix = Owned<HYPRE_IJMatrix, HYPRE_IJMatrixDestroy>;
using Vector = Owned<HYPRE_IJVector, HYPRE_IJVectorDestroy>;
using Amg = Owned<HYPRE_Solver, HYPRE_BoomerAMGDestroy>;
using Pcg = Owned<HYPRE_Solver, HYPRE_ParCSRPCGDestroy>;

Matrix make_matrix(const SolverProblem& problem, const std::vector<HYPRE_BigInt>& numbers) {
  const HYPRE_BigInt last = problem.rows() - 1;
  HYPRE_IJMatrix made = nullptr;
  check(HYPRE_IJMatrixCreate(MPI_COMM_WORLD, 0, last, 0, last, &made));
  Matrix matrix(made);
  std::vector<HYPRE_Int> lengths(problem.rows());
  for (int row = 0; row < problem.rows(); ++row)
    lengths[row] = problem.row_map[row + 1] - problem.row_map[row];
  const std::vector<HYPRE_BigInt> columns(problem.columns.begin(), problem.columns.end());
  check(HYPRE_IJMatrixSetObjectType(made, HYPRE_PARCSR));
  check(HYPRE_IJMatrixSetRowSizes(made, lengths.data()));
  check(HYPRE_IJMatrixInitialize(made));
  check(HYPRE_IJMatrixSetValues(made, problem.rows(), lengths.data(), numbers.data(), columns.data(),
                                problem.values.data()));
  check(HYPRE_IJMatrixAssemble(made));
  return matrix;
}

Vector make_vector(const std::vector<double>& values, const std::vector<HYPRE_BigInt>& numbers) {
  HYPRE_IJVector made = nullptr;
  check(HYPRE_IJVectorCreate(MPI_COMM_WORLD, 0, static_cast<HYPRE_BigInt>(values.size()) - 1, &made));
  Vector vector(made);
  check(HYPRE_IJVectorSetObjectType(made, HYPRE_PARCSR));
  check(HYPRE_IJVectorInitialize(made));
  check(HYPRE_IJVectorSetValues(made, static_cast<HYPRE_Int>(values.size()), numbers.data(), values.data()));
  check(HYPRE_IJVectorAssemble(made));
  return vector;
}

struct Configuration {
  const char* name;
  bool preconditioned = true;
  double strong_threshold = 0; ///< 0: hypre's
  int aggressive_levels = 0;
  int coarsening = -1, relaxation = -1; ///< hypre's numbers of them; -1: hypre's defaults
};

/// One cycle a call.
Amg make_amg(const Configuration& configuration) {
  HYPRE_Solver made = nullptr;
  check(HYPRE_BoomerAMGCreate(&made));
  Amg amg(made);
  check(HYPRE_BoomerAMGSetTol(made, 0));
  check(HYPRE_BoomerAMGSetMaxIter(made, 1));
  if (configuration.strong_threshold > 0)
    check(HYPRE_BoomerAMGSetStrongThreshold(made, configuration.strong_threshold));
  if (configuration.aggressive_levels > 0)
    check(HYPRE_BoomerAMGSetAggNumLevels(made, configuration.aggressive_levels));
  if (configuration.coarsening >= 0) check(HYPRE_BoomerAMGSetCoarsenType(made, configuration.coarsening));
  if (configuration.relaxation >= 0) check(HYPRE_BoomerAMGSetRelaxType(made, configuration.relaxation));
  return amg;
}

/// \param amg none: plain conjugate gradients
Pcg make_pcg(HYPRE_Solver amg, double tolerance) {
  HYPRE_Solver made = nullptr;
  check(HYPRE_ParCSRPCGCreate(MPI_COMM_WORLD, &made));
  Pcg pcg(made);
  check(HYPRE_ParCSRPCGSetTol(made, tolerance));
  check(HYPRE_ParCSRPCGSetTwoNorm(made, 1));
  check(HYPRE_ParCSRPCGSetMaxIter(made, amg ? 1000 : 20000));
  if (amg) check(HYPRE_ParCSRPCGSetPrecond(made, HYPRE_BoomerAMGSolve, HYPRE_BoomerAMGSetup, amg));
  return pcg;
}

} // namespace

std::vector<SolverRun> hypre_runs(const SolverProblem& problem, int repetitions) {
  check(HYPRE_Initialize());
  std::vector<SolverRun> runs;
  {
    std::vector<HYPRE_BigInt> numbers(problem.rows());
    std::iota(numbers.begin(), numbers.end(), 0);
    const Matrix matrix = make_matrix(problem, numbers);
    const Vector b = make_vector(problem.b, numbers);
    const Vector x = make_vector(std::vector<double>(problem.rows(), 0.0), numbers);
    HYPRE_ParCSRMatrix a = nullptr;
    HYPRE_ParVector right = nullptr, solution = nullptr;
    check(HYPRE_IJMatrixGetObject(matrix.get(), reinterpret_cast<void**>(&a)));
    check(HYPRE_IJVectorGetObject(b.get(), reinterpret_cast<void**>(&right)));
    check(HYPRE_IJVectorGetObject(x.get(), reinterpret_cast<void**>(&solution)));
    constexpr int pmis = 8, hybrid_symmetric_gauss_seidel = 6;
    for (const Configuration& configuration :
         {Configuration{.name = "defaults"},
          {.name = "strong threshold 0.5", .strong_threshold = 0.5},
          {.name = "strong threshold 0.5, aggressive", .strong_threshold = 0.5, .aggressive_levels = 1},
          {.name = "PMIS, hybrid Gauss-Seidel",
           .coarsening = pmis,
           .relaxation = hybrid_symmetric_gauss_seidel},
          {.name = "plain CG", .preconditioned = false}}) {
      Amg amg;
      Pcg pcg;
      runs.push_back(time_solver(
          std::string("hypre ") + HYPRE_RELEASE_VERSION + ", " + configuration.name, repetitions,
          [&] {
            pcg.reset();
            if (configuration.preconditioned) amg = make_amg(configuration);
            pcg = make_pcg(amg.get(), problem.tolerance);
            check(HYPRE_ParCSRPCGSetup(pcg.get(), a, right, solution));
          },
          [&] {
            HYPRE_Int iterations = 0;
            check(HYPRE_ParVectorSetConstantValues(solution, 0));
            check(HYPRE_ParCSRPCGSolve(pcg.get(), a, right, solution));
            check(HYPRE_ParCSRPCGGetNumIterations(pcg.get(), &iterations));
            return static_cast<int>(iterations);
          }));
      runs.back().x.resize(problem.rows());
      check(HYPRE_IJVectorGetValues(x.get(), problem.rows(), numbers.data(), runs.back().x.data()));
    }
  }
  check(HYPRE_Finalize());
  return runs;
}

} // namespace tessera::tools
