// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Whether a list of types has one.

#include <tuple>
#include <type_traits>

namespace tessera {

/// Whether a tuple has a type among its own.
template <class Type, class List>
inline constexpr bool is_in = false;
template <class Type, class... Types>
inline constexpr bool is_in<Type, std::tuple<Types...>> = (std::is_same_v<Type, Types> || ...);

} // namespace tessera
