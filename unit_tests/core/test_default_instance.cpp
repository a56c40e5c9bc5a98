// SPDX-License-Identifier: BSD-3-Clause
// Calls before Kokkos is initialized: made while this program's static objects are, before main.

#include <tessera/core/fields/coefficient.hpp>

#include <gtest/gtest.h>

#include "support/meshes/test_meshes.hpp"
#include <string>

namespace core_default_instance {

using namespace tessera;
using Space = Kokkos::DefaultExecutionSpace;

template <class Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

const std::string messages[] = {
    message_of([] { io::box_mesh<Tri<1>, Space>({}); }),
    message_of([] { Mesh<Tri<1>, Space>({}, {}); }),
    message_of([] { CellField::per_material<Space>({1.0}); }),
    message_of([] { default_instance<Space>(); }),
};

TEST(DefaultInstance, IsRefusedBeforeKokkosIsInitialized) {
  for (const std::string& message : messages)
    EXPECT_EQ(message,
              "Kokkos is not initialized: call Kokkos::initialize, or make a Kokkos::ScopeGuard, first");
  EXPECT_NO_THROW(default_instance<Space>());
}

} // namespace core_default_instance
