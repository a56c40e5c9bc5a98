// SPDX-License-Identifier: BSD-3-Clause
// Forces, strains and stresses as CalculiX records them.

#include <tessera/core/error.hpp>
#include <tessera/io/abaqus/calculix_quantities.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <support/files.hpp>

namespace io_abaqus_calculix_quantities {

using namespace tessera;
using namespace tessera::io;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Key;
using ::testing::ThrowsMessage;

const std::string dat = R"(
                        S T E P       1

 forces (fx,fy,fz) for set N1 and time  0.5000000E+00

        53  9.000000E+00  9.000000E+00  9.000000E+00

 forces (fx,fy,fz) for set N1 and time  0.1000000E+01

        53  4.996004E-16 -5.000002E+01  8.660253E+01
        72  4.121250E+00  7.907177E+00 -1.674565E+01

 total force (fx,fy,fz) for set N1 and time  0.1000000E+01

        4.121250E+00 -4.209284E+01  6.985688E+01

 stresses (elem, integ.pnt.,sxx,syy,szz,sxy,sxz,syz) for set EALL and time  0.1000000E+01

         7   1  1.000000E+00  2.000000E+00  3.000000E+00  4.000000E+00  5.000000E+00  6.000000E+00
         7   2 -1.000000E+00  2.000000E+00  3.000000E+00  4.000000E+00  5.000000E+00  6.000000E+00

 statistics for surface set S1 and time  0.1000000E+01

   total surface force (fx,fy,fz) and moment about the origin(mx,my,mz)

    1.000000E+01  2.000000E+01  3.000000E+01  7.000000E+00  8.000000E+00  9.000000E+00

   center of gravity and mean normal

    5.000000E-01  5.000000E-01  8.000000E+00  8.881784E-16  8.881784E-16  1.000000E+00

   moment about the center of gravity(mx,my,mz)

    4.000000E+00  5.000000E+00  6.000000E+00

   area, normal force (+ = tension), shear force (size), torque and bending moment (size)

    4.000000E+00  7.910545E+03  1.037768E-11  1.314435E+02  4.231088E-12

                        S T E P       2

   STRAINENERGY     0.1980218E+07      0.1690209E+05   ENER_OBJ
)";

const std::string frd = R"(    1C
    1PSTEP                         1           1           1
  100CL  101 1.000000000           2                     0    1           1
 -4  TOSTRAIN    6    1
 -5  EXX         1    4    1    1
 -1         1-1.00000E-06 2.00000E-06 3.00000E-06 4.00000E-06 5.00000E-06 6.00000E-06
 -1        12 1.00000E-06 0.00000E+00 0.00000E+00 0.00000E+00 0.00000E+00 0.00000E+00
 -3
    1PSTEP                         2           1           2
  100CL  101 2.000000000           1                     0    1           1
 -4  TOSTRAIN    6    1
 -1         1 9.00000E-06 0.00000E+00 0.00000E+00 0.00000E+00 0.00000E+00 0.00000E+00
 -3
)";

std::string changed(std::string text, const std::string& from, const std::string& to) {
  EXPECT_NE(text.find(from), std::string::npos) << from;
  return text.replace(text.find(from), from.size(), to);
}

std::vector<CalculixQuantity> read(const std::string& text, std::size_t step = 1) {
  const test::TemporaryFolder folder;
  return read_calculix_quantities(folder.write("a.ref", text), {}, step);
}

TEST(CalculixQuantities, TablesOfTheFirstStepsEnd) {
  const auto found = read(dat);
  ASSERT_EQ(found.size(), 5u);
  EXPECT_EQ(found[0].kind, CalculixKind::forces);
  EXPECT_THAT(found[0].values, ElementsAre(Key("node 53"), Key("node 72")));
  EXPECT_THAT(found[0].values.at("node 53"), ElementsAre(4.996004e-16, -50.00002, 86.60253));
  EXPECT_EQ(found[1].kind, CalculixKind::total_forces);
  EXPECT_THAT(found[1].values.at("set N1"), ElementsAre(4.12125, -42.09284, 69.85688));
  EXPECT_EQ(found[2].kind, CalculixKind::stresses);
  EXPECT_THAT(found[2].values, ElementsAre(Key("element 7, point 1"), Key("element 7, point 2")));
  EXPECT_THAT(found[2].values.at("element 7, point 2"), ElementsAre(-1, 2, 3, 4, 5, 6));
  EXPECT_EQ(found[3].kind, CalculixKind::section_forces);
  EXPECT_THAT(found[3].values.at("surface S1"), ElementsAre(10, 20, 30, 2, 2.5, 3));
  EXPECT_EQ(found[4].kind, CalculixKind::strain_energy);
  EXPECT_THAT(found[4].values.at("mesh"), ElementsAre(1980218.0));
}

