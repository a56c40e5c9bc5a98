// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Which ranks exchange the values of which equations.

#include <tessera/core/space/equations.hpp>
#include <tessera/core/types.hpp>
#include <tessera/distributed/agree.hpp>
#include <tessera/distributed/detail/import_lists.hpp>
#include <tessera/distributed/node_import.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <vector>

namespace tessera::distributed::detail {

/// The import of equations' values: so many for each of its entries.
template <class ExecutionSpace>
struct EquationImport {
  NodeImport<ExecutionSpace> import;
  int values;
};

/// Lists of nodes become lists of their equations: ghosts have the equations that their owners have
/// (`check_constraints`).
template <class FirstEquation>
ImportLists equation_lists(const ImportLists& nodes, const FirstEquation& first, std::size_t owned_nodes) {
  ImportLists lists{nodes.owners, {}, nodes.readers, {}, {}};
  for (const std::size_t ghost : nodes.ghost_offsets)
    lists.ghost_offsets.push_back(to_size(first(owned_nodes + ghost) - first(owned_nodes)));
  std::size_t node = 0;
  for (const std::size_t end : nodes.sent_offsets) {
    for (; node < end; ++node)
      for (Ordinal row = first(to_size(nodes.sent[node])); row < first(to_size(nodes.sent[node]) + 1); ++row)
        lists.sent.push_back(row);
    lists.sent_offsets.push_back(lists.sent.size());
  }
  return lists;
}

/// Collective: the import of the local equations' values; that of nodes where on all ranks each has all its
/// equations. \throws OutOfMemoryError on every rank
template <class ExecutionSpace>
EquationImport<ExecutionSpace> equation_import(const ExecutionSpace& exec,
                                               const NodeImport<ExecutionSpace>& nodes,
                                               const Equations<ExecutionSpace>& equations) {
  int some_removed = equations.removed ? 1 : 0; // a rank may have no constrained node
  MPI_Allreduce(MPI_IN_PLACE, &some_removed, 1, MPI_INT, MPI_MAX, nodes.ranks().own());
  if (some_removed == 0) return {nodes, equations.components};
  return agree(nodes.ranks(), [&] {
    const auto list = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), equations.first);
    const auto first = [&](std::size_t node) {
      return equations.removed ? list(node) : static_cast<Ordinal>(node) * equations.components;
    };
    const auto owned = to_size(nodes.owned_nodes());
    const Ordinal rows = first(owned);
    return EquationImport<ExecutionSpace>{
        {exec, nodes.ranks(), rows, equations.count - rows, equation_lists(nodes.lists(), first, owned)}, 1};
  });
}

} // namespace tessera::distributed::detail
