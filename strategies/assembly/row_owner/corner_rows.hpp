#pragma once

/// \file
/// Rows of trilinear hexahedra from moments: eight threads (on the host: the lanes of a vector) per node.

#include <tessera/core/corner_moments.hpp>
#include <tessera/core/element_system.hpp>
#include <tessera/strategies/assembly/row_owner/finish_row.hpp>
#include <tessera/strategies/common/node_cells.hpp>
#include <tessera/strategies/common/status.hpp>

#include <Kokkos_Core.hpp>

#include <string>
#include <type_traits>

namespace tessera::assembly::detail {

/// Computes the rows of a few nodes in scratch and writes them out in one stream.
///
/// A lane computes the block row of one element around the node in registers. Lanes then add their blocks
/// corner by corner, those with the same target in turns, so that sums have a fixed order and need no
/// atomics; the node's own block and load, which all lanes have, are summed last.
template <class ExecutionSpace, class Scalar, class Kernel>
struct CornerRows {
  using Element = Hex<1>;
  using Cells = NodeCells<ExecutionSpace>;
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
  using Member = typename Policy::member_type;
  static constexpr bool on_host =
      Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename ExecutionSpace::memory_space>::accessible;
  using Real = std::conditional_t<on_host, Pack<Scalar, Cells::lanes>, Scalar>;
  static constexpr int lanes = lanes_v<Real>; ///< per thread
  static constexpr int threads_per_node = Cells::lanes / lanes;
  static constexpr int components = Kernel::components;
  static_assert(components == 3, "CornerRows: moments couple the three directions");
  static constexpr int blocks = components * components;
  static constexpr int own_entries = blocks + components; ///< a lane's part of the own block and load

  Kernel kernel;
  MeshKernel<Element, ExecutionSpace> mesh;
  Cells cells;
  SystemKernel<ExecutionSpace, Scalar> system;
  Status<ExecutionSpace> status;
  Ordinal num_nodes;
  int nodes_per_team = 0;

  /// \return false, and nothing done, if the scratch memory of a team is too small
  bool run(const ExecutionSpace& exec) {
    for (nodes_per_team = on_host ? 1 : 8; nodes_per_team > 0; nodes_per_team /= 2) {
      const std::size_t bytes = std::size_t(nodes_per_team) * scratch_per_node() * sizeof(Scalar);
      Policy policy(exec, (num_nodes + nodes_per_team - 1) / nodes_per_team,
                    nodes_per_team * threads_per_node);
      if (bytes > static_cast<std::size_t>(policy.scratch_size_max(0))) continue;
      policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(bytes)));
      Kokkos::parallel_for("Tessera::RowOwner::corner_rows", policy, *this);
      return true;
    }
    return false;
  }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    auto* const scratch = static_cast<Scalar*>(
        team.team_scratch(0).get_shmem(nodes_per_team * scratch_per_node() * sizeof(Scalar)));
    const int seat = team.team_rank() / threads_per_node;
    const int lane = team.team_rank() % threads_per_node; // the first of the thread's lanes
    const Ordinal node = team.league_rank() * nodes_per_team + seat;
    const Ordinal first = team.league_rank() * nodes_per_team,
                  last = Kokkos::min(first + nodes_per_team, num_nodes);
    const Offset team_begin = cells.neighbor_begin(first);
    const int entries = static_cast<int>(cells.neighbor_begin(last) - team_begin) * blocks;
    Scalar* const rows = scratch + nodes_per_team * (own_scratch() + components);
    Work work{scratch + seat * own_scratch(),
              rows,
              scratch + nodes_per_team * own_scratch() + seat * components,
              node,
              lane,
              0,
              0};
    if (node < num_nodes) {
      work.begin = cells.neighbor_begin(node);
      work.degree = static_cast<int>(cells.neighbor_begin(node + 1) - work.begin);
      work.rows += (work.begin - team_begin) * blocks;
    }
    for (int k = team.team_rank(); k < entries; k += team.team_size()) rows[k] = Scalar(0);
    for (int a = lane; a < components; a += threads_per_node) work.load[a] = Scalar(0);
    for (int pass = 0; pass < cells.max_passes; ++pass) add_pass(team, work, pass);
    team.team_barrier();
    const auto& equations = system.equations;
    const Ordinal first_row = equations.first_equation(first), last_row = equations.first_equation(last);
    const Offset first_value = system.row_map(first_row);
    // Rows that no entry was removed from, in a system without zeroed ones, go out as they are.
    if (equations.constrained &&
        !(equations.removed && system.row_map(last_row) - first_value == static_cast<Offset>(entries))) {
      if (lane == 0 && node < num_nodes) finish(work);
      return;
    }
    Scalar* const values = system.values.data() + first_value;
    TESSERA_UNROLL(4)
    for (int k = team.team_rank(); k < entries; k += team.team_size()) values[k] = rows[k];
    const Scalar* const loads = scratch + nodes_per_team * own_scratch();
    for (int k = team.team_rank(); k < last_row - first_row; k += team.team_size())
      system.rhs(first_row + k) = loads[k];
  }

