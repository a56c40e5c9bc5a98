// SPDX-License-Identifier: BSD-3-Clause
// tessera-compare --form stokes: every assembly strategy agrees with the oracle on Taylor and Hood's pair.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <support/files.hpp>

namespace tools_compare_stokes {

using namespace tessera;
using ::testing::HasSubstr;

int compare(const test::TemporaryFolder& folder, const std::string& arguments) {
  return test::run_in(folder,
                      TESSERA_BINARY_DIR "/bin/tessera-compare --form stokes --repetitions 1 " + arguments);
}

TEST(CompareStokes, StrategiesAgreeWithTheOracle) {
  const test::TemporaryFolder folder;
  EXPECT_EQ(compare(folder, "--generate box:3x2 --element tri2 --csv results.csv"), 0)
      << test::read_file(folder / "log");
  EXPECT_THAT(test::read_file(folder / "log"), HasSubstr("tri2, stokes, double: 12 elements, 82 unknowns"));
  const std::string results = test::read_file(folder / "results.csv");
  for (const std::string name : {"ElementAtomic", "NzGlobal", "WarpPerElement", "RowOwner"})
    EXPECT_THAT(results, HasSubstr('"' + name + '"'));
}

TEST(CompareStokes, RefusesWhatItHasNotOrHasNoMeaning) {
  const test::TemporaryFolder folder;
  for (const auto& [arguments, sentence] :
       {std::pair("--element hex1", "--form stokes is compiled for the elements tri2 tet2"),
        std::pair("--element tri2 --family apply", "--form stokes is for --family assembly"),
        std::pair("--element tri2 --sigma 2", "--sigma has no meaning for --form stokes"),
        std::pair("--element tri2 --coefficients random",
                  "--coefficients has no meaning for --form stokes")}) {
    EXPECT_EQ(compare(folder, std::string("--generate box:2 ") + arguments), 2) << arguments;
    EXPECT_THAT(test::read_file(folder / "log"), HasSubstr(sentence));
  }
}

} // namespace tools_compare_stokes
