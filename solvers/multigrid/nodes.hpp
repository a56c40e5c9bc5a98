// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// What multigrid may be told of the nodes behind a matrix's rows.

#include <tessera/core/types.hpp>

#include <Kokkos_Core.hpp>

#include <optional>

namespace tessera::solvers {

/// The nodes behind the rows of a matrix, all in memory of the execution space. Every member may be left out.
template <class ExecutionSpace = Kokkos::DefaultExecutionSpace>
struct MultigridNodes {
  /// Unknowns of a node: row = node · components + component, unless `first_row` says otherwise.
  int components = 1;
  /// node × dimension (2 or 3), finite.
  Kokkos::View<const double**, Kokkos::LayoutRight, ExecutionSpace> coordinates;
  /// node (+1): its first row, where some nodes have fewer rows than `components`.
  Kokkos::View<const Ordinal*, ExecutionSpace> first_row;
  /// Component of each row; needed with `first_row` for more than one component.
  Kokkos::View<const Ordinal*, ExecutionSpace> row_component;
  /// row × mode: vectors that the matrix, constraints aside, maps to nearly zero. Without them a constant for
  /// each component, or the rigid motions if there are coordinates and as many components.
  Kokkos::View<const double**, Kokkos::LayoutRight, ExecutionSpace> near_null_space;
  /// The point that rigid motions turn about; the mean of the coordinates if it is not given.
  std::optional<Kokkos::Array<double, 3>> origin;
};

} // namespace tessera::solvers
