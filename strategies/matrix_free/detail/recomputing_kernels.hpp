#pragma once

// Kernels of RecomputingElementByElement.

#include <tessera/core/element_action.hpp>
#include <tessera/strategies/common/element_loop.hpp>
#include <tessera/strategies/common/element_patches.hpp>
#include <tessera/strategies/common/node_values.hpp>
#include <tessera/strategies/common/team.hpp>

#include <algorithm>

namespace tessera::matrix_free::detail {

/// K_e x_e of an element, or of a pack of neighbours.
template <bool Affine, class Element, class ExecutionSpace, class KernelType, class ScalarType>
struct ElementProduct {
  using Kernel = KernelType;
  using Scalar = ScalarType;
  using Execution = ExecutionSpace;
  static constexpr int nodes = Element::nodes, c = Kernel::components, dofs = nodes * c;
  using Real = element_real_t<ExecutionSpace, Scalar>;

  Kernel kernel;
  MeshKernel<Element, ExecutionSpace> mesh;
  NodeValues<c, ExecutionSpace> node_values;
  Kokkos::View<const Scalar*, ExecutionSpace, Kokkos::MemoryTraits<Kokkos::RandomAccess>> x;

  KOKKOS_FORCEINLINE_FUNCTION static void multiply(const Kernel& kernel, const Cell<Element, Real>& cell,
                                                   const Real (&u)[dofs], Real (&v)[dofs]) {
    act<Affine>(kernel, cell, u, v);
  }

  /// \param active elements from `first` on that there are, at most the lanes of `Real`
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Ordinal first, [[maybe_unused]] int active,
                                              Real (&v)[dofs]) const {
    Real u[dofs];
    if constexpr (lanes_v<Real> == 1) {
      Ordinal node[nodes];
      TESSERA_UNROLL(unroll_up_to_8<nodes>)
      for (int n = 0; n < nodes; ++n) node[n] = mesh.connectivity(first, n);
      Cell<Element, Real> cell;
      cell.element[0] = mesh.number(first);
      cell.material[0] = mesh.material(first);
      mesh.set_coordinates(cell, node);
      Ordinal target[nodes];
      node_values.targets(node, target);
      node_values.read_all(x, target, u);
      act<Affine>(kernel, cell, u, v);
    } else {
      const Cell<Element, Real> cell = mesh.template cell<Real>(first);
      for (int lane = 0; lane < lanes_v<Real>; ++lane)
        for (int n = 0; n < nodes; ++n) {
          Scalar value[c];
          node_values.read(x, mesh.connectivity(first + (lane < active ? lane : 0), n), value);
          for (int a = 0; a < c; ++a) u[n * c + a].set(lane, value[a]);
        }
      act<Affine>(kernel, cell, u, v);
    }
  }
};

/// A thread per element; results go to a sink.
template <class Product, class Element>
struct RecomputingLoop {
  using Real = typename Product::Real;
  Product product;
  ResultSink<Element, Product::c, typename Product::Execution, typename Product::Scalar> sink;
  Ordinal begin, end;

  KOKKOS_FUNCTION void operator()(Ordinal chunk) const {
    const Ordinal first = begin + chunk * lanes_v<Real>;
    const int active = end - first < lanes_v<Real> ? end - first : lanes_v<Real>;
    Real v[Product::dofs];
    if (active > 0) product(first, active, v);
    sink.add_all(product.mesh, first, active, v);
  }
};

/// Bytes of scratch memory that a patch of `size` elements and `most` nodes takes, in double.
template <class Element>
constexpr std::size_t patch_scratch(int size, Ordinal most, int components) {
  constexpr std::size_t alignment = 3 * 16;
  return (most * (Element::dimension + components) + size * Element::nodes * components) * sizeof(double) +
         alignment;
}

/// A warp (on the host, a thread) per patch. Coordinates and values of its nodes are read once, into scratch
/// memory; its elements' results meet there too, and each node's are summed in a fixed order.
template <class Product, class Element>
struct PatchLoop {
  using Real = typename Product::Real;
  using Scalar = typename Product::Scalar;
  using ExecutionSpace = typename Product::Execution;
  using Patches = ElementPatches<Element, ExecutionSpace>;
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
  using Member = typename Policy::member_type;
  template <class T>
  using Scratch = Kokkos::View<T*, typename ExecutionSpace::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  static constexpr int c = Product::c, d = Element::dimension, lanes = lanes_v<Real>;

