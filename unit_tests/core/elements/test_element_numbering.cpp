// SPDX-License-Identifier: BSD-3-Clause
// Names of elements, and the numbers of their nodes against VTK's.

#include <tessera/core/elements/element.hpp>

#include <gtest/gtest.h>

#include <array>

namespace core_elements_element_numbering {

using namespace tessera;

TEST(ElementNames, AreShapeAndOrder) {
  EXPECT_STREQ(Line<2>::name, "line2");
  EXPECT_STREQ(Tri<5>::name, "tri5");
  EXPECT_STREQ(Quad<1>::name, "quad1");
  EXPECT_STREQ(Tet<3>::name, "tet3");
  EXPECT_STREQ(Hex<2>::name, "hex2");
}

// Positions that tell VTK's numbering from others in use, written out by hand.
TEST(ElementNumbering, TriangleEdgesRunAroundAndTheInsideIsATriangle) {
  const detail::Lattice<Shape::triangle, 4> expected{{{0, 0},
                                                      {4, 0},
                                                      {0, 4},
                                                      {1, 0},
                                                      {2, 0},
                                                      {3, 0},
                                                      {3, 1},
                                                      {2, 2},
                                                      {1, 3},
                                                      {0, 3},
                                                      {0, 2},
                                                      {0, 1},
                                                      {1, 1},
                                                      {2, 1},
                                                      {1, 2}}};
  EXPECT_EQ(Tri<4>::lattice(), expected);
}

TEST(ElementNumbering, QuadrilateralEdgesRunAlongTheAxes) {
  const detail::Lattice<Shape::quadrilateral, 3> expected{{{0, 0},
                                                           {3, 0},
                                                           {3, 3},
                                                           {0, 3},
                                                           {1, 0},
                                                           {2, 0},
                                                           {3, 1},
                                                           {3, 2},
                                                           {1, 3},
                                                           {2, 3},
                                                           {0, 1},
                                                           {0, 2},
                                                           {1, 1},
                                                           {2, 1},
                                                           {1, 2},
                                                           {2, 2}}};
  EXPECT_EQ(Quad<3>::lattice(), expected);
}

TEST(ElementNumbering, TetrahedronEdgesThenFaces) {
  const auto points = Tet<3>::lattice();
  EXPECT_EQ(points[8], (std::array{0, 2, 0})); // edge 2-0 starts at 2
  EXPECT_EQ(points[10], (std::array{0, 0, 1}));
  EXPECT_EQ(points[14], (std::array{0, 2, 1}));
  EXPECT_EQ(points[16], (std::array{1, 0, 1}));
  EXPECT_EQ(points[17], (std::array{1, 1, 1}));
  EXPECT_EQ(points[18], (std::array{0, 1, 1}));
  EXPECT_EQ(points[19], (std::array{1, 1, 0}));
}

TEST(ElementNumbering, HexahedronVerticalEdgesGoAroundAndFacesComeInPairs) {
  const auto points = Hex<2>::lattice();
  EXPECT_EQ(points[16], (std::array{0, 0, 1}));
  EXPECT_EQ(points[17], (std::array{2, 0, 1}));
  EXPECT_EQ(points[18], (std::array{2, 2, 1}));
  EXPECT_EQ(points[19], (std::array{0, 2, 1}));
  EXPECT_EQ(points[20], (std::array{0, 1, 1}));
  EXPECT_EQ(points[23], (std::array{1, 2, 1}));
  EXPECT_EQ(points[25], (std::array{1, 1, 2}));
  EXPECT_EQ(points[26], (std::array{1, 1, 1}));
}

} // namespace core_elements_element_numbering
