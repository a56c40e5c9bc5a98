// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// What an assembly does with the system that it is given.

namespace tessera {

/// Options of `prepare`, `assemble` and `enqueue`. The right-hand side alone needs no strategy:
/// `core/space/right_hand_side.hpp`.
struct AssemblyOptions {
  /// The matrix alone; the system's right-hand side stays as it is. What elements give it goes to memory of
  /// the plan, an entry per row.
  bool matrix_alone = false;
  /// Adds to what the system holds, without clearing it. What is the space's and not the form's is not added
  /// once more: natural loads, Robin sides (`add_natural_terms` does), rows of constrained degrees of
  /// freedom. Strategies that write every value once refuse with UnsupportedError. Several spaces over the
  /// same nodes assemble one system by it, each on `graph_for` its own elements.
  bool add = false;
};

} // namespace tessera
