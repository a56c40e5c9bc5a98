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

/// How the threads of a warp share nodes: groups of `lanes` threads, of which each has up to `columns`
/// columns of an element's rows.
struct GatherGroups {
  int lanes, columns;

  /// The way with the fewest threads without a column; of several that with the most columns a thread, whose
  /// steps cost least, as far as registers go: those of nine numbers go one by one.
  static constexpr GatherGroups choose(int nodes, int components, int warp) {
    const int most_columns = components == 1 ? 3 : components == 2 ? 2 : 1;
    GatherGroups best{1, nodes};
    int most = 0; // of 6 * nodes: columns that a warp has under way, to a thread's
    for (int columns = 1; columns <= most_columns || most == 0; ++columns) {
      const int lanes = (nodes + columns - 1) / columns;
      if (lanes > warp) continue;
      const int busy = warp / lanes * nodes * 6 / columns;
      if (busy < most) continue;
      best = {lanes, columns};
      most = busy;
    }
    return best;
  }
};

/// Adds up the rows of a node in scratch, one element around it after the other, and writes each value once.
/// A group of a warp's threads, its lanes, share a node: each has some columns of the element's rows, the
/// first the load too.
template <class Element, class ExecutionSpace, class Scalar, int Components>
struct GatherRows {
  static constexpr int components = Components, nodes = Element::nodes;
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
  using Member = typename Policy::member_type;
  using Data = RowData<Element, Components, Scalar>;
  template <class T>
  using Scratch = Kokkos::View<T*, typename ExecutionSpace::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  using Place = typename tessera::detail::NodeRowPlaces<Element, ExecutionSpace>::Place;
  static constexpr int warp = runs_on_host<ExecutionSpace> ? 1 : warp_lanes;
  static constexpr GatherGroups shape = GatherGroups::choose(nodes, components, warp);
  static constexpr int lanes = shape.lanes, columns = shape.columns;

