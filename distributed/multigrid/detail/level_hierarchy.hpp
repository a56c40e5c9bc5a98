// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The levels of all ranks: each rank's own hierarchy, its couplings with others, and the gathered level.

#include <tessera/core/types.hpp>
#include <tessera/distributed/agree.hpp>
#include <tessera/distributed/communicator.hpp>
#include <tessera/distributed/detail/centre_of_nodes.hpp>
#include <tessera/distributed/multigrid/detail/couplings.hpp>
#include <tessera/distributed/multigrid/detail/diagonal_block.hpp>
#include <tessera/distributed/multigrid/detail/finest_couplings.hpp>
#include <tessera/distributed/multigrid/detail/gathered_level.hpp>
#include <tessera/distributed/multigrid/detail/next_couplings.hpp>
#include <tessera/distributed/multigrid/options.hpp>
#include <tessera/solvers/multigrid/detail/hierarchy.hpp>
#include <tessera/solvers/multigrid/multigrid.hpp>
#include <tessera/solvers/sparse/detail/random.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tessera::distributed::detail {

namespace amg = solvers::multigrid::detail;

/// A level that goes on as it is: its rows are few, and other ranks still have many.
template <class ExecutionSpace>
void carry_on(const ExecutionSpace& exec, std::vector<amg::Level<ExecutionSpace>>& levels) {
  const sparse::Workspace<ExecutionSpace> work(exec, "Multigrid");
  amg::Level<ExecutionSpace>& fine = levels.back();
  const Ordinal rows = fine.rows();
  sparse::Matrix<ExecutionSpace> identity;
  identity.graph.row_map = make_kept<sparse::Offsets<ExecutionSpace>>(work, "identity", rows + 1);
  identity.graph.columns = make_kept<sparse::Ordinals<ExecutionSpace>>(work, "identity", rows);
  identity.values = make_kept<sparse::Floats<ExecutionSpace>>(work, "identity", rows);
  const auto [graph, values] = std::make_pair(identity.graph, identity.values);
  Kokkos::parallel_for(
      "Tessera::Multigrid::identity", sparse::Range<ExecutionSpace>(exec, 0, rows + 1),
      KOKKOS_LAMBDA(const Ordinal row) {
        graph.row_map(row) = row;
        if (row == rows) return;
        graph.columns(row) = row;
        values(row) = 1;
      });
  fine.prolongator = fine.restrictor = identity;
  if constexpr (runs_on_host<ExecutionSpace>) {
    fine.sliced_prolongator = sliced_pattern(work, identity);
    sliced_values(exec, identity, fine.sliced_prolongator);
  }
  amg::Level<ExecutionSpace> next = fine;
  next.r = make_kept<sparse::Floats<ExecutionSpace>>(work, "r", rows);
  next.x = make_kept<sparse::Floats<ExecutionSpace>>(work, "x", rows);
  next.t = make_kept<sparse::Floats<ExecutionSpace>>(work, "t", rows);
  levels.push_back(next);
}

/// Entries of the near-null space in shared rows, one vector after the other for each row.
template <class ExecutionSpace>
struct TakeModes {
  sparse::Floats<ExecutionSpace> test;     ///< the only mode, or
  sparse::Modes<ExecutionSpace> near_null; ///< several
  Kokkos::View<const Ordinal*, ExecutionSpace> rows;
  Ordinal count;
  Kokkos::View<double*, ExecutionSpace> values;
  KOKKOS_FUNCTION void operator()(Ordinal k) const {
    for (Ordinal m = 0; m < count; ++m)
      values(k * count + m) = test.extent(0) > 0 ? static_cast<double>(test(rows(k))) : near_null(rows(k), m);
  }
};

/// The couplings' product with the near-null space of the ghosts.
template <class ExecutionSpace>
struct CouplingModes {
  sparse::Matrix<ExecutionSpace, double> entries;
  Kokkos::View<const double*, ExecutionSpace> values; ///< of shared rows, then of ghosts
  sparse::Modes<ExecutionSpace> product;

  KOKKOS_FUNCTION void operator()(Ordinal k) const {
    const auto count = static_cast<Ordinal>(product.extent(1)), shared = entries.rows();
    for (Ordinal m = 0; m < count; ++m) {
      double sum = 0;
      entries.each_entry(
          k, [&](Ordinal ghost, double value) { sum += value * values((shared + ghost) * count + m); });
      product(k, m) = sum;
    }
  }
};

