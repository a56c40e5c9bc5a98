// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/strategies/residual/recomputing_residual.hpp>
#include <tessera/strategies/residual/thread_transposition.hpp>

#include "measure.hpp"
#include "rows.hpp"

namespace tessera::paper3 {

void measure_whole(const Settings& settings, std::vector<Row>& rows) {
  using ExecutionSpace = Kokkos::DefaultExecutionSpace;
  const auto mesh = box_of<Tet<1>, ExecutionSpace>(1.2 * settings.cells);
  const Kokkos::View<double*, ExecutionSpace> by_cell("Tessera::Paper3::by_cell", mesh.num_elements());
  Kokkos::deep_copy(by_cell, 1.5);
  const auto add = [&](const std::string& problem, const std::string& coefficient,
                       const std::string& strategy, double seconds) {
    rows.push_back({.part = "whole",
                    .problem = problem,
                    .element = Tet<1>::name,
                    .scalar = "double",
                    .coefficient = coefficient,
                    .strategy = strategy,
                    .cells = double(mesh.num_elements()),
                    .seconds = seconds,
                    .nodes = double(mesh.num_nodes())});
  };
  const auto measure = [&](const std::string& problem, const std::string& coefficient, const auto& form) {
    for (const auto& [suffix, strategy] : residual::RecomputingResidual::variants())
      add(problem, coefficient, "RecomputingResidual" + suffix,
          whole_seconds<double>(ExecutionSpace(), strategy, form, mesh, settings.repetitions));
  };
  measure("Poisson", "constant", Laplace{});
  measure("Poisson", "P0", weak_form(VariableLaplace{}, CellField::per_element(by_cell)));
  measure("neo-Hookean", "constant", NeoHookean<3>{});
  add("Poisson", "constant", residual::ThreadTransposition::name,
      whole_seconds<double>(ExecutionSpace(), residual::ThreadTransposition{}, Laplace{}, mesh,
                            settings.repetitions));
}

} // namespace tessera::paper3