  MeshKernel<Element, ExecutionSpace> mesh;
  GatherLists<Element, ExecutionSpace> lists;
  SystemKernel<ExecutionSpace, Scalar> system;
  Data data;
  Ordinal first, end; ///< the elements that the data has
  bool add;           ///< to what the rows hold
  int groups = 1;     ///< of a team
  int groups_of_warp = warp / lanes;

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
    int warps = std::max(1, team_threads<ExecutionSpace>("StoredElements", 0) / warp);
    const auto fit = [&] {
      return scratch_bytes(lists.longest, warps * groups_of_warp) <= scratch_limit<ExecutionSpace>();
    };
    while (warps > 1 && !fit()) --warps;
    while (groups_of_warp > 1 && !fit()) --groups_of_warp;
    groups = warps * groups_of_warp;
    const auto policy = team_policy(exec, "StoredElements", *this, (count + groups - 1) / groups,
                                    warps * warp, scratch_bytes(lists.longest, groups));
    if (policy.team_size() < warps * warp)
      throw UnsupportedError("StoredElements: " + std::to_string(warps * warp) +
                             " threads of a team wanted, the device has " +
                             std::to_string(policy.team_size()));
    Kokkos::parallel_for("Tessera::StoredElements::gather", policy, *this);
  }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const Ordinal numbers = numbers_of_group(lists.longest);
    const Scratch<Scalar> scratch(team.team_scratch(0), static_cast<std::size_t>(groups * numbers));
    const Scratch<Ordinal> lengths(team.team_scratch(0), static_cast<std::size_t>(groups));
    const int in_warp = team.team_rank() % warp, lane = in_warp % lanes;
    const int group = team.team_rank() / warp * groups_of_warp + in_warp / lanes;
    const Ordinal item = team.league_rank() * groups + group;
    Rows rows;
    if (in_warp / lanes < groups_of_warp) {
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

  /// What an element has for a node's rows in the columns of one of its nodes.
  struct Column {
    Place place = 0;
    Scalar entry[components * components];
  };
  /// What it has in a lane's columns, and in the first lane its loads.
  struct Columns {
    std::uint32_t source = none; ///< the element's row, counted from the pass's first
    Column column[columns];
    Scalar load[components];
  };
  static constexpr std::uint32_t none = ~0u;

  /// One element after the other. While the lanes of a device add columns, the next are on their way.
  KOKKOS_FORCEINLINE_FUNCTION void add_elements(const Member& team, int lane, Ordinal steps,
                                                const Rows& rows) const {
    if constexpr (warp == 1) {
      for (Ordinal step = 0; step < steps; ++step) {
        const std::uint32_t row = source(step, rows);
        if (row == none) continue;
        for (int j = 0; j < nodes; ++j) add_column(row, read_column(step, row, j, rows), j, rows);
        for (int a = 0; a < components; ++a) rows.loads[a] += load(row, a);
      }
    } else {
      Columns next = read(0, source(0, rows), lane, rows);
      std::uint32_t after = source(1, rows);
      for (Ordinal step = 0; step < steps; ++step) {
        const Columns now = next;
        next = read(step + 1, after, lane, rows);
        after = source(step + 2, rows);
        add_columns(now, lane, rows);
        warp_barrier(team);
      }
    }
  }
  /// The row of element `step` around the node; none after the last and of other passes' elements.
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t source(Ordinal step, const Rows& rows) const {
    if (step >= rows.elements) return none;
    const std::uint32_t number = rows.source[step] - static_cast<std::uint32_t>(first) * nodes;
    return number < static_cast<std::uint32_t>(end - first) * nodes ? number : none;
  }
  KOKKOS_FORCEINLINE_FUNCTION Columns read(Ordinal step, std::uint32_t source, int lane,
                                           const Rows& rows) const {
    Columns read;
    read.source = source;
    if (source == none) return read;
    TESSERA_UNROLL(columns)
    for (int k = 0; k < columns; ++k)
      if (const int j = lane + k * lanes; j < nodes) read.column[k] = read_column(step, source, j, rows);
    if (lane == 0)
      for (int a = 0; a < components; ++a) read.load[a] = load(source, a);
    return read;
  }
  KOKKOS_FORCEINLINE_FUNCTION Column read_column(Ordinal step, std::uint32_t source, int j,
                                                 const Rows& rows) const {
    Column column;
    const Scalar* const from = row_of(source);
    column.place = rows.place[step * nodes + j];
    const int place = function_place<Element>(j);
    for (int a = 0; a < components; ++a)
      for (int b = 0; b < components; ++b)
        column.entry[a * components + b] = from[a * Data::row_entries + Data::column(place, b)];
    return column;
  }
  KOKKOS_FORCEINLINE_FUNCTION const Scalar* row_of(std::uint32_t source) const {
    return data.data + static_cast<Offset>(source) * Data::node_entries;
  }
  KOKKOS_FORCEINLINE_FUNCTION const Scalar& load(std::uint32_t source, int a) const {
    return row_of(source)[(a + 1) * Data::row_entries - 1];
  }

  KOKKOS_FORCEINLINE_FUNCTION void add_columns(const Columns& added, int lane, const Rows& rows) const {
    if (added.source == none) return;
    TESSERA_UNROLL(columns)
    for (int k = 0; k < columns; ++k)
      if (const int j = lane + k * lanes; j < nodes) add_column(added.source, added.column[k], j, rows);
    if (lane == 0)
      for (int a = 0; a < components; ++a) rows.loads[a * lanes] += added.load[a];
  }
  KOKKOS_FORCEINLINE_FUNCTION void add_column(std::uint32_t source, const Column& column, int j,
                                              const Rows& rows) const {
    if (!rows.node.is_free()) return add_constrained(source, column, j, rows);
    for (int a = 0; a < components; ++a)
      for (int b = 0; b < components; ++b)
        rows.sums[column.place + a * rows.width + b] += column.entry[a * components + b];
  }
  /// Where rows or columns are constrained: prescribed values' entries are taken from the load.
  KOKKOS_FORCEINLINE_FUNCTION void add_constrained(std::uint32_t source, const Column& column, int j,
                                                   const Rows& rows) const {
    const auto& equations = system.equations;
    const Ordinal node = rows.node.node();
    const Ordinal other = mesh.connectivity(static_cast<Ordinal>(source / nodes) + first, j);
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
