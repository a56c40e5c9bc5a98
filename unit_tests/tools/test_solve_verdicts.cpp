// SPDX-License-Identifier: BSD-3-Clause
// What tessera-solve says of a solution: refused where nothing holds a part, solved to rounding, or with too
// few digits.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <regex>
#include <string>
#include <support/files.hpp>
#include <vector>

namespace tools_solve_verdicts {

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

  /// Digits that are said to be right, −1 where none are.
  int digits() {
    const std::size_t line = printed.find("about ");
    int found = -1;
    if (line != std::string::npos)
      std::sscanf(printed.c_str() + line, "about %d digits of the largest", &found);
    return found;
  }

  /// Relative residual, as printed.
  double residual() {
    const std::size_t line = printed.find("relative residual ");
    double found = NAN;
    if (line != std::string::npos) std::sscanf(printed.c_str() + line, "relative residual %lf", &found);
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

/// On some of the loads' motions no load has a share: what is left of them there is rounding.
TEST_F(SolveVerdicts, PinsAreNotConfusedByRounding) {
  const std::string box = "--generate box:1 --element hex1 --form elasticity --young 1 --pin ";
  EXPECT_EQ(run(box + "--fix xmin=0,0,- --load xmax=1,0,0"), 0) << printed;
  EXPECT_EQ(run("--generate box:3x2x2@1e-9x1e-9x1e-9 --element hex1 --form elasticity --young 1 --pin "
                "--pressure xmin=1 --pressure xmax=1 --pressure ymin=0.3 --pressure ymax=0.3"),
            0)
      << printed;
  EXPECT_EQ(run(box + "--load xmax=0.3,-0.1,0.7"), 2) << printed;
  EXPECT_THAT(printed, HasSubstr("not in balance"));
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

TEST_F(SolveVerdicts, NoDigitsAreClaimedWithoutASolution) {
  EXPECT_EQ(run("--generate box:8x8x8@1e-6x1e-6x1e-6 --form helmholtz"), 1) << printed;
  EXPECT_EQ(digits(), -1) << printed;
  EXPECT_THAT(printed, Not(HasSubstr("nothing is fixed")));
  EXPECT_THAT(printed, HasSubstr("likely cause: what holds component 0 (supports, or a reaction) is lost in "
                                 "rounding"));
  EXPECT_EQ(run("--generate box:40x4x4@20x1x1 --form elasticity --fix xmin=0,0,0 --load xmax=0,0,-1e5 "
                "--tolerance 1e-12"),
            1)
      << printed;
  EXPECT_GE(digits(), 7) << printed;
  EXPECT_LE(digits(), 10) << printed;
  // As good as cg, which takes thousands of iterations.
  EXPECT_THAT(printed, HasSubstr("automatic: multigrid"));
  EXPECT_EQ(run("--generate box:40x4x4@20x1x1 --form elasticity --fix xmin=0,0,0 --load xmax=0,0,-1e5 "
                "--max-iterations 2"),
            1);
  EXPECT_EQ(digits(), -1) << printed;
}

/// A part 1e7 times softer than the other, of which norms of energy see nothing.
TEST_F(SolveVerdicts, SoftPartsHaveTheirSay) {
  folder_.write("soft.inp", R"(*NODE, NSET=NALL
1,160.73203203452562,64.454987887300334
2,161.73203203452562,64.454987887300334
3,161.73203203452562,65.454987887300334
4,160.73203203452562,65.454987887300334
5,161.73203203452562,66.454987887300334
6,160.73203203452562,66.454987887300334
7,162.73203203452562,66.454987887300334
8,162.73203203452562,67.454987887300334
9,161.73203203452562,67.454987887300334
10,162.73203203452562,68.454987887300334
11,161.73203203452562,68.454987887300334
12,162.73203203452562,69.454987887300334
13,161.73203203452562,69.454987887300334
14,163.73203203452562,66.454987887300334
15,163.73203203452562,67.454987887300334
16,163.73203203452562,68.454987887300334
17,163.73203203452562,69.454987887300334
*ELEMENT, TYPE=CPE3, ELSET=E0
1,1,2,3
2,1,3,4
3,4,3,5
4,4,5,6
*ELEMENT, TYPE=CPE3, ELSET=E1
5,5,7,8
6,5,8,9
7,9,8,10
8,9,10,11
9,11,10,12
10,11,12,13
11,7,14,15
12,7,15,8
13,8,15,16
14,8,16,10
15,10,16,17
16,10,17,12
*MATERIAL, NAME=M0
*ELASTIC
0.02930432164626863,0.48999999999999999
*SOLID SECTION, ELSET=E0, MATERIAL=M0
1.
*MATERIAL, NAME=M1
*ELASTIC
2.93043e-09,-0.5
*SOLID SECTION, ELSET=E1, MATERIAL=M1
1.
*BOUNDARY
3,1,1,0
3,2,2,0.045633929547635288
4,1,1,0
4,2,2,0
12,1,1,0
12,2,2,0
*STEP
*STATIC
*NODE PRINT, NSET=NALL
U
*END STEP
)");
  ASSERT_EQ(run("--deck soft.inp"), 0) << printed;
  EXPECT_NEAR(extremes(1).first, -0.01070, 5e-6);
  EXPECT_GE(digits(), 9) << printed;
  EXPECT_EQ(run("--deck soft.inp --tolerance 1e-8"), 3) << printed;
  EXPECT_GT(std::abs(extremes(1).first + 0.01070), 1e-4);
  EXPECT_LE(digits(), 1) << printed;
  EXPECT_THAT(printed, HasSubstr("a smaller --tolerance gives more"));
}

/// A mesh so flat that the iteration ends before it has met what bends.
TEST_F(SolveVerdicts, FlatMeshesAreSolved) {
  folder_.write("flat.inp", R"(*NODE, NSET=NALL
1,0,0
2,1,0
3,1,9.9999999999999995e-07
4,0,9.9999999999999995e-07
5,1,1.9999999999999999e-06
6,0,1.9999999999999999e-06
*ELEMENT, TYPE=CPE3, ELSET=E0
1,1,2,3
2,1,3,4
3,4,3,5
4,4,5,6
*MATERIAL, NAME=M0
*ELASTIC
1.,0.
*SOLID SECTION, ELSET=E0, MATERIAL=M0
1.
*BOUNDARY
2,2,2,0
3,1,1,-0.1
4,2,2,0
*STEP
*STATIC
*NODE PRINT, NSET=NALL
U
*END STEP
)");
  ASSERT_EQ(run("--deck flat.inp"), 0) << printed;
  EXPECT_NEAR(extremes(0).first, -0.1, 1e-4);
  EXPECT_NEAR(extremes(0).second, -0.1, 1e-4); // everywhere
  EXPECT_LE(digits(), 5) << printed;
  EXPECT_EQ(run("--deck flat.inp --tolerance 1e-8"), 3) << printed;
  EXPECT_EQ(digits(), 0) << printed;
}

/// Whatever solves: status, words and the residual that is printed agree, and only solutions are written.
TEST_F(SolveVerdicts, EverySolversVerdictIsTheResiduals) {
  const std::string box = "--generate box:6 --element hex1 --form heat --fix xmin=0 --fix xmax=1 ";
  std::vector<std::string> solvers;
  ASSERT_EQ(run("--help"), 0);
  for (const std::string name : {"automatic", "multigrid", "cg", "cg-unpreconditioned", "cg-block-jacobi",
                                 "gmres", "direct", "cg-kk-spmv", "cg-kk-gauss-seidel", "kk-cg-gauss-seidel"})
    if (std::regex_search(printed, std::regex("[ |]" + name + "[|\\n]"))) solvers.push_back(name);
  ASSERT_GE(solvers.size(), 6U);
  for (const std::string& solver : solvers)
    for (const double tolerance : {0.0, 1e-30, 1e-12, 1e-3}) {
      const bool kept = solver == "cg-block-jacobi"; // needs whole blocks
      char options[128];
      std::snprintf(options, sizeof options, "--tolerance %g --solver %s %s", tolerance, solver.c_str(),
                    kept ? "--constraints zeroed" : "");
      const int status = run(box + options
#ifdef TESSERA_HAVE_VTK
                             + " --output out.vtu"
#endif
      );
      const bool solved = residual() <= 1.05 * tolerance;
      EXPECT_EQ(status, solved ? 0 : 1) << options << printed;
      EXPECT_EQ(printed.find("NOT solved") == std::string::npos, solved) << options << printed;
      if (tolerance >= 1e-12) EXPECT_TRUE(solved) << options << printed;
      if (solved) EXPECT_GE(digits(), tolerance > 1e-6 ? 2 : 9) << options << printed;
#ifdef TESSERA_HAVE_VTK
      EXPECT_EQ(std::filesystem::exists(folder_ / "out.vtu"), solved) << options;
      std::filesystem::remove(folder_ / "out.vtu");
#endif
    }
}

/// A plate on which multigrid stalls and cg takes hundreds of iterations.
TEST_F(SolveVerdicts, WhatIterationsGiveUpOnIsSolvedDirectly) {
  const std::string plate =
      "--generate box:16x16x1@1x1x1e-4 --element hex1 --form elasticity --fix xmin=0,0,0 "
      "--load zmax=0,0,-1 ";
  EXPECT_EQ(run(plate + "--solver cg --max-iterations 20"), 1) << printed;
  EXPECT_THAT(printed, HasSubstr("; try --solver gmres"));
  if (printed.find("or direct") == std::string::npos) GTEST_SKIP() << "UMFPACK is not installed";
  EXPECT_EQ(run(plate + "--solver direct"), 0) << printed;
  EXPECT_THAT(printed, HasSubstr("LU: "));
  EXPECT_NEAR(extremes(2).first, -5.0e-5, 1e-6);
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

} // namespace tools_solve_verdicts
