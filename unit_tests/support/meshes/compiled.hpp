// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The meshes of most tests for every element, compiled once, in compiled.cpp.

#include <tessera/cmake/compiled/meshes.hpp>

#include "support/meshes/test_meshes.hpp"

namespace tessera::test {

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types.
#define TESSERA_TEST_MESHES(Prefix, Element, Space)                                                          \
  Prefix template struct HostMesh<Element, Space>;                                                           \
  Prefix template Mesh<Element, Space> distorted_box(const io::Box&);
// NOLINTEND(bugprone-macro-parentheses)
#define TESSERA_TEST_MESHES_OF(Element, ...) TESSERA_FOR_EACH_SPACE(TESSERA_TEST_MESHES, __VA_ARGS__, Element)

#ifndef TESSERA_DEFINE_TEST_MESHES
TESSERA_FOR_EACH_ELEMENT(TESSERA_TEST_MESHES_OF, extern)
#endif

} // namespace tessera::test
