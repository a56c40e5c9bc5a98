#pragma once

/// \file
/// The elements that the library is compiled and tested for.

#include <tessera/core/element.hpp>

#include <tuple>

namespace tessera {

/// Every supported element.
using Elements = std::tuple<Tri<1>, Tri<2>, Tri<3>, Tri<4>, Tri<5>, Tet<1>, Tet<2>, Tet<3>, Quad<1>, Quad<2>,
                            Hex<1>, Hex<2>>;

} // namespace tessera

/// For explicit instantiations: X(Element) or X(Element, arguments) for every one of Elements.
#define TESSERA_FOR_EACH_ELEMENT(X, ...)                                                                     \
  X(Tri<1> __VA_OPT__(, ) __VA_ARGS__)                                                                       \
  X(Tri<2> __VA_OPT__(, ) __VA_ARGS__)                                                                       \
  X(Tri<3> __VA_OPT__(, ) __VA_ARGS__)                                                                       \
  X(Tri<4> __VA_OPT__(, ) __VA_ARGS__)                                                                       \
  X(Tri<5> __VA_OPT__(, ) __VA_ARGS__)                                                                       \
  X(Tet<1> __VA_OPT__(, ) __VA_ARGS__)                                                                       \
  X(Tet<2> __VA_OPT__(, ) __VA_ARGS__)                                                                       \
  X(Tet<3> __VA_OPT__(, ) __VA_ARGS__)                                                                       \
  X(Quad<1> __VA_OPT__(, ) __VA_ARGS__)                                                                      \
  X(Quad<2> __VA_OPT__(, ) __VA_ARGS__)                                                                      \
  X(Hex<1> __VA_OPT__(, ) __VA_ARGS__)                                                                       \
  X(Hex<2> __VA_OPT__(, ) __VA_ARGS__)
