#pragma once

/// \file
/// The finest level: the given matrix in the level's order and scaled by its diagonal, checked on the way.

#include <tessera/core/ascending_list.hpp>
#include <tessera/core/error.hpp>
#include <tessera/solvers/detail/crs.hpp>
#include <tessera/solvers/multigrid/detail/fine_order.hpp>
#include <tessera/solvers/multigrid/detail/row_passes.hpp>
#include <tessera/solvers/multigrid/detail/rows.hpp>
#include <tessera/solvers/multigrid/detail/types.hpp>
#include <tessera/solvers/multigrid/detail/unions.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <limits>
#include <string>

namespace tessera::solvers::multigrid {

/// What a pass over the given matrix found.
struct MatrixProperties {
  /// Σ a_ij (u_i v_j − v_i u_j) of two random vectors, zero for a symmetric matrix, and the sum of its terms'
  /// squares.
  double skew = 0, squares = 0;
  /// Largest |sum of a row| / (sum of absolute values).
  double row_sum = 0;
  /// First row with an entry that is not finite, without a positive diagonal entry.
  Ordinal not_finite = std::numeric_limits<Ordinal>::max(), not_positive = not_finite;
};

/// Has a later row of the level on its way on hosts: rows that are neighbours on the curve lie apart in the
/// given matrix.
template <class ExecutionSpace>
KOKKOS_FORCEINLINE_FUNCTION void fetch_later_row(const solvers::detail::CrsViews<double, ExecutionSpace>& a,
                                                 const Ordinals<ExecutionSpace>& new_to_old, Ordinal row) {
  if constexpr (runs_on_host<ExecutionSpace>) {
    constexpr Ordinal later = 16;
    if (row + later >= static_cast<Ordinal>(new_to_old.extent(0)) || new_to_old(row + later) < 0) return;
    const Offset k = a.row_map(new_to_old(row + later));
    for (int line = 0; line < 2; ++line) __builtin_prefetch(a.columns.data() + k + 16 * line);
    for (int line = 0; line < 3; ++line) __builtin_prefetch(a.values.data() + k + 8 * line);
  }
}

/// Row by row in the level's order: the scale 1/√a_ii, the test vector √a_ii, and the product with it.
template <class ExecutionSpace>
struct ScaleRows {
  solvers::detail::CrsViews<double, ExecutionSpace> a;
  Ordinals<ExecutionSpace> new_to_old;
  Floats<ExecutionSpace> scale, test, test_product; // the latter two empty for several modes

  KOKKOS_FUNCTION void operator()(Ordinal row, double& skew, double& squares, double& row_sum,
                                  Ordinal& not_finite, Ordinal& not_positive) const {
    const Ordinal old = new_to_old(row);
    if (old < 0) { // filled up: a row of the identity that nothing enters
      scale(row) = 0;
      if (test.extent(0) > 0) test(row) = test_product(row) = 0;
      return;
    }
    fetch_later_row(a, new_to_old, row);
    const Offset first = a.row_map(old);
    const RowSums sums =
        row_sums(a.values.data() + first, a.columns.data() + first, a.row_map(old + 1) - first, old);
    const double diagonal = sums.diagonal, absolute = sums.absolute;
    skew += sums.skew;
    squares += sums.squares;
    if (!Kokkos::isfinite(absolute))
      not_finite = Kokkos::min(not_finite, old);
    else if (!(diagonal > 1e-37 && diagonal < 1e37))
      not_positive = Kokkos::min(not_positive, old);
    // Sums that are rounding are zero: the matrix may be singular, and must not become indefinite.
    const double sum = Kokkos::abs(sums.all) <= 1e-13 * absolute ? 0 : sums.all;
    row_sum = Kokkos::max(row_sum, Kokkos::abs(sum) / absolute);
    const bool coupled = absolute > Kokkos::abs(diagonal);
    const auto s = static_cast<float>(1 / Kokkos::sqrt(diagonal));
    scale(row) = s;
    if (test.extent(0) == 0) return;
    test(row) = coupled ? 1 / s : 0;
    test_product(row) = coupled ? static_cast<float>(s * sum) : 0;
  }
};

/// The properties of `a`, and each row's scale and test vector.
/// \throws SolverError naming the first row with an entry that is not finite or a diagonal entry that is not
/// positive, or if the matrix is not symmetric
template <class ExecutionSpace>
MatrixProperties scale_rows(const ExecutionSpace& exec, const ScaleRows<ExecutionSpace>& rows) {
  MatrixProperties found;
  Kokkos::parallel_reduce("Tessera::Multigrid::scale_rows",
                          Range<ExecutionSpace>(exec, 0, static_cast<Ordinal>(rows.new_to_old.extent(0))),
                          rows, Kokkos::Sum<double>(found.skew), Kokkos::Sum<double>(found.squares),
                          Kokkos::Max<double>(found.row_sum), Kokkos::Min<Ordinal>(found.not_finite),
                          Kokkos::Min<Ordinal>(found.not_positive));
  if (found.not_finite != MatrixProperties().not_finite)
    throw SolverError("Multigrid: row " + std::to_string(found.not_finite) +
                      " of the matrix has an entry that is not finite");
  if (found.not_positive != MatrixProperties().not_positive)
    throw SolverError("Multigrid: the diagonal entry of row " + std::to_string(found.not_positive) +
                      " is missing, not positive or out of single precision's range; a symmetric positive "
                      "definite matrix has none such");
  if (std::abs(found.skew) > 1e-8 * std::sqrt(found.squares))
    throw SolverError("Multigrid: the matrix is not symmetric");
  return found;
}

/// The nodes that a node's rows have entries for.
template <class ExecutionSpace>
struct NeighborLists {
  solvers::detail::CrsViews<double, ExecutionSpace> a;
  FineOrder<ExecutionSpace> order;

