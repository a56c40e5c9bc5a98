// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// What the evaluation of paper 2 times.

#include <tessera/strategies/assembly/element_atomic.hpp>
#include <tessera/strategies/assembly/element_local.hpp>
#include <tessera/strategies/assembly/nz_global.hpp>
#include <tessera/strategies/assembly/row_owner.hpp>
#include <tessera/strategies/assembly/two_kernels.hpp>
#include <tessera/strategies/assembly/warp_per_element.hpp>
#include <tessera/strategies/common/variant.hpp>

#include "baseline.hpp"
#include "support/color_by_color.hpp"
#include <string>
#include <tuple>
#include <vector>

namespace tessera::tools {

/// A thread per element, with our choices of memory and with those of the one that paper 2 compares with;
/// today's baseline, the paper's strategies, and paper 1's and ours that win on hexahedra.
using Timed = std::tuple<assembly::ElementLocal, Baseline, assembly::ElementAtomic, assembly::WarpPerElement,
                         assembly::TwoKernels, assembly::NzGlobal, assembly::RowOwner>;

/// The paper's baseline: its speed-ups are over this.
inline constexpr const char* paper_baseline = "ElementLocal/paper2/separate";

/// What the catalogue does not have: the ways to the Jacobian (Table 1) and options of WarpPerElement.
inline std::vector<Variant<assembly::WarpPerElement>> warp_options() {
  using assembly::WarpPerElement;
  const WarpPerElement paper{.integration = Integration::per_point,
                             .scatter = Scatter::lanes,
                             .integrand = Integrand::pointwise,
                             .color_launches = ColorLaunches::separate};
  std::vector<Variant<WarpPerElement>> options;
  const auto add = [&](const char* suffix, WarpPerElement strategy) {
    options.push_back({std::string(WarpPerElement::name) + suffix, strategy});
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
  with.color_launches = ColorLaunches::automatic;
  with.scatter = Scatter::rows;
  add("/4/partial_parallel: scratch, rows", with);
  with.integrand = Integrand::moments;
  with.scatter = Scatter::lanes;
  add("/4/partial_parallel: scratch, moments", with);
  add(": Jacobian by shuffle", {.jacobian = JacobianSum::shuffle});
  add(": threads_per_row 8", {.threads_per_row = 8});
  return options;
}

/// Calls `visit(variant)` for all that is timed, those of ElementLocal first. The papers' variants come with
/// a launch for each color and with a graph of all.
template <class Visit>
void for_each_timed(const Visit& visit) {
  for_each_strategy<Timed>([&](const auto& variant) {
    // The paper has no partitions, and METIS takes most of the time of such a row.
    if (variant.name.ends_with("/metis")) return;
    visit(variant);
    if (const auto separate = color_by_color(variant)) visit(*separate);
  });
  for (const auto& option : warp_options()) visit(option);
}

/// Names of all that is timed.
inline std::vector<std::string> timed_names() {
  std::vector<std::string> names;
  for_each_timed([&](const auto& variant) { names.push_back(variant.name); });
  return names;
}

} // namespace tessera::tools
