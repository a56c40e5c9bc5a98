// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The CRS graph of a function space, built on the device in parallel.

#include <tessera/core/allocate.hpp>
#include <tessera/core/execution_spaces.hpp>
#include <tessera/core/graphs/ascending_list.hpp>
#include <tessera/core/graphs/incidence.hpp>
#include <tessera/core/space/function_space.hpp>

#include <Kokkos_Core.hpp>

#include <limits>
#include <string>

namespace tessera {

/// Compressed rows of the system's matrix, columns ascending. Equations that share an element, of whatever
/// block over the nodes, are coupled; those of a node that no element has are by themselves where all of them
/// are constrained and kept, and have empty rows else. Copies share their views.
template <class ExecutionSpace = Kokkos::DefaultExecutionSpace>
struct SparsityGraph {
  using RowMap = Kokkos::View<Offset*, ExecutionSpace>;
  using Columns = Kokkos::View<Ordinal*, ExecutionSpace>;
  static constexpr int max_blocks = 8; ///< that may have elements in it

  RowMap row_map;                                         ///< row (+1): position of its first entry
  Columns columns;                                        ///< column of each entry
  Equations<ExecutionSpace> equations;                    ///< the numbering that the rows follow
  std::size_t mesh_id = 0;                                ///< the mesh it was built for
  Kokkos::Array<std::size_t, max_blocks - 1> other_ids{}; ///< of other blocks over its nodes; 0: none
  std::size_t revision = 0;                               ///< the space's constraints that it was built for
  /// Whether it has the entries of one mesh's own elements alone (`graph_for`, `shared_graph`: more).
  bool own = true;

  Ordinal num_rows() const { return equations.count; }
  Offset num_entries() const { return columns.extent(0); }

  /// Whether the graph was built for this space, or for several of which it is one, in its present state.
  template <class Space>
  bool fits(const Space& space) const {
    return has_elements_of(space.mesh().id()) && revision == space.revision() &&
           equations.components == space.components();
  }

  /// Whether the graph has the couplings of the elements of the mesh with this `Mesh::id`.
  bool has_elements_of(std::size_t id) const {
    bool found = id == mesh_id;
    for (int i = 0; i < max_blocks - 1; ++i) found = found || id == other_ids[i];
    return found;
  }
};

namespace detail {

/// The nodes of the elements around a node, block after block over the same nodes.
template <class ExecutionSpace, class... Connectivities>
struct ElementsAround {
  KOKKOS_FUNCTION Offset count(Ordinal) const { return 0; }
  template <class Visit>
  KOKKOS_FUNCTION void for_each_node(Ordinal, const Visit&) const {}
};
template <class ExecutionSpace, class First, class... Others>
struct ElementsAround<ExecutionSpace, First, Others...> {
  First connectivity; ///< element x node
  NodeToElement<ExecutionSpace> incidence;
  ElementsAround<ExecutionSpace, Others...> others;

  /// How many there are, those of several elements as often.
  KOKKOS_FUNCTION Offset count(Ordinal node) const {
    return (incidence.offsets(node + 1) - incidence.offsets(node)) *
               static_cast<Offset>(connectivity.extent(1)) +
           others.count(node);
  }
  template <class Visit>
  KOKKOS_FUNCTION void for_each_node(Ordinal node, const Visit& visit) const {
    const auto nodes = static_cast<int>(connectivity.extent(1));
    for (Offset k = incidence.offsets(node); k < incidence.offsets(node + 1); ++k)
      for (int n = 0; n < nodes; ++n) visit(connectivity(incidence.elements(k), n));
    others.for_each_node(node, visit);
  }
};

/// Two sweeps over the nodes: `Count` finds how long a node's rows are, `Fill` writes them. Both need the
/// node's distinct neighbours. On devices they collect them twice, in a list of the thread's own, rather than
/// store them, unless the elements around the node have more than `capacity` nodes; else they are in a slot
/// of memory, where `Count` leaves them.
template <class ExecutionSpace, class Around>
struct SparsityGraphBuilder {
  static constexpr Ordinal capacity = runs_on_host<ExecutionSpace> ? 1 : 128;
  static constexpr Ordinal short_enough_to_insert = 4096;

  Around around;
  Equations<ExecutionSpace> equations;
  Kokkos::View<Offset*, ExecutionSpace> slot_begin; ///< node (+1); no slot for nodes with short lists
  Kokkos::View<Ordinal*, ExecutionSpace> slots;
  Kokkos::View<Ordinal*, ExecutionSpace> degree;     ///< distinct neighbours, the node itself included
  Kokkos::View<Ordinal*, ExecutionSpace> row_length; ///< of each row of the node
  Kokkos::View<Offset*, ExecutionSpace> value_begin; ///< node (+1): its rows' first entry
  SparsityGraph<ExecutionSpace> graph;

