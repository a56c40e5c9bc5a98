#pragma once

/// \file
/// All levels: set-up, refresh and the cycle.

#include <tessera/solvers/multigrid/detail/check_operator.hpp>
#include <tessera/solvers/multigrid/detail/check_options.hpp>
#include <tessera/solvers/multigrid/detail/choose_aggregation.hpp>
#include <tessera/solvers/multigrid/detail/cycle.hpp>
#include <tessera/solvers/multigrid/detail/finest/fine_matrix.hpp>
#include <tessera/solvers/multigrid/detail/finest/fine_order.hpp>
#include <tessera/solvers/multigrid/detail/finest/fine_values.hpp>
#include <tessera/solvers/multigrid/detail/finest/scale_rows.hpp>
#include <tessera/solvers/multigrid/detail/level.hpp>
#include <tessera/solvers/multigrid/detail/negative_entries.hpp>
#include <tessera/solvers/multigrid/detail/next_level.hpp>
#include <tessera/solvers/multigrid/detail/null_space.hpp>
#include <tessera/solvers/multigrid/detail/report.hpp>
#include <tessera/solvers/multigrid/detail/sparse.hpp>
#include <tessera/solvers/multigrid/detail/transfer/near_null_space.hpp>
#include <tessera/solvers/multigrid/detail/tuning.hpp>
#include <tessera/solvers/multigrid/fine_operator.hpp>
#include <tessera/solvers/multigrid/gate.hpp>
#include <tessera/solvers/multigrid/options.hpp>
#include <tessera/solvers/operator.hpp>
#include <tessera/solvers/sparse/detail/dense.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Timer.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tessera::solvers::multigrid::detail {

/// The hierarchy behind `Multigrid`.
template <class ExecutionSpace>
class Hierarchy {
public:
  using Crs = solvers::detail::CrsViews<double, ExecutionSpace>;
  using ConstVector = Kokkos::View<const double*, ExecutionSpace>;
  using Vector = Kokkos::View<double*, ExecutionSpace>;

  Hierarchy(const ExecutionSpace& exec, const Crs& a, const MultigridNodes<ExecutionSpace>& nodes,
            const MultigridOptions& options)
      : pool_("Tessera::Multigrid::kept",
              chunk_bytes(a, tuning::least_kept, tuning::most_kept) / tuning::kept_part),
        fine_pool_("Tessera::Multigrid::finest", 2 * sizeof(float) * a.row_map.extent(0)),
        refresh_pool_("Tessera::Multigrid::refresh", refresh_bytes(a)), options_(options), rows_(a.rows()) {
    const Kokkos::Timer timer;
    check_options(options);
    check_nodes(nodes, a.rows());
    set_up(exec, a, nodes);
    describe();
    report_.setup_seconds = timer.seconds();
  }

  /// New values of the same matrix's pattern.
  void refresh(const ExecutionSpace& exec, const Crs& a) {
    const Kokkos::Timer timer;
    if (a.rows() != rows_ || a.columns.extent(0) != entries_ || a.values.extent(0) != a.columns.extent(0))
      throw ArgumentError("Multigrid: refresh wants the pattern of the set-up, " + std::to_string(rows_) +
                          " rows and " + std::to_string(entries_) + " entries; got " +
                          std::to_string(a.rows()) + " and " + std::to_string(a.values.extent(0)));
    refresh_pool_.rewind();
    const Workspace<ExecutionSpace> work = workspace(exec, refresh_pool_);
    if (std::exchange(fine_operator_, {})) {
      store_rows(work, levels_[0].matrix);
      store_packed(work, levels_[0]);
    }
    const auto packed = values_of_finest(work, a, levels_[0]);
    const NegativeEntries<ExecutionSpace> negative(work);
    for (std::size_t l = 0; l < levels_.size(); ++l) {
      finish_values(work, levels_[l], l == 0 ? packed : std::nullopt);
      if (l + 1 < levels_.size())
        next_values(work, levels_[l], levels_[l + 1], prolongator_step(levels_[0]), contributions_,
                    negative.count);
    }
    finish(work, negative);
    exec.fence("Tessera::Multigrid::refresh");
    describe();
    report_.refresh_seconds = timer.seconds();
  }

