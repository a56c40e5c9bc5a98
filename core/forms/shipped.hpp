// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The list of the forms that the library ships: what the catalogue, its tests and the tools are compiled
/// for.

#include <tessera/core/forms/helmholtz.hpp>
#include <tessera/core/forms/linear_elasticity.hpp>
#include <tessera/core/is_in.hpp>

#include <tuple>
#include <utility>

namespace tessera {

/// The forms on elements of a dimension.
template <int Dimension>
using ShippedForms = std::tuple<Helmholtz<>, LinearElasticity<Dimension>>;

namespace detail {

template <class Forms>
struct WeakFormsOf;
template <class... Forms>
struct WeakFormsOf<std::tuple<Forms...>> {
  using type = std::tuple<decltype(std::declval<const Forms&>().weak())...>;
};

} // namespace detail

/// The same by f0 and f1, in the same order.
template <int Dimension>
using ShippedWeakForms = typename detail::WeakFormsOf<ShippedForms<Dimension>>::type;

/// Whether a form is of a type in the list.
template <class Form, int Dimension>
inline constexpr bool is_shipped = is_in<Form, ShippedForms<Dimension>>;
template <class Form, int Dimension>
inline constexpr bool is_shipped_weak = is_in<Form, ShippedWeakForms<Dimension>>;

/// Expands `X(..., Number)` for the number of every form in the list; for explicit instantiations.
#define TESSERA_FOR_EACH_FORM_NUMBER(X, ...) X(__VA_ARGS__, 0) X(__VA_ARGS__, 1)
static_assert(std::tuple_size_v<ShippedForms<3>> == 2, "TESSERA_FOR_EACH_FORM_NUMBER has other numbers");

} // namespace tessera
