// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// A mesh with other numbers of its nodes and elements.

#include <tessera/core/error.hpp>
#include <tessera/core/graphs/reorder.hpp>
#include <tessera/core/mesh/mesh.hpp>

#include <Kokkos_Core.hpp>

#include <string>
#include <utility>
#include <vector>

namespace tessera {

namespace detail {

template <class ExecutionSpace>
struct LeadsElsewhere {
  Kokkos::View<const Ordinal*, ExecutionSpace> there, back;
  KOKKOS_FUNCTION bool operator()(Ordinal i) const { return back(there(i)) != i; }
};

/// \throws ArgumentError naming the first entry that makes two lists no permutation of 0 ... items - 1 and
/// its
///   inverse
template <class ExecutionSpace>
void check_permutation(const ExecutionSpace& exec, const Permutation<ExecutionSpace>& permutation,
                       Ordinal items, const std::string& what) {
  for (const std::size_t extent : {permutation.new_to_old.extent(0), permutation.old_to_new.extent(0)})
    if (extent != static_cast<std::size_t>(items))
      throw ArgumentError("renumber: a permutation of " + std::to_string(extent) + " " + what +
                          " for a mesh of " + std::to_string(items));
  const auto refuse = [&](Ordinal entry, const std::string& problem) {
    Ordinal value = 0;
    Kokkos::deep_copy(value, Kokkos::subview(permutation.new_to_old, entry));
    throw ArgumentError("renumber: the permutation of " + what + ": new_to_old(" + std::to_string(entry) +
                        ") is " + std::to_string(value) + problem);
  };
  Ordinal entry = first_offender(exec, "Tessera::renumber::check_range", items,
                                 SetEntryOutOfRange<ExecutionSpace>{permutation.new_to_old, items});
  if (entry != no_offender) refuse(entry, "; numbers are 0 to " + std::to_string(items - 1));
  // Where all lead there and back, no number stands twice, so that none is left out.
  entry = first_offender(exec, "Tessera::renumber::check_inverse", items,
                         LeadsElsewhere<ExecutionSpace>{permutation.new_to_old, permutation.old_to_new});
  if (entry != no_offender)
    refuse(entry, ", and old_to_new does not lead back: the number stands twice, or old_to_new is not the "
                  "inverse");
}

/// A mesh's coordinates under new numbers.
template <class Element, class ExecutionSpace>
typename Mesh<Element, ExecutionSpace>::Coordinates
renumbered_coordinates(const ExecutionSpace& exec, const Mesh<Element, ExecutionSpace>& mesh,
                       const Permutation<ExecutionSpace>& nodes) {
  using Coordinates = typename Mesh<Element, ExecutionSpace>::Coordinates;
  const auto old_node = nodes.new_to_old;
  const auto old_coordinates = mesh.coordinates();
  const auto coordinates = allocate<Coordinates>(exec, "Tessera::Mesh::coordinates", mesh.num_nodes());
  Kokkos::parallel_for(
      "Tessera::renumber::coordinates",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>(exec, 0, mesh.num_nodes()),
      KOKKOS_LAMBDA(const Ordinal node) {
        for (int d = 0; d < Element::dimension; ++d)
          coordinates(node, d) = old_coordinates(old_node(node), d);
      });
  return coordinates;
}

/// Elements of a mesh and their materials.
template <class Element, class ExecutionSpace>
struct RenumberedCells {
  typename Mesh<Element, ExecutionSpace>::Connectivity connectivity;
  typename Mesh<Element, ExecutionSpace>::Materials materials;
};

/// A mesh's elements and materials under new numbers.
template <class Element, class ExecutionSpace>
RenumberedCells<Element, ExecutionSpace>
renumbered_cells(const ExecutionSpace& exec, const Mesh<Element, ExecutionSpace>& mesh,
                 const Permutation<ExecutionSpace>& nodes, const Permutation<ExecutionSpace>& elements) {
  using Cells = RenumberedCells<Element, ExecutionSpace>;
  const auto new_node = nodes.old_to_new;
  const auto old_element = elements.new_to_old;
  const auto old_connectivity = mesh.connectivity();
  const auto old_materials = mesh.materials();
  const auto connectivity =
      allocate<decltype(Cells::connectivity)>(exec, "Tessera::Mesh::connectivity", mesh.num_elements());
  const auto materials =
      allocate<decltype(Cells::materials)>(exec, "Tessera::Mesh::materials", old_materials.extent(0));
  Kokkos::parallel_for(
      "Tessera::renumber::elements",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>(exec, 0, mesh.num_elements()),
      KOKKOS_LAMBDA(const Ordinal e) {
        for (int n = 0; n < Element::nodes; ++n)
          connectivity(e, n) = new_node(old_connectivity(old_element(e), n));
        if (materials.extent(0) > 0) materials(e) = old_materials(old_element(e));
      });
  return {connectivity, materials};
}

/// Gives a renumbered mesh the names of a mesh's materials and elements, and its sets under new numbers.
template <class Element, class ExecutionSpace>
void add_names_and_sets(const ExecutionSpace& exec, const Mesh<Element, ExecutionSpace>& mesh,
                        const Permutation<ExecutionSpace>& nodes, const Permutation<ExecutionSpace>& elements,
                        Mesh<Element, ExecutionSpace>& renumbered) {
  using MeshType = Mesh<Element, ExecutionSpace>;
  using Range = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>;
  const auto new_node = nodes.old_to_new, new_element = elements.old_to_new;
  renumbered.label_materials(mesh.material_labels());
  if (mesh.element_names()) {
    std::vector<Ordinal> old(elements.new_to_old.extent(0));
    Kokkos::deep_copy(Kokkos::View<Ordinal*, Kokkos::HostSpace>(old.data(), old.size()), elements.new_to_old);
    renumbered.name_elements([names = mesh.element_names(), old = std::move(old)](Ordinal element) {
      return names(old[static_cast<std::size_t>(element)]);
    });
  }
  for (const auto& [name, old_set] : mesh.node_sets()) {
    const auto set = allocate<typename MeshType::NodeSet>(exec, "Tessera::Mesh::node_set", old_set.extent(0));
    const typename MeshType::NodeSet source = old_set;
    Kokkos::parallel_for(
        "Tessera::renumber::node_set", Range(exec, 0, static_cast<Ordinal>(set.extent(0))),
        KOKKOS_LAMBDA(const Ordinal i) { set(i) = new_node(source(i)); });
    renumbered.add_node_set(exec, name, set);
  }
  for (const auto& [name, old_set] : mesh.side_sets()) {
    const auto set = allocate<typename MeshType::SideSet>(exec, "Tessera::Mesh::side_set", old_set.extent(0));
    const typename MeshType::SideSet source = old_set;
    Kokkos::parallel_for(
        "Tessera::renumber::side_set", Range(exec, 0, static_cast<Ordinal>(set.extent(0))),
        KOKKOS_LAMBDA(const Ordinal i) {
          set(i, 0) = new_element(source(i, 0));
          set(i, 1) = source(i, 1);
        });
    renumbered.add_side_set(exec, name, set);
  }
  exec.fence("Tessera::renumber");
}

} // namespace detail

/// The same mesh under new numbers: coordinates, connectivity, materials and sets. The order of an element's
/// nodes within it stays.
///
/// \param exec     instance that runs the kernels; the call returns after they have ended
/// \param nodes    for every node of the mesh
/// \param elements for every element of the mesh
/// \throws ArgumentError if a permutation is not as long as there are nodes or elements, or naming the entry
///   of new_to_old that is out of range, or that old_to_new does not lead back from, as where a number stands
///   twice; OutOfMemoryError
template <class Element, class ExecutionSpace>
Mesh<Element, ExecutionSpace> renumber(const ExecutionSpace& exec, const Mesh<Element, ExecutionSpace>& mesh,
                                       const Permutation<ExecutionSpace>& nodes,
                                       const Permutation<ExecutionSpace>& elements) {
  detail::check_permutation(exec, nodes, mesh.num_nodes(), "nodes");
  detail::check_permutation(exec, elements, mesh.num_elements(), "elements");
  const auto cells = detail::renumbered_cells(exec, mesh, nodes, elements);
  Mesh<Element, ExecutionSpace> renumbered(exec, detail::renumbered_coordinates(exec, mesh, nodes),
                                           cells.connectivity, cells.materials);
  detail::add_names_and_sets(exec, mesh, nodes, elements, renumbered);
  return renumbered;
}

/// The same mesh with its nodes, and its elements by the means of their nodes, numbered along the Hilbert
/// curve: what lies close in space lies close in memory. Deterministic.
/// \throws MeshError for a coordinate that is not finite; OutOfMemoryError
template <class Element, class ExecutionSpace>
Mesh<Element, ExecutionSpace> hilbert_renumbered(const ExecutionSpace& exec,
                                                 const Mesh<Element, ExecutionSpace>& mesh) {
  return renumber(exec, mesh, hilbert_order(exec, mesh.coordinates()),
                  hilbert_order(exec, element_centroids(exec, mesh.coordinates(), mesh.connectivity())));
}

} // namespace tessera
