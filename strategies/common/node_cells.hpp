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
/// a hexahedron) so that the node is its corner 0.
template <class ExecutionSpace>
struct NodeCells {
  static constexpr int lanes = 8;
  static constexpr int corners = 8;

  Kokkos::View<Offset*, ExecutionSpace> neighbor_begin; ///< node (+1)
  Kokkos::View<Ordinal*, ExecutionSpace> neighbors;     ///< ascending, the node itself included
  Kokkos::View<Ordinal*, ExecutionSpace> pass_begin;    ///< node (+1)
  Kokkos::View<Ordinal*, ExecutionSpace> elements;      ///< pass * lanes + lane: element, -1 for none
  /// The same places: a byte per corner, its position among the node's neighbours.
  Kokkos::View<std::uint64_t*, ExecutionSpace> positions;
  /// The same places: four bits per corner, the number of lower lanes whose same corner is the same node.
  /// Lanes that add to their targets in the order of these turns never meet.
  Kokkos::View<std::uint32_t*, ExecutionSpace> turns;

  int max_degree = 0, max_passes = 0;
  Kokkos::Array<int, corners> max_turns{}; ///< corner: the most turns that any node takes

  std::size_t bytes() const {
    return bytes_of(neighbor_begin) + bytes_of(neighbors) + bytes_of(pass_begin) + bytes_of(elements) +
           bytes_of(positions) + bytes_of(turns);
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
  struct Fill {};
  struct Turns {};

  struct Begins {
    Offset neighbors = 0;
    Ordinal passes = 0;
    KOKKOS_FUNCTION Begins& operator+=(const Begins& other) {
      neighbors += other.neighbors;
      passes += other.passes;
      return *this;
    }
  };

  KOKKOS_FUNCTION NeighborList neighbors(Ordinal node) const {
    return NeighborList(connectivity, corners, incidence, node);
  }
  KOKKOS_FUNCTION Ordinal valence(Ordinal node) const {
    return static_cast<Ordinal>(incidence.offsets(node + 1) - incidence.offsets(node));
  }

  /// Leaves the degree in neighbor_begin(node + 1); `Scan` turns degrees into beginnings.
  KOKKOS_FUNCTION void operator()(Count, Ordinal node, int& most) const {
    const int degree = neighbors(node).count;
    cells.neighbor_begin(node + 1) = degree;
    most = Kokkos::max(most, degree);
  }

  struct Scan {};
  KOKKOS_FUNCTION void operator()(Scan, Ordinal node, Begins& sum, bool final) const {
    sum.neighbors += cells.neighbor_begin(node + 1);
    sum.passes += (valence(node) + lanes - 1) / lanes;
    if (!final) return;
    if (node == 0) cells.neighbor_begin(0) = cells.pass_begin(0) = 0;
    cells.neighbor_begin(node + 1) = sum.neighbors;
    cells.pass_begin(node + 1) = sum.passes;
  }

  KOKKOS_FUNCTION void operator()(Fill, Ordinal node, int& most_passes) const {
    const NeighborList list = neighbors(node);
    for (int k = 0; k < list.count; ++k) cells.neighbors(cells.neighbor_begin(node) + k) = list.nodes[k];
    const Offset begin = static_cast<Offset>(cells.pass_begin(node)) * lanes;
    const Ordinal passes = cells.pass_begin(node + 1) - cells.pass_begin(node);
    most_passes = Kokkos::max(most_passes, static_cast<int>(passes));
    for (Ordinal k = 0; k < passes * lanes; ++k) {
      const Offset at = begin + k;
      cells.elements(at) = -1;
      cells.positions(at) = cells.turns(at) = 0;
      if (k >= valence(node)) continue;
      const Offset source = incidence.offsets(node) + k;
      cells.elements(at) = incidence.elements(source);
      std::uint64_t packed = 0;
      std::uint32_t turns = 0;
      for (int c = 0; c < corners; ++c) {
        const Ordinal corner =
            connectivity(incidence.elements(source), turned_corner(incidence.local_nodes(source), c));
        packed |= static_cast<std::uint64_t>(list.position(corner)) << (8 * c);
      }
      cells.positions(at) = packed;
      for (Offset lower = at - k % lanes; lower < at; ++lower)
        for (int c = 0; c < corners; ++c)
          if (((cells.positions(lower) ^ packed) >> (8 * c) & 255u) == 0) turns += 1u << (4 * c);
      cells.turns(at) = turns;
    }
  }

  /// The largest number of turns, a byte per corner.
  KOKKOS_FUNCTION void operator()(Turns, Offset at, std::uint64_t& most) const {
    std::uint64_t result = 0;
    for (int c = 0; c < corners; ++c) {
      const std::uint64_t own = (cells.turns(at) >> (4 * c) & 15u) + 1;
      const std::uint64_t other = most >> (8 * c) & 255u;
      result |= (own > other ? own : other) << (8 * c);
    }
    most = result;
  }
  KOKKOS_FUNCTION void join(Turns, std::uint64_t& most, const std::uint64_t& other) const {
    std::uint64_t result = 0;
    for (int c = 0; c < corners; ++c)
      result |= Kokkos::max(most >> (8 * c) & 255u, other >> (8 * c) & 255u) << (8 * c);
    most = result;
  }
  KOKKOS_FUNCTION void init(Turns, std::uint64_t& most) const { most = 0; }
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
  const auto make = [&](auto& view, const char* member, Offset extent) {
    view = allocate<std::decay_t<decltype(view)>>(exec, std::string("Tessera::NodeCells::") + member, extent);
  };
  make(cells.neighbor_begin, "neighbor_begin", nodes + 1);
  make(cells.pass_begin, "pass_begin", nodes + 1);
  Builder builder{connectivity, node_to_element(exec, connectivity, nodes), cells};

  Kokkos::parallel_reduce("Tessera::NodeCells::count",
                          Kokkos::RangePolicy<ExecutionSpace, typename Builder::Count>(exec, 0, nodes),
                          builder, Kokkos::Max<int>(cells.max_degree));
  cells.max_degree = std::max(cells.max_degree, 0); // the maximum of no nodes is the least integer
  if (cells.max_degree > NeighborList::capacity)
    throw UnsupportedError("a node has more than " + std::to_string(NeighborList::capacity) +
                           " neighbours, itself included");
  typename Builder::Begins total;
  Kokkos::parallel_scan("Tessera::NodeCells::scan",
                        Kokkos::RangePolicy<ExecutionSpace, typename Builder::Scan>(exec, 0, nodes), builder,
                        total);
  const Offset places = static_cast<Offset>(total.passes) * Cells::lanes;
  make(cells.neighbors, "neighbors", total.neighbors);
  make(cells.elements, "elements", places);
  make(cells.positions, "positions", places);
  make(cells.turns, "turns", places);
  builder.cells = cells;
  Kokkos::parallel_reduce("Tessera::NodeCells::fill",
                          Kokkos::RangePolicy<ExecutionSpace, typename Builder::Fill>(exec, 0, nodes),
                          builder, Kokkos::Max<int>(cells.max_passes));
  cells.max_passes = std::max(cells.max_passes, 0);
  std::uint64_t turns = 0;
  Kokkos::parallel_reduce("Tessera::NodeCells::turns",
                          Kokkos::RangePolicy<ExecutionSpace, typename Builder::Turns>(exec, 0, places),
                          builder, turns);
  for (int c = 0; c < Cells::corners; ++c) cells.max_turns[c] = static_cast<int>(turns >> (8 * c) & 255u);
  return cells;
}

} // namespace tessera