  struct ScanSlots {};
  struct Count {};
  struct ScanValues {};
  struct Fill {};

  KOKKOS_FUNCTION void operator()(ScanSlots, Ordinal node, Offset& sum, bool final) const {
    const Offset nodes = Kokkos::max<Offset>(1, around.count(node));
    if (final && node == 0) slot_begin(0) = 0;
    sum += runs_on_host<ExecutionSpace> || nodes > Offset(capacity) ? nodes : 0;
    if (final) slot_begin(node + 1) = sum;
  }

  /// Collects the distinct neighbours of a node in a list with room for all nodes of the elements around it.
  /// A node whose equations are rows of the identity is its own even without elements.
  /// \return how many there are
  KOKKOS_FUNCTION Ordinal collect(Ordinal node, Ordinal* list) const {
    const Offset nodes = around.count(node);
    const bool insert = nodes <= short_enough_to_insert;
    Ordinal count = 0;
    if (nodes == 0 && has_identity(node)) list[count++] = node;
    around.for_each_node(node, [&](Ordinal neighbor) {
      if (insert)
        insert_ascending(list, count, neighbor);
      else
        list[count++] = neighbor;
    });
    return insert ? count : sort_distinct(list, count);
  }

  /// Whether all equations of a node are constrained, and kept.
  KOKKOS_FUNCTION bool has_identity(Ordinal node) const {
    return equations.constrained && !equations.removed &&
           equations.mask(node) == (1u << equations.components) - 1u;
  }

  KOKKOS_FUNCTION bool has_slot(Ordinal node) const {
    return runs_on_host<ExecutionSpace> || slot_begin(node) < slot_begin(node + 1);
  }

  KOKKOS_FUNCTION void operator()(Count, Ordinal node) const {
    Ordinal own[capacity];
    Ordinal* const list = has_slot(node) ? slots.data() + slot_begin(node) : own;
    const Ordinal count = collect(node, list);
    degree(node) = count;
    row_length(node) = count * equations.components;
    if (!equations.removed) return;
    row_length(node) = 0;
    for (Ordinal k = 0; k < count; ++k) row_length(node) += equations.equations_of(list[k]);
  }

  KOKKOS_FUNCTION void operator()(ScanValues, Ordinal node, Offset& sum, bool final) const {
    if (final && node == 0) value_begin(0) = 0;
    sum += static_cast<Offset>(row_length(node)) * equations.equations_of(node);
    if (final) value_begin(node + 1) = sum;
  }

  KOKKOS_FUNCTION void operator()(Fill, Ordinal node) const {
    if (has_slot(node)) return write_rows(node, slots.data() + slot_begin(node));
    Ordinal own[capacity];
    collect(node, own);
    write_rows(node, own);
  }

