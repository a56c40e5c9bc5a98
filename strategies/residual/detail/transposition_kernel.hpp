// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The kernel of ThreadTransposition.

#include <tessera/strategies/common/status.hpp>
#include <tessera/strategies/cuda/copy_to_scratch.hpp>
#include <tessera/strategies/residual/detail/cell_data.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <numeric>

namespace TESSERA_KERNELS::residual::detail {

/// A team takes a chunk of cells, some batches at once. Threads map coefficients to the quadrature points,
/// each thread always to the same point of different cells; after a barrier each forms coefficients of one
/// basis function and component, of other cells (paper 3, figures 3.1 and 3.3). The next batches are on their
/// way to scratch memory meanwhile, as it lies in global memory.
///
/// Names of the paper's Appendix A:
///
///     dim, N_b, N_comp, N_q, N_bt   d and the same; N_bs of section 3 is a block's cells
///     N_bst                         a block's threads, N_bs N_comp: `ThreadTransposition::policy`
///     N_bl, N_cb                    options `blocks` and `batches` of `ThreadTransposition`
///     N_t                           the team's size
///     N_bc                          here the cells of `at_once` batches, in the paper of one
///     N_c                           `chunk`, but for what `at_once` rounds up
///     N_sqc, N_sbc                  N_q and N_b, the rounds of `to_points` and `to_coefficients`
///     w                             in `PointValues`
///     phi_i, phiDer_i               the first N_q N_b and N_q N_b d numbers in scratch memory
///     invJ, detJ, u_i, f_0 and f_1  `Places::inverse`, `determinant`, `u`, `f`
///     e_i, elemVec                  `coefficient`, `CellData::add`
template <class CellData, class Kernel>
struct TranspositionLoop {
  using Values = PointValues<CellData, Kernel>;
  using Scalar = typename CellData::Scalar;
  using Element = typename CellData::Element;
  using Execution = typename CellData::Execution;
  using Table = typename Values::Table;
  using Member = typename Kokkos::TeamPolicy<Execution>::member_type;

  static constexpr int N_b = Element::nodes, N_comp = Kernel::components, N_q = Table::points;
  static constexpr int N_bt = N_b * N_comp, N_bs = std::lcm(N_b, N_q), d = Element::dimension;
  /// Geometry of one point is kept for the batch; that of every point is read where it is used, once.
  static constexpr bool one_geometry = CellData::template one_geometry<Values::degree>;

  CellData cell_data;
  Kernel kernel;
  Status<Execution> status;
  int N_bc;  ///< cells between two barriers, those of `at_once` batches
  int chunk; ///< cells of a chunk
  int level; ///< of scratch memory

  /// What a component has at a point lies together in scratch memory and is read at once; a third number has
  /// an empty place behind it.
  static constexpr int f_row = Values::of_component == 3 ? 4 : Values::of_component,
                       f_stride = N_comp * f_row;
  /// Of places in scratch memory. Copies want numbers at the same place within a line as in global memory:
  /// what lies across two sectors here is read twice there.
  static constexpr std::size_t alignment = 128;

  /// Batches between the same two barriers: where cells have one point, as many as give every thread of a
  /// device a cell in the first phase and 64 bytes under way.
  static constexpr int bytes_of_cell = (N_bt + (one_geometry ? d * d + 1 : 0)) * int(sizeof(Scalar));
  static constexpr int at_once = CellData::copies && N_q == 1 && !runs_on_host<Execution>
                                     ? N_comp * ((63 + bytes_of_cell) / bytes_of_cell)
                                     : 1;

