// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Tpetra's classes for vectors and matrices of double on an execution space.

#include <tessera/core/types.hpp>

#include <Kokkos_Core.hpp>

#include <Tpetra_CrsMatrix.hpp>
#include <Tpetra_Import.hpp>
#include <Tpetra_Map.hpp>
#include <Tpetra_MultiVector.hpp>
#include <Tpetra_Operator.hpp>
#include <Tpetra_Vector.hpp>

namespace tessera::distributed {

/// Tpetra's types with this library's local numbers, and the global numbers that Tpetra was built for: of 64
/// bits where it has them, of 32 in Debian's.
template <class ExecutionSpace>
struct TpetraTypes {
  using GlobalNumber = Tpetra::Map<>::global_ordinal_type;
  using Node =
      Tpetra::KokkosCompat::KokkosDeviceWrapperNode<ExecutionSpace, typename ExecutionSpace::memory_space>;
  using Map = Tpetra::Map<Ordinal, GlobalNumber, Node>;
  using Import = Tpetra::Import<Ordinal, GlobalNumber, Node>;
  using Vector = Tpetra::Vector<double, Ordinal, GlobalNumber, Node>;
  using MultiVector = Tpetra::MultiVector<double, Ordinal, GlobalNumber, Node>;
  using Matrix = Tpetra::CrsMatrix<double, Ordinal, GlobalNumber, Node>;
  using Operator = Tpetra::Operator<double, Ordinal, GlobalNumber, Node>;
};

} // namespace tessera::distributed
