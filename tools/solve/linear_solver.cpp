// SPDX-License-Identifier: BSD-3-Clause
#include "linear_solver.hpp"

#include <tessera/core/error.hpp>
#include <tessera/core/execution_spaces.hpp>
#include <tessera/solvers/block_jacobi.hpp>
#include <tessera/solvers/crs_operator.hpp>
#include <tessera/solvers/gmres.hpp>
#include <tessera/solvers/jacobi.hpp>
#include <tessera/solvers/multigrid/multigrid.hpp>
#include <tessera/solvers/require_rows.hpp>
#include <tessera/solvers/solution_error.hpp>
#ifdef TESSERA_HAVE_UMFPACK
#include <tessera/solvers/direct_solver.hpp>
#endif
#ifdef TESSERA_HAVE_KOKKOSKERNELS
#include <tessera/solvers/incomplete_lu.hpp>
#include <tessera/solvers/kokkos_kernels.hpp>
#endif

#include <algorithm>
#include <cmath>
#include <cstdio>

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

template <class ExecutionSpace>
double largest(const Kokkos::View<double*, ExecutionSpace>& vector) {
  double found = 0;
  Kokkos::parallel_reduce(
      "Tessera::tools::largest", Kokkos::RangePolicy<ExecutionSpace>(0, vector.extent(0)),
      KOKKOS_LAMBDA(const std::size_t i, double& most) { most = Kokkos::max(most, Kokkos::abs(vector(i))); },
      Kokkos::Max<double>(found));
  return found;
}

/// x += e
template <class ExecutionSpace>
void add(const Kokkos::View<double*, ExecutionSpace>& e, const Kokkos::View<double*, ExecutionSpace>& x) {
  Kokkos::parallel_for(
      "Tessera::tools::add", Kokkos::RangePolicy<ExecutionSpace>(0, x.extent(0)),
      KOKKOS_LAMBDA(const std::size_t i) { x(i) += e(i); });
}

template <class ExecutionSpace>
double residual(const solvers::CrsOperator<double, ExecutionSpace>& a,
                const Kokkos::View<double*, ExecutionSpace>& b,
                const Kokkos::View<double*, ExecutionSpace>& x) {
  const Kokkos::View<double*, ExecutionSpace> ax("Tessera::tools::product", x.extent(0));
  a.apply(ExecutionSpace(), x, ax);
  double squares = 0;
  Kokkos::parallel_reduce(
      "Tessera::tools::residual", Kokkos::RangePolicy<ExecutionSpace>(0, x.extent(0)),
      KOKKOS_LAMBDA(const std::size_t i, double& sum) { sum += (b(i) - ax(i)) * (b(i) - ax(i)); }, squares);
  return std::sqrt(squares);
}

/// An iteration on one matrix with one preconditioner, and how far its solution is to be relied on, which the
/// same iteration finds out, see `solvers::solution_error`. Where no tolerance was asked for, a solution with
/// a larger error than `enough` is made better by what was found.
template <class ExecutionSpace, class Iterate>
Solved<ExecutionSpace>
solve_surely(const Iterate& iterate, const solvers::CrsOperator<double, ExecutionSpace>& a,
             const Kokkos::View<double*, ExecutionSpace>& b, const Kokkos::View<double*, ExecutionSpace>& x,
             const solvers::CgOptions& options) {
  constexpr double enough = 1e-4;
  constexpr int least_iterations = 1000, most_corrections = 3;
  Solved<ExecutionSpace> solved{.iteration = iterate(b, x, options)};
  auto& result = solved.iteration;
  const bool far = result.true_residual > solvers::CgOptions::largest_rounding * result.rhs_norm;
  if (result.reason == solvers::StopReason::max_iterations || (far && !result.converged())) return solved;
  const int limit = std::min(options.max_iterations, std::max(least_iterations, 4 * result.iterations));
  const auto correct = [&](const auto& r, const auto& e) {
    const auto found = iterate(r, e, {.max_iterations = limit});
    if (found.smallest_eigenvalue > 0)
      result.smallest_eigenvalue = std::min(result.smallest_eigenvalue, found.smallest_eigenvalue);
    result.largest_eigenvalue = std::max(result.largest_eigenvalue, found.largest_eigenvalue);
    return found;
  };
  const auto estimate = [&] { return solvers::solution_error(ExecutionSpace(), a, b, x, correct); };
  try {
    auto error = estimate();
    const bool corrects = !options.relative_tolerance && result.converged();
    for (int number = 0; corrects && number < most_corrections && error.known; ++number) {
      const double before = largest(error.entries);
      if (before <= enough * largest(x)) break;
      add(error.entries, x);
      result.iterations += error.iterations;
      result.residual = result.true_residual = residual(a, b, x);
      result.reason = result.true_residual <= options.relative() * result.rhs_norm
                          ? solvers::StopReason::relative_tolerance
                          : solvers::StopReason::rounding; // which the correction does not go below
      error = estimate();
      if (largest(error.entries) > 0.5 * before) break; // rounding is all that is left
    }
    if (error.known) {
      add(x, error.entries);
      solved.corrected = error.entries;
    }
  } catch (const SolverError&) { // singular to working precision: the error may be as large as the solution
    solved.corrected.emplace("Tessera::tools::corrected", x.extent(0));
  }
  return solved;
}