  /// Multiplies by an operator on the finest level from now on, and gives its rows back.
  void replace_rows(const ExecutionSpace& exec, const FineOperator<ExecutionSpace>& a) {
    if (a.rows != rows())
      throw ArgumentError("Multigrid: an operator of " + std::to_string(a.rows) + " rows for a matrix of " +
                          std::to_string(rows_));
    if (fine_operator_)
      throw ArgumentError("Multigrid: the rows have been replaced before; refresh stores them again");
    Level<ExecutionSpace>& level = levels_[0];
    require_same_product(exec, level, fine_rows(), a);
    if (level.inverse.extent(0) > 0 || rows_ == 0) return; // solved without products
    fine_operator_ = a;
    cycle_.record(exec, levels_, 1); // the graph before it knows the rows
    level.matrix.values = {};
    level.packed = {};
    fine_pool_.clear();
    describe();
  }

  std::size_t rows() const { return static_cast<std::size_t>(rows_); }
  const MultigridReport& report() const { return report_; }

  void remove_null_space(const ExecutionSpace& exec, const Vector& v) const {
    if (v.extent(0) != rows())
      throw ArgumentError("Multigrid: remove_null_space got " + std::to_string(v.extent(0)) +
                          " entries for " + std::to_string(rows_) + " rows");
    if (singular_) remove_modes(exec, near_null_, v);
  }

  Gate<ExecutionSpace> gate() const { return {order_.old_to_new, scale_, levels_[0].x}; }

  /// One cycle from zero for a right-hand side; the solution stays behind the gate, their product in `dot`.
  void solve(const ExecutionSpace& exec, const ConstVector& x,
             const DeviceScalar<ExecutionSpace>& dot) const {
    cycle(exec, x);
    const Product<ExecutionSpace> product{levels_[0].r, levels_[0].x};
    Kokkos::parallel_reduce("Tessera::Multigrid::dot", product.range(exec), product, dot);
  }

  /// y = one cycle from zero for the right-hand side x.
  void apply(const ExecutionSpace& exec, const ConstVector& x, const Vector& y) const {
    cycle(exec, x);
    Kokkos::parallel_for("Tessera::Multigrid::leave", Range<ExecutionSpace>(exec, 0, rows_),
                         LeaveLevel<ExecutionSpace, double>{gate(), y});
  }

  /// The cycle for x, in the level's order.
  void cycle(const ExecutionSpace& exec, const ConstVector& x) const {
    if (rows_ == 0) return;
    const auto r = levels_[0].r;
    const auto scale = scale_;
    const auto order = order_.new_to_old;
    Kokkos::parallel_for(
        "Tessera::Multigrid::enter", Range<ExecutionSpace>(exec, 0, order_.rows()),
        KOKKOS_LAMBDA(const Ordinal row) {
          r(row) = order(row) < 0 ? 0.0f : scale(row) * static_cast<float>(x(order(row)));
        });
    cycle_.run(exec, levels_, [&](const Combination<ExecutionSpace>& step) {
      fine_operator_.combine(exec, fine_rows(), step);
    });
  }

