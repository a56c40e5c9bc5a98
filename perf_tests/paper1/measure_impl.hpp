#pragma once

/// \file
/// Times a strategy, stage by stage.

#include <tessera/core/error.hpp>

#include <Kokkos_Core.hpp>

#include "measure.hpp"
#include "support/machine.hpp"
#include "trivial_form.hpp"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <ctime>

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

template <class Form, class Plan, class System>
void time_form(const Plan& plan, const Form& form, const System& system, const Repetitions& repetitions,
               Row& row) {
  const Kokkos::DefaultExecutionSpace exec;
  const auto assemble = [&] { plan.assemble(form, system); };
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

inline void note_plan(Row& row, const PlanReport& report) {
  row.plan_seconds = report.seconds;
  row.plan_bytes = static_cast<std::int64_t>(report.bytes);
}

template <class Strategy, int Order>
Row time_plan(const Variant<Strategy>& variant, const HeatProblem<Order>& problem) {
  Row row = row_of(variant.name, problem);
  try {
    const std::clock_t before = std::clock();
    const auto plan = variant.strategy.plan(problem.space, problem.graph);
    row.plan_cpu_seconds = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
    note_plan(row, plan.report());
  } catch (const Error& error) {
    row.unsupported = error.what();
  }
  return row;
}

template <class Strategy, int Order>
std::vector<Row> time_strategy(const Strategy& strategy, const HeatProblem<Order>& problem,
                               const SerialAssembly<Order>& reference, const Repetitions& repetitions,
                               bool trivial) {
  using Element = Tri<Order>;
  Row row = row_of(Strategy::name, problem);
  std::vector<Row> rows;
  try {
    const auto plan = strategy.plan(problem.space, problem.graph);
    note_plan(row, plan.report());
    const LinearSystem<double> system(problem.graph);
    // Whatever is not assembled must not pass for right.
    Kokkos::deep_copy(system.values(), NAN);
    Kokkos::deep_copy(system.rhs(), NAN);
    const Cost cost = strategy.template cost<Element, Helmholtz<>, double>(problem.space, problem.graph);
    Row heat = row;
    heat.model_bytes = cost.bytes;
    heat.model_flops = cost.flops;
    time_form(plan, problem.form, system, repetitions, heat);
    heat.error = std::max(largest_error(on_host(system.values()), reference.values()),
                          largest_error(on_host(system.rhs()), reference.rhs()));
    rows.push_back(heat);
    if (trivial) {
      row.kernel = "trivial";
      time_form(plan, TrivialForm{}, system, repetitions, row);
      rows.push_back(row);
    }
  } catch (const Error& error) {
    row.unsupported = error.what();
    rows.push_back(row);
  }
  return rows;
}

template <class Strategy>
double single_precision_error(const HeatProblem<1>& rounded, const SerialAssembly<1>& reference) {
  const LinearSystem<float> system(rounded.graph);
  Strategy{}.plan(rounded.space, rounded.graph).assemble(rounded.form, system);
  const auto values = on_host(system.values()), rhs = on_host(system.rhs());
  return (sum_of_errors(values, reference.values()) + sum_of_errors(rhs, reference.rhs())) /
         static_cast<double>(values.size() + rhs.size());
}

} // namespace tessera::tools
