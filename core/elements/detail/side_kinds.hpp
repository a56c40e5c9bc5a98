// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The sides of elements that have several types of them, and those of any element by kinds.

#include <algorithm>
#include <array>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace tessera {

/// Sides of several types, the kinds 0, 1, ..., each with its own basis and quadrature.
template <class... Elements>
struct SideKinds {
  static constexpr int count = sizeof...(Elements);
  static constexpr int most_nodes = std::max({Elements::nodes...});
  static constexpr int fewest_nodes = std::min({Elements::nodes...});
  static constexpr int most_corners = std::max({Elements::vertices...});
  template <int Kind>
  using Side = std::tuple_element_t<Kind, std::tuple<Elements...>>;

  /// The nodes of the sides kind after kind; rows are as long as the longest, and shorter ones end in -1.
  template <std::size_t... sides, std::size_t... nodes>
  static constexpr auto rows(const std::array<std::array<int, nodes>, sides>&... of_kind) {
    std::array<std::array<int, most_nodes>, (sides + ...)> all{};
    std::size_t next = 0;
    const auto add = [&](const auto& some) {
      for (const auto& side : some) {
        all[next].fill(-1);
        for (std::size_t n = 0; n < side.size(); ++n) all[next][n] = side[n];
        ++next;
      }
    };
    (add(of_kind), ...);
    return all;
  }
};

namespace detail {

/// The sides of any element by kinds.
template <class ElementType>
struct SidesOf;

template <class ElementType>
  requires requires { typename ElementType::Side; }
struct SidesOf<ElementType> : SideKinds<typename ElementType::Side> {
  static constexpr int kind(int) { return 0; }
};

template <class ElementType>
  requires requires { typename ElementType::Sides; }
struct SidesOf<ElementType> : ElementType::Sides {
  static constexpr int kind(int side) { return ElementType::side_kind(side); }
};

/// Calls `visit` with a `std::integral_constant` for every kind of sides that an element has: nvcc takes no
/// lambdas with template parameters of their own in members of templates.
template <class ElementType, class Visit>
constexpr void for_each_side_kind(const Visit& visit) {
  [&]<int... kinds>(std::integer_sequence<int, kinds...>) {
    (visit(std::integral_constant<int, kinds>()), ...);
  }(std::make_integer_sequence<int, SidesOf<ElementType>::count>());
}

/// Nodes and corners of a side.
template <class ElementType>
constexpr std::pair<int, int> nodes_and_corners(int side) {
  std::pair<int, int> counts;
  for_each_side_kind<ElementType>([&](auto kind) {
    constexpr int Kind = decltype(kind)::value;
    using Side = typename SidesOf<ElementType>::template Side<Kind>;
    if (SidesOf<ElementType>::kind(side) == Kind) counts = {Side::nodes, Side::vertices};
  });
  return counts;
}
template <class ElementType>
constexpr int side_nodes_of(int side) {
  return nodes_and_corners<ElementType>(side).first;
}
template <class ElementType>
constexpr int side_corners_of(int side) {
  return nodes_and_corners<ElementType>(side).second;
}

} // namespace detail

} // namespace tessera
