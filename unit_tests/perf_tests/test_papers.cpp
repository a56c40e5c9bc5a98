// The tools measure the strategies that were named, and refuse names that they do not know: a misspelt one
// would measure, and check, nothing.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <support/files.hpp>

namespace {

using namespace tessera;
using ::testing::HasSubstr, ::testing::Not;

void expect_refusal(const std::string& tool, const std::string& arguments, const std::string& message) {
  const std::string program = TESSERA_BINARY_DIR "/bin/" + tool;
  if (!std::filesystem::exists(program)) GTEST_SKIP() << tool << " is not built here";
  const test::TemporaryFolder folder;
  EXPECT_EQ(test::run_in(folder, program + " " + arguments), 2);
  EXPECT_THAT(test::read_file(folder / "log"), HasSubstr(tool + ": " + message));
}

TEST(Papers, Paper1RefusesUnknownNames) {
  expect_refusal("tessera-paper1", "--strategies ElementLocal,Elementlocal",
                 "unknown strategy 'Elementlocal'; there are ElementLocal, ");
}
TEST(Papers, Paper1RefusesUnknownParts) {
  expect_refusal("tessera-paper1", "--parts table7", "unknown part 'table7'; there are table4, ");
}
TEST(Papers, Paper2RefusesUnknownNames) {
  expect_refusal("tessera-paper2", "--only ElementLocall",
                 "--only: no strategy's name holds 'ElementLocall'; there are ElementLocal");
}
TEST(Papers, Paper5RefusesUnknownNames) {
  expect_refusal("tessera-paper5", "--strategies NodeByNode,DofByNode",
                 "unknown strategy 'DofByNode'; there are assembled, NodeByNode");
}

TEST(Compare, LeavesOutWhatItIsToldTo) {
  const std::string program = TESSERA_BINARY_DIR "/bin/tessera-compare";
  const test::TemporaryFolder folder;
  const std::string command =
      program + " --generate box:2 --element tri1 --repetitions 1 --csv out.csv --strategies ";
  EXPECT_EQ(test::run_in(folder, command + "ElementAtomic,RowLocal --without RowLocal"), 0);
  const std::string csv = test::read_file(folder / "out.csv");
  EXPECT_THAT(csv, HasSubstr("ElementAtomic"));
  EXPECT_THAT(csv, Not(HasSubstr("RowLocal")));
  expect_refusal("tessera-compare", "--generate box:2 --without Rowlocal",
                 "unknown strategy 'Rowlocal'; there are ");
  expect_refusal("tessera-compare", "--generate box:2 --strategies RowLocal --without RowLocal",
                 "--without leaves no strategy to compare");
}

} // namespace
