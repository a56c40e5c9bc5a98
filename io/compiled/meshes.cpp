#define TESSERA_DEFINE_MESHES

#include "meshes.hpp"

namespace tessera {

TESSERA_MESHES_OF_ALL_ELEMENTS()

} // namespace tessera
