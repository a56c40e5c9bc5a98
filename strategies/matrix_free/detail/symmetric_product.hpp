// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The schedule, the storage and the kernels of SymmetricElementByElement.

#include <tessera/core/arithmetic/real.hpp>
#include <tessera/core/vector_fence.hpp>
#include <tessera/strategies/common/element_real.hpp>
#include <tessera/strategies/cuda/by_value.hpp>
#include <tessera/strategies/cuda/shuffle.hpp>
#include <tessera/strategies/element_loops/result_sink.hpp>
#include <tessera/strategies/matrix_free/detail/stored_elements.hpp>

#include <algorithm>

namespace TESSERA_KERNELS::matrix_free::detail {

/// Which nodes meet in which round: the circle method of round-robin tournaments. Round s has centre s; nodes
/// s + t and s - t (modulo the circle) meet for t = 1, 2, ...; of an even number of nodes the last stands
/// outside the circle and meets the centre, of an odd number the centre pauses.
template <int Nodes>
struct PairSchedule {
  static constexpr int circle = Nodes % 2 == 0 ? Nodes - 1 : Nodes;
  static constexpr int rounds = Nodes == 1 ? 0 : circle;
  static constexpr int pairs = Nodes / 2; ///< in each round

  /// First (as stored) and second (transposed) node of a pair.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int first(int round, int pair) {
    return is_outer(pair) ? round : (round + pair + 1) % circle;
  }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int second(int round, int pair) {
    return is_outer(pair) ? Nodes - 1 : (round - pair - 1 + circle) % circle;
  }
  /// The pair of a node in a round; -1 for a pause.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int pair_of(int round, int node) {
    if (Nodes % 2 == 0 && node == Nodes - 1) return pairs - 1;
    const int t = (node - round + circle) % circle;
    if (t == 0) return Nodes % 2 == 0 ? pairs - 1 : -1;
    return (t <= circle / 2 ? t : circle - t) - 1;
  }

private:
  KOKKOS_FORCEINLINE_FUNCTION static constexpr bool is_outer(int pair) {
    return Nodes % 2 == 0 && pair == pairs - 1;
  }
};

/// The order of the stored numbers: upper triangles of the diagonal blocks, (entry, node); then the blocks of
/// pairs, (round, entry, pair). Neighbouring lanes read neighbouring numbers.
template <int Nodes, int Components>
struct PairLayout {
  using Schedule = PairSchedule<Nodes>;
  static constexpr int triangle = Components * (Components + 1) / 2;
  static constexpr int entries =
      Nodes * triangle + Schedule::rounds * Schedule::pairs * Components * Components;
  static_assert(entries == Nodes * Components * (Nodes * Components + 1) / 2);

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int upper(int a, int b) {
    return b * (b + 1) / 2 + a;
  } ///< a <= b
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int diagonal(int ab, int node) { return ab * Nodes + node; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int pair(int round, int ab, int p) {
    return Nodes * triangle + (round * Components * Components + ab) * Schedule::pairs + p;
  }

  template <class Visit>
  KOKKOS_FORCEINLINE_FUNCTION static void for_each(const Visit& visit) {
    for (int i = 0; i < Nodes; ++i)
      for (int b = 0; b < Components; ++b)
        for (int a = 0; a <= b; ++a) visit(diagonal(upper(a, b), i), i, a, i, b);
    for (int s = 0; s < Schedule::rounds; ++s)
      for (int p = 0; p < Schedule::pairs; ++p)
        for (int a = 0; a < Components; ++a)
          for (int b = 0; b < Components; ++b)
            visit(pair(s, a * Components + b, p), Schedule::first(s, p), a, Schedule::second(s, p), b);
  }
};

/// Elements of a block where each lane takes an element.
template <class ExecutionSpace, class Scalar>
constexpr int symmetric_width() {
  return runs_on_host<ExecutionSpace> ? lanes_v<NativePack<Scalar>> : warp_lanes;
}

/// What the kernels read and write of one range of elements.
template <class Element, class ExecutionSpace, class Scalar, class Stored, int Components>
struct HalfBlocks {
  static constexpr int nodes = Element::nodes, components = Components, dofs = nodes * components;
  using Execution = ExecutionSpace;
  using Number = Scalar;
  using Layout = PairLayout<nodes, components>;

  MeshKernel<Element, ExecutionSpace> mesh;
  Kokkos::View<const Stored*, ExecutionSpace> values;
  ResultSink<Element, components, ExecutionSpace, Scalar> sink;
  Kokkos::View<const Scalar*, ExecutionSpace> x;
  Ordinal begin, end, first_block;

