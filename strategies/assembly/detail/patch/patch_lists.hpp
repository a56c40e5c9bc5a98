// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Nodes and elements sorted by patch (paper 4, section 4: the data preparation).

#include <tessera/core/allocate.hpp>
#include <tessera/core/execution_spaces.hpp>
#include <tessera/core/graphs/detail/group_by.hpp>
#include <tessera/core/partition/double_partition.hpp>
#include <tessera/core/system/sparsity_graph.hpp>
#include <tessera/strategies/common/team.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>

namespace TESSERA_KERNELS::assembly::detail {

/// Where one node's rows are: the columns of its first row, and the values of all of them. The others have
/// the same columns, in the upper half less those before their diagonal.
template <class ExecutionSpace>
struct PatchRows {
  SparsityGraph<ExecutionSpace> graph;
  bool upper;

  KOKKOS_FORCEINLINE_FUNCTION Offset begin(Ordinal node) const {
    return graph.row_map(graph.equations.first_equation(node));
  }
  /// Entries of the node's first row; 0 without rows.
  KOKKOS_FORCEINLINE_FUNCTION Ordinal length(Ordinal node) const {
    const Ordinal row = graph.equations.first_equation(node);
    return graph.equations.equations_of(node) == 0
               ? 0
               : static_cast<Ordinal>(graph.row_map(row + 1) - graph.row_map(row));
  }
  /// Entries of all its rows.
  KOKKOS_FORCEINLINE_FUNCTION Ordinal values(Ordinal node) const {
    const Ordinal row = graph.equations.first_equation(node);
    return static_cast<Ordinal>(graph.row_map(row + graph.equations.equations_of(node)) - graph.row_map(row));
  }
  /// From a node's first value to that of its row of a rank, whose columns count from the first row's.
  KOKKOS_FORCEINLINE_FUNCTION Ordinal row_start(int rank, Ordinal length) const {
    return rank * length - (upper ? rank * (rank + 1) / 2 : 0);
  }
};

/// What the kernels need of patches, and how the seam between them is numbered.
///
/// Elements belong to the patch of their first node, or, if they are recomputed, to those of all their nodes.
/// Slot s holds element `elements(s)`, whose node n is the patch's node `codes(s, n)` if that is not
/// negative, else the mesh's node -codes(s, n) - 1. Unless elements are recomputed, a node that elements of
/// other patches touch is on the seam: these add to a second array of values.
template <class Element, class ExecutionSpace>
struct PatchLists {
  using Numbers = Kokkos::View<Ordinal*, ExecutionSpace>;
  using Offsets = Kokkos::View<Offset*, ExecutionSpace>;

  bool recomputed = false;
  Ordinal patches = 0;
  Numbers nodes, node_offsets;       ///< sorted by patch; patch (+1)
  Offsets columns_before;            ///< position in `nodes` (+1): entries of first rows before it
  Offsets values_before;             ///< position in `nodes` (+1): entries of all rows before it
  Numbers elements, element_offsets; ///< of the slots, sorted by patch; patch (+1): its first slot
  Kokkos::View<Ordinal * [Element::nodes], ExecutionSpace> codes;
  Ordinal seam_nodes = 0;
  Numbers seam_of_node; ///< mesh's node: its number on the seam, or -1
  Numbers seam;         ///< number on the seam: node
  Offsets seam_begin;   ///< number on the seam (+1): first of its values in the second array

  std::size_t bytes() const {
    return bytes_of(nodes) + bytes_of(node_offsets) + bytes_of(columns_before) + bytes_of(values_before) +
           bytes_of(elements) + bytes_of(element_offsets) + bytes_of(codes) + bytes_of(seam_of_node) +
           bytes_of(seam) + bytes_of(seam_begin);
  }
};

template <class Element, class ExecutionSpace>
struct PatchListsBuilder {
  using Lists = PatchLists<Element, ExecutionSpace>;

  Kokkos::View<const Ordinal * [Element::nodes], ExecutionSpace> connectivity;
  PatchRows<ExecutionSpace> rows;
  Kokkos::View<const Ordinal*, ExecutionSpace> place_of_node; ///< position in `nodes`
  Kokkos::View<const Ordinal*, ExecutionSpace> order;         ///< of the elements; empty: the mesh's
  typename Lists::Numbers patch_of_node;
  typename Lists::Numbers pairs_before;   ///< place in the order (+1): pairs of an element and a patch before
  typename Lists::Numbers patch, element; ///< of each pair
  typename Lists::Numbers pair_of_slot;   ///< sorted by patch
  Lists lists;

