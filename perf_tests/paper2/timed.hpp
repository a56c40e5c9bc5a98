#pragma once

/// \file
/// What the evaluation of paper 2 times.

#include <tessera/strategies/assembly/warp_per_element.hpp>
#include <tessera/strategies/catalogue/any_assembly.hpp>

#include <string>
#include <vector>

namespace tessera::tools {

/// A thread per element, with the memory choices of the one that paper 2 compares with and with ours; today's
/// baseline, the paper's strategies, and paper 1's and ours that win on hexahedra.
inline constexpr const char* compared[] = {"ElementLocal", "ElementAtomic", "WarpPerElement",
                                           "TwoKernels",   "NzGlobal",      "RowOwner"};

/// Names of the catalogue's variants that are timed, strategy by strategy.
inline std::vector<std::string> catalogue_names() {
  std::vector<std::string> names;
  for (const std::string strategy : compared)
    for (const StrategyInfo& info : assembly_strategies()) {
      if (info.name.substr(0, info.name.find('/')) != strategy) continue;
      // The paper has no partitions, and METIS takes most of the time of such a row.
      if (!info.name.ends_with("/metis")) names.push_back(info.name);
    }
  return names;
}

/// A strategy of the paper that the catalogue does not have, and its name in tables.
struct WarpOptions {
  std::string name;
  assembly::WarpPerElement strategy;
};

/// What is timed besides the catalogue: the ways to the Jacobian (Table 1) and options of WarpPerElement.
inline std::vector<WarpOptions> warp_options() {
  using assembly::WarpPerElement;
  const WarpPerElement paper{
      .integration = Integration::per_point, .scatter = Scatter::lanes, .integrand = Integrand::pointwise};
  std::vector<WarpOptions> options;
  const auto add = [&](const char* suffix, WarpPerElement strategy) {
    options.push_back({std::string("WarpPerElement") + suffix, strategy});
  };
  auto with = paper;
  with.jacobian = JacobianSum::atomics;
  add("/4/per_point: Jacobian by atomics", with);
  with.jacobian = JacobianSum::scratch;
  add("/4/per_point: Jacobian in scratch", with);
  with.integration = Integration::partial_parallel;
  with.jacobian = JacobianSum::atomics;
  add("/4/partial_parallel: Jacobian by atomics", with);
  with.jacobian = JacobianSum::scratch;
  add("/4/partial_parallel: Jacobian in scratch", with);
  with.scatter = Scatter::rows;
  add("/4/partial_parallel: scratch, rows", with);
  with.integrand = Integrand::moments;
  with.scatter = Scatter::lanes;
  add("/4/partial_parallel: scratch, moments", with);
  add(": Jacobian by shuffle", {.jacobian = JacobianSum::shuffle});
  add(": threads_per_row 8", {.threads_per_row = 8});
  return options;
}

/// Names of all that is timed.
inline std::vector<std::string> timed_names() {
  std::vector<std::string> names = catalogue_names();
  for (const WarpOptions& option : warp_options()) names.push_back(option.name);
  return names;
}

} // namespace tessera::tools
