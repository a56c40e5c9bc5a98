// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Belos' conjugate gradients and GMRES for Tpetra's operators.

#include <tessera/core/error.hpp>
#include <tessera/distributed/detail/judged_iteration.hpp>
#include <tessera/distributed/krylov_result.hpp>
#include <tessera/distributed/tpetra/detail/attainable.hpp>
#include <tessera/distributed/tpetra/types.hpp>

#include <BelosLinearProblem.hpp>
#include <BelosPseudoBlockCGSolMgr.hpp>
#include <BelosPseudoBlockGmresSolMgr.hpp>
#include <BelosTpetraAdapter.hpp>
#include <Teuchos_ParameterList.hpp>
#include <Teuchos_RCP.hpp>
#include <optional>

namespace tessera::distributed {

/// When to stop.
struct BelosOptions {
  /// Of ‖b − A x‖ to ‖b‖, or to the first residual where b is zero. Not set, it is 1e-8, or what rounding
  /// allows where that is more and at most 1e-4, as `solvers::CgOptions` has it.
  std::optional<double> relative_tolerance = std::nullopt;
  int max_iterations = 1000;
  int restart = 100; ///< of GMRES: vectors that it keeps
};

/// What became of a solve.
using BelosResult = KrylovResult;

namespace detail {

/// Belos' iteration, as `JudgedIteration` asks for it.
template <class Solver, class ExecutionSpace>
class BelosIteration {
public:
  using Types = TpetraTypes<ExecutionSpace>;
  using Vector = typename Types::Vector;
  using Operator = Teuchos::RCP<typename Types::Operator>;
  using Problem = Belos::LinearProblem<double, typename Types::MultiVector, typename Types::Operator>;

  BelosIteration(const Operator& matrix, const Teuchos::RCP<Vector>& rhs, const Teuchos::RCP<Vector>& x,
                 const Operator& preconditioner, const Teuchos::RCP<Teuchos::ParameterList>& parameters)
      : matrix_(matrix), rhs_(rhs), x_(x), preconditioner_(preconditioner), parameters_(parameters) {}

  double rhs_norm() const { return rhs_->norm2(); }

  double residual_norm() const {
    Vector residual(*rhs_, Teuchos::Copy);
    matrix_->apply(*x_, residual, Teuchos::NO_TRANS, -1.0, 1.0);
    return residual.norm2();
  }

  double attainable() const {
    const auto rows = Teuchos::rcp_dynamic_cast<const typename Types::Matrix>(matrix_);
    return rows.is_null() ? 0 : attainable_residual<ExecutionSpace>(*rows, *rhs_, *x_);
  }

  void keep() { kept_ = Teuchos::rcp(new Vector(*x_, Teuchos::Copy)); }
  void restore() const { x_->update(1.0, *kept_, 0.0); }

  bool iterate(double factor, int most, int& done) const {
    const auto problem = Teuchos::rcp(new Problem(matrix_, x_, rhs_));
    if (!preconditioner_.is_null()) problem->setRightPrec(preconditioner_);
    if (!problem->setProblem()) throw SolverError("Belos: the matrix, x and the right-hand side do not fit");
    parameters_->set("Convergence Tolerance", factor);
    parameters_->set("Maximum Iterations", most);
    Solver solver(problem, parameters_);
    const bool satisfied = solver.solve() == Belos::Converged;
    done += solver.getNumIters();
    return satisfied;
  }

private:
  Operator matrix_;
  Teuchos::RCP<Vector> rhs_, x_, kept_;
  Operator preconditioner_;
  Teuchos::RCP<Teuchos::ParameterList> parameters_;
};

template <class Solver, class ExecutionSpace>
BelosResult belos_solve(const Teuchos::RCP<typename TpetraTypes<ExecutionSpace>::Operator>& matrix,
                        const Teuchos::RCP<typename TpetraTypes<ExecutionSpace>::Vector>& rhs,
                        const Teuchos::RCP<typename TpetraTypes<ExecutionSpace>::Vector>& x,
                        const Teuchos::RCP<typename TpetraTypes<ExecutionSpace>::Operator>& preconditioner,
                        const BelosOptions& options, const Teuchos::RCP<Teuchos::ParameterList>& parameters) {
  BelosIteration<Solver, ExecutionSpace> iteration(matrix, rhs, x, preconditioner, parameters);
  return JudgedIteration(options.relative_tolerance, options.max_iterations).run(iteration);
}

} // namespace detail

/// Collective: conjugate gradients, for symmetric positive definite matrices and preconditioners (null:
/// none). The verdict rests on b − A x, which a product computes before and after Belos' iteration; what
/// rounding leaves is known where the operator is a Tpetra::CrsMatrix.
/// \param x the first guess on entry, on return the solution, or where there is none the iterate with the
///   least b − A x that was computed; as Belos, an iteration that does not converge is no error
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
  return detail::belos_solve<Solver, ExecutionSpace>(matrix, rhs, x, preconditioner, options,
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
  return detail::belos_solve<Solver, ExecutionSpace>(matrix, rhs, x, preconditioner, options, parameters);
}

} // namespace tessera::distributed
