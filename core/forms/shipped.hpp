#pragma once

/// \file
/// The list of the forms that the library ships: what the catalogue, its tests and the tools are compiled
/// for.

#include <tessera/core/forms/helmholtz.hpp>
#include <tessera/core/forms/linear_elasticity.hpp>

#include <tuple>

namespace tessera {

/// The forms on elements of a dimension; a new one is a line here.
template <int Dimension>
using ShippedForms = std::tuple<Helmholtz<>, LinearElasticity<Dimension>>;

} // namespace tessera
