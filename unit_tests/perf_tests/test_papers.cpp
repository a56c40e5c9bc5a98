// SPDX-License-Identifier: BSD-3-Clause
// The tools measure the strategies that were named, and refuse names that they do not know: a misspelt one
// would measure, and check, nothing.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <support/files.hpp>

namespace perf_tests_papers {

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
  expect_refusal("tessera-paper1", "--strategies ElementLocal,ElementLocale",
                 "unknown strategy 'ElementLocale'; there are ElementLocal, ");
}
TEST(Papers, Paper1RefusesUnknownParts) {
  expect_refusal("tessera-paper1", "--parts table7", "unknown part 'table7'; there are table4, ");
}
TEST(Papers, Paper2RefusesUnknownNames) {
  expect_refusal("tessera-paper2", "--only ElementLocall",
                 "--only: no strategy's name holds 'ElementLocall'; there are ElementLocal");
}
// The papers launch each color; the catalogue's names have one CUDA graph of all where the device can.
TEST(Papers, Paper2HasThePapersStrategiesColorByColor) {
  expect_refusal("tessera-paper2", "--only none",
                 "--only: no strategy's name holds 'none'; there are ElementLocal, ElementLocal/separate, "
                 "ElementLocal/paper2, ElementLocal/paper2/separate, ElementAtomic, ");
}
TEST(Papers, Paper5HasThePapersOperatorsColorByColor) {
  const test::TemporaryFolder folder;
  const std::string program = TESSERA_BINARY_DIR "/bin/tessera-paper5";
  if (!std::filesystem::exists(program)) GTEST_SKIP() << "tessera-paper5 is not built here";
  EXPECT_EQ(test::run_in(folder, program + " --strategies none"), 2);
  const std::string log = test::read_file(folder / "log");
  EXPECT_THAT(log, HasSubstr("ElementByElement/dof/colors, ElementByElement/dof/colors/separate, "));
  EXPECT_THAT(log, HasSubstr("SymmetricElementByElement/nodes/colors/separate, "));
  EXPECT_THAT(log, Not(HasSubstr("/separate/separate")));
}
TEST(Papers, Paper5RefusesUnknownNames) {
  expect_refusal("tessera-paper5", "--strategies NodeByNode,DofByNode",
                 "unknown strategy 'DofByNode'; there are assembled, Best, ");
}

TEST(Papers, Paper2RefusesBeamsOfNoSize) {
  expect_refusal("tessera-paper2", "--divisions 0", "--divisions: whole numbers from 1 to 100, got '0'");
}
TEST(Papers, Paper4RefusesJumpsInOneMaterial) {
  expect_refusal("tessera-paper4", "--meshes Blobs=regular4:0 --no-assembly --inner 0 --repetitions 1",
                 "regular4:0 has one material, Blobs wants two");
}
TEST(Papers, Paper3RefusesUnknownParts) {
  expect_refusal("tessera-paper3", "--parts figures", "unknown part 'figures'; there are model, table, ");
}
TEST(Papers, Paper3RefusesMeshesOfOtherElements) {
  expect_refusal("tessera-paper3", "--mesh cantilever5", "unknown element 'quad1'; there are tri1, tet1");
}
TEST(Papers, Paper3MeasuresAFileInBothNumberings) {
  const std::string program = TESSERA_BINARY_DIR "/bin/tessera-paper3";
  if (!std::filesystem::exists(program)) GTEST_SKIP() << "tessera-paper3 is not built here";
  const test::TemporaryFolder folder;
  folder.write("square.msh",
               "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 1 1 0\n"
               "4 0 1 0\n$EndNodes\n$Elements\n2\n1 2 2 1 1 1 2 3\n2 2 2 1 1 1 3 4\n$EndElements\n");
  ASSERT_EQ(
      test::run_in(folder, program + " --parts model --repetitions 1 --mesh square.msh --json out.json"), 0)
      << test::read_file(folder / "log");
  const std::string json = test::read_file(folder / "out.json");
  for (const char* const coefficient : {"constant", "nodal, by cell", "nodal, by node"})
    for (const char* const numbering : {"given", "hilbert"})
      EXPECT_THAT(json, HasSubstr(std::string(R"("element": "tri1", "scalar": "float", "coefficient": ")") +
                                  coefficient + R"(", "strategy": "ThreadTransposition", "numbering": ")" +
                                  numbering + '"'));
  EXPECT_THAT(json, HasSubstr(R"("strategy": "ThreadTransposition, nodal vectors", "numbering": "hilbert")"));
}
TEST(Papers, Paper5RefusesMeshesThatThePaperHasNot) {
  expect_refusal("tessera-paper5", "--problems L9", "paper 5's meshes are C1 to C5, L1 to L5 and H1 to H5");
  expect_refusal("tessera-paper5", "--problems C1/0", "paper 5's meshes are C1 to C5");
}
// A plate from a file has a name of its own beside the square of its number.
TEST(Papers, Paper5NamesAPlateFromAFile) {
  const std::string program = TESSERA_BINARY_DIR "/bin/tessera-paper5";
  if (!std::filesystem::exists(program)) GTEST_SKIP() << "tessera-paper5 is not built here";
  const test::TemporaryFolder folder;
  folder.write("plate.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n1 1 \"Gamma_g1\"\n"
                            "1 2 \"Gamma_g2\"\n$EndPhysicalNames\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 1 1 0\n"
                            "4 0 1 0\n$EndNodes\n$Elements\n3\n1 1 2 1 1 4 1\n2 1 2 2 2 2 3\n"
                            "3 3 2 3 3 1 2 3 4\n$EndElements\n");
  ASSERT_EQ(test::run_in(folder, program + " --problems H1/32,H1=plate.msh --strategies NodeByNode "
                                           "--repetitions 1 --products 1 --json out.json"),
            0)
      << test::read_file(folder / "log");
  const std::string json = test::read_file(folder / "out.json");
  EXPECT_THAT(json, HasSubstr(R"("problem": "H1/32")"));
  EXPECT_THAT(json, HasSubstr(R"("problem": "H1, holes")"));
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
  expect_refusal("tessera-compare", "--generate box:2 --without RowLocale",
                 "unknown strategy 'RowLocale'; there are ");
  expect_refusal("tessera-compare", "--generate box:2 --strategies RowLocal --without RowLocal",
                 "--without leaves no strategy to compare");
}

} // namespace perf_tests_papers
