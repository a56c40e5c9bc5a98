// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Tpetra's maps of a rank's equations.

#include <tessera/core/error.hpp>
#include <tessera/distributed/communicator.hpp>
#include <tessera/distributed/equations.hpp>
#include <tessera/distributed/tpetra/types.hpp>

#include <Kokkos_Core.hpp>

#include <Teuchos_ArrayView.hpp>
#include <Teuchos_DefaultMpiComm.hpp>
#include <Teuchos_RCP.hpp>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace tessera::distributed {

/// Who has which equations, and the messages of an import. Copies share them.
template <class ExecutionSpace>
struct TpetraMaps {
  using Map = typename TpetraTypes<ExecutionSpace>::Map;
  using Import = typename TpetraTypes<ExecutionSpace>::Import;

  Teuchos::RCP<const Map> owned;     ///< equations of owned nodes: rows, domain and range of the matrix
  Teuchos::RCP<const Map> local;     ///< these, then the equations of ghosts: columns of the matrix
  Teuchos::RCP<const Import> import; ///< from `owned` to `local`; null on one rank, where they are the same
};

namespace detail {

/// A map of numbers that are listed. Collective.
template <class ExecutionSpace, class Numbers>
Teuchos::RCP<const typename TpetraTypes<ExecutionSpace>::Map>
listed_map(const Teuchos::RCP<const Teuchos::Comm<int>>& comm, GlobalOrdinal total, const Numbers& numbers,
           std::size_t count) {
  using Types = TpetraTypes<ExecutionSpace>;
  using Number = typename Types::GlobalNumber;
  std::vector<Number> list(count);
  for (std::size_t i = 0; i < count; ++i) list[i] = static_cast<Number>(numbers(i));
  return Teuchos::rcp(new typename Types::Map(static_cast<Tpetra::global_size_t>(total),
                                              Teuchos::arrayViewFromVector(std::as_const(list)), 0, comm));
}

} // namespace detail

/// Collective: maps of numbered equations on the application's communicator.
/// \throws UnsupportedError on every rank if Tpetra's global numbers cannot count the equations
template <class ExecutionSpace>
TpetraMaps<ExecutionSpace> tpetra_maps(const Communicator& ranks, const GlobalEquations& equations) {
  using Types = TpetraTypes<ExecutionSpace>;
  using Number = typename Types::GlobalNumber;
  constexpr auto largest = static_cast<GlobalOrdinal>(std::numeric_limits<Number>::max());
  if (equations.total > largest)
    throw UnsupportedError("Tpetra counts equations in " + std::to_string(8 * sizeof(Number)) +
                           " bits, up to " + std::to_string(largest) + "; the mesh has " +
                           std::to_string(equations.total) +
                           ": build Trilinos with Tpetra_INST_INT_LONG_LONG=ON");
  const auto comm = Teuchos::RCP<const Teuchos::Comm<int>>(new Teuchos::MpiComm<int>(ranks.application()));
  constexpr auto unknown = static_cast<GlobalOrdinal>(-1); // Tpetra sums the ranks' counts
  TpetraMaps<ExecutionSpace> maps;
  if (equations.contiguous)
    maps.owned = Teuchos::rcp(new typename Types::Map(static_cast<Tpetra::global_size_t>(equations.total),
                                                      to_size(equations.owned), 0, comm));
  else
    maps.owned = detail::listed_map<ExecutionSpace>(comm, equations.total, equations.numbers,
                                                    to_size(equations.owned));
  if (ranks.size() == 1) {
    maps.local = maps.owned;
    return maps;
  }
  maps.local =
      detail::listed_map<ExecutionSpace>(comm, unknown, equations.numbers, equations.numbers.extent(0));
  maps.import = Teuchos::rcp(new typename Types::Import(maps.owned, maps.local));
  return maps;
}

} // namespace tessera::distributed
