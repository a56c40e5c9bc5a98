// SPDX-License-Identifier: BSD-3-Clause
// tessera-compare --family apply and residual: every strategy agrees with the assembled system's K u and
// K u - f, on elements of every order.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <support/files.hpp>
#include <utility>
#include <vector>

namespace tools_compare_matrix_free {

using namespace tessera;
using ::testing::HasSubstr;

int compare(const test::TemporaryFolder& folder, const std::string& arguments) {
  return test::run_in(folder, TESSERA_BINARY_DIR "/bin/tessera-compare --repetitions 1 " + arguments);
}

TEST(CompareMatrixFree, StrategiesAgreeWithTheOracle) {
  for (const std::string problem :
       {"--generate box:4 --element tet1 --form elasticity",
        "--generate box:4x3 --element quad1 --form elasticity --plane stress --bend 0.05",
        "--generate box:2 --element hex20 --form elasticity --bend 0.05",
        "--generate box:4x3 --element tri5 --form helmholtz"})
    for (const auto& [family, names] :
         {std::pair("apply", std::vector{"NodeByNode", "RecomputingElementByElement/gather"}),
          std::pair("residual", std::vector{"ThreadTransposition", "ThreadPerCell/gather"})}) {
      SCOPED_TRACE(problem + ' ' + family);
      const test::TemporaryFolder folder;
      EXPECT_EQ(compare(folder, problem + " --csv results.csv --family " + family), 0)
          << test::read_file(folder / "log");
      const std::string results = test::read_file(folder / "results.csv");
      for (const std::string name : names) EXPECT_THAT(results, HasSubstr('"' + name + '"'));
    }
}

TEST(CompareMatrixFree, IsInDoublePrecision) {
  for (const std::string family : {"apply", "residual"}) {
    const test::TemporaryFolder folder;
    EXPECT_EQ(compare(folder, "--generate box:2 --element hex1 --scalar float --family " + family), 2);
    EXPECT_THAT(test::read_file(folder / "log"),
                HasSubstr("--family " + family + " is compiled for double precision"));
  }
}

} // namespace tools_compare_matrix_free
