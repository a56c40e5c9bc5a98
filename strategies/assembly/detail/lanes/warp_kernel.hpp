// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The kernel of WarpPerElement: lanes that share one element.

#include <tessera/strategies/assembly/common/lane_options.hpp>
#include <tessera/strategies/assembly/common/system_kernel.hpp>
#include <tessera/strategies/assembly/detail/lanes/element_input.hpp>
#include <tessera/strategies/assembly/detail/lanes/lane_geometry.hpp>
#include <tessera/strategies/assembly/detail/lanes/lane_scatter.hpp>
#include <tessera/strategies/common/element_real.hpp>
#include <tessera/strategies/common/status.hpp>
#include <tessera/strategies/cuda/by_value.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <string>

namespace TESSERA_KERNELS::assembly::detail {

/// One assembly by WarpPerElement; the elements begin ... end - 1 of the plan's order.
template <class ElementType, class ExecutionSpace, class Scalar, class Kernel, bool PerPoint, bool Moments>
struct WarpPerElementAssembly {
  using Element = ElementType;
  using Real = element_real_t<ExecutionSpace, Scalar>;
  using Tiles = BlockTiles<Element::nodes, has_lanes_v<ExecutionSpace>>;
  /// Threads in a team, at most; five teams to a multiprocessor leave 96 registers a thread.
  static constexpr int threads = 128;
  using Policy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::LaunchBounds<threads, 5>>;
  using Member = typename Policy::member_type;
  using Lanes = VectorLanes<Member, Tiles::lanes>;
  static constexpr int components = Kernel::components;
  static constexpr int degree = Kernel::template degree<Element>;
  static constexpr int points = Tabulation<Element, degree>::points;
  static constexpr int kept_points = PerPoint ? 1 : points;
  /// The matrix may take the geometry's place where it is computed at one go in registers of many lanes.
  static constexpr bool overlay = Tiles::lanes > 1 && Tiles::groups == 1;
  using Workspace = ElementWorkspace<Element, Kernel, kept_points, Tiles::rows, Real, overlay>;
  using Block = Matrix<Real, components>;
  using Blocks = Block[Tiles::passes][2];

  Kernel kernel;
  ElementInput<Element, ExecutionSpace> input;
  SystemKernel<ExecutionSpace, Scalar> system;
  Status<ExecutionSpace> status;
  JacobianSum jacobian;
  bool wide;    ///< tiles of 1 x 2 blocks
  bool by_rows; ///< scatter rows
  bool atomic;
  Ordinal begin, end;

  using Basis = BasisDerivatives<Workspace, degree, PerPoint && has_lanes_v<ExecutionSpace>>;

  static std::size_t scratch_bytes() { return sizeof(Workspace) + alignof(Workspace); }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    void* const memory =
        team.thread_scratch(int{level}).get_shmem_aligned(sizeof(Workspace), alignof(Workspace));
    Workspace& work = *static_cast<Workspace*>(memory);
    const Ordinal first = begin + (team.league_rank() * team.team_size() + team.team_rank()) * lanes_v<Real>;
    const Basis basis(team, int{level});
    if (first >= end) return;
    const Lanes lanes{team};
    read_element(lanes, work, input, system, first, end);
    const auto cell = cell_of(work, input, first, end);

    bool good = true;
    if constexpr (!PerPoint) {
      good = inverse_jacobians(lanes, work, basis, 0, points, jacobian);
      gradients(lanes, work, basis, 0, points);
      good = lane_load<degree, Moments>(lanes, work, kernel, cell, 0, points) && good;
    }
    for (int group = 0; group < Tiles::groups; ++group) {
      const int row = group * Tiles::rows;
      Blocks blocks;
      if constexpr (PerPoint) {
        for (int q = 0; q < points; ++q) {
          good = inverse_jacobians(lanes, work, basis, q, 1, jacobian) && good;
          gradients(lanes, work, basis, q, 1);
          if (group == 0) good = lane_load<degree, false>(lanes, work, kernel, cell, q, 1) && good;
          add_points(lanes, work, cell, row, q, blocks);
        }
      } else {
        add_points(lanes, work, cell, row, 0, blocks);
      }
      finish(lanes, cell, row, blocks, good);
      add_to_system(lanes, work, row, first, blocks);
    }
    for (int p = 0; p < lanes_v<Real> && first + p < end; ++p) add_load(lanes, work, system, atomic, p);
    if (!good) status.fail(kernel, cell);
  }

