// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The element types that can be together in a mesh.

#include "by_block.hpp"
#include <compiled_elements.hpp>
#include <tuple>
#include <type_traits>

namespace tessera::python {

template <class Element, class... Compiled>
auto if_compiled(std::tuple<Compiled...>*)
    -> std::conditional_t<(std::is_same_v<Element, Compiled> || ...), std::tuple<std::type_identity<Element>>,
                          std::tuple<>>;
/// Those of the elements that the build compiles.
template <class... Elements>
using Together =
    decltype(std::tuple_cat(decltype(if_compiled<Elements>(static_cast<CompiledElements*>(nullptr)))()...));

using Lists = std::tuple<Together<Tri<1>, Quad<1>>, Together<Tet<1>, Hex<1>, Wedge<1>, Pyramid<1>>,
                         Together<Tri<2>, Quad<2>>, Together<Tri<2>, Quad8>,
                         Together<Tet<2>, Hex<2>, Wedge<2>>, Together<Tet<2>, Hex20, Wedge15, Pyramid13>>;
inline constexpr int num_lists = std::tuple_size_v<Lists>;

template <int list, class Elements>
struct SpaceOverList {
  using type = NoSpace<list>; // one alone is no mesh of several
};
template <int list, class First, class Second, class... Others>
struct SpaceOverList<list, std::tuple<std::type_identity<First>, std::type_identity<Second>, Others...>> {
  using type = MixedSpace<Blocks<First, Second, typename Others::type...>, Exec>;
};
/// The space over meshes of the elements of a list.
template <int list>
using ListSpace = typename SpaceOverList<list, std::tuple_element_t<list, Lists>>::type;

// NOLINTBEGIN(bugprone-macro-parentheses): the argument is a macro.
/// X(a list's space) of each, for explicit instantiations.
#define TESSERA_FOR_EACH_LIST(X)                                                                             \
  X(ListSpace<0>) X(ListSpace<1>) X(ListSpace<2>) X(ListSpace<3>) X(ListSpace<4>) X(ListSpace<5>)
// NOLINTEND(bugprone-macro-parentheses)
static_assert(num_lists == 6);

} // namespace tessera::python