/// GMRES by one preconditioner.
template <class ExecutionSpace, class Preconditioner>
Solved<ExecutionSpace>
solve_by_gmres(const solvers::CrsOperator<double, ExecutionSpace>& matrix,
               const Preconditioner& preconditioner, const Kokkos::View<double*, ExecutionSpace>& b,
               const Kokkos::View<double*, ExecutionSpace>& x, const solvers::CgOptions& options) {
  const auto iterate = [&](const auto& rhs, const auto& solution, const solvers::CgOptions& wanted) {
    return solvers::gmres(ExecutionSpace(), matrix, preconditioner, rhs, solution, wanted);
  };
  return solve_surely<ExecutionSpace>(iterate, matrix, b, x, options);
}

/// Solves by the solver that is named.
template <class ExecutionSpace>
Solved<ExecutionSpace> solve_by(const std::string& solver, const LinearSystem<double, ExecutionSpace>& system,
                                const NodeCoordinates<ExecutionSpace>& coordinates,
                                const Kokkos::View<double*, ExecutionSpace>& x,
                                const solvers::CgOptions& options, SolverNotes& notes) {
  const ExecutionSpace exec;
  const auto graph = solvers::require_rows(exec, solver.c_str(), system.graph());
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
#ifdef TESSERA_HAVE_UMFPACK
  if (solver == "direct") {
    const solvers::DirectSolver<ExecutionSpace> lu(exec, system);
    notes = {line("LU: %.0f bytes per unknown, smallest over largest pivot %.1e",
                  lu.bytes() / static_cast<double>(lu.rows()), lu.smallest_pivot())};
    return solve_by_gmres<ExecutionSpace>(matrix, lu, system.rhs(), x, options);
  }
#endif
#ifdef TESSERA_HAVE_KOKKOSKERNELS
  if (solver == "gmres")
    return solve_by_gmres<ExecutionSpace>(matrix, solvers::IncompleteLu<double, ExecutionSpace>(exec, system),
                                          system.rhs(), x, options);
#endif
  const solvers::Jacobi<double, ExecutionSpace> jacobi(exec, graph.row_map, graph.columns, system.values());
  if (solver == "gmres") return solve_by_gmres<ExecutionSpace>(matrix, jacobi, system.rhs(), x, options);
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
  std::vector<std::string> names{"automatic",           "multigrid",       "cg",
                                 "cg-unpreconditioned", "cg-block-jacobi", "gmres"};
#ifdef TESSERA_HAVE_UMFPACK
  names.push_back("direct");
#endif
#ifdef TESSERA_HAVE_KOKKOSKERNELS
  for (const char* name : {"cg-kk-spmv", "cg-kk-gauss-seidel", "kk-cg-gauss-seidel"}) names.push_back(name);
#endif
  return names;
}

std::string other_solvers(const std::string& solver) {
  std::string list;
  for (const std::string& name : solver_names())
    if (name != solver && solver != "direct" && (name == "direct" || name == "gmres"))
      list += (list.empty() ? "" : " or ") + name;
  return list.empty() ? "" : "; try --solver " + list;
}

namespace {

/// Multigrid, and cg where it refuses or does not come near to what rounding leaves.
template <class ExecutionSpace>
Solved<ExecutionSpace> solve_automatically(const LinearSystem<double, ExecutionSpace>& system,
                                           const NodeCoordinates<ExecutionSpace>& coordinates,
                                           const Kokkos::View<double*, ExecutionSpace>& x,
                                           const solvers::CgOptions& options, SolverNotes& notes) {
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
    // Within a digit of what rounding leaves, cg gets no further.
    const bool at_rounding = iteration.true_residual <= 10 * iteration.attainable;
    if (iteration.converged() || at_rounding || iteration.reason == solvers::StopReason::max_iterations)
      return result;
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
Solved<ExecutionSpace> solve(const std::string& solver, const LinearSystem<double, ExecutionSpace>& system,
                             const NodeCoordinates<ExecutionSpace>& coordinates,
                             const Kokkos::View<double*, ExecutionSpace>& x,
                             const solvers::CgOptions& options, SolverNotes& notes) {
  Solved<ExecutionSpace> solved;
  try {
    solved = solver == "automatic" ? solve_automatically(system, coordinates, x, options, notes)
                                   : solve_by(solver, system, coordinates, x, options, notes);
  } catch (const SolverError& error) {
    throw SolverError(error.what() + other_solvers(solver));
  }
  const ExecutionSpace exec;
  const auto graph = solvers::require_rows(exec, solver.c_str(), system.graph());
  const solvers::CrsOperator<double, ExecutionSpace> matrix(exec, graph.row_map, graph.columns,
                                                            system.values());
  solved.iteration.attainable = solvers::attainable_residual(exec, matrix, system.rhs(), x);
  return solved;
}

#define TESSERA_INSTANTIATE(Unused, Space)                                                                   \
  template Solved<Space> solve(const std::string&, const LinearSystem<double, Space>&,                       \
                               const NodeCoordinates<Space>&, const Kokkos::View<double*, Space>&,           \
                               const solvers::CgOptions&, SolverNotes&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE, unused)

} // namespace tessera::tools
