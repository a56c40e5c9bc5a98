#pragma once

/// \file
/// Belos' conjugate gradients and GMRES for Tpetra's operators.

#include <tessera/core/error.hpp>
#include <tessera/distributed/tpetra/types.hpp>

#include <BelosLinearProblem.hpp>
#include <BelosPseudoBlockCGSolMgr.hpp>
#include <BelosPseudoBlockGmresSolMgr.hpp>
#include <BelosTpetraAdapter.hpp>
#include <Teuchos_ParameterList.hpp>
#include <Teuchos_RCP.hpp>

namespace tessera::distributed {

/// When to stop.
struct BelosOptions {
  double relative_tolerance = 1e-8; ///< of the residual to the first one
  int max_iterations = 1000;
  int restart = 100; ///< of GMRES: vectors that it keeps
};

/// What became of a solve, the same on every rank.
struct BelosResult {
  bool converged = false;
  int iterations = 0;
  double relative_residual = 0; ///< as the iteration knows it
};

namespace detail {

template <class Solver, class Types>
BelosResult run_belos(const Teuchos::RCP<typename Types::Operator>& matrix,
                      const Teuchos::RCP<typename Types::Vector>& rhs,
                      const Teuchos::RCP<typename Types::Vector>& x,
                      const Teuchos::RCP<typename Types::Operator>& preconditioner,
                      const BelosOptions& options, const Teuchos::RCP<Teuchos::ParameterList>& parameters) {
  using Problem = Belos::LinearProblem<double, typename Types::MultiVector, typename Types::Operator>;
  const auto problem = Teuchos::rcp(new Problem(matrix, x, rhs));
  if (!preconditioner.is_null()) problem->setRightPrec(preconditioner);
  if (!problem->setProblem()) throw SolverError("Belos: the matrix, x and the right-hand side do not fit");
  parameters->set("Convergence Tolerance", options.relative_tolerance);
  parameters->set("Maximum Iterations", options.max_iterations);
  Solver solver(problem, parameters);
  const bool converged = solver.solve() == Belos::Converged;
  return {
      .converged = converged, .iterations = solver.getNumIters(), .relative_residual = solver.achievedTol()};
}

} // namespace detail

/// Collective: conjugate gradients, for symmetric positive definite matrices and preconditioners (null:
/// none).
/// \param x the first guess on entry, the solution on return; as Belos, an iteration that does not converge
/// is no
///   error
/// \throws what Belos throws
template <class ExecutionSpace>
BelosResult
belos_cg(const Teuchos::RCP<typename TpetraTypes<ExecutionSpace>::Operator>& matrix,
         const Teuchos::RCP<typename TpetraTypes<ExecutionSpace>::Vector>& rhs,
         const Teuchos::RCP<typename TpetraTypes<ExecutionSpace>::Vector>& x,
         const Teuchos::RCP<typename TpetraTypes<ExecutionSpace>::Operator>& preconditioner = Teuchos::null,
         const BelosOptions& options = {}) {
  using Types = TpetraTypes<ExecutionSpace>;
  using Solver = Belos::PseudoBlockCGSolMgr<double, typename Types::MultiVector, typename Types::Operator>;
  return detail::run_belos<Solver, Types>(matrix, rhs, x, preconditioner, options,
                                          Teuchos::rcp(new Teuchos::ParameterList));
}

/// Collective: GMRES, restarted after `options.restart` iterations, preconditioned from the right: for
/// matrices that are not symmetric. The rest as `belos_cg`.
template <class ExecutionSpace>
BelosResult belos_gmres(
    const Teuchos::RCP<typename TpetraTypes<ExecutionSpace>::Operator>& matrix,
    const Teuchos::RCP<typename TpetraTypes<ExecutionSpace>::Vector>& rhs,
    const Teuchos::RCP<typename TpetraTypes<ExecutionSpace>::Vector>& x,
    const Teuchos::RCP<typename TpetraTypes<ExecutionSpace>::Operator>& preconditioner = Teuchos::null,
    const BelosOptions& options = {}) {
  using Types = TpetraTypes<ExecutionSpace>;
  using Solver = Belos::PseudoBlockGmresSolMgr<double, typename Types::MultiVector, typename Types::Operator>;
  const auto parameters = Teuchos::rcp(new Teuchos::ParameterList);
  parameters->set("Num Blocks", options.restart);
  return detail::run_belos<Solver, Types>(matrix, rhs, x, preconditioner, options, parameters);
}

} // namespace tessera::distributed
