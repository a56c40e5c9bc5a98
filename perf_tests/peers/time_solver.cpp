// SPDX-License-Identifier: BSD-3-Clause
#include "solver_problem.hpp"
#include "timing.hpp"

namespace tessera::tools {

SolverRun time_solver(const std::string& name, int repetitions, const std::function<void()>& set_up,
                      const std::function<int()>& solve) {
  SolverRun run;
  run.name = name;
  std::vector<double> setup_seconds, solve_seconds;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    const double begin = processor_seconds(CLOCK_PROCESS_CPUTIME_ID);
    set_up();
    const double middle = processor_seconds(CLOCK_PROCESS_CPUTIME_ID);
    run.iterations = solve();
    setup_seconds.push_back(middle - begin);
    solve_seconds.push_back(processor_seconds(CLOCK_PROCESS_CPUTIME_ID) - middle);
  }
  run.setup_seconds = median(setup_seconds);
  run.solve_seconds = median(solve_seconds);
  return run;
}

} // namespace tessera::tools
