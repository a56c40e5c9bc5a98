// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// From a level of the hierarchy to the next: patterns once, values in each refresh.

#include <tessera/core/graphs/ascending_list.hpp>
#include <tessera/solvers/multigrid/detail/galerkin/galerkin.hpp>
#include <tessera/solvers/multigrid/detail/level.hpp>
#include <tessera/solvers/multigrid/detail/sparse.hpp>
#include <tessera/solvers/multigrid/detail/transfer/filter.hpp>
#include <tessera/solvers/multigrid/detail/transfer/prolongator.hpp>
#include <tessera/solvers/multigrid/detail/transfer/tentative.hpp>
#include <tessera/solvers/multigrid/detail/tuning.hpp>
#include <tessera/solvers/sparse/detail/products.hpp>
#include <tessera/solvers/sparse/detail/row_passes.hpp>
#include <tessera/solvers/sparse/detail/slices.hpp>
#include <tessera/solvers/sparse/detail/staged_rows.hpp>
#include <tessera/solvers/sparse/detail/transpose.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <utility>

namespace tessera::solvers::multigrid::detail {

/// out = y − factor·A x, for matrices of one value a block.
template <class ExecutionSpace>
struct SubtractProduct {
  Matrix<ExecutionSpace> a;
  double factor;
  Floats<ExecutionSpace> x, y, out;

  /// Many rows: a thread a row.
  template <class Row>
  KOKKOS_FUNCTION void operator()(Ordinal row, Row& entries) const {
    double sum = 0;
    entries.each([&](Ordinal column) { return x(column); },
                 [&](Ordinal, float value, double other) { sum += static_cast<double>(value) * other; });
    if (entries.is_row()) out(row) = static_cast<float>(y(row) - factor * sum);
  }

  /// Few rows: a thread's lanes a row.
  KOKKOS_FUNCTION void operator()(const TeamMember<ExecutionSpace>& team, Ordinal row, int) const {
    double sum = 0;
    if constexpr (runs_on_host<ExecutionSpace>) {
      out(row) = static_cast<float>(y(row) - factor * double_dot(row_of(a, row), x.data()));
      return;
    }
    const Offset first = a.graph.row_map(row);
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, a.graph.length(row)),
        [&](const Ordinal k, double& partial) {
          partial +=
              static_cast<double>(a.values(first + k)) * static_cast<double>(x(a.graph.columns(first + k)));
        },
        sum);
    Kokkos::single(Kokkos::PerThread(team), [&]() { out(row) = static_cast<float>(y(row) - factor * sum); });
  }
};

template <class ExecutionSpace>
void subtract_product(const ExecutionSpace& exec, const SubtractProduct<ExecutionSpace>& product) {
  constexpr const char* label = "Tessera::Multigrid::subtract_product";
  const Ordinal rows = product.a.rows();
  if (!runs_on_host<ExecutionSpace> && rows >= sparse::detail::tuning::many_rows)
    for_each_staged_row<true>(exec, label, product.a, product);
  else
    for_each_row(exec, label, rows, lanes_for(product.a.entries(), rows), 0, product);
}

/// Scales a row by both of an entry's scales, the diagonal to one.
template <class ExecutionSpace>
struct ScaleEntries {
  Matrix<ExecutionSpace> a;
  Floats<ExecutionSpace> scale;

  KOKKOS_FUNCTION void operator()(const TeamMember<ExecutionSpace>& team, Ordinal row, int) const {
    const Ordinal node = row / a.block_rows, width = a.block_columns;
    const Offset first = a.graph.row_map(node), entries = a.row_begin(node, row - node * a.block_rows);
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, a.graph.length(node) * width), [&](Ordinal k) {
      const Ordinal block = k / width, column = a.graph.columns(first + block) * width + (k - block * width);
      float& value = a.values(entries + k);
      value = column == row ? 1 : value * scale(row) * scale(column);
    });
  }
};