  KOKKOS_FUNCTION void write_rows(Ordinal node, const Ordinal* neighbors) const {
    const Ordinal first_row = equations.first_equation(node);
    for (int r = 0; r < equations.equations_of(node); ++r) {
      Offset entry = value_begin(node) + static_cast<Offset>(row_length(node)) * r;
      graph.row_map(first_row + r) = entry;
      for (Ordinal k = 0; k < degree(node); ++k) {
        const Ordinal first = equations.first_equation(neighbors[k]);
        const int columns = equations.equations_of(neighbors[k]);
        for (int c = 0; c < columns; ++c) graph.columns(entry++) = first + c;
      }
    }
    if (node + 1 == static_cast<Ordinal>(degree.extent(0)))
      graph.row_map(equations.count) = value_begin(node + 1);
  }
};

/// \param space whose equations the graph follows
template <class Space, class ExecutionSpace, class Around>
SparsityGraph<ExecutionSpace> build_graph(const ExecutionSpace& exec, const Space& space,
                                          const Around& around) {
  using Builder = SparsityGraphBuilder<ExecutionSpace, Around>;
  using Graph = SparsityGraph<ExecutionSpace>;
  const Ordinal nodes = space.mesh().num_nodes();
  const auto over_nodes = [&]<class Phase>(Phase) {
    return Kokkos::RangePolicy<ExecutionSpace, Phase>(exec, 0, nodes);
  };
  const auto make = [&]<class View>(View& view, const char* member, Offset extent) {
    view = allocate<View>(exec, std::string("Tessera::SparsityGraph::") + member, extent);
  };

  Builder builder{around, space.equations(exec), {}, {}, {}, {}, {}, {}};
  make(builder.slot_begin, "slot_begin", nodes + 1);
  make(builder.degree, "degree", nodes);
  make(builder.row_length, "row_length", nodes);
  make(builder.value_begin, "value_begin", nodes + 1);
  Offset slots = 0, entries = 0;
  Kokkos::parallel_scan("Tessera::SparsityGraph::scan_slots", over_nodes(typename Builder::ScanSlots()),
                        builder, slots);
  make(builder.slots, "slots", slots);
  Kokkos::parallel_for("Tessera::SparsityGraph::count", over_nodes(typename Builder::Count()), builder);
  Kokkos::parallel_scan("Tessera::SparsityGraph::scan_values", over_nodes(typename Builder::ScanValues()),
                        builder, entries);
  Graph& graph = builder.graph;
  graph.equations = builder.equations;
  graph.mesh_id = space.mesh().id();
  graph.revision = space.revision();
  graph.row_map = typename Graph::RowMap(
      Kokkos::view_alloc(exec, std::string("Tessera::SparsityGraph::row_map")), graph.equations.count + 1);
  make(graph.columns, "columns", entries);
  Kokkos::parallel_for("Tessera::SparsityGraph::fill", over_nodes(typename Builder::Fill()), builder);
  exec.fence("Tessera::SparsityGraph::fill");
  return graph;
}

template <class ExecutionSpace>
ElementsAround<ExecutionSpace> elements_around(const ExecutionSpace&) {
  return {};
}
template <class ExecutionSpace, class First, class... Others>
auto elements_around(const ExecutionSpace& exec, const First& first, const Others&... others) {
  const auto connectivity = first.kernel().connectivity;
  return ElementsAround<ExecutionSpace, typename First::Kernel::Connectivity,
                        typename Others::Kernel::Connectivity...>{
      connectivity, node_to_element(exec, connectivity, first.num_nodes()), elements_around(exec, others...)};
}

} // namespace detail

/// Builds the graph on `exec` from the elements around each node. While it works it takes an ordinal for each
/// node of the elements around every node, on devices for those only where these are more than 128.
/// \throws OutOfMemoryError with the bytes wanted
template <class Element, class ExecutionSpace>
SparsityGraph<ExecutionSpace> sparsity_graph(const ExecutionSpace& exec,
                                             const FunctionSpace<Element, ExecutionSpace>& space,
                                             const NodeToElement<ExecutionSpace>& incidence) {
  using Connectivity = typename MeshKernel<Element, ExecutionSpace>::Connectivity;
  return detail::build_graph(exec, space,
                             detail::ElementsAround<ExecutionSpace, Connectivity>{
                                 space.mesh().kernel().connectivity, incidence, {}});
}

/// The same with an incidence made on the way.
template <class Element, class ExecutionSpace>
SparsityGraph<ExecutionSpace> sparsity_graph(const ExecutionSpace& exec,
                                             const FunctionSpace<Element, ExecutionSpace>& space) {
  return sparsity_graph(exec, space,
                        node_to_element(exec, space.mesh().kernel().connectivity, space.mesh().num_nodes()));
}

/// The graph of several spaces over the same nodes, with the couplings of all of their elements: plans on
/// each of the spaces take it. Where several of them have elements, strategies that write every value once do
/// not.
/// \throws ArgumentError for spaces over other nodes or of other constraints than the first
///   (`FunctionSpace(mesh, over)` shares them); OutOfMemoryError with the bytes wanted
template <class Element, class ExecutionSpace, class... Others>
SparsityGraph<ExecutionSpace> shared_graph(const ExecutionSpace& exec,
                                           const FunctionSpace<Element, ExecutionSpace>& space,
                                           const FunctionSpace<Others, ExecutionSpace>&... others) {
  static_assert(sizeof...(Others) < SparsityGraph<ExecutionSpace>::max_blocks, "too many blocks");
  const auto check = [&](const auto& other) {
    if (other.mesh().nodes_id() != space.mesh().nodes_id() || other.components() != space.components() ||
        other.revision() != space.revision() || other.treatment() != space.treatment())
      throw ArgumentError("shared_graph: the spaces are not over the same nodes, or have other components or "
                          "constraints");
  };
  (check(others), ...);
  auto graph =
      detail::build_graph(exec, space, detail::elements_around(exec, space.mesh(), others.mesh()...));
  int used = 0;
  ((graph.other_ids[used++] = others.mesh().id()), ...);
  graph.own = (int{space.mesh().num_elements() > 0} + ... + int{others.mesh().num_elements() > 0}) < 2;
  return graph;
}

} // namespace tessera
