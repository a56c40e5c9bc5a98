// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The assembled rows of all ranks as an operator.

#include <tessera/core/allocate.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/system/linear_system.hpp>
#include <tessera/core/types.hpp>
#include <tessera/distributed/agree.hpp>
#include <tessera/distributed/communicator.hpp>
#include <tessera/distributed/detail/equation_import.hpp>
#include <tessera/distributed/equations.hpp>
#include <tessera/distributed/mesh/mesh.hpp>
#include <tessera/distributed/node_exchange.hpp>
#include <tessera/distributed/peers/detail/rank_sum.hpp>
#include <tessera/solvers/detail/crs.hpp>
#include <tessera/solvers/detail/crs_product.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

namespace tessera::distributed {

/// The owned rows of a rank's system as its part of an operator over all ranks, a `solvers::Operator` and
/// `solvers::OperatorOverRanks`: `solvers::cg` and `distributed::cg` solve with it. It views the system's
/// values: new ones are seen at once, no copy is made.
///
/// A product sends the values of owned nodes to their ghosts, then reads each entry of the owned rows once.
/// Sums over ranks are in the order of ranks: all have the same bits, each time. By `Transfer::peer` neither
/// waits for the host. Copies share the memory of both, which serves one caller at a time.
template <class ExecutionSpace>
class CrsOperator {
public:
  using Vector = Kokkos::View<double*, ExecutionSpace>;
  using ConstVector = Kokkos::View<const double*, ExecutionSpace>;
  using Numbers = typename detail::RankSum<ExecutionSpace>::Numbers;

  /// Collective.
  /// \param system    of the local equations, the owned ones first, as strategies assemble it
  /// \param transfer  how values get to other ranks; if it is not given, by MPI as it answers
  /// \throws on every rank UnsupportedError where the transfer does not serve the ranks; OutOfMemoryError
  template <class Cells>
  CrsOperator(const ExecutionSpace& exec, const Mesh<Cells, ExecutionSpace>& mesh,
              const LinearSystem<double, ExecutionSpace>& system, const GlobalEquations& equations,
              const std::optional<Transfer>& transfer = {})
      : state_(std::make_shared<State>(exec, mesh.import(), system, equations.owned,
                                       transfer.value_or(usable_transfer()))) {}

  /// Owned rows, and entries of the vectors of `apply`.
  std::size_t rows() const { return static_cast<std::size_t>(state_->matrix.rows()); }
  const Communicator& ranks() const { return state_->ranks; }

  /// Collective: y = A x for owned equations. Deterministic for a number of ranks.
  /// \throws ArgumentError on the rank unless x and y are distinct and have `rows()` entries
  void apply(const ExecutionSpace& exec, const ConstVector& x, const Vector& y) const {
    const Kokkos::Profiling::ScopedRegion region("Tessera::distributed::CrsOperator::apply");
    solvers::detail::check_distinct_vectors("CrsOperator", rows(), x, y);
    solvers::detail::crs_product(exec, state_->matrix, ConstVector(with_ghosts(exec, x)), y);
  }
  /// Collective: y = |A| |x|.
  void apply_absolute(const ExecutionSpace& exec, const ConstVector& x, const Vector& y) const {
    solvers::detail::check_distinct_vectors("CrsOperator", rows(), x, y);
    solvers::detail::absolute_product(exec, state_->matrix, ConstVector(with_ghosts(exec, x)), y);
  }

  /// \name For solvers: all collective
  ///@{
  /// Numbers, at most two, become their sums over all ranks.
  void sum_over_ranks(const ExecutionSpace& exec, const Numbers& numbers) const {
    state_->sum(exec, numbers);
  }
  double sum_over_ranks(double number) const { return reduced(number, MPI_SUM); }
  double largest_over_ranks(double number) const { return reduced(number, MPI_MAX); }
  /// See `distributed::agree`.
  template <class Work>
  auto agree(const Work& work) const {
    return distributed::agree(ranks(), work);
  }
  ///@}

private:
  struct State {
    State(const ExecutionSpace& exec, const NodeImport<ExecutionSpace>& import,
          const LinearSystem<double, ExecutionSpace>& system, Ordinal owned, Transfer transfer)
        : ranks(import.ranks()), matrix(distributed::agree(ranks, [&] { return rows_of(system, owned); })),
          x(distributed::agree(ranks,
                               [&] {
                                 return allocate_zeroed<Vector>(exec, "Tessera::distributed::CrsOperator::x",
                                                                to_size(system.num_rows()));
                               })),
          exchange(
              exchange_of(exec, detail::equation_import(exec, import, system.graph().equations), transfer)),
          sum(exec, ranks, transfer) {}

    static NodeExchange<double, ExecutionSpace>
    exchange_of(const ExecutionSpace& exec, const detail::EquationImport<ExecutionSpace>& equations,
                Transfer transfer) {
      return {exec, equations.import, equations.values, transfer};
    }

    /// \throws ArgumentError for more owned rows than there are
    static solvers::detail::CrsViews<double, ExecutionSpace>
    rows_of(const LinearSystem<double, ExecutionSpace>& system, Ordinal owned) {
      if (owned > system.num_rows())
        throw ArgumentError("distributed::CrsOperator: " + std::to_string(owned) +
                            " owned equations in a system of " + std::to_string(system.num_rows()));
      const auto& graph = system.graph();
      Offset entries = 0;
      Kokkos::deep_copy(entries, Kokkos::subview(graph.row_map, owned));
      const auto first = std::make_pair(std::size_t(0), static_cast<std::size_t>(entries));
      return {Kokkos::subview(graph.row_map, std::make_pair(std::size_t(0), to_size(owned) + 1)),
              Kokkos::subview(graph.columns, first), Kokkos::subview(system.values(), first)};
    }

    Communicator ranks;
    solvers::detail::CrsViews<double, ExecutionSpace> matrix; ///< owned rows, columns of all local equations
    Vector x;                                                 ///< of all local equations
    NodeExchange<double, ExecutionSpace> exchange;
    detail::RankSum<ExecutionSpace> sum;
  };

  Vector with_ghosts(const ExecutionSpace& exec, const ConstVector& x) const {
    Kokkos::deep_copy(exec, Kokkos::subview(state_->x, std::make_pair(std::size_t(0), rows())), x);
    state_->exchange.begin(exec, state_->x);
    state_->exchange.end(exec, state_->x);
    return state_->x;
  }

  double reduced(double number, MPI_Op operation) const {
    MPI_Allreduce(MPI_IN_PLACE, &number, 1, MPI_DOUBLE, operation, ranks().own());
    return number;
  }

  std::shared_ptr<State> state_;
};

} // namespace tessera::distributed
