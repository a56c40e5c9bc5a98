// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Assembly by MFEM (mfem.org), as its users write it.

#include <string>
#include <vector>

namespace tessera::tools {

/// A mesh of linear tetrahedra or hexahedra in VTK's numbering, and the form to assemble on it.
struct PeerProblem {
  std::vector<double> coordinates; ///< node x 3
  std::vector<int> connectivity;   ///< element x nodes
  int element_nodes = 4;           ///< 4: tetrahedra, 8: hexahedra
  bool elasticity = false;         ///< else Helmholtz
  double sigma = 1, lambda = 1;    ///< Helmholtz: -div(sigma grad u) + lambda u
  double lame_lambda = 1, lame_mu = 1;
  int quadrature_degree = 2; ///< exact to this degree; per direction on hexahedra
};

/// A matrix in compressed rows with ascending columns; row = node * components + component.
struct PeerMatrix {
  std::vector<int> row_map, columns;
  std::vector<double> values;
};

/// What MFEM did.
struct PeerResult {
  std::string version;
  double seconds = 0; ///< median of the assemblies after the first, which makes the pattern
  PeerMatrix matrix;
};

/// Assembles by `mfem::BilinearForm` with its default (legacy) level: element matrices by the integrators,
/// added to a sparse matrix whose pattern is computed once and kept.
PeerResult mfem_assembly(const PeerProblem& problem, int repetitions);

} // namespace tessera::tools
