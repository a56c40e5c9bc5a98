// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Coordinates, nodes and value offsets copied element by element in the order in which a strategy works.

#include <tessera/core/allocate.hpp>
#include <tessera/core/system/element_to_values.hpp>
#include <tessera/strategies/assembly/detail/lanes/element_sharing.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>

namespace TESSERA_KERNELS::assembly::detail {

/// The input of an assembly, element-wise in the plan's order, so that the lanes of an element read
/// consecutive memory (paper 2, section 4.1). Device memory.
///
/// An offset is 16 bits relative to the node's row, where paper 2 stores the index into the values: 128 bytes
/// for 8 nodes instead of 256 (or 512 with 64-bit indices), for 8 bytes of row start a node that the cache
/// serves to the elements around it.
template <class Element, class ExecutionSpace>
struct ElementInput {
  static constexpr int nodes_per_element = Element::nodes;
  using Tiles = BlockTiles<Element::nodes, has_lanes_v<ExecutionSpace>>;
  using Position = tessera::detail::RowPosition;

  Kokkos::View<double * [Element::nodes * Element::dimension], Kokkos::LayoutRight, ExecutionSpace>
      coordinates;
  Kokkos::View<Ordinal * [Element::nodes], Kokkos::LayoutRight, ExecutionSpace> nodes;
  /// Of block (i, j): at `Tiles::slot`, or at i * nodes + j if rows are scattered.
  Kokkos::View<Position * [Tiles::slots], Kokkos::LayoutRight, ExecutionSpace> positions;
  Kokkos::View<const Ordinal*, ExecutionSpace> numbers;   ///< the mesh's number of each element
  Kokkos::View<const Ordinal*, ExecutionSpace> materials; ///< by the mesh's numbers; empty: all 0

  std::size_t bytes() const {
    return bytes_of(coordinates) + bytes_of(nodes) + bytes_of(positions) + bytes_of(numbers);
  }
  KOKKOS_FORCEINLINE_FUNCTION Ordinal material(Ordinal number) const {
    return materials.extent(0) == 0 ? 0 : materials(number);
  }
};

/// In which order an element's offsets are kept.
enum class PositionOrder { rows, wide_tiles, tall_tiles };

template <class Element, class ExecutionSpace>
struct CopyCoordinates {
  MeshKernel<Element, ExecutionSpace> mesh;
  ElementInput<Element, ExecutionSpace> input;

  KOKKOS_FUNCTION void operator()(Ordinal e) const {
    for (int i = 0; i < Element::nodes; ++i)
      for (int d = 0; d < Element::dimension; ++d)
        input.coordinates(e, i * Element::dimension + d) = mesh.coordinates(input.nodes(e, i), d);
  }
};

template <class Element, class ExecutionSpace>
struct ElementInputBuilder {
  using Input = ElementInput<Element, ExecutionSpace>;
  static constexpr int n = Element::nodes;

  MeshKernel<Element, ExecutionSpace> mesh;
  ElementToValues<Element, ExecutionSpace> map;
  PositionOrder order;
  Input input;

  KOKKOS_FUNCTION int slot(int i, int j) const {
    if (order == PositionOrder::rows) return i * n + j;
    return Input::Tiles::slot(order == PositionOrder::wide_tiles, i, j);
  }

  KOKKOS_FUNCTION void operator()(Ordinal e) const {
    const Ordinal number = input.numbers(e);
    for (int i = 0; i < n; ++i) {
      input.nodes(e, i) = mesh.connectivity(number, i);
      for (int j = 0; j < n; ++j)
        input.positions(e, slot(i, j)) = static_cast<typename Input::Position>(map.position(number, i, j));
    }
  }
};

/// Copies the coordinates of the elements' nodes to an input whose nodes are known.
template <class Element, class ExecutionSpace>
void copy_coordinates(const ExecutionSpace& exec, const Mesh<Element, ExecutionSpace>& mesh,
                      const ElementInput<Element, ExecutionSpace>& input) {
  Kokkos::parallel_for(
      "Tessera::ElementInput::copy_coordinates",
      Kokkos::RangePolicy<ExecutionSpace>(exec, 0, static_cast<Ordinal>(input.nodes.extent(0))),
      CopyCoordinates<Element, ExecutionSpace>{mesh.kernel(), input});
}

/// Copies the input on the device, in parallel, of a graph that `check_rows` has passed.
///
/// \param numbers the elements in the wanted order
/// \throws OutOfMemoryError
template <class Element, class ExecutionSpace>
ElementInput<Element, ExecutionSpace>
element_input(const ExecutionSpace& exec, const FunctionSpace<Element, ExecutionSpace>& space,
              const SparsityGraph<ExecutionSpace>& graph,
              const Kokkos::View<Ordinal*, ExecutionSpace>& numbers, PositionOrder order) {
  using Input = ElementInput<Element, ExecutionSpace>;
  const Ordinal elements = space.mesh().num_elements();
  Input input;
  input.coordinates =
      allocate<decltype(input.coordinates)>(exec, "Tessera::ElementInput::coordinates", elements);
  input.nodes = allocate<decltype(input.nodes)>(exec, "Tessera::ElementInput::nodes", elements);
  input.positions = allocate<decltype(input.positions)>(exec, "Tessera::ElementInput::positions", elements);
  input.numbers = numbers;
  input.materials = space.mesh().materials();
  const ElementInputBuilder<Element, ExecutionSpace> builder{
      space.mesh().kernel(), element_to_values(exec, space, graph), order, input};
  Kokkos::parallel_for("Tessera::ElementInput::copy", Kokkos::RangePolicy<ExecutionSpace>(exec, 0, elements),
                       builder);
  copy_coordinates(exec, space.mesh(), input);
  exec.fence("Tessera::ElementInput::copy");
  return input;
}

} // namespace TESSERA_KERNELS::assembly::detail
