// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The levels of all ranks: each rank's own hierarchy, its couplings with others, and the gathered level.

#include <tessera/core/types.hpp>
#include <tessera/distributed/agree.hpp>
#include <tessera/distributed/communicator.hpp>
#include <tessera/distributed/detail/centre_of_nodes.hpp>
#include <tessera/distributed/multigrid/detail/border_prolongator.hpp>
#include <tessera/distributed/multigrid/detail/border_transfer.hpp>
#include <tessera/distributed/multigrid/detail/carry_on.hpp>
#include <tessera/distributed/multigrid/detail/couplings.hpp>
#include <tessera/distributed/multigrid/detail/diagonal_block.hpp>
#include <tessera/distributed/multigrid/detail/finest_couplings.hpp>
#include <tessera/distributed/multigrid/detail/gathered_level.hpp>
#include <tessera/distributed/multigrid/detail/lanczos_bound.hpp>
#include <tessera/distributed/multigrid/detail/near_null_space.hpp>
#include <tessera/distributed/multigrid/detail/next_couplings.hpp>
#include <tessera/distributed/multigrid/options.hpp>
#include <tessera/solvers/multigrid/detail/hierarchy.hpp>
#include <tessera/solvers/multigrid/multigrid.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tessera::distributed::detail {

/// The levels of all ranks together.
///
/// Each rank coarsens its own block of the matrix by itself (uncoupled aggregation: R. S. Tuminaro and C.
/// Tong, "Parallel smoothed aggregation multigrid", SC 2000), so that its hierarchy has the diagonal blocks
/// of Galerkin products by the ranks' own prolongators, which take couplings with other ranks at their own
/// aggregates (`OuterCouplings`). What prolongators smoothed by the whole matrix have beside these
/// (`MovedColumns`), and the products with it, comes level by level from the level above. All products are
/// those of the whole matrices: a cycle differs from that of one rank by the aggregates alone, which end with
/// the ranks. The first level that is small enough is gathered on each rank.
template <class ExecutionSpace>
class LevelHierarchy {
  using Local = amg::Hierarchy<ExecutionSpace>;
  using Level = amg::Level<ExecutionSpace>;
  using Outer = amg::OuterCouplings<ExecutionSpace>;
  using Combination = solvers::multigrid::Combination<ExecutionSpace>;
  using ConstVector = Kokkos::View<const double*, ExecutionSpace>;
  using Vector = Kokkos::View<double*, ExecutionSpace>;

public:
  /// Collective.
  LevelHierarchy(const ExecutionSpace& exec, const RankRows<ExecutionSpace>& rows,
                 const MultigridOptions& options)
      : ranks_(rows.import.ranks()), rows_(rows), options_(options),
        transfer_(options.transfer.value_or(usable_transfer())) {
    const auto origin = centre_of_nodes(exec, rows.import, rows.coordinates);
    in_step(exec, [&] { make_local(exec, origin); });
  }
  LevelHierarchy(const LevelHierarchy&) = delete; // `local_` calls it
  LevelHierarchy& operator=(const LevelHierarchy&) = delete;

  /// Collective: takes the system's present values; aggregates stay.
  void refresh(const ExecutionSpace& exec) {
    in_step(exec, [&] {
      if (!local_) return;
      fill_block(exec, rows_.system, block_);
      local_->refresh(exec, {block_.row_map, block_.columns, block_.values});
    });
  }

  const MultigridReport& report() const { return report_; }

  /// Collective: y = one cycle from zero for x, both of owned equations.
  void apply(const ExecutionSpace& exec, const ConstVector& x, const Vector& y) const {
    if (local_)
      Kokkos::parallel_for(
          "Tessera::Multigrid::enter", sparse::Range<ExecutionSpace>(exec, 0, levels_[0].rows()),
          amg::EnterLevel<ExecutionSpace>{local_->order().new_to_old, local_->scale(), x, levels_[0].r});
    solve_level(exec, 0);
    if (local_)
      Kokkos::parallel_for("Tessera::Multigrid::leave", sparse::Range<ExecutionSpace>(exec, 0, rows_.owned),
                           solvers::multigrid::LeaveLevel<ExecutionSpace, double>{
                               {local_->order().old_to_new, local_->scale(), levels_[0].x}, y});
  }

private:
  void make_local(const ExecutionSpace& exec, const Kokkos::Array<double, 3>& origin) {
    if (rows_.owned == 0) return;
    block_ = diagonal_block(exec, rows_.system, rows_.owned);
    auto nodes = owned_nodes_of(exec, rows_);
    nodes.origin = origin;
    solvers::MultigridOptions options = options_.levels;
    options.singular = false; // no rank's own block is
    local_ = std::make_unique<Local>(
        exec,
        solvers::detail::CrsViews<double, ExecutionSpace>{block_.row_map, block_.columns, block_.values},
        nodes, options,
        [this, exec](const Local& local, std::size_t, bool more) { return meet(exec, &local, more); });
  }

