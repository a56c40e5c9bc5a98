// SPDX-License-Identifier: BSD-3-Clause
#include "solvers.hpp"

#include <tessera/solvers/cg.hpp>
#include <tessera/solvers/fields/stokes_preconditioner.hpp>
#include <tessera/solvers/gmres.hpp>
#include <tessera/solvers/jacobi.hpp>

#include "heard.hpp"
#include "streams.hpp"
#include "vectors.hpp"

namespace tessera::python {

namespace {

struct Matrix {
  Kokkos::View<const Offset*, Exec> row_map;
  Kokkos::View<const Ordinal*, Exec> columns;
  Kokkos::View<const double*, Exec> values;

  explicit Matrix(const MatrixArrays& matrix)
      : row_map(readable(matrix.row_map)), columns(readable(matrix.columns)),
        values(readable(matrix.values)) {}
};

} // namespace

std::shared_ptr<solvers::Multigrid<Exec>> make_multigrid(const MatrixArrays& matrix,
                                                         const solvers::MultigridNodes<Exec>& nodes,
                                                         const solvers::MultigridOptions& options) {
  const auto exec = instance();
  const Matrix a(matrix);
  return make_kept<solvers::Multigrid<Exec>>(exec, a.row_map, a.columns, a.values, nodes, options);
}

void refresh(solvers::Multigrid<Exec>& multigrid, const MatrixArrays& matrix) {
  const auto exec = instance();
  const Matrix a(matrix);
  multigrid.refresh(exec, a.row_map, a.columns, a.values);
}

void apply(const solvers::Multigrid<Exec>& multigrid, const Located<const double>& x,
           const Located<double>& y) {
  const auto exec = instance();
  compute_vector(exec, x, y, [&](const auto& from, const auto& to) { multigrid.apply(exec, from, to); });
}

solvers::CgResult cg(const MatrixArrays& matrix, const solvers::Multigrid<Exec>* multigrid,
                     const Located<const double>& b, const Located<double>& x,
                     const solvers::CgOptions& options, const std::function<void()>& between) {
  const auto exec = instance();
  const Matrix a(matrix);
  const HeardMatrix product(exec, a.row_map, a.columns, a.values, between);
  const auto rhs = readable(b);
  solvers::CgResult found;
  update_vector(exec, x, [&](const auto& solution) {
    const auto solve = [&](const auto& preconditioner) {
      return solvers::cg(exec, product, preconditioner, rhs, solution, options);
    };
    found = multigrid ? solve(*multigrid)
                      : solve(solvers::Jacobi<double, Exec>(exec, a.row_map, a.columns, a.values));
  });
  return found;
}

solvers::CgResult solve_flow(AnySystem& system, const Located<double>& x, const solvers::CgOptions& options,
                             const std::function<void()>& between) {
  constexpr int cycle = 100;
  const auto exec = instance();
  const FlowParts flow = system.flow();
  const auto& whole = system.system();
  const auto preconditioner =
      solvers::detail::flow_preconditioner(exec, flow.dimension, flow.pressure_mass, flow.coordinates, whole);
  const HeardMatrix product(exec, whole.graph().row_map, whole.graph().columns, whole.values(), between);
  solvers::CgResult found;
  update_vector(exec, x, [&](const auto& solution) {
    found = solvers::flexible_gmres(exec, product, preconditioner, whole.rhs(), solution, options, cycle);
  });
  return found;
}

} // namespace tessera::python
