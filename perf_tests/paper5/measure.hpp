#pragma once

/// \file
/// Measures every matrix-free operator, and the assembled matrix, on one problem.

#include <tessera/core/error.hpp>
#include <tessera/core/forms/helmholtz.hpp>
#include <tessera/core/forms/linear_elasticity.hpp>
#include <tessera/core/linear_system.hpp>
#include <tessera/solvers/cg.hpp>
#include <tessera/solvers/crs_operator.hpp>
#include <tessera/solvers/jacobi.hpp>

#include "support/allocated_bytes.hpp"
#include "support/machine.hpp"
#ifdef TESSERA_HAVE_KOKKOSKERNELS
#include <tessera/solvers/kokkos_kernels.hpp>
#endif
#include <tessera/strategies/assembly/element_atomic.hpp>
#include <tessera/strategies/catalogue.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

namespace tessera::tools {

/// One operator on one problem.
struct OperatorResult {
  std::string problem, element, form, strategy;
  std::int64_t elements = 0, equations = 0;
  double prepare_seconds = 0;
  double seconds_median = 0, seconds_min = 0; ///< of one product
  double ns_per_element = 0, gdof_per_s = 0;
  std::int64_t bytes = 0;      ///< of the operator
  std::int64_t allocated = 0;  ///< the same by the allocator; 0 for the assembled matrix
  std::int64_t mesh_bytes = 0; ///< connectivity, and coordinates where the operator reads them
  double model_bytes = 0, model_flops = 0;
  double gb_per_s = 0, gflop_per_s = 0;
  double error = 0; ///< difference from the assembled product, relative to its largest entry
  int cg_iterations = 0;
  double cg_seconds = 0;
  bool cg_converged = false;
};

/// What is measured.
struct Measurement {
  std::vector<std::string> strategies; ///< names; empty: all
  int repetitions = 30;
  int products = 10;     ///< of one repetition: launches overlap as in a solver
  int cg_iterations = 0; ///< at most; 0: no solve
  std::vector<OperatorResult> results;

