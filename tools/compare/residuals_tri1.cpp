// SPDX-License-Identifier: BSD-3-Clause
#include "residuals_impl.hpp"

namespace tessera::tools {

TESSERA_RESIDUALS(Tri<1>)

} // namespace tessera::tools
