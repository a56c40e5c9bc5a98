// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Times a strategy with the dummy kernel; compiled once per strategy.

#include <tessera/core/error.hpp>

#include <Kokkos_Core.hpp>

#include "timing.hpp"
#include "trivial_form.hpp"

namespace tessera::tools {

template <class Strategy, int Order>
Row time_trivial(const HeatProblem<Order>& problem, const Repetitions& repetitions) {
  Row row = row_of(Strategy::name, problem);
  row.kernel = "trivial";
  try {
    auto plan = Strategy{}.plan(problem.space, problem.graph);
    note_plan(row, plan.prepare(TrivialForm{}));
    const LinearSystem<double> system(problem.graph);
    time_assembly([&] { plan.assemble(TrivialForm{}, system); }, repetitions, row);
  } catch (const UnsupportedError& error) {
    row.unsupported = error.what();
  }
  return row;
}

} // namespace tessera::tools
