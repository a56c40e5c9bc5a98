// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Loops over elements that sum by patches.

#include <tessera/core/arithmetic/real.hpp>
#include <tessera/core/vector_fence.hpp>
#include <tessera/strategies/common/element_real.hpp>
#include <tessera/strategies/common/team.hpp>
#include <tessera/strategies/cuda/by_value.hpp>
#include <tessera/strategies/cuda/prefetch.hpp>
#include <tessera/strategies/element_loops/element_patches.hpp>
#include <tessera/strategies/element_loops/element_work.hpp>
#include <tessera/strategies/element_loops/node_values.hpp>

#include <algorithm>

namespace TESSERA_KERNELS::element_loops::detail {

/// For kernels that follow each other at once: large functors would else go by way of constant memory, whose
/// next use waits on the host for the kernel before.
using ByArgument = Kokkos::Experimental::WorkItemProperty::HintLightWeight_t;

/// Bytes of scratch memory that a patch of `size` cells and `most` nodes takes, in double.
template <class Element, class ExecutionSpace>
constexpr std::size_t patch_scratch(int size, Ordinal most, int components) {
  constexpr std::size_t alignment = 3 * 16;
  const std::size_t slots = ElementPatches<Element, ExecutionSpace>::slots_of(size);
  return (most * (Element::dimension + components) + slots * components) * sizeof(double) + alignment;
}

/// Patches as large as scratch memory and the numbers of their places allow.
/// \throws OutOfMemoryError
template <class Element, class ExecutionSpace>
ElementPatches<Element, ExecutionSpace>
fitting_patches(const ExecutionSpace& exec, const Mesh<Element, ExecutionSpace>& mesh, int components) {
  for (int size = ElementPatches<Element, ExecutionSpace>::most_cells;; size /= 2) {
    auto patches = element_patches(exec, mesh, size);
    const auto scratch = patch_scratch<Element, ExecutionSpace>(size, patches.most_nodes, components);
    if ((scratch <= scratch_limit<ExecutionSpace>() && patches.most_nodes <= patches.node_limit) || size == 1)
      return patches;
  }
}

/// A warp (on the host, a thread) per patch. Coordinates and values of its nodes are read once, into scratch
/// memory; its cells' results meet there too, and each node's are summed in a fixed order.
template <class Work>
struct PatchLoop {
  using Element = typename Work::Element;
  using Scalar = typename Work::Scalar;
  using ExecutionSpace = typename Work::Execution;
  using Real = element_real_t<ExecutionSpace, Scalar>;
  using Patches = ElementPatches<Element, ExecutionSpace>;
  using Pair = typename Patches::Pair;
  /// A cell's numbers want 100 registers where they fit; with 96, five teams of four warps share a
  /// multiprocessor.
  static constexpr unsigned teams = Pair::nodes * (Work::d + 2 * Work::c) <= 36 ? 5 : 1;
  using Policy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::LaunchBounds<128, teams>, ByArgument>;
  using Member = typename Policy::member_type;
  template <class T>
  using Scratch = Kokkos::View<T*, typename ExecutionSpace::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  static constexpr int c = Work::c, d = Work::d, lanes = lanes_v<Real>;

  Work work;
  Patches patches;
  Kokkos::View<const Ordinal*, ExecutionSpace> targets; ///< see `PatchTargets`
  Kokkos::View<Scalar*, ExecutionSpace> sums;           ///< see `ElementPatches`; * components + component
  Kokkos::View<Scalar*, ExecutionSpace> y;

  /// Four patches a team, or as many as have scratch memory.
  auto policy(const ExecutionSpace& exec) const {
    const std::size_t scratch = patch_scratch<Element, ExecutionSpace>(patches.size, patches.most_nodes, c);
    const auto of_threads = [&](int threads) {
      auto policy = by_value<PatchLoop>(Policy(exec, (patches.patches + threads - 1) / threads, threads,
                                               runs_on_host<ExecutionSpace> ? 1 : warp_lanes));
      policy.set_scratch_size(0, Kokkos::PerThread(scratch));
      return policy;
    };
    if (runs_on_host<ExecutionSpace>) return of_threads(1);
    const auto fit = static_cast<int>(scratch_limit<ExecutionSpace>() / scratch);
    return of_threads(
        std::clamp(std::min(fit, of_threads(1).team_size_max(*this, Kokkos::ParallelForTag())), 1, 4));
  }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const Ordinal patch = team.league_rank() * team.team_size() + team.team_rank();
    if (patch >= patches.patches) return;
    const Scratch<double> coordinates(team.thread_scratch(0), d * patches.most_nodes);
    const Scratch<Scalar> values(team.thread_scratch(0), c * patches.most_nodes);
    const Scratch<Scalar> results(team.thread_scratch(0), c * Patches::slots_of(patches.size));
    const Ordinal begin = patches.offsets(patch);
    const int nodes = patches.offsets(patch + 1) - begin;
    const Ordinal first = patch * patches.size;
    const Ordinal left = static_cast<Ordinal>(patches.places.extent(0)) - first;
    const int cells = left < patches.size ? left : patches.size;
    for_lanes(team, cells, [&](int k) { prefetch(&patches.places(first + k)); });
    for_lanes(team, nodes, [&](int k) {
      prefetch(&patches.slots(begin + k));
      prefetch(&patches.sums(begin + k));
    });
    read_nodes(team, begin, nodes, coordinates, values);
    for_lanes(team, (cells + lanes - 1) / lanes, [&](int chunk) {
      const int after = cells - chunk * lanes;
      act(begin, first + chunk * lanes, after < lanes ? after : lanes, coordinates, values, results);
    });
    for_lanes(team, nodes, [&](int k) { add_up(begin + k, results); });
  }

private:
  /// body(k) for k = 0 ... count - 1 by the lanes of the thread's vector, and their barrier. (Kokkos'
  /// vector range computes the barrier's mask with integer divisions each time.)
  template <class Body>
  KOKKOS_FORCEINLINE_FUNCTION static void for_lanes([[maybe_unused]] const Member& team, int count,
                                                    const Body& body) {
#ifdef __CUDA_ARCH__
    TESSERA_UNROLL(1)
    for (int k = threadIdx.x; k < count; k += warp_lanes) body(k);
    __syncwarp();
#else
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, count), body);
    vector_fence();
