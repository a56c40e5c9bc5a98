// SPDX-License-Identifier: BSD-3-Clause
#define TESSERA_DEFINE_ELEMENTS

#include "elements.hpp"

#include <compiled_elements.hpp>

namespace tessera {

TESSERA_FOR_EACH_MESH_ELEMENT(TESSERA_ELEMENT_OF, )

} // namespace tessera
