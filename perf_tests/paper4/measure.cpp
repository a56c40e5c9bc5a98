// SPDX-License-Identifier: BSD-3-Clause
#include "measure.hpp"

#include <tessera/core/forms/helmholtz.hpp>
#include <tessera/core/mesh/renumber.hpp>
#include <tessera/core/system/linear_system.hpp>
#include <tessera/solvers/cg.hpp>
#include <tessera/solvers/crs_operator.hpp>
#include <tessera/solvers/patch_multigrid/patch_multigrid.hpp>
#include <tessera/strategies/assembly/element_atomic.hpp>
#include <tessera/strategies/assembly/full_rows.hpp>
#include <tessera/strategies/assembly/patch.hpp>
#include <tessera/strategies/best/machine.hpp>

#include "support/problem/problem.hpp"
#include <cmath>
#include <cstdio>
#include <filesystem>

namespace tessera::tools {

namespace {

using Element = Tet<1>;
using ExecutionSpace = Kokkos::DefaultExecutionSpace;
using Space = FunctionSpace<Element, ExecutionSpace>;
using System = LinearSystem<double, ExecutionSpace>;
using Vector = Kokkos::View<double*, ExecutionSpace>;

Problem problem_of(const std::string& source) {
  Problem problem;
  (std::filesystem::exists(source) ? problem.mesh_file : problem.generate) = source;
  return problem;
}

/// Readers number materials from 0 on: outside, blobs.
template <class Where>
Helmholtz<> form_of(double sigma) {
  return {.sigma = CellField::per_material<Where>({1.0, sigma}), .lambda = 1.0, .source = 1.0};
}

/// A source of one as a function of the position: elements are integrated by quadrature, as in the paper.
struct SourceOfOne {
  template <class Position>
  KOKKOS_FUNCTION double operator()(const Position&) const {
    return 1.0;
  }
};
template <class Where>
Helmholtz<CellField, CellField, SourceOfOne> by_quadrature(double sigma) {
  return {.sigma = CellField::per_material<Where>({1.0, sigma}), .lambda = 1.0, .source = {}};
}

template <class Plan, class Form, class Where>
double seconds_of(Plan&& plan, const Form& form, const LinearSystem<double, Where>& system,
                  const Study& study) {
  return median(time_repeatedly(Where(), study.repetitions, [&] { plan.assemble(form, system); }, 20));
}
template <class Plan, class Where>
double assembly_seconds(Plan&& plan, const LinearSystem<double, Where>& system, double sigma,
                        const Study& study) {
  return seconds_of(plan, form_of<Where>(sigma), system, study);
}

void count_valences(const SparsityGraph<ExecutionSpace>& graph, MeshResult& result) {
  const auto row_map = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), graph.row_map);
  result.least_valence = graph.num_rows();
  for (Ordinal row = 0; row < graph.num_rows(); ++row) {
    const auto valence = static_cast<int>(row_map(row + 1) - row_map(row)) - 1;
    result.least_valence = std::min(result.least_valence, valence);
    result.largest_valence = std::max(result.largest_valence, valence);
  }
}

/// The mesh in the host's memory, whether the host is a backend of this build or not.
Mesh<Element, Kokkos::DefaultHostExecutionSpace> on_host(const Mesh<Element, ExecutionSpace>& mesh) {
  using HostMesh = Mesh<Element, Kokkos::DefaultHostExecutionSpace>;
  typename HostMesh::Coordinates coordinates("Tessera::tools::coordinates", mesh.num_nodes());
  typename HostMesh::Connectivity connectivity("Tessera::tools::connectivity", mesh.num_elements());
  Kokkos::deep_copy(coordinates, mesh.coordinates());
  Kokkos::deep_copy(connectivity,
                    Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mesh.connectivity()));
  return {coordinates, connectivity};
}

/// Patches in the numbers of a partition.
double renumbered_seconds(const Space& space, const DoublePartition<ExecutionSpace>& partition, double sigma,
                          const Study& study) {
  const ExecutionSpace exec;
  const auto& mesh = space.mesh();
  const auto order = hilbert_order(exec, element_centroids(exec, mesh.coordinates(), mesh.connectivity()));
  const Space sorted(renumber(exec, mesh, partition.nodes, order), 1);
  const System system(sorted);
  return assembly_seconds(assembly::Patch{}.plan(sorted, system.graph()), system, sigma, study);
}

