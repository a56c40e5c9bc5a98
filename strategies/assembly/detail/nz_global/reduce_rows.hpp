// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The assembly stage of NzGlobal: sums by binned lists (paper 1, algorithms 5 and 6).

#include <tessera/strategies/assembly/detail/reduction/element_data.hpp>
#include <tessera/strategies/assembly/detail/reduction/reduction_array.hpp>
#include <tessera/strategies/assembly/detail/reduction/row_blocks.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace TESSERA_KERNELS::assembly::detail {

/// A team sums the lists of a block of consecutive rows in its scratch, row component by row component, and
/// writes them to the system.
template <class Element, class ExecutionSpace, class Scalar, class Kernel>
struct ReduceRows {
  static constexpr int components = Kernel::components;
  using Member = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;
  using Sums = Kokkos::View<Scalar* [components], Kokkos::LayoutRight,
                            typename ExecutionSpace::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  global_element_data_t<Element, ExecutionSpace, Kernel, Scalar> data;
  ReductionArray<ExecutionSpace> array;
  ListWriter<ExecutionSpace, Scalar> writer;

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const Ordinal block = member.league_rank(), lists = writer.rows.lists(block);
    if (writer.add && array.empty(block)) return;
    const Sums sums(member.team_scratch(0), writer.rows.most_lists);
    const Ordinal entries = lists * components;
    for (int a = 0; a < components; ++a) {
      // Lists without sources: nodes without elements, and blocks that a pass touches in part.
      Kokkos::parallel_for(Kokkos::TeamThreadRange(member, entries),
                           [&](Ordinal k) { sums(k / components, k % components) = 0; });
      member.team_barrier();
      array.template reduce<components, Scalar>(
          member, block,
          [&](std::uint32_t source, Scalar(&sum)[components]) { data.add_source(source, a, sum); },
          [&](Ordinal list, const Scalar(&sum)[components], bool) {
            for (int b = 0; b < components; ++b) sums(list, b) = sum[b];
          });
      member.team_barrier();
      Kokkos::parallel_for(Kokkos::TeamThreadRange(member, entries), [&](Ordinal k) {
        const Ordinal list = k / components;
        writer.put(writer.rows.target(block, list), a, k % components, sums(list, k % components));
      });
      member.team_barrier();
    }
  }
};

} // namespace TESSERA_KERNELS::assembly::detail
