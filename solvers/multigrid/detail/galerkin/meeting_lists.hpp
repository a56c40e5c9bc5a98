// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Which aggregates are coupled in PᵀAP: the lists of all aggregates, in storage as large as they need.

#include <tessera/solvers/multigrid/detail/aggregation/aggregates.hpp>
#include <tessera/solvers/multigrid/detail/galerkin/galerkin_plan.hpp>
#include <tessera/solvers/multigrid/detail/galerkin/host_meeting.hpp>
#include <tessera/solvers/multigrid/detail/galerkin/meeting_aggregates.hpp>
#include <tessera/solvers/multigrid/detail/sparse.hpp>
#include <tessera/solvers/multigrid/detail/tuning.hpp>
#include <tessera/solvers/sparse/detail/overflows.hpp>
#include <tessera/solvers/sparse/detail/rows.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <vector>

namespace tessera::solvers::multigrid::detail {

/// Finds the lists of some aggregates in storage of a given capacity.
/// \tparam Tiles  whether contributions are made by tiles.
template <bool Tiles, class ExecutionSpace>
void fill_storage(const Workspace<ExecutionSpace>& work, const Graph<ExecutionSpace>& a,
                  const Graph<ExecutionSpace>& p, const Aggregates<ExecutionSpace>& aggregates,
                  const PlanLengths<ExecutionSpace>& found, const MeetingLists<ExecutionSpace>& met,
                  const Overflows<ExecutionSpace>& overflows, MeetingStorage<ExecutionSpace>& lists) {
  const std::size_t count = lists.aggregates.count, near_all = count * lists.near_capacity;
  lists.near = make_temporary<Ordinals<ExecutionSpace>>(work, "meeting_storage::near", near_all);
  lists.far =
      make_temporary<Ordinals<ExecutionSpace>>(work, "meeting_storage::far", count * lists.far_capacity);
  lists.bits = make_temporary<decltype(lists.bits)>(work, "meeting_storage::bits", near_all * lists.words());
  const auto near = found.near_lengths, far = found.far_lengths;
  if constexpr (!Tiles) {
    host_meeting(work,
                 HostMeetingAggregates<ExecutionSpace>{a, p, aggregates, near, far, lists, met, overflows});
  } else {
    constexpr const char* label = "Tessera::Multigrid::meeting_aggregates";
    constexpr int lanes = 8, warp = warp_lanes;
    const bool long_rows = static_cast<Offset>(a.columns.extent(0)) > tuning::long_meeting_rows * a.count();
    if (long_rows && !runs_on_host<ExecutionSpace>) {
      for_each_team(
          work.exec, label, lists.aggregates.count, warp, lanes,
          MeetingAggregates<ExecutionSpace, lanes>{a, p, aggregates, near, far, lists, met, overflows});
    } else {
      const MeetingAggregates<ExecutionSpace, 1> meeting{a, p, aggregates, near, far, lists, met, overflows};
      for_each_row(work.exec, label, lists.aggregates.count, warp, meeting.scratch_bytes(), meeting);
    }
  }
}

/// Lists by aggregate, where they are, and the number of contributions.
template <class ExecutionSpace>
struct MetAggregates {
  MeetingLists<ExecutionSpace> lists;
  std::vector<MeetingStorage<ExecutionSpace>> storage;
  Offset contributions = 0;
};

/// Makes a plan, all but `sources` and `place`.
/// \tparam Tiles  whether contributions are made by tiles, which want multipliers.
/// \param any     whether a plan is made even if most aggregates reach far more others than rows have
/// entries, as in graphs where few steps lead anywhere; no lists are returned if not.
template <bool Tiles, class ExecutionSpace>
MetAggregates<ExecutionSpace>
meeting_aggregates(const Workspace<ExecutionSpace>& work, const Graph<ExecutionSpace>& a,
                   const Graph<ExecutionSpace>& p, const Aggregates<ExecutionSpace>& aggregates, bool any,
                   GalerkinPlan<ExecutionSpace>& plan) {
  using Plan = PlanLengths<ExecutionSpace>;
  const Ordinal count = aggregates.count;
  for (auto* const offsets : {&plan.begin, &plan.near.row_map, &plan.far.row_map})
    *offsets = make_kept<Offsets<ExecutionSpace>>(work, "plan::offsets", count + 1);
  const Plan found{plan, make_temporary<Offsets<ExecutionSpace>>(work, "near_lengths", count + 1),
                   make_temporary<Offsets<ExecutionSpace>>(work, "far_lengths", count + 1)};
  const auto met = make_temporary<MeetingLists<ExecutionSpace>>(work, "met", count);
  std::vector<MeetingStorage<ExecutionSpace>> parts;
  MeetingStorage<ExecutionSpace> storage{
      {count, {}}, tuning::first_near_capacity, tuning::first_far_capacity, {}, {}, {}};
  // Rows with twice as many entries reach about twice as many aggregates.
  while (static_cast<Offset>(storage.far_capacity) * a.count() < 3 * static_cast<Offset>(a.columns.extent(0)))
    storage.near_capacity *= 2, storage.far_capacity *= 2;
  tessera::detail::LengthSums<Plan::kinds> lengths;
  for (;;) {
    const Overflows<ExecutionSpace> overflows(work, storage.aggregates.count);
    fill_storage<Tiles>(work, a, p, aggregates, found, met, overflows, storage);
    parts.push_back(storage);
    lengths = scan_total(work, "Tessera::Multigrid::scan_plan", found, count + 1);
    if (lengths.longest[Plan::far] < overflow) break;
    storage.aggregates = overflows.all(lengths.sum[Plan::far]);
    if (!any && parts.size() == 2 && storage.aggregates.count > count / tuning::few_overflows) return {};
    if (storage.near_capacity < count) storage.near_capacity *= tuning::capacity_growth;
    if (storage.far_capacity < count) storage.far_capacity *= tuning::capacity_growth;
  }
  plan.near.longest = static_cast<Ordinal>(lengths.longest[Plan::near]);
  plan.far.longest = static_cast<Ordinal>(lengths.longest[Plan::far]);
  plan.near.columns = make_kept<Ordinals<ExecutionSpace>>(work, "plan::near", lengths.sum[Plan::near]);
  plan.far.columns = make_kept<Ordinals<ExecutionSpace>>(work, "plan::far", lengths.sum[Plan::far]);
  if (Tiles && plan.far.longest <= tuning::most_in_table) {
    plan.multiplier = make_kept<decltype(plan.multiplier)>(work, "plan::multiplier", count);
    for (plan.table_bits = 6; (4 << plan.table_bits) < plan.far.longest * plan.far.longest;)
      ++plan.table_bits;
  }
  for (const auto& part : parts) {
    const KeepLists<ExecutionSpace> keep{part, plan};
    for_each_row(work.exec, "Tessera::Multigrid::keep_lists", part.aggregates.count, 32, keep.scratch_bytes(),
                 keep);
  }
  return {met, parts, lengths.sum[Plan::contributions]};
}

} // namespace tessera::solvers::multigrid::detail
