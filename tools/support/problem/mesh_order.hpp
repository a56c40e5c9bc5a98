// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Meshes in the orders of `Problem::order`.

#include <tessera/core/mesh/mesh.hpp>
#include <tessera/core/mesh/renumber.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace tessera::tools {

template <class ExecutionSpace>
Permutation<ExecutionSpace> random_order(const ExecutionSpace& exec, Ordinal items, unsigned seed) {
  std::vector<Ordinal> order(items);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937(seed));
  const Kokkos::View<Ordinal*, ExecutionSpace> view("Tessera::tools::random_order", order.size());
  Kokkos::deep_copy(view, Kokkos::View<const Ordinal*, Kokkos::HostSpace>(order.data(), order.size()));
  return make_permutation(exec, view);
}

/// A mesh with the numbers of nodes and elements that an order names: given, hilbert or shuffled.
template <class Element, class ExecutionSpace>
Mesh<Element, ExecutionSpace> in_order(const ExecutionSpace& exec, const Mesh<Element, ExecutionSpace>& mesh,
                                       const std::string& order) {
  if (order == "hilbert") return hilbert_renumbered(exec, mesh);
  if (order == "shuffled")
    return renumber(exec, mesh, random_order(exec, mesh.num_nodes(), 1),
                    random_order(exec, mesh.num_elements(), 2));
  return mesh;
}

} // namespace tessera::tools
