// SPDX-License-Identifier: BSD-3-Clause
#include "solvers.hpp"

#include <tessera/solvers/cg.hpp>
#include <tessera/solvers/crs_operator.hpp>
#include <tessera/solvers/jacobi.hpp>

namespace tessera::python {

namespace {

/// Values on the host where `Exec` reads them: themselves, or a copy.
template <class T>
auto readable(const T* host, std::size_t count) {
  return Kokkos::create_mirror_view_and_copy(
      Exec(), Kokkos::View<T*, Kokkos::HostSpace>(const_cast<T*>(host), count)); // which none writes
}

struct Matrix {
  Kokkos::View<const Offset*, Exec> row_map;
  Kokkos::View<const Ordinal*, Exec> columns;
  Kokkos::View<const double*, Exec> values;

  explicit Matrix(const HostMatrix& matrix)
      : row_map(readable(matrix.row_map, matrix.rows + 1)), columns(readable(matrix.columns, matrix.entries)),
        values(readable(matrix.values, matrix.entries)) {}
};

} // namespace

std::shared_ptr<solvers::Multigrid<Exec>> make_multigrid(const HostMatrix& matrix,
                                                         const solvers::MultigridNodes<Exec>& nodes,
                                                         const solvers::MultigridOptions& options) {
  const auto exec = default_instance<Exec>();
  const Matrix a(matrix);
  return make_kept<solvers::Multigrid<Exec>>(exec, a.row_map, a.columns, a.values, nodes, options);
}

void refresh(solvers::Multigrid<Exec>& multigrid, const HostMatrix& matrix) {
  const auto exec = default_instance<Exec>();
  const Matrix a(matrix);
  multigrid.refresh(exec, a.row_map, a.columns, a.values);
}

void apply(const solvers::Multigrid<Exec>& multigrid, const double* x, double* y) {
  const auto exec = default_instance<Exec>();
  const Kokkos::View<double*, Kokkos::HostSpace> result(y, multigrid.rows());
  const auto computed = Kokkos::create_mirror_view(Exec(), result);
  multigrid.apply(exec, readable(x, multigrid.rows()), computed);
  Kokkos::deep_copy(exec, result, computed);
  exec.fence("Tessera::python::apply");
}

solvers::CgResult cg(const HostMatrix& matrix, const solvers::Multigrid<Exec>* multigrid, const double* b,
                     double* x, const solvers::CgOptions& options) {
  const auto exec = default_instance<Exec>();
  const Matrix a(matrix);
  const solvers::CrsOperator<double, Exec> product(exec, a.row_map, a.columns, a.values);
  const Kokkos::View<double*, Kokkos::HostSpace> result(x, matrix.rows);
  const Kokkos::View<double*, Exec> solution = Kokkos::create_mirror_view_and_copy(Exec(), result);
  const Kokkos::View<double*, Exec> rhs = readable(b, matrix.rows);
  const auto solve = [&](const auto& preconditioner) {
    return solvers::cg(exec, product, preconditioner, rhs, solution, options);
  };
  const auto found = multigrid ? solve(*multigrid)
                               : solve(solvers::Jacobi<double, Exec>(exec, a.row_map, a.columns, a.values));
  Kokkos::deep_copy(result, solution);
  return found;
}

} // namespace tessera::python
