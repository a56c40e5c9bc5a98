#pragma once

// Kernels of RecomputingElementByElement.

#include <tessera/core/element_action.hpp>
#include <tessera/strategies/common/element_loop.hpp>
#include <tessera/strategies/common/element_patches.hpp>
#include <tessera/strategies/common/node_values.hpp>

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
      TESSERA_UNROLL(unroll_up_to_8<nodes>)
      for (int n = 0; n < nodes; ++n) {
        Scalar value[c];
        node_values.read(x, node[n], value);
        for (int a = 0; a < c; ++a) u[n * c + a] = value[a];
      }
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

/// A team per patch. Coordinates and values of its nodes are read once, into scratch memory; its elements'
/// results meet there too, and each node's are summed in a fixed order.
template <class Product, class Element>
struct PatchLoop {
  using Real = typename Product::Real;
  using Scalar = typename Product::Scalar;
  using ExecutionSpace = typename Product::Execution;
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
  using Member = typename Policy::member_type;
  template <class T>
  using Scratch = Kokkos::View<T*, typename ExecutionSpace::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  static constexpr int c = Product::c, d = Element::dimension, lanes = lanes_v<Real>;

  Product product;
  ElementPatches<Element, ExecutionSpace> patches;
  Kokkos::View<Scalar*, ExecutionSpace> sums; ///< of shared nodes: sum * components + component
  Kokkos::View<Scalar*, ExecutionSpace> y;

  /// Bytes of scratch memory of a team.
  static std::size_t scratch_bytes(const ElementPatches<Element, ExecutionSpace>& patches) {
    return Scratch<double>::shmem_size(d * patches.most_nodes) +
           Scratch<Scalar>::shmem_size(c * patches.most_nodes) +
           Scratch<Scalar>::shmem_size(Product::dofs * patches.size);
  }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const Ordinal patch = team.league_rank();
    const int size = patches.size, most = patches.most_nodes;
    const Ordinal first = patch * size;
    const Ordinal left = static_cast<Ordinal>(patches.local_nodes.extent(0)) - first;
    const int elements = left < size ? left : size;
    const Ordinal begin = patches.node_offsets(patch), end = patches.node_offsets(patch + 1);
    const Scratch<double> coordinates(team.team_scratch(0), d * most);
    const Scratch<Scalar> values(team.team_scratch(0), c * most);
    const Scratch<Scalar> results(team.team_scratch(0), Product::dofs * size);

    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, end - begin), [&](int k) {
      const Ordinal node = patches.nodes(begin + k);
      for (int a = 0; a < d; ++a) coordinates(a * most + k) = product.mesh.coordinates(node, a);
      Scalar value[c];
      product.node_values.read(product.x, node, value);
      for (int a = 0; a < c; ++a) values(a * most + k) = value[a];
    });
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, (elements + lanes - 1) / lanes), [&](int chunk) {
      const int e = chunk * lanes;
      const int active = elements - e < lanes ? elements - e : lanes;
      Cell<Element, Real> cell;
      Real u[Product::dofs], v[Product::dofs];
      for (int lane = 0; lane < lanes; ++lane) {
        const Ordinal at = first + e + (lane < active ? lane : 0);
        cell.element[lane] = product.mesh.number(at);
        cell.material[lane] = product.mesh.material(at);
        const int corner = patches.local_nodes(at, 0);
        double origin[d];
        for (int a = 0; a < d; ++a) {
          origin[a] = coordinates(a * most + corner);
          set_lane(cell.origin[a], lane, origin[a]);
        }
        TESSERA_UNROLL(unroll_up_to_8<Product::nodes>)
        for (int n = 0; n < Product::nodes; ++n) {
          const int k = patches.local_nodes(at, n);
          for (int a = 0; a < d; ++a)
            set_lane(cell.coordinates[n][a], lane, coordinates(a * most + k) - origin[a]);
          for (int a = 0; a < c; ++a) set_lane(u[n * c + a], lane, values(a * most + k));
        }
      }
      Product::multiply(product.kernel, cell, u, v);
      TESSERA_UNROLL(Product::dofs <= 24 ? Product::dofs : 1)
      for (int i = 0; i < Product::dofs; ++i)
        for (int lane = 0; lane < active; ++lane)
          results((i % c * Product::nodes + i / c) * size + e + lane) = lane_of(v[i], lane);
    });
    team.team_barrier();
    const Offset slots = static_cast<Offset>(first) * Product::nodes;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, begin, end), [&](Ordinal k) {
      Scalar sum[c] = {};
      const int stop = patches.slot_offsets(k + 1 + patch);
      for (int s = patches.slot_offsets(k + patch); s < stop; ++s) {
        const int slot = patches.slots(slots + s);
        for (int a = 0; a < c; ++a) sum[a] += results(a * Product::nodes * size + slot);
      }
      const Ordinal target = patches.targets(k);
      if (target < 0)
        finish_node(product.node_values, product.x, y, patches.nodes(k), sum);
      else
        for (int a = 0; a < c; ++a) sums(static_cast<Offset>(target) * c + a) = sum[a];
    });
  }

  template <class Value>
  KOKKOS_FORCEINLINE_FUNCTION static void set_lane(Real& real, [[maybe_unused]] int lane, Value value) {
    if constexpr (lanes == 1)
      real = Real(value);
    else
      real.set(lane, value_type_t<Real>(value));
  }
};

/// Sums what patches left for the nodes between them.
template <int Components, class Element, class ExecutionSpace, class Scalar>
struct SharedNodes {
  ElementPatches<Element, ExecutionSpace> patches;
  NodeValues<Components, ExecutionSpace> node_values;
  Kokkos::View<const Scalar*, ExecutionSpace> sums;
  Kokkos::View<const Scalar*, ExecutionSpace> x;
  Kokkos::View<Scalar*, ExecutionSpace> y;

  KOKKOS_FUNCTION void operator()(Ordinal s) const {
    Scalar sum[Components] = {};
    for (Ordinal k = patches.shared_offsets(s); k < patches.shared_offsets(s + 1); ++k)
      for (int a = 0; a < Components; ++a) sum[a] += sums(static_cast<Offset>(k) * Components + a);
    finish_node(node_values, x, y, patches.shared_nodes(s), sum);
  }
};

/// Elements of a patch: at most 20 KiB of results in double, which with the nodes' values fits the scratch
/// memory of hosts, and on devices lets several patches share a multiprocessor.
inline int patch_size(int element_dofs) {
  constexpr int most = 256, step = 32, bytes = 20 * 1024;
  return std::clamp(bytes / (element_dofs * 8) / step * step, step, most);
}

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
