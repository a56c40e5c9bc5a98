// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The elements around each node with the positions of their entries in its rows: assembly by rows.

#include <tessera/core/allocate.hpp>
#include <tessera/core/graphs/incidence.hpp>
#include <tessera/core/system/element_to_values.hpp>
#include <tessera/strategies/assembly/common/system_kernel.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace TESSERA_KERNELS::assembly::detail {

/// For each node its elements, by a number that the strategy chooses, the node's local number there, and
/// where in the node's rows the columns of the element's nodes are.
template <class ExecutionSpace>
struct RowLists {
  Kokkos::View<Offset*, ExecutionSpace> offsets;   ///< node (+1)
  Kokkos::View<Ordinal*, ExecutionSpace> elements; ///< number of the element
  Kokkos::View<std::uint8_t*, ExecutionSpace> local_nodes;
  Kokkos::View<std::uint16_t**, ExecutionSpace> positions; ///< by the element's nodes, see `ElementToValues`

  std::size_t bytes() const {
    return bytes_of(offsets) + bytes_of(elements) + bytes_of(local_nodes) + bytes_of(positions);
  }
};

template <class Element, class ExecutionSpace, class Number>
struct FillRowLists {
  NodeToElement<ExecutionSpace> incidence;
  ElementToValues<Element, ExecutionSpace> map;
  Number number;
  RowLists<ExecutionSpace> lists;

  KOKKOS_FUNCTION void operator()(Ordinal node) const {
    for (Offset p = incidence.offsets(node); p < incidence.offsets(node + 1); ++p) {
      const Ordinal e = incidence.elements(p), i = incidence.local_nodes(p);
      for (int j = 0; j < Element::nodes; ++j) lists.positions(p, j) = map.position(e, i, j);
      lists.elements(p) = number(node, e);
    }
  }
};

/// Builds the lists; the incidence's arrays of offsets and local nodes are shared, not copied.
/// \param number `number(node, e)`: the number of mesh element e in the list of a node
template <class Element, class ExecutionSpace, class Number>
RowLists<ExecutionSpace> row_lists(const ExecutionSpace& exec,
                                   const FunctionSpace<Element, ExecutionSpace>& space,
                                   const SparsityGraph<ExecutionSpace>& graph,
                                   const NodeToElement<ExecutionSpace>& incidence, const Number& number) {
  RowLists<ExecutionSpace> lists{incidence.offsets, {}, incidence.local_nodes, {}};
  const Offset entries = incidence.elements.extent(0);
  lists.elements = allocate<decltype(lists.elements)>(exec, "Tessera::RowLists::elements", entries);
  lists.positions =
      allocate<decltype(lists.positions)>(exec, "Tessera::RowLists::positions", entries, Element::nodes);
  Kokkos::parallel_for("Tessera::RowLists::fill",
                       Kokkos::RangePolicy<ExecutionSpace>(exec, 0, space.mesh().num_nodes()),
                       FillRowLists<Element, ExecutionSpace, Number>{
                           incidence, element_to_values(exec, space, graph), number, lists});
  exec.fence("Tessera::RowLists::fill");
  return lists;
}

/// The element itself as its number.
struct MeshElementNumber {
  KOKKOS_FUNCTION Ordinal operator()(Ordinal, Ordinal e) const { return e; }
};

/// Writes the rows of nodes that one thread owns.
template <class Element, class ExecutionSpace, class Scalar>
struct RowWriter {
  MeshKernel<Element, ExecutionSpace> mesh;
  RowLists<ExecutionSpace> lists;
  SystemKernel<ExecutionSpace, Scalar> system;

  KOKKOS_FORCEINLINE_FUNCTION bool has_row(Ordinal node, int a) const {
    return !system.equations.is_constrained(node, a);
  }

  /// Zeros in a row that exists, unless the system is added to.
  KOKKOS_FORCEINLINE_FUNCTION void clear(Ordinal node, int a) const {
    if (system.add) return;
    const Ordinal row = system.equations.equation(node, a);
    for (Offset k = system.row_map(row); k < system.row_map(row + 1); ++k) system.values(k) = 0;
    system.rhs(row) = 0;
  }

  /// Adds an element's row to a row that exists.
  /// \param p place in the node's list
  /// \param e the mesh's number of the element
  /// \param entry `entry(j, b)` of node j, component b
  /// \param load without the prescribed values' contribution
  template <class Entry>
  KOKKOS_FORCEINLINE_FUNCTION void add(Ordinal node, int a, Offset p, Ordinal e, const Entry& entry,
                                       Scalar load) const {
    const auto& equations = system.equations;
    const int components = equations.components;
    const Ordinal row = equations.equation(node, a);
    Scalar* const values = system.values.data() + system.row_map(row);
    for (int j = 0; j < Element::nodes; ++j) {
      const int position = lists.positions(p, j);
      if (!equations.constrained) {
        for (int b = 0; b < components; ++b) values[position + b] += entry(j, b);
        continue;
      }
      const Ordinal neighbor = mesh.connectivity(e, j);
      for (int b = 0; b < components; ++b)
        if (!equations.is_constrained(neighbor, b))
          values[position + equations.rank(neighbor, b)] += entry(j, b);
    }
    system.rhs(row) += load;
  }
};

} // namespace TESSERA_KERNELS::assembly::detail
