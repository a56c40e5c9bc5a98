// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Whether a mesh that was written comes back.

#include <tessera/core/mesh/mesh.hpp>

#include <gtest/gtest.h>

#include <cstddef>

namespace tessera::test {

/// Every bit of the coordinates, and the nodes of every element.
template <class MeshType>
void expect_same_elements(const MeshType& found, const MeshType& mesh) {
  ASSERT_EQ(found.num_nodes(), mesh.num_nodes());
  ASSERT_EQ(found.num_elements(), mesh.num_elements());
  for (Ordinal n = 0; n < mesh.num_nodes(); ++n)
    for (std::size_t d = 0; d < mesh.coordinates().extent(1); ++d)
      ASSERT_EQ(found.coordinates()(n, d), mesh.coordinates()(n, d)) << "node " << n;
  for (Ordinal e = 0; e < mesh.num_elements(); ++e)
    for (std::size_t n = 0; n < mesh.connectivity().extent(1); ++n)
      ASSERT_EQ(found.connectivity()(e, n), mesh.connectivity()(e, n)) << "element " << e << " node " << n;
}

} // namespace tessera::test
