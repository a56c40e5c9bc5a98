// SPDX-License-Identifier: BSD-3-Clause
#define TESSERA_DEFINE_SPACES

#include "spaces.hpp"

namespace tessera {

TESSERA_PARTITIONS()
TESSERA_FOR_EACH_SPACE(TESSERA_SPACE, )

} // namespace tessera
