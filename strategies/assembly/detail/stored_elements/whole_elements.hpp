// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Element matrices that a thread computes whole.

#include <tessera/core/forms/element_system.hpp>
#include <tessera/core/forms/integrate_element.hpp>
#include <tessera/core/mesh/mesh_kernel.hpp>
#include <tessera/strategies/assembly/detail/stored_elements/line_sums.hpp>
#include <tessera/strategies/assembly/detail/stored_elements/row_data.hpp>
#include <tessera/strategies/common/element_real.hpp>
#include <tessera/strategies/common/status.hpp>
#include <tessera/strategies/common/team.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>

namespace TESSERA_KERNELS::assembly::detail {

/// A thread integrates an element (on hosts a pack of them); a team, which on devices is a warp or wave,
/// writes the rows of its elements one after the other.
template <class Element, class ExecutionSpace, class Scalar, class Kernel>
struct WholeElements {
  using Real = element_real_t<ExecutionSpace, Scalar>;
  using Member = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;
  using Data = RowData<Element, Kernel::components, Scalar>;
  static constexpr int threads = runs_on_host<ExecutionSpace> ? 1 : wave_lanes<ExecutionSpace>;
  using Transpose = RunTranspose<Scalar, threads>;
  using Scratch =
      Kokkos::View<Scalar*, typename ExecutionSpace::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  /// Rows that are written at once: of as many nodes as make a run of two warps, of one node, or a single one
  /// where those of a node, of all the team's elements, are more than 36 of the 48 KB of scratch that each
  /// device has.
  static constexpr int rows_at_once = [] {
    if (Transpose::numbers(Data::node_entries) * sizeof(Scalar) > 36 * 1024) return 1;
    int most = 1;
    for (int nodes = 1; nodes <= Element::nodes; ++nodes)
      if (Element::nodes % nodes == 0 && nodes * Data::node_entries <= 2 * warp_lanes) most = nodes;
    return most * Kernel::components;
  }();
  static_assert(!is_product<Element> || rows_at_once <= Kernel::components,
                "rows of several nodes follow them");
  static constexpr int run_entries = rows_at_once * Data::row_entries;
  static constexpr int elements = threads * lanes_v<Real>; ///< of a team

  /// Bytes of scratch that a team takes: rows of its elements.
  static std::size_t scratch_bytes() {
    return threads == 1 ? 0 : Scratch::shmem_size(Transpose::numbers(run_entries));
  }

  Kernel kernel;
  MeshKernel<Element, ExecutionSpace> mesh;
  Status<ExecutionSpace> status;
  Data data;
  Ordinal first, end; ///< the elements to compute; number `first` is the data's first

  void run(const ExecutionSpace& exec) const {
    const Ordinal teams = (end - first + elements - 1) / elements;
    if (teams == 0) return;
    Kokkos::parallel_for("Tessera::StoredElements::whole",
                         team_policy(exec, "StoredElements", *this, teams, threads, scratch_bytes()), *this);
  }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const Ordinal begin = first + team.league_rank() * elements;
    const Ordinal own = begin + team.team_rank() * lanes_v<Real>;
    const auto cell = mesh.template cell<Real>(Kokkos::min(own, end - 1));
    element_system_t<Element, Kernel, Real> local;
    if (!integrate<IntegrationPath::coefficients>(kernel, cell, local)) status.fail(kernel, cell);
    if constexpr (threads == 1)
      store(local, own);
    else
      store_together(team, local, begin);
  }

private:
  template <class Local>
  KOKKOS_FORCEINLINE_FUNCTION void store(const Local& local, Ordinal own) const {
    for (int lane = 0; lane < lanes_v<Real> && own + lane < end; ++lane)
      for (int i = 0; i < Element::nodes; ++i)
        for (int a = 0; a < Kernel::components; ++a) {
          Scalar* const row = data.row(own + lane - first, function_place<Element>(i), a);
          each_of_row(local, i, a, [&](int k, const Real& value) { row[k] = Scalar(lane_of(value, lane)); });
        }
  }

  template <class Local>
  KOKKOS_FORCEINLINE_FUNCTION void store_together(const Member& team, const Local& local,
                                                  Ordinal begin) const {
    const Scratch scratch(team.team_scratch(0), Transpose::numbers(run_entries));
    const Transpose transpose{scratch.data(), team.team_rank()};
    const int count = Kokkos::min(Ordinal(elements), end - begin);
    tessera::detail::for_each_row<Local>([&](auto i) TESSERA_INLINED {
      for (int a = 0; a < Kernel::components; ++a) {
        const int row = function_place<Element>(i) * Kernel::components + a, number = row % rows_at_once;
        each_of_row(local, i, a, [&](int k, const Real& value) TESSERA_INLINED {
          transpose.put(number * Data::row_entries + k, value);
        });
        if (number < rows_at_once - 1) continue;
        team.team_barrier();
        Scalar* const to = data.row(begin - first, 0, 0) + (row - number) * Data::row_entries;
        transpose.template write<run_entries>(count, Data::element_entries, [&](int k) { return to + k; });
        team.team_barrier();
      }
    });
  }

  /// Calls `visit(column, value)` for the entries of a row and its load.
  template <class Local, class Index, class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void each_of_row(const Local& local, Index i, int a, const Visit& visit) const {
    TESSERA_UNROLL_EACH(Local::unrolled_on_gpus, Local::unrolled)
    for (int j = 0; j < Element::nodes; ++j)
      for (int b = 0; b < Kernel::components; ++b)
        visit(Data::column(function_place<Element>(j), b), local(i, a, j, b));
    visit(Data::row_entries - 1, local.load[i](a));
  }
};

} // namespace TESSERA_KERNELS::assembly::detail
