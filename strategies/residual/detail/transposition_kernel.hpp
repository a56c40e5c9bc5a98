#pragma once

// The kernel of ThreadTransposition.

#include <tessera/strategies/common/status.hpp>
#include <tessera/strategies/residual/detail/settings.hpp>

#include <Kokkos_Core.hpp>

#include <numeric>

namespace tessera::residual::detail {

/// A team takes a chunk of cells, batch by batch. Threads map coefficients to the quadrature points, each
/// thread always to the same point of different cells; after a barrier each forms coefficients of one basis
/// function and component, of other cells (paper 3, figures 3.1 and 3.3). Names as in Appendix A.
template <class Setting, class Kernel>
struct TranspositionLoop {
  using Values = PointValues<Setting, Kernel>;
  using Scalar = typename Setting::Scalar;
  using Element = typename Setting::Element;
  using Execution = typename Setting::Execution;
  using Table = typename Values::Table;
  using Member = typename Kokkos::TeamPolicy<Execution>::member_type;
  using Scratch = Kokkos::View<Scalar*, typename Execution::scratch_memory_space, Kokkos::MemoryUnmanaged>;

  static constexpr int N_b = Element::nodes, N_comp = Kernel::components, N_q = Table::points;
  static constexpr int N_bt = N_b * N_comp, N_bs = std::lcm(N_b, N_q), d = Element::dimension;
  /// Geometry of one point is kept for the batch; that of every point is read where it is used, once.
  static constexpr bool one_geometry = Setting::template one_geometry<Values::degree>;

  Setting setting;
  Kernel kernel;
  Status<Execution> status;
  int N_bc;  ///< cells of a batch
  int N_cb;  ///< batches of a chunk
  int level; ///< of scratch memory

  /// A cell's numbers lie together in scratch memory, so that one address serves all of them; where they are
  /// even in number one place stays empty, and threads side by side meet different banks.
  static constexpr int u_stride = N_bt | 1, inverse_stride = (d * d) | 1, f_stride = Values::count | 1;
  static constexpr int geometry_stride = one_geometry ? inverse_stride + 1 : 0; ///< and the determinant
  static constexpr int tables = N_q * N_b * (1 + d);

  static std::size_t scratch_bytes(int cells) {
    return Scratch::shmem_size(tables) + Scratch::shmem_size(cells * u_stride) +
           Scratch::shmem_size(cells * geometry_stride) + Scratch::shmem_size(cells * N_q * f_stride);
  }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const Scratch table(team.team_scratch(level), tables);
    const Scratch u(team.team_scratch(level), N_bc * u_stride);
    const Scratch geometry(team.team_scratch(level), N_bc * geometry_stride);
    const Scratch f(team.team_scratch(level), N_bc * N_q * f_stride);
    const SetEntry<u_stride, N_bt> set_u{u.data()};
    const SetEntry<inverse_stride, d * d> set_inverse{geometry.data()};
    const SetEntry<1, 1> set_determinant{geometry.data() + N_bc * inverse_stride};
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, N_q * N_b), [&](int qb) {
      table(qb) = Table::template value<Scalar>(qb / N_b, qb % N_b);
      for (int e = 0; e < d; ++e)
        table(N_q * N_b + qb * d + e) = Table::template gradient<Scalar>(qb / N_b, qb % N_b, e);
    });
    if constexpr (reads_ahead) {
      typename Setting::Ahead ahead;
      int cells = batch_of(team, 0).cells;
      if (cells > 0) setting.read(team, batch_of(team, 0).first, cells, 0, ahead);
      for (int batch = 0; cells > 0; ++batch) {
        const Ordinal first = batch_of(team, batch).first;
        const Batch next = batch_of(team, batch + 1);
        setting.hand_over(team, cells, 0, ahead, set_u, set_inverse, set_determinant);
        team.team_barrier();
        if (next.cells > 0) setting.read(team, next.first, next.cells, 0, ahead);
        to_points(team, first, cells, u, geometry, f);
        team.team_barrier(); // transpose threads
        to_coefficients(team, first, cells, table, f);
        cells = next.cells;
      }
    } else {
      for (int batch = 0; batch < N_cb; ++batch) {
        const auto [first, cells] = batch_of(team, batch);
        if (cells == 0) break;
        setting.template load<Values::degree>(team, first, cells, set_u, set_inverse, set_determinant);
        team.team_barrier();
        to_points(team, first, cells, u, geometry, f);
        team.team_barrier(); // transpose threads
        to_coefficients(team, first, cells, table, f);
      }
    }
  }

