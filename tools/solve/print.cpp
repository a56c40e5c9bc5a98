// SPDX-License-Identifier: BSD-3-Clause
#include "solve.hpp"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

namespace tessera::tools {

namespace {

/// Why the iteration ended without a solution, and what is not written.
void print_failure(const SolveOptions& options, const Solution& solution) {
  const auto& iteration = solution.iteration;
  const bool too_few = iteration.reason == solvers::StopReason::max_iterations;
  const bool rounds = iteration.reason == solvers::StopReason::stagnated; // whatever solves
  if (options.tolerance && iteration.rhs_norm > 0 &&
      *options.tolerance * iteration.rhs_norm < iteration.attainable &&
      iteration.true_residual <= solvers::CgOptions::largest_rounding * iteration.rhs_norm)
    std::printf("NOT solved; rounding allows a relative residual of %.1e, not the %.1e asked for: without "
                "--tolerance that is enough\n",
                iteration.attainable / iteration.rhs_norm, *options.tolerance);
  else
    std::printf("NOT solved; %slikely cause: %s%s\n", too_few ? "more iterations may help, else the " : "",
                solution.cause.c_str(), rounds ? "" : other_solvers(options.solver).c_str());
  for (const std::string& file : {options.output, options.picture, options.displacements})
    if (!file.empty()) std::printf("%s is not written\n", file.c_str());
}

/// How far the solution is to be relied on.
void print_accuracy(const Solution& solution) {
  const auto& iteration = solution.iteration;
  if (iteration.rhs_norm > 0)
    std::printf("  relative residual %.1e, rounding leaves %.1e\n",
                iteration.true_residual / iteration.rhs_norm, iteration.attainable / iteration.rhs_norm);
  if (iteration.condition() > 0) std::printf("  condition %.1e, preconditioned\n", iteration.condition());
  if (!solution.errors.empty())
    std::printf("  about %d digits of the largest value are right at every node\n", digits(solution));
  else if (iteration.converged())
    std::printf("  how many digits are right is not known: the solver does not solve for the residual\n");
}

/// Why so few digits are sure.
void print_warning(const SolveOptions& options, const Solution& solution) {
  const auto& iteration = solution.iteration;
  std::printf("WARNING: fewer than %d digits of the solution are sure; ", least_digits);
  if (options.tolerance && iteration.true_residual > 4 * iteration.attainable) // no rounding yet
    std::printf("a smaller --tolerance gives more\n");
  else
    std::printf("likely cause: %s\n", solution.cause.c_str());
}

/// ", within 1e-12": a component's error where it is known.
std::string within(const Solution& solution, std::size_t component) {
  if (solution.errors.empty()) return "";
  char text[32];
  std::snprintf(text, sizeof text, ", within %.0e", solution.errors[component]);
  return text;
}

} // namespace

int digits(const Solution& solution) {
  if (solution.errors.empty()) return 0;
  const double error = *std::max_element(solution.errors.begin(), solution.errors.end());
  double size = 0;
  for (const auto& [low, high] : solution.extremes) size = std::max({size, -low, high});
  return error > 0 ? static_cast<int>(std::clamp(std::floor(std::log10(size / error)), 0.0, 16.0)) : 16;
}

int exit_status(const Solution& solution) {
  return !solution.iteration.converged() ? 1 : digits(solution) < least_digits ? 3 : 0;
}

void print(const SolveOptions& options, const std::string& title, const Solution& solution) {
  const auto& iteration = solution.iteration;
  std::printf("%s: %d elements, %d unknowns, %zu nonzeros\n", title.c_str(), solution.elements,
              solution.unknowns, solution.nonzeros);
  if (!solution.pinned.empty())
    std::printf("pinned, as nothing held it: %s; the solution is the one of least norm\n",
                solution.pinned.c_str());
  std::printf("%s: %d iterations, %s; residual %.3e (true %.3e, first %.3e)\n", options.solver.c_str(),
              iteration.iterations, solvers::to_string(iteration.reason).c_str(), iteration.residual,
              iteration.true_residual, iteration.initial_residual);
  print_accuracy(solution);
  for (const std::string& note : solution.solver_notes) std::printf("  %s\n", note.c_str());
  const int status = exit_status(solution);
  if (status == 1) print_failure(options, solution);
  if (status == 3) print_warning(options, solution);
  std::printf("energy %.9e\n", solution.energy);
  for (std::size_t c = 0; c < solution.extremes.size(); ++c)
    std::printf("component %zu: min %.9e max %.9e%s\n", c, solution.extremes[c].first,
                solution.extremes[c].second, within(solution, c).c_str());
  for (const auto& [name, seconds] : solution.stages) std::printf("%-12s %9.3f s\n", name.c_str(), seconds);
}

} // namespace tessera::tools
