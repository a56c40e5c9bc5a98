// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// What the solver is told of the nodes behind the rows, and the near-null space made from it.

#include <tessera/core/error.hpp>
#include <tessera/solvers/multigrid/detail/finest/fine_order.hpp>
#include <tessera/solvers/multigrid/detail/sparse.hpp>
#include <tessera/solvers/multigrid/detail/transfer/tentative.hpp>
#include <tessera/solvers/multigrid/nodes.hpp>
#include <tessera/solvers/multigrid/options.hpp>

#include <Kokkos_Core.hpp>

#include <string>

namespace tessera::solvers::multigrid::detail {

/// \throws ArgumentError unless the nodes' arrays fit each other and the rows
template <class ExecutionSpace>
void check_nodes(const MultigridNodes<ExecutionSpace>& nodes, Ordinal rows) {
  const auto wrong = [&](const std::string& what) {
    return ArgumentError("Multigrid: " + what + "; the matrix has " + std::to_string(rows) + " rows");
  };
  if (nodes.components < 1)
    throw wrong("components must be at least 1, got " + std::to_string(nodes.components));
  const std::size_t first = nodes.first_row.extent(0), points = nodes.coordinates.extent(0);
  if (first == 0 && rows % nodes.components != 0)
    throw wrong("nodes have " + std::to_string(nodes.components) +
                " components, of which the rows are no multiple");
  const std::size_t count = first > 0 ? first - 1 : static_cast<std::size_t>(rows / nodes.components);
  if (points > 0 && points != count)
    throw wrong(std::to_string(points) + " coordinates for " + std::to_string(count) + " nodes");
  if (points > 0 && nodes.coordinates.extent(1) != 2 && nodes.coordinates.extent(1) != 3)
    throw wrong("coordinates must have 2 or 3 columns, got " + std::to_string(nodes.coordinates.extent(1)));
  if (nodes.row_component.extent(0) > 0 && nodes.row_component.extent(0) != static_cast<std::size_t>(rows))
    throw wrong(std::to_string(nodes.row_component.extent(0)) + " components of rows");
  const auto& modes = nodes.near_null_space;
  if (modes.extent(0) > 0 && (modes.extent(0) != static_cast<std::size_t>(rows) || modes.extent(1) < 1))
    throw wrong("the near-null space has " + std::to_string(modes.extent(0)) + " rows and " +
                std::to_string(modes.extent(1)) + " modes");
}

/// The nodes' rows.
template <class ExecutionSpace>
NodeRows<ExecutionSpace> row_layout(const MultigridNodes<ExecutionSpace>& nodes, Ordinal rows) {
  const std::size_t first = nodes.first_row.extent(0);
  return {first > 0 ? static_cast<Ordinal>(first - 1) : rows / nodes.components, nodes.components,
          nodes.first_row};
}

/// Mode of a solid's rigid motion at a node: translations, then rotations about the axes (in 2D about one).
template <int Dimension>
KOKKOS_INLINE_FUNCTION double rigid_motion(int mode, int component, const double (&x)[3]) {
  if (mode < Dimension) return mode == component ? 1 : 0;
  if constexpr (Dimension == 2) {
    return component == 0 ? -x[1] : x[0];
  } else {
    const int axis = mode - 3; // e_axis × x
    if (component == (axis + 1) % 3) return -x[(axis + 2) % 3];
    if (component == (axis + 2) % 3) return x[(axis + 1) % 3];
    return 0;
  }
}

/// The near-null space by rows of the given matrix: the user's, rigid motions where each component is one of
/// the space's and coordinates are known, else a constant for each component.
template <class ExecutionSpace>
Modes<ExecutionSpace> near_null_space(const Workspace<ExecutionSpace>& work,
                                      const MultigridNodes<ExecutionSpace>& nodes,
                                      const NodeRows<ExecutionSpace>& layout, Ordinal rows) {
  if (nodes.near_null_space.extent(0) > 0) {
    const auto modes =
        make_kept<Modes<ExecutionSpace>>(work, "near_null_space", rows, nodes.near_null_space.extent(1));
    Kokkos::deep_copy(work.exec, modes, nodes.near_null_space);
    return modes;
  }
  const int components = nodes.components;
  const auto x = nodes.coordinates;
  const auto dimension = static_cast<int>(x.extent(1));
  const bool rigid = components > 1 && x.extent(0) > 0 && components == dimension;
  const int count = !rigid ? components : dimension == 2 ? 3 : 6;
  if (count == 1)
    return Modes<ExecutionSpace>(make_kept<Modes<ExecutionSpace>>(work, "near_null_space", 0, 1));
  const auto modes = make_kept<Modes<ExecutionSpace>>(work, "near_null_space", rows, count);
  const auto component = nodes.row_component;
  const double origin_share = 1.0 / Kokkos::max(Ordinal(1), layout.nodes);
  auto origin = nodes.origin.value_or(Kokkos::Array<double, 3>{});
  for (int d = 0; rigid && d < dimension && !nodes.origin; ++d)
    Kokkos::parallel_reduce(
        "Tessera::Multigrid::center", Range<ExecutionSpace>(work.exec, 0, layout.nodes),
        KOKKOS_LAMBDA(const Ordinal node, double& sum) { sum += x(node, d) * origin_share; }, origin[d]);
  Kokkos::parallel_for(
      "Tessera::Multigrid::near_null_space", Range<ExecutionSpace>(work.exec, 0, layout.nodes),
      KOKKOS_LAMBDA(const Ordinal node) {
        double point[3] = {};
        for (int d = 0; rigid && d < dimension; ++d) point[d] = x(node, d) - origin[d];
        const Ordinal begin = layout.begin(node), end = layout.begin(node + 1);
        for (Ordinal row = begin; row < end; ++row) {
          const int c = component.extent(0) > 0 ? component(row) : static_cast<int>(row - begin);
          for (int m = 0; m < count; ++m)
            modes(row, m) = !rigid           ? (m == c ? 1 : 0)
                            : dimension == 2 ? rigid_motion<2>(m, c, point)
                                             : rigid_motion<3>(m, c, point);
        }
      });
  return modes;
}

/// The modes by rows of the finest level in its scaled variables; zero in rows that are coupled to nothing,
/// as the test vector is, if there is one.
/// \param capacity  memory that may be taken for them if it suffices.
template <class ExecutionSpace>
Modes<ExecutionSpace>
scaled_modes(const Workspace<ExecutionSpace>& work, const Modes<ExecutionSpace>& near_null,
             const Ordinals<ExecutionSpace>& new_to_old, const Floats<ExecutionSpace>& scale,
             const Floats<ExecutionSpace>& test, const Matrix<ExecutionSpace>& matrix,
             const Floats<ExecutionSpace>& capacity) {
  const auto count = static_cast<int>(near_null.extent(1));
  const bool constant = near_null.extent(0) == 0;
  const auto modes = make_temporary_in<Modes<ExecutionSpace>>(work, "modes", capacity, matrix.rows(), count);
  Kokkos::parallel_for(
      "Tessera::Multigrid::scaled_modes", Range<ExecutionSpace>(work.exec, 0, matrix.rows()),
      KOKKOS_LAMBDA(const Ordinal row) {
        const Ordinal old = new_to_old(row);
        const bool coupled =
            test.extent(0) > 0 ? test(row) > 0 : matrix.any_entry(row, [&](Ordinal column, float value) {
              return column != row && value != 0;
            });
        const double factor = coupled ? 1.0 / static_cast<double>(scale(row)) : 0.0;
        for (int m = 0; m < count; ++m)
          modes(row, m) = factor == 0 ? 0.0 : factor * (constant ? 1.0 : near_null(old, m));
      });
  return modes;
}

/// An orthonormal basis of the span of a level's modes; destroys them.
template <class ExecutionSpace>
Modes<ExecutionSpace> orthonormal(const Workspace<ExecutionSpace>& work, const Modes<ExecutionSpace>& modes) {
  const auto rows = static_cast<Ordinal>(modes.extent(0));
  orthonormalise(work, runs_of_nodes<ExecutionSpace>(rows, Kokkos::max(rows, Ordinal(1))), modes, 1);
  return modes;
}

} // namespace tessera::solvers::multigrid::detail
