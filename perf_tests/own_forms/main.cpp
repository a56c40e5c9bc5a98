// SPDX-License-Identifier: BSD-3-Clause
// tessera-own-forms: how often Best is right about an application's own forms, which no table has times of.
//
//   tessera-own-forms [share of the boxes' cells along each axis]

#include <tessera/core/elements/elements.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/execution_spaces.hpp>
#include <tessera/strategies/best/machine_calibration.hpp>

#include "measure.hpp"
#include "support/run_tool.hpp"
#include <cstdio>
#include <cstdlib>
#include <tuple>

namespace {

using namespace tessera;
using namespace tessera::tools;

int run(int argc, char** argv) {
  const double share = argc > 1 ? std::atof(argv[1]) : 1.0;
  if (!(share > 0)) throw ArgumentError("the share of the cells must be positive");
  const auto on = [&]<class ExecutionSpace>(ExecutionSpace exec) {
    // As the boxes of a calibration: larger than the caches.
    const auto cells = [&](double on_host, double on_device) {
      return static_cast<int>(share * (runs_on_host<ExecutionSpace> ? on_host : on_device));
    };
    std::printf("%s: %s, table of %s\n%-6s %-22s %-9s %-24s %10s %10s %8s\n",
                backend_name<ExecutionSpace>().c_str(), device_name(exec).c_str(),
                machine_calibration(exec)->date.c_str(), "", "form", "mesh", "strategy", "ns", "predicted",
                "ratio");
    Hits hits;
    measure_own_forms<Quad<1>>(exec, cells(388, 1100), hits);
    measure_own_forms<Tet<1>>(exec, cells(40, 80), hits);
    measure_own_forms<Tet<2>>(exec, cells(20, 40), hits);
    measure_own_forms<Hex<1>>(exec, cells(40, 80), hits);
    std::printf("%d cases, within 1.1 times the fastest %d, beyond 1.5 times %d; %d times, predicted within "
                "30 %% %d\n",
                hits.cases, hits.close, hits.slow, hits.times, hits.predicted);
  };
  std::apply([&](auto... space) { (on(space), ...); }, ExecutionSpaces());
  return 0;
}

} // namespace

int main(int argc, char** argv) { return tessera::tools::run_tool("tessera-own-forms", run, argc, argv); }
