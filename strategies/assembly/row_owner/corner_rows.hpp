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
/// A lane computes the block row of one element around the node in registers and lays the blocks of its other
/// corners down in slots of scratch memory of its own; the node's own blocks are summed up at once. Then
/// every value of the rows is the sum of at most eight slots, taken in a fixed order by one thread: none is
/// atomic.
template <class ExecutionSpace, class Scalar, class Kernel>
struct CornerRows {
  using Element = Hex<1>;
  using Cells = NodeCells<ExecutionSpace>;
  /// Threads that a multiprocessor of a device has at least: as many as scratch admits on a box.
  static constexpr int resident = sizeof(Scalar) == 8 ? 384 : 640;
  using Policy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::LaunchBounds<resident, 1>>;
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
    auto* const slots = reinterpret_cast<Scalar*>(lists + nodes_per_team * cells.max_degree);
    const int seat = team.team_rank() / threads_per_node;
    Work work{team.league_rank() * nodes_per_team + seat,
              false,
              team.team_rank() % threads_per_node * lanes,
              lists + seat,
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
    std::uint64_t* lists; ///< of slots, by neighbour; the team's nodes take turns
    Scalar* slots;        ///< where the neighbours' coordinates and the lanes' shapes lie before
    Scalar* rows;         ///< rows, then load, of a node that has to be finished
    Offset begin = 0;     ///< of the neighbours
    int degree = 0;
  };

  static constexpr int batch = Cells::step / Cells::lanes; ///< neighbours that a lane fetches at a time

  /// Number of neighbours that there is room for.
  KOKKOS_FORCEINLINE_FUNCTION int room() const { return static_cast<int>(cells.neighbors.extent(1)); }
  /// Slots of one entry of the blocks, two of them empty: so, the reads of a box collide least.
  static constexpr int plane = Cells::own_slot + 2;
  /// What a lane adds at the node itself: blocks and load.
  static constexpr int own_values = blocks + components;
  static constexpr int own_pitch = Cells::lanes + 1; ///< not a multiple of the number of banks
  static constexpr int shape_numbers = HexahedronShape<Real>::numbers * Cells::lanes;

