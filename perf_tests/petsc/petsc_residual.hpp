// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Residuals by PETSc (petsc.org), as its users write them.

#include <functional>
#include <string>
#include <vector>

namespace tessera::tools {

/// Straight simplices of order 1 or 2, and -div(kappa(x) grad u) with kappa = 1 + x_0 + x_1^2 / 2.
struct PetscProblem {
  int dimension = 3, order = 1;
  std::vector<double> coordinates = {}; ///< vertex x dimension
  std::vector<int> vertices = {};       ///< element x (dimension + 1)
  std::vector<int> nodes = {};     ///< element x nodes of the order, VTK's numbering, vertices' numbers first
  std::vector<double> points = {}; ///< quadrature on the unit simplex, point x dimension
  std::vector<double> weights = {};
  std::vector<double> u = {}; ///< node
};

/// What PETSc did.
struct PetscResult {
  std::string version;
  double seconds = 0;           ///< median of the evaluations after the first
  std::vector<double> residual; ///< node
};

/// Evaluates the residual by `DMPlexSNESComputeResidualFEM` on a DMPlex with a PetscFE and the pointwise
/// function of `PetscDSSetResidual`, from local vector to local vector, on one process.
/// \throws std::runtime_error with PETSc's error code
PetscResult petsc_residual(const PetscProblem& problem, int repetitions);

} // namespace tessera::tools
