#pragma once

/// \file
/// A deck of its own materials, supports and loads, solved and compared.

#include "solve.hpp"
#include <string>

namespace tessera::tools {

/// Files of a deck's displacements; either may be empty.
struct DeckFiles {
  std::string displacements; ///< to be written
  std::string reference;     ///< to compare with
};

/// Solves options.deck on a backend, prints the solution and how far it is from the reference.
/// Returns the exit status: 0 if the iteration converged, else 1.
/// \throws FileError, MeshError, FormError, UnsupportedError as io::read_abaqus_deck and io::deck_problem;
///         ArgumentError if the reference has none of the deck's nodes
int run_deck(const SolveOptions& options, const DeckFiles& files, const std::string& backend,
             const StageProgress& progress);

} // namespace tessera::tools
