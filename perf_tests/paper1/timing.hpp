// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Times an assembly, stage by stage.

#include <tessera/strategies/best/machine.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Timer.hpp>

#include "measure.hpp"
#include <algorithm>
#include <cstring>
#include <vector>

namespace tessera::tools {

/// Adds up the time of kernels that belong to an element stage, for as long as it lives; fences around every
/// kernel, so that the total is longer than without.
class StageClock {
public:
  StageClock() {
    namespace Tools = Kokkos::Tools::Experimental;
    seconds_ = 0;
    Tools::set_begin_parallel_for_callback([](const char* label, std::uint32_t, std::uint64_t*) {
      in_stage_ = std::strcmp(label, "Tessera::ElementStage::compute") == 0 ||
                  std::strcmp(label, "Tessera::ElementGlobal::compute") == 0;
      Kokkos::fence("Tessera::Paper1::before_stage");
      timer_.reset();
    });
    Tools::set_end_parallel_for_callback([](std::uint64_t) {
      Kokkos::fence("Tessera::Paper1::after_stage");
      if (in_stage_) seconds_ += timer_.seconds();
    });
  }
  StageClock(const StageClock&) = delete;
  StageClock& operator=(const StageClock&) = delete;
  ~StageClock() { Kokkos::Tools::Experimental::set_callbacks({}); }

  double seconds() const { return seconds_; }

private:
  static inline Kokkos::Timer timer_;
  static inline bool in_stage_ = false;
  static inline double seconds_ = 0;
};

/// Times assemblies into `row`.
template <class Assemble>
void time_assembly(const Assemble& assemble, const Repetitions& repetitions, Row& row) {
  const Kokkos::DefaultExecutionSpace exec;
  const auto seconds = time_repeatedly(exec, repetitions.count, assemble, repetitions.seconds);
  row.seconds = median(seconds);
  row.seconds_min = *std::min_element(seconds.begin(), seconds.end());
  std::vector<double> stage;
  for (int repetition = 0; repetition < 3; ++repetition) {
    const StageClock clock;
    assemble();
    stage.push_back(clock.seconds());
    if (stage.back() == 0) break;
  }
  row.element_seconds = median(stage);
}

inline void note_plan(Row& row, const PlanReport& report) {
  row.plan_seconds = report.total_seconds();
  row.plan_bytes = static_cast<std::int64_t>(report.bytes);
}

template <int Order>
Row row_of(const std::string& strategy, const HeatProblem<Order>& problem) {
  Row row;
  row.strategy = strategy;
  row.order = Order;
  row.nodes = problem.mesh.num_nodes();
  row.elements = problem.mesh.num_elements();
  row.nonzeros = static_cast<std::int64_t>(problem.graph.num_entries());
  return row;
}

} // namespace tessera::tools
