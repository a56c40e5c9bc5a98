// SPDX-License-Identifier: BSD-3-Clause
#define TESSERA_DEFINE_TEST_MESHES

#include "support/meshes/compiled.hpp"

namespace tessera::test {

TESSERA_FOR_EACH_ELEMENT(TESSERA_TEST_MESHES_OF)

} // namespace tessera::test