  KOKKOS_FORCEINLINE_FUNCTION int slots_per_node() const {
    constexpr int most = Kokkos::max(blocks * plane - 1, shape_numbers + own_values * own_pitch);
    // Eight more than a multiple of 16: the nodes of a team, with eight lanes each, lie in different banks.
    return (Kokkos::max(components * room(), most) + 7) / 16 * 16 + 8;
  }
  KOKKOS_FORCEINLINE_FUNCTION int staged_per_node() const {
    return system.equations.constrained ? cells.max_degree * blocks + components : 0;
  }
  KOKKOS_FORCEINLINE_FUNCTION std::size_t scratch_per_team() const {
    return nodes_per_team * (cells.max_degree * sizeof(std::uint64_t) +
                             (slots_per_node() + staged_per_node()) * sizeof(Scalar));
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
        if (k < cells.max_degree) work.lists[k * nodes_per_team] = list[i];
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
    team.team_barrier(); // shapes, and then slots, take the coordinates' place

    CornerMoments<Real> moments = moments_of(work, HexahedronShape<Real>(cell.coordinates));
    const auto integral = kernel.template from_moments<Element, Real>(cell);
    // Needed below; they arrive meanwhile, and registers were scarcer before.
    work.begin = cells.neighbor_begin(work.node);
    work.degree = static_cast<int>(cells.neighbor_begin(work.node + 1) - work.begin);
    moments.apply(integral);
    add_own(team, work, pass, cell, moments, integral.load(moments.basis_integral()));
    TESSERA_UNROLL(blocks)
    for (int ab = 0; ab < blocks; ++ab) {
      Real entry[Cells::corners];
      moments.corners(ab, entry);
      TESSERA_UNROLL(7)
      for (int c = 1; c < Cells::corners; ++c)
        for (int l = 0; l < lanes; ++l)
          work.slots[ab * plane + Cells::slot(c, work.lane + l)] = lane_of(entry[c], l);
    }
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
      volatile Scalar* const kept = work.slots + work.lane; // volatile: to be read anew
      for (int i = 0; i < shape.numbers; ++i) kept[i * Cells::lanes] = shape.entry[i];
      return CornerMoments<Real>([&] {
        HexahedronShape<Real> again;
        for (int i = 0; i < shape.numbers; ++i) again.entry[i] = kept[i * Cells::lanes];
        return again;
      });
    }
  }

  /// Sums up what lanes add at the node itself: the block goes to its slots, the load to where it belongs.
  KOKKOS_FORCEINLINE_FUNCTION void add_own(const Member& team, const Work& work, int pass,
                                           const Cell<Element, Real>& cell,
                                           const CornerMoments<Real>& moments,
                                           const Vector<Real, components>& load) const {
    Scalar* const own = work.slots + shape_numbers;
    TESSERA_UNROLL(own_values)
    for (int i = 0; i < own_values; ++i) {
      const Real value = i < blocks ? moments.own(i) : load(i - blocks);
      for (int l = 0; l < lanes; ++l)
        own[i * own_pitch + work.lane + l] = cell.element[l] >= 0 ? lane_of(value, l) : Scalar(0);
    }
    const Real finite = moments.own(0) + load(0);
    for (int l = 0; l < lanes; ++l)
      if (cell.element[l] >= 0 &&
          (!(lane_of(moments.smallest_determinant(), l) > 0) || !Kokkos::isfinite(lane_of(finite, l))))
        status.fail(cell.element[l]);
    team.team_barrier();
    constexpr int turns = (own_values + threads_per_node - 1) / threads_per_node;
    Scalar sum[turns];
    TESSERA_UNROLL(turns)
    for (int turn = 0; turn < turns; ++turn)
      sum[turn] = sum_of_lanes(own, turn * threads_per_node + work.lane / lanes);
    team.team_barrier(); // slots take their place
    TESSERA_UNROLL(turns)
    for (int turn = 0; turn < turns; ++turn) {
      const int i = turn * threads_per_node + work.lane / lanes;
      if (i < blocks) {
        work.slots[i * plane] = 0;
        work.slots[i * plane + Cells::own_slot] = sum[turn];
      } else if (i < own_values && work.exists) {
        Scalar* const target = staged(work) ? work.rows + blocks * work.degree
                                            : &system.rhs(system.equations.first_equation(work.node));
        put(target[i - blocks], sum[turn], pass == 0);
      }
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION static Scalar sum_of_lanes(const Scalar* own, int i) {
    if (i >= own_values) return 0;
    Scalar even = 0, odd = 0;
    for (int l = 0; l < Cells::lanes; l += 2) {
      even += own[i * own_pitch + l];
      odd += own[i * own_pitch + l + 1];
    }
    return even + odd;
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

  /// Adds up the slots of one pass; the first finds nothing to add to.
  template <bool First>
  KOKKOS_FORCEINLINE_FUNCTION void gather(const Work& work) const {
    if (staged(work)) {
      gather<First>(work, work.rows);
    } else {
      const Offset first = system.equations.constrained
                               ? system.row_map(system.equations.first_equation(work.node))
                               : work.begin * blocks;
      gather<First>(work, system.values.data() + first);
    }
  }

  template <bool First>
  KOKKOS_FORCEINLINE_FUNCTION void gather(const Work& work, Scalar* rows) const {
    if constexpr (on_host)
      gather_neighbors<First>(work, rows);
    else
      gather_columns<First>(work, rows);
  }

  /// All values of a neighbour at a time.
  template <bool First>
  KOKKOS_FORCEINLINE_FUNCTION void gather_neighbors(const Work& work, Scalar* rows) const {
    for (int k = 0; k < work.degree; ++k) {
      Scalar sum[blocks] = {};
      for (std::uint64_t list = work.lists[k]; list != 0; list >>= 8)
        for (int ab = 0; ab < blocks; ++ab) sum[ab] += work.slots[ab * plane + (list & 255)];
      for (int a = 0; a < components; ++a)
        for (int b = 0; b < components; ++b)
          put(rows[(a * work.degree + k) * components + b], sum[components * a + b], First);
    }
  }

  /// A thread takes three columns of the rows at a time, so that reads overlap.
  template <bool First>
  KOKKOS_FORCEINLINE_FUNCTION void gather_columns(const Work& work, Scalar* rows) const {
    constexpr int step = components * threads_per_node;
    const int columns = components * work.degree, lane = work.lane;
    const std::uint64_t* lists[components];
    const Scalar* slots[components];
    Scalar* out[components];
    TESSERA_UNROLL(components)
    for (int i = 0; i < components; ++i) {
      const int column = lane + i * threads_per_node;
      lists[i] = work.lists + column / components * nodes_per_team;
      slots[i] = work.slots + column % components * plane;
      out[i] = rows + i * columns + lane;
    }
    TESSERA_UNROLL(1)
    for (int left = columns - lane; left > 0; left -= step) {
      std::uint64_t list[components];
      Scalar sum[components][components];
      TESSERA_UNROLL(components)
      for (int i = 0; i < components; ++i) {
        list[i] = i * threads_per_node < left ? *lists[i] : 0;
        lists[i] += threads_per_node * nodes_per_team;
      }
      TESSERA_UNROLL(components)
      for (int i = 0; i < components; ++i) {
        for (int a = 0; a < components; ++a) sum[i][a] = slots[i][a * components * plane + (list[i] & 255)];
        add_slots<1>(sum[i], slots[i], static_cast<std::uint32_t>(list[i]));
      }
      if ((list[0] | list[1] | list[2]) >> 32 != 0) {
        TESSERA_UNROLL(components)
        for (int i = 0; i < components; ++i)
          add_slots<0>(sum[i], slots[i], static_cast<std::uint32_t>(list[i] >> 32));
      }
      TESSERA_UNROLL(components)
      for (int i = 0; i < components; ++i)
        if (i * threads_per_node < left)
          for (int a = 0; a < components; ++a) put(out[a][i * threads_per_node], sum[i][a], First);
      for (int a = 0; a < components; ++a) out[a] += step;
    }
  }

  /// Adds the slots of half a list, from the one at `first`, to three rows' entries.
  template <int First>
  KOKKOS_FORCEINLINE_FUNCTION static void add_slots(Scalar (&sum)[components], const Scalar* slots,
                                                    std::uint32_t list) {
    TESSERA_UNROLL(4)
    for (int i = First; i < 4; ++i)
      if (const int slot = list >> (8 * i) & 255u; slot != 0)
        for (int a = 0; a < components; ++a) sum[a] += slots[a * components * plane + slot];
  }

  KOKKOS_FORCEINLINE_FUNCTION static void put(Scalar& target, Scalar value, bool first) {
    target = first ? value : target + value;
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