  KOKKOS_FORCEINLINE_FUNCTION const Stored* block_values(Ordinal block, int width) const {
    return values.data() + static_cast<Offset>(first_block + block) * (Layout::entries * width);
  }
};

/// Lanes = (node, element): a Kokkos thread takes warp_lanes / nodes elements.
/// \tparam Shuffles whether lanes pass values by shuffles (paper 5, section 3.2), or else through scratch
template <class Half, bool Shuffles>
struct LanePerNode {
  using Policy = Kokkos::TeamPolicy<typename Half::Execution>;
  using Member = typename Policy::member_type;
  using Number = typename Half::Number;
  using Layout = typename Half::Layout;
  using Schedule = typename Layout::Schedule;
  static constexpr int c = Half::components, width = warp_lanes / Half::nodes, lanes = width * Half::nodes;
  using Values = Kokkos::View<Number[c][warp_lanes], Kokkos::LayoutRight,
                              typename Half::Execution::scratch_memory_space, Kokkos::MemoryUnmanaged>;

  Half half;
  Ordinal blocks;

  static std::size_t scratch_bytes() { return Shuffles ? 0 : Values::shmem_size(); }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const Ordinal block = static_cast<Ordinal>(team.league_rank()) * team.team_size() + team.team_rank();
    if (block >= blocks) return;
    const Ordinal first = half.begin + block * width;
    const int active = half.end - first < width ? half.end - first : width;
    const auto* const matrix = half.block_values(block, width);
    if constexpr (Shuffles)
      by_shuffles(first, active, matrix);
    else
      through_scratch(team, first, active, matrix);
  }

private:
  template <class Stored>
  KOKKOS_FORCEINLINE_FUNCTION void through_scratch(const Member& team, Ordinal first, int active,
                                                   const Stored* matrix) const {
    const Values u(team.thread_scratch(0));
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, lanes), [&](int lane) {
      if (lane % width >= active) return;
      Number value[c];
      read(first, lane, value);
      for (int a = 0; a < c; ++a) u(a, lane) = value[a];
    });
    vector_fence();
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, lanes), [&](int lane) {
      if (lane % width >= active) return;
      Number v[c] = {};
      multiply(matrix, lane, [&](int a, int from) { return u(a, from); }, v);
      add(first, lane, v);
    });
  }

  /// All lanes of a warp come by, those without a node too.
  template <class Stored>
  KOKKOS_FORCEINLINE_FUNCTION void by_shuffles([[maybe_unused]] Ordinal first, [[maybe_unused]] int active,
                                               [[maybe_unused]] const Stored* matrix) const {
#ifdef __CUDA_ARCH__
    const bool stands = warp_lane() < lanes && warp_lane() % width < active;
    const int lane = stands ? warp_lane() : 0;
    Number value[c], v[c] = {};
    read(first, lane, value);
    multiply(matrix, lane, [&](int a, int from) { return shuffle(value[a], from); }, v);
    if (stands) add(first, lane, v);
#endif
  }

  KOKKOS_FORCEINLINE_FUNCTION void read(Ordinal first, int lane, Number (&value)[c]) const {
    half.sink.node_values.read(half.x, half.mesh.connectivity(first + lane % width, lane / width), value);
  }
  KOKKOS_FORCEINLINE_FUNCTION void add(Ordinal first, int lane, const Number (&v)[c]) const {
    const Ordinal element = first + lane % width;
    half.sink.add(element, lane / width, half.mesh.connectivity(element, lane / width), v);
  }

  /// Adds a lane's rows of the product to v. \param of `of(a, lane)` is component a of a lane's node
  template <class Stored, class Of>
  KOKKOS_FORCEINLINE_FUNCTION static void multiply(const Stored* matrix, int lane, const Of& of,
                                                   Number (&v)[c]) {
    const int element = lane % width, node = lane / width;
    for (int b = 0; b < c; ++b)
      for (int a = 0; a <= b; ++a) {
        const Number k(matrix[Layout::diagonal(Layout::upper(a, b), 0) * width + lane]);
        v[a] += k * of(b, lane);
        if (a != b) v[b] += k * of(a, lane);
      }
    TESSERA_UNROLL(unroll_up_to_8<Schedule::rounds>)
    for (int s = 0; s < Schedule::rounds; ++s) {
      const int p = Schedule::pair_of(s, node);
      const bool pauses = p < 0, transposed = !pauses && Schedule::second(s, p) == node;
      const int partner = pauses ? node : transposed ? Schedule::first(s, p) : Schedule::second(s, p);
      Number k[c * c], w[c];
      for (int b = 0; b < c; ++b) w[b] = of(b, partner * width + element);
      if (pauses) continue;
      for (int ab = 0; ab < c * c; ++ab)
        k[ab] = Number(matrix[Layout::pair(s, ab, 0) * width + p * width + element]);
      for (int a = 0; a < c; ++a)
        for (int b = 0; b < c; ++b) v[a] += (transposed ? k[b * c + a] : k[a * c + b]) * w[b];
    }
  }
};