  /// Collective: `work` makes or refills the rank's own levels, each of which meets those of the other ranks.
  /// A rank whose levels have ended carries its last one on; one that fails says so where the others meet
  /// next.
  template <class Work>
  void in_step(const ExecutionSpace& exec, const Work& work) {
    levels_.clear();
    couplings_.clear();
    transfers_.clear();
    bounds_.clear();
    report_.rows.clear();
    stage_ = Stage::meets;
    std::exception_ptr failure;
    try {
      work();
      while (stage_ == Stage::meets) {
        if (levels_.empty())
          levels_.emplace_back(); // a rank without equations
        else
          carry_on(exec, levels_);
        meet(exec, local_.get(), false);
      }
    } catch (...) {
      if (stage_ == Stage::failed) throw; // with all others
      failure = std::current_exception();
    }
    raise_first_failure(ranks_, failure);
    const double range =
        options_.levels.smoothing_range.value_or(amg::tuning::smoothing_range<ExecutionSpace>);
    for (std::size_t l = 0; l < bounds_.size(); ++l)
      levels_[l].smoother = amg::Chebyshev<ExecutionSpace>::on(bounds_[l], range);
    solvers::MultigridOptions options = options_.levels;
    options.singular =
        options.singular || (rows_.equations().components == 1 && rows_sum_to_zero(exec, rows_));
    gathered_.reset(); // before another takes memory
    gathered_ = std::make_unique<GatheredLevel<ExecutionSpace>>(exec, ranks_, levels_.back(), *matrix_,
                                                                first_, options, transfer_);
    report_.gathered = gathered_->report();
  }

  /// Collective: the ranks' levels become one.
  /// \param local the rank's own hierarchy as far as it has come; null without equations
  /// \param more  whether it can be made coarser
  /// \return none if the level is to be gathered
  std::optional<Outer> meet(const ExecutionSpace& exec, const Local* local, bool more) {
    stage_ = Stage::failed; // what is thrown from here on is thrown on all ranks
    raise_first_failure(ranks_, nullptr);
    const std::size_t l = couplings_.size();
    const bool carried = local == nullptr || l >= local->levels().size();
    if (!carried) {
      levels_.resize(l + 1);
      for (std::size_t k = l == 0 ? 0 : l - 1; k <= l; ++k)
        levels_[k] = local->levels()[k]; // with its transfer
    }
    first_ = count_before(ranks_, levels_[l].rows());
    if (l == 0)
      matrix_ = finest_matrix(exec, local);
    else
      go_on(exec, local, carried);
    if (is_gathered(l, more)) {
      stage_ = Stage::ended;
      return std::nullopt;
    }
    couplings_.push_back(std::make_unique<Couplings<ExecutionSpace>>(exec, *matrix_, transfer_));
    bounds_.push_back(bound_of(exec, l));
    const Outer outer = outer_couplings(exec, *matrix_, levels_[l]);
    outer_ = agree(ranks_, [&] { return copy_of(exec, outer.product); }); // the level works in its own
    stage_ = Stage::meets;
    return outer;
  }

  /// Collective: couplings of the last level, and the transfer to it from the one before.
  void go_on(const ExecutionSpace& exec, const Local* local, bool carried) {
    const Level &fine = levels_[levels_.size() - 2], &coarse = levels_.back();
    const double omega =
        carried || !fine.smoothed ? 0 : amg::prolongator_step(local->levels()[0]) / fine.bound;
    int block = carried ? 1 : fine.prolongator.block_columns;
    MPI_Allreduce(MPI_IN_PLACE, &block, 1, MPI_INT, MPI_MIN, ranks_.own());
    const auto next = next_couplings(exec, *matrix_,
                                     Transition<ExecutionSpace>{fine.matrix,
                                                                fine.prolongator,
                                                                fine.aggregates,
                                                                {fine.test, fine.near_null},
                                                                {coarse.test, coarse.near_null},
                                                                outer_,
                                                                omega,
                                                                block,
                                                                carried},
                                     row_ranges(exec, ranks_, coarse.rows()));
    transfers_.push_back(
        std::make_unique<BorderTransfer<ExecutionSpace>>(exec, matrix_->rows, next, transfer_));
    matrix_ = next.couplings;
  }