  Product product;
  Patches patches;
  Kokkos::View<const Ordinal*, ExecutionSpace> targets; ///< see `PatchTargets`
  Kokkos::View<Scalar*, ExecutionSpace> sums;           ///< entry of `patches.nodes` * components + component

  /// Four patches a team, or as many as have scratch memory.
  Policy policy(const ExecutionSpace& exec) const {
    const std::size_t scratch = patch_scratch<Element>(patches.size, patches.most_nodes, c);
    const auto fit = static_cast<int>(scratch_limit<ExecutionSpace>() / scratch);
    const int threads = runs_on_host<ExecutionSpace> ? 1 : std::clamp(fit, 1, 4);
    Policy policy(exec, (patches.patches + threads - 1) / threads, threads,
                  runs_on_host<ExecutionSpace> ? 1 : 32);
    policy.set_scratch_size(0, Kokkos::PerThread(scratch));
    return policy;
  }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const Ordinal patch = team.league_rank() * team.team_size() + team.team_rank();
    if (patch >= patches.patches) return;
    const Scratch<double> coordinates(team.thread_scratch(0), d * patches.most_nodes);
    const Scratch<Scalar> values(team.thread_scratch(0), c * patches.most_nodes);
    const Scratch<Scalar> results(team.thread_scratch(0), Product::dofs * patches.size);
    const Ordinal begin = patches.offsets(patch);
    const int nodes = patches.offsets(patch + 1) - begin;
    const Ordinal first = patch * patches.size;
    const Ordinal left = static_cast<Ordinal>(patches.places.extent(0)) - first;
    const int elements = left < patches.size ? left : patches.size;
    for_lanes(team, nodes, [&](int k) { read_node(begin + k, k, coordinates, values); });
    for_lanes(team, (elements + lanes - 1) / lanes, [&](int chunk) {
      const int after = elements - chunk * lanes;
      multiply(first + chunk * lanes, after < lanes ? after : lanes, coordinates, values, results);
    });
    for_lanes(team, nodes, [&](int k) {
      const int stop =
          k + 1 < nodes ? static_cast<int>(patches.first_slots(begin + k + 1)) : elements * Product::nodes;
      add_up(begin + k, stop, results);
    });
  }

