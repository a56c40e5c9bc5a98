// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// PᵀAP of matrices of blocks on devices: first A P, node by node, then each coarse node gathers its rows
/// from those of A P that it interpolates to. A thread's lanes share a node. No sum depends on the order of
/// threads.

#include <tessera/core/vector_fence.hpp>
#include <tessera/solvers/multigrid/detail/galerkin/galerkin_plan.hpp>
#include <tessera/solvers/multigrid/detail/sparse.hpp>
#include <tessera/solvers/multigrid/detail/tuning.hpp>
#include <tessera/solvers/sparse/detail/product_of_matrices.hpp>
#include <tessera/solvers/sparse/detail/rows.hpp>
#include <tessera/solvers/sparse/detail/unions.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace tessera::solvers::multigrid::detail {

/// A node's columns in fast memory, filled up for a search without asking where the list ends.
template <class ExecutionSpace>
KOKKOS_FUNCTION AscendingSearch list_of(const TeamMember<ExecutionSpace>& team,
                                        const Graph<ExecutionSpace>& graph, Ordinal node, Ordinal* list) {
  constexpr Ordinal none = Kokkos::Experimental::finite_max_v<Ordinal>;
  const Ordinal* const columns = graph.columns.data() + graph.row_map(node);
  const Ordinal length = graph.length(node);
  Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, AscendingSearch::padded(length)),
                       [&](Ordinal k) { list[k] = k < length ? columns[k] : none; });
  vector_fence();
  return AscendingSearch(list, length);
}

/// The place of a column that is in such a list.
KOKKOS_FORCEINLINE_FUNCTION Ordinal place_of(const AscendingSearch& columns, Ordinal column) {
  const Ordinal number[1] = {column};
  Ordinal place[1];
  columns.places_of(number, place);
  return place[0];
}

/// A node's rows of A P. A lane takes a column of a block of P, all of its rows.
///
/// \tparam Side, Modes  rows of a block of P, and columns; 1 and 0 if they are known at run time only.
template <class ExecutionSpace, int Side, int Modes>
struct ProductRows {
  using Member = TeamMember<ExecutionSpace>;
  using OrdinalScratch = Scratch<Ordinal, ExecutionSpace>;
  using FloatScratch = Scratch<float, ExecutionSpace>;

  Matrix<ExecutionSpace> a, p, product;

  KOKKOS_FORCEINLINE_FUNCTION int modes() const { return Modes > 0 ? Modes : p.block_columns; }
  KOKKOS_FORCEINLINE_FUNCTION int side() const { return Side > 1 ? Side : p.block_rows; }
  KOKKOS_FUNCTION std::size_t capacity() const {
    return static_cast<std::size_t>(product.graph.longest) * modes() * side();
  }
  std::size_t scratch_bytes() const {
    return OrdinalScratch::shmem_size(AscendingSearch::padded(product.graph.longest)) +
           FloatScratch::shmem_size(capacity());
  }

