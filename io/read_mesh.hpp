// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// From files to meshes on the device.

#include <tessera/core/allocate.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/mesh/elevate.hpp>
#include <tessera/core/mesh/mesh.hpp>
#include <tessera/io/mesh_data.hpp>
#include <tessera/io/read.hpp>

#include <Kokkos_Core.hpp>

#include <string>
#include <utility>
#include <vector>

namespace tessera::io {

namespace detail {

/// Copies host values, converted row by row through `at`, to a new view on the device.
template <class View, class At, class ExecutionSpace, class... Extents>
View to_device(const ExecutionSpace& exec, const char* label, const At& at, Extents... extents) {
  const View view = allocate<View>(exec, label, extents...);
  const auto mirror = Kokkos::create_mirror_view(Kokkos::WithoutInitializing, view);
  for (std::size_t i = 0; i < mirror.extent(0); ++i) {
    if constexpr (View::rank() == 1)
      mirror(i) = at(i, 0);
    else
      for (std::size_t j = 0; j < mirror.extent(1); ++j) mirror(i, j) = at(i, j);
  }
  Kokkos::deep_copy(exec, view, mirror);
  exec.fence("Tessera::ToMesh::copy");
  return view;
}

/// \name The views of a selected mesh, and its sets. Frees the data's memory as it is copied.
///@{
template <class MeshType>
typename MeshType::Coordinates coordinates_of(const typename MeshType::execution_space& exec,
                                              MeshData& data) {
  const auto coordinates = to_device<typename MeshType::Coordinates>(
      exec, "Tessera::Mesh::coordinates",
      [&](std::size_t node, std::size_t d) { return data.points[3 * node + d]; },
      static_cast<std::size_t>(data.nodes()));
  data.points = {};
  return coordinates;
}
template <class MeshType>
typename MeshType::Connectivity connectivity_of(const typename MeshType::execution_space& exec,
                                                CellBlock& block) {
  const auto connectivity = to_device<typename MeshType::Connectivity>(
      exec, "Tessera::Mesh::connectivity",
      [&](std::size_t cell, std::size_t node) { return block.nodes[cell * MeshType::Element::nodes + node]; },
      static_cast<std::size_t>(block.cells()));
  block.nodes = {};
  return connectivity;
}
/// \param count of the materials, numbered from 0; no view for one
template <class MeshType>
typename MeshType::Materials materials_of(const typename MeshType::execution_space& exec, CellBlock& block,
                                          std::size_t count) {
  typename MeshType::Materials materials;
  if (count > 1)
    materials = to_device<typename MeshType::Materials>(
        exec, "Tessera::Mesh::materials", [&](std::size_t cell, std::size_t) { return block.material[cell]; },
        static_cast<std::size_t>(block.cells()));
  block.material = {};
  return materials;
}
template <class MeshType>
void name_elements(MeshType& mesh, const std::string& source, const Numbering& ids) {
  mesh.name_elements(
      [source, ids](Ordinal element) { return "element " + ids.name(element) + " of " + source; });
}
/// \param mesh a `Mesh`, or a `MixedMesh`
template <class MeshType>
void add_node_sets(const typename MeshType::execution_space& exec, MeshType& mesh, const MeshData& data) {
  for (const auto& entry : data.node_sets) {
    const std::vector<Ordinal>& set = entry.second;
    mesh.add_node_set(entry.first, to_device<typename MeshType::NodeSet>(
                                       exec, "Tessera::Mesh::node_set",
                                       [&](std::size_t i, std::size_t) { return set[i]; }, set.size()));
  }
}
template <class MeshType>
void add_side_sets(const typename MeshType::execution_space& exec, MeshType& mesh, const CellBlock& block) {
  for (const auto& entry : block.side_sets) {
    const std::vector<Side>& set = entry.second;
    mesh.add_side_set(entry.first,
                      to_device<typename MeshType::SideSet>(
                          exec, "Tessera::Mesh::side_set",
                          [&](std::size_t i, std::size_t j) { return j == 0 ? set[i].cell : set[i].side; },
                          set.size()));
  }
}
///@}

/// The numbers that a file gives to the elements and nodes of a mesh.
struct FileNumbers {
  const std::string& source;
  const Numbering& cells;
  const Numbering& nodes;

