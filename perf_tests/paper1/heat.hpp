// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Times the strategies with the heat form, which the catalogue has compiled.

#include <tessera/core/error.hpp>
#include <tessera/strategies/catalogue/detail/make_plan.hpp>

#include <Kokkos_Core.hpp>

#include "serial_assembly.hpp"
#include "timing.hpp"
#include <algorithm>
#include <cmath>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

namespace tessera::tools {

template <class View>
std::vector<typename View::non_const_value_type> on_host(const View& view) {
  std::vector<typename View::non_const_value_type> host(view.extent(0));
  Kokkos::deep_copy(
      Kokkos::View<typename View::non_const_value_type*, Kokkos::HostSpace>(host.data(), host.size()), view);
  return host;
}

/// Largest difference relative to the largest entry; infinity for NaN.
inline double largest_error(const std::vector<double>& values, const std::vector<double>& reference) {
  double difference = 0, largest = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double d = std::abs(values[i] - reference[i]);
    if (!(d <= difference)) difference = std::isnan(d) ? INFINITY : d;
    largest = std::max(largest, std::abs(reference[i]));
  }
  return difference / largest;
}

/// Sum of the relative errors, entry by entry.
inline double sum_of_errors(const std::vector<float>& values, const std::vector<double>& reference) {
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    sum += std::abs(values[i] - reference[i]) / std::abs(reference[i]);
  return sum;
}

/// The catalogue's plan of a strategy with any options.
template <class Strategy, int Order>
auto make_plan(const Variant<Strategy>& variant, const HeatProblem<Order>& problem) {
  return catalogue::detail::make_plan(Kokkos::DefaultExecutionSpace(), variant, problem.space, problem.graph);
}

/// Plans one strategy.
template <class Strategy, int Order>
Row time_plan(const Variant<Strategy>& variant, const HeatProblem<Order>& problem) {
  Row row = row_of(variant.name, problem);
  try {
    const std::clock_t before = std::clock();
    const auto plan = make_plan(variant, problem);
    plan->prepare(problem.form, double());
    row.plan_cpu_seconds = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
    note_plan(row, plan->report());
  } catch (const UnsupportedError& error) {
    row.unsupported = error.what();
  }
  return row;
}

/// Plans and times one strategy in double precision. The error is the largest difference from `reference`,
/// relative to its largest entry.
template <class Strategy, int Order>
Row time_heat(const Variant<Strategy>& variant, const HeatProblem<Order>& problem,
              const SerialAssembly<Order>& reference, const Repetitions& repetitions) {
  Row row = row_of(variant.name, problem);
  try {
    const auto plan = make_plan(variant, problem);
    plan->prepare(problem.form, double());
    note_plan(row, plan->report());
    const LinearSystem<double> system(problem.graph);
    // Whatever is not assembled must not pass for right.
    Kokkos::deep_copy(system.values(), NAN);
    Kokkos::deep_copy(system.rhs(), NAN);
    const Cost cost = plan->cost(problem.form, double());
    row.model_bytes = cost.bytes;
    row.model_flops = cost.flops;
    time_assembly([&] { plan->assemble(problem.form, system); }, repetitions, row);
    row.error = std::max(largest_error(on_host(system.values()), reference.values()),
                         largest_error(on_host(system.rhs()), reference.rhs()));
  } catch (const UnsupportedError& error) {
    row.unsupported = error.what();
  }
  return row;
}

/// Table VI's measure: mean of the relative errors of all entries of matrix and right-hand side that one
/// strategy assembles in single precision, against the reference in double precision.
template <class Strategy>
double single_precision_error(const HeatProblem<1>& rounded, const SerialAssembly<1>& reference) {
  const LinearSystem<float> system(rounded.graph);
  make_plan(Variant<Strategy>{Strategy::name, {}}, rounded)->assemble(rounded.form, system);
  const auto values = on_host(system.values()), rhs = on_host(system.rhs());
  return (sum_of_errors(values, reference.values()) + sum_of_errors(rhs, reference.rhs())) /
         static_cast<double>(values.size() + rhs.size());
}

} // namespace tessera::tools
