// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/elements/elements.hpp>

#include "measure_impl.hpp"

namespace tessera::tools {

TESSERA_OWN_FORMS(Hex<1>)

} // namespace tessera::tools