private:
  /// body(k) for k = 0 ... count - 1 by the lanes of the thread's vector, and their barrier. (Kokkos'
  /// vector range computes the barrier's mask with integer divisions each time.)
  template <class Body>
  KOKKOS_FORCEINLINE_FUNCTION static void for_lanes([[maybe_unused]] const Member& team, int count,
                                                    const Body& body) {
#ifdef __CUDA_ARCH__
    TESSERA_UNROLL(1)
    for (int k = threadIdx.x; k < count; k += 32) body(k);
    __syncwarp();
#else
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, count), body);
#endif
  }

  KOKKOS_FORCEINLINE_FUNCTION void read_node(Ordinal entry, int k, const Scratch<double>& coordinates,
                                             const Scratch<Scalar>& values) const {
    const int most = patches.most_nodes;
    const Ordinal node = patches.nodes(entry);
    const Ordinal target = targets.extent(0) == 0 ? node * c : targets(entry);
    for (int a = 0; a < d; ++a) coordinates(a * most + k) = product.mesh.coordinates(node, a);
    Scalar value[c];
    product.node_values.read_at(product.x, target, value);
    for (int a = 0; a < c; ++a) values(a * most + k) = value[a];
  }

  /// \param active elements from `at` on that there are, at most the lanes of `Real`
  KOKKOS_FORCEINLINE_FUNCTION void multiply(Ordinal at, int active, const Scratch<double>& coordinates,
                                            const Scratch<Scalar>& values,
                                            const Scratch<Scalar>& results) const {
    const int most = patches.most_nodes, slots = patches.size * Product::nodes;
    Cell<Element, Real> cell;
    Real u[Product::dofs], v[Product::dofs];
    typename Patches::Places places[lanes];
    for (int lane = 0; lane < lanes; ++lane) {
      const Ordinal e = at + (lane < active ? lane : 0);
      places[lane] = patches.places(e);
      cell.element[lane] = product.mesh.number(e);
      cell.material[lane] = product.mesh.material(e);
      double origin[d];
      for (int a = 0; a < d; ++a) {
        origin[a] = coordinates(a * most + places[lane].node[0]);
        set_lane(cell.origin[a], lane, origin[a]);
      }
      TESSERA_UNROLL(unroll_up_to_8<Product::nodes>)
      for (int n = 0; n < Product::nodes; ++n) {
        const int k = places[lane].node[n];
        for (int a = 0; a < d; ++a)
          set_lane(cell.coordinates[n][a], lane, coordinates(a * most + k) - origin[a]);
        for (int a = 0; a < c; ++a) set_lane(u[n * c + a], lane, values(a * most + k));
      }
    }
    Product::multiply(product.kernel, cell, u, v);
    for (int lane = 0; lane < active; ++lane) {
      TESSERA_UNROLL(unroll_up_to_8<Product::nodes>)
      for (int n = 0; n < Product::nodes; ++n)
        for (int a = 0; a < c; ++a) results(a * slots + places[lane].slot[n]) = lane_of(v[n * c + a], lane);
    }
  }

  /// \param stop end of the node's slots
  KOKKOS_FORCEINLINE_FUNCTION void add_up(Ordinal entry, int stop, const Scratch<Scalar>& results) const {
    const int slots = patches.size * Product::nodes;
    Scalar sum[c] = {};
    for (int slot = patches.first_slots(entry); slot < stop; ++slot)
      for (int a = 0; a < c; ++a) sum[a] += results(a * slots + slot);
    for (int a = 0; a < c; ++a) sums(static_cast<Offset>(entry) * c + a) = sum[a];
  }

  template <class Value>
  KOKKOS_FORCEINLINE_FUNCTION static void set_lane(Real& real, [[maybe_unused]] int lane, Value value) {
    if constexpr (lanes == 1)
      real = Real(value);
    else
      real.set(lane, value_type_t<Real>(value));
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

/// Sums what the patches left for each node.
template <int Components, class Element, class ExecutionSpace, class Scalar>
struct SumPatches {
  ElementPatches<Element, ExecutionSpace> patches;
  NodeValues<Components, ExecutionSpace> node_values;
  Kokkos::View<const Scalar*, ExecutionSpace> sums;
  Kokkos::View<const Scalar*, ExecutionSpace> x;
  Kokkos::View<Scalar*, ExecutionSpace> y;

  KOKKOS_FUNCTION void operator()(Ordinal node) const {
    Scalar sum[Components] = {};
    for (Ordinal k = patches.sum_offsets(node); k < patches.sum_offsets(node + 1); ++k)
      for (int a = 0; a < Components; ++a)
        sum[a] += sums(static_cast<Offset>(patches.sums(k)) * Components + a);
    finish_node(node_values, x, y, node, sum);
  }
};

/// Counts elements bent by more than the rounding of their coordinates.
template <class Element, class ExecutionSpace>
struct CountBentElements {
  MeshKernel<Element, ExecutionSpace> mesh;

  KOKKOS_FUNCTION void operator()(Ordinal e, Ordinal& bent) const {
    constexpr int d = Element::dimension;
    double largest = 0;
    double x[Element::nodes][d];
    for (int n = 0; n < Element::nodes; ++n)
      for (int a = 0; a < d; ++a) {
        x[n ^ ((n >> 1) & 1)][a] = mesh.coordinates(mesh.connectivity(e, n), a);
        largest = Kokkos::max(largest, Kokkos::abs(x[n ^ ((n >> 1) & 1)][a]));
      }
    double bend = 0; // distance of each corner from where the edges at corner 0 put it
    for (int n = 3; n < Element::nodes; ++n)
      for (int a = 0; a < d; ++a) {
        double corner = x[0][a];
        for (int k = 0; k < d; ++k)
          if (n >> k & 1) corner += x[1 << k][a] - x[0][a];
        bend = Kokkos::max(bend, Kokkos::abs(x[n][a] - corner));
      }
    if (!(bend <= 8 * Kokkos::Experimental::epsilon_v<double> * largest)) ++bent;
  }
};

} // namespace tessera::matrix_free::detail