  /// Places of a team's numbers in its scratch memory.
  struct Places {
    int inverse, determinant, u, f, end;
    KOKKOS_FUNCTION explicit Places(int cells)
        : inverse(up(N_q * N_b * (1 + d))), determinant(inverse + (one_geometry ? up(cells * d * d) : 0)),
          u(determinant + (one_geometry ? up(cells) : 0)), f(u + up(cells * N_bt)),
          end(f + cells * N_q * f_stride) {}
    KOKKOS_FUNCTION static constexpr int up(int count) {
      constexpr int step = alignment / sizeof(Scalar);
      return (count + step - 1) / step * step;
    }
  };
  static std::size_t scratch_bytes(int cells) { return Places(cells).end * sizeof(Scalar) + alignment; }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const Places places(N_bc);
    const auto memory = team.team_scratch(runs_on_host<Execution> ? level : 0)
                            .get_shmem_aligned(places.end * sizeof(Scalar), alignment);
    Scalar* scratch = static_cast<Scalar*>(memory);
    if constexpr (!runs_on_host<Execution>) scratch = near_scratch(scratch);
    const int rank = team.team_rank(), size = team.team_size();
    const Share of_point = Share::apart(rank, size), of_function = Share::together(rank, size);
    const Ordinal first = cell_data.begin + team.league_rank() * chunk, left = cell_data.end - first;
    const int end = left < chunk ? left : chunk;
    const auto load = [&](int begin, int cells) {
      cell_data.template load<Values::degree, at_once>(rank, size, first + begin, cells, scratch + places.u,
                                                       scratch + places.inverse,
                                                       scratch + places.determinant);
    };
    int cells = end < N_bc ? end : N_bc; // remainder cells make a shorter batch
    load(0, cells);
    for (int qb = rank; qb < N_q * N_b; qb += size) {
      scratch[qb] = Table::template value<Scalar>(qb / N_b, qb % N_b);
      for (int e = 0; e < d; ++e)
        scratch[N_q * N_b + qb * d + e] = Table::template gradient<Scalar>(qb / N_b, qb % N_b, e);
    }
    TESSERA_UNROLL(1)
    for (int begin = 0; begin < end; begin += N_bc) {
      wait_for_copies();
      team.team_barrier();
      if (cells == N_bc)
        to_points<true>(of_point, size, first + begin, cells, places, scratch);
      else
        to_points<false>(of_point, size, first + begin, cells, places, scratch);
      team.team_barrier(); // transpose threads
      const int begin_next = begin + N_bc, next = end - begin_next < N_bc ? end - begin_next : N_bc;
      if (next > 0) load(begin_next, next);
      if (cells == N_bc)
        to_coefficients<true>(of_function, size, first + begin, cells, scratch, scratch + places.f);
      else
        to_coefficients<false>(of_function, size, first + begin, cells, scratch, scratch + places.f);
      cells = next;
    }
  }

private:
  /// What a thread works for in one phase: one point or function, in every `step`-th cell. A thread that is
  /// alone takes all of them in turn.
  struct Share {
    int part, cell, step;
    /// Threads of a warp have one point, whose tables then come to all of them at once.
    KOKKOS_FORCEINLINE_FUNCTION static Share apart(int rank, int size) {
      if constexpr (N_q == 1) return {0, rank, size};
      const int step = size < N_q ? 1 : size / N_q;
      return {rank / step, rank % step, step};
    }
    /// Threads side by side have the functions of one cell, whose coefficients lie side by side.
    KOKKOS_FORCEINLINE_FUNCTION static Share together(int rank, int size) {
      return {rank % N_bt, rank / N_bt, size < N_bt ? 1 : size / N_bt};
    }
  };
  /// Calls `body(cell)` for the cells of a share; on devices `Rounds` are enough.
  /// \tparam Full all rounds have cells
  template <int Rounds, bool Full, class Body>
  KOKKOS_FORCEINLINE_FUNCTION static void for_cells(const Share& share, int cells, const Body& body) {
    if constexpr (runs_on_host<Execution>) {
      for (int cell = share.cell; cell < cells; cell += share.step) body(cell);
    } else {
      TESSERA_UNROLL((Full && N_q == 1 ? Rounds : unroll_up_to_8<Rounds>))
      for (int k = 0; k < Rounds; ++k)
        if (const int cell = share.cell + k * share.step; Full || cell < cells) body(cell);
    }
  }

