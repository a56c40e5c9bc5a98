// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Options of patch multigrid, and what it says of itself.

#include <tessera/core/partition/double_partition.hpp>
#include <tessera/core/types.hpp>

#include <cstddef>
#include <vector>

namespace tessera::solvers {

/// Precision in which a level's matrices and vectors are kept.
enum class Precision { single_precision, double_precision };

/// Options of `PatchMultigrid`; the defaults are the paper's.
struct PatchMultigridOptions {
  /// Aggregates and patches of every level.
  DoublePartitionOptions partition = {};
  /// Steps of Jacobi that stand for a patch's inverse, >= 1; 1 makes the relaxation Jacobi's on the whole
  /// matrix. Three is "generally the sweet spot" (section 6.2.3). Without blocks all steps are on the whole
  /// matrix.
  int inner_iterations = 3;
  /// Weight of those steps times the spectral radius of D⁻¹A, in (0, 2).
  double relaxation = 4.0 / 3;
  /// Weight of the prolongator's smoothing times that radius, in [0, 2); 0: tentative prolongators.
  double smoothing = 4.0 / 3;
  /// Levels of at most so many rows are solved directly, >= 1.
  Ordinal coarsest = 500;
  /// Of each level from the finest on; the last holds for all further ones. Section 5.3: single throughout,
  /// but for the coarsest level, whose inverse is kept in double precision.
  std::vector<Precision> precision{Precision::single_precision};
};

/// One level of a hierarchy.
struct PatchMultigridLevel {
  Ordinal rows = 0;
  Offset entries = 0;
  Ordinal patches = 0;        ///< 0 on the coarsest level, which is solved directly, and without blocks
  double spectral_radius = 0; ///< of D⁻¹A, estimated; 0 on the coarsest level
  bool blocks_in_scratch = false;
  bool single_precision = false;
};

/// What a set-up made.
struct PatchMultigridReport {
  double seconds = 0;
  std::size_t bytes = 0; ///< device memory that is kept
  std::vector<PatchMultigridLevel> levels;
};

} // namespace tessera::solvers
