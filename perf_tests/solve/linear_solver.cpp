#include "linear_solver.hpp"

#include <tessera/core/error.hpp>
#include <tessera/core/execution_spaces.hpp>
#include <tessera/solvers/block_jacobi.hpp>
#include <tessera/solvers/crs_operator.hpp>
#include <tessera/solvers/jacobi.hpp>
#ifdef TESSERA_HAVE_KOKKOSKERNELS
#include <tessera/solvers/kokkos_kernels.hpp>
#endif

namespace tessera::tools {

std::vector<std::string> solver_names() {
  std::vector<std::string> names{"cg", "cg-unpreconditioned", "cg-block-jacobi"};
#ifdef TESSERA_HAVE_KOKKOSKERNELS
  for (const char* name : {"cg-kk-spmv", "cg-kk-gauss-seidel", "kk-cg-gauss-seidel"}) names.push_back(name);
#endif
  return names;
}

template <class ExecutionSpace>
solvers::CgResult solve(const std::string& solver, const LinearSystem<double, ExecutionSpace>& system,
                        const Kokkos::View<double*, ExecutionSpace>& x, const solvers::CgOptions& options) {
  const ExecutionSpace exec;
  const auto& graph = system.graph();
  const solvers::CrsOperator<double, ExecutionSpace> matrix(exec, graph.row_map, graph.columns,
                                                            system.values());
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

#define TESSERA_INSTANTIATE(Unused, Space)                                                                   \
  template solvers::CgResult solve(const std::string&, const LinearSystem<double, Space>&,                   \
                                   const Kokkos::View<double*, Space>&, const solvers::CgOptions&);
TESSERA_FOR_EACH_SPACE(TESSERA_INSTANTIATE, unused)

} // namespace tessera::tools
