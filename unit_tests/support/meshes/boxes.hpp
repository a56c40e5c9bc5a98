// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <tessera/core/mesh/mesh.hpp>
#include <tessera/core/types.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

namespace tessera::test {

/// A mesh on the host, made by hand: node coordinates (node × dimension) and connectivity (element × node),
/// row-major.
struct RawMesh {
  std::size_t element_nodes = 0;
  std::size_t dimension = 0;
  std::vector<double> coordinates;
  std::vector<Ordinal> connectivity;

  std::size_t nodes() const { return coordinates.size() / dimension; }
  std::size_t elements() const { return connectivity.size() / element_nodes; }
  Ordinal node(std::size_t element, std::size_t i) const { return connectivity[element * element_nodes + i]; }

  /// The connectivity on the device in the given layout.
  template <class ExecutionSpace, class Layout = typename ExecutionSpace::array_layout>
  Kokkos::View<const Ordinal**, Layout, ExecutionSpace> device_connectivity() const {
    Kokkos::View<Ordinal**, Layout, ExecutionSpace> view("Tessera::Test::connectivity", elements(),
                                                         element_nodes);
    const auto mirror = Kokkos::create_mirror_view(view);
    for (std::size_t e = 0; e < elements(); ++e)
      for (std::size_t i = 0; i < element_nodes; ++i) mirror(e, i) = node(e, i);
    Kokkos::deep_copy(view, mirror);
    return view;
  }

  /// The coordinates on the device.
  template <class ExecutionSpace>
  Kokkos::View<const double**, ExecutionSpace> device_coordinates() const {
    Kokkos::View<double**, ExecutionSpace> view("Tessera::Test::coordinates", nodes(), dimension);
    const auto mirror = Kokkos::create_mirror_view(view);
    for (std::size_t n = 0; n < nodes(); ++n)
      for (std::size_t d = 0; d < dimension; ++d) mirror(n, d) = coordinates[n * dimension + d];
    Kokkos::deep_copy(view, mirror);
    return view;
  }
};

namespace detail {

/// Cells of an nx × ny × nz box; each cell's corners (bit b of a corner's number: axis b) are joined as
/// `cells` lists.
template <std::size_t N>
RawMesh box(int nx, int ny, int nz, const std::vector<std::array<int, N>>& cells) {
  RawMesh mesh{.element_nodes = N, .dimension = 3, .coordinates = {}, .connectivity = {}};
  for (int k = 0; k <= nz; ++k)
    for (int j = 0; j <= ny; ++j)
      for (int i = 0; i <= nx; ++i)
        for (const double x : {double(i) / nx, double(j) / ny, double(k) / nz}) mesh.coordinates.push_back(x);
  for (int k = 0; k < nz; ++k)
    for (int j = 0; j < ny; ++j)
      for (int i = 0; i < nx; ++i)
        for (const auto& cell : cells)
          for (const int corner : cell)
            mesh.connectivity.push_back(
                (i + (corner & 1)) + (nx + 1) * ((j + ((corner >> 1) & 1)) + (ny + 1) * (k + (corner >> 2))));
  return mesh;
}

} // namespace detail

/// Hexahedra of a unit box, in VTK's numbering.
inline RawMesh hexahedra(int nx, int ny, int nz) {
  return detail::box<8>(nx, ny, nz, {{0, 1, 3, 2, 4, 5, 7, 6}});
}

/// Kuhn's six tetrahedra in every cell of a unit box.
inline RawMesh tetrahedra(int nx, int ny, int nz) {
  return detail::box<4>(nx, ny, nz,
                        {{0, 1, 3, 7}, {0, 5, 1, 7}, {0, 3, 2, 7}, {0, 2, 6, 7}, {0, 4, 5, 7}, {0, 6, 4, 7}});
}

/// The mesh of `Element` that a raw mesh describes.
template <class Element, class ExecutionSpace>
Mesh<Element, ExecutionSpace> mesh_of(const RawMesh& raw) {
  using MeshType = Mesh<Element, ExecutionSpace>;
  typename MeshType::Coordinates coordinates("Tessera::Test::coordinates", raw.nodes());
  typename MeshType::Connectivity connectivity("Tessera::Test::connectivity", raw.elements());
  const auto x = Kokkos::create_mirror_view(coordinates);
  const auto nodes = Kokkos::create_mirror_view(connectivity);
  for (std::size_t n = 0; n < raw.nodes(); ++n)
    for (std::size_t d = 0; d < raw.dimension; ++d) x(n, d) = raw.coordinates[n * raw.dimension + d];
  for (std::size_t e = 0; e < raw.elements(); ++e)
    for (std::size_t i = 0; i < raw.element_nodes; ++i) nodes(e, i) = raw.node(e, i);
  Kokkos::deep_copy(coordinates, x);
  Kokkos::deep_copy(connectivity, nodes);
  return MeshType(coordinates, connectivity);
}

/// Triangles around one node, none of which can share a color.
inline RawMesh fan(int triangles) {
  RawMesh mesh{.element_nodes = 3, .dimension = 2, .coordinates = {0, 0}, .connectivity = {}};
  for (int i = 0; i < triangles; ++i) {
    const double angle = 6.283185307179586 * i / triangles;
    mesh.coordinates.insert(mesh.coordinates.end(), {std::cos(angle), std::sin(angle)});
    mesh.connectivity.insert(mesh.connectivity.end(), {0, 1 + i, 1 + (i + 1) % triangles});
  }
  return mesh;
}

/// The same mesh with its elements and nodes in random order.
inline RawMesh shuffled(const RawMesh& mesh, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::vector<std::size_t> element_order(mesh.elements()), new_node(mesh.nodes());
  for (std::size_t e = 0; e < element_order.size(); ++e) element_order[e] = e;
  for (std::size_t n = 0; n < new_node.size(); ++n) new_node[n] = n;
  std::shuffle(element_order.begin(), element_order.end(), random);
  std::shuffle(new_node.begin(), new_node.end(), random);
  RawMesh result = mesh;
  for (std::size_t e = 0; e < mesh.elements(); ++e)
    for (std::size_t i = 0; i < mesh.element_nodes; ++i)
      result.connectivity[e * mesh.element_nodes + i] =
          static_cast<Ordinal>(new_node[mesh.node(element_order[e], i)]);
  for (std::size_t n = 0; n < mesh.nodes(); ++n)
    for (std::size_t d = 0; d < mesh.dimension; ++d)
      result.coordinates[new_node[n] * mesh.dimension + d] = mesh.coordinates[n * mesh.dimension + d];
  return result;
}

} // namespace tessera::test
