// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Which entries of a rank's rows go to which other ranks.

#include <tessera/core/system/sparsity_graph.hpp>
#include <tessera/core/types.hpp>
#include <tessera/distributed/detail/import_lists.hpp>
#include <tessera/distributed/equations.hpp>
#include <tessera/distributed/types.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <vector>

namespace tessera::distributed::detail {

/// Rows of a rank on the host.
struct HostRows {
  std::vector<Offset> row_map;
  std::vector<Ordinal> columns;
  std::vector<GlobalOrdinal> numbers; ///< of each row
  std::vector<Ordinal> first;         ///< node (+1): its first row
  std::vector<char> constrained;      ///< row: whether it is a constrained one that is kept
  Ordinal owned = 0;                  ///< the first rows
};

template <class ExecutionSpace>
HostRows host_rows(const ExecutionSpace& exec, const SparsityGraph<ExecutionSpace>& graph,
                   const GlobalEquations& numbers) {
  const auto list = [&](const auto& view) {
    using T = typename std::decay_t<decltype(view)>::non_const_value_type;
    std::vector<T> all(view.extent(0));
    Kokkos::deep_copy(
        exec, Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(all.data(), all.size()), view);
    exec.fence("Tessera::RowExport::host_rows");
    return all;
  };
  const auto& equations = graph.equations;
  HostRows rows{.row_map = list(graph.row_map),
                .columns = list(graph.columns),
                .numbers = list(numbers.numbers),
                .first = {},
                .constrained = std::vector<char>(to_size(equations.count), 0),
                .owned = numbers.owned};
  if (equations.removed) {
    rows.first = list(equations.first);
    return rows;
  }
  for (Ordinal row = 0; row <= equations.count; row += equations.components) rows.first.push_back(row);
  if (!equations.constrained) return rows;
  const auto mask = list(equations.mask);
  for (std::size_t row = 0; row < rows.constrained.size(); ++row)
    rows.constrained[row] =
        (mask[row / to_size(equations.components)] >> (row % to_size(equations.components))) & 1;
  return rows;
}

/// Places of values: those of the matrix, and behind them those of the right-hand side.
struct RowLists {
  struct Side {
    std::vector<int> ranks;
    std::vector<std::size_t> offsets{0}; ///< of each rank's places
    std::vector<std::int64_t> places;
  };
  Side sent, received;
};

/// Collective: the rows of ghosts that ranks of higher numbers own, which elements of this rank's own touch.
/// \throws UnsupportedError on every rank for a message of 2^31 numbers
RowLists row_lists(const Communicator& ranks, const HostRows& rows, const ImportLists& ghosts,
                   Ordinal owned_nodes);

} // namespace tessera::distributed::detail
