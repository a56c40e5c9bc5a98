#pragma once

/// \file
/// Rows of trilinear hexahedra from moments: eight threads (on the host: the lanes of a vector) per node.

#include <tessera/core/corner_moments.hpp>
#include <tessera/core/element_system.hpp>
#include <tessera/core/execution_spaces.hpp>
#include <tessera/strategies/assembly/row_owner/finish_row.hpp>
#include <tessera/strategies/common/node_cells.hpp>
#include <tessera/strategies/common/status.hpp>
#include <tessera/strategies/cuda/prefetch.hpp>

#include <Kokkos_Core.hpp>

#include <string>
#include <type_traits>

namespace tessera::assembly::detail {

/// Computes the rows of a few nodes and writes every value once.
///
/// A lane computes the block row of one element around the node in registers and lays its eight blocks down
/// in slots of scratch memory of its own. Then every value of the rows is the sum of at most eight slots,
/// taken in a fixed order by one thread: no sum is kept in scratch, none is waited for, and none is atomic.
template <class ExecutionSpace, class Scalar, class Kernel>
struct CornerRows {
  using Element = Hex<1>;
  using Cells = NodeCells<ExecutionSpace>;
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
  using Member = typename Policy::member_type;
  static constexpr bool on_host = runs_on_host<ExecutionSpace>;
  using Real = std::conditional_t<on_host, Pack<Scalar, Cells::lanes>, Scalar>;
  static constexpr int lanes = lanes_v<Real>; ///< per thread
  static constexpr int threads_per_node = Cells::lanes / lanes;
  static constexpr int components = Kernel::components;
  static_assert(components == 3, "CornerRows: moments couple the three directions");
  static constexpr int blocks = components * components;

  Kernel kernel;
  MeshKernel<Element, ExecutionSpace> mesh;
  Cells cells;
  SystemKernel<ExecutionSpace, Scalar> system;
  Status<ExecutionSpace> status;
  Ordinal num_nodes;
  int nodes_per_team = 0;
  Ordinal ahead = 0; ///< about the number of nodes that a device has in work at a time

  /// \return false, and nothing done, if the scratch memory of a team is too small
  bool run(const ExecutionSpace& exec) {
    ahead = exec.concurrency() / 64; // four nodes a warp, a warp in eight of what a multiprocessor could hold
    for (nodes_per_team = on_host ? 1 : 4; nodes_per_team > 0; nodes_per_team /= 2) {
      Policy policy(exec, (num_nodes + nodes_per_team - 1) / nodes_per_team,
                    nodes_per_team * threads_per_node);
      if (scratch_per_team() > static_cast<std::size_t>(policy.scratch_size_max(0))) continue;
      policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(scratch_per_team())));
      Kokkos::parallel_for("Tessera::RowOwner::corner_rows", policy, *this);
      return true;
    }
    return false;
  }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    auto* const lists = static_cast<std::uint64_t*>(team.team_scratch(0).get_shmem(scratch_per_team()));
    auto* const slots = reinterpret_cast<Scalar*>(lists + nodes_per_team * room());
    const int seat = team.team_rank() / threads_per_node;
    Work work{team.league_rank() * nodes_per_team + seat,
              false,
              team.team_rank() % threads_per_node * lanes,
              lists + seat * room(),
              slots + seat * slots_per_node(),
              slots + nodes_per_team * slots_per_node() + seat * staged_per_node()};
    work.exists = work.node < num_nodes;
    if (!work.exists) work.node = num_nodes - 1; // loads need no conditions then, and wait for nothing
    fetch_ahead(work);
    const int passes = passes_of(team);
    for (int pass = 0; pass < passes; ++pass) add_pass(team, work, pass, passes);
    if (!system.equations.constrained) return;
    team.team_barrier();
    if (work.exists && staged(work)) finish(work);
  }

