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

  /// Entries of scratch between those of one number of neighbouring cells and the next number: threads that
  /// write `Count` numbers of a cell side by side meet different banks.
  template <int Count>
  KOKKOS_FUNCTION static constexpr int stride(int cells) {
    return (cells + 15) / 16 * 16 + (Count >= 16 ? 1 : 16 / Count);
  }
  static constexpr int geometry_entries = d * d + 1;
  KOKKOS_FUNCTION static constexpr std::size_t tables() {
    return static_cast<std::size_t>(N_q) * N_b * (1 + d);
  }
  static std::size_t scratch_bytes(int cells) {
    const std::size_t geometry = one_geometry ? geometry_entries * stride<geometry_entries>(cells) : 0;
    return Scratch::shmem_size(tables()) + Scratch::shmem_size(N_bt * stride<N_bt>(cells)) +
           Scratch::shmem_size(geometry) + Scratch::shmem_size(Values::count * N_q * stride<N_q>(cells));
  }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const Scratch table(team.team_scratch(level), tables());
    const Scratch u(team.team_scratch(level), N_bt * stride<N_bt>(N_bc));
    const Scratch geometry(team.team_scratch(level),
                           one_geometry ? geometry_entries * stride<geometry_entries>(N_bc) : 0);
    const Scratch f(team.team_scratch(level), Values::count * N_q * stride<N_q>(N_bc));
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, N_q * N_b), [&](int qb) {
      table(qb) = Table::template value<Scalar>(qb / N_b, qb % N_b);
      for (int e = 0; e < d; ++e)
        table(N_q * N_b + qb * d + e) = Table::template gradient<Scalar>(qb / N_b, qb % N_b, e);
    });
    for (int batch = 0; batch < N_cb; ++batch) {
      const Ordinal first = setting.begin + (team.league_rank() * N_cb + batch) * N_bc;
      if (first >= setting.end) break;
      const int cells = setting.end - first < N_bc ? setting.end - first : N_bc; // remainder cells too
      load(team, first, cells, u, geometry);
      team.team_barrier();
      to_points(team, first, cells, u, geometry, f);
      team.team_barrier(); // transpose threads
      to_coefficients(team, first, cells, table, f);
    }
  }

private:
  KOKKOS_FORCEINLINE_FUNCTION void load(const Member& team, Ordinal first, int cells, const Scratch& u,
                                        const Scratch& geometry) const {
    setting.template load<Values::degree>(
        team, first, cells, [&](int cell, int i, Scalar value) { u(i * stride<N_bt>(N_bc) + cell) = value; },
        [&](int cell, int k, Scalar value) { geometry(k * stride<geometry_entries>(N_bc) + cell) = value; });
  }

  /// Section 3.1. Where there are several components a thread evaluates all of them at every N_comp-th of its
  /// points, for f0 and f1 give all at once; the paper's functions give one.
  KOKKOS_FORCEINLINE_FUNCTION void to_points(const Member& team, Ordinal first, int cells, const Scratch& u,
                                             const Scratch& geometry, const Scratch& f) const {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, cells * N_q), [&](int i) {
      const int cell = i / N_q, q = i % N_q;
      Geometry<Scalar, d> g;
      if constexpr (one_geometry) {
        for (int k = 0; k < d * d; ++k)
          g.inverse.entry[k] = geometry(k * stride<geometry_entries>(N_bc) + cell);
        g.determinant = geometry(d * d * stride<geometry_entries>(N_bc) + cell);
      } else {
        g = setting.template geometry<Values::degree>(first + cell, q);
      }
      Values values;
      if (!values.evaluate(setting, kernel, first + cell, q, g,
                           [&](int n, int a) { return u((n * N_comp + a) * stride<N_bt>(N_bc) + cell); }))
        status.fail(setting.numbers(first + cell).element[0]);
      for (int k = 0; k < Values::count; ++k) f((k * N_q + q) * stride<N_q>(N_bc) + cell) = values.entry[k];
    });
  }

  /// Section 3.2.
  KOKKOS_FORCEINLINE_FUNCTION void to_coefficients(const Member& team, Ordinal first, int cells,
                                                   const Scratch& table, const Scratch& f) const {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, cells * N_bt), [&](int i) {
      const int cell = i / N_bt, b = i % N_bt / N_comp, a = i % N_comp;
      Scalar e_i = 0;
      for (int q = 0; q < N_q; ++q)
        e_i += test<Values>(
            a, [&](int k) { return f((k * N_q + q) * stride<N_q>(N_bc) + cell); },
            [&] { return table(q * N_b + b); },
            [&](int e) { return table(N_q * N_b + (q * N_b + b) * d + e); });
      setting.add(first + cell, b, a, e_i);
    });
  }
};

} // namespace tessera::residual::detail
