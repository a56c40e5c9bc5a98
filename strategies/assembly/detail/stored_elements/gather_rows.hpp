// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Rows of the system from stored element matrices.

#include <tessera/core/error.hpp>
#include <tessera/core/mesh/mesh_kernel.hpp>
#include <tessera/strategies/assembly/common/system_kernel.hpp>
#include <tessera/strategies/assembly/detail/stored_elements/gather_lists.hpp>
#include <tessera/strategies/assembly/detail/stored_elements/line_sums.hpp>
#include <tessera/strategies/assembly/detail/stored_elements/row_data.hpp>
#include <tessera/strategies/common/team.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

namespace TESSERA_KERNELS::assembly::detail {

/// Adds up the rows of a node in scratch, one element around it after the other, and writes each value once.
/// A group of a team's threads, its lanes, share a node; each has a column of the element's rows, or the
/// load.
template <class Element, class ExecutionSpace, class Scalar, int Components>
struct GatherRows {
  static constexpr int components = Components, nodes = Element::nodes;
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
  using Member = typename Policy::member_type;
  using Data = RowData<Element, Components, Scalar>;
  template <class T>
  using Scratch = Kokkos::View<T*, typename ExecutionSpace::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  using Place = typename tessera::detail::NodeRowPlaces<Element, ExecutionSpace>::Place;
  static constexpr int lanes = runs_on_host<ExecutionSpace> ? 1 : nodes + 1;

  MeshKernel<Element, ExecutionSpace> mesh;
  GatherLists<Element, ExecutionSpace> lists;
  SystemKernel<ExecutionSpace, Scalar> system;
  Data data;
  Ordinal first, end; ///< the elements that the data has
  bool add;           ///< to what the rows hold
  int groups = 1;     ///< of a team

  /// Rows of a node, then a load for each component and lane.
  KOKKOS_FUNCTION static Ordinal numbers_of_group(Ordinal longest) { return longest + components * lanes; }
  /// Bytes of scratch for nodes whose rows have `longest` values at most.
  static std::size_t scratch_bytes(Ordinal longest, int groups) {
    return Scratch<Scalar>::shmem_size(to_size(groups * numbers_of_group(longest))) +
           Scratch<Ordinal>::shmem_size(to_size(groups));
  }

  void run(const ExecutionSpace& exec) {
    const Ordinal count = lists.order.extent_int(0);
    if (count == 0) return;
    const int threads = std::max(lanes, team_threads<ExecutionSpace>("StoredElements", 0));
    groups = threads / lanes;
    while (groups > 1 && scratch_bytes(lists.longest, groups) > scratch_limit<ExecutionSpace>()) --groups;
    const auto policy = team_policy(exec, "StoredElements", *this, (count + groups - 1) / groups,
                                    groups < threads / lanes ? groups * lanes : threads,
                                    scratch_bytes(lists.longest, groups));
    if (policy.team_size() < groups * lanes)
      throw UnsupportedError("StoredElements: " + std::to_string(groups * lanes) +
                             " threads of a team wanted, the device has " +
                             std::to_string(policy.team_size()));
    Kokkos::parallel_for("Tessera::StoredElements::gather", policy, *this);
  }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const Ordinal numbers = numbers_of_group(lists.longest);
    const Scratch<Scalar> scratch(team.team_scratch(0), static_cast<std::size_t>(groups * numbers));
    const Scratch<Ordinal> lengths(team.team_scratch(0), static_cast<std::size_t>(groups));
    const int group = team.team_rank() / lanes, lane = team.team_rank() % lanes;
    const Ordinal item = team.league_rank() * groups + group;
    Rows rows;
    if (group < groups) {
      if (item < lists.order.extent_int(0)) rows = rows_of(lists.order(item));
      rows.sums = scratch.data() + group * numbers;
      rows.loads = rows.sums + rows.count * rows.width + lane;
      for (Ordinal k = lane; k < rows.count * rows.width + components * lanes; k += lanes)
        rows.sums[k] = Scalar(0);
      if (lane == 0) lengths(group) = rows.elements;
    }
    team.team_barrier();
    Ordinal steps = 0;
    for (int k = 0; k < groups; ++k) steps = Kokkos::max(steps, lengths(k));
    add_elements(team, lane, steps, rows);
    if (rows.count == 0) return;
    Scalar* const out = &system.values(system.row_map(rows.first));
    for (Ordinal k = lane; k < rows.count * rows.width; k += lanes) set(out[k], rows.sums[k]);
    for (int a = lane; a < components; a += lanes) write_load(a, rows);
  }

private:
  /// What a group gathers; nothing.
  struct Rows {
    GatheredNode node = {0};
    Ordinal first = 0, width = 0;             ///< row of the system, values of a row
    int count = 0;                            ///< of rows
    Ordinal elements = 0;                     ///< around the node
    const std::uint32_t* source = nullptr;    ///< the elements' rows
    const Place* place = nullptr;             ///< where they go, element x column
    Scalar *sums = nullptr, *loads = nullptr; ///< in scratch; the lane's loads, `lanes` apart
  };