#endif
  }

  KOKKOS_FORCEINLINE_FUNCTION Ordinal target(Ordinal entry, Ordinal node) const {
    return targets.extent(0) == 0 ? node * c : targets(entry);
  }

  /// Coordinates and values of a patch's nodes; a lane loads those of several nodes before it stores the
  /// first, so that they wait for memory together.
  KOKKOS_FORCEINLINE_FUNCTION void read_nodes(const Member& team, Ordinal begin, int nodes,
                                              const Scratch<double>& coordinates,
                                              const Scratch<Scalar>& values) const {
    constexpr int together = 4;
    const int most = patches.most_nodes, part = (nodes + together - 1) / together;
    for_lanes(team, part, [&](int first) {
      Ordinal node[together], from[together];
      double x[together][d];
      Scalar u[together * c];
      TESSERA_UNROLL(together)
      for (int i = 0; i < together; ++i) {
        const Ordinal entry = begin + Kokkos::min(first + i * part, nodes - 1);
        node[i] = patches.nodes(entry);
        from[i] = target(entry, node[i]);
      }
      TESSERA_UNROLL(together)
      for (int i = 0; i < together; ++i)
        for (int a = 0; a < d; ++a) x[i][a] = work.mesh.coordinates(node[i], a);
      work.values.read_all(work.x, from, u);
      TESSERA_UNROLL(together)
      for (int i = 0; i < together; ++i) {
        const int k = first + i * part;
        if (k >= nodes) continue;
        for (int a = 0; a < d; ++a) coordinates(a * most + k) = x[i][a];
        for (int a = 0; a < c; ++a) values(a * most + k) = u[i * c + a];
      }
    });
  }

  /// \param begin the patch's first entry of `nodes`
  /// \param active cells from `at` on that there are, at most the lanes of `Real`
  KOKKOS_FORCEINLINE_FUNCTION void act(Ordinal begin, Ordinal at, int active,
                                       const Scratch<double>& coordinates, const Scratch<Scalar>& values,
                                       const Scratch<Scalar>& results) const {
    const int most = patches.most_nodes, slots = Patches::slots_of(patches.size);
    typename Patches::Places places[lanes];
    Real origin[d], x[Pair::nodes][d], u[Pair::nodes * c], v[Pair::nodes * c];
    for (int lane = 0; lane < lanes; ++lane) {
      places[lane] = patches.places(at + (lane < active ? lane : 0));
      double from[d];
      for (int a = 0; a < d; ++a) {
        from[a] = coordinates(a * most + places[lane].node[0]);
        set_lane(origin[a], lane, from[a]);
      }
      TESSERA_UNROLL(unroll_nodes<Pair::nodes>)
      for (int n = 0; n < Pair::nodes; ++n) {
        const int k = places[lane].node[n];
        for (int a = 0; a < d; ++a) set_lane(x[n][a], lane, coordinates(a * most + k) - from[a]);
        for (int a = 0; a < c; ++a) set_lane(u[n * c + a], lane, values(a * most + k));
      }
    }
    TESSERA_UNROLL(unroll_nodes<Pair::nodes>)
    for (int n = 0; n < Pair::nodes; ++n)
      for (int a = 0; a < c; ++a) v[n * c + a] = Real(Scalar(0));
    TESSERA_UNROLL(Pair::elements)
    for (int i = 0; i < Pair::elements; ++i) add_element(i, begin, at, active, places, origin, x, u, v);
    for (int lane = 0; lane < active; ++lane) {
      TESSERA_UNROLL(unroll_nodes<Pair::nodes>)
      for (int n = 0; n < Pair::nodes; ++n)
        for (int a = 0; a < c; ++a) results(a * slots + places[lane].slot[n]) = lane_of(v[n * c + a], lane);
    }
  }

  /// Adds the result of element i of each lane's cell. \param x relative to `origin`
  KOKKOS_FORCEINLINE_FUNCTION void add_element(int i, Ordinal begin, Ordinal at, int active,
                                               const typename Patches::Places (&places)[lanes],
                                               const Real (&origin)[d], const Real (&x)[Pair::nodes][d],
                                               const Real (&u)[Pair::nodes * c],
                                               Real (&v)[Pair::nodes * c]) const {
    Cell<Element, Real> cell;
    Real element_u[Work::dofs], element_v[Work::dofs];
    for (int lane = 0; lane < lanes; ++lane) {
      const Ordinal e = (at + (lane < active ? lane : 0)) * Pair::elements + i;
      cell.element[lane] = work.mesh.number(e);
      cell.material[lane] = work.mesh.material(e);
    }
    Ordinal node[Work::nodes * lanes]; // pairs are turned: for forms that look up values by nodes
    if constexpr (Work::Action::template asks_for_nodes<Element, Real>) {
      for (int n = 0; n < Work::nodes; ++n)
        for (int lane = 0; lane < lanes; ++lane)
          node[n * lanes + lane] = patches.nodes(begin + places[lane].node[Pair::node(i, n)]);
      cell.nodes = node;
    }
    const int corner = Pair::node(i, 0);
    for (int a = 0; a < d; ++a) cell.origin[a] = origin[a] + x[corner][a];
    TESSERA_UNROLL(unroll_nodes<Work::nodes>)
    for (int n = 0; n < Work::nodes; ++n) {
      const int m = Pair::node(i, n);
      for (int a = 0; a < d; ++a) cell.coordinates[n][a] = x[m][a] - x[corner][a];
      for (int a = 0; a < c; ++a) element_u[n * c + a] = u[m * c + a];
    }
    work.action.act(cell, element_u, element_v);
    if constexpr (Work::Action::reports) work.action.report(cell, element_v);
    TESSERA_UNROLL(unroll_nodes<Work::nodes>)
    for (int n = 0; n < Work::nodes; ++n)
      for (int a = 0; a < c; ++a) {
        Real& value = element_v[n * c + a];
        for (int lane = 0; i > 0 && lane < lanes; ++lane)
          if (!Pair::is_pair(places[lane].node)) set_lane(value, lane, Scalar(0));
        v[Pair::node(i, n) * c + a] += value;
      }
  }

  /// Sums a node's results: its value if no other patch has it.
  KOKKOS_FORCEINLINE_FUNCTION void add_up(Ordinal entry, const Scratch<Scalar>& results) const {
    const int slots = Patches::slots_of(patches.size);
    const auto own = patches.slots(entry);
    const Ordinal place = patches.sums(entry);
    Scalar sum[c] = {};
    for (int slot = own.first; slot < own.first + own.count; ++slot)
      for (int a = 0; a < c; ++a) sum[a] += results(a * slots + slot);
    if (place < 0)
      finish_node(work.values, work.x, y, patches.nodes(entry), target(entry, patches.nodes(entry)), sum);
    else
      for (int a = 0; a < c; ++a) sums(static_cast<Offset>(place) * c + a) = sum[a];
  }
};

