// SPDX-License-Identifier: BSD-3-Clause
#include "solver_problem.hpp"
#include <BelosPseudoBlockCGSolMgr.hpp>
#include <BelosTpetraAdapter.hpp>
#include <MueLu_CreateTpetraPreconditioner.hpp>
#include <Teuchos_DefaultMpiComm.hpp>
#include <Tpetra_CrsMatrix.hpp>
#include <Tpetra_Map.hpp>
#include <Tpetra_MultiVector.hpp>
#include <Trilinos_version.h>
#include <algorithm>
#include <mpi.h>
#include <stdexcept>

namespace tessera::tools {

namespace {

using Teuchos::RCP;
using Teuchos::rcp;
using Map = Tpetra::Map<>;
using Matrix = Tpetra::CrsMatrix<double>;
using MultiVector = Tpetra::MultiVector<double>;
using Operator = Tpetra::Operator<double>;

RCP<Matrix> make_matrix(const SolverProblem& problem, const RCP<const Map>& map) {
  std::vector<std::size_t> lengths(problem.rows());
  for (int row = 0; row < problem.rows(); ++row)
    lengths[row] = problem.row_map[row + 1] - problem.row_map[row];
  // Rows and columns have the same numbers: there is one rank.
  const auto matrix = rcp(new Matrix(map, map, Teuchos::arrayViewFromVector(lengths)));
  for (int row = 0; row < problem.rows(); ++row)
    matrix->insertLocalValues(row, static_cast<int>(lengths[row]), &problem.values[problem.row_map[row]],
                              &problem.columns[problem.row_map[row]]);
  matrix->fillComplete(map, map);
  return matrix;
}

RCP<MultiVector> make_vectors(const RCP<const Map>& map, const std::vector<double>& values, int columns) {
  const auto vectors = rcp(new MultiVector(map, columns));
  const auto view = vectors->getLocalViewHost(Tpetra::Access::OverwriteAll);
  for (std::size_t i = 0; i < values.size(); ++i) view(i / columns, i % columns) = values[i];
  return vectors;
}

} // namespace

std::vector<SolverRun> muelu_runs(const SolverProblem& problem, int repetitions) {
  const auto comm = rcp(new Teuchos::MpiComm<int>(MPI_COMM_WORLD));
  const RCP<const Map> map = rcp(new Map(problem.rows(), 0, comm));
  const RCP<Operator> matrix = make_matrix(problem, map);
  const auto b = make_vectors(map, problem.b, 1);
  const auto coordinates = make_vectors(map, problem.coordinates, 3);
  const auto x = rcp(new MultiVector(map, 1));
  std::vector<SolverRun> runs;
  for (const char* smoother : {"CHEBYSHEV", "RELAXATION"}) {
    Teuchos::ParameterList options;
    options.set("verbosity", "none");
    options.set("problem: type", "Poisson-3D");
    options.set("smoother: type", smoother);
    if (std::string(smoother) == "RELAXATION")
      options.sublist("smoother: params").set("relaxation: type", "Symmetric Gauss-Seidel");
    RCP<Operator> multigrid;
    runs.push_back(time_solver(
        std::string("MueLu of Trilinos ") + TRILINOS_VERSION_STRING + ", " +
            (std::string(smoother) == "CHEBYSHEV" ? "Chebyshev" : "symmetric Gauss-Seidel"),
        repetitions,
        [&] {
          multigrid = Teuchos::null;
          Teuchos::ParameterList own = options;
          own.sublist("user data").set("Coordinates", coordinates);
          multigrid = MueLu::CreateTpetraPreconditioner(matrix, own);
        },
        [&] {
          x->putScalar(0);
          const auto linear = rcp(new Belos::LinearProblem<double, MultiVector, Operator>(matrix, x, b));
          linear->setLeftPrec(multigrid);
          linear->setProblem();
          const auto stopping = rcp(new Teuchos::ParameterList);
          stopping->set("Convergence Tolerance", problem.tolerance);
          stopping->set("Maximum Iterations", 1000);
          Belos::PseudoBlockCGSolMgr<double, MultiVector, Operator> solver(linear, stopping);
          if (solver.solve() != Belos::Converged) throw std::runtime_error("Belos did not converge");
          return solver.getNumIters();
        }));
    const auto view = x->getLocalViewHost(Tpetra::Access::ReadOnly);
    for (int row = 0; row < problem.rows(); ++row) runs.back().x.push_back(view(row, 0));
  }
  return runs;
}

} // namespace tessera::tools