/// A random vector, the same on any number of ranks.
template <class ExecutionSpace>
struct LanczosStart {
  GlobalOrdinal first;
  sparse::Floats<ExecutionSpace> v;
  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    v(row) = sparse::random_number(static_cast<Ordinal>(first + row), 1);
  }
};

template <class ExecutionSpace>
struct LanczosProducts {
  using value_type = amg::LanczosSums;
  sparse::Floats<ExecutionSpace> u, v;
  KOKKOS_FUNCTION void operator()(Ordinal row, amg::LanczosSums& sums) const {
    const auto own = static_cast<double>(u(row));
    sums += {own * static_cast<double>(v(row)), own * own};
  }
};

/// next = factor (u - mean v).
template <class ExecutionSpace>
struct LanczosNext {
  sparse::Floats<ExecutionSpace> u, v;
  float mean, factor;
  sparse::Floats<ExecutionSpace> next;
  KOKKOS_FUNCTION void operator()(Ordinal row) const { next(row) = factor * (u(row) - mean * v(row)); }
};

/// Whether a row's entries sum to zero, up to rounding.
template <class ExecutionSpace>
struct CountOtherSums {
  SparsityGraph<ExecutionSpace> graph;
  Kokkos::View<const double*, ExecutionSpace> values;
  KOKKOS_FUNCTION void operator()(Ordinal row, Ordinal& others) const {
    double sum = 0, absolute = 0;
    for (Offset k = graph.row_map(row); k < graph.row_map(row + 1); ++k) {
      sum += values(k);
      absolute += Kokkos::abs(values(k));
    }
    others += Kokkos::abs(sum) > amg::tuning::row_sum_rounding * absolute ? 1 : 0;
  }
};

/// Collective: whether all owned rows sum to zero, so that the constant is a null vector.
template <class ExecutionSpace>
bool rows_sum_to_zero(const ExecutionSpace& exec, const RankRows<ExecutionSpace>& rows) {
  Ordinal others = 0;
  Kokkos::parallel_reduce("Tessera::Multigrid::row_sums", sparse::Range<ExecutionSpace>(exec, 0, rows.owned),
                          CountOtherSums<ExecutionSpace>{rows.system.graph(), rows.system.values()}, others);
  MPI_Allreduce(MPI_IN_PLACE, &others, 1, MPI_INT32_T, MPI_SUM, rows.import.ranks().own());
  return others == 0;
}

