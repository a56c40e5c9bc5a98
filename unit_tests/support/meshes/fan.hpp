// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "support/meshes/test_meshes.hpp"
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

namespace tessera::test {

/// A ring of elements around a node (triangles) or around the edge between two nodes (tetrahedra), numbers
/// shuffled: the nodes in the middle have all others as neighbours, spread over several windows.
template <class Element, class ExecutionSpace>
Mesh<Element, ExecutionSpace> fan(int elements) {
  constexpr int middle = Element::dimension - 1;
  HostMesh<Element, ExecutionSpace> host(
      io::box_mesh<Element, ExecutionSpace>({{1, 1, Element::dimension - 2}}));
  Kokkos::resize(host.coordinates, elements + middle);
  Kokkos::resize(host.connectivity, elements);
  std::vector<Ordinal> number(elements + middle);
  std::iota(number.begin(), number.end(), 0);
  std::shuffle(number.begin() + 1, number.end(), std::mt19937(20261121)); // node 0 stays in the middle
  for (int i = 0; i < middle; ++i)
    for (int d = 0; d < Element::dimension; ++d) host.coordinates(number[i], d) = i * (d == 2);
  for (int i = 0; i < elements; ++i) {
    const double angle = 6.283185307179586 * i / elements;
    const Ordinal node = number[middle + i];
    host.coordinates(node, 0) = std::cos(angle);
    host.coordinates(node, 1) = std::sin(angle);
    if (Element::dimension == 3) host.coordinates(node, Element::dimension - 1) = 0.5;
    host.connectivity(i, 0) = 0;
    host.connectivity(i, 1) = node;
    host.connectivity(i, 2) = number[middle + (i + 1) % elements];
    if (Element::dimension == 3) host.connectivity(i, Element::dimension) = number[1];
  }
  host.materials.assign(elements, 0);
  for (int i = 0; i < elements; i += 3) host.materials[i] = 1;
  return host.mesh();
}

} // namespace tessera::test
