#define TESSERA_DEFINE_FLOPS

#include <tessera/strategies/catalogue/detail/flops.hpp>

namespace tessera {

TESSERA_FOR_EACH_ELEMENT(TESSERA_FLOPS)

} // namespace tessera
