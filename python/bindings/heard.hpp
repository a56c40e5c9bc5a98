// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Solvers that call back between iterations, for Python to act on signals.

#include <tessera/core/system/transpose.hpp>
#include <tessera/solvers/crs_operator.hpp>
#include <tessera/solvers/jacobi.hpp>
#include <tessera/solvers/krylov_with_jacobi.hpp>
#include <tessera/solvers/multigrid/multigrid.hpp>
#include <tessera/solvers/require_rows.hpp>

#include "arrays.hpp"
#include <functional>
#include <optional>
#include <utility>

namespace tessera::python {

/// Called before each product with a matrix; what it throws ends the solution.
using Between = std::function<void()>;

/// A matrix that calls `between` before each product, of which an iteration has one or two.
class HeardMatrix : public solvers::CrsOperator<double, Exec> {
  using Base = solvers::CrsOperator<double, Exec>;

public:
  HeardMatrix(const Exec& exec, const Kokkos::View<const Offset*, Exec>& row_map,
              const Kokkos::View<const Ordinal*, Exec>& columns, const ConstVector& values,
              const Between& between)
      : Base(exec, row_map, columns, values), between_(between) {}

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
  const Between& between_;
};

struct Average {
  Kokkos::View<const double*, Exec> a;
  Kokkos::View<double*, Exec> b;
  KOKKOS_FUNCTION void operator()(Offset i) const { b(i) = 0.5 * (a(i) + b(i)); }
};

/// Solves with Jacobians of one pattern by the methods of `KrylovWithJacobi`, with its preconditioner or by
/// multigrid: that of the symmetric part where a Jacobian is not symmetric. Calls `between` before each
/// product.
template <bool symmetric>
class HeardKrylov {
  using System = LinearSystem<double, Exec>;

public:
  /// \param nodes for multigrid
  HeardKrylov(solvers::KrylovWithJacobi<symmetric> method, std::optional<solvers::MultigridNodes<Exec>> nodes,
              const Between& between)
      : method_(std::move(method)), nodes_(std::move(nodes)), between_(between) {}

  /// \throws as `KrylovWithJacobi`, and as `Multigrid`
  solvers::CgResult operator()(const Exec& exec, const System& system,
                               const Kokkos::View<double*, Exec>& x) const {
    const auto graph = solvers::require_rows(exec, "Residual", system.graph());
    const HeardMatrix matrix(exec, graph.row_map, graph.columns, system.values(), between_);
    if (!nodes_)
      return method_(exec, matrix,
                     solvers::Jacobi<double, Exec>(exec, graph.row_map, graph.columns, system.values()),
                     system.rhs(), x);
    const System positive = symmetric_part(exec, system);
    if (multigrid_)
      multigrid_->refresh(exec, positive);
    else
      multigrid_.emplace(exec, graph.row_map, graph.columns, positive.values(), *nodes_);
    return method_(exec, matrix, *multigrid_, system.rhs(), x);
  }

private:
  static System symmetric_part(const Exec& exec, const System& system) {
    if constexpr (symmetric) {
      return system;
    } else {
      const System part = transposed(exec, system);
      Kokkos::parallel_for(
          "Tessera::python::symmetric_part",
          Kokkos::RangePolicy<Exec, Kokkos::IndexType<Offset>>(exec, 0, part.values().extent(0)),
          Average{system.values(), part.values()});
      return part;
    }
  }

  solvers::KrylovWithJacobi<symmetric> method_;
  std::optional<solvers::MultigridNodes<Exec>> nodes_;
  const Between& between_;
  mutable std::optional<solvers::Multigrid<Exec>> multigrid_; // of the pattern, kept from step to step
};

} // namespace tessera::python
