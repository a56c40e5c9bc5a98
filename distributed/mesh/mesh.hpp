// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// One mesh over many ranks: what a rank has of it.

#include <tessera/core/allocate.hpp>
#include <tessera/core/blocks/mixed_mesh.hpp>
#include <tessera/core/blocks/mixed_space.hpp>
#include <tessera/core/default_instance.hpp>
#include <tessera/core/mesh/mesh.hpp>
#include <tessera/core/types.hpp>
#include <tessera/distributed/agree.hpp>
#include <tessera/distributed/communicator.hpp>
#include <tessera/distributed/node_exchange.hpp>
#include <tessera/distributed/node_import.hpp>
#include <tessera/distributed/types.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

namespace tessera::distributed {

/// A function space on what a rank has: `FunctionSpace`, of several element types `MixedSpace`.
template <class Cells, class ExecutionSpace>
using SpaceOn = typename tessera::detail::SpaceOver<Cells, ExecutionSpace>::type;

namespace detail {

/// `visit(mesh)` of a mesh of one type, and of each block of one of several.
template <class Element, class ExecutionSpace, class Visit>
void for_each_block(const tessera::Mesh<Element, ExecutionSpace>& mesh, const Visit& visit) {
  visit(mesh);
}
template <class List, class ExecutionSpace, class Visit>
void for_each_block(const MixedMesh<List, ExecutionSpace>& mesh, const Visit& visit) {
  mesh.for_each_block(visit);
}

/// Whether the lowest rank that owns a node of an element is this one.
template <class Element, class ExecutionSpace>
struct LowestOwner {
  typename MeshKernel<Element, ExecutionSpace>::Connectivity connectivity;
  Kokkos::View<const int*, ExecutionSpace> ghost_owners;
  Ordinal owned;
  int rank;

  KOKKOS_FUNCTION int operator()(Ordinal element) const {
    int lowest = rank;
    bool any_owned = false;
    for (int n = 0; n < Element::nodes; ++n) {
      const Ordinal node = connectivity(element, n);
      any_owned = any_owned || node < owned;
      if (node >= owned && ghost_owners(node - owned) < lowest) lowest = ghost_owners(node - owned);
    }
    return any_owned ? lowest : -1;
  }
};

template <class Element, class ExecutionSpace>
struct ElementOwners {
  LowestOwner<Element, ExecutionSpace> lowest;
  Kokkos::View<int*, ExecutionSpace> owners;
  Ordinal first; ///< element of the block among all
  KOKKOS_FUNCTION void operator()(Ordinal element, Ordinal& owned) const {
    const int owner = lowest(element);
    owners(first + element) = owner;
    if (owner == lowest.rank) ++owned;
  }
};

/// Writes the owners of a block's elements, from its first among all; how many `lowest.rank` owns.
template <class Element, class ExecutionSpace>
Ordinal own_elements_of(const ExecutionSpace& exec, const ElementOwners<Element, ExecutionSpace>& owners) {
  Ordinal owned = 0;
  Kokkos::parallel_reduce("Tessera::Mesh::find_element_owners",
                          Kokkos::RangePolicy<ExecutionSpace>(
                              exec, 0, static_cast<Ordinal>(owners.lowest.connectivity.extent(0))),
                          owners, owned);
  return owned;
}

template <class ExecutionSpace>
struct MarkNodes {
  Kokkos::View<const Ordinal*, ExecutionSpace> nodes;
  Kokkos::View<Ordinal*, ExecutionSpace> marks;
  KOKKOS_FUNCTION void operator()(Ordinal i) const { Kokkos::atomic_store(&marks(nodes(i)), Ordinal{1}); }
};

template <class ExecutionSpace>
struct ListMarked {
  Kokkos::View<const Ordinal*, ExecutionSpace> marks;
  Kokkos::View<Ordinal*, ExecutionSpace> list; ///< empty while counting
  KOKKOS_FUNCTION void operator()(Ordinal node, Ordinal& count, bool final) const {
    if (marks(node) == 0) return;
    if (final && list.extent(0) > 0) list(count) = node;
    ++count;
  }
};

} // namespace detail

/// What one rank has of a mesh: the nodes that it owns, all elements that touch one of them, and the other
/// nodes of those elements, its ghosts. Every row of an owned node is whole when the rank has assembled these
/// elements alone: assembly needs no messages.
///
/// Nodes are numbered with the owned ones first; ghosts follow, sorted by owner and for each owner by global
/// number. Elements ascend by global number, in each block of several types, so that an owned row adds up in
/// the order in which one rank with the whole mesh adds it up. Sets and materials of `local()` cover ghosts
/// and ghost elements too, as the constraints and loads of a space must.
///
/// Of several element types elements are numbered block after block, as those of a `MixedMesh`.
///
/// Made by `box_mesh`, `make_mesh`, `read_mesh` and `divide_mesh` of this module. Copies share their views.
/// \tparam Cells an element type, or `Blocks` of several
template <class Cells, class ExecutionSpace = Kokkos::DefaultExecutionSpace>
class Mesh {
public:
  using Element = Cells;
  using execution_space = ExecutionSpace;
  using Local = typename SpaceOn<Cells, ExecutionSpace>::MeshType;
  using NodeSet = typename Local::NodeSet;
  using GlobalNumbers = Kokkos::View<const GlobalOrdinal*, Kokkos::HostSpace>;
  using Owners = Kokkos::View<const int*, Kokkos::HostSpace>;