/// The upper half, and full rows made of it.
void measure_half(const Space& space, const System& system, const Study& study, MeshResult& result) {
  const ExecutionSpace exec;
  const System half(assembly::upper_half(exec, system.graph()));
  result.upper_half_seconds =
      assembly_seconds(assembly::Patch{}.plan(space, half.graph()), half, result.sigma, study);
  result.full_rows_seconds =
      median(time_repeatedly(exec, study.repetitions, [&] { assembly::fill_full_rows(exec, half, system); }));
}

/// Table 2, and what the paper's rearrangement and its half matrix give.
void measure_assembly(const Space& space, const System& system, const Study& study, MeshResult& result) {
  const auto& graph = system.graph();
  result.patch_seconds = assembly_seconds(assembly::Patch{}.plan(space, graph), system, result.sigma, study);
  result.patch_quadrature_seconds = seconds_of(assembly::Patch{}.plan(space, graph),
                                               by_quadrature<ExecutionSpace>(result.sigma), system, study);
  result.atomic_seconds =
      assembly_seconds(assembly::ElementAtomic{}.plan(space, graph), system, result.sigma, study);
  const assembly::Patch pairs{.method = assembly::PatchMethod::pairs};
  result.pairs_seconds = assembly_seconds(pairs.plan(space, graph), system, result.sigma, study);
  measure_half(space, system, study, result);
  const auto partition = double_partition<ExecutionSpace>(ExecutionSpace(), {graph.row_map, graph.columns});
  result.renumbered_seconds = renumbered_seconds(space, partition, result.sigma, study);

  using Host = Kokkos::DefaultHostExecutionSpace;
  const FunctionSpace<Element, Host> host_space(on_host(space.mesh()), 1);
  const LinearSystem<double, Host> host(host_space);
  auto serial = assembly::ElementAtomic{}.plan(host_space, host.graph());
  result.serial_seconds = assembly_seconds(serial, host, result.sigma, study);
  result.serial_quadrature_seconds = seconds_of(serial, by_quadrature<Host>(result.sigma), host, study);
}

/// One partition of the mesh, made once, for assembly and solver: with the paper's 400 nodes a patch, or as
/// many of them as a team's scratch holds for the assembly. Then all that is made before a matrix is
/// assembled or solved, with it and with one for each.
void measure_shared(const Space& space, const System& system, const Study& study, MeshResult& result) {
  const ExecutionSpace exec;
  const auto& graph = system.graph();
  const assembly::Patch pairs{.method = assembly::PatchMethod::pairs};
  const auto median_of = [&](const auto& make) {
    return median(time_repeatedly(exec, study.repetitions, make));
  };
  const auto multigrid = [&](const auto&... partition) {
    return solvers::PatchMultigrid<ExecutionSpace>(exec, graph.row_map, graph.columns, system.values(),
                                                   partition...);
  };
  for (int nodes = DoublePartitionOptions().heaviest_patch; nodes >= 25; nodes /= 2) {
    const DoublePartitionOptions options{.lightest_patch = nodes / 4, .heaviest_patch = nodes};
    const auto make = [&] {
      return double_partition<ExecutionSpace>(exec, {graph.row_map, graph.columns}, options);
    };
    const auto partition = make();
    try {
      result.shared_assembly_seconds =
          assembly_seconds(pairs.plan(space, graph, partition), system, result.sigma, study);
    } catch (const UnsupportedError&) {
      continue; // scratch does not hold a patch
    }
    result.shared_patch = nodes;
    result.shared_lightest = options.lightest_patch;
    result.partition_seconds = median_of(make);
    result.shared_set_up_seconds = median_of([&] { multigrid(partition); });
    result.shared_total_seconds = median_of([&] {
      const auto both = make();
      pairs.plan(space, graph, both);
      multigrid(both);
    });
    result.own_total_seconds = median_of([&] {
      pairs.plan(space, graph);
      multigrid();
    });
    return;
  }
}

/// The system, its solution and what solves it.
class SolverStudy {
public:
  explicit SolverStudy(const System& system)
      : system_(system), b_("Tessera::tools::b", system.num_rows()),
        x_("Tessera::tools::x", system.num_rows()),
        matrix_(ExecutionSpace(), system.graph().row_map, system.graph().columns, system.values()) {
    Kokkos::deep_copy(b_, 1.0);
  }

