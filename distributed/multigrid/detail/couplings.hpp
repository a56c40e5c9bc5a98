// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The part of a level's matrix that no rank's own block has: couplings of ranks, and what they add to blocks.

#include <tessera/core/allocate.hpp>
#include <tessera/core/types.hpp>
#include <tessera/distributed/agree.hpp>
#include <tessera/distributed/multigrid/detail/shared_rows.hpp>
#include <tessera/distributed/node_exchange.hpp>
#include <tessera/solvers/multigrid/detail/level.hpp>
#include <tessera/solvers/multigrid/fine_operator.hpp>
#include <tessera/solvers/sparse/detail/types.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace tessera::distributed::detail {

namespace amg = solvers::multigrid::detail;
namespace sparse = solvers::sparse::detail;

/// Sorts a row's entries by their columns: few, or nearly in order.
template <class Columns, class Values>
KOKKOS_FUNCTION void sort_entries(const Columns& columns, const Values& values, Offset begin, Offset end) {
  for (Offset i = begin + 1; i < end; ++i)
    for (Offset j = i; j > begin && columns(j) < columns(j - 1); --j) {
      Kokkos::kokkos_swap(columns(j), columns(j - 1));
      Kokkos::kokkos_swap(values(j), values(j - 1));
    }
}

/// What a level's matrix has beside the ranks' own blocks, in the level's scaled variables.
template <class ExecutionSpace>
struct CouplingMatrix {
  SharedRows<ExecutionSpace> rows;
  sparse::Matrix<ExecutionSpace, double> entries; ///< shared row × place of a shared row or a ghost
};

template <class ExecutionSpace>
struct TakeShared {
  Kokkos::View<const Ordinal*, ExecutionSpace> rows;
  Kokkos::View<const float*, ExecutionSpace> x;
  Kokkos::View<float*, ExecutionSpace> values;
  KOKKOS_FUNCTION void operator()(Ordinal k) const { values(k) = x(rows(k)); }
};

/// Adds a multiple of the couplings' product.
template <class ExecutionSpace>
struct AddCouplings {
  sparse::Matrix<ExecutionSpace, double> entries;
  Kokkos::View<const Ordinal*, ExecutionSpace> rows;
  Kokkos::View<const float*, ExecutionSpace> x; ///< of shared rows, then of ghosts
  float factor;
  Kokkos::View<float*, ExecutionSpace> out;

  KOKKOS_FUNCTION void operator()(Ordinal k) const {
    double sum = 0;
    entries.each_entry(k, [&](Ordinal place, double value) { sum += value * static_cast<double>(x(place)); });
    out(rows(k)) += factor * static_cast<float>(sum);
  }
};

/// Completes the products of a level: `begin` sends the vector's shared rows, and `end`, after the product
/// with the rank's own block has been launched, adds that with the couplings. Each step of a cycle on all
/// ranks.
template <class ExecutionSpace>
class Couplings {
  using Values = Kokkos::View<float*, ExecutionSpace>;

public:
  /// Collective. \throws OutOfMemoryError on every rank
  Couplings(const ExecutionSpace& exec, const CouplingMatrix<ExecutionSpace>& matrix, Transfer transfer)
      : matrix_(matrix), exchange_(exec, matrix.rows.import, 1, transfer) {
    agree(matrix.rows.import.ranks(),
          [&] { values_ = allocate<Values>(exec, "Tessera::Multigrid::shared_values", matrix_.rows.all()); });
  }

  const CouplingMatrix<ExecutionSpace>& matrix() const { return matrix_; }

  void begin(const ExecutionSpace& exec, const Kokkos::View<const float*, ExecutionSpace>& x) {
    Kokkos::parallel_for("Tessera::Multigrid::take_shared", range(exec),
                         TakeShared<ExecutionSpace>{matrix_.rows.rows, x, values_});
    exchange_.begin(exec, values_);
  }

  void end(const ExecutionSpace& exec, const solvers::multigrid::Combination<ExecutionSpace>& step) {
    exchange_.end(exec, values_);
    Kokkos::parallel_for("Tessera::Multigrid::add_couplings", range(exec),
                         AddCouplings<ExecutionSpace>{matrix_.entries, matrix_.rows.rows, values_,
                                                      step.product_factor, step.out});
  }

  /// The largest sum of a row's absolute values: a bound of what the couplings add to the spectrum.
  double largest_row_sum(const ExecutionSpace& exec) const {
    const auto entries = matrix_.entries;
    double largest = 0;
    Kokkos::parallel_reduce(
        "Tessera::Multigrid::coupling_sums", range(exec),
        KOKKOS_LAMBDA(const Ordinal k, double& most) {
          double sum = 0;
          entries.each_entry(k, [&](Ordinal, double value) { sum += Kokkos::abs(value); });
          most = Kokkos::max(most, sum);
        },
        Kokkos::Max<double>(largest));
    return Kokkos::max(0.0, largest); // that of no rows is the least number
  }

private:
  sparse::Range<ExecutionSpace> range(const ExecutionSpace& exec) const {
    return {exec, 0, matrix_.rows.count()};
  }

  CouplingMatrix<ExecutionSpace> matrix_;
  NodeExchange<float, ExecutionSpace> exchange_;
  Values values_; ///< of shared rows, then of ghosts
};

} // namespace tessera::distributed::detail
