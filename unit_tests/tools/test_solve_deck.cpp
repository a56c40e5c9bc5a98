// SPDX-License-Identifier: BSD-3-Clause
// tessera-solve --deck: a deck with its own materials, supports and loads, and CalculiX's own decks.

#include <tessera/io/abaqus/calculix_results.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <support/files.hpp>
#include <vector>

namespace tools_solve_deck {

using namespace tessera;
using ::testing::HasSubstr;

const std::string solve = TESSERA_BINARY_DIR "/bin/tessera-solve";
const std::string decks = "/usr/share/doc/calculix-ccx-test/examples/test";

/// A bar of one hexahedron, 1 x 1 x 2, E = 100, nu = 0, pulled by 4 x 0.5: it grows by F l / (E A) = 0.04.
const std::string bar = R"(*NODE
1, 0, 0, 0
2, 1, 0, 0
3, 1, 1, 0
4, 0, 1, 0
5, 0, 0, 2
6, 1, 0, 2
7, 1, 1, 2
8, 0, 1, 2
*ELEMENT, TYPE=C3D8, ELSET=E
1, 1, 2, 3, 4, 5, 6, 7, 8
*NSET, NSET=LOW
1, 2, 3, 4
*NSET, NSET=TOP
5, 6, 7, 8
*MATERIAL, NAME=M
*ELASTIC
100., 0.
*SOLID SECTION, ELSET=E, MATERIAL=M
*BOUNDARY
LOW, 1, 3
*STEP
*STATIC
*CLOAD
TOP, 3, 0.5
*END STEP
)";

class SolveDeck : public ::testing::Test {
protected:
  /// Runs the tool in the test's folder; its exit status. What it printed is in `printed`.
  int run(const std::string& arguments) {
    const int status = test::run_in(folder_, solve + " " + arguments);
    printed = test::read_file(folder_ / "log");
    return status;
  }

  test::TemporaryFolder folder_;
  std::string printed;
};

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
      "SYMMETRY, NAME=T\nB, N\n*CYCLIC SYMMETRY MODEL, N=4\n0., 0., 0., 0., 0., 1.\n";
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