  /// Collective: for those who make meshes and know that the local ones fit together.
  /// \param global_nodes    of each local node, the owned ones first
  /// \param ghost_owners    of the others, ascending
  /// \param global_elements of each local element, ascending in each block
  /// \throws ArgumentError on every rank for lists of other lengths than the mesh has nodes and elements;
  ///   MeshError for an element without an owned node, and as `NodeImport`
  Mesh(const ExecutionSpace& exec, const Communicator& ranks, const Local& local,
       const GlobalNumbers& global_nodes, const Owners& ghost_owners, const GlobalNumbers& global_elements)
      : ranks_(ranks), local_(local), global_nodes_(global_nodes), ghost_owners_(ghost_owners),
        global_elements_(global_elements), import_(make_import(exec)) {
    agree(ranks, [&] { find_element_owners(exec); });
    const std::int64_t mine[2] = {owned_nodes(), owned_elements_};
    std::int64_t all[2] = {};
    MPI_Allreduce(mine, all, 2, MPI_INT64_T, MPI_SUM, ranks.own());
    num_global_nodes_ = all[0];
    num_global_elements_ = all[1];
  }

  /// Owned nodes and ghosts, and all elements that touch an owned node.
  const Local& local() const { return local_; }
  /// The local nodes 0 ... owned_nodes() - 1 are this rank's own.
  Ordinal owned_nodes() const { return import_.owned_nodes(); }
  Ordinal ghost_nodes() const { return import_.ghost_nodes(); }
  /// Elements that count here, see `element_owners`.
  Ordinal owned_elements() const { return owned_elements_; }
  /// The rank that owns each local element: the lowest that owns one of its nodes. What is summed over the
  /// elements of all ranks counts each where it is owned.
  Kokkos::View<const int*, ExecutionSpace> element_owners() const { return element_owners_; }

  /// Global number of each local node.
  const GlobalNumbers& global_nodes() const { return global_nodes_; }
  /// Rank that owns the local node owned_nodes() + i.
  const Owners& ghost_owners() const { return ghost_owners_; }
  /// Global number of each local element.
  const GlobalNumbers& global_elements() const { return global_elements_; }
  /// Nodes of all ranks, each counted once.
  GlobalOrdinal num_global_nodes() const { return num_global_nodes_; }
  /// Elements of all ranks, each counted once.
  GlobalOrdinal num_global_elements() const { return num_global_elements_; }

  /// The application's communicator.
  MPI_Comm communicator() const { return ranks_.application(); }
  const Communicator& ranks() const { return ranks_; }
  /// The plan for exchanges of values between owners and ghosts.
  const NodeImport<ExecutionSpace>& import() const { return import_; }

  /// Collective: a set of local nodes, completed: a node is in it on every rank that has it, if any rank's
  /// set names it. Ascending. Two exchanges of one number a node.
  /// \throws MeshError on every rank if a set names a node that its rank has not
  NodeSet with_ghosts(const ExecutionSpace& exec, const NodeSet& nodes) const;
  /// The same on the default instance.
  NodeSet with_ghosts(const NodeSet& nodes) const {
    return with_ghosts(default_instance<ExecutionSpace>(), nodes);
  }

private:
  template <class T>
  static std::span<const T> span_of(const Kokkos::View<const T*, Kokkos::HostSpace>& view) {
    return {view.data(), view.extent(0)};
  }