  /// Calls `make_mesh`. \throws MeshError with the file's name and numbers where it throws ElementError
  template <class MakeMesh>
  auto in_messages(const MakeMesh& make_mesh) const {
    try {
      return make_mesh();
    } catch (const RepeatedElementError& error) {
      throw MeshError(source + ": " + element_name(cells, nodes, error.element(), error.nodes()) +
                      " repeats element " + cells.name(error.earlier()) + error.counts);
    } catch (const ElementError& error) {
      throw MeshError(source + ": " + element_name(cells, nodes, error.element(), error.nodes()) + " " +
                      error.problem());
    }
  }
};

} // namespace detail

/// The mesh of the cells of one type in what a reader gave, with their node sets and side sets. Nodes that no
/// such cell uses are left out. Materials are numbered 0, 1, ... in the order of the file's numbers;
/// `material_labels()` has those and their names, `element_name()` the file's numbers of elements. The data's
/// memory is freed as it is copied. Linear cells of the same shape are elevated if there are no cells of the
/// type asked for.
/// \throws MeshError if there are no such cells (the message lists what there is), cells of other types would
///         be dropped unless `partial` allows it, which hears of them, plane cells do not lie in a plane z =
///         constant, or the mesh is not valid (as Mesh, with the file's name and its own numbers of elements
///         and nodes)
template <class Element, class ExecutionSpace = Kokkos::DefaultExecutionSpace>
Mesh<Element, ExecutionSpace> to_mesh(const ExecutionSpace& exec, MeshData data,
                                      const Partial& partial = {}) {
  if constexpr (Element::order > 1) {
    using Linear = typename Element::template of_order<1>;
    const CellBlock* const linear = data.find(cell_type_of<Linear>());
    if (!data.find(cell_type_of<Element>()) && linear) {
      const std::string source = data.source;
      const Numbering cells = linear->ids, nodes; // not all nodes are the file's any more
      const auto mesh = to_mesh<Linear>(exec, std::move(data), partial);
      return detail::FileNumbers{source, cells, nodes}.in_messages([&] { return elevated<Element>(mesh); });
    }
  }
  using MeshType = Mesh<Element, ExecutionSpace>;
  data = select(std::move(data), cell_type_of<Element>(), partial);
  CellBlock& block = data.blocks.front();
  const auto coordinates = detail::coordinates_of<MeshType>(exec, data);
  const auto connectivity = detail::connectivity_of<MeshType>(exec, block);
  std::vector<MaterialLabel> labels = number_materials(block, data.material_names);
  const auto materials = detail::materials_of<MeshType>(exec, block, labels.size());

  MeshType mesh = detail::FileNumbers{data.source, block.ids, data.node_ids}.in_messages(
      [&] { return MeshType(exec, coordinates, connectivity, materials); });
  mesh.label_materials(std::move(labels));
  detail::name_elements(mesh, data.source, block.ids);
  detail::add_node_sets(exec, mesh, data);
  detail::add_side_sets(exec, mesh, block);
  return mesh;
}

/// The same on the default instance.
template <class Element, class ExecutionSpace = Kokkos::DefaultExecutionSpace>
Mesh<Element, ExecutionSpace> to_mesh(MeshData data, const Partial& partial = {}) {
  return to_mesh<Element>(default_instance<ExecutionSpace>(), std::move(data), partial);
}

/// Reads the mesh of one element type from a file of any format that read_mesh_data knows.
/// \throws FileError as read_mesh_data
/// \throws MeshError as to_mesh
template <class Element, class ExecutionSpace = Kokkos::DefaultExecutionSpace>
Mesh<Element, ExecutionSpace> read_mesh(const ExecutionSpace& exec, const std::string& path,
                                        const ReadOptions& options = {}) {
  return to_mesh<Element>(exec, read_mesh_data(path, options), {options.allow_partial, options.left_out});
}

/// The same on the default instance.
template <class Element, class ExecutionSpace = Kokkos::DefaultExecutionSpace>
Mesh<Element, ExecutionSpace> read_mesh(const std::string& path, const ReadOptions& options = {}) {
  return read_mesh<Element>(default_instance<ExecutionSpace>(), path, options);
}

} // namespace tessera::io