/// CalculiX's own deck of C3D6, but for a keyword that CalculiX does not know either.
TEST_F(SolveDeck, WedgesAtTwoPoints) {
  if (!std::filesystem::exists(decks)) GTEST_SKIP() << "calculix-ccx-test is not installed";
  std::string text = test::read_file(decks + "/c3d6.inp");
  const std::size_t unknown = text.find("*MEMBRANE"), next = text.find("*ORIENTATION");
  folder_.write("c3d6.inp", text.erase(unknown, next - unknown));
  EXPECT_EQ(run("--deck c3d6.inp --tolerance 1e-12 --digits 6.5 --reference " + decks + "/c3d6.dat.ref"), 0)
      << printed;
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

/// A square of two CPS6, E = 100, nu = 0, pulled by 1: it grows by F l / (E A) = 0.01.
TEST_F(SolveDeck, LinesAloneAreRefused) {
  folder_.write("lines.inp", "*NODE\n1\n2,1\n*ELEMENT, TYPE=B31\n1,1,2\n");
  EXPECT_EQ(run("--deck lines.inp"), 2);
  EXPECT_THAT(printed, HasSubstr("lines.inp: holds 1 line1 cells alone, and there are no elements of lines"));
}

TEST_F(SolveDeck, QuadraticTriangles) {
  folder_.write("square.inp",
                "*NODE, NSET=ALL\n1, 0, 0\n2, 1, 0\n3, 1, 1\n4, 0, 1\n5, .5, 0\n6, 1, .5\n7, .5, 1\n"
                "8, 0, .5\n9, .5, .5\n*ELEMENT, TYPE=CPS6, ELSET=E\n1, 1, 2, 3, 5, 6, 9\n"
                "2, 1, 3, 4, 9, 7, 8\n*MATERIAL, NAME=M\n*ELASTIC\n100., 0.\n"
                "*SOLID SECTION, ELSET=E, MATERIAL=M\n1.\n*BOUNDARY\nALL, 2\n1, 1\n8, 1\n4, 1\n*STEP\n"
                "*STATIC\n*CLOAD\n2, 1, 0.16666666666667\n6, 1, 0.66666666666667\n"
                "3, 1, 0.16666666666667\n*END STEP\n");
  ASSERT_EQ(run("--deck square.inp --displacements square.dat --tolerance 1e-12"), 0) << printed;
  const auto found = io::read_calculix_displacements(folder_ / "square.dat");
  for (const int node : {2, 3, 6}) EXPECT_NEAR(found.at(node)[0], 0.01, 1e-8);
  for (const int node : {5, 7, 9}) EXPECT_NEAR(found.at(node)[0], 0.005, 1e-8);
}

TEST_F(SolveDeck, ReducedIntegration) {
  folder_.write("square.inp",
                "*NODE\n1,0,0\n2,1,0\n3,1,1\n4,0,1\n5,.5,0\n6,1,.5\n7,.5,1\n8,0,.5\n*ELEMENT,TYPE=CPS8R,"
                "ELSET=E\n1,1,2,3,4,5,6,7,8\n*MATERIAL,NAME=M\n*ELASTIC\n100.,0.\n*SOLID SECTION,ELSET=E,"
                "MATERIAL=M\n1.\n*BOUNDARY\n1,1,2\n2,2\n5,2\n4,1\n8,1\n*STEP\n*STATIC\n*DLOAD\nE,P2,-1.\n"
                "*END STEP\n");
  ASSERT_EQ(run("--deck square.inp --displacements square.dat --tolerance 1e-12"), 0) << printed;
  EXPECT_THAT(printed, HasSubstr("1 CPS8R as quad8"));
  const auto found = io::read_calculix_displacements(folder_ / "square.dat");
  for (const int node : {2, 3, 6}) EXPECT_NEAR(found.at(node)[0], 0.01, 1e-8);
  EXPECT_EQ(run("--deck square.inp --strategy RowOwner"), 2);
  EXPECT_THAT(
      printed,
      HasSubstr("tessera-solve: --strategy: elements with reduced integration and materials that vary "
                "with direction or temperature are assembled by ElementAtomic alone, not by RowOwner"));
}

/// A bar 3 x 1 x 1 along x of the types in turn, under a pressure of 1 on both ends, on supports that hold
/// its rigid motions alone: u = (-x, nu y, nu z) / E.
class SolveDeckOfSeveralTypes : public SolveDeck {
protected:
  using Point = std::array<double, 3>;
  struct Element {
    std::vector<Point> corners;
    std::vector<std::array<std::size_t, 2>> edges; ///< with nodes between, in the order of the type
  };

  int number_of(const Point& point) {
    const auto found = std::find(points_.begin(), points_.end(), point);
    if (found != points_.end()) return static_cast<int>(found - points_.begin()) + 1;
    points_.push_back(point);
    return static_cast<int>(points_.size());
  }
  std::string line_of(int number, const Element& element, bool quadratic) {
    std::vector<Point> all = element.corners;
    for (const auto& [a, b] : element.edges) {
      if (!quadratic) break;
      Point& middle = all.emplace_back();
      for (std::size_t d = 0; d < 3; ++d) middle[d] = (element.corners[a][d] + element.corners[b][d]) / 2;
    }
    std::string line = std::to_string(number);
    for (std::size_t n = 0; n < all.size(); ++n) {
      line += "," + std::to_string(number_of(all[n]));
      if (n == 13) line += ",\n" + std::to_string(number_of(all[++n]));
    }
    return line + "\n";
  }
  /// \param hexahedron, wedge what the deck calls them
  std::string bar_of(const std::string& hexahedron, const std::string& wedge) {
    const bool quadratic = wedge == "C3D15";
    const Element cube{
        {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}},
        {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6}, {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}}};
    const std::vector<std::array<std::size_t, 2>> edges{{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5},
                                                        {5, 3}, {0, 3}, {1, 4}, {2, 5}};
    const Element first{{{1, 0, 0}, {3, 0, 0}, {3, 1, 0}, {1, 0, 1}, {3, 0, 1}, {3, 1, 1}}, edges};
    const Element second{{{1, 0, 0}, {3, 1, 0}, {1, 1, 0}, {1, 0, 1}, {3, 1, 1}, {1, 1, 1}}, edges};
    const std::string elements = "*ELEMENT, TYPE=" + hexahedron + ", ELSET=E\n" +
                                 line_of(1, cube, quadratic) + "*ELEMENT, TYPE=" + wedge + ", ELSET=E\n" +
                                 line_of(2, first, quadratic) + line_of(3, second, quadratic);
    std::string nodes = "*NODE\n";
    for (std::size_t n = 0; n < points_.size(); ++n) {
      nodes += std::to_string(n + 1);
      for (const double x : points_[n]) nodes += ", " + std::to_string(x);
      nodes += "\n";
    }
    return nodes + elements +
           "*MATERIAL, NAME=M\n*ELASTIC\n100., 0.25\n*SOLID SECTION, ELSET=E, MATERIAL=M\n*BOUNDARY\n1, 1, "
           "3\n4, 1\n4, 3\n5, 1\n*STEP\n*STATIC\n*DLOAD\n1, P6, 1.\n2, P4, 1.\n*END STEP\n";
  }
  void expect_uniform_strain(const std::string& hexahedron, const std::string& wedge,
                             const std::string& title) {
    points_.clear();
    folder_.write("bar.inp", bar_of(hexahedron, wedge));
    ASSERT_EQ(run("--deck bar.inp --displacements bar.dat --tolerance 1e-13"), 0) << printed;
    EXPECT_THAT(printed, HasSubstr("bar.inp, " + title));
    const auto found = io::read_calculix_displacements(folder_ / "bar.dat");
    ASSERT_EQ(found.size(), points_.size());
    for (std::size_t n = 0; n < points_.size(); ++n) {
      const auto& u = found.at(static_cast<std::int64_t>(n) + 1);
      EXPECT_NEAR(u[0], -points_[n][0] / 100, 1e-9) << n;
      for (std::size_t d = 1; d < 3; ++d) EXPECT_NEAR(u[d], 0.25 * points_[n][d] / 100, 1e-9) << n;
    }
  }

  std::vector<Point> points_; ///< by the deck's number, from 1
};