  bool wants(const std::string& name) const {
    return strategies.empty() || std::find(strategies.begin(), strategies.end(), name) != strategies.end();
  }
};

template <class ExecutionSpace>
struct FillWaves {
  Kokkos::View<double*, ExecutionSpace> x;
  KOKKOS_FUNCTION void operator()(Ordinal i) const {
    x(i) = Kokkos::sin(0.37 * i) + 0.2 * Kokkos::cos(1.7 * i);
  }
};

/// Largest difference and largest entry.
template <class ExecutionSpace>
struct Deviation {
  Kokkos::View<const double*, ExecutionSpace> a, b;
  KOKKOS_FUNCTION void operator()(Ordinal i, double& difference, double& largest) const {
    difference = Kokkos::max(difference, Kokkos::abs(a(i) - b(i)));
    largest = Kokkos::max(largest, Kokkos::abs(b(i)));
  }
};

/// Times one operator; fills what concerns its products and its solve.
template <class ExecutionSpace, class Operator>
void time_operator(const ExecutionSpace& exec, const Measurement& m, const Operator& op,
                   const Kokkos::View<double*, ExecutionSpace>& x,
                   const Kokkos::View<double*, ExecutionSpace>& y,
                   const Kokkos::View<double*, ExecutionSpace>& reference,
                   const Kokkos::View<double*, ExecutionSpace>& rhs,
                   const Kokkos::View<double*, ExecutionSpace>& diagonal, OperatorResult& r) {
  const auto n = static_cast<Ordinal>(op.rows());
  Kokkos::deep_copy(exec, y, NAN);
  op.apply(exec, x, y);
  double difference = 0, largest = 0;
  Kokkos::parallel_reduce("Tessera::tools::deviation", Kokkos::RangePolicy<ExecutionSpace>(exec, 0, n),
                          Deviation<ExecutionSpace>{y, reference}, Kokkos::Max<double>(difference),
                          Kokkos::Max<double>(largest));
  r.error = difference / largest;
  const auto seconds = time_repeatedly(exec, m.repetitions, [&] {
    for (int i = 0; i < m.products; ++i) op.apply(exec, x, y);
  });
  r.seconds_median = median(seconds) / m.products;
  r.seconds_min = *std::min_element(seconds.begin(), seconds.end()) / m.products;
  r.ns_per_element = r.seconds_median / r.elements * 1e9;
  r.gdof_per_s = n / r.seconds_median * 1e-9;
  r.gb_per_s = r.model_bytes / r.seconds_median * 1e-9;
  r.gflop_per_s = r.model_flops / r.seconds_median * 1e-9;
  if (m.cg_iterations > 0) {
    const Kokkos::View<double*, ExecutionSpace> solution("Tessera::tools::solution", n);
    const solvers::Jacobi<double, ExecutionSpace> jacobi(exec, diagonal);
    exec.fence("Tessera::tools::before_cg");
    const Kokkos::Timer timer;
    const auto cg = solvers::cg(exec, op, jacobi, rhs, solution,
                                {.relative_tolerance = 1e-8, .max_iterations = m.cg_iterations});
    r.cg_seconds = timer.seconds();
    r.cg_iterations = cg.iterations;
    r.cg_converged = cg.converged();
  }
}

/// Measures all operators of a form over a space. The assembled matrix comes first and is the reference.
template <class Element, class ExecutionSpace, class Form>
void measure_problem(const std::string& problem, const std::string& form_name, const Form& form,
                     const FunctionSpace<Element, ExecutionSpace>& space, Measurement& m) {
  using Vector = Kokkos::View<double*, ExecutionSpace>;
  const ExecutionSpace exec;
  OperatorResult common;
  common.problem = problem;
  common.element = Element::name;
  common.form = form_name;
  common.elements = space.mesh().num_elements();
  const Ordinal n = space.equations().count;
  common.equations = n;
  const Vector x("Tessera::tools::x", n), y("Tessera::tools::y", n),
      reference("Tessera::tools::reference", n), rhs("Tessera::tools::rhs", n),
      diagonal("Tessera::tools::diagonal", n);
  Kokkos::parallel_for("Tessera::tools::fill", Kokkos::RangePolicy<ExecutionSpace>(exec, 0, n),
                       FillWaves<ExecutionSpace>{x});
  const auto add = [&](const OperatorResult& r) {
    m.results.push_back(r);
    std::printf("%-8s %-6s %-10s %-36s %9.4f ns/elem %7.2f GDOF/s %8.1f MB %7.0f GB/s %7.0f GF/s  err %.1e",
                r.problem.c_str(), r.element.c_str(), r.form.c_str(), r.strategy.c_str(), r.ns_per_element,
                r.gdof_per_s, (r.bytes + r.mesh_bytes) * 1e-6, r.gb_per_s, r.gflop_per_s, r.error);
    if (r.cg_iterations > 0)
      std::printf("  cg %d its %.4f s%s", r.cg_iterations, r.cg_seconds, r.cg_converged ? "" : " (stopped)");
    std::printf("\n");
    std::fflush(stdout);
  };
  {
    const Kokkos::Timer timer;
    const LinearSystem<double, ExecutionSpace> system(space);
    const auto& graph = system.graph();
    assembly::ElementAtomic{}.plan(space, graph, exec).assemble(form, system);
    OperatorResult r = common;
    r.prepare_seconds = timer.seconds();
    Kokkos::deep_copy(exec, rhs, system.rhs());
    const solvers::CrsOperator<double, ExecutionSpace> crs(exec, graph.row_map, graph.columns,
                                                           system.values());
    crs.apply(exec, x, reference);
    Kokkos::deep_copy(
        exec, diagonal,
        tessera::solvers::detail::diagonal(exec, tessera::solvers::detail::CrsViews<double, ExecutionSpace>{
                                                     graph.row_map, graph.columns, system.values()}));
    r.bytes = bytes_of(graph.row_map) + bytes_of(graph.columns) + bytes_of(system.values());
    r.model_bytes = static_cast<double>(r.bytes) + 2.0 * n * sizeof(double);
    r.model_flops = 2.0 * graph.num_entries();
    r.strategy = "assembled, Tessera";
    if (m.wants("assembled")) {
      time_operator(exec, m, crs, x, y, reference, rhs, diagonal, r);
      add(r);
#ifdef TESSERA_HAVE_KOKKOSKERNELS
      r.strategy = "assembled, Kokkos Kernels";
      time_operator(exec, m,
                    solvers::KokkosKernelsOperator<double, ExecutionSpace>(exec, graph.row_map, graph.columns,
                                                                           system.values()),
                    x, y, reference, rhs, diagonal, r);
      add(r);
#endif
    }
  }
  for_each_strategy<MatrixFreeCatalogue>([&](const auto& variant) {
    if (!m.wants(variant.name)) return;
    OperatorResult r = common;
    r.strategy = variant.name;
    const auto run = [&](const auto& op) {
      r.bytes = static_cast<std::int64_t>(op.bytes());
      r.mesh_bytes = bytes_of(space.mesh().connectivity());
      if (variant.name.starts_with("Recomputing")) r.mesh_bytes += bytes_of(space.mesh().coordinates());
      const Cost cost = variant.strategy.template cost<Element, Form, double>(space);
      r.model_bytes = cost.bytes;
      r.model_flops = cost.flops;
      const Vector f("Tessera::tools::load", n), d("Tessera::tools::diagonal", n);
      op.load(exec, f);
      op.diagonal(exec, d);
      time_operator(exec, m, op, x, y, reference, f, d, r);
      add(r);
    };
    const AllocatedBytes<typename ExecutionSpace::memory_space> allocated;
    const Kokkos::Timer timer;
    const auto op = variant.strategy.plan(space, exec).template prepare<double>(form);
    r.prepare_seconds = timer.seconds();
    r.allocated = allocated.count();
    run(op);
    if constexpr (requires { op.alignment_bytes(); }) {
      r.strategy += " (float storage)";
      if (m.wants(r.strategy) &&
          (variant.name == "ElementByElement" || variant.name == "SymmetricElementByElement")) {
        const std::int64_t before = allocated.count();
        const auto op_of_floats = variant.strategy.plan(space, exec).template prepare<double, float>(form);
        r.allocated = allocated.count() - before;
        run(op_of_floats);
      }
    }
  });
}

/// The problems; each is a source file of its own. \throws ArgumentError for an unknown name
void measure_quad_elasticity(const std::string& problem, Measurement& m);
void measure_quad_heat(const std::string& problem, const std::string& mesh_file, Measurement& m);
void measure_hex_elasticity(const std::string& problem, Measurement& m);
void measure_tet_laplace(const std::string& problem, Measurement& m);
void measure_tet_elasticity(const std::string& problem, Measurement& m);
void measure_tet2_heat(const std::string& problem, Measurement& m);

} // namespace tessera::tools
