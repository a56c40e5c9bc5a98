// SPDX-License-Identifier: BSD-3-Clause
// tessera-compare --family residual: every strategy agrees with the assembled system's K u - f.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <support/files.hpp>

namespace tools_compare_residual {

using namespace tessera;
using ::testing::HasSubstr;

int compare(const test::TemporaryFolder& folder, const std::string& arguments) {
  return test::run_in(folder, TESSERA_BINARY_DIR "/bin/tessera-compare --family residual --repetitions 1 " +
                                  arguments);
}

TEST(CompareResidual, StrategiesAgreeWithTheOracle) {
  for (const std::string problem : {"--generate box:4 --element tet1 --form elasticity",
                                    "--generate box:4x3 --element tri1 --form helmholtz"}) {
    SCOPED_TRACE(problem);
    const test::TemporaryFolder folder;
    EXPECT_EQ(compare(folder, problem + " --csv results.csv"), 0) << test::read_file(folder / "log");
    const std::string results = test::read_file(folder / "results.csv");
    for (const std::string name :
         {"ThreadTransposition", "ThreadPerCell/gather", "RecomputingResidual/patches"})
      EXPECT_THAT(results, HasSubstr('"' + name + '"'));
  }
}

TEST(CompareResidual, SaysWhichElementsItHas) {
  const test::TemporaryFolder folder;
  EXPECT_EQ(compare(folder, "--generate box:2 --element hex1"), 2);
  EXPECT_THAT(test::read_file(folder / "log"),
              HasSubstr("--family residual is compiled for double precision and the elements tri1 tet1"));
}

} // namespace tools_compare_residual
