// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Values of the finest level: the given matrix's scaled by its diagonal.

#include <tessera/core/graphs/ascending_list.hpp>
#include <tessera/core/vector_fence.hpp>
#include <tessera/solvers/multigrid/detail/finest/fine_order.hpp>
#include <tessera/solvers/multigrid/detail/finest/outweighed_rows.hpp>
#include <tessera/solvers/multigrid/detail/finest/scale_rows.hpp>
#include <tessera/solvers/multigrid/detail/finest/scaled_entries.hpp>
#include <tessera/solvers/multigrid/detail/smoother/pack.hpp>
#include <tessera/solvers/multigrid/detail/smoother/packed_matrix.hpp>
#include <tessera/solvers/multigrid/detail/sparse.hpp>
#include <tessera/solvers/sparse/detail/row_passes.hpp>
#include <tessera/solvers/sparse/detail/rows.hpp>
#include <tessera/solvers/sparse/detail/staged_rows.hpp>

#include <Kokkos_Core.hpp>

#include <optional>

namespace tessera::solvers::multigrid::detail {

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
    vector_fence();
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
  RowPack<ExecutionSpace> pack;
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

/// Fills rows where they are.
template <class ExecutionSpace>
void fill_in_place(const ExecutionSpace& exec, const FineValues<ExecutionSpace>& values) {
  const Ordinal rows = values.fine.rows();
  const int lanes = runs_on_host<ExecutionSpace> ? 1 : lanes_for(values.rows.a.columns.extent(0), rows);
  for_each_row(exec, "Tessera::Multigrid::fine_values", rows, lanes, 0, values);
}

/// Values of the finest level. On devices rows of nodes with one each come to fast memory, and are packed
/// from there; values that are scaled down are packed when they are.
/// \param scales_down   whether rows that are outweighed are scaled down.
/// \param packed        to be filled too if that is cheap; empty if not.
/// \param half_storage  how it is packed.
/// \param outweighed    whether there were such rows before, and on return whether there are: packing waits
/// for them.
/// \return the properties of what has been packed, if it has
template <class ExecutionSpace>
std::optional<PackedProperties>
fine_values(const Workspace<ExecutionSpace>& work, const ScaleRows<ExecutionSpace>& rows,
            const Matrix<ExecutionSpace>& fine, bool scales_down, const PackedMatrix<ExecutionSpace>& packed,
            bool half_storage, bool& outweighed) {
  const ReturnTemporaries<ExecutionSpace> at_end(work);
  RowFactors<ExecutionSpace> factors;
  if (fine.scalar() && scales_down)
    factors.factor = make_temporary<Floats<ExecutionSpace>>(work, "row_factors", fine.rows());
  const RowPack<ExecutionSpace> pack{fine, packed, rows.test, rows.test_product, half_storage};
  const bool staged = !runs_on_host<ExecutionSpace> && fine.scalar() && fine.rows() > 0;
  const bool packs = staged && packed.rows() > 0, packs_at_once = packs && !outweighed;
  FineProperties found;
  if (staged) {
    for_each_row_of(work.exec, "Tessera::Multigrid::fine_values", ScaledEntries<ExecutionSpace>{rows, fine},
                    FinishRow<ExecutionSpace>{factors, pack, packs_at_once}, found);
    outweighed = found.outweighed > 0;
  } else {
    fill_in_place(work.exec, FineValues<ExecutionSpace>{rows, fine, factors});
    outweighed = factors.any(work.exec);
  }
  if (outweighed) found.packed = scale_outweighed(work.exec, rows, {fine, factors.factor, pack, packs});
  if (!packs || (!packs_at_once && !outweighed)) return std::nullopt;
  return found.packed;
}

} // namespace tessera::solvers::multigrid::detail
