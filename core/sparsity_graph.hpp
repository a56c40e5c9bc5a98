#pragma once

/// \file
/// The CRS graph of a function space, built on the device in parallel.

#include <tessera/core/allocate.hpp>
#include <tessera/core/function_space.hpp>
#include <tessera/core/incidence.hpp>

#include <Kokkos_Core.hpp>

#include <limits>
#include <string>

namespace tessera {

/// Compressed rows of the system's matrix, columns ascending. Equations that share an element are coupled.
/// Copies share their views.
template <class ExecutionSpace = Kokkos::DefaultExecutionSpace>
struct SparsityGraph {
  using RowMap = Kokkos::View<Offset*, ExecutionSpace>;
  using Columns = Kokkos::View<Ordinal*, ExecutionSpace>;

  RowMap row_map;                      ///< row (+1): position of its first entry
  Columns columns;                     ///< column of each entry
  Equations<ExecutionSpace> equations; ///< the numbering that the rows follow
  const void* mesh_id = nullptr;       ///< the mesh it was built for
  std::size_t revision = 0;            ///< the space's constraints that it was built for

  Ordinal num_rows() const { return equations.count; }
  Offset num_entries() const { return columns.extent(0); }

  /// Whether the graph was built for this space in its present state.
  template <class Space>
  bool fits(const Space& space) const {
    return mesh_id == space.mesh().connectivity().data() && revision == space.revision() &&
           equations.components == space.components();
  }
};

namespace detail {

/// Three sweeps over the nodes. `Collect` gathers the distinct neighbours of each node in a slot that is wide
/// enough for all nodes of all its elements; `Count` turns them into the offsets of the node's values; `Fill`
/// writes the rows.
template <class ExecutionSpace, class Connectivity>
struct SparsityGraphBuilder {
  Connectivity connectivity;
  int nodes_per_element;
  NodeToElement<ExecutionSpace> incidence;
  Equations<ExecutionSpace> equations;
  Kokkos::View<Ordinal*, ExecutionSpace> slots;
  Kokkos::View<Ordinal*, ExecutionSpace> degree;
  Kokkos::View<Offset*, ExecutionSpace> node_values;
  SparsityGraph<ExecutionSpace> graph;

  struct Collect {};
  struct Count {};
  struct Fill {};

  KOKKOS_FUNCTION Offset slot(Ordinal node) const { return incidence.offsets(node) * nodes_per_element; }

  KOKKOS_FUNCTION void operator()(Collect, Ordinal node) const {
    Ordinal* const neighbors = slots.data() + slot(node);
    Ordinal count = 0;
    for (Offset k = incidence.offsets(node); k < incidence.offsets(node + 1); ++k)
      for (int n = 0; n < nodes_per_element; ++n)
        insert(neighbors, count, connectivity(incidence.elements(k), n));
    degree(node) = count;
  }

  /// Inserts into an ascending list unless it is there.
  KOKKOS_FUNCTION static void insert(Ordinal* list, Ordinal& count, Ordinal value) {
    Ordinal low = 0, high = count;
    while (low < high) {
      const Ordinal middle = (low + high) / 2;
      if (list[middle] < value)
        low = middle + 1;
      else
        high = middle;
    }
    if (low < count && list[low] == value) return;
    for (Ordinal i = count; i > low; --i) list[i] = list[i - 1];
    list[low] = value;
    ++count;
  }

  /// Entries in each row of the node.
  KOKKOS_FUNCTION Offset row_length(Ordinal node) const {
    if (!equations.removed) return static_cast<Offset>(degree(node)) * equations.components;
    Offset length = 0;
    for (Ordinal k = 0; k < degree(node); ++k) length += equations.equations_of(slots(slot(node) + k));
    return length;
  }

  KOKKOS_FUNCTION void operator()(Count, Ordinal node, Offset& sum, bool final) const {
    if (final) node_values(node) = sum;
    sum += row_length(node) * equations.equations_of(node);
    if (final && node + 1 == static_cast<Ordinal>(degree.extent(0))) node_values(node + 1) = sum;
  }