  void set_up(const ExecutionSpace& exec, const Crs& a, const MultigridNodes<ExecutionSpace>& nodes) {
    Pool<ExecutionSpace> temporary("Tessera::Multigrid::temporary",
                                   tuning::temporary_times *
                                       chunk_bytes(a, tuning::least_temporary, tuning::most_temporary));
    const Workspace<ExecutionSpace> work = workspace(exec, temporary);
    solvers::detail::check_crs(exec, "Multigrid", a);
    const auto layout = row_layout(nodes, rows_);
    entries_ = a.columns.extent(0);
    if (layout.nodes == rows_ && layout.components == 1) reserve_finest(work, a);
    near_null_ = near_null_space(work, nodes, layout, rows_);
    single_ = near_null_.extent(1) == 1 && nodes.near_null_space.extent(0) == 0;
    order_ = fine_order(work, nodes, layout, rows_);
    scale_ = make_kept<Floats<ExecutionSpace>>(work, "scale", order_.rows());
    Level<ExecutionSpace> level;
    level.matrix = fine_pattern(work, a, order_);
    store_rows(work, level.matrix);
    values_of_finest(work, a, level);
    const RowPoints<ExecutionSpace> points{order_.new_to_old, layout, nodes.coordinates};
    aggregation_ = choose_aggregation(work, options_, level.matrix, scale_, single_, points);
    half_ = options_.storage == MultigridStorage::half ||
            (options_.storage == MultigridStorage::automatic && single_ &&
             aggregation_.kind != Aggregation::matched_pairs);
    level.bound_by_part = !outweighed_; // such rows keep Gershgorin's bound far from tight
    store_packed(work, level);
    const NegativeEntries<ExecutionSpace> negative(work);
    build(work, std::move(level), negative);
    finish(work, negative);
    exec.fence("Tessera::Multigrid::setup");
  }

  /// Where arrays come from; on hosts, where allocations cost little, from the allocator.
  Workspace<ExecutionSpace> workspace(const ExecutionSpace& exec, Pool<ExecutionSpace>& temporary) {
    if constexpr (runs_on_host<ExecutionSpace>) return Workspace<ExecutionSpace>(exec);
    return Workspace<ExecutionSpace>(exec, pool_, temporary);
  }

  /// The finest level's rows can be given back, and have a pool of their own.
  void store_rows(const Workspace<ExecutionSpace>& work, Matrix<ExecutionSpace>& a) {
    const Workspace<ExecutionSpace> finest = work.keeping_in(fine_pool_);
    reserve_finest_rows(finest, a);
    a = matrix_on(finest, "finest", a.graph, a.block_rows, a.block_columns);
  }
  void store_packed(const Workspace<ExecutionSpace>& work, Level<ExecutionSpace>& level) {
    level.packed = packed_pattern(work.keeping_in(fine_pool_), level.matrix, half_);
  }

  /// \return the properties of the packed matrix if that has been filled too
  std::optional<PackedProperties> values_of_finest(const Workspace<ExecutionSpace>& work, const Crs& a,
                                                   Level<ExecutionSpace>& level) {
    if (single_ && level.test.extent(0) == 0) {
      level.test = make_kept<Floats<ExecutionSpace>>(work, "test", order_.rows());
      level.test_product = make_kept<Floats<ExecutionSpace>>(work, "test_product", order_.rows());
    }
    const ScaleRows<ExecutionSpace> rows{a, order_, scale_, level.test, level.test_product};
    properties_ = scale_rows(work, rows, contributions_);
    const auto packed = fine_values(work, rows, level.matrix, single_, level.packed, half_, outweighed_);
    // They are of no more use when the contributions come.
    level.modes =
        scaled_modes(work, near_null_, order_.new_to_old, scale_, level.test, level.matrix, contributions_);
    singular_ = options_.singular || (single_ && properties_.row_sum == 0 && rows_ > 0);
    return packed;
  }

  /// \param packed  what is known of the packed matrix if it is filled.
  void finish_values(const Workspace<ExecutionSpace>& work, Level<ExecutionSpace>& level,
                     const std::optional<PackedProperties>& packed = {}) {
    level.properties =
        packed ? *packed : pack(work.exec, level.matrix, level.test, level.test_product, half_, level.packed);
    finish_level(work, level, options_.smoothing_range.value_or(tuning::smoothing_range<ExecutionSpace>),
                 level.rows() <= options_.coarsest_rows);
  }

  void add_level(const Workspace<ExecutionSpace>& work, Level<ExecutionSpace>&& level) {
    level.r = make_kept<Floats<ExecutionSpace>>(work, "r", level.rows());
    level.x = make_kept<Floats<ExecutionSpace>>(work, "x", level.rows());
    level.t = make_kept<Floats<ExecutionSpace>>(work, "t", level.rows());
    levels_.push_back(std::move(level));
    finish_values(work, levels_.back());
  }

