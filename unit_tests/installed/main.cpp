// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/error.hpp>
#include <tessera/core/forms/helmholtz.hpp>
#include <tessera/core/partition/partition.hpp>
#include <tessera/core/system/linear_system.hpp>
#include <tessera/core/version.hpp>
#include <tessera/io/generate/generate.hpp>
#include <tessera/io/vtk/writer.hpp>
#include <tessera/solvers/cg.hpp>
#include <tessera/solvers/crs_operator.hpp>
#include <tessera/strategies/assembly/element_atomic.hpp>

#include <Kokkos_Core.hpp>

#include <cstdio>

/// Whether the library throws where Kokkos is not there, instead of ending the process as Kokkos does.
bool refused_without_kokkos() {
  try {
    tessera::io::generate<tessera::Hex<1>>("box:3");
  } catch (const tessera::Error& error) {
    std::printf("%s\n", error.what());
    return true;
  }
  return false;
}

/// Uses each part of the library that brings something to link: Kokkos, METIS, io and VTK.
int run() {
  const Kokkos::DefaultExecutionSpace exec;
  const auto mesh = tessera::io::generate<tessera::Hex<1>>(exec, "box:3");
  const tessera::FunctionSpace space(mesh, 1);
  const tessera::LinearSystem<double> system(exec, space);
  const tessera::assembly::ElementAtomic strategy;
  auto plan = strategy.plan(exec, space, system.graph());
  // -div(grad u) + u = 1 without flux through the boundary: u = 1.
  plan.assemble(tessera::Helmholtz{.sigma = 1.0, .lambda = 1.0, .source = 1.0}, system);
  const Kokkos::View<double*> solution("Application::solution", system.num_rows());
  const tessera::solvers::CrsOperator<double> matrix(exec, system.graph().row_map, system.graph().columns,
                                                     system.values());
  const auto result =
      tessera::solvers::cg(exec, matrix, system.rhs(), solution, {.relative_tolerance = 1e-10});
  double sum = 0;
  Kokkos::parallel_reduce(
      "Application::sum", Kokkos::RangePolicy(exec, 0, system.num_rows()),
      KOKKOS_LAMBDA(int i, double& local) { local += solution(i); }, sum);
  std::printf("%s", tessera::configuration().c_str());
  std::printf("iterations %d, mean %.12f\n", result.iterations, sum / system.num_rows());

  const auto connectivity = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mesh.connectivity());
  const auto partition = tessera::partition_elements(connectivity, mesh.num_nodes(), 4, {.parts = 2});
#ifdef TESSERA_HAVE_VTK
  tessera::io::write_vtu("installed.vtu", mesh);
#endif
  const double error = sum / system.num_rows() - 1;
  return result.converged() && partition.parts == 2 && error < 1e-8 && error > -1e-8 ? 0 : 1;
}

int main(int argc, char** argv) {
  if (!refused_without_kokkos()) return 2;
  int result;
  {
    const Kokkos::ScopeGuard kokkos(argc, argv);
    result = run();
  }
  return refused_without_kokkos() ? result : 3;
}