private:
  /// One node's scratch: `own`, first its neighbours' coordinates, later the lanes' parts of the own block
  /// and load; its rows, which follow those of the node before as they do in the system; and its load.
  struct Work {
    Scalar *own, *rows, *load;
    Ordinal node;
    int lane;
    Offset begin; ///< of the neighbours
    int degree;
  };

  /// Odd, so that nodes start in different banks.
  KOKKOS_FORCEINLINE_FUNCTION int own_scratch() const {
    return Kokkos::max(cells.max_degree * 3, Cells::lanes * own_entries) | 1;
  }
  KOKKOS_FORCEINLINE_FUNCTION int scratch_per_node() const {
    return own_scratch() + cells.max_degree * blocks + components;
  }

  KOKKOS_FORCEINLINE_FUNCTION void add_pass(const Member& team, const Work& work, int pass) const {
    const Ordinal node = work.node;
    const bool has_pass = node < num_nodes && cells.pass_begin(node) + pass < cells.pass_begin(node + 1);
    const Offset place =
        has_pass ? static_cast<Offset>(cells.pass_begin(node) + pass) * Cells::lanes + work.lane : 0;
    Ordinal element[lanes];
    std::uint64_t positions[lanes];
    std::uint32_t turns[lanes];
    Cell<Element, Real> cell;
    for (int l = 0; l < lanes; ++l) {
      element[l] = has_pass ? cells.elements(place + l) : -1;
      positions[l] = has_pass ? cells.positions(place + l) : 0;
      turns[l] = has_pass ? cells.turns(place + l) : 0;
      cell.element[l] = element[l];
      cell.material[l] = element[l] >= 0 ? mesh.material(element[l]) : 0;
    }
    for (int k = work.lane; k < work.degree; k += threads_per_node) {
      const Ordinal neighbor = cells.neighbors(work.begin + k);
      for (int d = 0; d < 3; ++d)
        work.own[3 * k + d] = static_cast<Scalar>(mesh.coordinates(neighbor, d) - mesh.coordinates(node, d));
    }
    team.team_barrier();

    TESSERA_UNROLL(8)
    for (int c = 0; c < 8; ++c)
      for (int d = 0; d < 3; ++d)
        cell.coordinates[c][d] = from_lanes<Real>(
            [&](int l) { return element[l] >= 0 ? work.own[3 * corner(positions[l], c) + d] : Scalar(0); });
    const CornerMoments<Real> moments(cell.coordinates);
    const auto integral = kernel.template from_moments<Element, Real>(cell);

    TESSERA_UNROLL(7)
    for (int c = 1; c < 8; ++c) {
      const Matrix<Real, 3> block = integral.stiffness(moments(c));
      for (int turn = 0; turn < (on_host ? 1 : cells.max_turns[c]); ++turn) {
        for (int l = 0; l < lanes; ++l)
          if (element[l] >= 0 && (on_host || ((turns[l] >> (4 * c)) & 15u) == unsigned(turn)))
            add(work, corner(positions[l], c), block, l);
        team.team_barrier();
      }
    }

    const Matrix<Real, 3> block = integral.stiffness(moments(0));
    const auto load = integral.load(moments.basis_integral());
    for (int l = 0; l < lanes; ++l) {
      Scalar* const part = work.own + (work.lane + l) * own_entries;
      for (int ab = 0; ab < blocks; ++ab)
        part[ab] = element[l] >= 0 ? lane_of(block.entry[ab], l) : Scalar(0);
      for (int a = 0; a < components; ++a)
        part[blocks + a] = element[l] >= 0 ? lane_of(load(a), l) : Scalar(0);
      const Scalar finite = lane_of(block.entry[0], l) + lane_of(load(0), l);
      if (element[l] >= 0 && (!(lane_of(moments.smallest_determinant(), l) > 0) || !Kokkos::isfinite(finite)))
        status.fail(element[l]);
    }
    team.team_barrier();
    if (has_pass) {
      const int position = corner(cells.positions(place - work.lane), 0);
      for (int k = work.lane; k < own_entries; k += threads_per_node) {
        Scalar sum = 0;
        for (int l = 0; l < Cells::lanes; ++l) sum += work.own[l * own_entries + k];
        const int a = k / 3, b = k % 3;
        if (k < blocks)
          work.rows[(a * work.degree + position) * 3 + b] += sum;
        else
          work.load[k - blocks] += sum;
      }
    }
    if (pass + 1 < cells.max_passes) team.team_barrier(); // coordinates come back
  }

  KOKKOS_FORCEINLINE_FUNCTION static int corner(std::uint64_t positions, int c) {
    return static_cast<int>(positions >> (8 * c)) & 255;
  }

  /// Adds a block to the node's rows; all reads come before all writes, so that they overlap.
  KOKKOS_FORCEINLINE_FUNCTION static void add(const Work& work, int position, const Matrix<Real, 3>& block,
                                              int l) {
    Scalar sum[3][3];
    Scalar* const target = work.rows + 3 * position;
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b) sum[a][b] = target[a * work.degree * 3 + b];
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b) target[a * work.degree * 3 + b] = sum[a][b] + lane_of(block(a, b), l);
  }

  /// Writes the rows of a node where some degrees of freedom are constrained.
  KOKKOS_FORCEINLINE_FUNCTION void finish(const Work& work) const {
    Vector<Scalar, components> load;
    for (int a = 0; a < components; ++a) load(a) = work.load[a];
    finish_rows(
        system, work.node, work.degree, load, system.values.data(),
        [&](int k) { return cells.neighbors(work.begin + k); },
        [&](int a, int k, int b) { return work.rows[(a * work.degree + k) * 3 + b]; });
  }
};

} // namespace tessera::assembly::detail
