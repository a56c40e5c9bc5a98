// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What a space knows of its nodes and not of its elements: copies share it, and so do the spaces of several
// blocks over the same nodes.

#include <tessera/core/space/equations.hpp>
#include <tessera/core/space/robin.hpp>
#include <tessera/core/types.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace tessera::detail {

inline constexpr int max_components = 8;

/// Sparse vector over degrees of freedom, ascending and unique.
template <class ExecutionSpace>
struct SparseDofs {
  Kokkos::View<Ordinal*, ExecutionSpace> dofs;
  Kokkos::View<double*, ExecutionSpace> values;
};

/// Essential constraints, and the numbering of equations that follows from them.
template <class ExecutionSpace>
struct ConstraintState {
  std::size_t revision = 0;
  std::vector<std::uint8_t> mask; ///< node: constrained, or following from corners; empty without either
  std::vector<double> prescribed; ///< degree of freedom
  Equations<ExecutionSpace> equations;
  Kokkos::View<double*, ExecutionSpace> device_prescribed;
  std::size_t equations_revision = 0; ///< that the numbering of `equations` is of
  bool prescribed_current = true;
};

/// Natural loads and Robin sides.
template <class ExecutionSpace>
struct NaturalState {
  std::map<Ordinal, double> loads;        ///< degree of freedom
  SparseDofs<ExecutionSpace> load_memory; ///< room for the loads, and perhaps more
  SparseDofs<ExecutionSpace> load_vector;
  bool loads_current = false;
  /// pair of nodes, component
  std::map<std::pair<Ordinal, Ordinal>, std::array<double, max_components>> robin_products;
  std::map<Ordinal, std::array<double, max_components>> robin_loads;
  RobinSides<ExecutionSpace> robin;
  bool robin_current = true;
};

} // namespace tessera::detail