TEST_F(SolveDeckOfSeveralTypes, HexahedraAndWedges) {
  expect_uniform_strain("C3D8", "C3D6", "1 C3D8 as hex1, 2 C3D6 as wedge1: 3 elements");
  expect_uniform_strain("C3D20", "C3D15", "1 C3D20 as hex20, 2 C3D15 as wedge15: 3 elements");
  // One C3D20R more, which has motions without energy that so few wedges do not hold.
  folder_.write("bar.inp", bar_of("C3D20R", "C3D15"));
  EXPECT_EQ(run("--deck bar.inp --tolerance 1e-13"), 3);
  EXPECT_THAT(printed, HasSubstr("bar.inp, 1 C3D20R as hex20, 2 C3D15 as wedge15: 3 elements"));
}

/// A square under tension along x of a quadrilateral and two triangles.
TEST_F(SolveDeck, QuadrilateralsAndTriangles) {
  const std::string square =
      "*NODE\n1,0,0\n2,1,0\n3,1,1\n4,0,1\n5,2,0\n6,2,1\n*ELEMENT,TYPE=CPS4,ELSET=E\n1,1,2,3,4\n"
      "*ELEMENT,TYPE=CPS3,ELSET=E\n2,2,5,6\n3,2,6,3\n*MATERIAL,NAME=M\n*ELASTIC\n100.,0.25\n*SOLID SECTION,"
      "ELSET=E,MATERIAL=M\n1.\n*BOUNDARY\n1,1,2\n4,1\n*STEP\n*STATIC\n*DLOAD\n2,P2,-1.\n*END STEP\n";
  folder_.write("square.inp", square);
  ASSERT_EQ(run("--deck square.inp --displacements square.dat --tolerance 1e-12"), 0) << printed;
  EXPECT_THAT(printed, HasSubstr("1 CPS4 as quad1, 2 CPS3 as tri1"));
  const auto found = io::read_calculix_displacements(folder_ / "square.dat");
  for (const int node : {5, 6}) EXPECT_NEAR(found.at(node)[0], 0.02, 1e-9);
  EXPECT_NEAR(found.at(6)[1], -0.0025, 1e-9);
  std::string both = square;
  folder_.write("square.inp", both.replace(both.find("CPS3"), 4, "CPE3"));
  EXPECT_EQ(run("--deck square.inp"), 2);
  EXPECT_THAT(printed, HasSubstr("square.inp: has elements of plane stress and of plane strain"));
}

TEST_F(SolveDeck, TypesThatDoNotShareTheirSidesAreRefused) {
  std::string text = bar;
  const std::string more = "11, 3, 0, 0\n12, 4, 0, 0\n13, 3, 1, 0\n14, 3, 0, 1\n15, 3.5, 0, 0\n16, 3.5, .5, "
                           "0\n17, 3, .5, 0\n18, 3, 0, .5\n19, 3.5, 0, .5\n20, 3, .5, .5\n";
  folder_.write("bar.inp",
                text.replace(text.find("*ELEMENT"), 0,
                             more + "*ELEMENT, TYPE=C3D10, ELSET=E\n2, 11, 12, 13, 14, 15, 16, 17, "
                                    "18, 19, 20\n"));
  EXPECT_EQ(run("--deck bar.inp"), 2);
  EXPECT_THAT(printed,
              HasSubstr("bar.inp: has 1 tet2 and 1 hex1 cells, which do not share their sides; one mesh "
                        "has elements of one order"));
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
