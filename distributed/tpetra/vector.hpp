// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// A vector that strategies and Tpetra see in the same memory.

#include <tessera/core/allocate.hpp>
#include <tessera/distributed/tpetra/maps.hpp>
#include <tessera/distributed/tpetra/types.hpp>

#include <Kokkos_Core.hpp>

#include <Teuchos_RCP.hpp>
#include <string>

namespace tessera::distributed {

/// One memory, seen twice. Copies share it.
template <class ExecutionSpace>
struct TpetraVector {
  Kokkos::View<double*, ExecutionSpace> local; ///< an entry for each local equation, the owned ones first
  Teuchos::RCP<typename TpetraTypes<ExecutionSpace>::Vector> owned; ///< those of owned nodes
};

/// A vector of zeros. No messages.
/// \throws OutOfMemoryError
template <class ExecutionSpace>
TpetraVector<ExecutionSpace> tpetra_vector(const ExecutionSpace& exec, const TpetraMaps<ExecutionSpace>& maps,
                                           const std::string& label) {
  using MultiVector = typename TpetraTypes<ExecutionSpace>::MultiVector;
  using Column = typename MultiVector::dual_view_type::t_dev;
  const auto memory = allocate_zeroed<Column>(exec, label, maps.local->getLocalNumElements(), 1);
  exec.fence("Tessera::tpetra_vector");
  MultiVector all(maps.local, memory);
  return {.local = Kokkos::subview(memory, Kokkos::ALL, 0),
          .owned = all.offsetViewNonConst(maps.owned, 0)->getVectorNonConst(0)};
}

} // namespace tessera::distributed
