// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// What CalculiX would record of a deck's solution.

#include <tessera/io/abaqus/calculix_quantities.hpp>
#include <tessera/io/deck_stresses.hpp>

namespace tessera::io {

/// A quantity of a solution as CalculiX makes it out of stresses and strains at integration points: strains
/// at nodes are the mean of those of the cells around them, which are extrapolated to their corners with the
/// factors of four digits that CalculiX has, and halved on edges; section forces are the integral over the
/// surface of stresses that are so found.
/// \throws UnsupportedError for strains, stresses and section forces of cells other than hexahedra, and
///   strains and section forces of such as are not integrated at two points an axis
CalculixQuantity calculix_quantity(CalculixKind kind, const DeckStresses& stresses);

} // namespace tessera::io
