#pragma once

/// \file
/// Measures assembly by patches and conjugate gradients with patch multigrid on one mesh of tetrahedra.

#include <tessera/core/mesh/mesh.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace tessera::tools {

/// One way to a solution.
struct SolverResult {
  std::string solver;
  double set_up_seconds = 0, solve_seconds = 0; ///< medians
  int iterations = 0;
  bool converged = false;
  double true_residual = 0;   ///< relative to the right-hand side
  std::int64_t bytes = 0;     ///< of the preconditioner
  std::vector<int> rows = {}; ///< of each level
};

/// One mesh: the row of each of the paper's tables.
struct MeshResult {
  std::string mesh;
  double sigma = 1; ///< of the second material
  std::int64_t nodes = 0, elements = 0, entries = 0;
  int least_valence = 0, largest_valence = 0;
  double patch_seconds = 0, atomic_seconds = 0,
         serial_seconds = 0;                             ///< assembly; serial: one thread of the host
  double upper_half_seconds = 0, renumbered_seconds = 0; ///< by patches
  double pairs_seconds = 0, reused_seconds = 0;          ///< by pairs of nodes; reused: a solver's partition
  std::vector<SolverResult> solvers = {};
  std::vector<int> inner_iterations = {}; ///< of CG, for 1, 2, ... inner iterations (Figure 7)
};

/// What is measured.
struct Study {
  int repetitions = 5;
  int inner = 0;        ///< inner iterations of Figure 7: up to; 0: none
  bool assembly = true; ///< Table 2
  bool plain = true;    ///< plain CG as well
};

/// Measures one mesh with the paper's problem: −∇·(σ∇u) + u = f with natural boundary values, all entries of
/// the right-hand side one, to 1e-8.
/// \param source name of a generator or a file
/// \param sigma  of material 2; 1 elsewhere
MeshResult measure_mesh(const std::string& name, const std::string& source, double sigma, const Study& study);

} // namespace tessera::tools
