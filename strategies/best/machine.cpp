// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/strategies/best/machine.hpp>

namespace tessera {

TESSERA_FOR_EACH_SPACE(TESSERA_MEASURE_MACHINE, )

} // namespace tessera