  NodeImport<ExecutionSpace> make_import(const ExecutionSpace& exec) const {
    agree(ranks_, [&] {
      const auto check = [](const char* what, std::size_t numbers, Ordinal expected) {
        if (numbers != to_size(expected))
          throw ArgumentError("distributed mesh: " + std::to_string(numbers) + " numbers of " +
                              std::to_string(expected) + " local " + what);
      };
      check("nodes", global_nodes_.extent(0), local_.num_nodes());
      check("elements", global_elements_.extent(0), static_cast<Ordinal>(local_.num_elements()));
      if (ghost_owners_.extent(0) > global_nodes_.extent(0))
        throw ArgumentError("distributed mesh: " + std::to_string(ghost_owners_.extent(0)) +
                            " ghosts among " + std::to_string(global_nodes_.extent(0)) + " nodes");
    });
    return {exec, ranks_, span_of(global_nodes_), span_of(ghost_owners_)};
  }

  void find_element_owners(const ExecutionSpace& exec);

  Communicator ranks_;
  Local local_;
  GlobalNumbers global_nodes_;
  Owners ghost_owners_;
  GlobalNumbers global_elements_;
  NodeImport<ExecutionSpace> import_;
  Kokkos::View<int*, ExecutionSpace> element_owners_;
  Ordinal owned_elements_ = 0;
  GlobalOrdinal num_global_nodes_ = 0, num_global_elements_ = 0;
};

template <class Cells, class ExecutionSpace>
void Mesh<Cells, ExecutionSpace>::find_element_owners(const ExecutionSpace& exec) {
  const auto elements = static_cast<Ordinal>(local_.num_elements());
  element_owners_ =
      allocate<Kokkos::View<int*, ExecutionSpace>>(exec, "Tessera::Mesh::element_owners", elements);
  const auto ghost_owners =
      Kokkos::create_mirror_view_and_copy(typename ExecutionSpace::memory_space(), ghost_owners_);
  Ordinal first = 0;
  owned_elements_ = 0;
  detail::for_each_block(local_, [&](const auto& block) {
    using Type = typename std::remove_cvref_t<decltype(block)>::Element;
    const detail::LowestOwner<Type, ExecutionSpace> lowest{block.connectivity(), ghost_owners, owned_nodes(),
                                                           ranks_.rank()};
    owned_elements_ += detail::own_elements_of<Type, ExecutionSpace>(exec, {lowest, element_owners_, first});
    first += block.num_elements();
  });
  const Ordinal e = tessera::detail::first_offender(
      exec, "Tessera::Mesh::check_element_owners", elements,
      tessera::detail::SetEntryOutOfRange<ExecutionSpace>{element_owners_, ranks_.size()});
  if (e != tessera::detail::no_offender)
    throw MeshError("element " + std::to_string(global_elements_(e)) + " touches no node that the rank owns");
}

template <class Cells, class ExecutionSpace>
typename Mesh<Cells, ExecutionSpace>::NodeSet
Mesh<Cells, ExecutionSpace>::with_ghosts(const ExecutionSpace& exec, const NodeSet& nodes) const {
  using Range = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>;
  using Marks = Kokkos::View<Ordinal*, ExecutionSpace>;
  const Marks marks = agree(ranks_, [&] {
    const Ordinal i = tessera::detail::first_offender(
        exec, "Tessera::Mesh::check_node_set", static_cast<Ordinal>(nodes.extent(0)),
        tessera::detail::SetEntryOutOfRange<ExecutionSpace>{nodes, local_.num_nodes()});
    if (i != tessera::detail::no_offender)
      throw MeshError("with_ghosts: entry " + std::to_string(i) +
                      " names a node that the rank has not: it has " + std::to_string(local_.num_nodes()));
    return allocate_zeroed<Marks>(exec, "Tessera::Mesh::marks", local_.num_nodes());
  });
  Kokkos::parallel_for("Tessera::Mesh::mark_nodes", Range(exec, 0, static_cast<Ordinal>(nodes.extent(0))),
                       detail::MarkNodes<ExecutionSpace>{nodes, marks});
  NodeExchange<Ordinal, ExecutionSpace> exchange(exec, import_, 1);
  exchange.begin_sum(exec, marks);
  exchange.end_sum(exec, marks);
  exchange.begin(exec, marks);
  exchange.end(exec, marks);
  const Range all(exec, 0, local_.num_nodes());
  Ordinal count = 0;
  Kokkos::parallel_scan("Tessera::Mesh::count_marked", all, detail::ListMarked<ExecutionSpace>{marks, {}},
                        count);
  return agree(ranks_, [&] {
    const NodeSet list = allocate<NodeSet>(exec, "Tessera::Mesh::node_set", count);
    Ordinal filled = 0;
    Kokkos::parallel_scan("Tessera::Mesh::list_marked", all, detail::ListMarked<ExecutionSpace>{marks, list},
                          filled);
    return list;
  });
}

} // namespace tessera::distributed