private:
  /// Threads of devices, of which a team has one for every cell and component, read the next batch while they
  /// work on one.
  static constexpr bool reads_ahead = !runs_on_host<Execution> && requires { typename Setting::Ahead; };

  struct Batch {
    Ordinal first;
    int cells; ///< 0 beyond the chunk's or the mesh's end; remainder cells make a shorter batch
  };
  KOKKOS_FORCEINLINE_FUNCTION Batch batch_of(const Member& team, int batch) const {
    const Ordinal first = setting.begin + (team.league_rank() * N_cb + batch) * N_bc;
    if (batch >= N_cb || first >= setting.end) return {first, 0};
    return {first, setting.end - first < N_bc ? setting.end - first : N_bc};
  }

  /// Stores number k of those that cells have `Entries` of each.
  template <int Stride, int Entries>
  struct SetEntry {
    Scalar* to;
    KOKKOS_FORCEINLINE_FUNCTION void operator()(int k, Scalar value) const {
      to[k + k / Entries * (Stride - Entries)] = value;
    }
  };

  /// Section 3.1. Where there are several components a thread evaluates all of them at every N_comp-th of its
  /// points, for f0 and f1 give all at once; the paper's functions give one.
  KOKKOS_FORCEINLINE_FUNCTION void to_points(const Member& team, Ordinal first, int cells, const Scratch& u,
                                             const Scratch& geometry, const Scratch& f) const {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, cells * N_q), [&](int i) {
      const int cell = i / N_q, q = i % N_q;
      Geometry<Scalar, d> g;
      if constexpr (one_geometry) {
        for (int k = 0; k < d * d; ++k) g.inverse.entry[k] = geometry(cell * inverse_stride + k);
        g.determinant = geometry(N_bc * inverse_stride + cell);
      } else {
        g = setting.template geometry<Values::degree>(first + cell, q);
      }
      Values values;
      if (!values.evaluate(setting, kernel, first + cell, q, g,
                           [&](int n, int a) { return u(cell * u_stride + n * N_comp + a); }))
        status.fail(setting.numbers(first + cell).element[0]);
      for (int k = 0; k < Values::count; ++k) f(i * f_stride + k) = values.entry[k];
    });
  }

  /// Section 3.2. On devices a thread has the same basis function in every cell: its tables go to registers.
  KOKKOS_FORCEINLINE_FUNCTION void to_coefficients(const Member& team, Ordinal first, int cells,
                                                   const Scratch& table, const Scratch& f) const {
    constexpr bool in_registers = !runs_on_host<Execution> && N_q * (d + 1) <= 16;
    [[maybe_unused]] Scalar value[N_q], gradient[N_q][d];
    const int size = team.team_size();
    if constexpr (in_registers)
      for (int q = 0; q < N_q; ++q) {
        const int at = q * N_b + team.team_rank() % N_bt / N_comp;
        value[q] = table(at);
        for (int e = 0; e < d; ++e) gradient[q][e] = table(N_q * N_b + at * d + e);
      }
    TESSERA_UNROLL(N_b)
    for (int i = team.team_rank(); i < cells * N_bt; i += size) {
      const int cell = i / N_bt, b = i % N_bt / N_comp, a = i % N_comp;
      Scalar e_i = 0;
      TESSERA_UNROLL(unroll_up_to_8<N_q>)
      for (int q = 0; q < N_q; ++q)
        e_i += test<Values>(
            a, [&](int k) { return f((cell * N_q + q) * f_stride + k); },
            [&] {
              if constexpr (in_registers)
                return value[q];
              else
                return table(q * N_b + b);
            },
            [&](int e) {
              if constexpr (in_registers)
                return gradient[q][e];
              else
                return table(N_q * N_b + (q * N_b + b) * d + e);
            });
      setting.add(first + cell, b, a, e_i);
    }
  }
};

} // namespace tessera::residual::detail
