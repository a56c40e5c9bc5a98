#pragma once

/// \file
/// Values of the finest level: the given matrix's scaled by its diagonal.

#include <tessera/core/graphs/ascending_list.hpp>
#include <tessera/solvers/multigrid/detail/finest/fine_order.hpp>
#include <tessera/solvers/multigrid/detail/finest/scale_rows.hpp>
#include <tessera/solvers/multigrid/detail/smoother/pack.hpp>
#include <tessera/solvers/multigrid/detail/smoother/packed_matrix.hpp>
#include <tessera/solvers/multigrid/detail/sparse.hpp>
#include <tessera/solvers/multigrid/detail/tuning.hpp>
#include <tessera/solvers/sparse/detail/row_passes.hpp>
#include <tessera/solvers/sparse/detail/rows.hpp>
#include <tessera/solvers/sparse/detail/staged_rows.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <optional>

namespace tessera::solvers::multigrid::detail {

/// Factors of single rows whose other entries outweigh the diagonal by far: they scale them down to Σ_j
/// |a_ij| = 2, Gershgorin's bound of the largest eigenvalue. These rows are corners of slivers, which would
/// stretch the range of the smoother on the whole level.
template <class ExecutionSpace>
struct RowFactors {
  Floats<ExecutionSpace> factor; // row; empty: none are wanted

  /// \return whether the row's is not one
  KOKKOS_FUNCTION bool set(Ordinal row, float absolute_sum) const {
    const bool outweighed = absolute_sum > tuning::outweighed_row;
    if (factor.extent(0) == 0) return false;
    factor(row) = outweighed ? Kokkos::sqrt(tuning::even_row / absolute_sum) : 1.0f;
    return outweighed;
  }

  /// Whether there are rows with a factor.
  bool any(const ExecutionSpace& exec) const {
    const auto of_row = factor;
    Ordinal count = 0;
    Kokkos::parallel_reduce(
        "Tessera::Multigrid::outweighed_rows", Range<ExecutionSpace>(exec, 0, of_row.extent_int(0)),
        KOKKOS_LAMBDA(const Ordinal row, Ordinal& sum) { sum += of_row(row) != 1 ? 1 : 0; }, count);
    return count > 0;
  }
};

/// A row of the finest level on hosts, or of nodes with several rows: s_i a_ij s_j, the identity's where the
/// node is filled up.
template <class ExecutionSpace>
struct FineValues {
  ScaleRows<ExecutionSpace> rows;
  Matrix<ExecutionSpace> fine;
  RowFactors<ExecutionSpace> factors;

  KOKKOS_FUNCTION void operator()(const TeamMember<ExecutionSpace>& team, Ordinal row, int) const {
    const auto& a = rows.a;
    const auto& order = rows.order;
    const auto& scale = rows.scale;
    const int width = order.rows_per_node;
    const Ordinal old = order.new_to_old(row), node = row / width;
    const Ordinal length = fine.graph.length(node);
    const Ordinal* const columns = fine.graph.columns.data() + fine.graph.row_map(node);
    const Offset to = fine.row_begin(node, row - node * width), from = old < 0 ? 0 : a.row_map(old);
    const auto place = [&](Ordinal column) {
      return tessera::detail::place_in(columns, length, column / width) * width + column % width;
    };
    fetch_later_row(a, order.new_to_old, row);
    if (width == 1) {
      scale_row(scale(row), a.values.data() + from, columns, length, scale.data(), fine.values.data() + to);
      factors.set(row, weight_of(row_of(fine, row), row).sum);
      return;
    }
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, length * width),
                         [&](Ordinal k) { fine.values(to + k) = 0; });
    if (old < 0) {
      Kokkos::single(Kokkos::PerThread(team), [&]() { fine.values(to + place(row)) = 1; });
      return;
    }
    const double s = scale(row);
    Kokkos::parallel_for(
        Kokkos::ThreadVectorRange(team, static_cast<Ordinal>(a.row_map(old + 1) - from)), [&](Ordinal k) {
          const Ordinal column = order.old_to_new(a.columns(from + k));
          fine.values(to + place(column)) = static_cast<float>(s * a.values(from + k) * scale(column));
        });
  }
};

/// Entries of the finest level of single rows for `StagedRow`: they are scaled and written while they come.
template <class ExecutionSpace>
struct ScaledEntries {
  static constexpr bool values = true;
  static constexpr Ordinal warp = 32;
  ScaleRows<ExecutionSpace> rows;
  Matrix<ExecutionSpace> fine;