/// The second step's energy stands in the third one, which is not there; its forces neither.
TEST(CalculixQuantities, NothingOfAnotherStep) {
  EXPECT_THAT(read(dat, 2), IsEmpty());
  EXPECT_THAT(read("\n"), IsEmpty());
}

TEST(CalculixQuantities, StrainsOfNodes) {
  const auto found = read(frd);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, CalculixKind::strains);
  EXPECT_THAT(found[0].values, ElementsAre(Key("node 1"), Key("node 12")));
  // CalculiX lists yz before zx there.
  EXPECT_THAT(found[0].values.at("node 1"), ElementsAre(-1e-6, 2e-6, 3e-6, 4e-6, 6e-6, 5e-6));
  EXPECT_THAT(read(frd, 2).at(0).values.at("node 1").front(), 9e-6);
}

/// Node 72 has axes turned by a quarter about z.
TEST(CalculixQuantities, ForcesAlongANodesOwnAxes) {
  const test::TemporaryFolder folder;
  const std::string path = folder.write("a.ref", changed(dat, "-1.674565E+01", "-1.674565E+01 L"));
  EXPECT_THAT(
      [&] { read_calculix_quantities(path); },
      ThrowsMessage<FileError>(path + ":11: forces along axes of its own at node 72, which has none"));
  const auto found = read_calculix_quantities(path, {{72, {{{0, 1, 0}, {-1, 0, 0}, {0, 0, 1}}}}});
  EXPECT_THAT(found[0].values.at("node 72"), ElementsAre(-7.907177, 4.12125, -16.74565));
}

TEST(CalculixQuantities, WhatIsDamagedIsNamed) {
  const test::TemporaryFolder folder;
  const auto refused = [&](const std::string& text, const std::string& message) {
    const std::string path = folder.write("a.ref", text);
    EXPECT_THAT([&] { read_calculix_quantities(path); }, ThrowsMessage<FileError>(path + message));
  };
  refused(changed(dat, "-5.000002E+01", "-5.00000x"),
          ":10: expected a force, a finite number, but found '-5.00000x'");
  refused(changed(dat, " -4.209284E+01  6.985688E+01", ""), ":15: expected 3 forces, but the line ends");
  refused(changed(dat, "         7   2 -1.0", "         7   x -1.0"), ":20: expected an element and a point");
  refused(changed(dat, "5.000000E+00  6.000000E+00\n         7   2", "5.000000E+00\n         7   2"),
          ":19: expected 6 stresses, but the line ends");
  refused(
      changed(dat, "5.000000E+00  6.000000E+00\n         7   2", "5.000000E+00  6.000000E+00 OR1\n  7   2"),
      ":19: stresses along axes of the element's own are not read");
  refused(changed(dat, "    4.000000E+00  7.910545E+03", "    0.000000E+00  7.910545E+03"),
          ":38: the area of surface S1 is not positive");
  refused(dat.substr(0, dat.find("   moment about the center of gravity")),
          ":31: the file ends before the moments");
  refused(dat.substr(0, dat.find("45E+03  1.037768E-11")),
          ":38: the file ends in the middle of a line: it may be cut short; if it is not, end the line");
  refused(changed(dat, "0.1980218E+07      0.1690209E+05   ENER_OBJ", ""),
          ":42: expected 1 strain energies, but the line ends");
  refused(changed(frd, " 5.00000E-06 6.00000E-06", " 5.00000E-06"),
          ":6: expected a node's number and six strains");
  refused(changed(frd, "           2                     0", "           3                     0"),
          ":8: the block of strains holds 2 nodes where 3 are promised");
}

TEST(CalculixQuantities, DigitsOfTheLargestValue) {
  const CalculixQuantity recorded{CalculixKind::forces, {{"node 1", {0.0, -2.0}}, {"node 9", {1.0, 1.0}}}};
  CalculixQuantity found{CalculixKind::forces, {{"node 1", {0.002, -2.0}}, {"node 2", {7.0, 7.0}}}};
  const QuantityDifference difference = compare(found, recorded);
  EXPECT_EQ(difference.compared, 1u);
  EXPECT_EQ(difference.worst, "node 1");
  EXPECT_EQ(difference.largest, 2.0);
  EXPECT_NEAR(difference.digits(), 3.0, 1e-12);
  EXPECT_EQ(compare(recorded, recorded).digits(), INFINITY);
  found.values["node 1"][1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(compare(found, recorded).difference, INFINITY);
  found.values["node 1"] = {1.0};
  EXPECT_THAT([&] { compare(found, recorded); },
              ThrowsMessage<ArgumentError>("compare: 1 components of node 1 with 2"));
  found.kind = CalculixKind::strains;
  EXPECT_THAT([&] { compare(found, recorded); },
              ThrowsMessage<ArgumentError>("compare: strains with forces"));
}

} // namespace io_abaqus_calculix_quantities