  /// Adds the kept points, q0 ..., to the lane's blocks, which the first point sets.
  template <class AnyCell>
  KOKKOS_FORCEINLINE_FUNCTION void add_points(const Lanes& lanes, const Workspace& work, const AnyCell& cell,
                                              int row, int q0, Blocks& blocks) const {
    lanes.for_each(Tiles::lanes, [&](int lane) {
      TESSERA_UNROLL_ON_GPUS(unroll_up_to_8<Tiles::passes>)
      for (int pass = 0; pass < Tiles::passes; ++pass) {
        const auto tile = Tiles::tile(wide, row, lane + pass * Tiles::lanes);
        auto& block = blocks[pass];
        if (q0 == 0) block[0] = block[1] = Block{};
        if (tile.blocks == 0) continue;
        // A tile of one block computes it twice, which costs nothing beside the others.
        const int last = tile.blocks - 1;
        if constexpr (Moments) {
          TESSERA_UNROLL_ON_GPUS(2)
          for (int slot = 0; slot < kept_points; ++slot) {
            const auto& gradient = work.of.geometry.gradient[slot];
            for (int a = 0; a < components; ++a) {
              const Real weighted = work.weight[slot] * gradient[tile.shared][a];
              for (int b = 0; b < components; ++b) {
                block[0](a, b) += weighted * gradient[tile.pair][b];
                block[1](a, b) += weighted * gradient[tile.pair + last][b];
              }
            }
          }
        } else {
          const auto add = [&](const auto& integrand, const auto& point) {
            TESSERA_UNROLL_ON_GPUS(2)
            for (int k = 0; k < 2; ++k) {
              const auto stiffness =
                  integrand.stiffness(tile.row(wide, k * last), tile.column(wide, k * last));
              for (int ab = 0; ab < components * components; ++ab)
                block[k].entry[ab] += point.weight() * stiffness.entry[ab];
            }
          };
          for_each_kept_point<degree>(work, kernel, cell, q0, kept_points, add);
        }
      }
    });
  }

  /// Turns moments into stiffness; tests that the first block is finite.
  template <class AnyCell>
  KOKKOS_FORCEINLINE_FUNCTION void finish(const Lanes& lanes, const AnyCell& cell, int row, Blocks& blocks,
                                          bool& good) const {
    lanes.for_each(Tiles::lanes, [&](int lane) {
      if constexpr (Moments) {
        const auto form = kernel.from_moments(cell);
        TESSERA_UNROLL_ON_GPUS(unroll_up_to_8<Tiles::passes>)
        for (int pass = 0; pass < Tiles::passes; ++pass) {
          TESSERA_UNROLL_ON_GPUS(2)
          for (int k = 0; k < 2; ++k) {
            auto& block = blocks[pass][k];
            if (!wide) { // the shared node was the first factor; its place is the column's
              const Block moments = block;
              for (int a = 0; a < components; ++a)
                for (int b = 0; b < components; ++b) block(a, b) = moments(b, a);
            }
            block = form.stiffness(block);
          }
        }
      }
      if (row == 0 && lane == 0) good = good && all_finite(sum_of_entries(blocks[0][0]));
    });
  }

