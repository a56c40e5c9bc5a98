#include "solve.hpp"
#include <algorithm>
#include <cmath>
#include <cstdio>

namespace tessera::tools {

namespace {

/// Why the iteration ended without a solution, and what is not written.
void print_failure(const SolveOptions& options, const Solution& solution) {
  const auto& iteration = solution.iteration;
  const bool too_few = iteration.reason == solvers::StopReason::max_iterations;
  if (options.tolerance && iteration.rhs_norm > 0 &&
      *options.tolerance * iteration.rhs_norm < iteration.attainable)
    std::printf("NOT solved; rounding allows a relative residual of %.1e, not the %.1e asked for: without "
                "--tolerance that is enough\n",
                iteration.attainable / iteration.rhs_norm, *options.tolerance);
  else
    std::printf("NOT solved; %slikely cause: %s\n", too_few ? "more iterations may help, else the " : "",
                solution.cause.c_str());
  for (const std::string& file : {options.output, options.picture, options.displacements})
    if (!file.empty()) std::printf("%s is not written\n", file.c_str());
}

/// How far the solution is to be relied on.
void print_accuracy(const Solution& solution) {
  const auto& iteration = solution.iteration;
  if (iteration.rhs_norm > 0)
    std::printf("  relative residual %.1e, rounding leaves %.1e\n",
                iteration.true_residual / iteration.rhs_norm, iteration.attainable / iteration.rhs_norm);
  if (iteration.condition() > 0)
    std::printf("  condition %.1e, preconditioned; about %d digits of the solution are right\n",
                iteration.condition(), digits(solution));
}

/// Why so few digits are sure.
void print_warning(const Solution& solution) {
  const auto& iteration = solution.iteration;
  std::printf("WARNING: fewer than %d digits of the solution are sure; ", least_digits);
  if (iteration.relative_error() == solution.relative_error) // its residual's, not rounding's
    std::printf("a smaller --tolerance gives more\n");
  else
    std::printf("likely cause: %s\n", solution.cause.c_str());
}

} // namespace

int digits(const Solution& solution) {
  const double error = solution.relative_error;
  return error > 0 ? std::clamp(static_cast<int>(std::floor(-std::log10(error))), 0, 16) : 16;
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
  if (status == 3) print_warning(solution);
  std::printf("energy %.9e\n", solution.energy);
  for (std::size_t c = 0; c < solution.extremes.size(); ++c)
    std::printf("component %zu: min %.9e max %.9e\n", c, solution.extremes[c].first,
                solution.extremes[c].second);
  for (const auto& [name, seconds] : solution.stages) std::printf("%-12s %9.3f s\n", name.c_str(), seconds);
}

} // namespace tessera::tools
