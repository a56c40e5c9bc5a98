// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Meshes that hide no luck: sheared and curved boxes with shuffled numbers, two materials.

#include <tessera/io/generate/box.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

namespace tessera::test {

/// A host copy of a mesh that tests may change before they make a new one of it.
template <class Element, class ExecutionSpace>
struct HostMesh {
  using MeshType = Mesh<Element, ExecutionSpace>;
  typename MeshType::Coordinates::host_mirror_type coordinates;
  typename MeshType::Connectivity::host_mirror_type connectivity;
  std::vector<Ordinal> materials;

  explicit HostMesh(const MeshType& mesh)
      : coordinates(Kokkos::create_mirror(mesh.coordinates())),
        connectivity(Kokkos::create_mirror(mesh.connectivity())) {
    Kokkos::deep_copy(coordinates, mesh.coordinates());
    Kokkos::deep_copy(connectivity, mesh.connectivity());
  }

  MeshType mesh() const {
    typename MeshType::Coordinates x("Tessera::Test::coordinates", coordinates.extent(0));
    typename MeshType::Connectivity nodes("Tessera::Test::connectivity", connectivity.extent(0));
    typename MeshType::Materials material("Tessera::Test::materials", materials.size());
    Kokkos::deep_copy(x, coordinates);
    Kokkos::deep_copy(nodes, connectivity);
    Kokkos::deep_copy(material,
                      Kokkos::View<const Ordinal*, Kokkos::HostSpace>(materials.data(), materials.size()));
    return MeshType(x, nodes, material);
  }
};

/// Writes into a view that a mesh hands out for reading, as an application can that kept the view it made the
/// mesh of: what `Mesh::move` would refuse.
template <class View, class Values>
void overwrite(const View& view, const Values& values) {
  using Writable = Kokkos::View<typename View::non_const_data_type, typename View::array_layout,
                                typename View::device_type, Kokkos::MemoryUnmanaged>;
  Kokkos::deep_copy(Writable(const_cast<typename View::non_const_value_type*>(view.data()), view.extent(0)),
                    values);
}

/// Constrains every fifth node, wholly or in its first component, and puts a load on node 1.
template <class Space>
void constrain(Space& space) {
  for (Ordinal node = 0; node < space.mesh().num_nodes(); node += 5) {
    const int components = node % 2 == 0 ? space.components() : 1;
    for (int c = 0; c < components; ++c) space.constrain(node, c, 0.1 * node + c);
  }
  space.add_point_load(1, 0, 2.5);
}

/// Shears, bends and shuffles a box; elements get materials 0 and 1 at random. Fixed seed.
template <class Element, class ExecutionSpace>
Mesh<Element, ExecutionSpace> distorted_box(const io::Box& box) {
  HostMesh<Element, ExecutionSpace> host(io::box_mesh<Element, ExecutionSpace>(box));
  std::mt19937 random(20261121);
  const auto nodes = static_cast<Ordinal>(host.coordinates.extent(0));
  const auto elements = static_cast<Ordinal>(host.connectivity.extent(0));
  std::vector<Ordinal> number(nodes), order(elements);
  std::iota(number.begin(), number.end(), 0);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(number.begin(), number.end(), random);
  std::shuffle(order.begin(), order.end(), random);

  const HostMesh<Element, ExecutionSpace> old = host;
  const auto coordinates = Kokkos::create_mirror(old.coordinates);
  const auto connectivity = Kokkos::create_mirror(old.connectivity);
  for (Ordinal n = 0; n < nodes; ++n) {
    const double x = old.coordinates(n, 0), y = old.coordinates(n, 1);
    const double z = Element::dimension == 3 ? old.coordinates(n, Element::dimension - 1) : 0.0;
    const double moved[3] = {x + 0.3 * y + 0.05 * std::sin(2 * y + z), y + 0.2 * z + 0.04 * std::cos(3 * x),
                             z + 0.1 * x + 0.03 * std::sin(x + 2 * y)};
    for (int d = 0; d < Element::dimension; ++d) coordinates(number[n], d) = moved[d];
  }
  for (Ordinal e = 0; e < elements; ++e)
    for (int n = 0; n < Element::nodes; ++n) connectivity(e, n) = number[old.connectivity(order[e], n)];
  host.coordinates = coordinates;
  host.connectivity = connectivity;
  for (Ordinal e = 0; e < elements; ++e) host.materials.push_back(static_cast<Ordinal>(random() % 2));
  return host.mesh();
}

} // namespace tessera::test