  /// Section 3.1. Where there are several components a thread evaluates all of them at every N_comp-th of its
  /// points, for f0 and f1 give all at once; the paper's functions give one.
  template <bool Full>
  KOKKOS_FORCEINLINE_FUNCTION void to_points(const Share& share, int size, Ordinal first, int cells,
                                             const Places& places, Scalar* scratch) const {
    const auto at_point = [&](int q, int cell) {
      Geometry<Scalar, d> g;
      if constexpr (one_geometry) {
        read_together(scratch + places.inverse + cell * d * d, g.inverse.entry);
        g.determinant = scratch[places.determinant + cell];
      } else {
        g = cell_data.template geometry<Values::degree>(first + cell, q);
      }
      Scalar u[N_bt];
      read_together(scratch + places.u + cell * N_bt, u);
      Values values;
      if (!values.evaluate(cell_data, kernel, first + cell, q, g,
                           [&](int n, int a) { return u[n * N_comp + a]; }))
        status.fail(cell_data.numbers(first + cell).element[0]);
      Scalar f[f_stride];
      for (int a = 0; a < N_comp; ++a)
        for (int k = 0; k < f_row; ++k)
          f[a * f_row + k] =
              k < Values::of_component ? values.entry[a * Values::of_component + k] : Scalar(0);
      write_together(f, scratch + places.f + (q * N_bc + cell) * f_stride);
    };
    constexpr int rounds =
        (N_q * at_once + N_comp - 1) / N_comp;                // a team has N_comp threads for a batch's cell
    constexpr bool all = Full && N_q * at_once % N_comp == 0; // rounds have cells
    if constexpr (N_q == 1)
      for_cells<rounds, all>(share, cells, [&](int cell) { at_point(0, cell); });
    else
      for (int q = share.part; q < N_q; q += size)
        for_cells<rounds, all>(share, cells, [&](int cell) { at_point(q, cell); });
  }

  /// A test function's tables: on devices a thread has the same function in every cell, and keeps small ones.
  struct FunctionTable {
    static constexpr bool kept = N_q * (d + 1) <= 16;
    const Scalar *values, *gradients; ///< of the function at the first point
    Scalar kept_value[kept ? N_q : 1], kept_gradient[kept ? N_q : 1][d];

    KOKKOS_FORCEINLINE_FUNCTION FunctionTable(const Scalar* table, int b)
        : values(table + b), gradients(table + N_q * N_b + b * d) {
      if constexpr (kept)
        for (int q = 0; q < N_q; ++q) {
          kept_value[q] = values[q * N_b];
          for (int e = 0; e < d; ++e) kept_gradient[q][e] = gradients[q * N_b * d + e];
        }
    }
    KOKKOS_FORCEINLINE_FUNCTION Scalar value(int q) const {
      if constexpr (kept)
        return kept_value[q];
      else
        return values[q * N_b];
    }
    KOKKOS_FORCEINLINE_FUNCTION Scalar gradient(int q, int e) const {
      if constexpr (kept)
        return kept_gradient[q][e];
      else
        return gradients[q * N_b * d + e];
    }
  };

  /// Section 3.2.
  template <bool Full>
  KOKKOS_FORCEINLINE_FUNCTION void to_coefficients(const Share& share, int size, Ordinal first, int cells,
                                                   const Scalar* table, const Scalar* f) const {
    for (int part = share.part; part < N_bt; part += size) {
      const int b = part / N_comp, a = part % N_comp;
      const FunctionTable function(table, b);
      for_cells<N_b * at_once, Full && N_q == 1>(share, cells, [&](int cell) {
        cell_data.add(first, cell, b, a, coefficient(function, f + cell * f_stride + a * f_row));
      });
    }
  }
  /// \param f the component's values at the cell's first point
  KOKKOS_FORCEINLINE_FUNCTION Scalar coefficient(const FunctionTable& function, const Scalar* f) const {
    Scalar e_i = 0;
    TESSERA_UNROLL(unroll_up_to_8<N_q>)
    for (int q = 0; q < N_q; ++q) {
      Scalar entry[f_row];
      read_together(f + q * N_bc * f_stride, entry);
      e_i += test<Values>([&](int k) { return entry[k]; }, [&] { return function.value(q); },
                          [&](int e) { return function.gradient(q, e); });
    }
    return e_i;
  }
};

} // namespace TESSERA_KERNELS::residual::detail
