// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// What is measured of one strategy on one mesh.

#include <tessera/strategies/assembly/element_atomic.hpp>
#include <tessera/strategies/assembly/element_global.hpp>
#include <tessera/strategies/assembly/element_local.hpp>
#include <tessera/strategies/assembly/element_shared.hpp>
#include <tessera/strategies/assembly/nz_global.hpp>
#include <tessera/strategies/assembly/nz_local.hpp>
#include <tessera/strategies/assembly/nz_shared.hpp>
#include <tessera/strategies/assembly/row_global.hpp>
#include <tessera/strategies/assembly/row_local.hpp>
#include <tessera/strategies/assembly/row_owner.hpp>
#include <tessera/strategies/assembly/row_shared.hpp>
#include <tessera/strategies/common/variant.hpp>

#include "heat_problem.hpp"
#include "support/color_by_color.hpp"
#include <array>
#include <string>
#include <tuple>
#include <vector>

namespace tessera::tools {

/// The paper's Table III, and two of today's strategies to compare with.
using Compared = std::tuple<
    // clang-format off
    assembly::ElementLocal,
    assembly::ElementShared,
    assembly::ElementGlobal,
    assembly::RowLocal,
    assembly::RowShared,
    assembly::RowGlobal,
    assembly::NzLocal,
    assembly::NzShared,
    assembly::NzGlobal,
    assembly::RowOwner,
    assembly::ElementAtomic
    // clang-format on
    >;

inline constexpr int max_order = 5;

/// A strategy as the catalogue has it, then as the paper does where that differs: blocks by METIS in place of
/// the Hilbert curve, a launch for each color in place of a CUDA graph of all.
template <class Strategy>
std::vector<Variant<Strategy>> as_in_the_paper() {
  std::vector<Variant<Strategy>> all{{Strategy::name, {}}};
  const std::string name = Strategy::name;
  if constexpr (requires(Strategy s) { s.partitioner; })
    all.push_back({name + "/metis", {.partitioner = Partitioner::metis}});
  if constexpr (requires(Strategy s) { s.color_launches; })
    all.push_back({name + separate_colors, {.color_launches = ColorLaunches::separate}});
  return all;
}

/// One measurement; a row of every output.
struct Row {
  std::string part; ///< "table4", "figure3", "figure12", "figure13", "table6", "plans"
  std::string strategy;
  std::string kernel = "heat"; ///< or "trivial": the dummy element kernel
  std::string scalar = "double";
  int order = 1;
  int colors = 0; ///< asked for; Figure 3
  std::int64_t nodes = 0, elements = 0, nonzeros = 0;
  double seconds = 0, seconds_min = 0; ///< median and least of the repetitions
  double element_seconds = 0;          ///< of the element stage, where a strategy has one of its own
  double plan_seconds = 0;
  double plan_cpu_seconds = 0; ///< processor time of all threads; only where `part` is "plans"
  std::int64_t plan_bytes = 0;
  double model_bytes = 0, model_flops = 0;
  double error = -1;       ///< see `part`: mean relative (Table VI) or largest (others); negative: none
  std::string unsupported; ///< why there is no time
  /// Table IV: of an element's nodes with one field, their coordinates, its data, its data where symmetric.
  std::array<int, 4> numbers{};

  double ns_per_element() const { return elements == 0 ? 0 : 1e9 * seconds / static_cast<double>(elements); }
};

/// How long to repeat.
struct Repetitions {
  int count = 15;
  double seconds = 2; ///< per strategy and mesh, three repetitions at least
};

/// Plans and times one strategy in double precision with the dummy kernel.
template <class Strategy, int Order>
Row time_trivial(const HeatProblem<Order>& problem, const Repetitions& repetitions);

} // namespace tessera::tools
