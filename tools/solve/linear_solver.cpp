#include "linear_solver.hpp"

#include <tessera/core/error.hpp>
#include <tessera/core/execution_spaces.hpp>
#include <tessera/solvers/block_jacobi.hpp>
#include <tessera/solvers/crs_operator.hpp>
#include <tessera/solvers/jacobi.hpp>
#include <tessera/solvers/multigrid/multigrid.hpp>
#include <tessera/solvers/require_rows.hpp>
#ifdef TESSERA_HAVE_KOKKOSKERNELS
#include <tessera/solvers/kokkos_kernels.hpp>
#endif

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>

namespace tessera::tools {

namespace {

template <class... Numbers>
std::string line(const char* format, Numbers... numbers) {
  char text[160];
  std::snprintf(text, sizeof text, format, numbers...);
  return text;
}

/// Levels, complexity, set-up and convergence, as `print` shows them.
SolverNotes describe(const solvers::MultigridReport& report, const solvers::CgResult& result) {
  SolverNotes notes;
  for (std::size_t l = 0; l < report.levels.size(); ++l) {
    const auto& level = report.levels[l];
    notes.push_back(
        line("level %zu: %d rows, %zu entries", l, level.rows, level.entries) +
        (level.spectral_bound > 0 ? line(", spectral bound %.3f", level.spectral_bound) : ", direct") +
        (level.aggregation.empty() ? "" : ", " + level.aggregation));
  }
  const double unknowns = report.levels.empty() ? 1 : std::max(1, report.levels.front().rows);
  notes.push_back(line("operator complexity %.3f, %.0f bytes per unknown, set-up %.3f s",
                       report.operator_complexity, static_cast<double>(report.bytes) / unknowns,
                       report.setup_seconds));
  if (report.coarsest_shift > 0)
    notes.push_back(
        line("coarsest level indefinite by rounding: %g added to its diagonal", report.coarsest_shift));
  if (result.iterations > 0 && result.initial_residual > 0)
    notes.push_back(line("residual times %.3f per iteration",
                         std::pow(result.residual / result.initial_residual, 1.0 / result.iterations)));
  return notes;
}

/// Entries in −1 … 1, the same in every run.
template <class ExecutionSpace>
Kokkos::View<double*, ExecutionSpace> scattered(std::size_t extent) {
  const Kokkos::View<double*, ExecutionSpace> vector("Tessera::tools::scattered", extent);
  const auto host = Kokkos::create_mirror_view(vector);
  std::uint64_t state = 88172645463325252ull; // xorshift (Marsaglia 2003)
  for (std::size_t i = 0; i < extent; ++i) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    host(i) = static_cast<double>(state >> 11) / 4503599627370496.0 - 1;
  }
  Kokkos::deep_copy(vector, host);
  return vector;
}

/// A residual as rounding leaves it of the solution x, but for its size: (|A||x| + |b|) / ε with scattered
/// signs and sizes.
template <class ExecutionSpace>
Kokkos::View<double*, ExecutionSpace> rounding_of(const solvers::CrsOperator<double, ExecutionSpace>& a,
                                                  const Kokkos::View<double*, ExecutionSpace>& b,
                                                  const Kokkos::View<double*, ExecutionSpace>& x) {
  const auto r = scattered<ExecutionSpace>(x.extent(0));
  const Kokkos::View<double*, ExecutionSpace> size("Tessera::tools::size", x.extent(0));
  a.apply_absolute(ExecutionSpace(), x, size);
  Kokkos::parallel_for(
      "Tessera::tools::rounding", Kokkos::RangePolicy<ExecutionSpace>(0, x.extent(0)),
      KOKKOS_LAMBDA(const std::size_t i) { r(i) *= size(i) + Kokkos::abs(b(i)); });
  return r;
}

/// Conjugate gradients by one matrix and one preconditioner, and how far their solution is to be relied on.
/// What rounding does to it is the solution for a residual as rounding leaves it, by as many steps, which
/// also shows eigenvalues that the right-hand side has no share in. Where no tolerance was asked for, a
/// solution whose own residual allows an error above `enough` is made better.
template <class ExecutionSpace, class Iterate>
Solved solve_surely(const Iterate& iterate, const solvers::CrsOperator<double, ExecutionSpace>& a,
                    const Kokkos::View<double*, ExecutionSpace>& b,
                    const Kokkos::View<double*, ExecutionSpace>& x, const solvers::CgOptions& options) {
  constexpr double enough = 1e-4, epsilon = std::numeric_limits<double>::epsilon();
  constexpr int least_iterations = 20;
  Solved solved{iterate(b, x, options)};
  auto& result = solved.iteration;
  if (!result.converged() || result.iterations == 0) return solved;
  double smallest = result.smallest_eigenvalue, rounding = 0;
  try {
    const Kokkos::View<double*, ExecutionSpace> y("Tessera::tools::rounding", x.extent(0));
    const auto probe = iterate(
        rounding_of(a, b, x), y,
        {.relative_tolerance = 1e-10, .max_iterations = std::max(least_iterations, result.iterations)});
    smallest = std::min(smallest, probe.smallest_eigenvalue);
    rounding = epsilon * probe.solution_norm / result.solution_norm;
  } catch (const SolverError&) { // singular to working precision
    smallest = epsilon * result.largest_eigenvalue;
    rounding = 1;
  }
  result.smallest_eigenvalue = smallest;
  const double error = result.relative_error(), norm = result.solution_norm;
  const double attainable = 2 * solvers::attainable_residual(ExecutionSpace(), a, b, x);
  if (!options.relative_tolerance && error > std::max(enough, rounding) &&
      result.true_residual > attainable) {
    const auto before = result;
    solvers::CgOptions sharper = options;
    sharper.relative_tolerance =
        std::max(result.true_residual * enough / error, attainable) / result.rhs_norm;
    result = iterate(b, x, sharper);
    if (!result.converged()) result.reason = solvers::StopReason::rounding; // the default is met
    result.iterations += before.iterations;
    result.initial_residual = before.initial_residual;
    result.smallest_eigenvalue = smallest;
    result.largest_eigenvalue = std::max(result.largest_eigenvalue, before.largest_eigenvalue);
    result.solution_norm = std::max(result.solution_norm, norm);
  }
  solved.relative_error = std::max(result.relative_error(), rounding);
  return solved;
}

/// Solves by the solver that is named.
template <class ExecutionSpace>
Solved solve_by(const std::string& solver, const LinearSystem<double, ExecutionSpace>& system,
                const NodeCoordinates<ExecutionSpace>& coordinates,
                const Kokkos::View<double*, ExecutionSpace>& x, const solvers::CgOptions& options,
                SolverNotes& notes) {
  const ExecutionSpace exec;
  const auto& graph = solvers::require_rows(exec, solver.c_str(), system.graph());
  const solvers::CrsOperator<double, ExecutionSpace> matrix(exec, graph.row_map, graph.columns,
                                                            system.values());
  const auto cg = [&](const auto& a, const auto& preconditioner) {
    const auto iterate = [&](const auto& b, const auto& solution, const solvers::CgOptions& wanted) {
      return solvers::cg(exec, a, preconditioner, b, solution, wanted);
    };
    return solve_surely<ExecutionSpace>(iterate, matrix, system.rhs(), x, options);
  };
  if (solver == "multigrid") {
    using Multigrid = solvers::Multigrid<ExecutionSpace>;
    const Multigrid multigrid(exec, graph.row_map, graph.columns, system.values(),
                              Multigrid::nodes_of(exec, graph.equations, coordinates));
    const auto iterate = [&](const auto& b, const auto& solution, solvers::CgOptions wanted) {
      wanted.max_stalled = 200; // a cycle that works halves the residual in a few
      return solvers::cg(exec, matrix, multigrid, b, solution, wanted);
    };
    const auto result = solve_surely<ExecutionSpace>(iterate, matrix, system.rhs(), x, options);
    notes = describe(multigrid.report(), result.iteration);
    return result;
  }
  const solvers::Jacobi<double, ExecutionSpace> jacobi(exec, graph.row_map, graph.columns, system.values());
  if (solver == "cg") return cg(matrix, jacobi);
  if (solver == "cg-unpreconditioned")
    return cg(matrix, solvers::Identity<double, ExecutionSpace>(matrix.rows()));
  if (solver == "cg-block-jacobi") {
    const auto with_blocks = [&]<int Size>(std::integral_constant<int, Size>) {
      return cg(matrix, solvers::BlockJacobi<Size, double, ExecutionSpace>(exec, graph.row_map, graph.columns,
                                                                           system.values()));
    };
    const int components = graph.equations.components;
    if (graph.equations.removed || components > 3)
      throw UnsupportedError("cg-block-jacobi: needs whole blocks of 1 to 3 equations per node; constrained "
                             "equations are removed here, use cg");
    return components == 1   ? with_blocks(std::integral_constant<int, 1>())
           : components == 2 ? with_blocks(std::integral_constant<int, 2>())
                             : with_blocks(std::integral_constant<int, 3>());
  }
#ifdef TESSERA_HAVE_KOKKOSKERNELS
  const solvers::KokkosKernelsOperator<double, ExecutionSpace> kk(exec, graph.row_map, graph.columns,
                                                                  system.values());
  if (solver == "cg-kk-spmv") return cg(kk, jacobi);
  const solvers::KokkosKernelsGaussSeidel<double, ExecutionSpace> gauss_seidel(
      exec, graph.row_map, graph.columns, system.values());
  if (solver == "cg-kk-gauss-seidel") return cg(kk, gauss_seidel);
  if (solver == "kk-cg-gauss-seidel") {
    const auto iterate = [&](const auto& b, const auto& solution, const solvers::CgOptions& wanted) {
      return solvers::kokkos_kernels_cg(exec, kk, gauss_seidel, b, solution, wanted);
    };
    return solve_surely<ExecutionSpace>(iterate, matrix, system.rhs(), x, options);
  }
#endif
  throw ArgumentError("unknown solver '" + solver + "'");
}

} // namespace