/// The targets of `NodeValues` for the entries of patches' nodes, so that reading x waits for no other
/// look-up.
template <int Components, class ExecutionSpace>
struct PatchTargets {
  NodeValues<Components, ExecutionSpace> node_values;
  Kokkos::View<const Ordinal*, ExecutionSpace> nodes;
  Kokkos::View<Ordinal*, ExecutionSpace> targets;

  KOKKOS_FUNCTION void operator()(Ordinal entry) const { targets(entry) = node_values.target(nodes(entry)); }
};

/// Sums what the patches left for each node that several share.
template <int Components, class Element, class ExecutionSpace, class Scalar>
struct SumPatches {
  ElementPatches<Element, ExecutionSpace> patches;
  NodeValues<Components, ExecutionSpace> node_values;
  Kokkos::View<const Scalar*, ExecutionSpace> sums;
  Kokkos::View<const Scalar*, ExecutionSpace> x;
  Kokkos::View<Scalar*, ExecutionSpace> y;

  static auto policy(const ExecutionSpace& exec, std::size_t nodes) {
    return Kokkos::RangePolicy<ExecutionSpace, ByArgument>(exec, 0, nodes);
  }
  KOKKOS_FUNCTION void operator()(Ordinal i) const {
    Scalar sum[Components] = {};
    for (Ordinal k = patches.sum_offsets(i); k < patches.sum_offsets(i + 1); ++k)
      for (int a = 0; a < Components; ++a) sum[a] += sums(static_cast<Offset>(k) * Components + a);
    const Ordinal node = patches.shared_nodes(i);
    finish_node(node_values, x, y, node, node_values.target(node), sum);
  }
};

} // namespace TESSERA_KERNELS::element_loops::detail
