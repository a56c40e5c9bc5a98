// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The elements that the library is compiled and tested for.

#include <tessera/core/elements/element.hpp>

#include <tuple>

/// For explicit instantiations: X(Element) or X(Element, arguments) for every supported element.
/// cmake/TesseraTargets.cmake lists their names in this order.
// clang-format off
#define TESSERA_FOR_EACH_ELEMENT(X, ...)                                                                              \
  X(Tri<1> __VA_OPT__(, ) __VA_ARGS__) X(Tri<2> __VA_OPT__(, ) __VA_ARGS__) X(Tri<3> __VA_OPT__(, ) __VA_ARGS__)    \
  X(Tri<4> __VA_OPT__(, ) __VA_ARGS__) X(Tri<5> __VA_OPT__(, ) __VA_ARGS__)                                          \
  X(Quad<1> __VA_OPT__(, ) __VA_ARGS__) X(Quad<2> __VA_OPT__(, ) __VA_ARGS__)                                        \
  X(Tet<1> __VA_OPT__(, ) __VA_ARGS__) X(Hex<1> __VA_OPT__(, ) __VA_ARGS__)                                          \
  X(Tet<2> __VA_OPT__(, ) __VA_ARGS__)                                                                               \
  X(Tet<3> __VA_OPT__(, ) __VA_ARGS__)                                                                               \
  X(Hex<2> __VA_OPT__(, ) __VA_ARGS__)                                                                               \
  X(Quad8 __VA_OPT__(, ) __VA_ARGS__) X(Hex20 __VA_OPT__(, ) __VA_ARGS__)                                              \
  X(Wedge<1> __VA_OPT__(, ) __VA_ARGS__) X(Pyramid<1> __VA_OPT__(, ) __VA_ARGS__)                                    \
  X(Wedge<2> __VA_OPT__(, ) __VA_ARGS__) X(Wedge15 __VA_OPT__(, ) __VA_ARGS__)                                       \
  X(Pyramid13 __VA_OPT__(, ) __VA_ARGS__)
// clang-format on

namespace tessera {

/// Every supported element.
#define TESSERA_TUPLE_OF(Element) std::tuple<Element>(),
using Elements = decltype(std::tuple_cat(TESSERA_FOR_EACH_ELEMENT(TESSERA_TUPLE_OF) std::tuple<>()));
#undef TESSERA_TUPLE_OF

} // namespace tessera
