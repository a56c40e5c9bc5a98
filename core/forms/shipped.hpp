// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The list of the forms that the library ships: what the catalogue, its tests and the tools are compiled
/// for.

#include <tessera/core/forms/helmholtz.hpp>
#include <tessera/core/forms/linear_elasticity.hpp>

#include <tuple>

namespace tessera {

/// The forms on elements of a dimension.
template <int Dimension>
using ShippedForms = std::tuple<Helmholtz<>, LinearElasticity<Dimension>>;

/// Expands `X(..., Number)` for the number of every form in the list; for explicit instantiations.
#define TESSERA_FOR_EACH_FORM_NUMBER(X, ...) X(__VA_ARGS__, 0) X(__VA_ARGS__, 1)
static_assert(std::tuple_size_v<ShippedForms<3>> == 2, "TESSERA_FOR_EACH_FORM_NUMBER has other numbers");

} // namespace tessera