  template <solvers::BlockFormat Format = solvers::BlockFormat::symmetric_coo>
  SolverResult multigrid(const std::string& name, const solvers::PatchMultigridOptions& options,
                         int repetitions) const {
    using Multigrid = solvers::PatchMultigrid<ExecutionSpace, Format>;
    const auto& graph = system_.graph();
    const auto make = [&] {
      return Multigrid(ExecutionSpace(), graph.row_map, graph.columns, system_.values(), options);
    };
    const Multigrid preconditioner = make();
    SolverResult result{.solver = name, .inner = options.inner_iterations};
    std::vector<double> seconds{preconditioner.report().seconds};
    for (int k = 1; k < repetitions; ++k) seconds.push_back(make().report().seconds);
    result.set_up_seconds = median(seconds);
    result.bytes = static_cast<std::int64_t>(preconditioner.report().bytes);
    for (const auto& level : preconditioner.report().levels)
      if (level.patches > 0) result.blocks_in_scratch.push_back(level.blocks_in_scratch);
    solve(preconditioner, result, repetitions);
    return result;
  }

  SolverResult plain() const {
    SolverResult result{.solver = "CG"};
    solve(solvers::Identity<double, ExecutionSpace>(system_.num_rows()), result, 1);
    return result;
  }

private:
  template <class Preconditioner>
  void solve(const Preconditioner& preconditioner, SolverResult& result, int repetitions) const {
    std::vector<double> seconds;
    for (int k = 0; k < repetitions; ++k) {
      Kokkos::deep_copy(x_, 0.0);
      Kokkos::fence("Tessera::tools::before_solve");
      const Kokkos::Timer timer;
      const auto cg = solvers::cg(ExecutionSpace(), matrix_, preconditioner, b_, x_,
                                  {.relative_tolerance = 1e-8, .max_iterations = 20000});
      seconds.push_back(timer.seconds());
      result.iterations = cg.iterations;
      result.converged = cg.converged();
      result.true_residual = cg.true_residual / std::sqrt(static_cast<double>(system_.num_rows()));
    }
    result.solve_seconds = median(seconds);
  }

  const System& system_;
  Vector b_, x_;
  solvers::CrsOperator<double, ExecutionSpace> matrix_;
};

} // namespace

MeshResult measure_mesh(const std::string& name, const std::string& source, double sigma,
                        const Study& study) {
  const ExecutionSpace exec;
  const Space space(make_mesh<Element, ExecutionSpace>(exec, problem_of(source)), 1);
  if (sigma != 1 && space.mesh().num_materials() < 2)
    throw ArgumentError(source + " has one material, " + name + " wants two");
  const System system(space);
  MeshResult result{.mesh = name, .sigma = sigma};
  result.nodes = space.mesh().num_nodes();
  result.elements = space.mesh().num_elements();
  result.entries = static_cast<std::int64_t>(system.graph().num_entries());
  count_valences(system.graph(), result);
  if (study.assembly) measure_assembly(space, system, study, result);
  assembly::ElementAtomic{}.plan(space, system.graph()).assemble(form_of<ExecutionSpace>(sigma), system);
  if (study.assembly) measure_shared(space, system, study, result);

  using solvers::BlockFormat, solvers::Precision;
  const SolverStudy solver(system);
  const auto add = [&](SolverResult solved) { result.solvers.push_back(std::move(solved)); };
  add(solver.multigrid("patches", {}, study.repetitions));
  add(solver.multigrid("patches, double", {.precision = {Precision::double_precision}}, study.repetitions));
  add(solver.multigrid<BlockFormat::csr>("patches, CSR blocks", {}, study.repetitions));
  add(solver.multigrid<BlockFormat::ell>("patches, ELL blocks", {}, study.repetitions));
  add(solver.multigrid("Jacobi", {.inner_iterations = 1}, study.repetitions));
  for (int sweeps = 1; sweeps <= 3; ++sweeps)
    add(solver.multigrid<BlockFormat::none>("Jacobi by rows, " + std::to_string(sweeps),
                                            {.inner_iterations = sweeps}, study.repetitions));
  if (study.plain) add(solver.plain());
  for (int inner = 1; inner <= study.inner; ++inner)
    result.inner_iterations.push_back(solver.multigrid("", {.inner_iterations = inner}, 1).iterations);
  return result;
}

} // namespace tessera::tools
