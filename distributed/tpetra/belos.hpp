// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Belos' conjugate gradients and GMRES for Tpetra's operators.

#include <tessera/core/error.hpp>
#include <tessera/distributed/tpetra/detail/attainable.hpp>
#include <tessera/distributed/tpetra/types.hpp>
#include <tessera/solvers/cg_result.hpp>

#include <BelosLinearProblem.hpp>
#include <BelosPseudoBlockCGSolMgr.hpp>
#include <BelosPseudoBlockGmresSolMgr.hpp>
#include <BelosTpetraAdapter.hpp>
#include <Teuchos_ParameterList.hpp>
#include <Teuchos_RCP.hpp>
#include <cmath>
#include <limits>
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

/// What became of a solve, the same on every rank.
struct BelosResult {
  bool converged = false;
  solvers::StopReason reason = solvers::StopReason::max_iterations;
  int iterations = 0;
  double relative_residual = 0; ///< ‖b − A x‖ / ‖b‖, computed anew: what decides
};

namespace detail {

/// Belos' iteration with a verdict on b − A x: Belos judges by the residual that the iteration carries along,
/// which falls where b − A x does not. Where the two part, it begins anew from x, and stops as `stagnated`
/// where that does not halve b − A x.
template <class Solver, class ExecutionSpace>
class BelosIteration {
public:
  using Types = TpetraTypes<ExecutionSpace>;
  using Vector = typename Types::Vector;
  using Operator = Teuchos::RCP<typename Types::Operator>;
  using Problem = Belos::LinearProblem<double, typename Types::MultiVector, typename Types::Operator>;

  BelosIteration(const Operator& matrix, const Teuchos::RCP<Vector>& rhs, const Teuchos::RCP<Vector>& x,
                 const Operator& preconditioner, const BelosOptions& options,
                 const Teuchos::RCP<Teuchos::ParameterList>& parameters)
      : matrix_(matrix), rhs_(rhs), x_(x), preconditioner_(preconditioner), options_(options),
        parameters_(parameters) {}

  BelosResult run() {
    double residual = residual_norm();
    scale_ = rhs_->norm2();
    if (!(scale_ > 0)) scale_ = residual;
    while (!ended(residual)) {
      const Vector before(*x_, Teuchos::Copy);
      const bool satisfied = iterate(residual);
      const double after = residual_norm();
      if (!(after < residual)) x_->update(1.0, before, 0.0);
      const bool halved = after <= 0.5 * residual;
      residual = std::fmin(after, residual);
      if (!satisfied || !halved) {
        const bool more = result_.iterations < options_.max_iterations;
        if (!ended(residual) && more) result_.reason = solvers::StopReason::stagnated;
        break;
      }
    }
    result_.relative_residual = scale_ > 0 ? residual / scale_ : 0;
    return result_;
  }

private:
  double residual_norm() const {
    Vector residual(*rhs_, Teuchos::Copy);
    matrix_->apply(*x_, residual, Teuchos::NO_TRANS, -1.0, 1.0);
    return residual.norm2();
  }

  double tolerance() const {
    return options_.relative_tolerance.value_or(solvers::CgOptions::default_tolerance);
  }

  /// Whether the residual is small enough, or no iteration is left.
  bool ended(double residual) {
    if (residual <= tolerance() * scale_)
      result_.reason = solvers::StopReason::relative_tolerance;
    else if (is_rounding(residual))
      result_.reason = solvers::StopReason::rounding;
    else
      return result_.iterations >= options_.max_iterations;
    return result_.converged = true;
  }

  /// Whether no tolerance was asked for and the residual is what rounding leaves.
  bool is_rounding(double residual) const {
    const auto rows = Teuchos::rcp_dynamic_cast<const typename Types::Matrix>(matrix_);
    if (options_.relative_tolerance || rows.is_null() || result_.iterations == 0 ||
        !(residual <= solvers::CgOptions::largest_rounding * scale_))
      return false;
    constexpr double predicted = 4; // within this factor
    return residual <= predicted * attainable_residual<ExecutionSpace>(*rows, *rhs_, *x_);
  }

  /// Belos' iteration from x. \returns whether Belos is satisfied
  bool iterate(double residual) {
    const auto problem = Teuchos::rcp(new Problem(matrix_, x_, rhs_));
    if (!preconditioner_.is_null()) problem->setRightPrec(preconditioner_);
    if (!problem->setProblem()) throw SolverError("Belos: the matrix, x and the right-hand side do not fit");
    // Belos' tolerance is relative to the first residual; it does not see that a residual is rounding.
    const double aim = std::fmax(tolerance(), std::numeric_limits<double>::epsilon()) * scale_;
    parameters_->set("Convergence Tolerance", std::fmin(aim / residual, 0.5));
    parameters_->set("Maximum Iterations", options_.max_iterations - result_.iterations);
    Solver solver(problem, parameters_);
    const bool satisfied = solver.solve() == Belos::Converged;
    result_.iterations += solver.getNumIters();
    return satisfied;
  }

  Operator matrix_;
  Teuchos::RCP<Vector> rhs_, x_;
  Operator preconditioner_;
  BelosOptions options_;
  Teuchos::RCP<Teuchos::ParameterList> parameters_;
  double scale_ = 0;
  BelosResult result_;
};

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
  return detail::BelosIteration<Solver, ExecutionSpace>(matrix, rhs, x, preconditioner, options,
                                                        Teuchos::rcp(new Teuchos::ParameterList))
      .run();
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
  return detail::BelosIteration<Solver, ExecutionSpace>(matrix, rhs, x, preconditioner, options, parameters)
      .run();
}

} // namespace tessera::distributed