  void build(const Workspace<ExecutionSpace>& work, Level<ExecutionSpace>&& finest,
             const NegativeEntries<ExecutionSpace>& negative) {
    const int modes = static_cast<int>(near_null_.extent(1));
    add_level(work, std::move(finest));
    while (static_cast<int>(levels_.size()) < options_.max_levels) {
      Level<ExecutionSpace>& fine = levels_.back();
      if (fine.rows() <= options_.coarsest_rows || fine.properties.coupled_rows == 0) break;
      fine.aggregates = aggregates_of(work, aggregation_, single_, modes, fine);
      const auto [most, of] = tuning::least_coarsening;
      if (static_cast<Offset>(fine.aggregates.count) * modes * of > static_cast<Offset>(fine.rows()) * most)
        break;
      Level<ExecutionSpace> coarse = next_pattern(work, fine, modes, contributions_);
      next_values(work, fine, coarse, prolongator_step(levels_[0]), contributions_, negative.count);
      coarse.packed = packed_pattern(work, coarse.matrix, half_);
      add_level(work, std::move(coarse));
    }
  }

  /// What comes after the levels' values: the coarsest's inverse, and the cycle.
  void finish(const Workspace<ExecutionSpace>& work, const NegativeEntries<ExecutionSpace>& negative) {
    auto inverse = invert_coarsest(work);
    cycle_.record(work.exec, levels_, 0); // while the device inverts
    negative.require_none(work.exec);
    if (inverse) report_.coarsest_shift = inverse->wait(work.exec);
  }

  /// Starts to invert the coarsest level if it is small enough.
  std::optional<DenseInverse<ExecutionSpace>> invert_coarsest(const Workspace<ExecutionSpace>& work) {
    Level<ExecutionSpace>& level = levels_.back();
    const auto null_space = singular_ ? orthonormal(work, level.modes) : Modes<ExecutionSpace>();
    level.modes = {};
    if (level.rows() > tuning::most_inverted || level.rows() == 0) return std::nullopt;
    if (level.inverse.extent(0) == 0)
      level.inverse = make_kept<Floats<ExecutionSpace>>(work, "inverse", level.rows() * level.rows());
    const double most_shift = tuning::most_shift(levels_.size() == 1);
    return DenseInverse<ExecutionSpace>(work, level.matrix, level.test, level.test_product, null_space,
                                        most_shift, level.inverse);
  }

private:
  void describe() {
    report_.singular = singular_;
    report_.bytes = order_.bytes() + bytes_of(scale_) + bytes_of(near_null_) + bytes_of(contributions_) +
                    pool_.unused() + fine_pool_.unused() + refresh_pool_.bytes() + fine_operator_.bytes;
    report_levels(levels_, report_);
  }

  FineRows<ExecutionSpace> fine_rows() const { return {order_.new_to_old, order_.old_to_new, scale_}; }

  Pool<ExecutionSpace> pool_;         // of what follows
  Pool<ExecutionSpace> fine_pool_;    // of the finest level's rows
  Pool<ExecutionSpace> refresh_pool_; // of what `refresh` alone needs
  MultigridOptions options_;
  ChosenAggregation aggregation_;
  Ordinal rows_;
  bool single_ = true, half_ = true, singular_ = false, outweighed_ = false;
  Offset entries_ = 0; // of the given matrix
  FineOrder<ExecutionSpace> order_;
  Floats<ExecutionSpace> scale_;
  Modes<ExecutionSpace> near_null_; // row of the given matrix × mode
  MatrixProperties properties_;
  std::vector<Level<ExecutionSpace>> levels_;
  FineOperator<ExecutionSpace> fine_operator_; // in the place of the finest level's rows, if any
  Cycle<ExecutionSpace> cycle_;
  Floats<ExecutionSpace> contributions_; // room for the products of `refresh`
  MultigridReport report_;
};

} // namespace tessera::solvers::multigrid::detail
