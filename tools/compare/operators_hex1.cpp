// SPDX-License-Identifier: BSD-3-Clause
#include "operators_impl.hpp"

namespace tessera::tools {

TESSERA_OPERATORS(Hex<1>)

} // namespace tessera::tools