template <bool Shuffles, class Half>
void run_lane_per_node(const typename Half::Execution& exec, const Half& half) {
  using Kernel = LanePerNode<Half, Shuffles>;
  using Policy = typename Kernel::Policy;
  const Ordinal blocks = (half.end - half.begin + Kernel::width - 1) / Kernel::width;
  if (blocks == 0) return;
  constexpr int threads_of_team = 8; // 256 lanes
  const int lanes = std::min(warp_lanes, Policy::vector_length_max());
  const Kernel kernel{half, blocks};
  const auto scratch = Kokkos::PerThread(Kernel::scratch_bytes());
  auto probe = by_value<Kernel>(Policy(exec, 1, 1, lanes));
  probe.set_scratch_size(0, scratch);
  const int threads = std::min(threads_of_team, probe.team_size_max(kernel, Kokkos::ParallelForTag()));
  auto policy = by_value<Kernel>(Policy(exec, (blocks + threads - 1) / threads, threads, lanes));
  Kokkos::parallel_for("Tessera::SymmetricElementByElement::apply", policy.set_scratch_size(0, scratch),
                       kernel);
}

/// A lane (on the host, of a pack) per element.
template <class Half>
struct LanePerElement {
  using Number = typename Half::Number;
  using Real = element_real_t<typename Half::Execution, Number>;
  using Layout = typename Half::Layout;
  using Schedule = typename Layout::Schedule;
  static constexpr int c = Half::components, width = symmetric_width<typename Half::Execution, Number>();

  Half half;

  KOKKOS_FUNCTION void operator()(Ordinal index) const {
    constexpr int lanes = lanes_v<Real>;
    const Ordinal first = half.begin + index * lanes;
    const int active = half.end - first < lanes ? half.end - first : lanes;
    Real v[Half::dofs];
    if (active > 0) multiply(index, first, active, v);
    half.sink.add_all(half.mesh, first, active, v);
  }

  KOKKOS_FORCEINLINE_FUNCTION void multiply(Ordinal index, Ordinal first, [[maybe_unused]] int active,
                                            Real (&v)[Half::dofs]) const {
    constexpr int lanes = lanes_v<Real>;
    const auto* const matrix = half.block_values(index * lanes / width, width) + index * lanes % width;
    Real u[Half::dofs];
    TESSERA_UNROLL(unroll_up_to_8<Half::nodes>)
    for (int n = 0; n < Half::nodes; ++n)
      for (int lane = 0; lane < lanes; ++lane) {
        Number value[c];
        half.sink.node_values.read(half.x, half.mesh.connectivity(first + (lane < active ? lane : 0), n),
                                   value);
        for (int a = 0; a < c; ++a) set_lane(u[n * c + a], lane, value[a]);
      }
    TESSERA_UNROLL(unroll_up_to_8<Half::nodes>)
    for (int n = 0; n < Half::nodes; ++n) {
      for (int a = 0; a < c; ++a) v[n * c + a] = Real(Number(0));
      for (int b = 0; b < c; ++b)
        for (int a = 0; a <= b; ++a) {
          const Real k = load_lanes<Real>(matrix + Layout::diagonal(Layout::upper(a, b), n) * width);
          v[n * c + a] += k * u[n * c + b];
          if (a != b) v[n * c + b] += k * u[n * c + a];
        }
    }
    TESSERA_UNROLL(unroll_up_to_8<Half::nodes>)
    for (int s = 0; s < Schedule::rounds; ++s) {
      TESSERA_UNROLL(unroll_up_to_8<Half::nodes>)
      for (int p = 0; p < Schedule::pairs; ++p) {
        const int i = Schedule::first(s, p), j = Schedule::second(s, p);
        for (int a = 0; a < c; ++a)
          for (int b = 0; b < c; ++b) {
            const Real k = load_lanes<Real>(matrix + Layout::pair(s, a * c + b, p) * width);
            v[i * c + a] += k * u[j * c + b];
            v[j * c + b] += k * u[i * c + a];
          }
      }
    }
  }
};

template <class Half>
void run_lane_per_element(const typename Half::Execution& exec, const Half& half) {
  constexpr int lanes = lanes_v<element_real_t<typename Half::Execution, typename Half::Number>>;
  Kokkos::parallel_for("Tessera::SymmetricElementByElement::apply",
                       by_value<LanePerElement<Half>>(Kokkos::RangePolicy<typename Half::Execution>(
                           exec, 0, half.sink.work_items((half.end - half.begin + lanes - 1) / lanes))),
                       LanePerElement<Half>{half});
}

} // namespace TESSERA_KERNELS::matrix_free::detail
