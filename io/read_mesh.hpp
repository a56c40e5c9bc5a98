#pragma once

/// \file
/// From a file to a mesh on the device.

#include <tessera/core/elevate.hpp>
#include <tessera/core/mesh.hpp>
#include <tessera/io/mesh_data.hpp>
#include <tessera/io/read.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace tessera::io {

/// The cells of one element type as a mesh: sets and materials come along; cells without material get 0.
///
/// If the data holds no such cells but linear ones of the same shape, these are elevated.
/// \throws MeshError as `select` (the message lists what is inside) and as the mesh's construction
template <class Element, class ExecutionSpace = Kokkos::DefaultExecutionSpace>
Mesh<Element, ExecutionSpace> to_mesh(MeshData&& data, const ExecutionSpace& exec = ExecutionSpace()) {
  constexpr CellType type{Element::shape, Element::order};
  if constexpr (Element::order > 1) {
    using Linear = typename Element::template of_order<1>;
    if (!data.find(type) && data.find({Element::shape, 1}))
      return elevated<Element>(to_mesh<Linear, ExecutionSpace>(std::move(data), exec));
  }
  using MeshType = Mesh<Element, ExecutionSpace>;
  using Host = Kokkos::HostSpace;
  const MeshData part = select(std::move(data), type);
  const CellBlock& block = *part.find(type);
  const std::vector<double> points = io::coordinates(part, Element::dimension);

  typename MeshType::Coordinates coordinates("Tessera::Mesh::coordinates", part.nodes());
  typename MeshType::Connectivity connectivity("Tessera::Mesh::connectivity", block.cells());
  Kokkos::deep_copy(coordinates, Kokkos::View<const double* [Element::dimension], Kokkos::LayoutRight, Host>(
                                     points.data(), part.nodes()));
  const auto nodes = Kokkos::create_mirror_view(connectivity);
  for (Ordinal e = 0; e < block.cells(); ++e)
    for (int n = 0; n < Element::nodes; ++n)
      nodes(e, n) = block.nodes[static_cast<std::size_t>(e) * Element::nodes + n];
  Kokkos::deep_copy(connectivity, nodes);

  typename MeshType::Materials materials;
  if (std::any_of(block.material.begin(), block.material.end(), [](auto m) { return m != 0; })) {
    materials = typename MeshType::Materials("Tessera::Mesh::materials", block.material.size());
    Kokkos::deep_copy(materials, Kokkos::View<const Ordinal*, Host>(block.material.data(), block.material.size()));
  }
  MeshType mesh(exec, coordinates, connectivity, materials);

  for (const auto& [name, members] : part.node_sets) {
    typename MeshType::NodeSet set("Tessera::Mesh::" + name, members.size());
    Kokkos::deep_copy(set, Kokkos::View<const Ordinal*, Host>(members.data(), members.size()));
    mesh.add_node_set(name, set);
  }
  for (const auto& [name, sides] : block.side_sets) {
    typename MeshType::SideSet set("Tessera::Mesh::" + name, sides.size());
    const auto host = Kokkos::create_mirror_view(set);
    for (std::size_t i = 0; i < sides.size(); ++i) {
      host(i, 0) = sides[i].cell;
      host(i, 1) = sides[i].side;
    }
    Kokkos::deep_copy(set, host);
    mesh.add_side_set(name, set);
  }
  return mesh;
}

/// Reads a mesh of one element type from any format that the library knows.
/// \throws FileError for files that cannot be read, naming file and line; MeshError as `to_mesh`
template <class Element, class ExecutionSpace = Kokkos::DefaultExecutionSpace>
Mesh<Element, ExecutionSpace> read_mesh(const std::string& path, const ExecutionSpace& exec = ExecutionSpace()) {
  return to_mesh<Element, ExecutionSpace>(read_mesh_data(path), exec);
}

} // namespace tessera::io
