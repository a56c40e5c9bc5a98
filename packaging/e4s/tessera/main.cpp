// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/forms/helmholtz.hpp>
#include <tessera/core/system/linear_system.hpp>
#include <tessera/io/generate/box.hpp>
#include <tessera/solvers/cg.hpp>
#include <tessera/solvers/crs_operator.hpp>
#include <tessera/solvers/multigrid/multigrid.hpp>
#include <tessera/strategies/assembly/element_atomic.hpp>

#include <Kokkos_Core.hpp>

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const Kokkos::DefaultExecutionSpace exec;
  const auto mesh = tessera::io::box_mesh<tessera::Hex<1>>(exec, {.cells = {8, 8, 8}});
  const tessera::FunctionSpace space(mesh, 1);
  const tessera::LinearSystem<double> system(exec, space);
  auto plan = tessera::assembly::ElementAtomic().plan(exec, space, system.graph());
  plan.assemble(tessera::Helmholtz{.sigma = 1.0, .lambda = 1.0, .source = 1.0}, system);
  const tessera::solvers::CrsOperator<double> matrix(exec, system.graph().row_map, system.graph().columns,
                                                     system.values());
  const tessera::solvers::Multigrid multigrid(system, space);
  const Kokkos::View<double*> solution("Application::solution", system.num_rows());
  return tessera::solvers::cg(exec, matrix, multigrid, system.rhs(), solution).converged() ? 0 : 1;
}