  /// Of a warp's rows: where they begin, counted from the first, where they lie in the given matrix, counted
  /// from where they are, and their scales.
  struct Rows {
    Scratch<Ordinal, ExecutionSpace> begins;
    Scratch<Offset, ExecutionSpace> shifts;
    Scratch<float, ExecutionSpace> scales;
    Offset first_entry = 0;

    KOKKOS_FUNCTION explicit Rows(const TeamMember<ExecutionSpace>& team)
        : begins(team.team_scratch(0), warp), shifts(team.team_scratch(0), warp),
          scales(team.team_scratch(0), warp) {}
    static std::size_t scratch_bytes() {
      return Scratch<Ordinal, ExecutionSpace>::shmem_size(warp) +
             Scratch<Offset, ExecutionSpace>::shmem_size(warp) +
             Scratch<float, ExecutionSpace>::shmem_size(warp);
    }
    KOKKOS_FUNCTION void begin(const ScaledEntries& source, const TeamMember<ExecutionSpace>& team,
                               Ordinal first) {
      const auto& row_map = source.fine.graph.row_map;
      const Ordinal rank = team.team_rank(), rows = source.fine.graph.count(), row = first + rank;
      first_entry = row_map(first);
      begins(rank) = static_cast<Ordinal>(row_map(Kokkos::min(row, rows)) - first_entry);
      if (row < rows) {
        shifts(rank) = source.rows.a.row_map(source.rows.order.new_to_old(row)) - row_map(row);
        scales(rank) = source.rows.scale(row);
      }
      team.team_barrier();
    }
    /// The row of an entry.
    KOKKOS_FORCEINLINE_FUNCTION Ordinal row_of(Offset k) const {
      const auto entry = static_cast<Ordinal>(k - first_entry);
      Ordinal row = 0;
      for (Ordinal step = warp / 2; step > 0; step /= 2)
        if (begins(row + step) <= entry) row += step;
      return row;
    }
  };

  KOKKOS_FORCEINLINE_FUNCTION const Graph<ExecutionSpace>& graph() const { return fine.graph; }
  KOKKOS_FORCEINLINE_FUNCTION double load(const Rows& of_warp, Offset k) const {
    const Ordinal row = of_warp.row_of(k);
    return of_warp.scales(row) * rows.a.values(k + of_warp.shifts(row));
  }
  KOKKOS_FORCEINLINE_FUNCTION float fetch(Ordinal column) const { return rows.scale(column); }
  KOKKOS_FORCEINLINE_FUNCTION float value(Offset k, double loaded, float other) const {
    return fine.values(k) = static_cast<float>(loaded * other);
  }
};

/// What filling the finest level found.
struct FineProperties {
  PackedProperties packed;
  Ordinal outweighed = 0; ///< rows with a factor
  KOKKOS_FUNCTION FineProperties& operator+=(const FineProperties& other) {
    packed += other.packed;
    outweighed += other.outweighed;
    return *this;
  }
};

/// A row that adds its values up while it is gone through.
template <class Row>
struct SummedRow {
  Row& entries;
  float absolute_sum = 0;

  KOKKOS_FORCEINLINE_FUNCTION bool is_row() const { return entries.is_row(); }
  template <class Fetch, class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void each(const Fetch& fetch, const Visit& visit) {
    entries.each(fetch, [&](Ordinal column, float value, const decltype(fetch(Ordinal{}))& fetched) {
      absolute_sum += Kokkos::abs(value);
      visit(column, value, fetched);
    });
  }
};

/// Sets a row's factor, and packs it if that is wanted.
template <class ExecutionSpace>
struct FinishRow {
  RowFactors<ExecutionSpace> factors;
  Pack<ExecutionSpace> pack;
  bool packs;

  template <class Row>
  KOKKOS_FUNCTION void operator()(Ordinal row, Row& entries, FineProperties& found) const {
    SummedRow<Row> summed{entries};
    if (packs)
      pack(row, summed, found.packed);
    else
      summed.each([](Ordinal) { return 0; }, [](Ordinal, float, int) {});
    if (entries.is_row() && factors.set(row, summed.absolute_sum)) ++found.outweighed;
  }
};

/// A row whose values are scaled, where they are and on their way, by its factor and the columns'.
template <class Row, class ExecutionSpace>
struct FactoredRow {
  Row& entries;
  float own;
  Floats<ExecutionSpace> factor;
  float* values; // the row's