  KOKKOS_FORCEINLINE_FUNCTION void add_to_system(const Lanes& lanes, Workspace& work, int row, Ordinal first,
                                                 const Blocks& blocks) const {
    const ValueAdder<ExecutionSpace, Scalar> add{system.values.data(), atomic};
    bool staged = by_rows;
    for (int p = 0; p < lanes_v<Real>; ++p) staged = staged || work.any_constrained(p);
    if (staged) {
      lanes.for_each(Tiles::lanes, [&](int lane) {
        TESSERA_UNROLL_ON_GPUS(unroll_up_to_8<Tiles::passes>)
        for (int pass = 0; pass < Tiles::passes; ++pass) {
          const auto tile = Tiles::tile(wide, row, lane + pass * Tiles::lanes);
          TESSERA_UNROLL_ON_GPUS(2)
          for (int k = 0; k < 2; ++k) {
            if (k >= tile.blocks) continue;
            const int r = (tile.row(wide, k) - row) * components, column = tile.column(wide, k) * components;
            for (int a = 0; a < components; ++a)
              for (int b = 0; b < components; ++b) work.of.matrix[r + a][column + b] = blocks[pass][k](a, b);
          }
        }
      });
      for (int p = 0; p < lanes_v<Real> && first + p < end; ++p)
        add_rows<Tiles::rows>(lanes, work, input, system, add, p, first + p, row, [&](int i, int j) {
          return by_rows ? i * Element::nodes + j : Tiles::slot(wide, i, j);
        });
      return;
    }
    for (int p = 0; p < lanes_v<Real> && first + p < end; ++p)
      lanes.for_each(Tiles::lanes, [&](int lane) {
        // The even blocks of all tiles first, then the odd ones (paper 2, Figure 5).
        TESSERA_UNROLL_ON_GPUS(2)
        for (int k = 0; k < 2; ++k) {
          TESSERA_UNROLL_ON_GPUS(unroll_up_to_8<Tiles::passes>)
          for (int pass = 0; pass < Tiles::passes; ++pass) {
            const auto tile = Tiles::tile(wide, row, lane + pass * Tiles::lanes);
            if (k >= tile.blocks) continue;
            const int i = tile.row(wide, k), j = tile.column(wide, k);
            const Offset at = work.row_begin[p][i] + input.positions(first + p, Tiles::slot(wide, i, j));
            for (int a = 0; a < Workspace::Basis::components_at(i); ++a)
              for (int b = 0; b < Workspace::Basis::components_at(j); ++b)
                add(at + static_cast<Offset>(a * work.row_length[p][i]) + b,
                    lane_of(blocks[pass][k](a, b), p));
          }
        }
      });
  }

  /// Kernels take copies: device code has no references to it.
  static constexpr int level = element_scratch_level_v<ExecutionSpace>;

  /// How many elements (on the host: packs) a team takes. \throws UnsupportedError if scratch holds not one
  static int elements_per_team() {
    int team = has_lanes_v<ExecutionSpace> ? threads / Tiles::lanes : 1;
    const auto all = static_cast<std::size_t>(Policy::scratch_size_max(level));
    const std::size_t available = all - std::min(all, std::size_t{Basis::scratch_bytes});
    while (team > 1 && team * scratch_bytes() > available) team /= 2;
    if (scratch_bytes() > available)
      throw UnsupportedError("WarpPerElement: an element " + std::string(Element::name) + " with " +
                             std::to_string(components) + " components needs " +
                             std::to_string(scratch_bytes()) + " bytes of team scratch, the device has " +
                             std::to_string(available));
    return team;
  }

  /// Launches the elements begin ... end - 1.
  void run(const ExecutionSpace& exec) const {
    if (end == begin) return;
    const Ordinal chunks = (end - begin + lanes_v<Real> - 1) / lanes_v<Real>;
    const int team = elements_per_team();
    Policy policy(exec, (chunks + team - 1) / team, team, Tiles::lanes);
    policy.set_scratch_size(level, Kokkos::PerTeam(Basis::scratch_bytes), Kokkos::PerThread(scratch_bytes()));
    Kokkos::parallel_for("Tessera::WarpPerElement::assemble", by_value<WarpPerElementAssembly>(policy),
                         *this);
  }
};

} // namespace TESSERA_KERNELS::assembly::detail
