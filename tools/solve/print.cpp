#include "solve.hpp"
#include <cstdio>

namespace tessera::tools {

void print(const SolveOptions& options, const std::string& title, const Solution& solution) {
  const auto& iteration = solution.iteration;
  std::printf("%s: %d elements, %d unknowns, %zu nonzeros\n", title.c_str(), solution.elements,
              solution.unknowns, solution.nonzeros);
  std::printf("%s: %d iterations, %s; residual %.3e (true %.3e, first %.3e)\n", options.solver.c_str(),
              iteration.iterations, solvers::to_string(iteration.reason).c_str(), iteration.residual,
              iteration.true_residual, iteration.initial_residual);
  for (const std::string& note : solution.solver_notes) std::printf("  %s\n", note.c_str());
  if (!iteration.converged()) {
    const bool too_few = iteration.reason == solvers::StopReason::max_iterations;
    std::printf("NOT solved; %slikely cause: %s\n", too_few ? "more iterations may help, else the " : "",
                solution.cause.c_str());
    for (const std::string& file : {options.output, options.picture, options.displacements})
      if (!file.empty()) std::printf("%s is not written\n", file.c_str());
  }
  std::printf("energy %.9e\n", solution.energy);
  for (std::size_t c = 0; c < solution.extremes.size(); ++c)
    std::printf("component %zu: min %.9e max %.9e\n", c, solution.extremes[c].first,
                solution.extremes[c].second);
  for (const auto& [name, seconds] : solution.stages) std::printf("%-12s %9.3f s\n", name.c_str(), seconds);
}

} // namespace tessera::tools
