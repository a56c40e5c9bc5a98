// SPDX-License-Identifier: BSD-3-Clause
#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>

/// What Best measures of the machine stays in the folder that the tests run in.
static void keep_cache_here() {
  setenv("TESSERA_CACHE", (std::filesystem::current_path() / "cache").c_str(), 1);
}

/// For ctest: a line for each test with its source, its name, and that of --gtest_filter. A test for one of
/// several types is named by the type.
static void list_tests() {
  const ::testing::UnitTest& all = *::testing::UnitTest::GetInstance();
  for (int i = 0; i < all.total_test_suite_count(); ++i) {
    const ::testing::TestSuite& suite = *all.GetTestSuite(i);
    for (int j = 0; j < suite.total_test_count(); ++j) {
      const ::testing::TestInfo& test = *suite.GetTestInfo(j);
      const std::string own = suite.name();
      std::string name = own + '.' + test.name();
      if (const char* type = suite.type_param()) {
        name = own.substr(0, own.rfind('/')) + '.' + test.name() + '<' + type + '>';
      }
      std::cout << test.file() << '\t' << name << '\t' << own << '.' << test.name() << '\n';
    }
  }
}

/// Runs the tests of one executable with Kokkos initialised: two threads whatever the machine, so that
/// concurrency is tested on any. Listing them, with --list for ctest, needs no device, so that test programs
/// built for a GPU can be listed on a machine without one.
int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  if (argc == 2 && std::strcmp(argv[1], "--list") == 0) {
    list_tests();
    return 0;
  }
  keep_cache_here();
  Kokkos::InitializationSettings settings;
#ifdef KOKKOS_ENABLE_OPENMP
  settings.set_num_threads(2);
#endif
  std::optional<Kokkos::ScopeGuard> kokkos;
  if (!GTEST_FLAG_GET(list_tests)) kokkos.emplace(settings);
  return RUN_ALL_TESTS();
}