  CouplingMatrix<ExecutionSpace> finest_matrix(const ExecutionSpace& exec, const Local* local) const {
    return local != nullptr ? finest_couplings(exec, rows_, local->order(), local->scale(), first_)
                            : finest_couplings(exec, rows_, {}, {}, first_);
  }

  /// Collective: notes the level's rows.
  bool is_gathered(std::size_t l, bool more) {
    const Ordinal own = l == 0 ? rows_.owned : levels_[l].rows();
    GlobalOrdinal rows = own, largest[2] = {own, more ? 1 : 0};
    MPI_Allreduce(MPI_IN_PLACE, &rows, 1, MPI_INT64_T, MPI_SUM, ranks_.own());
    MPI_Allreduce(MPI_IN_PLACE, largest, 2, MPI_INT64_T, MPI_MAX, ranks_.own());
    if (l == 0)
      most_gathered_ = options_.gathered_rows.value_or(std::max<GlobalOrdinal>(512, largest[0] / 4));
    report_.rows.push_back(rows);
    return rows <= most_gathered_ || largest[1] == 0;
  }

  /// Collective: a bound of the level's spectrum on all ranks: by Lanczos' method, as `spectral_bound` of
  /// one, or if that is less the sum of the bounds of both parts, the ranks' own blocks and the couplings.
  double bound_of(const ExecutionSpace& exec, std::size_t l) const {
    double bounds[2] = {levels_[l].rows() > 0 ? levels_[l].bound : 0, couplings_[l]->largest_row_sum(exec)};
    MPI_Allreduce(MPI_IN_PLACE, bounds, 2, MPI_DOUBLE, MPI_MAX, ranks_.own());
    const auto by_steps = lanczos_bound(exec, ranks_, levels_[l], first_,
                                        [&](const Combination& step) { combine(exec, l, step); });
    return std::min(bounds[0] + bounds[1], by_steps);
  }

  void solve_level(const ExecutionSpace& exec, std::size_t l) const {
    if (l + 1 == levels_.size()) return gathered_->solve(exec, levels_[l]);
    const auto launch = [](const char* label, const auto& policy, const auto& functor) {
      Kokkos::parallel_for(label, policy, functor);
    };
    amg::smooth_and_correct(
        exec, levels_, l, launch, [&](const Combination& step) { combine(exec, l, step); },
        [&](const auto& residual, const auto& x) {
          transfers_[l]->restrict_residual(exec, residual, levels_[l + 1].r);
          solve_level(exec, l + 1);
          transfers_[l]->prolong(exec, levels_[l + 1].x, x);
        });
  }

  /// Collective: with the rows of all ranks; messages are under way while the rank's own entries are read.
  void combine(const ExecutionSpace& exec, std::size_t l, const Combination& step) const {
    couplings_[l]->begin(exec, step.x);
    amg::combine_rows(exec, levels_[l].packed, levels_[l].rows(), levels_[l].matrix.entries(), step,
                      [](const auto& policy, const auto& functor) {
                        Kokkos::parallel_for("Tessera::Multigrid::combine", policy, functor);
                      });
    couplings_[l]->end(exec, step);
  }

  enum class Stage { meets, ended, failed };

  Communicator ranks_;
  RankRows<ExecutionSpace> rows_;
  MultigridOptions options_;
  Transfer transfer_;
  DiagonalBlock<ExecutionSpace> block_;
  std::unique_ptr<Local> local_; ///< none on a rank without equations
  Stage stage_ = Stage::meets;   ///< of set-up and refresh
  GlobalOrdinal first_ = 0;      ///< number of the rank's first row of the last level
  GlobalOrdinal most_gathered_ = 0;
  std::optional<CouplingMatrix<ExecutionSpace>> matrix_; ///< of the last level
  std::vector<Level> levels_;  ///< the rank's own up to the gathered one, with the smoothers of all ranks
  std::vector<double> bounds_; ///< level: of the whole spectrum
  std::vector<std::unique_ptr<Couplings<ExecutionSpace>>> couplings_; ///< level, but for the gathered one
  std::vector<std::unique_ptr<BorderTransfer<ExecutionSpace>>> transfers_; ///< from each of these to the next
  sparse::Modes<ExecutionSpace> outer_; ///< the last couplings' product with the near-null space
  std::unique_ptr<GatheredLevel<ExecutionSpace>> gathered_;
  MultigridReport report_;
};

} // namespace tessera::distributed::detail
