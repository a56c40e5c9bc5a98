// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Definitions of `Multigrid`, compiled once for each execution space in multigrid.cpp.

#include <tessera/solvers/detail/crs.hpp>
#include <tessera/solvers/multigrid/detail/hierarchy.hpp>
#include <tessera/solvers/multigrid/multigrid.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

namespace tessera::solvers {

template <class ExecutionSpace>
Multigrid<ExecutionSpace>::Multigrid(const ExecutionSpace& exec,
                                     const Kokkos::View<const Offset*, ExecutionSpace>& row_map,
                                     const Kokkos::View<const Ordinal*, ExecutionSpace>& columns,
                                     const ConstVector& values, const MultigridNodes<ExecutionSpace>& nodes,
                                     const MultigridOptions& options) {
  const Kokkos::Profiling::ScopedRegion region("Tessera::Multigrid::setup");
  hierarchy_ = std::make_shared<multigrid::detail::Hierarchy<ExecutionSpace>>(
      exec, detail::CrsViews<double, ExecutionSpace>{row_map, columns, values}, nodes, options);
}

template <class ExecutionSpace>
void Multigrid<ExecutionSpace>::refresh(const ExecutionSpace& exec,
                                        const Kokkos::View<const Offset*, ExecutionSpace>& row_map,
                                        const Kokkos::View<const Ordinal*, ExecutionSpace>& columns,
                                        const ConstVector& values) {
  const Kokkos::Profiling::ScopedRegion region("Tessera::Multigrid::refresh");
  hierarchy_->refresh(exec, {row_map, columns, values});
}

template <class ExecutionSpace>
void Multigrid<ExecutionSpace>::replace_rows(const ExecutionSpace& exec,
                                             const multigrid::FineOperator<ExecutionSpace>& a) {
  const Kokkos::Profiling::ScopedRegion region("Tessera::Multigrid::replace_rows");
  hierarchy_->replace_rows(exec, a);
}

template <class ExecutionSpace>
std::size_t Multigrid<ExecutionSpace>::rows() const {
  return hierarchy_->rows();
}

template <class ExecutionSpace>
void Multigrid<ExecutionSpace>::apply(const ExecutionSpace& exec, const ConstVector& x,
                                      const Vector& y) const {
  detail::check_vectors("Multigrid", rows(), x.extent(0), y.extent(0));
  const Kokkos::Profiling::ScopedRegion region("Tessera::Multigrid::apply");
  hierarchy_->apply(exec, x, y);
}

template <class ExecutionSpace>
multigrid::Gate<ExecutionSpace> Multigrid<ExecutionSpace>::gate() const {
  return hierarchy_->gate();
}

template <class ExecutionSpace>
void Multigrid<ExecutionSpace>::solve(const ExecutionSpace& exec, const ConstVector& r,
                                      const DeviceScalar<ExecutionSpace>& dot) const {
  detail::check_vectors("Multigrid", rows(), r.extent(0), rows());
  const Kokkos::Profiling::ScopedRegion region("Tessera::Multigrid::solve");
  hierarchy_->solve(exec, r, dot);
}

template <class ExecutionSpace>
const MultigridReport& Multigrid<ExecutionSpace>::report() const {
  return hierarchy_->report();
}

template <class ExecutionSpace>
void Multigrid<ExecutionSpace>::remove_null_space(const ExecutionSpace& exec, const Vector& v) const {
  hierarchy_->remove_null_space(exec, v);
}

template <class ExecutionSpace>
MultigridNodes<ExecutionSpace> Multigrid<ExecutionSpace>::nodes_of(
    const ExecutionSpace& exec, const Equations<ExecutionSpace>& equations,
    const Kokkos::View<const double**, Kokkos::LayoutRight, ExecutionSpace>& coordinates) {
  MultigridNodes<ExecutionSpace> nodes;
  nodes.components = equations.components;
  nodes.coordinates = coordinates;
  if (!equations.removed) return nodes;
  nodes.first_row = equations.first;
  if (equations.components == 1) return nodes;
  const auto component = allocate<Kokkos::View<Ordinal*, ExecutionSpace>>(
      exec, "Tessera::Multigrid::row_component", equations.count);
  Kokkos::parallel_for(
      "Tessera::Multigrid::row_component",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>(
          exec, 0, static_cast<Ordinal>(equations.first.extent(0)) - 1),
      KOKKOS_LAMBDA(const Ordinal node) {
        for (int c = 0; c < equations.components; ++c)
          if (!equations.is_constrained(node, c)) component(equations.equation(node, c)) = c;
      });
  nodes.row_component = component;
  return nodes;
}

} // namespace tessera::solvers