/// The levels of all ranks together.
///
/// Each rank coarsens its own block of the matrix by itself (uncoupled aggregation: R. S. Tuminaro and C.
/// Tong, "Parallel smoothed aggregation multigrid", SC 2000), so that its hierarchy has the diagonal blocks
/// of all levels' Galerkin products. What couples the ranks' rows comes level by level from the level above.
/// Products are those of the whole matrices: a cycle differs from that of one rank by the aggregates, which
/// end with the ranks, and by their smoothing, where couplings with other ranks are taken at the row itself
/// (`OuterCouplings`). The first level that is small enough is gathered on each rank.
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
    gathered_.emplace(exec, ranks_, levels_.back(), *matrix_, first_, options, transfer_);
    report_.gathered = gathered_->report();
  }

  /// Collective: the ranks' levels become one.
  /// \param local the rank's own hierarchy as far as it has come; null without equations
  /// \param more  whether it can be made coarser
  /// \return none if the level is to be gathered
  std::optional<Outer> meet(const ExecutionSpace& exec, const Local* local, bool more) {
    stage_ = Stage::failed;
    raise_first_failure(ranks_, nullptr);
    stage_ = Stage::meets;
    const std::size_t l = couplings_.size();
    if (local != nullptr && l < local->levels().size()) {
      levels_.resize(l + 1);
      for (std::size_t k = l == 0 ? 0 : l - 1; k <= l; ++k)
        levels_[k] = local->levels()[k]; // with its transfer
    }
    first_ = count_before(ranks_, levels_[l].rows());
    matrix_ = l == 0 ? finest_matrix(exec, local)
                     : next_couplings(exec, *matrix_, levels_[l - 1].prolongator, first_);
    if (is_gathered(l, more)) {
      stage_ = Stage::ended;
      return std::nullopt;
    }
    couplings_.push_back(std::make_unique<Couplings<ExecutionSpace>>(exec, *matrix_, transfer_));
    bounds_.push_back(bound_of(exec, l));
    return outer_couplings(exec, levels_[l]);
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
    return std::min(bounds[0] + bounds[1], lanczos_bound(exec, l));
  }

  double lanczos_bound(const ExecutionSpace& exec, std::size_t l) const {
    const Level& level = levels_[l];
    const sparse::Range<ExecutionSpace> rows(exec, 0, level.rows());
    sparse::Floats<ExecutionSpace> v = level.x, u = level.t, before = level.r;
    Kokkos::deep_copy(exec, v, 0.0f);
    Kokkos::parallel_for("Tessera::Multigrid::lanczos_start", rows, LanczosStart<ExecutionSpace>{first_, u});
    std::vector<double> alpha, beta;
    double norm = std::sqrt(sum_of_all(exec, LanczosProducts<ExecutionSpace>{u, u}).uu), mean = 0;
    for (int step = 0; step < amg::tuning::lanczos_steps && norm > 0; ++step) {
      Kokkos::parallel_for(
          "Tessera::Multigrid::lanczos_next", rows,
          LanczosNext<ExecutionSpace>{u, v, static_cast<float>(mean), static_cast<float>(1 / norm), before});
      std::swap(v, before); // u - mean v, over its norm, has taken the place of the one before v
      combine(exec, l, {v, before, u, step == 0 ? 0.0f : -static_cast<float>(norm), 0.0f, 1.0f});
      const auto sums = sum_of_all(exec, LanczosProducts<ExecutionSpace>{u, v});
      alpha.push_back(mean = sums.uv);
      beta.push_back(norm = sums.beta());
      if (norm <= amg::tuning::lanczos_invariant * std::abs(alpha[0])) break;
    }
    if (alpha.empty()) return 0;
    const auto [value, last] = amg::largest_ritz_value(alpha, beta);
    return value + beta.back() * last;
  }

  amg::LanczosSums sum_of_all(const ExecutionSpace& exec,
                              const LanczosProducts<ExecutionSpace>& products) const {
    amg::LanczosSums sums;
    Kokkos::parallel_reduce("Tessera::Multigrid::lanczos_sums",
                            sparse::Range<ExecutionSpace>(exec, 0, products.u.extent_int(0)), products, sums);
    double all[2] = {sums.uv, sums.uu};
    MPI_Allreduce(MPI_IN_PLACE, all, 2, MPI_DOUBLE, MPI_SUM, ranks_.own());
    return {all[0], all[1]};
  }

  /// Collective.
  Outer outer_couplings(const ExecutionSpace& exec, const Level& level) const {
    const SharedRows<ExecutionSpace>& rows = matrix_->rows;
    int count = level.rows() == 0 ? 0 : level.has_test() ? 1 : static_cast<int>(level.near_null.extent(1));
    MPI_Allreduce(MPI_IN_PLACE, &count, 1, MPI_INT, MPI_MAX, ranks_.own());
    NodeExchange<double, ExecutionSpace> exchange(exec, rows.import, std::max(count, 1));
    const auto [values, outer] = agree(ranks_, [&] {
      return std::make_pair(allocate_zeroed<Vector>(exec, "Tessera::Multigrid::shared_modes",
                                                    to_size(rows.all()) * to_size(exchange.components())),
                            Outer{rows.rows, allocate<sparse::Modes<ExecutionSpace>>(
                                                 exec, "Tessera::Multigrid::outer", rows.count(), count)});
    });
    const sparse::Range<ExecutionSpace> shared(exec, 0, rows.count());
    Kokkos::parallel_for("Tessera::Multigrid::take_modes", shared,
                         TakeModes<ExecutionSpace>{level.test, level.near_null, rows.rows, count, values});
    exchange.begin(exec, values);
    exchange.end(exec, values);
    Kokkos::parallel_for("Tessera::Multigrid::outer", shared,
                         CouplingModes<ExecutionSpace>{matrix_->entries, values, outer.product});
    exec.fence("Tessera::Multigrid::outer");
    return outer;
  }

  void solve_level(const ExecutionSpace& exec, std::size_t l) const {
    if (l + 1 == levels_.size()) return gathered_->solve(exec, levels_[l]);
    const auto launch = [](const char* label, const auto& policy, const auto& functor) {
      Kokkos::parallel_for(label, policy, functor);
    };
    amg::smooth_and_correct(
        exec, levels_, l, launch, [&](const Combination& step) { combine(exec, l, step); },
        [&] { solve_level(exec, l + 1); });
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
  std::optional<GatheredLevel<ExecutionSpace>> gathered_;
  MultigridReport report_;
};

} // namespace tessera::distributed::detail