std::vector<std::string> solver_names() {
  std::vector<std::string> names{"automatic", "multigrid", "cg", "cg-unpreconditioned", "cg-block-jacobi"};
#ifdef TESSERA_HAVE_KOKKOSKERNELS
  for (const char* name : {"cg-kk-spmv", "cg-kk-gauss-seidel", "kk-cg-gauss-seidel"}) names.push_back(name);
#endif
  return names;
}

namespace {

/// Multigrid, and cg where it refuses or does not converge.
template <class ExecutionSpace>
Solved solve_automatically(const LinearSystem<double, ExecutionSpace>& system,
                           const NodeCoordinates<ExecutionSpace>& coordinates,
                           const Kokkos::View<double*, ExecutionSpace>& x, const solvers::CgOptions& options,
                           SolverNotes& notes) {
  constexpr Ordinal few = 1000; // unknowns that are solved before a hierarchy pays
  if (system.num_rows() < few) {
    notes = {line("automatic: cg, as there are fewer than %d unknowns", few)};
    return solve_by("cg", system, coordinates, x, options, notes);
  }
  const Kokkos::View<double*, ExecutionSpace> first_guess("Tessera::tools::first_guess", x.extent(0));
  Kokkos::deep_copy(first_guess, x);
  try {
    const auto result = solve_by("multigrid", system, coordinates, x, options, notes);
    notes.insert(notes.begin(), "automatic: multigrid");
    const auto& iteration = result.iteration;
    if (iteration.converged() || iteration.reason == solvers::StopReason::max_iterations) return result;
    notes = {line("automatic: cg, as multigrid %s after %d iterations at a relative residual of %.1e",
                  iteration.reason == solvers::StopReason::stalled ? "stalls" : "stagnates",
                  iteration.iterations, iteration.true_residual / iteration.rhs_norm)};
  } catch (const SolverError& refusal) {
    notes = {std::string("automatic: cg, as multigrid refuses: ") + refusal.what()};
  }
  Kokkos::deep_copy(x, first_guess);
  return solve_by("cg", system, coordinates, x, options, notes);
}

} // namespace

template <class ExecutionSpace>
Solved solve(const std::string& solver, const LinearSystem<double, ExecutionSpace>& system,
             const NodeCoordinates<ExecutionSpace>& coordinates,
             const Kokkos::View<double*, ExecutionSpace>& x, const solvers::CgOptions& options,
             SolverNotes& notes) {
  auto solved = solver == "automatic" ? solve_automatically(system, coordinates, x, options, notes)
                                      : solve_by(solver, system, coordinates, x, options, notes);
  const ExecutionSpace exec;
  const auto& graph = solvers::require_rows(exec, solver.c_str(), system.graph());
  const solvers::CrsOperator<double, ExecutionSpace> matrix(exec, graph.row_map, graph.columns,
                                                            system.values());
  solved.iteration.attainable = solvers::attainable_residual(exec, matrix, system.rhs(), x);
  return solved;
}

#define TESSERA_INSTANTIATE(Unused, Space)                                                                   \
  template Solved solve(const std::string&, const LinearSystem<double, Space>&,                              \
                        const NodeCoordinates<Space>&, const Kokkos::View<double*, Space>&,                  \
                        const solvers::CgOptions&, SolverNotes&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE, unused)

} // namespace tessera::tools
