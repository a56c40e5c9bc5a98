// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The elements that can be computed while ghosts' values are under way, and those that cannot.

#include <tessera/core/allocate.hpp>
#include <tessera/core/default_instance.hpp>
#include <tessera/core/mesh/mesh.hpp>
#include <tessera/distributed/mesh.hpp>

#include <Kokkos_Core.hpp>

namespace tessera::distributed {

namespace detail {

/// Lists the elements that have a ghost, or those that have none, ascending; of those alone that a rank owns
/// where their owners are given.
template <class Element, class ExecutionSpace>
struct ListSide {
  typename MeshKernel<Element, ExecutionSpace>::Connectivity connectivity;
  Ordinal owned;
  bool border;
  Kokkos::View<const int*, ExecutionSpace> owners; ///< may be empty
  int rank;
  Kokkos::View<Ordinal*, ExecutionSpace> list; ///< empty while counting
  KOKKOS_FUNCTION void operator()(Ordinal element, Ordinal& count, bool final) const {
    bool ghost = false;
    for (int n = 0; n < Element::nodes; ++n) ghost = ghost || connectivity(element, n) >= owned;
    if (ghost != border || (owners.extent(0) > 0 && owners(element) != rank)) return;
    if (final && list.extent(0) > 0) list(count) = element;
    ++count;
  }
};

template <class Element, class ExecutionSpace>
struct CopyElements {
  using MeshType = tessera::Mesh<Element, ExecutionSpace>;
  Kokkos::View<const Ordinal*, ExecutionSpace> list;
  typename MeshType::Kernel from;
  typename MeshType::Connectivity connectivity;
  typename MeshType::Materials materials;
  KOKKOS_FUNCTION void operator()(Ordinal e) const {
    for (int n = 0; n < Element::nodes; ++n) connectivity(e, n) = from.connectivity(list(e), n);
    if (materials.extent(0) > 0) materials(e) = from.materials(list(e));
  }
};

/// Where each element of a rank stands in a list of some of them.
template <class ExecutionSpace>
struct PlaceInList {
  Kokkos::View<const Ordinal*, ExecutionSpace> list;
  Kokkos::View<Ordinal*, ExecutionSpace> place;
  KOKKOS_FUNCTION void operator()(Ordinal i) const { place(list(i)) = i; }
};

/// Keeps the sides whose elements have a place, in their order.
template <class Element, class ExecutionSpace>
struct KeepSides {
  using SideSet = typename tessera::Mesh<Element, ExecutionSpace>::SideSet;
  Kokkos::View<const Ordinal*, ExecutionSpace> place; ///< of an element; negative: none
  SideSet from;
  SideSet kept; ///< empty while counting
  KOKKOS_FUNCTION void operator()(Ordinal i, Ordinal& count, bool final) const {
    const Ordinal element = place(from(i, 0));
    if (element < 0) return;
    if (final && kept.extent(0) > 0) {
      kept(count, 0) = element;
      kept(count, 1) = from(i, 1);
    }
    ++count;
  }
};

/// Gives a mesh of some elements the sets of the whole one: its node sets, for all nodes are there, and of
/// its side sets the sides of these elements.
template <class Element, class ExecutionSpace>
void add_sets(const ExecutionSpace& exec, const tessera::Mesh<Element, ExecutionSpace>& whole,
              const Kokkos::View<Ordinal*, ExecutionSpace>& elements,
              tessera::Mesh<Element, ExecutionSpace>& part) {
  using List = Kokkos::View<Ordinal*, ExecutionSpace>;
  using Range = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>;
  for (const auto& [name, nodes] : whole.node_sets()) part.add_node_set(exec, name, nodes);
  const auto place = allocate<List>(exec, "Tessera::SplitMesh::place", whole.num_elements());
  Kokkos::deep_copy(exec, place, -1);
  Kokkos::parallel_for("Tessera::SplitMesh::place", Range(exec, 0, static_cast<Ordinal>(elements.extent(0))),
                       PlaceInList<ExecutionSpace>{elements, place});
  for (const auto& [name, sides] : whole.side_sets()) {
    KeepSides<Element, ExecutionSpace> keep{place, sides, {}};
    const Range all(exec, 0, static_cast<Ordinal>(sides.extent(0)));
    Ordinal count = 0;
    Kokkos::parallel_scan("Tessera::SplitMesh::count_sides", all, keep, count);
    keep.kept = allocate<typename KeepSides<Element, ExecutionSpace>::SideSet>(
        exec, "Tessera::Mesh::side_set", count);
    Kokkos::parallel_scan("Tessera::SplitMesh::keep_sides", all, keep, count);
    part.add_side_set(exec, name, keep.kept);
  }
}

} // namespace detail

/// Some of a rank's elements, with all its nodes, their sides that are in sets, and all node sets.
template <class Element, class ExecutionSpace>
struct MeshSide {
  Kokkos::View<Ordinal*, ExecutionSpace> elements; ///< among those of the rank, ascending
  tessera::Mesh<Element, ExecutionSpace> mesh;
};

/// A rank's elements in two meshes over the same nodes. The sum of operators or residuals of both is that of
/// the rank: the interior needs no ghost's value.
template <class Element, class ExecutionSpace>
struct SplitMesh {
  MeshSide<Element, ExecutionSpace> interior; ///< elements without a ghost
  MeshSide<Element, ExecutionSpace> border;
};

namespace detail {

/// \param owners of elements, or empty to take all
template <class Element, class ExecutionSpace>
SplitMesh<Element, ExecutionSpace> split_elements(const ExecutionSpace& exec,
                                                  const Mesh<Element, ExecutionSpace>& mesh,
                                                  const Kokkos::View<const int*, ExecutionSpace>& owners) {
  using MeshType = tessera::Mesh<Element, ExecutionSpace>;
  using List = Kokkos::View<Ordinal*, ExecutionSpace>;
  using Range = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>;
  const MeshType& local = mesh.local();
  const auto coordinates =
      allocate<typename MeshType::Coordinates>(exec, "Tessera::Mesh::coordinates", local.num_nodes());
  Kokkos::deep_copy(exec, coordinates, local.coordinates());
  const auto side = [&](bool border) -> MeshSide<Element, ExecutionSpace> {
    ListSide<Element, ExecutionSpace> pick{
        local.connectivity(), mesh.owned_nodes(), border, owners, mesh.ranks().rank(), {}};
    const Range all(exec, 0, local.num_elements());
    Ordinal count = 0;
    Kokkos::parallel_scan("Tessera::SplitMesh::count", all, pick, count);
    pick.list = allocate<List>(exec, "Tessera::SplitMesh::elements", count);
    Kokkos::parallel_scan("Tessera::SplitMesh::list", all, pick, count);
    const CopyElements<Element, ExecutionSpace> copy{
        pick.list, local.kernel(),
        allocate<typename MeshType::Connectivity>(exec, "Tessera::Mesh::connectivity", count),
        allocate<typename MeshType::Materials>(exec, "Tessera::Mesh::materials",
                                               local.materials().extent(0) > 0 ? count : 0)};
    Kokkos::parallel_for("Tessera::SplitMesh::copy", Range(exec, 0, count), copy);
    MeshType part(exec, coordinates, copy.connectivity, copy.materials);
    add_sets(exec, local, pick.list, part);
    return {pick.list, part};
  };
  return {side(false), side(true)};
}

} // namespace detail

/// Splits what a rank has of a mesh. Coordinates are copied once, for both; coefficients by element must be
/// taken by the lists of elements. \throws OutOfMemoryError
template <class Element, class ExecutionSpace>
SplitMesh<Element, ExecutionSpace> split_mesh(const ExecutionSpace& exec,
                                              const Mesh<Element, ExecutionSpace>& mesh) {
  return detail::split_elements(exec, mesh, {});
}

/// The same of the elements that the rank owns, so that each is on one rank: for `RowExport`.
template <class Element, class ExecutionSpace>
SplitMesh<Element, ExecutionSpace> own_elements(const ExecutionSpace& exec,
                                                const Mesh<Element, ExecutionSpace>& mesh) {
  return detail::split_elements<Element, ExecutionSpace>(exec, mesh, mesh.element_owners());
}

} // namespace tessera::distributed