/// Scales the coarse matrix to a unit diagonal, and with it the prolongator and the near-null space. Coarse
/// unknowns without energy (dependent modes, rows that are coupled to nothing) become rows of the identity.
/// \param negative  negative diagonal entries are counted there.
template <class ExecutionSpace>
void scale_coarse(const Workspace<ExecutionSpace>& work, const Level<ExecutionSpace>& fine,
                  const Level<ExecutionSpace>& coarse,
                  const Kokkos::View<Ordinal, ExecutionSpace>& negative) {
  const ReturnTemporaries<ExecutionSpace> at_end(work);
  const auto a = coarse.matrix, prolongator = fine.prolongator;
  const auto modes = coarse.modes;
  const auto test = coarse.test;
  const bool has_test = test.extent(0) > 0;
  const Ordinal rows = a.rows();
  const auto scale = make_temporary<Floats<ExecutionSpace>>(work, "scale", rows);
  Kokkos::parallel_for(
      "Tessera::Multigrid::coarse_scale", Range<ExecutionSpace>(work.exec, 0, rows),
      KOKKOS_LAMBDA(const Ordinal row) {
        const Ordinal node = row / a.block_rows, r = row - node * a.block_rows;
        const Ordinal place = tessera::detail::place_in(a.graph.columns.data() + a.graph.row_map(node),
                                                        a.graph.length(node), node);
        // Its own column is missing where nothing is coupled to it.
        const bool found =
            place < a.graph.length(node) && a.graph.columns(a.graph.row_map(node) + place) == node;
        const double diagonal =
            found ? a.values(a.row_begin(node, r) + static_cast<Offset>(place) * a.block_columns + r) : 0;
        if (diagonal < -tuning::no_energy) Kokkos::atomic_inc(&negative());
        const bool kept = diagonal > tuning::no_energy;
        const double root = kept ? Kokkos::sqrt(diagonal) : 0;
        scale(row) = kept ? static_cast<float>(1 / root) : 0.0f;
        for (int m = 0; m < static_cast<int>(modes.extent(1)); ++m) modes(row, m) *= root;
        if (has_test) test(row) = static_cast<float>(modes(row, 0));
      });
  for_each_row(work.exec, "Tessera::Multigrid::coarse_values", rows, lanes_for(a.entries(), rows), 0,
               ScaleEntries<ExecutionSpace>{a, scale});
  if (prolongator.scalar()) { // entry by entry
    const auto columns = prolongator.graph.columns;
    const auto values = prolongator.values;
    Kokkos::parallel_for(
        "Tessera::Multigrid::prolongator_values",
        Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Offset>>(work.exec, 0, prolongator.entries()),
        KOKKOS_LAMBDA(const Offset k) { values(k) *= scale(columns(k)); });
    return;
  }
  Kokkos::parallel_for(
      "Tessera::Multigrid::prolongator_values", Range<ExecutionSpace>(work.exec, 0, prolongator.rows()),
      KOKKOS_LAMBDA(const Ordinal row) {
        prolongator.each_entry(row, [&](Ordinal column, float& value) { value *= scale(column); });
      });
}

/// Makes the pattern of the transfer.
template <class ExecutionSpace>
void transfer_pattern(const Workspace<ExecutionSpace>& work, Level<ExecutionSpace>& fine, int modes) {
  const auto both_ways = [&](Offset entries) { // columns and values of the prolongator and the restrictor
    const std::size_t columns = sizeof(Ordinal) * entries,
                      values = sizeof(float) * entries * fine.matrix.block_rows * modes;
    reserve(work, "transfer", columns, values, sizeof(Offset) * (fine.aggregates.count + 1), columns, values);
  };
  const auto pattern = prolongator_pattern(work, fine.prolongator_smoother(), fine.aggregates, both_ways);
  fine.prolongator = matrix_on(work, "prolongator", pattern, fine.matrix.block_rows, modes);
  fine.restrictor = matrix_on(work, "restrictor", transposed(work, pattern, fine.aggregates.count), modes,
                              fine.matrix.block_rows);
}

/// Makes the patterns of the transfer and of the next level. The prolongator of single unknowns whose
/// aggregates nearly all meet is not smoothed.
template <class ExecutionSpace>
Level<ExecutionSpace> next_pattern(const Workspace<ExecutionSpace>& work, Level<ExecutionSpace>& fine,
                                   int modes, Floats<ExecutionSpace>& contributions) {
  Level<ExecutionSpace> coarse;
  for (;;) {
    transfer_pattern(work, fine, modes);
    auto product = fine.galerkin();
    const bool any = !fine.has_test() || !fine.smoothed;
    const auto pattern = product.pattern(work, any, contributions);
    fine.plan = product.plan;
    if (pattern) {
      coarse.matrix = *pattern;
      break;
    }
    fine.smoothed = false;
    fine.filter(work, diagonal_pattern(work, fine.rows()));
  }
  if constexpr (runs_on_host<ExecutionSpace>)
    fine.sliced_prolongator = sliced_pattern(work, fine.prolongator);
  return coarse;
}