  template <class Level>
  KOKKOS_FUNCTION void operator()(const Member& team, Ordinal node, Level level) const {
    const auto& scratch = team.thread_scratch(level);
    const OrdinalScratch list(scratch, AscendingSearch::padded(product.graph.longest));
    const FloatScratch sums(scratch, capacity());
    const AscendingSearch columns = list_of(team, product.graph, node, list.data());
    const Ordinal line = product.graph.length(node) * modes(); // from a row to the next
    const Ordinal all = line * side();
    if (all == 0) return; // coupled to no aggregate
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, all), [&](Ordinal k) { sums(k) = 0; });
    vector_fence();
    const Ordinal length = a.graph.length(node);
    const Ordinal* const neighbors = a.graph.columns.data() + a.graph.row_map(node);
    const float* factors = a.values.data() + a.row_begin(node, 0);
    // Where the next rows of P are is read while these are worked on.
    Offset next = p.graph.row_map(neighbors[0]), next_end = p.graph.row_map(neighbors[0] + 1);
    for (Ordinal k = 0; k < length; ++k, factors += side()) {
      const Offset begin = next;
      const auto count = static_cast<Ordinal>(next_end - begin);
      const Ordinal neighbor = neighbors[Kokkos::min(k + 1, length - 1)];
      next = p.graph.row_map(neighbor);
      next_end = p.graph.row_map(neighbor + 1);
      add_block(team, factors, length * side(), begin, count, columns, sums.data(), line);
    }
    float* const to = product.values.data() + product.row_begin(node, 0);
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, all), [&](Ordinal k) { to[k] = sums(k); });
  }

  /// sums += a block of A times the rows of P of one node, `count` blocks from `begin` on.
  KOKKOS_FORCEINLINE_FUNCTION void add_block(const Member& team, const float* factors, Ordinal stride,
                                             Offset begin, Ordinal count, const AscendingSearch& columns,
                                             float* sums, Ordinal line) const {
    const Ordinal p_line = count * modes();
    const Ordinal* const numbers = p.graph.columns.data() + begin;
    const float* const values = p.values.data() + begin * side() * modes();
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, p_line), [&](Ordinal k) {
      const Ordinal block = k / modes();
      float value[Side]; // on its way while its place is looked up
      for (int j = 0; j < Side; ++j) value[j] = values[j * p_line + k];
      float* const to = sums + place_of(columns, numbers[block]) * modes() + (k - block * modes());
      for (int c = 0; c < side(); c += Side) {
        for (int j = 0; c > 0 && j < Side; ++j) value[j] = values[(c + j) * p_line + k];
        for (int r = 0; r < side(); r += Side) {
          float sum[Side] = {};
          for (int i = 0; i < Side; ++i)
            for (int j = 0; j < Side; ++j) sum[i] += factors[(r + i) * stride + c + j] * value[j];
          for (int i = 0; i < Side; ++i) to[(r + i) * line] += sum[i];
        }
      }
    });
    vector_fence();
  }
};

/// Some columns of a coarse node's blocks: Σ P(n, J)ᵀ (A P)(n, ·) over the nodes n that interpolate from it,
/// ascending. A lane takes a column of a block of A P, all of the coarse rows.
///
/// \tparam Side, Modes  as for `ProductRows`.
template <class ExecutionSpace, int Side, int Modes>
struct GatheredRows {
  using Member = TeamMember<ExecutionSpace>;
  using OrdinalScratch = Scratch<Ordinal, ExecutionSpace>;
  using DoubleScratch = Scratch<double, ExecutionSpace>;
  static constexpr int together = 2; // columns: a node's rows of A P keep a warp busy
  static constexpr int rows = Modes > 0 ? Modes : 1;

  Matrix<ExecutionSpace> p, product;
  Graph<ExecutionSpace> transpose; // of P's
  Ordinals<ExecutionSpace> place;  // of the coarse node in P's rows of each of its nodes
  Matrix<ExecutionSpace> coarse;

  KOKKOS_FORCEINLINE_FUNCTION int modes() const { return Modes > 0 ? Modes : coarse.block_columns; }
  KOKKOS_FORCEINLINE_FUNCTION int side() const { return Side > 1 ? Side : product.block_rows; }
  KOKKOS_FUNCTION int groups() const { return (modes() + together - 1) / together; }
  KOKKOS_FUNCTION std::size_t capacity() const {
    return static_cast<std::size_t>(coarse.graph.longest) * modes() * together;
  }
  std::size_t scratch_bytes() const {
    return OrdinalScratch::shmem_size(AscendingSearch::padded(coarse.graph.longest)) +
           DoubleScratch::shmem_size(capacity());
  }

  /// Where a node's rows are.
  struct Source {
    Offset rows, factors; // the first block of A P and of P
    Ordinal count, factor_count, place;
  };
  KOKKOS_FORCEINLINE_FUNCTION Source source(Offset k) const {
    const Ordinal node = transpose.columns(k);
    return {product.graph.row_map(node), p.graph.row_map(node), product.graph.length(node),
            p.graph.length(node), place(k)};
  }

