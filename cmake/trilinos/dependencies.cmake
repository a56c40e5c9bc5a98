# SPDX-License-Identifier: BSD-3-Clause
# Finds what programs on Tpetra, Belos and MueLu link beside Tessera, and sets trilinos_targets.
find_package(MPI REQUIRED COMPONENTS CXX)
find_package(Tpetra REQUIRED)
find_package(Belos REQUIRED)
find_package(MueLu REQUIRED)
set(trilinos_targets MueLu::all_libs Belos::all_libs Tpetra::all_libs MPI::MPI_CXX)
