// SPDX-License-Identifier: BSD-3-Clause
#include "support/options/solve_options.hpp"

#include <tessera/core/error.hpp>
#include <tessera/strategies/catalogue/any_assembly.hpp>

namespace tessera::tools {

void SolveOptions::declare_conditions(Options& parser) {
  parser.texts(
      "--fix", fixes,
      "SET=V,V,...: prescribed values on a node set, '-' for a free component; sets agree where they meet");
  parser.texts("--load", loads, "SET=V,V,...: load per area on a side set");
  parser.texts("--pressure", pressures, "SET=P: pressure against the outward normal of a side set");
}

void SolveOptions::declare_system(Options& parser) {
  std::vector<std::string> strategies;
  for (const auto& info : assembly_strategies()) strategies.push_back(info.name);
  strategy = strategies.front();
  parser.choice("--constraints", treatment, {"removed", "zeroed"}, "what becomes of prescribed equations");
  parser.choice("--strategy", strategy, strategies, "assembly strategy");
  parser.number("--tolerance", tolerance,
                "relative residual, below 1; without it 1e-8, or what rounding allows where that is more");
  parser.count("--max-iterations", max_iterations, 1, "limit of iterations");
}

void SolveOptions::check_tolerance() const {
  if (tolerance && !(*tolerance >= 0 && *tolerance < 1))
    throw ArgumentError("--tolerance: expected a number from 0 to below 1, which zero would meet, got " +
                        std::to_string(*tolerance));
}

void SolveOptions::check_dimension(int dimension) const {
  if (dimension == 2 && back) throw ArgumentError("--back has no meaning for plane meshes");
}

} // namespace tessera::tools