  template <class Level>
  KOKKOS_FUNCTION void operator()(const Member& team, Ordinal item, Level level) const {
    const Ordinal node = item / groups();
    const int first = (item - node * groups()) * together;
    const auto& scratch = team.thread_scratch(level);
    const OrdinalScratch list(scratch, AscendingSearch::padded(coarse.graph.longest));
    const DoubleScratch sums(scratch, capacity());
    const AscendingSearch columns = list_of(team, coarse.graph, node, list.data());
    const Ordinal line = coarse.graph.length(node) * together, all = line * modes();
    if (all == 0) return; // no node interpolates from it
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, all), [&](Ordinal k) { sums(k) = 0; });
    vector_fence();
    const Offset end = transpose.row_map(node + 1);
    Offset s = transpose.row_map(node);
    Source next = source(s); // read while another one is worked on
    while (s < end) {
      const Source now = next;
      next = source(Kokkos::min(++s, end - 1));
      add_rows(team, now, first, columns, sums.data(), line);
    }
    float* const to = coarse.values.data() + coarse.row_begin(node, 0) + first;
    const bool both = first + 1 < modes();
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, all), [&](Ordinal k) {
      if (k % together == 0 || both) to[k / together * modes() + k % together] = static_cast<float>(sums(k));
    });
  }

  /// sums += the transpose of a block of P times the rows of A P of one node.
  KOKKOS_FORCEINLINE_FUNCTION void add_rows(const Member& team, const Source& source, int first,
                                            const AscendingSearch& columns, double* sums,
                                            Ordinal line) const {
    const Ordinal stride = source.factor_count * modes(), from_line = source.count * modes();
    const Ordinal* const numbers = product.graph.columns.data() + source.rows;
    const float* const values = product.values.data() + source.rows * side() * modes() + first;
    const float* const factors = p.values.data() + source.factors * side() * modes() + source.place * modes();
    const bool both = first + 1 < modes();
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, together * source.count), [&](Ordinal k) {
      const Ordinal block = k / together, column = k % together;
      if (column > 0 && !both) return;
      const float* const from = values + block * modes() + column;
      float value[Side]; // on its way while its place is looked up
      for (int j = 0; j < Side; ++j) value[j] = from[j * from_line];
      double* const to = sums + place_of(columns, numbers[block]) * together + column;
      for (int r = 0; r < side(); r += Side) {
        for (int j = 0; r > 0 && j < Side; ++j) value[j] = from[(r + j) * from_line];
        for (int m = 0; m < modes(); m += rows) {
          float sum[rows] = {};
          for (int j = 0; j < Side; ++j)
            for (int i = 0; i < rows; ++i) sum[i] += factors[(r + j) * stride + m + i] * value[j];
          for (int i = 0; i < rows; ++i) to[(m + i) * line] += static_cast<double>(sum[i]);
        }
      }
    });
    vector_fence();
  }
};

/// The pattern of A P, kept in the plan, and that of PᵀAP.
/// \param transpose  of P's graph.
/// \throws OutOfMemoryError as `allocate`
template <class ExecutionSpace>
Graph<ExecutionSpace> block_pattern(const Workspace<ExecutionSpace>& work, const Graph<ExecutionSpace>& a,
                                    const Graph<ExecutionSpace>& p, const Graph<ExecutionSpace>& transpose,
                                    GalerkinPlan<ExecutionSpace>& plan) {
  const Ordinal count = transpose.count();
  constexpr int lanes = runs_on_host<ExecutionSpace> ? 1 : 8;
  plan.product = unions(work, "product_pattern", ProductLists<ExecutionSpace>{a, p}, a.count(), count, 32,
                        sparse::detail::tuning::product_row_capacity);
  places_in_lists(work, transpose, p, plan.place);
  return unions(work, "coarse_pattern", ProductLists<ExecutionSpace>{transpose, plan.product, lanes}, count,
                count, 32, 128);
}

/// Fills the values of PᵀAP.
/// \param values  memory for the values of A P.
template <int Side, int Modes, class ExecutionSpace>
void block_values(const ExecutionSpace& exec, const Matrix<ExecutionSpace>& a,
                  const Matrix<ExecutionSpace>& p, const Graph<ExecutionSpace>& transpose,
                  const GalerkinPlan<ExecutionSpace>& plan, const Floats<ExecutionSpace>& values,
                  const Matrix<ExecutionSpace>& coarse) {
  const Matrix<ExecutionSpace> product{plan.product, values, a.block_rows, p.block_columns};
  const ProductRows<ExecutionSpace, Side, Modes> rows{a, p, product};
  for_each_row(exec, "Tessera::Multigrid::product_rows", a.nodes(), 32, rows.scratch_bytes(), rows);
  const GatheredRows<ExecutionSpace, Side, Modes> gathered{p, product, transpose, plan.place, coarse};
  for_each_row(exec, "Tessera::Multigrid::coarse_rows", coarse.nodes() * gathered.groups(), 32,
               gathered.scratch_bytes(), gathered);
}

} // namespace tessera::solvers::multigrid::detail
