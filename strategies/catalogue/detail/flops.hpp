// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The flop counts of all elements and forms are compiled once, in flops.cpp, not with every strategy.

#include <tessera/core/elements/elements.hpp>
#include <tessera/core/forms/flop_count.hpp>
#include <tessera/core/forms/shipped.hpp>
#include <tessera/strategies/common/integration_path.hpp>

#include <cstddef>
#include <tuple>
#include <utility>

namespace tessera::catalogue::detail {

/// The kernel of a shipped form, by its number in the list.
template <int Dimension, std::size_t Number>
using ShippedKernel =
    decltype(form_kernel(std::declval<std::tuple_element_t<Number, ShippedForms<Dimension>>>()));

} // namespace tessera::catalogue::detail

namespace tessera {

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types.
#define TESSERA_FLOPS_OF_FORM(Prefix, Element, Number)                                                       \
  Prefix template long                                                                                       \
  flops_per_element<Element, catalogue::detail::ShippedKernel<Element::dimension, Number>>(                  \
      const catalogue::detail::ShippedKernel<Element::dimension, Number>&);
#define TESSERA_FLOPS(Element, ...) TESSERA_FOR_EACH_FORM_NUMBER(TESSERA_FLOPS_OF_FORM, __VA_ARGS__, Element)
// NOLINTEND(bugprone-macro-parentheses)

#ifndef TESSERA_DEFINE_FLOPS
TESSERA_FOR_EACH_ELEMENT(TESSERA_FLOPS, extern)
#endif

} // namespace tessera
