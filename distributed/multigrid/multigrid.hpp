// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Tessera's multigrid over many ranks.

#include <tessera/core/system/linear_system.hpp>
#include <tessera/distributed/equations.hpp>
#include <tessera/distributed/mesh/mesh.hpp>
#include <tessera/distributed/multigrid/detail/rank_rows.hpp>
#include <tessera/distributed/multigrid/options.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <memory>

namespace tessera::distributed {

namespace detail {
template <class ExecutionSpace>
struct MultigridState;
}

/// `solvers::Multigrid` for a matrix over many ranks, symmetric positive definite: one V-cycle a call, on
/// Kokkos' views. It is a preconditioner for `distributed::cg`; `TpetraMultigrid` and `HypreMultigrid` are it
/// as those libraries'.
///
/// Each rank coarsens its own block of the matrix by itself (uncoupled aggregation: R. S. Tuminaro and C.
/// Tong, "Parallel smoothed aggregation multigrid: aggregation strategies on massively parallel machines", SC
/// 2000); prolongators, smoothers, residuals and Galerkin products are those of the whole matrix. The first
/// level with few rows (`MultigridOptions::gathered_rows`) is gathered on each rank, which goes on by itself.
/// On one rank it is `solvers::Multigrid`.
///
/// Messages of a cycle: on each level before the gathered one a message to each neighbor for each product,
/// twice the smoother's steps, one for the restriction and one for the prolongation; then all ranks' rows of
/// the gathered level to each rank. Deterministic for a number of ranks. Copies share the hierarchy, which
/// serves one caller at a time.
template <class ExecutionSpace>
class Multigrid {
public:
  using Vector = Kokkos::View<double*, ExecutionSpace>;
  using ConstVector = Kokkos::View<const double*, ExecutionSpace>;

  /// Collective, after the system has been assembled.
  /// \param system of the local equations, the owned ones first; kept, and read again by `refresh`
  /// \throws ArgumentError for options out of range; on every rank what `solvers::Multigrid` throws on one
  template <class Cells>
  Multigrid(const ExecutionSpace& exec, const Mesh<Cells, ExecutionSpace>& mesh,
            const LinearSystem<double, ExecutionSpace>& system, const GlobalEquations& equations,
            const MultigridOptions& options = {})
      : Multigrid(exec,
                  detail::RankRows<ExecutionSpace>{system, equations.owned, mesh.import(),
                                                   mesh.ghost_owners(), mesh.local().coordinates()},
                  options) {}

  /// Collective: takes the system's present values; aggregates stay. \throws as the constructor
  void refresh(const ExecutionSpace& exec) const;

  /// Collective: y = one cycle from zero for x.
  /// \param x, y of the owned equations \throws ArgumentError on the rank unless they have as many entries
  void apply(const ExecutionSpace& exec, const ConstVector& x, const Vector& y) const;

  /// Owned equations.
  std::size_t rows() const;

  const MultigridReport& report() const;

private:
  Multigrid(const ExecutionSpace& exec, const detail::RankRows<ExecutionSpace>& rows,
            const MultigridOptions& options);

  std::shared_ptr<detail::MultigridState<ExecutionSpace>> state_;
};

} // namespace tessera::distributed
