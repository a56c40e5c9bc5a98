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
