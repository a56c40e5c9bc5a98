#include "operators_impl.hpp"

namespace tessera::tools {

TESSERA_OPERATORS(Tet<1>)

} // namespace tessera::tools
