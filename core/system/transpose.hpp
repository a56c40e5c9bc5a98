// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The transpose of an assembled matrix, as adjoint problems need it.

#include <tessera/core/error.hpp>
#include <tessera/core/graphs/ascending_list.hpp>
#include <tessera/core/mesh/mesh.hpp>
#include <tessera/core/system/linear_system.hpp>

#include <Kokkos_Core.hpp>

#include <string>

namespace tessera {

namespace detail {

/// Writes a row of the transpose; whether an entry has no counterpart.
template <class Scalar, class ExecutionSpace>
struct TransposeRow {
  Kokkos::View<const Offset*, ExecutionSpace> row_map;
  Kokkos::View<const Ordinal*, ExecutionSpace> columns;
  Kokkos::View<const Scalar*, ExecutionSpace> from;
  Kokkos::View<Scalar*, ExecutionSpace> to;

  KOKKOS_FUNCTION bool operator()(Ordinal row) const {
    for (Offset k = row_map(row); k < row_map(row + 1); ++k) {
      const Offset begin = row_map(columns(k));
      const auto length = static_cast<Ordinal>(row_map(columns(k) + 1) - begin);
      const Ordinal place = place_in(columns.data() + begin, length, row);
      if (place == length || columns(begin + place) != row) return true;
      to(k) = from(begin + place);
    }
    return false;
  }
};

} // namespace detail

/// Writes the transpose of a system's matrix into another system that shares its graph; right-hand sides
/// stay. Each value is copied once: deterministic. Products and solvers of the transpose are then those of
/// `to`. The call waits, and allocates nothing.
/// \throws ArgumentError for systems with different graphs, for one and the same matrix, and for a graph that
///   has a row's entry in one order alone
template <class Scalar, class ExecutionSpace>
void transpose(const ExecutionSpace& exec, const LinearSystem<Scalar, ExecutionSpace>& from,
               const LinearSystem<Scalar, ExecutionSpace>& to) {
  const auto& graph = from.graph();
  if (to.graph().row_map.data() != graph.row_map.data())
    throw ArgumentError("transpose: the systems have different graphs");
  if (to.values().data() == from.values().data() && graph.num_entries() > 0)
    throw ArgumentError("transpose: the systems share their matrix");
  const Ordinal row = detail::first_offender(
      exec, "Tessera::transpose", graph.num_rows(),
      detail::TransposeRow<Scalar, ExecutionSpace>{graph.row_map, graph.columns, from.values(), to.values()});
  if (row != detail::no_offender)
    throw ArgumentError("transpose: the graph has an entry of row " + std::to_string(row) +
                        " without the one opposite the diagonal");
}

/// The transpose of a system's matrix on the same graph; its right-hand side is zero. \throws
/// OutOfMemoryError; ArgumentError as `transpose`
template <class Scalar, class ExecutionSpace>
LinearSystem<Scalar, ExecutionSpace> transposed(const ExecutionSpace& exec,
                                                const LinearSystem<Scalar, ExecutionSpace>& system) {
  const LinearSystem<Scalar, ExecutionSpace> result(exec, system.graph());
  transpose(exec, system, result);
  return result;
}

} // namespace tessera
