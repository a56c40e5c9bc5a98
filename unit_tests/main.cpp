#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>

#include <optional>

/// Runs the tests of one executable with Kokkos initialised: two threads whatever the machine, so that
/// concurrency is tested on any. Listing them needs no device, so that test programs built for a GPU can be
/// listed on a machine without one.
int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  Kokkos::InitializationSettings settings;
#ifdef KOKKOS_ENABLE_OPENMP
  settings.set_num_threads(2);
#endif
  std::optional<Kokkos::ScopeGuard> kokkos;
  if (!GTEST_FLAG_GET(list_tests)) kokkos.emplace(settings);
  return RUN_ALL_TESTS();
}
