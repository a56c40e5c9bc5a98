#pragma once

/// \file
/// Coordinates, nodes and value offsets copied element by element in the order in which a strategy works.

#include <tessera/core/allocate.hpp>
#include <tessera/core/graphs/incidence.hpp>
#include <tessera/core/system/element_to_values.hpp>
#include <tessera/strategies/assembly/detail/lanes/element_sharing.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>

namespace tessera::detail {

/// The input of an assembly, element-wise in the plan's order, so that the lanes of an element read
/// consecutive memory (paper 2, section 4.1). Device memory.
///
/// An offset is 16 bits relative to the node's row, where paper 2 stores the index into the values: 128 bytes
/// for 8 nodes instead of 256 (or 512 with 64-bit indices), for 8 bytes of row start a node that the cache
/// serves to the elements around it. Its top bit marks the first element, in the order of the colours, that
/// touches the block: it stores where the others add, so that the values need no zeroing.
template <class Element, class ExecutionSpace>
struct ElementInput {
  static constexpr int nodes_per_element = Element::nodes;
  using Tiles = BlockTiles<Element::nodes, has_lanes_v<ExecutionSpace>>;
  using Position = std::uint16_t;
  static constexpr Position first_flag = 0x8000;

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
  /// Only where the first element of each block is to be marked.
  NodeToElement<ExecutionSpace> incidence;
  Kokkos::View<const Ordinal*, ExecutionSpace> color_of_element;

  KOKKOS_FUNCTION int slot(int i, int j) const {
    if (order == PositionOrder::rows) return i * n + j;
    return Input::Tiles::slot(order == PositionOrder::wide_tiles, i, j);
  }

  KOKKOS_FUNCTION void operator()(Ordinal e) const {
    const Ordinal number = input.numbers(e);
    for (int i = 0; i < n; ++i) {
      const Ordinal node = mesh.connectivity(number, i);
      input.nodes(e, i) = node;
      const std::uint64_t touched =
          color_of_element.extent(0) == 0 ? ~std::uint64_t(0) : touched_before(number, node);
      for (int j = 0; j < n; ++j) {
        const bool first = !(touched >> j & 1);
        input.positions(e, slot(i, j)) = static_cast<typename Input::Position>(
            map.position(number, i, j) | (first ? Input::first_flag : 0));
      }
    }
  }

  /// Bit j: some element of an earlier colour holds `node` and this element's node j.
  KOKKOS_FUNCTION std::uint64_t touched_before(Ordinal number, Ordinal node) const {
    static_assert(n <= 64, "ElementInput: elements of up to 64 nodes");
    std::uint64_t touched = 0;
    for (Offset k = incidence.offsets(node); k < incidence.offsets(node + 1); ++k) {
      const Ordinal other = incidence.elements(k);
      if (color_of_element(other) >= color_of_element(number)) continue;
      for (int m = 0; m < n; ++m)
        for (int j = 0; j < n; ++j)
          if (mesh.connectivity(other, m) == mesh.connectivity(number, j)) touched |= std::uint64_t(1) << j;
    }
    return touched;
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

/// Refuses what no position can name, before any work is done.
/// \throws UnsupportedError for rows of more than 32767 entries
template <class Element, class ExecutionSpace>
void check_rows(const ExecutionSpace& exec, const SparsityGraph<ExecutionSpace>& graph) {
  constexpr Offset limit = ElementInput<Element, ExecutionSpace>::first_flag - 1;
  const Ordinal row = first_offender(exec, "Tessera::ElementInput::check_rows", graph.num_rows(),
                                     RowTooLong<ExecutionSpace>{graph.row_map, limit});
  if (row != no_offender)
    throw UnsupportedError("row " + std::to_string(row) + " of the matrix has more than " +
                           std::to_string(limit) + " entries: some node belongs to too many elements");
}

/// Copies the input on the device, in parallel, of a graph that `check_rows` has passed.
///
/// \param numbers the elements in the wanted order
/// \param color_of_element marks the first element of each block by these colours; empty: none is marked
/// \throws OutOfMemoryError
template <class Element, class ExecutionSpace>
ElementInput<Element, ExecutionSpace>
element_input(const ExecutionSpace& exec, const FunctionSpace<Element, ExecutionSpace>& space,
              const SparsityGraph<ExecutionSpace>& graph,
              const Kokkos::View<Ordinal*, ExecutionSpace>& numbers,
              const Kokkos::View<Ordinal*, ExecutionSpace>& color_of_element, PositionOrder order) {
  using Input = ElementInput<Element, ExecutionSpace>;
  const Ordinal elements = space.mesh().num_elements();
  Input input;
  input.coordinates =
      allocate<decltype(input.coordinates)>(exec, "Tessera::ElementInput::coordinates", elements);
  input.nodes = allocate<decltype(input.nodes)>(exec, "Tessera::ElementInput::nodes", elements);
  input.positions = allocate<decltype(input.positions)>(exec, "Tessera::ElementInput::positions", elements);
  input.numbers = numbers;
  input.materials = space.mesh().materials();
  ElementInputBuilder<Element, ExecutionSpace> builder{
      space.mesh().kernel(), element_to_values(exec, space, graph), order, input, {}, color_of_element};
  if (color_of_element.extent(0) > 0)
    builder.incidence = node_to_element(exec, space.mesh().kernel().connectivity, space.mesh().num_nodes());
  Kokkos::parallel_for("Tessera::ElementInput::copy", Kokkos::RangePolicy<ExecutionSpace>(exec, 0, elements),
                       builder);
  copy_coordinates(exec, space.mesh(), input);
  exec.fence("Tessera::ElementInput::copy");
  return input;
}

} // namespace tessera::detail
