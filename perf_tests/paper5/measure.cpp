// SPDX-License-Identifier: BSD-3-Clause
#include "measure.hpp"

#include <tessera/core/system/deviation.hpp>
#include <tessera/solvers/cg.hpp>
#include <tessera/solvers/crs_operator.hpp>
#include <tessera/solvers/jacobi.hpp>
#include <tessera/solvers/operator.hpp>
#ifdef TESSERA_HAVE_KOKKOSKERNELS
#include <tessera/solvers/kokkos_kernels.hpp>
#endif

#include <tessera/strategies/best/machine.hpp>

#include <Kokkos_Timer.hpp>

#include "support/agreement.hpp"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

namespace tessera::tools {

namespace {

using ExecutionSpace = TimedOperator::ExecutionSpace;
using Range = Kokkos::RangePolicy<ExecutionSpace>;

void print(const OperatorResult& r) {
  std::printf("%-8s %-6s %-10s %-36s %9.4f ns/elem %7.2f GDOF/s %8.1f MB %7.0f GB/s %7.0f GF/s  err %.1e",
              r.problem.c_str(), r.element.c_str(), r.form.c_str(), r.strategy.c_str(), r.ns_per_element,
              r.gdof_per_s, (r.bytes + r.mesh_bytes) * 1e-6, r.gb_per_s, r.gflop_per_s, r.error);
  if (!r.agrees) std::printf(" WRONG");
  for (const auto& [name, cg] : {std::pair{"cg", r.plain_cg}, {"Jacobi cg", r.jacobi_cg}})
    if (cg.iterations > 0)
      std::printf("  %s %d its %.4f s%s", name, cg.iterations, cg.seconds, cg.converged ? "" : " (stopped)");
  std::printf("\n");
  std::fflush(stdout);
}

} // namespace

// Kernels are not in the unnamed namespace: nvcc takes no such type in the template arguments of a kernel.
struct FillWaves {
  TimedOperator::Vector x;
  KOKKOS_FUNCTION void operator()(Ordinal i) const {
    x(i) = Kokkos::sin(0.37 * i) + 0.2 * Kokkos::cos(1.7 * i);
  }
};

OperatorTimer::OperatorTimer(Measurement& measurement, const OperatorResult& common)
    : measurement_(measurement), common_(common), x_("Tessera::tools::x", common.equations),
      y_("Tessera::tools::y", common.equations), reference_("Tessera::tools::reference", common.equations) {
  Kokkos::parallel_for("Tessera::tools::fill", Range(0, common.equations), FillWaves{x_});
}

void OperatorTimer::add_assembled(const LinearSystem<double>& system, double seconds, double error) {
  if (!(error <= agreement_tolerance<double>))
    throw SolverError("the assembled matrix, which all operators are compared with, is wrong: its error is " +
                      std::to_string(error));
  const ExecutionSpace exec;
  const auto& graph = system.graph();
  const solvers::CrsOperator<double> crs(exec, graph.row_map, graph.columns, system.values());
  crs.apply(exec, x_, reference_);
  if (!measurement_.wants("assembled")) return;
  const Vector diagonal = solvers::detail::diagonal(
      exec, solvers::detail::CrsViews<double, ExecutionSpace>{graph.row_map, graph.columns, system.values()});
  OperatorResult r = common_;
  r.prepare_seconds = seconds;
  r.bytes = bytes_of(graph.row_map) + bytes_of(graph.columns) + bytes_of(system.values());
  r.model_bytes = static_cast<double>(r.bytes) + 2.0 * static_cast<double>(r.equations) * sizeof(double);
  r.model_flops = 2.0 * graph.num_entries();
  r.strategy = "assembled, Tessera";
  add(TimedOperator(crs), system.rhs(), diagonal, r);
#ifdef TESSERA_HAVE_KOKKOSKERNELS
  r.strategy = "assembled, Kokkos Kernels";
  const solvers::KokkosKernelsOperator<double> kernels(exec, graph.row_map, graph.columns, system.values());
  add(TimedOperator(kernels), system.rhs(), diagonal, r);
#endif
}

void OperatorTimer::add(const TimedOperator& op, const Vector& rhs, const Vector& diagonal,
                        OperatorResult r) {
  time_products(op, r);
  if (measurement_.cg_iterations > 0) {
    r.plain_cg = time_solution(op, solvers::Identity<double, ExecutionSpace>(op.rows()), rhs);
    r.jacobi_cg = time_solution(op, solvers::Jacobi<double>(ExecutionSpace(), diagonal), rhs);
  }
  measurement_.results.push_back(r);
  print(r);
}

void OperatorTimer::time_products(const TimedOperator& op, OperatorResult& r) const {
  const ExecutionSpace exec;
  const auto n = static_cast<double>(op.rows());
  Kokkos::deep_copy(exec, y_, NAN);
  op.apply(exec, x_, y_);
  r.error = relative_deviation(exec, y_, reference_);
  r.agrees = r.error <= r.tolerance;
  const auto seconds = time_repeatedly(exec, measurement_.repetitions, [&] {
    for (int i = 0; i < measurement_.products; ++i) op.apply(exec, x_, y_);
  });
  r.seconds_median = median(seconds) / measurement_.products;
  r.seconds_min = *std::min_element(seconds.begin(), seconds.end()) / measurement_.products;
  r.ns_per_element = r.seconds_median / r.elements * 1e9;
  r.gdof_per_s = n / r.seconds_median * 1e-9;
  r.gb_per_s = r.model_bytes / r.seconds_median * 1e-9;
  r.gflop_per_s = r.model_flops / r.seconds_median * 1e-9;
}

template <class Preconditioner>
OperatorResult::Cg OperatorTimer::time_solution(const TimedOperator& op, const Preconditioner& preconditioner,
                                                const Vector& rhs) const {
  const ExecutionSpace exec;
  const Vector solution("Tessera::tools::solution", op.rows());
  exec.fence("Tessera::tools::before_cg");
  const Kokkos::Timer timer;
  const auto cg = solvers::cg(exec, op, preconditioner, rhs, solution,
                              {.relative_tolerance = 1e-8, .max_iterations = measurement_.cg_iterations});
  return {cg.iterations, timer.seconds(), cg.converged()};
}

} // namespace tessera::tools
