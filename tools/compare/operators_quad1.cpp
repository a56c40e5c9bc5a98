#include "operators_impl.hpp"

namespace tessera::tools {

TESSERA_OPERATORS(Quad<1>)

} // namespace tessera::tools
