// SPDX-License-Identifier: BSD-3-Clause
#define TESSERA_DEFINE_FLOPS

#include <tessera/strategies/catalogue/detail/flops.hpp>

#include <compiled_elements.hpp>

namespace tessera {

TESSERA_FOR_EACH_COMPILED_ELEMENT(TESSERA_FLOPS)

} // namespace tessera
