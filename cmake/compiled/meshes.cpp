// SPDX-License-Identifier: BSD-3-Clause
#define TESSERA_DEFINE_MESHES

#include "meshes.hpp"

#include <compiled_elements.hpp>

namespace tessera {

TESSERA_FOR_EACH_MESH_ELEMENT(TESSERA_MESHES_OF)
TESSERA_FOR_EACH_SPACE(TESSERA_ERRORS, )

} // namespace tessera