  struct PatchesOfNodes {};
  struct CountPairs {};
  struct ListPairs {};
  struct Rows {};
  struct Encode {};
  struct ListSeam {};

  KOKKOS_FUNCTION void operator()(PatchesOfNodes, Ordinal p) const {
    for (Ordinal k = lists.node_offsets(p); k < lists.node_offsets(p + 1); ++k)
      patch_of_node(lists.nodes(k)) = p;
  }
  KOKKOS_FUNCTION Ordinal ordered(Ordinal i) const { return order.extent(0) == 0 ? i : order(i); }
  /// Visits the patches that compute an element, each once.
  template <class Visit>
  KOKKOS_FUNCTION void for_each_patch(Ordinal e, const Visit& visit) const {
    visit(patch_of_node(connectivity(e, 0)));
    for (int n = 1; n < (lists.recomputed ? Element::nodes : 1); ++n) {
      const Ordinal own = patch_of_node(connectivity(e, n));
      bool known = false;
      for (int m = 0; m < n; ++m) known = known || patch_of_node(connectivity(e, m)) == own;
      if (!known) visit(own);
    }
  }
  KOKKOS_FUNCTION void operator()(CountPairs, Ordinal i, Ordinal& sum, bool final) const {
    if (final) pairs_before(i) = sum;
    for_each_patch(ordered(i), [&](Ordinal) { ++sum; });
    if (final) pairs_before(i + 1) = sum;
  }
  KOKKOS_FUNCTION void operator()(ListPairs, Ordinal i) const {
    const Ordinal e = ordered(i);
    Ordinal pair = pairs_before(i);
    for_each_patch(e, [&](Ordinal own) {
      patch(pair) = own;
      element(pair++) = e;
    });
  }
  struct Sums {
    Offset columns = 0, values = 0;
    KOKKOS_FUNCTION Sums& operator+=(const Sums& other) {
      columns += other.columns;
      values += other.values;
      return *this;
    }
  };
  KOKKOS_FUNCTION void operator()(Rows, Ordinal k, Sums& sum, bool final) const {
    if (final) {
      lists.columns_before(k) = sum.columns;
      lists.values_before(k) = sum.values;
    }
    sum.columns += static_cast<Offset>(rows.length(lists.nodes(k)));
    sum.values += static_cast<Offset>(rows.values(lists.nodes(k)));
    if (final) {
      lists.columns_before(k + 1) = sum.columns;
      lists.values_before(k + 1) = sum.values;
    }
  }
  KOKKOS_FUNCTION void operator()(Encode, Ordinal slot) const {
    const Ordinal own = patch(pair_of_slot(slot)), e = element(pair_of_slot(slot));
    lists.elements(slot) = e;
    for (int n = 0; n < Element::nodes; ++n) {
      const Ordinal node = connectivity(e, n);
      const bool inside = patch_of_node(node) == own;
      lists.codes(slot, n) = inside ? place_of_node(node) - lists.node_offsets(own) : -node - 1;
      if (!inside && !lists.recomputed) Kokkos::atomic_store(&lists.seam_of_node(node), 0);
    }
  }
  struct SeamSums {
    Ordinal nodes = 0;
    Offset values = 0;
    KOKKOS_FUNCTION SeamSums& operator+=(const SeamSums& other) {
      nodes += other.nodes;
      values += other.values;
      return *this;
    }
  };
  KOKKOS_FUNCTION void operator()(ListSeam, Ordinal node, SeamSums& sum, bool final) const {
    if (lists.seam_of_node(node) < 0) return;
    if (final && lists.seam.extent(0) > 0) {
      lists.seam_of_node(node) = sum.nodes;
      lists.seam(sum.nodes) = node;
      lists.seam_begin(sum.nodes) = sum.values;
    }
    ++sum.nodes;
    sum.values += static_cast<Offset>(rows.values(node));
    if (final && lists.seam.extent(0) > 0) lists.seam_begin(sum.nodes) = sum.values;
  }
};

/// Sorts nodes and elements by the patches of a partition of the mesh's nodes.
/// \param recomputed elements are computed by the patch of each of their nodes
/// \param order of the elements within a patch, all of the mesh's numbers; empty: ascending
/// \throws OutOfMemoryError
template <class Element, class ExecutionSpace>
PatchLists<Element, ExecutionSpace>
patch_lists(const ExecutionSpace& exec, const Mesh<Element, ExecutionSpace>& mesh,
            const PatchRows<ExecutionSpace>& rows, const DoublePartition<ExecutionSpace>& partition,
            bool recomputed, const Kokkos::View<const Ordinal*, ExecutionSpace>& order) {
  using Builder = PatchListsBuilder<Element, ExecutionSpace>;
  const auto over = [&]<class Phase>(Phase, Ordinal items) {
    return Kokkos::RangePolicy<ExecutionSpace, Phase>(exec, 0, items);
  };
  const auto make = [&]<class View>(View& view, const char* what, std::size_t extent) {
    view = allocate<View>(exec, std::string("Tessera::PatchLists::") + what, extent);
  };
  Builder builder{
      mesh.kernel().connectivity, rows, partition.nodes.old_to_new, order, {}, {}, {}, {}, {}, {}};
  auto& lists = builder.lists;
  lists.recomputed = recomputed;
  lists.patches = partition.num_patches;
  lists.nodes = partition.nodes.new_to_old;
  lists.node_offsets = partition.patch_offsets;
  make(builder.patch_of_node, "patch_of_node", mesh.num_nodes());
  builder.pairs_before = allocate_zeroed<typename Builder::Lists::Numbers>(
      exec, "Tessera::PatchLists::pairs_before", mesh.num_elements() + 1);
  make(lists.seam_of_node, "seam_of_node", mesh.num_nodes());
  lists.columns_before = allocate_zeroed<typename Builder::Lists::Offsets>(
      exec, "Tessera::PatchLists::columns_before", mesh.num_nodes() + 1);
  lists.values_before = allocate_zeroed<typename Builder::Lists::Offsets>(
      exec, "Tessera::PatchLists::values_before", mesh.num_nodes() + 1);
  Kokkos::deep_copy(exec, lists.seam_of_node, Ordinal(-1));
  Kokkos::parallel_for("Tessera::PatchLists::patches_of_nodes",
                       over(typename Builder::PatchesOfNodes(), lists.patches), builder);
  Ordinal pairs = 0;
  Kokkos::parallel_scan("Tessera::PatchLists::count_pairs",
                        over(typename Builder::CountPairs(), mesh.num_elements()), builder, pairs);
  make(builder.patch, "patch", pairs);
  make(builder.element, "element", pairs);
  make(lists.elements, "elements", pairs);
  make(lists.codes, "codes", pairs);
  Kokkos::parallel_for("Tessera::PatchLists::list_pairs",
                       over(typename Builder::ListPairs(), mesh.num_elements()), builder);
  const auto sorted = tessera::detail::group_by(exec, builder.patch, lists.patches);
  builder.pair_of_slot = sorted.items;
  lists.element_offsets = sorted.offsets;
  Kokkos::parallel_scan("Tessera::PatchLists::rows", over(typename Builder::Rows(), mesh.num_nodes()),
                        builder);
  Kokkos::parallel_for("Tessera::PatchLists::encode", over(typename Builder::Encode(), pairs), builder);
  typename Builder::SeamSums sums;
  const auto all_nodes = over(typename Builder::ListSeam(), mesh.num_nodes());
  Kokkos::parallel_scan("Tessera::PatchLists::count_seam", all_nodes, builder, sums);
  lists.seam_nodes = sums.nodes;
  make(lists.seam, "seam", sums.nodes);
  lists.seam_begin = allocate_zeroed<typename Builder::Lists::Offsets>(
      exec, "Tessera::PatchLists::seam_begin", sums.nodes + 1);
  Kokkos::parallel_scan("Tessera::PatchLists::list_seam", all_nodes, builder, sums);
  exec.fence("Tessera::PatchLists::list_seam");
  return lists;
}

} // namespace TESSERA_KERNELS::assembly::detail
