// SPDX-License-Identifier: BSD-3-Clause
// tessera-solve --deck: a deck with its own materials, supports and loads, and CalculiX's own decks.

#include <tessera/io/abaqus/calculix_results.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "solve_deck.hpp"
#include <filesystem>
#include <string>
#include <support/files.hpp>

namespace tools_solve_deck {

using namespace tessera;
using test::bar;
using test::decks;
using test::solve;
using test::SolveDeck;
using ::testing::HasSubstr;

TEST_F(SolveDeck, TakesEverythingFromTheDeck) {
  folder_.write("bar.inp", bar);
  ASSERT_EQ(run("--deck bar.inp --displacements bar.dat --tolerance 1e-12"), 0) << printed;
  EXPECT_THAT(printed, HasSubstr("bar.inp, 1 C3D8 as hex1: 1 elements, 12 unknowns"));
  const auto found = io::read_calculix_displacements(folder_ / "bar.dat");
  ASSERT_EQ(found.size(), 8u);
  for (const int node : {1, 2, 3, 4}) EXPECT_EQ(found.at(node)[2], 0.0);
  for (const int node : {5, 6, 7, 8}) EXPECT_NEAR(found.at(node)[2], 0.04, 1e-8);
}

/// The bar turned about its axis by supports along oblique axes, the top joined to a node beyond it, which
/// bears the whole force.
TEST_F(SolveDeck, EquationsAndOwnAxes) {
  std::string text = bar;
  const auto change = [&](const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
  };
  change("*ELEMENT", "20, 7, 7, 7\n*ELEMENT");
  change("LOW, 1, 3\n",
         "LOW, 1, 3\n*NSET, NSET=OBLIQUE\n1, 2, 3, 4\n*TRANSFORM, NSET=OBLIQUE, TYPE=R\n1, 2, 3, -1, 1, 0\n"
         "*EQUATION\n2\nTOP, 3, 1., 20, 2, -1.\n");
  change("TOP, 3, 0.5", "20, 2, 2.");
  folder_.write("bar.inp", text);
  ASSERT_EQ(run("--deck bar.inp --displacements bar.dat --tolerance 1e-12"), 0) << printed;
  const auto found = io::read_calculix_displacements(folder_ / "bar.dat");
  ASSERT_EQ(found.size(), 9u);
  for (const int node : {1, 2, 3, 4}) EXPECT_EQ(found.at(node)[2], 0.0);
  for (const int node : {5, 6, 7, 8}) EXPECT_NEAR(found.at(node)[2], 0.04, 1e-8);
  EXPECT_NEAR(found.at(20)[1], 0.04, 1e-8);
  // The node is held itself, and its support takes the force.
  std::string held = text;
  folder_.write("bar.inp", held.replace(held.find("LOW, 1, 3\n"), 10, "LOW, 1, 3\n20, 2, 2, 0.5\n"));
  ASSERT_EQ(run("--deck bar.inp --displacements bar.dat --tolerance 1e-12"), 0) << printed;
  EXPECT_NEAR(io::read_calculix_displacements(folder_ / "bar.dat").at(7)[2], 0.5, 1e-8);
  EXPECT_NEAR(io::read_calculix_displacements(folder_ / "bar.dat").at(20)[1], 0.5, 1e-8);
  // A force on a node that nothing joins to the bar's.
  std::string apart = text;
  folder_.write("bar.inp", apart.replace(apart.find("20, 2, 2."), 9, "20, 1, 2."));
  EXPECT_EQ(run("--deck bar.inp"), 2);
  EXPECT_THAT(printed, HasSubstr("which no constraint joins to the space's"));
  // Supports in two of three directions, and equations that do not hold the third.
  std::string loose = text;
  folder_.write("bar.inp", loose.replace(loose.find("LOW, 1, 3"), 9, "LOW, 1, 2"));
  EXPECT_EQ(run("--deck bar.inp"), 2);
  EXPECT_THAT(printed, HasSubstr("the problem has no unique solution: supports do not hold "));
}

TEST_F(SolveDeck, RegardsTheStepsThatAreAskedFor) {
  folder_.write("bar.inp", bar + "*STEP\n*FREQUENCY\n10\n*END STEP\n");
  EXPECT_EQ(run("--deck bar.inp"), 2);
  EXPECT_THAT(printed, HasSubstr("bar.inp:28: *FREQUENCY is not supported in a linear static deck"));
  EXPECT_EQ(run("--deck bar.inp --steps 1"), 0) << printed;
  EXPECT_EQ(run("--deck bar.inp --steps 3"), 2);
  EXPECT_THAT(printed, HasSubstr("bar.inp: has 2 steps, not 3"));
}

// The second step doubles the force of two nodes, the third one takes all forces away but one.
TEST_F(SolveDeck, StepsOneAfterTheOther) {
  folder_.write("bar.inp", bar + "*STEP\n*STATIC\n*CLOAD\n5, 3, 1.\n7, 3, 1.\n*END STEP\n"
                                 "*STEP\n*STATIC\n*CLOAD, OP=NEW\nTOP, 3, 0.25\n*END STEP\n");
  const double wanted[] = {0.04, 0.06, 0.02};
  for (int steps = 1; steps <= 3; ++steps) {
    ASSERT_EQ(run("--deck bar.inp --displacements bar.dat --steps " + std::to_string(steps)), 0) << printed;
    const auto found = io::read_calculix_displacements(folder_ / "bar.dat");
    double mean = 0.0;
    for (const int node : {5, 6, 7, 8}) mean += found.at(node)[2] / 4;
    EXPECT_NEAR(mean, wanted[steps - 1], 1e-8);
  }
  ASSERT_EQ(run("--deck bar.inp --displacements bar.dat"), 0) << printed;
  EXPECT_NEAR(io::read_calculix_displacements(folder_ / "bar.dat").at(7)[2], 0.02, 1e-8);
}

// Twice the force at time 1, three times at time 2 and later.
TEST_F(SolveDeck, AmplitudesAtTheEndOfTheStep) {
  const auto top = [&](const std::string& amplitude, const std::string& increments) {
    std::string text = bar;
    text.replace(text.find("*STEP"), 0, "*AMPLITUDE, NAME=A" + amplitude + "\n0., 1., 2., 3.\n");
    text.replace(text.find("*STATIC\n"), 8, "*STATIC\n" + increments);
    text.replace(text.find("*CLOAD"), 6, "*CLOAD, AMPLITUDE=A");
    folder_.write("bar.inp", text);
    EXPECT_EQ(run("--deck bar.inp --displacements bar.dat --tolerance 1e-12"), 0) << printed;
    return io::read_calculix_displacements(folder_ / "bar.dat").at(7)[2];
  };
  EXPECT_NEAR(top("", ""), 0.08, 1e-8);
  EXPECT_NEAR(top(", TIME=TOTAL TIME", "0.1, 2.\n"), 0.12, 1e-8);
  EXPECT_NEAR(top("", "0.1, 9.\n"), 0.12, 1e-8);
  std::string twice = test::read_file(folder_ / "bar.inp");
  folder_.write("bar.inp", twice + "*STEP\n*STATIC\n*END STEP\n");
  EXPECT_EQ(run("--deck bar.inp"), 2);
  EXPECT_THAT(printed, HasSubstr("*STEP, after a step with an AMPLITUDE is not supported"));
  folder_.write("bar.inp", twice.replace(twice.find("NAME=A"), 6, "NAME=A, SHIFTY=1."));
  EXPECT_EQ(run("--deck bar.inp"), 2);
  EXPECT_THAT(printed, HasSubstr("bar.inp:22: *AMPLITUDE, SHIFTY is not supported in a linear static deck"));
}

// Two bars one on the other, each of length 2 and held at its end, are pulled together by 2: each grows by
// 0.04.
TEST_F(SolveDeck, PretensionSection) {
  std::string text = bar;
  const auto change = [&](const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
  };
  change("*ELEMENT", "9, 0, 0, 4\n10, 1, 0, 4\n11, 1, 1, 4\n12, 0, 1, 4\n20, 7, 7, 7\n*ELEMENT");
  change("*NSET", "2, 5, 6, 7, 8, 9, 10, 11, 12\n*NSET, NSET=HIGH\n9, 10, 11, 12\n*NSET");
  change("*BOUNDARY\n", "*SURFACE, NAME=S\n1, S2\n*PRE-TENSION SECTION, SURFACE=S, NODE=20\n0, 0, 3\n"
                        "*BOUNDARY\nHIGH, 1, 3\n");
  change("TOP, 3, 0.5", "20, 1, 2.");
  const auto expect_both_to_grow = [&] {
    folder_.write("bar.inp", text);
    ASSERT_EQ(run("--deck bar.inp --displacements bar.dat --tolerance 1e-12"), 0) << printed;
    const auto found = io::read_calculix_displacements(folder_ / "bar.dat");
    for (const int node : {5, 6, 7, 8}) EXPECT_NEAR(found.at(node)[2], -0.04, 1e-8);
    for (const int node : {21, 22, 23, 24}) EXPECT_NEAR(found.at(node)[2], 0.04, 1e-8);
    EXPECT_NEAR(found.at(20)[0], 0.08, 1e-8);
  };
  expect_both_to_grow();
  change("20, 1, 2.", "20, 1, 99.");
  change("*BOUNDARY\n", "*BOUNDARY\n20, 1, 1, 0.08\n");
  expect_both_to_grow();
}

// A force beside the middle of the top: the reference node moves and turns as the top does in the mean.
TEST_F(SolveDeck, DistributingCoupling) {
  std::string text = bar;
  text.replace(text.find("*ELEMENT"), 0, "20, .5, 0., 2.\n");
  text.replace(text.find("*STEP"), 0,
               "*SURFACE, NAME=S\n1, S2\n*COUPLING, REF NODE=20, SURFACE=S, CONSTRAINT NAME=C\n"
               "*DISTRIBUTING\n1, 6\n");
  text.replace(text.find("TOP, 3, 0.5"), 11, "20, 3, 2.\n20, 6, 0.3");
  folder_.write("bar.inp", text);
  ASSERT_EQ(run("--deck bar.inp --displacements bar.dat --tolerance 1e-13"), 0) << printed;
  const auto found = io::read_calculix_displacements(folder_ / "bar.dat");
  double mean = 0.0, turn = 0.0; // of the four corners, each with a quarter of the area, arms of 1/2
  for (const int node : {5, 6, 7, 8}) {
    const double y = node < 7 ? -0.5 : 0.5;
    mean += found.at(node)[2] / 4;
    turn += y * found.at(node)[2];
  }
  EXPECT_NEAR(mean, 0.04, 1e-8);
  EXPECT_NEAR(found.at(20)[2], mean - 0.5 * turn, 1e-8);
  EXPECT_LT(turn, -0.01);
  // Twice the moment of the force, without the force: no elongation, and twice the turn.
  folder_.write("bar.inp", text.replace(text.find("20, 3, 2."), 9, "20, 4, -2."));
  ASSERT_EQ(run("--deck bar.inp --displacements bar.dat --tolerance 1e-13"), 0) << printed;
  const auto turned = io::read_calculix_displacements(folder_ / "bar.dat");
  EXPECT_NEAR(turned.at(5)[2] - turned.at(8)[2], 2 * (found.at(5)[2] - found.at(8)[2]), 1e-7);
  EXPECT_NEAR(turned.at(5)[2] + turned.at(8)[2], 0.0, 1e-7);
}

// A quarter of a square frame that is drawn from outside: tied to itself by a turn, or held at its planes of
// symmetry.
TEST_F(SolveDeck, CyclicSymmetry) {
  const auto sector = [](const std::string& ends, const std::string& held) {
    return "*NODE\n1, 1, 0, 0\n2, 2, 0, 0\n3, 0, 2, 0\n4, 0, 1, 0\n5, 1, 0, 1\n6, 2, 0, 1\n7, 0, 2, 1\n8, 0, "
           "1, 1\n*ELEMENT, TYPE=C3D8, ELSET=E\n1, 1, 2, 3, 4, 5, 6, 7, 8\n*NSET, NSET=BEGIN\n1, 2, 5, "
           "6\n*NSET, "
           "NSET=END\n3, 4, 7, 8\n*MATERIAL, NAME=M\n*ELASTIC\n100., 0.3\n*SOLID SECTION, ELSET=E, "
           "MATERIAL=M\n" +
           ends + "*BOUNDARY\n" + held + "1, 3\n2, 3\n4, 3\n*STEP\n*STATIC\n*DLOAD\nE, P4, -1.\n*END STEP\n";
  };
  const auto displacements = [&](const std::string& text) {
    folder_.write("sector.inp", text);
    EXPECT_EQ(run("--deck sector.inp --displacements sector.dat --tolerance 1e-13"), 0) << printed;
    return io::read_calculix_displacements(folder_ / "sector.dat");
  };
  const std::string tie =
      "*SURFACE, NAME=B, TYPE=NODE\nBEGIN\n*SURFACE, NAME=N, TYPE=NODE\nEND\n*TIE, CYCLIC "
      "SYMMETRY, NAME=T\nB, N\n*CYCLIC SYMMETRY MODEL, N=4\n0., 0., 0., 0., 0., 1.\nALL\n";
  const auto wanted = displacements(sector("", "BEGIN, 2\nEND, 1\n3, 3\n"));
  const auto tied = displacements(sector(tie, "1, 2\n"));
  for (const auto& [node, u] : wanted)
    for (std::size_t d = 0; d < 3; ++d) EXPECT_NEAR(tied.at(node)[d], u[d], 1e-8) << node;
  EXPECT_GT(wanted.at(2)[0], 0.005);
  std::string apart = tie;
  folder_.write("sector.inp", sector(apart.replace(apart.find("N=4"), 3, "N=5"), "1, 2\n"));
  EXPECT_EQ(run("--deck sector.inp"), 2);
  EXPECT_THAT(printed, HasSubstr("of a tie with cyclic symmetry, which lies "));
}

TEST_F(SolveDeck, ComparesWithAReference) {
  folder_.write("bar.inp", bar);
  ASSERT_EQ(run("--deck bar.inp --displacements own.dat"), 0) << printed;
  ASSERT_EQ(run("--deck bar.inp --reference own.dat"), 0) << printed;
  EXPECT_THAT(printed, HasSubstr("reference: 8 of 8 nodes, largest displacement 4.000000e-02"));
  EXPECT_THAT(printed, HasSubstr("at least the 5.0 asked for"));
  auto moved = io::read_calculix_displacements(folder_ / "own.dat");
  moved[7][2] = 0.05;
  moved[99] = {1, 1, 1};
  io::write_calculix_displacements(folder_ / "reference.dat", moved);
  EXPECT_EQ(run("--deck bar.inp --reference reference.dat"), 1);
  EXPECT_THAT(printed,
              HasSubstr("reference: 8 of 9 nodes, largest displacement 5.000000e-02, largest difference "
                        "1.000e-02 at node 7, 0.7 digits, NOT the 5.0 asked for"));
  EXPECT_EQ(run("--deck bar.inp --reference reference.dat --digits 0.5"), 0) << printed;
}

/// Where there are no displacements: the support's forces, and a total of another set.
TEST_F(SolveDeck, ComparesForcesWithAReference) {
  folder_.write("bar.inp", bar);
  const std::string heading = "\n                        S T E P       1\n\n";
  const std::string forces =
      " forces (fx,fy,fz) for set LOW and time  0.1000000E+01\n\n"
      "         1  0.000000E+00  0.000000E+00 -5.000000E-01\n         2  0.000000E+00  0.000000E+00 "
      "-5.000000E-01\n\n";
  folder_.write("a.dat", heading + forces +
                             " total force (fx,fy,fz) for set TOP and time  0.1000000E+01\n\n"
                             "        0.000000E+00  0.000000E+00  2.000000E+00\n");
  EXPECT_EQ(run("--deck bar.inp --tolerance 1e-12 --reference a.dat"), 0) << printed;
  EXPECT_THAT(printed, HasSubstr("reference: forces at 2 of 2 places, largest 5.000000e-01"));
  EXPECT_THAT(printed, HasSubstr("reference: total forces at 1 of 1 places, largest 2.000000e+00"));
  folder_.write("a.dat", heading + forces +
                             " total force (fx,fy,fz) for set TOP and time  0.1000000E+01\n\n"
                             "        0.000000E+00  0.000000E+00  2.100000E+00\n");
  EXPECT_EQ(run("--deck bar.inp --tolerance 1e-12 --reference a.dat"), 1);
  EXPECT_THAT(printed, HasSubstr("largest difference 1.000e-01 at set TOP, 1.3 digits, NOT the 5.0"));
  folder_.write("a.dat", heading + " forces (fx,fy,fz) for set N and time  1.\n\n  77  0. 0. 0.\n");
  EXPECT_EQ(run("--deck bar.inp --reference a.dat"), 2);
  EXPECT_THAT(printed, HasSubstr("--reference: a.dat has forces of nothing in the deck"));
  folder_.write("a.dat", heading + "     E I G E N V A L U E   O U T P U T\n");
  EXPECT_EQ(run("--deck bar.inp --reference a.dat"), 2);
  EXPECT_THAT(printed, HasSubstr("a.dat: has no displacements of a first step"));
}

TEST_F(SolveDeck, AReferenceThatIsCutShortIsNamed) {
  folder_.write("bar.inp", bar);
  folder_.write("bar.dat", "an earlier good result");
  io::write_calculix_displacements(folder_ / "short.dat",
                                   {{1, {0, 0, 0}}, {7, {0, 0, 0.04}}, {99, {1, 1, 1}}});
  EXPECT_EQ(run("--deck bar.inp --reference short.dat --displacements bar.dat"), 2);
  EXPECT_THAT(printed, HasSubstr("tessera-solve: short.dat"));
  EXPECT_EQ(test::read_file(folder_ / "bar.dat"), "an earlier good result");
}

TEST_F(SolveDeck, AFailedSolutionReplacesNothing) {
  folder_.write("bar.inp", bar);
  folder_.write("bar.dat", "an earlier good result");
  std::string bent = bar; // which one iteration does not solve
  folder_.write("bent.inp", bent.replace(bent.find("TOP, 3, 0.5"), 11, "TOP, 1, 0.5"));
  EXPECT_EQ(run("--deck bent.inp --displacements bar.dat --max-iterations 1"), 1);
  EXPECT_THAT(printed, HasSubstr("maximum number of iterations reached"));
  EXPECT_THAT(printed, HasSubstr("NOT solved; more iterations may help, else the likely cause: "));
  EXPECT_THAT(printed, HasSubstr("bar.dat is not written"));
  EXPECT_EQ(test::read_file(folder_ / "bar.dat"), "an earlier good result");
  std::string loose = bar;
  folder_.write("loose.inp",
                loose.erase(loose.find("*BOUNDARY"), std::string("*BOUNDARY\nLOW, 1, 3\n").size()));
  EXPECT_NE(run("--deck loose.inp --displacements bar.dat"), 0) << printed;
  EXPECT_EQ(test::read_file(folder_ / "bar.dat"), "an earlier good result");
}

TEST_F(SolveDeck, RefusesWhatADeckMakesMeaningless) {
  folder_.write("bar.inp", bar);
  for (const char* option :
       {"--mesh a.msh", "--generate cantilever2:1", "--element hex1", "--form elasticity",
        "--coefficients random", "--sigma 1", "--lambda 1", "--source 1", "--young 1", "--poisson 0.3",
        "--plane strain", "--fix LOW=0,0,0", "--load TOP=0,0,1", "--pressure TOP=1"}) {
    EXPECT_EQ(run(std::string("--deck bar.inp ") + option), 2) << option;
    const std::string name(option, std::string(option).find(' '));
    EXPECT_THAT(printed, HasSubstr("tessera-solve: " + name + " has no meaning together with --deck"));
  }
  for (const std::string option : {"--displacements", "--reference"}) {
    EXPECT_EQ(run("--generate cantilever2:1 " + option + " a.dat"), 2);
    EXPECT_THAT(printed, HasSubstr("tessera-solve: " + option + " needs --deck"));
  }
}

TEST_F(SolveDeck, NamesTheLineThatIsNotSupported) {
  std::string dynamic = bar;
  folder_.write("bar.inp", dynamic.replace(dynamic.find("*STATIC"), 7, "*DYNAMIC"));
  EXPECT_EQ(run("--deck bar.inp"), 2);
  EXPECT_THAT(printed,
              HasSubstr("tessera-solve: bar.inp:23: *DYNAMIC is not supported in a linear static deck"));
}

/// What docs/calculix.md says of every deck of CalculiX's own holds.
TEST_F(SolveDeck, CalculixsOwnDecks) {
  if (!std::filesystem::exists(decks)) GTEST_SKIP() << "calculix-ccx-test is not installed";
  if (!test::has_program("python3")) GTEST_SKIP() << "python3 is not installed";
  EXPECT_EQ(test::run_in(folder_, "python3 " TESSERA_SOURCE_DIR "/tools/solve/calculix.py --solve " + solve +
                                      " --check " TESSERA_SOURCE_DIR "/docs/calculix.md"),
            0)
      << test::read_file(folder_ / "log");
}

} // namespace tools_solve_deck
