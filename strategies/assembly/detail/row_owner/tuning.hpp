// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// RowOwner's sizes, chosen by measurement (one H200, CUDA 13.0; docs/performance/experiments.md). Other
/// devices take the same sizes, except for scratch memory, whose size is asked of the device.

#include <tessera/core/execution_spaces.hpp>
#include <tessera/strategies/cuda/multiprocessor.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <type_traits>

namespace TESSERA_KERNELS::assembly::detail {

/// Teams of tetrahedra's nodes that may share a multiprocessor's scratch: `prepare` takes the number that
/// leaves the fewest windows to each. Eleven hold all windows of a box, ten those of Gmsh's mesh (11: 0.080,
/// 10: 0.0604 ns an element on an H100), eight those of random points (10: 0.116, 9: 0.0946, 8: 0.0939, 7:
/// 0.100).
inline constexpr int star_teams[] = {11, 10, 9, 8, 7, 6};

/// Bytes of scratch for a team where `teams` share a multiprocessor, the system's part taken off (a KB, and
/// half a KB for alignment): 24320 of the 228 KB of an H100 or H200 for nine. `otherwise` where the device
/// does not say.
template <class ExecutionSpace>
std::size_t star_scratch_share(const ExecutionSpace& exec, int teams, std::size_t otherwise) {
  constexpr std::size_t taken = 1536, grain = 128;
  const std::size_t share = multiprocessor_scratch(exec) / teams;
  return share <= taken + grain ? otherwise : (share - taken) / grain * grain;
}

/// Elements of a lane whose corners are fetched together, on devices: enough to cover the memory's latency,
/// few enough to leave registers. Two or eight in place of four: tetrahedra 0.039 → 0.0404 and 0.049 ns.
constexpr int star_elements_ahead(int dimension) { return dimension == 2 ? 3 : 4; }

/// Neighbours whose coordinates a thread fetches together, on devices. Five or 16: 0.5 to 4 % slower.
inline constexpr int star_neighbors_together = 8;
/// The same after the first ones, where two threads share a node.
inline constexpr int star_neighbors_rest = 2;

/// Bytes by which places in scratch are counted: scalars' sizes spare tetrahedra instructions that scale
/// indices (10 % faster); triangles are faster with indices (0.0286 → 0.0271 ns).
template <class Scalar>
constexpr unsigned star_unit(int dimension) {
  return dimension == 2 ? 1 : sizeof(Scalar);
}

/// Threads that a multiprocessor has at least in `CornerRows`: as many as scratch admits on a box, which
/// leaves 168 registers in double and 96 in float.
template <class Scalar>
inline constexpr int corner_resident_threads = sizeof(Scalar) == 8 ? 384 : 640;

/// Nodes of hexahedra of a team, which have eight threads each: four on CUDA. Two or eight take the same
/// time.
template <class ExecutionSpace>
inline constexpr int corner_nodes_per_team = wave_lanes<ExecutionSpace> / 8;

/// Nodes in work on a device at a time, about: four a warp, a warp in eight of what a multiprocessor could
/// hold. Their lists are called into L2 when the nodes so far before them have their turn.
template <class ExecutionSpace>
int corner_nodes_in_work(const ExecutionSpace& exec) {
  return exec.concurrency() / 64;
}

/// Numbers of a hexahedron's shape, the last ones, that stay in registers. Three in double spill: 1.44 → 1.74
/// ns.
template <class Scalar>
inline constexpr int corner_shape_in_registers = sizeof(Scalar) == 4 ? 3 : 0;

/// Entries of an element in the rows of a node: what the code of `KindRows` is as long as.
template <class Element, class Kernel>
inline constexpr int kind_entries = Element::nodes * Kernel::components * Kernel::components;
/// From so many on, the rows of one component are computed after those of another: the code of all does not
/// fit the instruction cache (tet2, elasticity, with constraints in code of their own: 10.7 → 4.45 ns).
/// Below, components side by side share what they read (quad1, elasticity: 0.425 → 0.339 ns).
inline constexpr int kind_entries_by_component = 30;
/// Beyond so many, rows are too long for scratch to hold those of a warp: `AffineRows` shares a node among
/// lanes (hex2, elasticity: 49 → 38 ns).
inline constexpr int kind_entries_at_most = 200;

/// Entries of an element's row that `KindRows` reads from scratch before it writes the first (tet2,
/// elasticity: one 3.66, ten 3.39, five 3.28 ns).
inline constexpr int kind_entries_together = 5;

/// Nodes of a kind among which the order is by the number of elements (tet2, elasticity: 2.96 to 2.79 ns).
inline constexpr int kind_window = 256;

/// Whether `KindRows` fetches an element's coordinates and coefficients while it integrates another: vector
/// forms on solids, few of whose rows scratch holds at a time. Elsewhere the registers are worth more (tet2,
/// Helmholtz: 0.59 with, 0.535 ns without; tri2: 0.296, 0.288; tet3: 2.89, 2.67; hex1: 0.283, 0.275).
template <class Element, class Kernel>
inline constexpr bool kind_inputs_ahead = Element::dimension == 3 && Kernel::components > 1;

/// Of `KindRows`: for vector forms on solids 128 registers, with which 16 warps share a multiprocessor (tet1,
/// elasticity: 0.33 ns; 158 registers 0.37 to 0.39, 96 0.44), beyond ten nodes as many as there are.
template <class Element, class Kernel>
using kind_launch_bounds =
    std::conditional_t<kind_inputs_ahead<Element, Kernel>,
                       Kokkos::LaunchBounds<128, Element::nodes <= 10 ? 4 : 2>, Kokkos::LaunchBounds<>>;

} // namespace TESSERA_KERNELS::assembly::detail
