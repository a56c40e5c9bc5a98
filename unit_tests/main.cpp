#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>

#include <optional>

/// Runs the tests of one executable with Kokkos initialised. Listing them needs no device, so that test
/// programs built for a GPU can be listed on a machine without one.
int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  std::optional<Kokkos::ScopeGuard> kokkos;
  if (!GTEST_FLAG_GET(list_tests)) kokkos.emplace(argc, argv);
  return RUN_ALL_TESTS();
}
