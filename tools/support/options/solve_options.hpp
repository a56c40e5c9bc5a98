// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// What the tools that solve are told.

#include <tessera/core/space/function_space.hpp>

#include "support/options/options.hpp"
#include "support/problem/problem.hpp"
#include <optional>
#include <string>
#include <vector>

namespace tessera::tools {

/// What is solved, beyond the problem.
struct SolveOptions {
  Problem problem;
  std::string deck;                                 ///< stands for the problem and all conditions
  std::vector<std::string> fixes, loads, pressures; ///< SET=VALUES
  std::string strategy, solver = "automatic", treatment = "removed", output, picture, unit;
  std::string displacements, reference; ///< of a deck: a file to write, and one to compare with
  int steps = 0;                        ///< of a deck, that are regarded; 0: all
  double digits = 5;                    ///< that the reference's displacements must agree to
  std::optional<double> tolerance;      ///< as solvers::CgOptions
  int max_iterations = 100000;
  bool pin = false;  ///< what nothing holds
  bool back = false; ///< the picture shows the back

  /// Options of supports and loads.
  void declare_conditions(Options& parser);
  /// Options of the system, its assembly and the iteration.
  void declare_system(Options& parser);

  /// \throws ArgumentError for a tolerance out of range
  void check_tolerance() const;

  /// \throws ArgumentError for options that mean nothing on meshes of so many dimensions
  void check_dimension(int dimension) const;
};

inline ConstraintTreatment treatment_of(const SolveOptions& options) {
  return options.treatment == "removed" ? ConstraintTreatment::removed : ConstraintTreatment::zeroed;
}

} // namespace tessera::tools
