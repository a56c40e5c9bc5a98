// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The part of restriction and prolongation that crosses borders of ranks.

#include <tessera/core/allocate.hpp>
#include <tessera/core/types.hpp>
#include <tessera/distributed/agree.hpp>
#include <tessera/distributed/multigrid/detail/couplings.hpp>
#include <tessera/distributed/multigrid/detail/matrix_of.hpp>
#include <tessera/distributed/multigrid/detail/next_couplings.hpp>
#include <tessera/distributed/node_exchange.hpp>

#include <Kokkos_Core.hpp>

namespace tessera::distributed::detail {

/// out(row) = A x(columns) or more: places of rows and columns stand for rows of levels where lists say so.
template <class ExecutionSpace>
struct BorderProduct {
  sparse::Matrix<ExecutionSpace, double> matrix;
  Kokkos::View<const Ordinal*, ExecutionSpace> columns; ///< empty: as they are
  Kokkos::View<const float*, ExecutionSpace> x;
  KOKKOS_FUNCTION float operator()(Ordinal row) const {
    double sum = 0;
    matrix.each_entry(row, [&](Ordinal column, double value) {
      sum += value * static_cast<double>(x(columns.extent(0) > 0 ? columns(column) : column));
    });
    return static_cast<float>(sum);
  }
};

/// Restriction and prolongation by the moved columns (`MovedColumns`).
template <class ExecutionSpace>
class BorderTransfer {
  using Values = Kokkos::View<float*, ExecutionSpace>;
  using Rows = Kokkos::View<const Ordinal*, ExecutionSpace>;

public:
  /// Collective. \throws OutOfMemoryError on every rank
  BorderTransfer(const ExecutionSpace& exec, const SharedRows<ExecutionSpace>& fine,
                 const NextCouplings<ExecutionSpace>& next, Transfer transfer)
      : fine_(fine.rows), coarse_(next.couplings.rows.rows), prolongator_(next.moved),
        exchange_(exec, next.couplings.rows.import, 1, transfer) {
    agree(fine.import.ranks(), [&] {
      const sparse::Workspace<ExecutionSpace> work(exec, "Multigrid");
      restrictor_ = transpose_of(work, "restrictor", prolongator_, next.couplings.rows.all());
      values_ = allocate<Values>(exec, "Tessera::Multigrid::coarse_values", next.couplings.rows.all());
      exec.fence("Tessera::Multigrid::BorderTransfer");
    });
  }

  /// Collective: adds the restriction of the fine level's residual to the coarse right-hand side.
  void restrict_residual(const ExecutionSpace& exec, const Values& residual, const Values& r) {
    const auto values = values_;
    const auto coarse = coarse_;
    const BorderProduct<ExecutionSpace> restricted{restrictor_, fine_, residual};
    Kokkos::parallel_for(
        "Tessera::Multigrid::restrict_border", range(exec, restrictor_.rows()),
        KOKKOS_LAMBDA(const Ordinal k) { values(k) = restricted(k); });
    exchange_.begin_sum(exec, values_);
    exchange_.end_sum(exec, values_);
    Kokkos::parallel_for(
        "Tessera::Multigrid::add_restricted", range(exec, coarse_.extent_int(0)),
        KOKKOS_LAMBDA(const Ordinal k) { r(coarse(k)) += values(k); });
  }

  /// Collective: adds the prolongation of the coarse solution to the fine level's.
  void prolong(const ExecutionSpace& exec, const Values& solution, const Values& x) {
    Kokkos::parallel_for("Tessera::Multigrid::take_coarse", range(exec, coarse_.extent_int(0)),
                         TakeShared<ExecutionSpace>{coarse_, solution, values_});
    exchange_.begin(exec, values_);
    exchange_.end(exec, values_);
    const BorderProduct<ExecutionSpace> prolonged{prolongator_, {}, values_};
    const auto fine = fine_;
    Kokkos::parallel_for(
        "Tessera::Multigrid::prolong_border", range(exec, prolongator_.rows()),
        KOKKOS_LAMBDA(const Ordinal k) { x(fine(k)) += prolonged(k); });
  }

private:
  static sparse::Range<ExecutionSpace> range(const ExecutionSpace& exec, Ordinal count) {
    return {exec, 0, count};
  }

  Rows fine_, coarse_; ///< shared rows
  sparse::Matrix<ExecutionSpace, double> prolongator_, restrictor_;
  NodeExchange<float, ExecutionSpace> exchange_;
  Values values_; ///< of the coarse level's shared rows, then of ghosts
};

} // namespace tessera::distributed::detail
