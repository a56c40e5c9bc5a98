// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include <compiled_elements.hpp>
#include <tuple>
#include <type_traits>
#include <utility>

namespace tessera::test {

/// Whether the catalogue of this build has strategies for an element.
template <class E>
inline constexpr bool is_compiled = []<class... Compiled>(std::tuple<Compiled...>*) {
  return (std::is_same_v<E, Compiled> || ...);
}(static_cast<CompiledElements*>(nullptr));

/// Those of the elements for which it has, as the types of a typed test suite.
template <class... Elements>
using CompiledOf = typename detail::AsTypes<decltype(std::tuple_cat(
    std::declval<std::conditional_t<is_compiled<Elements>, std::tuple<Elements>, std::tuple<>>>()...))>::type;

} // namespace tessera::test
