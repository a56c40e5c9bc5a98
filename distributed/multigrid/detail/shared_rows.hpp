// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Which rows of a level ranks read of each other.

#include <tessera/core/allocate.hpp>
#include <tessera/core/types.hpp>
#include <tessera/distributed/agree.hpp>
#include <tessera/distributed/communicator.hpp>
#include <tessera/distributed/detail/list_on.hpp>
#include <tessera/distributed/node_exchange.hpp>
#include <tessera/distributed/node_import.hpp>
#include <tessera/distributed/types.hpp>

#include <Kokkos_Core.hpp>

#include <vector>

namespace tessera::distributed::detail {

template <class View>
std::vector<typename View::non_const_value_type> list_of(const View& view) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  return {host.data(), host.data() + host.extent(0)};
}

/// The rows of a level on one rank that others read, its shared rows, and those of others that it reads, its
/// ghosts. Vectors that are exchanged have the shared rows first.
template <class ExecutionSpace>
struct SharedRows {
  std::vector<Ordinal> shared;                 ///< rows of the level, ascending
  std::vector<GlobalOrdinal> ghosts;           ///< numbers among the rows of all ranks, ascending
  Kokkos::View<Ordinal*, ExecutionSpace> rows; ///< `shared` there
  NodeImport<ExecutionSpace> import;

  Ordinal count() const { return static_cast<Ordinal>(shared.size()); }
  Ordinal all() const { return static_cast<Ordinal>(shared.size() + ghosts.size()); }
};

/// Collective. \param first the number of the rank's first row among those of all ranks
template <class ExecutionSpace>
SharedRows<ExecutionSpace> share_rows(const ExecutionSpace& exec, const Communicator& ranks,
                                      GlobalOrdinal first, const std::vector<Ordinal>& shared,
                                      const std::vector<GlobalOrdinal>& ghosts,
                                      const std::vector<int>& owners) {
  std::vector<GlobalOrdinal> numbers;
  for (const Ordinal row : shared) numbers.push_back(first + row);
  numbers.insert(numbers.end(), ghosts.begin(), ghosts.end());
  const auto rows = agree(ranks, [&] { return list_on(exec, "Tessera::Multigrid::shared", shared); });
  return {shared, ghosts, rows, NodeImport<ExecutionSpace>(exec, ranks, numbers, owners)};
}

/// Collective: ghosts get the numbers and the values of their owners, so many of each row.
template <class ExecutionSpace>
void exchange_both(const ExecutionSpace& exec, const NodeImport<ExecutionSpace>& import, int count,
                   const Kokkos::View<GlobalOrdinal*, ExecutionSpace>& numbers, int values_each,
                   const Kokkos::View<float*, ExecutionSpace>& values) {
  NodeExchange<GlobalOrdinal, ExecutionSpace> of_numbers(exec, import, count);
  NodeExchange<float, ExecutionSpace> of_values(exec, import, values_each);
  of_numbers.begin(exec, numbers);
  of_values.begin(exec, values);
  of_numbers.end(exec, numbers);
  of_values.end(exec, values);
  exec.fence("Tessera::Multigrid::exchange_both"); // the exchanges' buffers go
}

/// Collective: how many there are on lower ranks.
inline GlobalOrdinal count_before(const Communicator& ranks, GlobalOrdinal own) {
  GlobalOrdinal first = 0;
  MPI_Exscan(&own, &first, 1, MPI_INT64_T, MPI_SUM, ranks.own());
  return ranks.rank() == 0 ? 0 : first;
}

} // namespace tessera::distributed::detail
