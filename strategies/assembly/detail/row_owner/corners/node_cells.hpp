// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The hexahedra around every node, laid out for eight threads (or vector lanes) per node.

#include <tessera/core/allocate.hpp>
#include <tessera/core/graphs/incidence.hpp>
#include <tessera/core/mesh/mesh.hpp>
#include <tessera/strategies/assembly/detail/row_owner/neighbor_list.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

namespace TESSERA_KERNELS::assembly::detail {

/// Neighbours and elements of each node of a mesh of trilinear hexahedra. Elements are dealt to the node's
/// `lanes` lanes, in several passes where a node has more of them; each is turned (one of the 24 rotations of
/// a hexahedron) so that the node is its corner 0. What belongs to a node lies where its number alone tells,
/// so that nothing has to be looked up before it can be read.
template <class ExecutionSpace>
struct NodeCells {
  static constexpr int lanes = 8;
  static constexpr int corners = 8;
  static constexpr int step = 4 * lanes; ///< neighbours come in multiples of it
  /// Where a lane keeps what it has to add at one of its corners but the node itself; slot 0 belongs to
  /// nobody. With this order of the corners, found by counting, the threads that add up the slots of a box
  /// collide least in the banks of scratch memory.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int slot(int corner, int lane) {
    constexpr int first[corners] = {own_slot, 51, 1, 43, 34, 9, 26, 18};
    return first[corner] + lane;
  }
  static constexpr int own_slot = 42;  ///< what all lanes have to add at the node itself
  static constexpr int num_slots = 59; ///< slot 17 stays empty

  Kokkos::View<Offset*, ExecutionSpace> neighbor_begin; ///< node (+1): number of neighbours of those before
  /// (node, k): its neighbours, ascending, itself included; then itself, up to a multiple of `step`.
  Kokkos::View<Ordinal**, Kokkos::LayoutRight, ExecutionSpace> neighbors;
  /// (`row`, lane): element, -1 for none.
  Kokkos::View<Ordinal* [lanes], Kokkos::LayoutRight, ExecutionSpace> elements;
  /// The same places: a byte per corner, its position among the node's neighbours.
  Kokkos::View<std::uint64_t* [lanes], Kokkos::LayoutRight, ExecutionSpace> positions;
  /// (`row`, k): the slots that add up to neighbour k, in bytes from the lowest, lanes ascending; zeros
  /// follow.
  Kokkos::View<std::uint64_t**, Kokkos::LayoutRight, ExecutionSpace> slots;
  /// node (+1): number of passes after the first of those before; empty if there are none.
  Kokkos::View<Offset*, ExecutionSpace> further_begin;

  int max_degree = 0, max_passes = 1;

  /// How often lanes must be dealt a node's elements.
  KOKKOS_FORCEINLINE_FUNCTION int passes(Ordinal node) const {
    return max_passes == 1 ? 1 : 1 + static_cast<int>(further_begin(node + 1) - further_begin(node));
  }
  /// Place of a node's pass in the lists: first passes by node, then all others, then one without elements
  /// for nodes that wait for another of their team.
  KOKKOS_FORCEINLINE_FUNCTION Offset row(Ordinal node, int pass) const {
    if (pass == 0) return static_cast<Offset>(node);
    return pass < passes(node) ? static_cast<Offset>(neighbors.extent(0)) + further_begin(node) + pass - 1
                               : static_cast<Offset>(elements.extent(0)) - 1;
  }

  /// Where a row of one of the lists begins, with one multiplication of numbers of 32 bits.
  template <class View, class Index>
  KOKKOS_FORCEINLINE_FUNCTION static auto* row_of(const View& view, Index row) {
    return view.data() +
           static_cast<std::size_t>(static_cast<unsigned>(row)) * static_cast<unsigned>(view.stride(0));
  }

  std::size_t bytes() const {
    return bytes_of(neighbor_begin) + bytes_of(neighbors) + bytes_of(elements) + bytes_of(positions) +
           bytes_of(slots) + bytes_of(further_begin);
  }
};

/// The node that becomes corner `corner` of a hexahedron when node `own` is turned to be corner 0.
KOKKOS_INLINE_FUNCTION int turned_corner(int own, int corner) {
  const bool top = (own >= 4) != (corner >= 4);
  const int around = own < 4 ? own + corner : own - corner;
  return ((around % 4 + 4) & 3) + (top ? 4 : 0);
}

template <class ExecutionSpace>
struct NodeCellsBuilder {
  using Cells = NodeCells<ExecutionSpace>;
  static constexpr int lanes = Cells::lanes, corners = Cells::corners;

  typename MeshKernel<Hex<1>, ExecutionSpace>::Connectivity connectivity;
  NodeToElement<ExecutionSpace> incidence;
  Cells cells;

  struct Count {};
  struct Scan {};
  struct Further {};
  struct Fill {};

  KOKKOS_FUNCTION NeighborList neighbors(Ordinal node) const {
    return NeighborList(connectivity, corners, incidence, node);
  }
  KOKKOS_FUNCTION int valence(Ordinal node) const {
    return static_cast<int>(incidence.offsets(node + 1) - incidence.offsets(node));
  }

  KOKKOS_FUNCTION int passes(Ordinal node) const {
    return Kokkos::max(1, (valence(node) + lanes - 1) / lanes);
  }

  /// Leaves the degree in neighbor_begin(node + 1); `Scan` turns degrees into beginnings.
  KOKKOS_FUNCTION void operator()(Count, Ordinal node, int& most_neighbors, int& most_passes) const {
    const int degree = neighbors(node).count;
    cells.neighbor_begin(node + 1) = degree;
    most_neighbors = Kokkos::max(most_neighbors, degree);
    most_passes = Kokkos::max(most_passes, passes(node));
  }

