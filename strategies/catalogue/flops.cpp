#define TESSERA_DEFINE_FLOPS

#include <tessera/strategies/catalogue/flops.hpp>

namespace tessera {

TESSERA_FLOPS_OF_ALL_ELEMENTS()

} // namespace tessera