  KOKKOS_FUNCTION Ordinal first_row(Ordinal node) const {
    return order.new_to_old(node * order.rows_per_node);
  }
  KOKKOS_FUNCTION Ordinal items(Ordinal node) const {
    Ordinal rows = 0; // those of a node follow each other, those that fill it up come last
    while (rows < order.rows_per_node && order.new_to_old(node * order.rows_per_node + rows) >= 0) ++rows;
    return static_cast<Ordinal>(a.row_map(first_row(node) + rows) - a.row_map(first_row(node)));
  }
  template <class Insert>
  KOKKOS_FUNCTION void visit(Ordinal node, Ordinal item, const Insert& insert) const {
    insert(order.old_to_new(a.columns(a.row_map(first_row(node)) + item)) / order.rows_per_node);
  }
};

/// A row's columns in the level's order, one after the other.
template <class ExecutionSpace>
struct FineColumns {
  solvers::detail::CrsViews<double, ExecutionSpace> a;
  FineOrder<ExecutionSpace> order;
  Graph<ExecutionSpace> graph;

  KOKKOS_FUNCTION void operator()(const TeamMember<ExecutionSpace>& team, Ordinal row, int) const {
    const Offset to = graph.row_map(row), from = a.row_map(order.new_to_old(row));
    fetch_later_row(a, order.new_to_old, row);
    if constexpr (runs_on_host<ExecutionSpace>)
      return gather_row(order.old_to_new.data(), a.columns.data() + from, graph.length(row),
                        graph.columns.data() + to);
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, graph.length(row)),
                         [&](Ordinal k) { graph.columns(to + k) = order.old_to_new(a.columns(from + k)); });
  }
};

/// Rows of scalar nodes in the level's order. Columns are in the order of the given matrix.
template <class ExecutionSpace>
Graph<ExecutionSpace> scalar_graph(const ExecutionSpace& exec,
                                   const solvers::detail::CrsViews<double, ExecutionSpace>& a,
                                   const FineOrder<ExecutionSpace>& order) {
  const auto row_map = make<Offsets<ExecutionSpace>>(exec, "row_map", order.nodes + 1);
  const auto columns = make<Ordinals<ExecutionSpace>>(exec, "columns", a.columns.extent(0));
  const auto new_to_old = order.new_to_old;
  scan_known_lengths(
      exec, row_map, KOKKOS_LAMBDA(const Ordinal row) {
        return a.row_map(new_to_old(row) + 1) - a.row_map(new_to_old(row));
      });
  const Graph<ExecutionSpace> graph{row_map, columns};
  for_each_row(exec, "Tessera::Multigrid::fine_columns", order.nodes,
               lanes_for(columns.extent(0), order.nodes), 0, FineColumns<ExecutionSpace>{a, order, graph});
  return graph;
}