  KOKKOS_FORCEINLINE_FUNCTION Rows rows_of(const GatheredNode& gathered) const {
    Rows rows;
    const Ordinal node = gathered.node();
    rows.node = gathered;
    rows.count = system.equations.equations_of(node);
    if (rows.count == 0) return rows;
    rows.first = system.equations.first_equation(node);
    rows.width = static_cast<Ordinal>(system.row_map(rows.first + 1) - system.row_map(rows.first));
    const Offset begin = lists.offsets(node);
    rows.elements = static_cast<Ordinal>(lists.offsets(node + 1) - begin);
    rows.source = lists.source.data() + begin;
    rows.place = lists.place.data() + begin * nodes;
    return rows;
  }

  /// What an element has for a node's rows in the column of one of its nodes; or its loads.
  struct Column {
    std::uint32_t source = none; ///< the element's row, counted from the pass's first
    Place place = 0;
    Scalar entry[components * components];
  };
  static constexpr std::uint32_t none = ~0u;

  /// One element after the other. While the lanes of a device add a column, the next is on its way.
  KOKKOS_FORCEINLINE_FUNCTION void add_elements(const Member& team, int lane, Ordinal steps,
                                                const Rows& rows) const {
    if constexpr (lanes == 1) {
      for (Ordinal step = 0; step < steps; ++step)
        for (int j = 0; j <= nodes; ++j) add_column(read(step, source(step, rows), j, rows), j, rows);
    } else {
      Column next = read(0, source(0, rows), lane, rows);
      std::uint32_t after = source(1, rows);
      for (Ordinal step = 0; step < steps; ++step) {
        const Column column = next;
        next = read(step + 1, after, lane, rows);
        after = source(step + 2, rows);
        add_column(column, lane, rows);
        team.team_barrier();
      }
    }
  }
  /// The row of element `step` around the node; none after the last and of other passes' elements.
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t source(Ordinal step, const Rows& rows) const {
    if (step >= rows.elements) return none;
    const std::uint32_t number = rows.source[step] - static_cast<std::uint32_t>(first) * nodes;
    return number < static_cast<std::uint32_t>(end - first) * nodes ? number : none;
  }
  KOKKOS_FORCEINLINE_FUNCTION Column read(Ordinal step, std::uint32_t source, int j, const Rows& rows) const {
    Column column;
    column.source = source;
    if (source == none) return column;
    const Scalar* const from = data.data + static_cast<Offset>(source) * Data::node_entries;
    if (j == nodes) {
      for (int a = 0; a < components; ++a) column.entry[a] = from[(a + 1) * Data::row_entries - 1];
      return column;
    }
    column.place = rows.place[step * nodes + j];
    const int place = function_place<Element>(j);
    for (int a = 0; a < components; ++a)
      for (int b = 0; b < components; ++b)
        column.entry[a * components + b] = from[a * Data::row_entries + Data::column(place, b)];
    return column;
  }

  KOKKOS_FORCEINLINE_FUNCTION void add_column(const Column& column, int j, const Rows& rows) const {
    if (column.source == none) return;
    if (j == nodes)
      for (int a = 0; a < components; ++a) rows.loads[a * lanes] += column.entry[a];
    else if (rows.node.is_free())
      for (int a = 0; a < components; ++a)
        for (int b = 0; b < components; ++b)
          rows.sums[column.place + a * rows.width + b] += column.entry[a * components + b];
    else
      add_constrained(column, j, rows);
  }
  /// Where rows or columns are constrained: prescribed values' entries are taken from the load.
  KOKKOS_FORCEINLINE_FUNCTION void add_constrained(const Column& column, int j, const Rows& rows) const {
    const auto& equations = system.equations;
    const Ordinal node = rows.node.node();
    const Ordinal other = mesh.connectivity(static_cast<Ordinal>(column.source / nodes) + first, j);
    for (int a = 0; a < components; ++a) {
      if (equations.is_constrained(node, a)) continue;
      Scalar* const to = rows.sums + equations.rank(node, a) * rows.width + column.place;
      for (int b = 0; b < components; ++b) {
        const Scalar entry = column.entry[a * components + b];
        if (equations.is_constrained(other, b))
          rows.loads[a * lanes] -= entry * Scalar(equations.prescribed(other * components + b));
        else
          to[equations.rank(other, b)] += entry;
      }
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void write_load(int a, const Rows& rows) const {
    const Ordinal node = rows.node.node();
    if (system.equations.is_constrained(node, a)) return;
    const Scalar* const loads = rows.sums + rows.count * rows.width + a * lanes;
    Scalar sum = 0;
    for (int lane = 0; lane < lanes; ++lane) sum += loads[lane];
    set(system.rhs(system.equations.equation(node, a)), sum);
  }
  KOKKOS_FORCEINLINE_FUNCTION void set(Scalar& entry, Scalar value) const {
    entry = add ? entry + value : value;
  }
};

} // namespace TESSERA_KERNELS::assembly::detail
