// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// A linear system that peers solve, and how they did.

#include <functional>
#include <string>
#include <vector>

namespace tessera::tools {

/// A symmetric matrix in compressed rows with ascending columns, and a right-hand side.
struct SolverProblem {
  std::vector<int> row_map, columns;
  std::vector<double> values, b;
  std::vector<double> coordinates; ///< row x 3
  double tolerance = 1e-8;         ///< of ‖b − A x‖ relative to ‖b‖

  int rows() const { return static_cast<int>(b.size()); }
};

/// How a solver did: medians of the process' time, which leaves out what other programs take of the machine.
struct SolverRun {
  std::string name;
  double setup_seconds = 0, solve_seconds = 0;
  int iterations = 0;
  std::vector<double> x;
};

/// Times set-up and solution, `repetitions` times in turn.
/// \param set_up made anew each time, what it made before dropped in it
/// \param solve from zero. \return its iterations
SolverRun time_solver(const std::string& name, int repetitions, const std::function<void()>& set_up,
                      const std::function<int()>& solve);

/// Conjugate gradients with BoomerAMG (github.com/hypre-space/hypre), by its defaults, by what its
/// documentation advises in three dimensions, and by what paper 4 chose; then without it. MPI must be
/// initialised, with one rank.
/// \throws std::runtime_error with hypre's own words
std::vector<SolverRun> hypre_runs(const SolverProblem& problem, int repetitions);

/// Belos' conjugate gradients with MueLu's smoothed aggregation (trilinos.github.io). MPI and Kokkos must be
/// initialised, with one rank.
/// \throws std::exception of Trilinos'
std::vector<SolverRun> muelu_runs(const SolverProblem& problem, int repetitions);

} // namespace tessera::tools
