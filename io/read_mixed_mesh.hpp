// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// From files to meshes of several element types.

#include <tessera/core/blocks/mixed_elevate.hpp>
#include <tessera/core/blocks/mixed_mesh.hpp>
#include <tessera/io/mesh_data.hpp>
#include <tessera/io/read_mesh.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace tessera::io {

namespace detail {

template <class List>
struct ToMixedMesh;
template <class First, class... Others>
struct ToMixedMesh<Blocks<First, Others...>> {
  static constexpr std::array<CellType, 1 + sizeof...(Others)> types{cell_type_of<First>(),
                                                                     cell_type_of<Others>()...};

  /// Whether there are cells of the types of order one alone.
  static bool is_linear(const MeshData& data) {
    const auto has = [&](CellType type) {
      const CellBlock* const block = data.find(type);
      return block != nullptr && block->cells() > 0;
    };
    return !std::any_of(types.begin(), types.end(), has) &&
           (has(cell_type_of<typename First::template of_order<1>>()) || ... ||
            has(cell_type_of<typename Others::template of_order<1>>()));
  }

  template <class ExecutionSpace>
  static MixedMesh<Blocks<First, Others...>, ExecutionSpace> make(const ExecutionSpace& exec, MeshData data,
                                                                  const Partial& partial) {
    if constexpr (First::order > 1) {
      using Linear = Blocks<typename First::template of_order<1>, typename Others::template of_order<1>...>;
      if (is_linear(data))
        return elevated<Blocks<First, Others...>>(ToMixedMesh<Linear>::make(exec, std::move(data), partial));
    }
    data = select(std::move(data), types, partial);
    const auto labels = number_materials(data.blocks, data.material_names);
    std::size_t next = 0;
    const auto block_over = [&]<class Element, class Nodes>(std::type_identity<Element>, const Nodes& nodes) {
      using MeshType = Mesh<Element, ExecutionSpace>;
      CellBlock& block = data.blocks[next++];
      const auto connectivity = connectivity_of<MeshType>(exec, block);
      const auto materials = materials_of<MeshType>(exec, block, labels.size());
      MeshType mesh = FileNumbers{data.source, block.ids, data.node_ids}.in_messages(
          [&] { return MeshType(exec, nodes, connectivity, materials); });
      name_elements(mesh, data.source, block.ids);
      add_side_sets(exec, mesh, block);
      return mesh;
    };
    const auto coordinates = coordinates_of<Mesh<First, ExecutionSpace>>(exec, data);
    const auto first = block_over(std::type_identity<First>(), coordinates);
    // Braces: one after the other.
    const std::tuple<Mesh<Others, ExecutionSpace>...> others{
        block_over(std::type_identity<Others>(), first)...};
    auto mesh = std::apply(
        [&](const auto&... other) {
          return MixedMesh<Blocks<First, Others...>, ExecutionSpace>(first, other...);
        },
        others);
    mesh.label_materials(labels);
    add_node_sets(exec, mesh, data);
    return mesh;
  }
};

} // namespace detail

/// The mesh of the cells of several types in what a reader gave, with their node sets and side sets: as
/// `to_mesh` for one. Blocks of types that there are no cells of are empty; materials are numbered over all
/// blocks.
/// \tparam List `Blocks<Hex<1>, Wedge<1>, Pyramid<1>, Tet<1>>`, say
/// \throws MeshError as `to_mesh`, if there are no cells of any of the types, or cells of others would be
///         dropped unless `partial` allows it, which hears of them. Cells of order one alone are elevated, as
///         by `elevated`.
template <class List, class ExecutionSpace = Kokkos::DefaultExecutionSpace>
MixedMesh<List, ExecutionSpace> to_mixed_mesh(const ExecutionSpace& exec, MeshData data,
                                              const Partial& partial = {}) {
  return detail::ToMixedMesh<List>::make(exec, std::move(data), partial);
}
/// The same on the default instance.
template <class List, class ExecutionSpace = Kokkos::DefaultExecutionSpace>
MixedMesh<List, ExecutionSpace> to_mixed_mesh(MeshData data, const Partial& partial = {}) {
  return to_mixed_mesh<List>(default_instance<ExecutionSpace>(), std::move(data), partial);
}

/// Reads the mesh of several element types from a file of any format that read_mesh_data knows.
/// \throws FileError as read_mesh_data
/// \throws MeshError as to_mixed_mesh
template <class List, class ExecutionSpace = Kokkos::DefaultExecutionSpace>
MixedMesh<List, ExecutionSpace> read_mixed_mesh(const ExecutionSpace& exec, const std::string& path,
                                                const ReadOptions& options = {}) {
  return to_mixed_mesh<List>(exec, read_mesh_data(path, options), {options.allow_partial, options.left_out});
}
/// The same on the default instance.
template <class List, class ExecutionSpace = Kokkos::DefaultExecutionSpace>
MixedMesh<List, ExecutionSpace> read_mixed_mesh(const std::string& path, const ReadOptions& options = {}) {
  return read_mixed_mesh<List>(default_instance<ExecutionSpace>(), path, options);
}

} // namespace tessera::io
