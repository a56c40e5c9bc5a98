// SPDX-License-Identifier: BSD-3-Clause
#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <optional>

/// What Best measures of the machine stays in the folder that the tests run in.
static void keep_cache_here() {
  setenv("TESSERA_CACHE", (std::filesystem::current_path() / "cache").c_str(), 1);
}

/// Runs the tests of one executable with Kokkos initialised: two threads whatever the machine, so that
/// concurrency is tested on any. Listing them needs no device, so that test programs built for a GPU can be
/// listed on a machine without one.
int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  keep_cache_here();
  Kokkos::InitializationSettings settings;
#ifdef KOKKOS_ENABLE_OPENMP
  settings.set_num_threads(2);
#endif
  std::optional<Kokkos::ScopeGuard> kokkos;
  if (!GTEST_FLAG_GET(list_tests)) kokkos.emplace(settings);
  return RUN_ALL_TESTS();
}
