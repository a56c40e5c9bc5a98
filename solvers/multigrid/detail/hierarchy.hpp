// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// All levels: set-up, refresh and the cycle.

#include <tessera/core/contiguous.hpp>
#include <tessera/solvers/multigrid/detail/check_operator.hpp>
#include <tessera/solvers/multigrid/detail/check_options.hpp>
#include <tessera/solvers/multigrid/detail/choose_aggregation.hpp>
#include <tessera/solvers/multigrid/detail/cycle.hpp>
#include <tessera/solvers/multigrid/detail/finest/fine_matrix.hpp>
#include <tessera/solvers/multigrid/detail/finest/fine_order.hpp>
#include <tessera/solvers/multigrid/detail/finest/fine_values.hpp>
#include <tessera/solvers/multigrid/detail/finest/pattern_sum.hpp>
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
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tessera::solvers::multigrid::detail {

/// The hierarchy behind `Multigrid`: levels from the finest to the coarsest, and the cycle over them.
///
/// A set-up, and without the choices and patterns a refresh, goes
///   given matrix → finest level (order, scale, values) → choice of aggregates
///   → per level: packed form, bound of the spectrum, aggregates, prolongator, PᵀAP → the next level
///   → inverse of the coarsest, recorded cycle.
template <class ExecutionSpace>
class Hierarchy {
public:
  using Crs = solvers::detail::CrsViews<double, ExecutionSpace>;
  using ConstVector = Kokkos::View<const double*, ExecutionSpace>;
  using Vector = Kokkos::View<double*, ExecutionSpace>;

  /// \param meet  is called with each level in set-up and refresh; levels keep their near-null spaces then.
  Hierarchy(const ExecutionSpace& exec, const Crs& a, const MultigridNodes<ExecutionSpace>& nodes,
            const MultigridOptions& options, MeetLevel<ExecutionSpace> meet = {})
      : kept_("Tessera::Multigrid::kept",
              chunk_bytes(a, tuning::least_kept, tuning::most_kept) / tuning::kept_part),
        finest_rows_("Tessera::Multigrid::finest", 2 * sizeof(float) * a.row_map.extent(0)),
        of_refresh_("Tessera::Multigrid::refresh", refresh_bytes(a)), options_(options), rows_(a.rows()),
        meet_(std::move(meet)) {
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
    require_same_pattern(exec, a);
    of_refresh_.rewind();
    const Workspace<ExecutionSpace> work = workspace(exec, of_refresh_);
    if (std::exchange(fine_operator_, {})) {
      store_rows(work, levels_[0].matrix);
      store_packed(work, levels_[0]);
    }
    const auto packed = fill_finest(work, a, levels_[0]);
    const NegativeEntries<ExecutionSpace> negative(work);
    for (std::size_t l = 0; l < levels_.size(); ++l) {
      prepare_smoother(work, levels_[l], l == 0 ? packed : std::nullopt);
      if (goes_on(l, l + 1 < levels_.size())) fill_next(work, levels_[l], levels_[l + 1], negative);
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
    finest_rows_.clear();
    describe();
  }

  std::size_t rows() const { return static_cast<std::size_t>(rows_); }
  const MultigridReport& report() const { return report_; }

  /// \name For those who go on with the levels, which the next refresh fills anew
  ///@{
  const std::vector<Level<ExecutionSpace>>& levels() const { return levels_; }
  const FineOrder<ExecutionSpace>& order() const { return order_; }
  const Floats<ExecutionSpace>& scale() const { return scale_; } ///< of the finest level's rows
  ///@}

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
    Kokkos::parallel_for("Tessera::Multigrid::leave", contiguous(Range<ExecutionSpace>(exec, 0, rows_)),
                         LeaveLevel<ExecutionSpace, double>{gate(), y});
  }

private:
  /// The cycle for x; in the level's order its solution is levels_[0].x.
  void cycle(const ExecutionSpace& exec, const ConstVector& x) const {
    if (rows_ == 0) return;
    Kokkos::parallel_for("Tessera::Multigrid::enter",
                         contiguous(Range<ExecutionSpace>(exec, 0, order_.rows())),
                         EnterLevel<ExecutionSpace>{order_.new_to_old, scale_, x, levels_[0].r});
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
    pattern_ = pattern_sum(exec, a);
    Level<ExecutionSpace> finest = make_finest(work, a, nodes);
    const NegativeEntries<ExecutionSpace> negative(work);
    build_levels(work, std::move(finest), negative);
    finish(work, negative);
    exec.fence("Tessera::Multigrid::setup");
  }

  /// The finest level with its values, and what is chosen by them.
  Level<ExecutionSpace> make_finest(const Workspace<ExecutionSpace>& work, const Crs& a,
                                    const MultigridNodes<ExecutionSpace>& nodes) {
    const auto layout = row_layout(nodes, rows_);
    entries_ = a.columns.extent(0);
    if (layout.nodes == rows_ && layout.components == 1) reserve_finest(work, a);
    near_null_ = near_null_space(work, nodes, layout, rows_);
    constant_near_null_ = near_null_.extent(1) == 1 && nodes.near_null_space.extent(0) == 0;
    order_ = fine_order(work, nodes, layout, rows_);
    scale_ = make_kept<Floats<ExecutionSpace>>(work, "scale", order_.rows());
    Level<ExecutionSpace> level;
    level.matrix = fine_pattern(work, a, order_);
    store_rows(work, level.matrix);
    fill_finest(work, a, level);
    const RowPoints<ExecutionSpace> points{order_.new_to_old, layout, nodes.coordinates};
    aggregation_ = choose_aggregation(work, options_, level.matrix, scale_, constant_near_null_, points);
    half_storage_ = options_.storage == MultigridStorage::half ||
                    (options_.storage == MultigridStorage::automatic && constant_near_null_ &&
                     aggregation_.kind != Aggregation::matched_pairs);
    level.bound_by_part = !outweighed_; // such rows keep Gershgorin's bound far from tight
    store_packed(work, level);
    return level;
  }

  /// Where arrays come from; on hosts, where allocations cost little, from the allocator.
  Workspace<ExecutionSpace> workspace(const ExecutionSpace& exec, Pool<ExecutionSpace>& temporary) {
    if constexpr (runs_on_host<ExecutionSpace>) return Workspace<ExecutionSpace>(exec, "Multigrid");
    return Workspace<ExecutionSpace>(exec, "Multigrid", kept_, temporary);
  }

  /// The finest level's rows can be given back, and have a pool of their own.
  void store_rows(const Workspace<ExecutionSpace>& work, Matrix<ExecutionSpace>& a) {
    const Workspace<ExecutionSpace> finest = work.keeping_in(finest_rows_);
    reserve_finest_rows(finest, a);
    a = matrix_on(finest, "finest", a.graph, a.block_rows, a.block_columns);
  }
  void store_packed(const Workspace<ExecutionSpace>& work, Level<ExecutionSpace>& level) {
    level.packed = packed_pattern(work.keeping_in(finest_rows_), level.matrix, half_storage_);
  }

  /// Scales, values, test vector and modes of the finest level.
  /// \return the properties of the packed matrix if that has been filled too
  std::optional<PackedProperties> fill_finest(const Workspace<ExecutionSpace>& work, const Crs& a,
                                              Level<ExecutionSpace>& level) {
    if (constant_near_null_ && !level.has_test()) {
      level.test = make_kept<Floats<ExecutionSpace>>(work, "test", order_.rows());
      level.test_product = make_kept<Floats<ExecutionSpace>>(work, "test_product", order_.rows());
    }
    const ScaleRows<ExecutionSpace> rows{a, order_, scale_, level.test, level.test_product};
    properties_ = scale_rows(work, rows, contributions_);
    const auto packed =
        fine_values(work, rows, level.matrix, constant_near_null_, level.packed, half_storage_, outweighed_);
    // They are of no more use when the contributions come.
    level.modes =
        scaled_modes(work, near_null_, order_.new_to_old, scale_, level.test, level.matrix, contributions_);
    keep_near_null(work, level);
    singular_ = options_.singular || (constant_near_null_ && properties_.row_sum == 0 && rows_ > 0);
    return packed;
  }

  /// Adds the finest level, and from each level the next.
  void build_levels(const Workspace<ExecutionSpace>& work, Level<ExecutionSpace>&& finest,
                    const NegativeEntries<ExecutionSpace>& negative) {
    const int modes = static_cast<int>(near_null_.extent(1));
    add_level(work, std::move(finest));
    while (goes_on(levels_.size() - 1, coarsens(work, modes, levels_.back()))) {
      Level<ExecutionSpace>& fine = levels_.back();
      Level<ExecutionSpace> coarse = next_pattern(work, fine, modes, contributions_);
      fill_next(work, fine, coarse, negative);
      coarse.packed = packed_pattern(work, coarse.matrix, half_storage_);
      add_level(work, std::move(coarse));
    }
  }
  /// Whether a next level is worth while; its aggregates are made then.
  bool coarsens(const Workspace<ExecutionSpace>& work, int modes, Level<ExecutionSpace>& fine) const {
    if (static_cast<int>(levels_.size()) >= options_.max_levels || fine.rows() <= options_.coarsest_rows ||
        fine.properties.coupled_rows == 0)
      return false;
    fine.aggregates = aggregates_of(work, aggregation_, constant_near_null_, modes, fine);
    const auto [most, of] = tuning::least_coarsening;
    return static_cast<Offset>(fine.aggregates.count) * modes * of <= static_cast<Offset>(fine.rows()) * most;
  }
  bool goes_on(std::size_t l, bool more) {
    if (!meet_) return more;
    const auto outer = meet_(*this, l, more);
    if (outer && more) levels_[l].outer = *outer;
    return outer && more;
  }
  void fill_next(const Workspace<ExecutionSpace>& work, Level<ExecutionSpace>& fine,
                 Level<ExecutionSpace>& coarse, const NegativeEntries<ExecutionSpace>& negative) {
    next_values(work, fine, coarse, prolongator_step(levels_[0]), contributions_, negative.count);
    keep_near_null(work, coarse);
  }
  void keep_near_null(const Workspace<ExecutionSpace>& work, Level<ExecutionSpace>& level) const {
    if (!meet_ || level.has_test()) return;
    if (level.near_null.extent(0) == 0)
      level.near_null =
          make_kept<Modes<ExecutionSpace>>(work, "near_null", level.rows(), level.modes.extent(1));
    Kokkos::deep_copy(work.exec, level.near_null, level.modes);
  }
  void add_level(const Workspace<ExecutionSpace>& work, Level<ExecutionSpace>&& level) {
    level.r = make_kept<Floats<ExecutionSpace>>(work, "r", level.rows());
    level.x = make_kept<Floats<ExecutionSpace>>(work, "x", level.rows());
    level.t = make_kept<Floats<ExecutionSpace>>(work, "t", level.rows());
    levels_.push_back(std::move(level));
    prepare_smoother(work, levels_.back());
  }

  /// The packed form of a level's values, their bound and the smoother.
  /// \param packed  what is known of the packed matrix if it is filled.
  void prepare_smoother(const Workspace<ExecutionSpace>& work, Level<ExecutionSpace>& level,
                        const std::optional<PackedProperties>& packed = {}) {
    level.properties =
        packed ? *packed
               : pack(work.exec, level.matrix, level.test, level.test_product, half_storage_, level.packed);
    finish_level(work, level, options_.smoothing_range.value_or(tuning::smoothing_range<ExecutionSpace>),
                 level.rows() <= options_.coarsest_rows);
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
    return DenseInverse<ExecutionSpace>(work, level.matrix, level.test, level.test_product, null_space,
                                        tuning::most_shift(levels_.size() == 1), level.inverse);
  }

  void require_same_pattern(const ExecutionSpace& exec, const Crs& a) const {
    if (a.rows() != rows_ || a.columns.extent(0) != entries_ || a.values.extent(0) != a.columns.extent(0))
      throw ArgumentError("Multigrid: refresh wants the pattern of the set-up, " + std::to_string(rows_) +
                          " rows and " + std::to_string(entries_) + " entries; got " +
                          std::to_string(a.rows()) + " and " + std::to_string(a.values.extent(0)));
    if (pattern_sum(exec, a) != pattern_)
      throw ArgumentError("Multigrid: refresh wants the pattern of the set-up; this one has as many rows and "
                          "entries, but other places: make another Multigrid for it");
  }

  void describe() {
    report_.singular = singular_;
    report_.bytes = order_.bytes() + bytes_of(scale_) + bytes_of(near_null_) + bytes_of(contributions_) +
                    kept_.unused() + finest_rows_.unused() + of_refresh_.bytes() + fine_operator_.bytes;
    report_levels(levels_, report_);
  }

  FineRows<ExecutionSpace> fine_rows() const { return {order_.new_to_old, order_.old_to_new, scale_}; }

  // The arrays of all that follows, those of the finest level's rows, and those that a refresh alone needs.
  Pool<ExecutionSpace> kept_, finest_rows_, of_refresh_;
  MultigridOptions options_;
  ChosenAggregation aggregation_;
  Ordinal rows_;
  MeetLevel<ExecutionSpace> meet_;
  Offset entries_ = 0;             // of the given matrix
  std::uint64_t pattern_ = 0;      // its `pattern_sum`
  bool constant_near_null_ = true; // the near-null space is the constant vector
  bool half_storage_ = true;       // see `RowPack`
  bool singular_ = false;          // with the near-null space as null space
  bool outweighed_ = false;        // rows of the finest level are scaled down
  FineOrder<ExecutionSpace> order_;
  Floats<ExecutionSpace> scale_;    // 1/√d_i by rows of the finest level
  Modes<ExecutionSpace> near_null_; // row of the given matrix × mode; no rows: the constant vector
  MatrixProperties properties_;
  std::vector<Level<ExecutionSpace>> levels_;
  FineOperator<ExecutionSpace> fine_operator_; // in the place of the finest level's rows, if any
  Cycle<ExecutionSpace> cycle_;
  Floats<ExecutionSpace> contributions_; // room for the products of `refresh`
  MultigridReport report_;
};

} // namespace tessera::solvers::multigrid::detail
