// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Rows of trilinear hexahedra from moments: eight threads (on the host: the lanes of a vector) per node.

#include <tessera/core/elements/cell.hpp>
#include <tessera/core/execution_spaces.hpp>
#include <tessera/core/instruction_sets.hpp>
#include <tessera/strategies/assembly/common/system_kernel.hpp>
#include <tessera/strategies/assembly/detail/row_owner/corners/corner_moments.hpp>
#include <tessera/strategies/assembly/detail/row_owner/corners/corner_own_sums.hpp>
#include <tessera/strategies/assembly/detail/row_owner/corners/corner_scratch.hpp>
#include <tessera/strategies/assembly/detail/row_owner/corners/node_cells.hpp>
#include <tessera/strategies/assembly/detail/row_owner/corners/slot_gather.hpp>
#include <tessera/strategies/assembly/detail/row_owner/finish_row.hpp>
#include <tessera/strategies/assembly/detail/row_owner/tuning.hpp>
#include <tessera/strategies/common/status.hpp>
#include <tessera/strategies/cuda/by_value.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

namespace TESSERA_KERNELS::assembly::detail {

/// Computes the rows of a few nodes and writes every value once.
///
/// A lane computes the block row of one element around the node in registers and lays the blocks of its other
/// corners down in slots of scratch memory of its own; the node's own blocks are summed up at once. Then
/// every value of the rows is the sum of at most eight slots, taken in a fixed order by one thread: none is
/// atomic.
template <class ExecutionSpace, class Scalar, class Kernel>
struct CornerRows {
  using Element = Hex<1>;
  using Cells = NodeCells<ExecutionSpace>;
  using Policy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::LaunchBounds<corner_resident_threads<Scalar>, 1>>;
  using Member = typename Policy::member_type;
  static constexpr bool on_host = runs_on_host<ExecutionSpace>;
  using Real = std::conditional_t<on_host, Pack<Scalar, Cells::lanes>, Scalar>;
  static constexpr int lanes = lanes_v<Real>; ///< per thread
  static constexpr int threads_per_node = Cells::lanes / lanes;
  static constexpr int components = Kernel::components;
  static_assert(components == 3, "CornerRows: moments couple the three directions");
  static constexpr int blocks = components * components;
  static constexpr int plane = Cells::num_slots; ///< slots of one entry of the blocks
  /// What a lane adds at the node itself: blocks and load.
  static constexpr int own_values = blocks + components;
  using Own = CornerOwnSums<ExecutionSpace, Real, own_values>;
  using Scratch = CornerScratch<Scalar, components, plane, Own::scratch_numbers>;
  using Work = CornerWork<Scalar>;

  Kernel kernel;
  MeshKernel<Element, ExecutionSpace> mesh;
  Cells cells;
  SystemKernel<ExecutionSpace, Scalar> system;
  Status<ExecutionSpace> status;
  Ordinal num_nodes;
  int nodes_per_team = 0;
  Ordinal ahead = 0; ///< about the number of nodes that a device has in work at a time

  /// Gives a team as many nodes as its scratch holds, at most those of a wave. \return false if it holds not
  /// one
  bool choose_team() {
    const auto limit = static_cast<std::size_t>(Policy::scratch_size_max(0));
    for (nodes_per_team = on_host ? 1 : corner_nodes_per_team<ExecutionSpace>; nodes_per_team > 0;
         nodes_per_team /= 2)
      if (scratch().bytes() <= limit) return true;
    return false;
  }

  /// Launches the rows of all nodes; after `choose_team`.
  void run(const ExecutionSpace& exec) {
    ahead = corner_nodes_in_work(exec);
    Policy policy(exec, (num_nodes + nodes_per_team - 1) / nodes_per_team, nodes_per_team * threads_per_node);
    policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(scratch().bytes())));
    Kokkos::parallel_for("Tessera::RowOwner::corner_rows", by_value<CornerRows>(policy), *this);
  }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    by_best_instructions<Real>([&]() TESSERA_INLINED { add_rows(team); });
  }

