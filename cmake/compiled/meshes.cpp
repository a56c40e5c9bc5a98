#define TESSERA_DEFINE_MESHES

#include "meshes.hpp"

namespace tessera {

TESSERA_FOR_EACH_ELEMENT(TESSERA_MESHES_OF)

} // namespace tessera