  KOKKOS_FUNCTION void operator()(Scan, Ordinal node, Offset& sum, bool final) const {
    sum += cells.neighbor_begin(node + 1);
    if (!final) return;
    if (node == 0) cells.neighbor_begin(0) = 0;
    cells.neighbor_begin(node + 1) = sum;
  }

  KOKKOS_FUNCTION void operator()(Further, Ordinal node, Offset& sum, bool final) const {
    if (final) cells.further_begin(node) = sum;
    if (node < static_cast<Ordinal>(cells.further_begin.extent(0)) - 1) sum += passes(node) - 1;
  }

  KOKKOS_FUNCTION void operator()(Fill, Ordinal node) const {
    const NeighborList list = neighbors(node);
    const int capacity = static_cast<int>(cells.neighbors.extent(1));
    for (int k = 0; k < capacity; ++k) cells.neighbors(node, k) = k < list.count ? list.nodes[k] : node;
    for (int pass = 0; pass < cells.passes(node); ++pass) {
      const Offset row = cells.row(node, pass);
      for (int k = 0; k < capacity; ++k) cells.slots(row, k) = 0;
      for (int lane = lanes - 1; lane >= 0; --lane) deal(node, pass * lanes + lane, row, lane, list);
    }
  }

  /// Gives the node's `index`-th element, if there is one, to a lane. A lane has a neighbour at one corner at
  /// most, so that eight bytes hold all slots of a neighbour.
  KOKKOS_FUNCTION void deal(Ordinal node, int index, Offset row, int lane, const NeighborList& list) const {
    cells.elements(row, lane) = -1;
    cells.positions(row, lane) = 0;
    if (index >= valence(node)) return;
    const Offset source = incidence.offsets(node) + index;
    cells.elements(row, lane) = incidence.elements(source);
    for (int c = 0; c < corners; ++c) {
      const auto position = static_cast<std::uint64_t>(list.position(
          connectivity(incidence.elements(source), turned_corner(incidence.local_nodes(source), c))));
      cells.positions(row, lane) |= position << (8 * c);
      auto& slots = cells.slots(row, position);
      if (c > 0)
        slots = slots << 8 | static_cast<std::uint64_t>(Cells::slot(c, lane));
      else
        slots = Cells::own_slot;
    }
  }
};

/// Builds the lists on the device.
/// \throws UnsupportedError if a node has more than 256 neighbours; OutOfMemoryError with the bytes wanted
template <class ExecutionSpace>
NodeCells<ExecutionSpace> node_cells(const ExecutionSpace& exec, const Mesh<Hex<1>, ExecutionSpace>& mesh) {
  using Builder = NodeCellsBuilder<ExecutionSpace>;
  using Cells = NodeCells<ExecutionSpace>;
  const auto connectivity = mesh.kernel().connectivity;
  const Ordinal nodes = mesh.num_nodes();
  Cells cells;
  const auto make = [&](auto& view, const char* member, auto... extents) {
    view = allocate<std::decay_t<decltype(view)>>(exec, std::string("Tessera::NodeCells::") + member,
                                                  extents...);
  };
  make(cells.neighbor_begin, "neighbor_begin", nodes + 1);
  Builder builder{connectivity, node_to_element(exec, connectivity, nodes), cells};

  Kokkos::parallel_reduce("Tessera::NodeCells::count",
                          Kokkos::RangePolicy<ExecutionSpace, typename Builder::Count>(exec, 0, nodes),
                          builder, Kokkos::Max<int>(cells.max_degree), Kokkos::Max<int>(cells.max_passes));
  cells.max_degree = std::max(cells.max_degree, 0); // the maximum of no nodes is the least integer
  cells.max_passes = std::max(cells.max_passes, 1);
  if (cells.max_degree > NeighborList::capacity)
    throw UnsupportedError("a node has more than " + std::to_string(NeighborList::capacity) +
                           " neighbours, itself included");
  Kokkos::parallel_scan("Tessera::NodeCells::scan",
                        Kokkos::RangePolicy<ExecutionSpace, typename Builder::Scan>(exec, 0, nodes), builder);
  const int capacity = std::max(1, (cells.max_degree + Cells::step - 1) / Cells::step) * Cells::step;
  Offset rows = nodes;
  if (cells.max_passes > 1) {
    make(cells.further_begin, "further_begin", nodes + 1);
    builder.cells = cells;
    Offset further = 0;
    Kokkos::parallel_scan("Tessera::NodeCells::further",
                          Kokkos::RangePolicy<ExecutionSpace, typename Builder::Further>(exec, 0, nodes + 1),
                          builder, further);
    rows += further + 1;
  }
  make(cells.neighbors, "neighbors", nodes, capacity);
  make(cells.elements, "elements", rows);
  make(cells.positions, "positions", rows);
  make(cells.slots, "slots", rows, capacity);
  builder.cells = cells;
  if (cells.max_passes > 1) {
    const auto last = std::make_pair(static_cast<std::size_t>(rows) - 1, static_cast<std::size_t>(rows));
    Kokkos::deep_copy(exec, Kokkos::subview(cells.elements, last, Kokkos::ALL), -1);
    Kokkos::deep_copy(exec, Kokkos::subview(cells.positions, last, Kokkos::ALL), 0);
    Kokkos::deep_copy(exec, Kokkos::subview(cells.slots, last, Kokkos::ALL), 0);
  }
  Kokkos::parallel_for("Tessera::NodeCells::fill",
                       Kokkos::RangePolicy<ExecutionSpace, typename Builder::Fill>(exec, 0, nodes), builder);
  return cells;
}

} // namespace TESSERA_KERNELS::assembly::detail
