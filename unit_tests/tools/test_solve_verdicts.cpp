// What tessera-solve says of a solution: refused where nothing holds a part, solved to rounding, or with too
// few digits.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <string>
#include <support/files.hpp>

namespace {

using namespace tessera;
using ::testing::HasSubstr;
using ::testing::Not;

class SolveVerdicts : public ::testing::Test {
protected:
  /// Runs a tool in the test's folder; its exit status. What it printed is in `printed`.
  int run(const std::string& arguments, const std::string& tool = "solve") {
    const int status = test::run_in(folder_, TESSERA_BINARY_DIR "/bin/tessera-" + tool + " " + arguments);
    printed = test::read_file(folder_ / "log");
    return status;
  }

  /// Least and largest value of a component, as printed.
  std::pair<double, double> extremes(int component) {
    const std::size_t line = printed.find("component " + std::to_string(component) + ":");
    std::pair<double, double> found{NAN, NAN};
    if (line != std::string::npos)
      std::sscanf(printed.c_str() + line, "component %*d: min %lf max %lf", &found.first, &found.second);
    return found;
  }

  test::TemporaryFolder folder_;
  std::string printed;
};

TEST_F(SolveVerdicts, WhatNothingHoldsIsRefusedByName) {
  const std::string pulled =
      "--generate box:5 --element hex1 --form elasticity --young 1 --pressure xmax=-1 ";
  for (const std::string solver : {"automatic", "multigrid", "cg", "cg-unpreconditioned"}) {
    EXPECT_EQ(run(pulled + "--pressure xmin=-1 --solver " + solver), 2);
    EXPECT_THAT(printed,
                HasSubstr("nothing holds the part of 125 elements with element 0: translation along x, "
                          "translation along y, translation along z, rotation about x"));
    EXPECT_THAT(printed, Not(HasSubstr("component 0: min")));
  }
  EXPECT_EQ(run(pulled + "--fix xmin=0,-,-"), 2);
  EXPECT_THAT(printed,
              HasSubstr("translation along y, translation along z, rotation about the axis along (1, 0, 0)"));
  EXPECT_EQ(run("--generate box:3 --element hex1 --form heat --source 0"), 2);
  EXPECT_THAT(printed, HasSubstr("nothing holds the part of 27 elements with element 0: any constant"));
  EXPECT_EQ(run("--generate box:3 --element hex1 --form helmholtz --lambda 0"), 2);
  EXPECT_EQ(run("--generate box:3 --element hex1 --form helmholtz --lambda 1"), 0) << printed;
}

/// Two bodies of one deck that share an edge alone, of which one is held.
TEST_F(SolveVerdicts, AHingeIsRefused) {
  folder_.write("hinge.inp", "*NODE\n1,0,0,0\n2,1,0,0\n3,1,1,0\n4,0,1,0\n5,0,0,1\n6,1,0,1\n7,1,1,1\n8,0,1,1\n"
                             "9,2,1,0\n10,2,2,0\n11,1,2,0\n12,2,1,1\n13,2,2,1\n14,1,2,1\n"
                             "*ELEMENT, TYPE=C3D8, ELSET=E\n10,1,2,3,4,5,6,7,8\n20,3,9,10,11,7,12,13,14\n"
                             "*MATERIAL, NAME=M\n*ELASTIC\n100., 0.3\n*SOLID SECTION, ELSET=E, MATERIAL=M\n"
                             "*BOUNDARY\n1, 1, 3\n4, 1, 3\n5, 1, 3\n8, 1, 3\n"
                             "*STEP\n*STATIC\n*CLOAD\n3, 1, 0.5\n*END STEP\n");
  EXPECT_EQ(run("--deck hinge.inp"), 2);
  EXPECT_THAT(printed,
              HasSubstr("nothing holds the part of 1 elements with element 20 of hinge.inp: rotation about "
                        "the axis along (0, 0, 1) through (1, 1, "));
  EXPECT_EQ(run("--deck hinge.inp --pin"), 0) << printed;
  EXPECT_THAT(printed, HasSubstr("pinned, as nothing held it: the part of 1 elements"));
}

TEST_F(SolveVerdicts, PinsHoldWhatIsInBalance) {
  const std::string box =
      "--generate box:5 --element hex1 --form elasticity --young 1 --pin --pressure xmax=1 ";
  ASSERT_EQ(run(box + "--pressure xmin=1"), 0) << printed;
  EXPECT_THAT(printed,
              HasSubstr("pinned, as nothing held it: the part of 125 elements with element 0: translation"));
  EXPECT_NEAR(extremes(0).first, -0.5, 1e-6);
  EXPECT_NEAR(extremes(0).second, 0.5, 1e-6);
  EXPECT_NEAR(extremes(1).second, 0.15, 1e-6);
  EXPECT_EQ(run(box), 2);
  EXPECT_THAT(printed, HasSubstr("--pin: the loads are not in balance, so that pins would carry them"));
  ASSERT_EQ(run("--generate box:4 --element hex1 --form heat --source 0 --load xmax=1 --load xmin=-1 --pin"),
            0);
  EXPECT_NEAR(extremes(0).first, -0.5, 1e-6);
}

TEST_F(SolveVerdicts, OrdinaryStructuresAreSolvedToRounding) {
  const std::string plate =
      "--generate box:20x20x2@100x100x1 --element hex1 --form elasticity --fix xmin=0,0,0 "
      "--load zmax=0,0,-1 ";
  ASSERT_EQ(run(plate), 0) << printed;
  EXPECT_THAT(printed, HasSubstr("solved to rounding, which allows no smaller residual"));
  EXPECT_EQ(run(plate + "--tolerance 1e-9"), 1);
  EXPECT_THAT(printed, HasSubstr("NOT solved; rounding allows a relative residual of "));
  EXPECT_THAT(printed, HasSubstr("not the 1.0e-09 asked for"));
}

TEST_F(SolveVerdicts, AStalledMultigridGivesWayToCg) {
  ASSERT_EQ(run("--generate box:16x16x1@1x1x1e-4 --element hex1 --form elasticity --fix xmin=0,0,0 --load "
                "zmax=0,0,-1"),
            0)
      << printed;
  EXPECT_THAT(printed, HasSubstr("automatic: cg, as multigrid stalls after 2"));
  EXPECT_NEAR(extremes(2).first, -5.0e-5, 1e-6);
}

/// One nearly incompressible hexahedron: what is soft has a share of 1e-10 in the residual.
TEST_F(SolveVerdicts, DigitsThatAreLostAreMissed) {
  const std::string cube =
      "--generate box:1 --element hex1 --form elasticity --young 1e5 --poisson 0.4999999999 "
      "--fix zmin=0,0,0 --load xmax=0,0,1 ";
  ASSERT_EQ(run(cube), 0) << printed; // goes on below the default
  EXPECT_NEAR(extremes(0).first, -4.05e-14, 1e-17);
  EXPECT_EQ(run(cube + "--tolerance 1e-8"), 3);
  EXPECT_THAT(printed,
              HasSubstr("WARNING: fewer than 2 digits of the solution are sure; a smaller --tolerance gives "
                        "more"));
}

TEST_F(SolveVerdicts, NoBodyForceUnlessAskedFor) {
  const std::string bar = "--generate box:1x1x4@1x1x4 --element hex1 --form elasticity --young 1 --poisson 0 "
                          "--coefficients constant --fix zmin=0,0,0 --load zmax=0,0,1 ";
  ASSERT_EQ(run(bar), 0) << printed;
  EXPECT_THAT(printed, HasSubstr("elasticity, no body force: 4 elements"));
  EXPECT_NEAR(extremes(2).second, 4, 1e-6);
  ASSERT_EQ(run(bar + "--source 1"), 0) << printed;
  EXPECT_THAT(printed, HasSubstr("elasticity, body force 1 along the last axis: 4 elements"));
  EXPECT_NEAR(extremes(2).second, 12, 1e-6); // and l² / 2 of its own
  ASSERT_EQ(run("--help"), 0);
  EXPECT_THAT(printed, HasSubstr("none by"));
}

TEST_F(SolveVerdicts, OptionsThatZeroMeetsAreRefused) {
  const std::string box = "--generate box:3 --element hex1 --form heat --fix xmin=0 ";
  for (const std::string tolerance : {"1", "20", "-1"}) {
    EXPECT_EQ(run(box + "--tolerance " + tolerance), 2);
    EXPECT_THAT(printed, HasSubstr("--tolerance: expected a number from 0 to below 1"));
  }
  folder_.write("a.inp", "*NODE\n1, 0, 0\n");
  folder_.write("a.dat", "");
  EXPECT_EQ(run("--deck a.inp --reference a.dat --digits -1"), 2);
  EXPECT_THAT(printed, HasSubstr("--digits: expected a number above 0, got -1"));
}

TEST_F(SolveVerdicts, TesseraMultigridsStatusSaysWhetherItSolved) {
  if (!std::filesystem::exists(TESSERA_BINARY_DIR "/bin/tessera-multigrid"))
    GTEST_SKIP() << "tessera-multigrid is not built";
  EXPECT_EQ(run("--cells 6 --repetitions 1", "multigrid"), 0) << printed;
  EXPECT_EQ(run("--cells 6 --repetitions 1 --tolerance 1e-30", "multigrid"), 1) << printed;
}

} // namespace