  KOKKOS_FUNCTION void operator()(Fill, Ordinal node) const {
    const int rows = equations.equations_of(node);
    const Ordinal first_row = equations.first_equation(node);
    const Offset begin = node_values(node), values = node_values(node + 1) - begin;
    for (int r = 0; r < rows; ++r) {
      Offset entry = begin + values / rows * r;
      graph.row_map(first_row + r) = entry;
      for (Ordinal k = 0; k < degree(node); ++k) {
        const Ordinal neighbor = slots(slot(node) + k), first = equations.first_equation(neighbor);
        const int columns = equations.equations_of(neighbor);
        for (int c = 0; c < columns; ++c) graph.columns(entry++) = first + c;
      }
    }
    if (node + 1 == static_cast<Ordinal>(degree.extent(0))) graph.row_map(equations.count) = begin + values;
  }
};

} // namespace detail

/// Builds the graph on `exec` from the elements around each node; takes memory for
/// elements x nodes x nodes ordinals while it works.
/// \throws OutOfMemoryError with the bytes wanted
template <class Element, class ExecutionSpace>
SparsityGraph<ExecutionSpace> sparsity_graph(const ExecutionSpace& exec,
                                             const FunctionSpace<Element, ExecutionSpace>& space,
                                             const NodeToElement<ExecutionSpace>& incidence) {
  const auto connectivity = space.mesh().kernel().connectivity;
  using Builder = detail::SparsityGraphBuilder<ExecutionSpace, decltype(connectivity)>;
  using Graph = SparsityGraph<ExecutionSpace>;
  const Ordinal nodes = space.mesh().num_nodes();
  const Offset slots = static_cast<Offset>(connectivity.extent(0)) * Element::nodes * Element::nodes;

  Builder builder{connectivity, Element::nodes, incidence, space.equations(exec), {}, {}, {}, {}};
  builder.slots = allocate<decltype(builder.slots)>(exec, "Tessera::SparsityGraph::slots", slots);
  builder.degree = allocate<decltype(builder.degree)>(exec, "Tessera::SparsityGraph::degree", nodes);
  builder.node_values =
      allocate<decltype(builder.node_values)>(exec, "Tessera::SparsityGraph::node_values", nodes + 1);
  Kokkos::parallel_for("Tessera::SparsityGraph::collect",
                       Kokkos::RangePolicy<ExecutionSpace, typename Builder::Collect>(exec, 0, nodes),
                       builder);
  Offset entries = 0;
  Kokkos::parallel_scan("Tessera::SparsityGraph::count",
                        Kokkos::RangePolicy<ExecutionSpace, typename Builder::Count>(exec, 0, nodes), builder,
                        entries);
  Graph& graph = builder.graph;
  graph.equations = builder.equations;
  graph.mesh_id = space.mesh().connectivity().data();
  graph.revision = space.revision();
  graph.row_map = typename Graph::RowMap(
      Kokkos::view_alloc(exec, std::string("Tessera::SparsityGraph::row_map")), graph.equations.count + 1);
  graph.columns = allocate<typename Graph::Columns>(exec, "Tessera::SparsityGraph::columns", entries);
  Kokkos::parallel_for("Tessera::SparsityGraph::fill",
                       Kokkos::RangePolicy<ExecutionSpace, typename Builder::Fill>(exec, 0, nodes), builder);
  exec.fence("Tessera::SparsityGraph::fill");
  return graph;
}

/// The same with an incidence made on the way.
template <class Element, class ExecutionSpace>
SparsityGraph<ExecutionSpace> sparsity_graph(const ExecutionSpace& exec,
                                             const FunctionSpace<Element, ExecutionSpace>& space) {
  return sparsity_graph(exec, space,
                        node_to_element(exec, space.mesh().kernel().connectivity, space.mesh().num_nodes()));
}

} // namespace tessera