/// What prolongators are smoothed by, relative to the bound of the spectrum. Runs, which follow no couplings,
/// save iterations with more where the finest level's rows couple few directions, as among simplices.
template <class ExecutionSpace>
double prolongator_step(const Level<ExecutionSpace>& finest) {
  const bool of_simplices = finest.aggregates.run_length > 0 && finest.bound > tuning::simplices_bound;
  return of_simplices ? tuning::prolongator_step_of_simplices : tuning::usual_prolongator_step;
}

/// Takes the outer couplings into the prolongator.
/// \return F w with them
template <class ExecutionSpace>
Floats<ExecutionSpace> subtract_outer(const Workspace<ExecutionSpace>& work, Level<ExecutionSpace>& fine,
                                      const Modes<ExecutionSpace>& coarse_modes, double omega,
                                      const Floats<ExecutionSpace>& test_image) {
  const auto outer = std::exchange(fine.outer, {});
  const Range<ExecutionSpace> rows(work.exec, 0, outer.rows.extent_int(0));
  Floats<ExecutionSpace> image;
  if (fine.has_test()) {
    image = make_temporary<Floats<ExecutionSpace>>(work, "test_image", fine.rows());
    Kokkos::deep_copy(work.exec, image, test_image);
    Kokkos::parallel_for("Tessera::Multigrid::add_outer", rows, AddOuter<ExecutionSpace>{outer, image});
  }
  Kokkos::parallel_for(
      "Tessera::Multigrid::subtract_outer", rows,
      SubtractOuter<ExecutionSpace>{outer, fine.prolongator, fine.aggregates, coarse_modes, omega});
  return image;
}

/// Fills the transfer and the next level's matrix, P = (I − ω F) P̂ and Pᵀ A P, F the matrix or its filtered
/// form.
/// \param step      ω times the bound of the spectrum, see `prolongator_step`.
/// \param negative  negative diagonal entries of the next level are counted there.
template <class ExecutionSpace>
void next_values(const Workspace<ExecutionSpace>& work, Level<ExecutionSpace>& fine,
                 Level<ExecutionSpace>& coarse, double step, const Floats<ExecutionSpace>& contributions,
                 const Kokkos::View<Ordinal, ExecutionSpace>& negative) {
  const double omega = fine.smoothed ? step / fine.bound : 0;
  coarse.modes = orthonormalise(work, fine.aggregates, fine.modes, fine.matrix.block_rows);
  if (fine.is_filtered())
    filtered_values(work.exec, fine.matrix, fine.test, fine.test_product, fine.filtered,
                    fine.filtered_product);
  // P times the next level's test vector is w − ω F w, and so A_c w_c = Pᵀ (g − ω A F w) with g = A w.
  SmoothedVector<ExecutionSpace> image;
  const bool has_outer = fine.outer.rows.extent(0) > 0;
  if (fine.has_test() && !fine.is_filtered() && !has_outer)
    image = {fine.test_product, fine.test_product, fine.t};
  const bool has_image = prolongator_values(
      work, ProlongatorValues<ExecutionSpace>{fine.prolongator_smoother(), fine.prolongator, fine.aggregates,
                                              fine.modes, omega, image});
  fine.modes = {};
  Floats<ExecutionSpace> test_image = fine.is_filtered() ? fine.filtered_product : fine.test_product; // F w
  if (has_outer) test_image = subtract_outer(work, fine, coarse.modes, omega, test_image);
  fine.galerkin().values(work, contributions, coarse.matrix);
  if (fine.has_test() && !coarse.has_test()) {
    coarse.test = make_kept<Floats<ExecutionSpace>>(work, "test", coarse.rows());
    coarse.test_product = make_kept<Floats<ExecutionSpace>>(work, "test_product", coarse.rows());
  }
  scale_coarse(work, fine, coarse, negative);
  if constexpr (runs_on_host<ExecutionSpace>)
    sliced_values(work.exec, fine.prolongator, fine.sliced_prolongator);
  transposed_values(work, fine.prolongator, fine.restrictor);
  if (!fine.has_test()) return;
  if (!has_image)
    subtract_product(work.exec, SubtractProduct<ExecutionSpace>{fine.matrix, omega, test_image,
                                                                fine.test_product, fine.t});
  const auto product =
      rows_product<ExecutionSpace>(work.exec, fine.restrictor, fine.t, coarse.test_product, false);
  Kokkos::parallel_for("Tessera::Multigrid::restrict", product.policy, product.functor);
}

} // namespace tessera::solvers::multigrid::detail
