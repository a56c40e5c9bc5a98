// SPDX-License-Identifier: BSD-3-Clause
#include "solvers.hpp"

#include <tessera/solvers/cg.hpp>
#include <tessera/solvers/crs_operator.hpp>
#include <tessera/solvers/jacobi.hpp>

#include "host_vectors.hpp"

namespace tessera::python {

namespace {

struct Matrix {
  Kokkos::View<const Offset*, Exec> row_map;
  Kokkos::View<const Ordinal*, Exec> columns;
  Kokkos::View<const double*, Exec> values;

  explicit Matrix(const HostMatrix& matrix)
      : row_map(readable(matrix.row_map, matrix.rows + 1)), columns(readable(matrix.columns, matrix.entries)),
        values(readable(matrix.values, matrix.entries)) {}
};

/// A matrix that calls `between` before each product, of which an iteration has one.
class HeardMatrix : public solvers::CrsOperator<double, Exec> {
  using Base = solvers::CrsOperator<double, Exec>;

public:
  HeardMatrix(const Exec& exec, const Matrix& a, const std::function<void()>& between)
      : Base(exec, a.row_map, a.columns, a.values), between_(between) {}

  void apply(const Exec& exec, const ConstVector& x, const Vector& y) const {
    between_();
    Base::apply(exec, x, y);
  }
  void apply_dot(const Exec& exec, const ConstVector& x, const Vector& y,
                 const solvers::DeviceScalar<Exec>& dot) const {
    between_();
    Base::apply_dot(exec, x, y, dot);
  }

private:
  const std::function<void()>& between_;
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
  from_host_to_host(x, y, multigrid.rows(), [&](const Exec& exec, const auto& from, const auto& to) {
    multigrid.apply(exec, from, to);
  });
}

solvers::CgResult cg(const HostMatrix& matrix, const solvers::Multigrid<Exec>* multigrid, const double* b,
                     double* x, const solvers::CgOptions& options, const std::function<void()>& between) {
  const auto exec = default_instance<Exec>();
  const Matrix a(matrix);
  const HeardMatrix product(exec, a, between);
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