private:
  KOKKOS_FORCEINLINE_FUNCTION void add_rows(const Member& team) const {
    const Scratch scratch = this->scratch();
    void* const memory = team.team_scratch(0).get_shmem(scratch.bytes());
    const int seat = team.team_rank() / threads_per_node;
    Work work{team.league_rank() * nodes_per_team + seat,
              false,
              team.team_rank() % threads_per_node * lanes,
              seat,
              scratch.lists(memory) + seat,
              scratch.slots(memory, seat)};
    work.exists = work.node < num_nodes;
    if (!work.exists) work.node = num_nodes - 1; // loads need no conditions then, and wait for nothing
    const CornerLists<ExecutionSpace, Scalar> corner_lists{cells, mesh};
    if (!on_host && work.node < num_nodes - ahead) corner_lists.fetch_ahead(work.node + ahead, work.lane);
    const int passes = passes_of(team);
    for (int pass = 0; pass < passes; ++pass) add_pass(team, work, corner_lists, pass, passes);
    if (!system.equations.constrained) return;
    team.team_barrier();
    if (work.exists && staged(work)) finish(work);
  }

  static constexpr int shape_numbers = HexahedronShape<Real>::numbers * Cells::lanes;

  static_assert(shape_numbers <= blocks * plane, "CornerRows: shapes lie where slots come to lie");

  KOKKOS_FORCEINLINE_FUNCTION Scratch scratch() const {
    return {nodes_per_team, cells.max_degree, static_cast<int>(cells.neighbors.extent(1)),
            system.equations.constrained};
  }

  /// The most that a node of the team needs, so that all threads meet at the barriers.
  KOKKOS_FORCEINLINE_FUNCTION int passes_of(const Member& team) const {
    if (cells.max_passes == 1) return 1;
    const Ordinal first = team.league_rank() * nodes_per_team;
    int most = 1;
    for (Ordinal node = first; node < Kokkos::min(first + nodes_per_team, num_nodes); ++node)
      most = Kokkos::max(most, cells.passes(node));
    return most;
  }

  KOKKOS_FORCEINLINE_FUNCTION void add_pass(const Member& team, Work& work,
                                            const CornerLists<ExecutionSpace, Scalar>& corner_lists, int pass,
                                            int passes) const {
    const Offset row = cells.row(work.node, pass);
    std::uint64_t positions[lanes];
    Cell<Element, Real> cell;
    for (int l = 0; l < lanes; ++l) {
      cell.element[l] = cells.row_of(cells.elements, row)[work.lane + l];
      positions[l] = cells.row_of(cells.positions, row)[work.lane + l];
    }
    corner_lists.template bring<threads_per_node>(work, row, nodes_per_team);
    for (int l = 0; l < lanes; ++l)
      cell.material[l] = cell.element[l] >= 0 ? mesh.material(cell.element[l]) : 0;
    team.team_barrier();

    for (int d = 0; d < 3; ++d) cell.coordinates[0][d] = Real(Scalar(0));
    TESSERA_UNROLL(8)
    for (int c = 1; c < 8; ++c)
      for (int d = 0; d < 3; ++d)
        cell.coordinates[c][d] = from_lanes<Real>([&](int l) {
          const auto position = static_cast<std::uint32_t>(positions[l] >> (8 * c)) & 255u;
          return at_byte(work.slots, position * static_cast<std::uint32_t>(3 * sizeof(Scalar)))[d];
        });
    team.team_barrier(); // shapes, and then slots, take the coordinates' place

    CornerMoments<Real> moments = moments_of(work, HexahedronShape<Real>(cell.coordinates));
    const auto integral = kernel.template from_moments<Element, Real>(cell);
    // Needed below; they arrive meanwhile, and registers were scarcer before.
    work.begin = cells.neighbor_begin(work.node);
    work.end = cells.neighbor_begin(work.node + 1);
    moments.apply(integral);
    team.team_barrier(); // slots take the shapes' place
    Real own[own_values];
    TESSERA_UNROLL(blocks)
    for (int ab = 0; ab < blocks; ++ab) {
      Real entry[Cells::corners];
      moments.corners(ab, entry);
      own[ab] = entry[0];
      TESSERA_UNROLL(7)
      for (int c = 1; c < Cells::corners; ++c)
        for (int l = 0; l < lanes; ++l)
          work.slots[ab * plane + Cells::slot(c, work.lane + l)] = lane_of(entry[c], l);
    }
    const Vector<Real, components> load = integral.load(moments.basis_integral());
    for (int a = 0; a < components; ++a) own[blocks + a] = load(a);
    check(cell, moments.smallest_determinant(), own);
    add_own(team, work, pass, own);
    team.team_barrier();
    if (work.exists) {
      if (pass == 0)
        gather<true>(work);
      else
        gather<false>(work);
    }
    if (pass + 1 < passes) team.team_barrier(); // coordinates come back
  }

  /// On a device the shape waits in scratch while there are sums in registers.
  KOKKOS_FORCEINLINE_FUNCTION CornerMoments<Real> moments_of(const Work& work,
                                                             const HexahedronShape<Real>& shape) const {
    if constexpr (on_host) {
      return CornerMoments<Real>([&]() -> const HexahedronShape<Real>& { return shape; });
    } else {
      // Volatile: else the compiler keeps in registers what it has just written, and has none for the sums.
      volatile Scalar* const kept = work.slots + work.lane;
      constexpr int waiting = HexahedronShape<Real>::numbers - corner_shape_in_registers<Scalar>;
      for (int i = 0; i < waiting; ++i) kept[i * Cells::lanes] = shape.entry[i];
      return CornerMoments<Real>([&] {
        HexahedronShape<Real> again;
        for (int i = 0; i < waiting; ++i) again.entry[i] = kept[i * Cells::lanes];
        for (int i = waiting; i < HexahedronShape<Real>::numbers; ++i) again.entry[i] = shape.entry[i];
        return again;
      });
    }
  }

  /// Tells of elements that are turned inside out or not finite; an empty lane adds nothing.
  KOKKOS_FORCEINLINE_FUNCTION void check(const Cell<Element, Real>& cell, const Real& determinant,
                                         Real (&own)[own_values]) const {
    Real finite = own[0];
    TESSERA_UNROLL(own_values)
    for (int i = 1; i < own_values; ++i) finite += own[i];
    for (int l = 0; l < lanes; ++l)
      if (cell.element[l] >= 0 && (!(lane_of(determinant, l) > 0) || !Kokkos::isfinite(lane_of(finite, l))))
        status.fail(cell.element[l]);
    TESSERA_UNROLL(own_values)
    for (int i = 0; i < own_values; ++i) {
      const Real value = own[i];
      own[i] = from_lanes<Real>([&](int l) { return cell.element[l] >= 0 ? lane_of(value, l) : Scalar(0); });
    }
  }

  /// Sums up what lanes add at the node itself: the block goes to its slots, the load to where it belongs.
  KOKKOS_FORCEINLINE_FUNCTION void add_own(const Member& team, const Work& work, int pass,
                                           Real (&own)[own_values]) const {
    Scalar sum[Own::share];
    const Share share = Own::add_up(team, own, work.lane, work.slots + blocks * plane, sum);
    TESSERA_UNROLL(Own::share)
    for (int k = 0; k < Own::share; ++k) {
      const int i = share.first + k;
      if (k >= share.count) continue;
      if (i < blocks) {
        work.slots[i * plane] = 0;
        work.slots[i * plane + Cells::own_slot] = sum[k];
      } else if (work.exists) {
        Scalar* const load = staged(work) ? scratch().rows(work.slots, work.seat) + blocks * work.degree()
                                          : &system.rhs(system.equations.first_equation(work.node));
        load[i - blocks] = pass == 0 ? sum[k] : load[i - blocks] + sum[k];
      }
    }
  }

  /// Whether a node's rows are computed in scratch and finished later: rows that no entry was removed from,
  /// in a system without zeroed ones, are written where they belong.
  KOKKOS_FORCEINLINE_FUNCTION bool staged(const Work& work) const {
    const auto& equations = system.equations;
    if (!equations.constrained) return false;
    const Offset entries = system.row_map(equations.first_equation(work.node + 1)) -
                           system.row_map(equations.first_equation(work.node));
    return !equations.removed || equations.equations_of(work.node) < components ||
           entries != static_cast<Offset>(work.degree() * blocks); // both are 0 where no element has the node
  }

  /// Adds up the slots of one pass; the first finds nothing to add to.
  template <bool First>
  KOKKOS_FORCEINLINE_FUNCTION void gather(const Work& work) const {
    if (staged(work)) {
      gather<First>(work, scratch().rows(work.slots, work.seat));
    } else {
      const Offset first = system.equations.constrained
                               ? system.row_map(system.equations.first_equation(work.node))
                               : work.begin * blocks;
      gather<First>(work, system.values.data() + first);
    }
  }

  template <bool First>
  KOKKOS_FORCEINLINE_FUNCTION void gather(const Work& work, Scalar* rows) const {
    const SlotGather<Scalar, components, plane> slots{work.lists, nodes_per_team, work.slots, work.degree()};
    if constexpr (on_host)
      slots.template neighbors<First>(rows);
    else
      slots.template columns<First, threads_per_node>(rows, work.lane);
  }

  /// From staged rows to the system.
  KOKKOS_FORCEINLINE_FUNCTION void finish(const Work& work) const {
    const int columns = work.degree() * components;
    const Scalar* const rows = scratch().rows(work.slots, work.seat);
    for (int a = work.lane; a < components; a += threads_per_node)
      finish_row<components>(
          system, work.node, a, columns / components, rows[components * columns + a], system.values.data(),
          [&](int k) { return cells.neighbors(work.node, k); },
          [&](int k, int b) { return rows[a * columns + k * components + b]; });
  }
};

} // namespace TESSERA_KERNELS::assembly::detail
