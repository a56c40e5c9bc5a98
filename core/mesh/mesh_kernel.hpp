// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// What kernels see of a mesh.

#include <tessera/core/elements/affine_cell.hpp>
#include <tessera/core/elements/cell.hpp>
#include <tessera/core/elements/element.hpp>
#include <tessera/core/types.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace tessera {

/// What kernels need of a mesh: plain views and the way from an element number to a `Cell`.
template <class Element, class ExecutionSpace>
struct MeshKernel {
  using Coordinates = Kokkos::View<const double * [Element::dimension], Kokkos::LayoutRight, ExecutionSpace>;
  using Connectivity = Kokkos::View<const Ordinal * [Element::nodes], ExecutionSpace>;

  Coordinates coordinates;
  Connectivity connectivity;
  Kokkos::View<const Ordinal*, ExecutionSpace> materials; ///< empty: every element has material 0
  /// The mesh's numbers of elements that a strategy keeps in an order of its own; empty: the mesh's order.
  Kokkos::View<const Ordinal*, ExecutionSpace> numbers;

  KOKKOS_FORCEINLINE_FUNCTION Ordinal material(Ordinal element) const {
    return materials.extent(0) == 0 ? 0 : materials(element);
  }

  KOKKOS_FORCEINLINE_FUNCTION Ordinal number(Ordinal element) const {
    return numbers.extent(0) == 0 ? element : numbers(element);
  }

  /// The coordinates of a node, side by side: found by one multiplication of numbers of 32 bits, where the
  /// view's own parentheses take three.
  KOKKOS_FORCEINLINE_FUNCTION const double* position(Ordinal node) const {
    return coordinates.data() + static_cast<std::size_t>(static_cast<unsigned>(node)) *
                                    static_cast<unsigned>(coordinates.stride(0));
  }

  /// The cell of one element; for packs, of elements first, first + 1, ... (the last element repeats where
  /// the mesh ends within the pack).
  template <class Real>
  KOKKOS_FORCEINLINE_FUNCTION Cell<Element, Real> cell(Ordinal first) const {
    Cell<Element, Real> cell;
    if constexpr (lanes_v<Real> == 1) {
      cell.element[0] = number(first);
      cell.material[0] = material(first);
      Ordinal node[Element::nodes];
      for (int n = 0; n < Element::nodes; ++n) node[n] = connectivity(first, n);
      set_coordinates(cell, node);
    } else {
      static constexpr auto others = detail::nodes_beside_the_first<Element>();
      gather(cell, first, others.nodes);
    }
    return cell;
  }

  /// The cells of affine elements, for hosts: of their nodes only node 0 and the ends of the axes there, as
  /// `AffineGeometry` looks at no others.
  template <class Real>
  KOKKOS_FORCEINLINE_FUNCTION Cell<Element, Real> affine_cell(Ordinal first) const {
    static constexpr auto ends = detail::axis_ends<Element>;
    Cell<Element, Real> cell;
    gather(cell, first, ends.nodes);
    return cell;
  }

  /// Fills the coordinates of a scalar cell from its node numbers.
  template <class Real>
  KOKKOS_FORCEINLINE_FUNCTION void set_coordinates(Cell<Element, Real>& cell,
                                                   const Ordinal (&node)[Element::nodes]) const {
    double origin[Element::dimension];
    for (int d = 0; d < Element::dimension; ++d) {
      origin[d] = coordinates(node[0], d);
      cell.origin[d] = Real(origin[d]);
      cell.coordinates[0][d] = Real(0);
    }
    for (int n = 1; n < Element::nodes; ++n)
      for (int d = 0; d < Element::dimension; ++d)
        cell.coordinates[n][d] = Real(coordinates(node[n], d) - origin[d]);
  }

private:
  /// Fills a pack of cells lane by lane. \param nodes those beside node 0 to fill in
  template <class Real, int count>
  KOKKOS_FORCEINLINE_FUNCTION void gather(Cell<Element, Real>& cell, Ordinal first,
                                          const int (&nodes)[count]) const {
    using Value = value_type_t<Real>;
    const Ordinal last = static_cast<Ordinal>(connectivity.extent(0)) - 1;
    for (int d = 0; d < Element::dimension; ++d) cell.coordinates[0][d] = Real(Value(0));
    for (int lane = 0; lane < lanes_v<Real>; ++lane) {
      const Ordinal e = Kokkos::min(first + lane, last);
      cell.element[lane] = number(e);
      cell.material[lane] = material(e);
      const Ordinal* const node = &connectivity(e, 0);
      const double* const origin = position(node[0]);
      for (int d = 0; d < Element::dimension; ++d) cell.origin[d].set(lane, Value(origin[d]));
      for (const int n : nodes) {
        const double* const x = position(node[n]);
        for (int d = 0; d < Element::dimension; ++d)
          cell.coordinates[n][d].set(lane, Value(x[d] - origin[d]));
      }
    }
  }
};

} // namespace tessera