  template <class Fetched>
  struct Both {
    Fetched fetched;
    float factor;
  };

  KOKKOS_FORCEINLINE_FUNCTION bool is_row() const { return entries.is_row(); }
  template <class Fetch, class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void each(const Fetch& fetch, const Visit& visit) {
    using Fetched = decltype(fetch(Ordinal{}));
    float* place = values;
    entries.each([&](Ordinal column) { return Both<Fetched>{fetch(column), factor(column)}; },
                 [&](Ordinal column, float value, const Both<Fetched>& both) {
                   if (own * both.factor != 1) *place = value *= own * both.factor;
                   ++place;
                   visit(column, value, both.fetched);
                 });
  }
};

/// Scales a row by its factor, and packs it if that is wanted.
template <class ExecutionSpace>
struct ScaleOutweighed {
  Matrix<ExecutionSpace> fine;
  Floats<ExecutionSpace> factor;
  Pack<ExecutionSpace> pack;
  bool packs;

  template <class Row>
  KOKKOS_FUNCTION void operator()(Ordinal row, Row& entries, PackedProperties& found) const {
    FactoredRow<Row, ExecutionSpace> scaled{entries, factor(row), factor,
                                            fine.values.data() + fine.graph.row_map(row)};
    if (packs)
      pack(row, scaled, found);
    else
      scaled.each([](Ordinal) { return 0; }, [](Ordinal, float, int) {});
  }
};

/// Scales rows by their factors, and what belongs to them.
/// \return the properties of what has been packed, if it has
template <class ExecutionSpace>
PackedProperties scale_outweighed(const ExecutionSpace& exec, const ScaleRows<ExecutionSpace>& rows,
                                  const ScaleOutweighed<ExecutionSpace>& values) {
  constexpr const char* label = "Tessera::Multigrid::scale_outweighed";
  const auto factor = values.factor;
  Kokkos::parallel_for(
      label, Range<ExecutionSpace>(exec, 0, rows.order.rows()), KOKKOS_LAMBDA(const Ordinal row) {
        const float own = factor(row);
        if (own == 1) return;
        rows.scale(row) *= own;
        rows.test(row) /= own;
        rows.test_product(row) *= own;
      });
  PackedProperties found;
  for_each_staged_row<true>(exec, label, values.fine, values, found);
  return found;
}

/// Values of the finest level.
/// \param single  whether there is one near-null vector: rows that are outweighed are scaled down then.
/// \param packed  to be filled too if that is cheap; empty if not.
/// \param half    how it is packed.
/// \param outweighed  whether there were such rows before, and on return whether there are: packing waits for
/// them.
/// \return the properties of what has been packed, if it has
template <class ExecutionSpace>
std::optional<PackedProperties>
fine_values(const Workspace<ExecutionSpace>& work, const ScaleRows<ExecutionSpace>& rows,
            const Matrix<ExecutionSpace>& fine, bool single, const PackedMatrix<ExecutionSpace>& packed,
            bool half, bool& outweighed) {
  constexpr const char* label = "Tessera::Multigrid::fine_values";
  const ReturnTemporaries<ExecutionSpace> at_end(work);
  RowFactors<ExecutionSpace> factors;
  if (fine.scalar() && single)
    factors.factor = make_temporary<Floats<ExecutionSpace>>(work, "factor", fine.rows());
  const bool staged = !runs_on_host<ExecutionSpace> && fine.scalar() && fine.rows() > 0;
  const bool packs = staged && packed.rows() > 0;
  const Pack<ExecutionSpace> pack{fine, packed, rows.test, rows.test_product, half};
  // Values that are scaled down are packed when they are.
  const bool first = packs && !outweighed;
  FineProperties found;
  if (staged) {
    for_each_row_of(work.exec, label, ScaledEntries<ExecutionSpace>{rows, fine},
                    FinishRow<ExecutionSpace>{factors, pack, first}, found);
    outweighed = found.outweighed > 0;
  } else {
    const int lanes = runs_on_host<ExecutionSpace> ? 1 : lanes_for(rows.a.columns.extent(0), fine.rows());
    for_each_row(work.exec, label, fine.rows(), lanes, 0, FineValues<ExecutionSpace>{rows, fine, factors});
    outweighed = factors.any(work.exec);
  }
  if (outweighed) found.packed = scale_outweighed(work.exec, rows, {fine, factors.factor, pack, packs});
  if (!packs || (!first && !outweighed)) return std::nullopt;
  return found.packed;
}

} // namespace tessera::solvers::multigrid::detail
