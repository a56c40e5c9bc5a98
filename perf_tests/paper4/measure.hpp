// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Measures assembly by patches and conjugate gradients with patch multigrid on one mesh of tetrahedra.

#include <tessera/core/mesh/mesh.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace tessera::tools {

/// One way to a solution.
struct SolverResult {
  std::string solver;
  int inner = 0;                                    ///< inner iterations of multigrid's relaxation
  double set_up_seconds = NAN, solve_seconds = NAN; ///< medians
  int iterations = 0;
  bool converged = false;
  double true_residual = NAN;               ///< relative to the right-hand side
  std::int64_t bytes = 0;                   ///< of the preconditioner
  std::vector<bool> blocks_in_scratch = {}; ///< of each level that has patches, from the finest on
};

/// One mesh: the row of each of the paper's tables. What was not measured is NaN.
struct MeshResult {
  std::string mesh;
  double sigma = 1; ///< of the second material
  std::int64_t nodes = 0, elements = 0, entries = 0;
  int least_valence = 0, largest_valence = 0;
  double patch_seconds = NAN, atomic_seconds = NAN,
         serial_seconds = NAN; ///< assembly; serial: one thread of the host
  /// Patches on the upper half, and that half turned to full rows; patches of renumbered nodes.
  double upper_half_seconds = NAN, full_rows_seconds = NAN, renumbered_seconds = NAN;
  double pairs_seconds = NAN; ///< by pairs of nodes
  /// `patch_seconds` and `serial_seconds` with elements by quadrature, not in closed form.
  double patch_quadrature_seconds = NAN, serial_quadrature_seconds = NAN;
  /// One partition of the mesh for assembly by pairs and for the solver: what it takes, its heaviest and
  /// lightest patch in nodes, and both with it.
  double partition_seconds = NAN, shared_assembly_seconds = NAN, shared_set_up_seconds = NAN;
  int shared_patch = 0, shared_lightest = 0;
  /// Partition, plan of the assembly and set-up of the solver: with one partition for both, with one each.
  double shared_total_seconds = NAN, own_total_seconds = NAN;
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
