// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// A deck of its own materials, supports and loads, solved and compared.

#include "solve.hpp"
#include <string>

namespace tessera::tools {

/// Solves options.deck on a backend, prints the solution and how far it is from the reference.
/// Returns the exit status: 0 if the iteration converged and the reference agrees to the digits asked for,
/// else 1; then no displacements are written. 3 as `exit_status`.
/// \throws FileError, MeshError, FormError, UnsupportedError as io::read_abaqus_deck and io::deck_problem;
///         ArgumentError if the reference lacks nodes of the deck that it should have
int run_deck(const SolveOptions& options, const std::string& backend, const StageProgress& progress);

} // namespace tessera::tools
