// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Options of the multigrid solver, and what it reports of itself.

#include <tessera/core/types.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace tessera::solvers {

/// How nodes are gathered into the unknowns of the next level.
enum class Aggregation {
  /// For single unknowns runs where there are coordinates, couplings and conductivities in all directions are
  /// alike, diagonal entries change little, the curve stays within the body and no row has many times the
  /// entries of others; for several near-null vectors matched pairs where one direction's couplings outweigh
  /// all others (flat cells); else independent sets.
  automatic,
  runs, ///< consecutive nodes along the Hilbert curve; without coordinates, in the order they have
  independent_sets, ///< around the nodes of an independent set of distance two, along strong couplings only
  matched_pairs,    ///< of nodes, of pairs, and so on, up to sixteen nodes along their strongest couplings
};

/// How the matrices of the cycle are stored.
enum class MultigridStorage {
  automatic, ///< half; single for several near-null vectors and with matched pairs: rounding would move their
             ///< least eigenvalues
  half,      ///< off-diagonals with 8 bits of precision beside 16-bit columns, sums of rows exact
  single,    ///< off-diagonals in single precision beside 32-bit columns
};

/// Options of `Multigrid`. The defaults serve second-order problems on meshes of any kind.
struct MultigridOptions {
  Aggregation aggregation = Aggregation::automatic;
  MultigridStorage storage = MultigridStorage::automatic;
  /// Nodes in a run, 2 or more; if it is not given, 27, and 12 in the plane. Where `aggregation` is
  /// automatic, three quarters of it among slivers.
  std::optional<int> run_length = {};
  /// Couplings weaker than this share of the nodes' strongest are weak: no aggregate but runs is built along
  /// them. In [0, 1).
  double strength = 0.25;
  /// The smoother works on eigenvalues of D⁻¹A from this part of the largest on. In (0, 1); if it is not
  /// given, 0.1 on hosts, where the smoother takes a third step, and 0.14 on devices.
  std::optional<double> smoothing_range = {};
  /// At most so many rows are solved directly, 1 to 512.
  int coarsest_rows = 128;
  /// Levels, the coarsest included, 1 or more.
  int max_levels = 20;
  /// The matrix is singular, with the near-null space as its null space (natural boundary values all around).
  /// Found by itself for scalar problems whose rows sum to zero.
  bool singular = false;
};

/// One level of a hierarchy.
struct MultigridLevel {
  Ordinal rows = 0;
  Offset entries = 0;
  /// Bound of the largest eigenvalue of D⁻¹A; 0 on the coarsest level if it is solved directly.
  double spectral_bound = 0;
  std::string aggregation; ///< how the next level was made; empty on the coarsest
};

/// What a set-up made.
struct MultigridReport {
  std::vector<MultigridLevel> levels;
  /// Entries of all levels' matrices relative to the finest's.
  double operator_complexity = 0;
  /// Memory of the hierarchy, beyond the matrix that it was given.
  std::size_t bytes = 0;
  bool singular = false;
  /// Added to the coarsest level's unit diagonal, where rounding to single precision had left it indefinite:
  /// 0 as a rule, 1e-6 to 1 for solids of thin cells or of very uneven stiffness, which take more
  /// iterations.
  double coarsest_shift = 0;
  double setup_seconds = 0;
  double refresh_seconds = 0; ///< of the last refresh
};

} // namespace tessera::solvers
