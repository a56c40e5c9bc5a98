#include "linear_solver.hpp"

#include <tessera/core/error.hpp>
#include <tessera/core/execution_spaces.hpp>
#include <tessera/solvers/block_jacobi.hpp>
#include <tessera/solvers/crs_operator.hpp>
#include <tessera/solvers/jacobi.hpp>
#include <tessera/solvers/multigrid/multigrid.hpp>
#ifdef TESSERA_HAVE_KOKKOSKERNELS
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

/// Solves by the solver that is named.
template <class ExecutionSpace>
solvers::CgResult solve_by(const std::string& solver, const LinearSystem<double, ExecutionSpace>& system,
                           const NodeCoordinates<ExecutionSpace>& coordinates,
                           const Kokkos::View<double*, ExecutionSpace>& x, const solvers::CgOptions& options,
                           SolverNotes& notes) {
  const ExecutionSpace exec;
  const auto& graph = system.graph();
  const solvers::CrsOperator<double, ExecutionSpace> matrix(exec, graph.row_map, graph.columns,
                                                            system.values());
  if (solver == "multigrid") {
    using Multigrid = solvers::Multigrid<ExecutionSpace>;
    const Multigrid multigrid(exec, graph.row_map, graph.columns, system.values(),
                              Multigrid::nodes_of(exec, graph.equations, coordinates));
    const auto result = solvers::cg(exec, matrix, multigrid, system.rhs(), x, options);
    notes = describe(multigrid.report(), result);
    return result;
  }
  const solvers::Jacobi<double, ExecutionSpace> jacobi(exec, graph.row_map, graph.columns, system.values());
  if (solver == "cg") return solvers::cg(exec, matrix, jacobi, system.rhs(), x, options);
  if (solver == "cg-unpreconditioned") return solvers::cg(exec, matrix, system.rhs(), x, options);
  if (solver == "cg-block-jacobi") {
    const auto with_blocks = [&]<int Size>(std::integral_constant<int, Size>) {
      const solvers::BlockJacobi<Size, double, ExecutionSpace> blocks(exec, graph.row_map, graph.columns,
                                                                      system.values());
      return solvers::cg(exec, matrix, blocks, system.rhs(), x, options);
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
  if (solver == "cg-kk-spmv") return solvers::cg(exec, kk, jacobi, system.rhs(), x, options);
  const solvers::KokkosKernelsGaussSeidel<double, ExecutionSpace> gauss_seidel(
      exec, graph.row_map, graph.columns, system.values());
  if (solver == "cg-kk-gauss-seidel") return solvers::cg(exec, kk, gauss_seidel, system.rhs(), x, options);
  if (solver == "kk-cg-gauss-seidel")
    return solvers::kokkos_kernels_cg(exec, kk, gauss_seidel, system.rhs(), x, options);
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

template <class ExecutionSpace>
solvers::CgResult solve(const std::string& solver, const LinearSystem<double, ExecutionSpace>& system,
                        const NodeCoordinates<ExecutionSpace>& coordinates,
                        const Kokkos::View<double*, ExecutionSpace>& x, const solvers::CgOptions& options,
                        SolverNotes& notes) {
  constexpr Ordinal few = 1000; // unknowns that are solved before a hierarchy pays
  if (solver != "automatic") return solve_by(solver, system, coordinates, x, options, notes);
  if (system.num_rows() < few) {
    notes = {line("automatic: cg, as there are fewer than %d unknowns", few)};
    return solve_by("cg", system, coordinates, x, options, notes);
  }
  try {
    const auto result = solve_by("multigrid", system, coordinates, x, options, notes);
    notes.insert(notes.begin(), "automatic: multigrid");
    return result;
  } catch (const SolverError& refusal) {
    notes = {std::string("automatic: cg, as multigrid refuses: ") + refusal.what()};
  }
  return solve_by("cg", system, coordinates, x, options, notes);
}

#define TESSERA_INSTANTIATE(Unused, Space)                                                                   \
  template solvers::CgResult solve(const std::string&, const LinearSystem<double, Space>&,                   \
                                   const NodeCoordinates<Space>&, const Kokkos::View<double*, Space>&,       \
                                   const solvers::CgOptions&, SolverNotes&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE, unused)

} // namespace tessera::tools
