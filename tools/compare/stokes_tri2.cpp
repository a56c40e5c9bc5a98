// SPDX-License-Identifier: BSD-3-Clause
#include "stokes_impl.hpp"

namespace tessera::tools {

TESSERA_STOKES(Tri<2>)

} // namespace tessera::tools