/// The finest level's pattern, a block for each pair of nodes that are coupled; without values.
template <class ExecutionSpace>
Matrix<ExecutionSpace> fine_pattern(const ExecutionSpace& exec,
                                    const solvers::detail::CrsViews<double, ExecutionSpace>& a,
                                    const FineOrder<ExecutionSpace>& order) {
  const int width = order.rows_per_node;
  const auto graph = width == 1
                         ? scalar_graph(exec, a, order)
                         : unions(exec, "Tessera::Multigrid::fine_pattern",
                                  NeighborLists<ExecutionSpace>{a, order}, order.nodes, order.nodes, 32, 32);
  return {graph, {}, width, width};
}

/// A row of the finest level: s_i a_ij s_j, the identity's where the node is filled up.
template <class ExecutionSpace>
struct FineValues {
  solvers::detail::CrsViews<double, ExecutionSpace> a;
  FineOrder<ExecutionSpace> order;
  Floats<ExecutionSpace> scale;
  Matrix<ExecutionSpace> fine;
  int lanes;

  static constexpr int at_once = runs_on_host<ExecutionSpace> ? 1 : 4; // entries on their way to a lane

  KOKKOS_FUNCTION void operator()(const TeamMember<ExecutionSpace>& team, Ordinal row, int) const {
    const int width = order.rows_per_node;
    const Ordinal old = order.new_to_old(row), node = row / width;
    const Ordinal length = fine.graph.length(node);
    const Ordinal* const columns = fine.graph.columns.data() + fine.graph.row_map(node);
    const Offset to = fine.row_begin(node, row - node * width), from = old < 0 ? 0 : a.row_map(old);
    const auto place = [&](Ordinal column) {
      return tessera::detail::place_in(columns, length, column / width) * width + column % width;
    };
    if (width > 1)
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, length * width),
                           [&](Ordinal k) { fine.values(to + k) = 0; });
    if (old < 0) {
      Kokkos::single(Kokkos::PerThread(team), [&]() { fine.values(to + place(row)) = 1; });
      return;
    }
    const auto entries = static_cast<Ordinal>(a.row_map(old + 1) - from);
    fetch_later_row(a, order.new_to_old, row);
    const double s = scale(row);
    if constexpr (runs_on_host<ExecutionSpace>)
      if (width == 1)
        return scale_row(s, a.values.data() + from, columns, length, scale.data(), fine.values.data() + to);
    if (width == 1)
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, lanes), [&](int lane) {
        for (Ordinal k = lane; k < entries; k += at_once * lanes) write(to, from, k, entries, s);
      });
    else
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, entries), [&](Ordinal k) {
        const Ordinal column = order.old_to_new(a.columns(from + k));
        fine.values(to + place(column)) = static_cast<float>(s * a.values(from + k) * scale(column));
      });
  }

  /// Some of a lane's entries of a row with single values: they wait for memory together.
  KOKKOS_FORCEINLINE_FUNCTION void write(Offset to, Offset from, Ordinal first, Ordinal entries,
                                         double own_scale) const {
    Ordinal column[at_once];
    double value[at_once];
    for (int i = 0; i < at_once; ++i) {
      const Ordinal k = Kokkos::min(first + i * lanes, entries - 1);
      column[i] = fine.graph.columns(to + k);
      value[i] = a.values(from + k);
    }
    float other[at_once];
    for (int i = 0; i < at_once; ++i) other[i] = scale(column[i]);
    for (int i = 0; i < at_once; ++i)
      if (first + i * lanes < entries)
        fine.values(to + first + i * lanes) = static_cast<float>(own_scale * value[i] * other[i]);
  }
};

/// Values of the finest level.
template <class ExecutionSpace>
void fine_values(const ExecutionSpace& exec, const solvers::detail::CrsViews<double, ExecutionSpace>& a,
                 const FineOrder<ExecutionSpace>& order, const Floats<ExecutionSpace>& scale,
                 const Matrix<ExecutionSpace>& fine) {
  const Ordinal rows = fine.rows();
  const auto entries = static_cast<Offset>(a.columns.extent(0));
  using Values = FineValues<ExecutionSpace>;
  const bool single = order.rows_per_node == 1;
  const int lanes = runs_on_host<ExecutionSpace> ? 1 : lanes_for(single ? entries / 2 : entries, rows);
  for_each_row(exec, "Tessera::Multigrid::fine_values", rows, lanes, 0, Values{a, order, scale, fine, lanes});
}

} // namespace tessera::solvers::multigrid
