// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Kernels of RecomputingElementByElement.

#include <tessera/core/forms/element_action.hpp>
#include <tessera/strategies/common/element_real.hpp>
#include <tessera/strategies/common/parts/ordered_parts.hpp>
#include <tessera/strategies/element_loops/node_values.hpp>
#include <tessera/strategies/element_loops/result_sink.hpp>

namespace TESSERA_KERNELS::matrix_free::detail {

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
      TESSERA_UNROLL(unroll_nodes<nodes>)
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

  KOKKOS_FUNCTION void operator()(Ordinal chunk) const { add(begin + chunk * lanes_v<Real>, end); }

  /// Adds the results of the elements in the lanes of `Real`. \param stop elements from here on are left out
  KOKKOS_FORCEINLINE_FUNCTION void add(Ordinal first, Ordinal stop) const {
    const int active = stop - first < lanes_v<Real> ? stop - first : lanes_v<Real>;
    Real v[Product::dofs];
    if (active > 0) product(first, active, v);
    sink.add_all(product.mesh, first, active, v);
  }
};

/// The loop over a part's elements, after the entries that it is the first to have are cleared.
/// Its sink adds plainly.
template <class Loop, class Clear>
struct RecomputingPart {
  Loop loop;
  OrderedParts<typename Clear::Execution> parts;
  Clear clear; ///< of an entry

  void operator()(Ordinal place) const {
    const auto& equations = clear.equations;
    parts.for_first_nodes(place, [&](Ordinal first, Ordinal last) {
      const Ordinal begin = equations.first_equation(first),
                    end = equations.first_equation(last) + equations.equations_of(last);
      for (Ordinal row = begin; row < end; ++row) clear(row);
    });
    const Ordinal end = parts.end(place);
    for (Ordinal e = parts.begin(place); e < end; e += lanes_v<typename Loop::Real>) loop.add(e, end);
  }
};

} // namespace TESSERA_KERNELS::matrix_free::detail
