// SPDX-License-Identifier: BSD-3-Clause
// Options that would be read and ignored are refused by name, in every tool; names have no case.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <support/files.hpp>

namespace tools_refused_options {

using namespace tessera;
using ::testing::HasSubstr;

class RefusedOptions : public ::testing::Test {
protected:
  /// Runs a tool in the test's folder; its exit status, or -1 where it is not built.
  int run(const std::string& tool, const std::string& arguments) {
    const std::string program = TESSERA_BINARY_DIR "/bin/tessera-" + tool;
    if (!std::filesystem::exists(program)) return -1;
    const int status = test::run_in(folder_, program + " " + arguments);
    printed_ = test::read_file(folder_ / "log");
    return status;
  }

  void expect_refused(const std::string& tool, const std::string& arguments, const std::string& message) {
    const int status = run(tool, arguments);
    if (status == -1) return;
    EXPECT_EQ(status, 2) << tool << ' ' << arguments << ": " << printed_;
    EXPECT_THAT(printed_, HasSubstr(": " + message + "\n")) << arguments;
  }

  test::TemporaryFolder folder_;
  std::string printed_;
};

const std::string box = "--generate box:2 --element hex1 ";

TEST_F(RefusedOptions, OfTheProblem) {
  for (const std::string tool : {"solve", "compare", "solve-mpi"}) {
    expect_refused(tool, box + "--young 1", "--young has no meaning for --form helmholtz");
    expect_refused(tool, box + "--form heat --lambda 1",
                   "--lambda has no meaning for --form heat; --form helmholtz has a reaction");
    expect_refused(tool, box + "--form elasticity --sigma 1", "--sigma has no meaning for --form elasticity");
    expect_refused(tool, box + "--allow-partial", "--allow-partial needs --mesh");
    expect_refused(tool, box + "--refuse-turned", "--refuse-turned needs --mesh");
  }
  for (const std::string tool : {"solve", "compare"})
    expect_refused(tool, box + "--form elasticity --plane strain", "--plane has no meaning for solids");
}

TEST_F(RefusedOptions, OfComparisons) {
  expect_refused("compare", box + "--seconds -1", "--seconds: expected a number from 0, got -1.000000");
  expect_refused("compare", box + "--calibrate-meshes a=b.msh", "--calibrate-meshes needs --calibrate");
  expect_refused("compare", "--list --strategies all", "--strategies has no meaning together with --list");
  expect_refused("compare", "--judge a.txt --json b.json", "--json has no meaning together with --judge");
  expect_refused("compare", "--calibrate a.txt --backends serial --repetitions 3",
                 "--repetitions has no meaning together with --calibrate");
  expect_refused("compare-mpi", "--transfer device", "--transfer device has no meaning on hosts");
}

TEST_F(RefusedOptions, OfPictures) {
  expect_refused("draw", box + "--output a.png --parts 3", "--parts has no meaning for --show sets");
  expect_refused("draw", "--generate box:2 --element quad1 --output a.png --cut",
                 "--cut has no meaning for plane meshes");
  expect_refused("draw", "--generate box:2 --element quad1 --output a.png --back",
                 "--back has no meaning for plane meshes");
  if (run("solve", "--help") == 0 && printed_.find("--picture") != std::string::npos) {
    expect_refused("solve", box + "--back", "--back needs --picture");
    expect_refused("solve", box + "--unit K", "--unit needs --picture");
    expect_refused("solve", "--generate box:2 --element quad1 --picture a.png --back",
                   "--back has no meaning for plane meshes");
  }
}

TEST_F(RefusedOptions, OfMultigrid) {
  expect_refused("multigrid", "--problem elasticity --lambda 1",
                 "--lambda has no meaning for --problem elasticity");
  expect_refused("multigrid", "--aggregation matched-pairs --run-length 3",
                 "--run-length has no meaning for --aggregation matched-pairs");
  expect_refused("multigrid", "--stretch 0", "--stretch: expected a number above 0, got 0.000000");
}

TEST_F(RefusedOptions, NamesHaveNoCase) {
  EXPECT_EQ(run("solve",
                "--generate Box:2 --element HEX1 --form Heat --fix xmin=0 --strategy rowOWNER --solver CG"),
            0)
      << printed_;
  if (run("compare", box + "--strategies best --backends SERIAL --no-check --repetitions 1") != -1) {
    EXPECT_THAT(printed_, HasSubstr("Best"));
  }
}

TEST_F(RefusedOptions, SetsMayHaveAnEqualsSignInTheirNames) {
  folder_.write("a.msh",
                "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n1 5 \"T=20\"\n$EndPhysicalNames\n"
                "$Nodes\n3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n$EndNodes\n"
                "$Elements\n2\n1 1 2 5 1 1 2\n2 2 2 7 1 1 2 3\n$EndElements\n");
  EXPECT_EQ(run("solve", "--mesh a.msh --form heat --source 0 --fix T=20=20"), 0) << printed_;
  EXPECT_THAT(printed_, HasSubstr("max 2.000000000e+01"));
  EXPECT_EQ(run("solve", "--mesh a.msh --form heat --fix T=20"), 2) << "the set T";
}

TEST_F(RefusedOptions, MeshesOfLinesAreNamed) {
  folder_.write("a.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n2\n1 0 0 0\n2 1 0 0\n$EndNodes\n"
                         "$Elements\n1\n1 1 2 5 1 1 2\n$EndElements\n");
  expect_refused("solve", "--mesh a.msh",
                 "a.msh: holds 1 line1 cells alone, and there are no elements of lines");
}

} // namespace tools_refused_options
