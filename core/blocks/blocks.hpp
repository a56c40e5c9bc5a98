// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Lists of element types.

#include <tessera/core/elements/element.hpp>

#include <cstddef>
#include <type_traits>

namespace tessera {

namespace detail {

/// Whether sides of one shape have the same nodes in two elements.
template <class One, class Other>
constexpr bool share_sides() {
  bool same = true;
  for_each_side_kind<One>([&](auto one) {
    for_each_side_kind<Other>([&](auto other) {
      using OneSide = typename SidesOf<One>::template Side<decltype(one)::value>;
      using OtherSide = typename SidesOf<Other>::template Side<decltype(other)::value>;
      same = same && (OneSide::shape != OtherSide::shape || OneSide::nodes == OtherSide::nodes);
    });
  });
  return same;
}
template <class One, class... Others>
inline constexpr bool shares_sides = (share_sides<One, Others>() && ...);

} // namespace detail

/// The element types of a mixed mesh, each once: of one dimension and one order, and with the same nodes on
/// sides of one shape, so that neighbours can share them: `Hex20` beside `Wedge15`, not beside `Wedge<2>`.
template <class First, class... Others>
class Blocks {
  static_assert(((Others::dimension == First::dimension) && ...),
                "the blocks of a mesh have elements of one dimension");
  static_assert(((Others::order == First::order) && ...), "the blocks of a mesh have elements of one order");
  static_assert(detail::shares_sides<First, Others...> && (detail::shares_sides<Others, Others...> && ...),
                "the blocks of a mesh have elements with the same nodes on sides of one shape");

  template <class Element>
  static constexpr std::size_t place_of() {
    const bool is[] = {std::is_same_v<Element, First>, std::is_same_v<Element, Others>...};
    std::size_t place = 0;
    while (place < count && !is[place]) ++place;
    return place;
  }

public:
  static constexpr std::size_t count = 1 + sizeof...(Others);
  static constexpr int dimension = First::dimension;
  static constexpr int order = First::order;

  /// The place of a type in the list; `count` if it is not there.
  template <class Element>
  static constexpr std::size_t number = place_of<Element>();
};

} // namespace tessera