private:
  /// One node as one of its threads sees it, and its scratch.
  struct Work {
    Ordinal node;
    bool exists;          ///< there are no more nodes than threads for them
    int lane;             ///< the first of the thread's lanes
    std::uint64_t* lists; ///< of slots, by neighbour
    Scalar* slots;        ///< where the neighbours' coordinates lie before
    Scalar* rows;         ///< rows, then load, of a node that has to be finished
    Offset begin = 0;     ///< of the neighbours
    int degree = 0;
  };

  static constexpr int batch = Cells::step / Cells::lanes; ///< neighbours that a lane fetches at a time

  /// Number of neighbours that there is room for.
  KOKKOS_FORCEINLINE_FUNCTION int room() const { return static_cast<int>(cells.neighbors.extent(1)); }
  /// Slots of one entry of the blocks; not a multiple of the number of banks.
  static constexpr int plane = 8 * Cells::pitch + 3;

  KOKKOS_FORCEINLINE_FUNCTION int slots_per_node() const {
    // Eight more than a multiple of 32: the nodes of a team, with eight lanes each, lie in different banks.
    return (Kokkos::max(components * room(), blocks * plane) + 23) / 32 * 32 + 8;
  }
  KOKKOS_FORCEINLINE_FUNCTION int staged_per_node() const {
    return system.equations.constrained ? cells.max_degree * blocks + components : 0;
  }
  KOKKOS_FORCEINLINE_FUNCTION std::size_t scratch_per_team() const {
    return nodes_per_team *
           (room() * sizeof(std::uint64_t) + (slots_per_node() + staged_per_node()) * sizeof(Scalar));
  }

  /// Calls for the lists of a node that will have its turn when those in work are done.
  KOKKOS_FORCEINLINE_FUNCTION void fetch_ahead(const Work& work) const {
    if (on_host || work.node >= num_nodes - ahead) return;
    const Ordinal node = work.node + ahead;
    prefetch(&cells.neighbors(node, batch * work.lane));
    prefetch(&cells.slots(node, batch * work.lane));
    prefetch(&cells.positions(node, work.lane));
    prefetch(&cells.elements(node, work.lane));
  }

  /// Brings the neighbours' coordinates, relative to the node's, and their lists to scratch, a few neighbours
  /// at a time so that their loads overlap.
  KOKKOS_FORCEINLINE_FUNCTION void stage(const Work& work, Offset row) const {
    for (int first = work.lane; first < room(); first += batch * threads_per_node) {
      Ordinal neighbor[batch];
      std::uint64_t list[batch];
      double x[batch][3];
      TESSERA_UNROLL(batch)
      for (int i = 0; i < batch; ++i) {
        neighbor[i] = cells.neighbors(work.node, first + i * threads_per_node);
        list[i] = cells.slots(row, first + i * threads_per_node);
      }
      TESSERA_UNROLL(batch)
      for (int i = 0; i < batch; ++i)
        for (int d = 0; d < 3; ++d)
          x[i][d] = mesh.coordinates(neighbor[i], d) - mesh.coordinates(work.node, d);
      TESSERA_UNROLL(batch)
      for (int i = 0; i < batch; ++i) {
        const int k = first + i * threads_per_node;
        work.lists[k] = list[i];
        for (int d = 0; d < 3; ++d) work.slots[3 * k + d] = static_cast<Scalar>(x[i][d]);
      }
    }
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

  KOKKOS_FORCEINLINE_FUNCTION void add_pass(const Member& team, Work& work, int pass, int passes) const {
    const Offset row = cells.row(work.node, pass);
    std::uint64_t positions[lanes];
    Cell<Element, Real> cell;
    for (int l = 0; l < lanes; ++l) {
      cell.element[l] = cells.elements(row, work.lane + l);
      positions[l] = cells.positions(row, work.lane + l);
    }
    stage(work, row);
    for (int l = 0; l < lanes; ++l)
      cell.material[l] = cell.element[l] >= 0 ? mesh.material(cell.element[l]) : 0;
    team.team_barrier();

    TESSERA_UNROLL(8)
    for (int c = 0; c < 8; ++c)
      for (int d = 0; d < 3; ++d)
        cell.coordinates[c][d] = from_lanes<Real>([&](int l) {
          const int position = static_cast<int>(positions[l] >> (8 * c)) & 255;
          return work.slots[3 * position + d];
        });
    team.team_barrier(); // slots take the coordinates' place

    const CornerMoments<Real> moments(cell.coordinates);
    const auto integral = kernel.template from_moments<Element, Real>(cell);
    // Needed below; they arrive meanwhile, and registers were scarcer before.
    work.begin = cells.neighbor_begin(work.node);
    work.degree = static_cast<int>(cells.neighbor_begin(work.node + 1) - work.begin);
    TESSERA_UNROLL(8)
    for (int c = 0; c < 8; ++c) {
      const Matrix<Real, 3> block = integral.stiffness(moments(c));
      for (int l = 0; l < lanes; ++l)
        for (int ab = 0; ab < blocks; ++ab)
          work.slots[ab * plane + Cells::slot(c, work.lane + l)] = lane_of(block.entry[ab], l);
      if (c > 0) continue;
      const auto load = integral.load(moments.basis_integral());
      for (int l = 0; l < lanes; ++l) {
        const bool exists = cell.element[l] >= 0;
        for (int a = 0; a < components; ++a)
          work.slots[load_slot(a, work.lane + l)] = exists ? lane_of(load(a), l) : Scalar(0);
        const Scalar finite = lane_of(block.entry[0], l) + lane_of(load(0), l);
        if (exists && (!(lane_of(moments.smallest_determinant(), l) > 0) || !Kokkos::isfinite(finite)))
          status.fail(cell.element[l]);
      }
    }
    team.team_barrier();
    if (work.exists) gather(work, pass);
    if (pass + 1 < passes) team.team_barrier(); // coordinates come back
  }

  /// The place that the slots' pitch leaves free after those of one corner.
  KOKKOS_FORCEINLINE_FUNCTION static int load_slot(int a, int lane) {
    return a * plane + Cells::slot(lane, Cells::lanes);
  }

  /// Whether a node's rows are computed in scratch and finished later: rows that no entry was removed from,
  /// in a system without zeroed ones, are written where they belong.
  KOKKOS_FORCEINLINE_FUNCTION bool staged(const Work& work) const {
    const auto& equations = system.equations;
    if (!equations.constrained) return false;
    const Offset entries = system.row_map(equations.first_equation(work.node + 1)) -
                           system.row_map(equations.first_equation(work.node));
    return !equations.removed || entries != static_cast<Offset>(work.degree * blocks);
  }

  KOKKOS_FORCEINLINE_FUNCTION void gather(const Work& work, int pass) const {
    const int columns = work.degree * components;
    if (staged(work)) {
      gather(work, pass, columns, work.rows, work.rows + components * columns);
    } else {
      const Ordinal row = system.equations.first_equation(work.node);
      const Offset first = system.equations.constrained ? system.row_map(row) : work.begin * blocks;
      gather(work, pass, columns, system.values.data() + first, system.rhs.data() + row);
    }
  }

  /// Calls `visit` for each slot of a list.
  template <class Visit>
  KOKKOS_FORCEINLINE_FUNCTION static void for_each_slot(std::uint64_t list, const Visit& visit) {
    for (; list != 0; list >>= 32) {
      const auto four = static_cast<std::uint32_t>(list);
      TESSERA_UNROLL(4)
      for (int i = 0; i < 4; ++i)
        if (const int slot = four >> (8 * i) & 255u; slot != 0) visit(slot);
    }
  }

  /// Adds up the slots of one pass, a column of the rows (on the host: a neighbour's three) at a time.
  KOKKOS_FORCEINLINE_FUNCTION void gather(const Work& work, int pass, int columns, Scalar* rows,
                                          Scalar* load) const {
    constexpr int width = on_host ? components : 1;
    for (int column = work.lane * width; column < columns; column += threads_per_node * width) {
      Scalar sum[components][width] = {};
      const Scalar* const first = work.slots + column % components * plane;
      for_each_slot(work.lists[column / components], [&](int slot) {
        for (int a = 0; a < components; ++a)
          for (int b = 0; b < width; ++b) sum[a][b] += first[(a * components + b) * plane + slot];
      });
      for (int a = 0; a < components; ++a)
        for (int b = 0; b < width; ++b) put(rows[a * columns + column + b], sum[a][b], pass);
    }
    for (int a = work.lane; a < components; a += threads_per_node) {
      Scalar even = 0, odd = 0;
      for (int l = 0; l < Cells::lanes; l += 2) {
        even += work.slots[load_slot(a, l)];
        odd += work.slots[load_slot(a, l + 1)];
      }
      put(load[a], even + odd, pass);
    }
  }

  /// The first pass finds nothing to add to.
  KOKKOS_FORCEINLINE_FUNCTION static void put(Scalar& target, Scalar value, int pass) {
    target = pass == 0 ? value : target + value;
  }

  /// From staged rows to the system.
  KOKKOS_FORCEINLINE_FUNCTION void finish(const Work& work) const {
    const int columns = work.degree * components;
    for (int a = work.lane; a < components; a += threads_per_node)
      finish_row<components>(
          system, work.node, a, columns / components, work.rows[components * columns + a],
          system.values.data(), [&](int k) { return cells.neighbors(work.node, k); },
          [&](int k, int b) { return work.rows[a * columns + k * components + b]; });
  }
};

} // namespace tessera::assembly::detail
