// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Rows that no iteration solves: of zeros, or with values that are not finite.

#include <tessera/core/error.hpp>
#include <tessera/core/space/equations.hpp>
#include <tessera/core/types.hpp>
#include <tessera/distributed/agree.hpp>
#include <tessera/distributed/hypre/detail/rows.hpp>
#include <tessera/distributed/hypre/system.hpp>
#include <tessera/distributed/hypre/types.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <limits>
#include <string>

namespace tessera::distributed::detail {

enum class RowFlaw : int { none, not_finite, zero, rhs_not_finite };

/// The first row with a flaw: 4 row + flaw.
template <class ExecutionSpace>
struct FirstFlaw {
  HypreParts<ExecutionSpace> parts;
  typename HypreTypes<ExecutionSpace>::template Array<double> rhs;

  KOKKOS_FUNCTION void operator()(Ordinal row, std::int64_t& first) const {
    const RowFlaw flaw = flaw_of(row);
    const std::int64_t found = std::int64_t{4} * row + static_cast<int>(flaw);
    if (flaw != RowFlaw::none && found < first) first = found;
  }

private:
  KOKKOS_FUNCTION RowFlaw flaw_of(Ordinal row) const {
    double sum = 0; // not finite if one entry is not
    for (HYPRE_Int k = parts.diag_rows(row); k < parts.diag_rows(row + 1); ++k)
      sum += Kokkos::abs(parts.diag(k));
    for (HYPRE_Int k = parts.offd_rows(row); k < parts.offd_rows(row + 1); ++k)
      sum += Kokkos::abs(parts.offd(k));
    if (!Kokkos::isfinite(sum)) return RowFlaw::not_finite;
    if (sum == 0) return RowFlaw::zero;
    return Kokkos::isfinite(rhs(row)) ? RowFlaw::none : RowFlaw::rhs_not_finite;
  }
};

/// "component 1 of node 7", of a local equation.
template <class ExecutionSpace>
std::string name_of_equation(const HypreSystem<ExecutionSpace>& system, Ordinal equation) {
  const auto& equations = system.local().graph().equations;
  Ordinal node = equation / equations.components;
  int component = equation % equations.components;
  if (equations.removed) {
    const auto first = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), equations.first);
    const auto mask = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), equations.mask);
    for (node = 0; first(node + 1) <= equation;) ++node;
    Ordinal left = equation - first(node);
    for (component = 0; (mask(node) >> component & 1) != 0 || left-- > 0;) ++component;
  }
  return "component " + std::to_string(component) + " of node " + std::to_string(system.global_nodes()(node));
}

/// Collective: refuses what hypre would iterate on without an end or an error.
/// \throws SolverError on every rank that names the first row of the lowest rank that has one
template <class ExecutionSpace>
void check_rows(const HypreSystem<ExecutionSpace>& system) {
  using Space = typename HypreTypes<ExecutionSpace>::Space;
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  Kokkos::parallel_reduce("Tessera::hypre::check_rows",
                          Kokkos::RangePolicy<Space, Kokkos::IndexType<Ordinal>>(0, system.equations().owned),
                          FirstFlaw<ExecutionSpace>{system.hypre_rows().parts(), system.hypre_rhs().values()},
                          Kokkos::Min<std::int64_t>(first));
  agree(system.ranks(), [&] {
    if (first == std::numeric_limits<std::int64_t>::max()) return;
    const std::string name = name_of_equation(system, static_cast<Ordinal>(first / 4));
    switch (static_cast<RowFlaw>(first % 4)) {
    case RowFlaw::not_finite:
      throw SolverError("the row of " + name + " has values that are not finite");
    case RowFlaw::zero:
      throw SolverError(
          "the row of " + name +
          " is zero: no element has the node, or the system was not refilled after an assembly");
    default:
      throw SolverError("the right-hand side of " + name + " is not finite");
    }
  });
}

} // namespace tessera::distributed::detail
