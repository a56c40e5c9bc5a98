// SPDX-License-Identifier: BSD-3-Clause
// tessera-solve --deck: decks of each type of element, and of several.

#include <tessera/io/abaqus/calculix_results.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "solve_deck.hpp"
#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <support/files.hpp>
#include <vector>

namespace tools_solve_deck_elements {

using namespace tessera;
using test::bar;
using test::decks;
using ::testing::HasSubstr;

class SolveDeckElements : public test::SolveDeck {};

/// CalculiX's own deck of C3D6, but for a keyword that CalculiX does not know either.
TEST_F(SolveDeckElements, WedgesAtTwoPoints) {
  if (!std::filesystem::exists(decks)) GTEST_SKIP() << "calculix-ccx-test is not installed";
  std::string text = test::read_file(decks + "/c3d6.inp");
  const std::size_t unknown = text.find("*MEMBRANE"), next = text.find("*ORIENTATION");
  folder_.write("c3d6.inp", text.erase(unknown, next - unknown));
  EXPECT_EQ(run("--deck c3d6.inp --tolerance 1e-12 --digits 6.5 --reference " + decks + "/c3d6.dat.ref"), 0)
      << printed;
}

TEST_F(SolveDeckElements, LinesAloneAreRefused) {
  folder_.write("lines.inp", "*NODE\n1\n2,1\n*ELEMENT, TYPE=B31\n1,1,2\n");
  EXPECT_EQ(run("--deck lines.inp"), 2);
  EXPECT_THAT(printed, HasSubstr("lines.inp: holds 1 line1 cells alone, and there are no elements of lines"));
}

/// A square of two CPS6, E = 100, nu = 0, pulled by 1: it grows by F l / (E A) = 0.01.
TEST_F(SolveDeckElements, QuadraticTriangles) {
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

TEST_F(SolveDeckElements, ReducedIntegration) {
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
class SolveDeckOfSeveralTypes : public test::SolveDeck {
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
TEST_F(SolveDeckElements, QuadrilateralsAndTriangles) {
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

TEST_F(SolveDeckElements, TypesThatDoNotShareTheirSidesAreRefused) {
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

} // namespace tools_solve_deck_elements
