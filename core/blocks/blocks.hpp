// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Lists of element types.

#include <tessera/core/elements/element.hpp>

#include <cstddef>
#include <type_traits>

namespace tessera {

/// The element types of a mixed mesh, each once: of one dimension and one order, so that neighbours can share
/// the nodes of a side.
template <class First, class... Others>
class Blocks {
  static_assert(((Others::dimension == First::dimension) && ...),
                "the blocks of a mesh have elements of one dimension");
  static_assert(((Others::order == First::order) && ...), "the blocks of a mesh have elements of one order");

  template <class Element>
  static constexpr std::size_t place_of() {
    const bool is[] = {std::is_same_v<Element, First>, std::is_same_v<Element, Others>...};
    std::size_t place = 0;
    while (place < count && !is[place]) ++place;
    return place;
  }

public:
  static constexpr std::size_t count = 1 + sizeof...(Others);

  /// The place of a type in the list; `count` if it is not there.
  template <class Element>
  static constexpr std::size_t number = place_of<Element>();
};

} // namespace tessera
