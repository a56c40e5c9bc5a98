#pragma once

/// \file
/// The hexahedra around every node, laid out for eight threads (or vector lanes) per node.

#include <tessera/core/allocate.hpp>
#include <tessera/core/incidence.hpp>
#include <tessera/core/mesh.hpp>
#include <tessera/strategies/common/neighbor_list.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>

namespace tessera {

/// Neighbours and elements of each node of a mesh of trilinear hexahedra. Elements are dealt to the node's
/// `lanes` lanes, in several passes where a node has more of them; each is turned (one of the 24 rotations of
/// a hexahedron) so that the node is its corner 0. What belongs to a node lies where its number alone tells,
/// so that nothing has to be looked up before it can be read.
template <class ExecutionSpace>
struct NodeCells {
  static constexpr int lanes = 8;
  static constexpr int corners = 8;
  static constexpr int step = 4 * lanes;  ///< neighbours come in multiples of it
  static constexpr int pitch = lanes + 1; ///< of slots: not a multiple of the number of banks of scratch
  /// Where a lane keeps what it has to add at one of its corners; slot 0 belongs to nobody.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int slot(int corner, int lane) {
    return 1 + pitch * corner + lane;
  }

  Kokkos::View<Offset*, ExecutionSpace> neighbor_begin; ///< node (+1): number of neighbours of those before
  /// (node, k): its neighbours, ascending, itself included; then itself, up to a multiple of `step`.
  Kokkos::View<Ordinal**, Kokkos::LayoutRight, ExecutionSpace> neighbors;
  /// (pass * nodes + node, lane): element, -1 for none.
  Kokkos::View<Ordinal* [lanes], Kokkos::LayoutRight, ExecutionSpace> elements;
  /// The same places: a byte per corner, its position among the node's neighbours.
  Kokkos::View<std::uint64_t* [lanes], Kokkos::LayoutRight, ExecutionSpace> positions;
  /// (pass * nodes + node, k): the slots that add up to neighbour k, in bytes from the lowest, lanes
  /// ascending; zeros follow.
  Kokkos::View<std::uint64_t**, Kokkos::LayoutRight, ExecutionSpace> slots;

  int max_degree = 0, max_passes = 1;

  std::size_t bytes() const {
    return bytes_of(neighbor_begin) + bytes_of(neighbors) + bytes_of(elements) + bytes_of(positions) +
           bytes_of(slots);
  }
};

namespace detail {

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
  struct Fill {};

  KOKKOS_FUNCTION NeighborList neighbors(Ordinal node) const {
    return NeighborList(connectivity, corners, incidence, node);
  }
  KOKKOS_FUNCTION int valence(Ordinal node) const {
    return static_cast<int>(incidence.offsets(node + 1) - incidence.offsets(node));
  }

  /// Leaves the degree in neighbor_begin(node + 1); `Scan` turns degrees into beginnings.
  KOKKOS_FUNCTION void operator()(Count, Ordinal node, int& most_neighbors, int& most_passes) const {
    const int degree = neighbors(node).count;
    cells.neighbor_begin(node + 1) = degree;
    most_neighbors = Kokkos::max(most_neighbors, degree);
    most_passes = Kokkos::max(most_passes, (valence(node) + lanes - 1) / lanes);
  }

  KOKKOS_FUNCTION void operator()(Scan, Ordinal node, Offset& sum, bool final) const {
    sum += cells.neighbor_begin(node + 1);
    if (!final) return;
    if (node == 0) cells.neighbor_begin(0) = 0;
    cells.neighbor_begin(node + 1) = sum;
  }

  KOKKOS_FUNCTION void operator()(Fill, Ordinal node) const {
    const NeighborList list = neighbors(node);
    const int room = static_cast<int>(cells.neighbors.extent(1));
    for (int k = 0; k < room; ++k) cells.neighbors(node, k) = k < list.count ? list.nodes[k] : node;
    const auto nodes = static_cast<Ordinal>(cells.neighbors.extent(0));
    for (int pass = 0; pass < cells.max_passes; ++pass) {
      const Offset row = static_cast<Offset>(pass) * nodes + node;
      for (int k = 0; k < room; ++k) cells.slots(row, k) = 0;
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
      slots = slots << 8 | static_cast<std::uint64_t>(Cells::slot(c, lane));
    }
  }
};

} // namespace detail

/// Builds the lists on the device.
/// \throws UnsupportedError if a node has more than 256 neighbours; OutOfMemoryError with the bytes wanted
template <class ExecutionSpace>
NodeCells<ExecutionSpace> node_cells(const ExecutionSpace& exec, const Mesh<Hex<1>, ExecutionSpace>& mesh) {
  using Builder = detail::NodeCellsBuilder<ExecutionSpace>;
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
  const int room = std::max(1, (cells.max_degree + Cells::step - 1) / Cells::step) * Cells::step;
  const Offset rows = static_cast<Offset>(cells.max_passes) * nodes;
  make(cells.neighbors, "neighbors", nodes, room);
  make(cells.elements, "elements", rows);
  make(cells.positions, "positions", rows);
  make(cells.slots, "slots", rows, room);
  builder.cells = cells;
  Kokkos::parallel_for("Tessera::NodeCells::fill",
                       Kokkos::RangePolicy<ExecutionSpace, typename Builder::Fill>(exec, 0, nodes), builder);
  return cells;
}

} // namespace tessera
