// SPDX-License-Identifier: BSD-3-Clause
// Stresses of decks at integration points, and what CalculiX would record of them.

#include <tessera/core/elements/elements.hpp>
#include <tessera/core/error.hpp>
#include <tessera/io/calculix_output.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <functional>
#include <string>
#include <support/files.hpp>
#include <vector>

namespace io_calculix_output {

using namespace tessera;
using namespace tessera::io;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

using Point = std::array<double, 3>;
using Displacement = std::function<Point(const Point&)>;

/// A cuboid 2 x 1 x 1 of one C3D20R, with E = 100 and nu = 0.25, and what the test adds.
std::string cuboid(const std::string& more = "") {
  return "*NODE, NSET=ALL\n1,0,0,0\n2,2,0,0\n3,2,1,0\n4,0,1,0\n5,0,0,1\n6,2,0,1\n7,2,1,1\n8,0,1,1\n"
         "9,1,0,0\n10,2,.5,0\n11,1,1,0\n12,0,.5,0\n13,1,0,1\n14,2,.5,1\n15,1,1,1\n16,0,.5,1\n"
         "17,0,0,.5\n18,2,0,.5\n19,2,1,.5\n20,0,1,.5\n*ELEMENT, TYPE=C3D20R, ELSET=E\n"
         "7,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,\n16,17,18,19,20\n*NSET, NSET=RIGHT\n2,3,6,7,10,14,18,19\n"
         "*SURFACE, NAME=S\n7,S4\n*MATERIAL, NAME=M\n*ELASTIC\n100.,0.25\n" +
         more + "*SOLID SECTION, ELSET=E, MATERIAL=M\n*BOUNDARY\nALL,1,3\n*STEP\n*STATIC\n" +
         (more.empty() ? "" : "*TEMPERATURE\nALL,20.\n") + "*END STEP\n";
}

template <class Element = Hex20, class Form = ReducedElasticity<3>>
DeckStresses stresses_of(const std::string& text, const Displacement& displacement) {
  const test::TemporaryFolder folder;
  const AbaqusDeck deck = read_abaqus_deck(folder.write("a.inp", text));
  const std::vector<double>& x = deck.mesh.points;
  const Kokkos::View<double*, Kokkos::HostSpace> u("Tessera::Test::u", x.size());
  for (std::size_t n = 0; n < x.size(); n += 3) {
    const Point at = displacement({x[n], x[n + 1], x[n + 2]});
    for (std::size_t d = 0; d < 3; ++d) u(n + d) = at[d];
  }
  return deck_stresses<Element, Kokkos::DefaultHostExecutionSpace, Form>(deck, u);
}

/// A bar under tension along x: sigma = 100 * 0.01, and nothing else.
Point tension(const Point& x) { return {0.01 * x[0], -0.0025 * x[1], -0.0025 * x[2]}; }

TEST(CalculixOutput, Tension) {
  const DeckStresses stresses = stresses_of(cuboid(), tension);
  ASSERT_EQ(stresses.blocks.at(0).stress.size(), 8u);
  EXPECT_NEAR(stresses.strain_energy, 0.5 * 1.0 * 0.01 * 2.0, 1e-14);
  const auto of_points = calculix_quantity(CalculixKind::stresses, stresses);
  ASSERT_EQ(of_points.values.size(), 8u);
  for (const auto& [point, stress] : of_points.values)
    for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(stress[k], k == 0 ? 1.0 : 0.0, 1e-13) << point;
  const auto total = calculix_quantity(CalculixKind::total_forces, stresses).values;
  EXPECT_NEAR(total.at("set RIGHT")[0], 1.0, 1e-13);
  EXPECT_NEAR(total.at("set ALL")[0], 0.0, 1e-13);
  const auto forces = calculix_quantity(CalculixKind::forces, stresses).values;
  EXPECT_NEAR(forces.at("node 2")[0], -1.0 / 12, 1e-13); // a corner of a face of eight nodes
  EXPECT_NEAR(forces.at("node 10")[0], 1.0 / 3, 1e-13);
  EXPECT_NEAR(forces.at("node 12")[0], -1.0 / 3, 1e-13);
}

/// CalculiX's factors do not add up to one.
TEST(CalculixOutput, ExtrapolatedWithFourDigits) {
  const DeckStresses stresses = stresses_of(cuboid(), tension);
  constexpr double sum = 2.549 - 3 * 0.683 + 3 * 0.183 - 0.04904;
  const auto section = calculix_quantity(CalculixKind::section_forces, stresses).values.at("surface S");
  ASSERT_EQ(section.size(), 6u);
  for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(section[k], k == 0 ? sum : 0.0, 1e-13) << k;
  const auto strains = calculix_quantity(CalculixKind::strains, stresses).values;
  ASSERT_EQ(strains.size(), 20u);
  for (const char* node : {"node 1", "node 7", "node 12"})
    EXPECT_NEAR(strains.at(node)[0], 0.01 * sum, 1e-14) << node;
}

/// u = (x^2 / 2, y^2, 3 z^2 / 2): the strains are (x, 2 y, 3 z), and tell the points apart.
TEST(CalculixOutput, PointsAreNumberedAlongXFirst) {
  const DeckStresses stresses = stresses_of(
      cuboid(), [](const Point& x) { return Point{x[0] * x[0] / 2, x[1] * x[1], 1.5 * x[2] * x[2]}; });
  const auto found = calculix_quantity(CalculixKind::stresses, stresses).values;
  const double lame = 100 * 0.25 / (1.25 * 0.5), shear = 40, a = 1 / std::sqrt(3.0);
  for (int point = 0; point < 8; ++point) {
    const double x = 1 + (point % 2 ? a : -a), y = (1 + (point / 2 % 2 ? a : -a)) / 2,
                 z = (1 + (point / 4 ? a : -a)) / 2;
    const auto& stress = found.at("element 7, point " + std::to_string(point + 1));
    EXPECT_NEAR(stress[0], lame * (x + 2 * y + 3 * z) + 2 * shear * x, 1e-11) << point;
    EXPECT_NEAR(stress[1], lame * (x + 2 * y + 3 * z) + 2 * shear * 2 * y, 1e-11) << point;
    EXPECT_NEAR(stress[2], lame * (x + 2 * y + 3 * z) + 2 * shear * 3 * z, 1e-11) << point;
  }
  // The strain is linear: extrapolated it is right at the corners, and on edges between them.
  const auto strains = calculix_quantity(CalculixKind::strains, stresses).values;
  EXPECT_NEAR(strains.at("node 7")[0], 2.0, 1e-3);
  EXPECT_NEAR(strains.at("node 1")[2], 0.0, 1e-3);
  EXPECT_NEAR(strains.at("node 15")[0], 1.0, 1e-3);
  EXPECT_NEAR(strains.at("node 15")[2], 3.0, 1e-3);
}

/// Shear stresses on the end x = 2, which turn it about its middle: u = t x (0, -(z - 1/2), y - 1/2).
TEST(CalculixOutput, Torsion) {
  const DeckStresses stresses = stresses_of(cuboid(), [](const Point& x) {
    return Point{0.0, -0.01 * x[0] * (x[2] - 0.5), 0.01 * x[0] * (x[1] - 0.5)};
  });
  const auto section = calculix_quantity(CalculixKind::section_forces, stresses).values.at("surface S");
  // Without warping the moment is G t times the polar moment of the square, 1/6.
  EXPECT_NEAR(section[3], 40 * 0.01 / 6, 1e-5);
  for (const std::size_t k : {0, 1, 2, 4, 5}) EXPECT_NEAR(section[k], 0.0, 1e-13) << k;
  // The tensor's xy component, half the angle, at node 6 with z = 1.
  const auto strains = calculix_quantity(CalculixKind::strains, stresses).values;
  EXPECT_NEAR(strains.at("node 6")[3], -0.01 * 0.5 / 2, 1e-6);
  EXPECT_NEAR(strains.at("node 6")[4], -0.01 * 0.5 / 2, 1e-6);
}

/// Free expansion has no stress; held, it has -K alpha T along all axes.
TEST(CalculixOutput, Expansion) {
  const std::string text = cuboid("*EXPANSION\n1.E-3\n*INITIAL CONDITIONS, TYPE=TEMPERATURE\nALL,0.\n");
  const auto stress_of = [&](double strain) {
    const DeckStresses stresses =
        stresses_of(text, [&](const Point& x) { return Point{strain * x[0], strain * x[1], strain * x[2]}; });
    return calculix_quantity(CalculixKind::stresses, stresses).values.at("element 7, point 3");
  };
  for (const double free : stress_of(0.02)) EXPECT_NEAR(free, 0.0, 1e-13);
  const auto held = stress_of(0.0);
  for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(held[k], k < 3 ? -0.02 * 100 / (1 - 2 * 0.25) : 0.0, 1e-12);
}

const std::string decks = "/usr/share/doc/calculix-ccx-test/examples/test/";

/// Digits to which the stresses that CalculiX recorded are those of the displacements that it recorded.
template <class Element, class Form>
double digits_of_stresses(const std::string& name) {
  const AbaqusDeck deck = first_steps(read_abaqus_deck(decks + name + ".inp"), 1);
  const Kokkos::View<double*, Kokkos::HostSpace> u("Tessera::Test::u", deck.mesh.points.size());
  const NodalDisplacements recorded = read_calculix_displacements(decks + name + ".dat.ref");
  for (const auto& [node, displacement] : recorded)
    for (std::size_t d = 0; d < 3; ++d)
      u(3 * static_cast<std::size_t>(deck.mesh.node_ids.find(node)) + d) = displacement[d];
  const DeckStresses stresses = deck_stresses<Element, Kokkos::DefaultHostExecutionSpace, Form>(deck, u);
  EXPECT_EQ(static_cast<std::size_t>(deck.mesh.nodes()), recorded.size()) << name;
  for (const CalculixQuantity& quantity : read_calculix_quantities(decks + name + ".dat.ref"))
    if (quantity.kind == CalculixKind::stresses) {
      const QuantityDifference difference = compare(calculix_quantity(quantity.kind, stresses), quantity);
      EXPECT_EQ(difference.compared, quantity.values.size()) << name;
      return difference.digits();
    }
  ADD_FAILURE() << name << " has no stresses";
  return 0.0;
}

/// C3D20R, with an expansion and with a stiffness of 21 numbers, too, C3D20 with 27 points, and C3D8.
TEST(CalculixOutput, StressesOfCalculixsDisplacements) {
  if (!std::filesystem::exists(decks)) GTEST_SKIP() << "calculix-ccx-test is not installed";
  using Space = Kokkos::DefaultHostExecutionSpace;
  EXPECT_GE((digits_of_stresses<Hex20, ReducedElasticity<3>>("beampset")), 4.5);
  EXPECT_GE((digits_of_stresses<Hex20, Reduced<TabulatedElasticity<Space>>>("aniso")), 4.5);
  EXPECT_GE((digits_of_stresses<Hex20, LinearElasticity<3>>("beam20p")), 4.5);
  EXPECT_GE((digits_of_stresses<Hex<1>, LinearElasticity<3>>("beam8p")), 4.5);
  // Two of the seven digits of the displacements are a free expansion's.
  EXPECT_GE((digits_of_stresses<Hex20, ReducedElasticity<3>>("beamt4")), 2.5);
}

TEST(CalculixOutput, OtherCellsAreRefused) {
  const std::string text =
      "*NODE, NSET=ALL\n1,0,0,0\n2,1,0,0\n3,0,1,0\n4,0,0,1\n*ELEMENT, TYPE=C3D4, ELSET=E\n"
      "1,1,2,3,4\n*MATERIAL, NAME=M\n*ELASTIC\n100.,0.\n*SOLID SECTION, ELSET=E, MATERIAL=M\n"
      "*BOUNDARY\nALL,1,3\n*STEP\n*STATIC\n*END STEP\n";
  const DeckStresses stresses = stresses_of<Tet<1>, LinearElasticity<3>>(text, tension);
  EXPECT_NEAR(stresses.strain_energy, 0.5 * (1 + 2 * 0.0625) * 0.01 / 6, 1e-14);
  for (const auto kind : {CalculixKind::stresses, CalculixKind::strains, CalculixKind::section_forces})
    EXPECT_THAT([&] { calculix_quantity(kind, stresses); },
                ThrowsMessage<UnsupportedError>(HasSubstr(std::string(name_of(kind)) + " of tet1 cells")));
  std::string full = cuboid();
  full.replace(full.find("C3D20R"), 6, "C3D20");
  const DeckStresses of_27 = stresses_of<Hex20, LinearElasticity<3>>(full, tension);
  EXPECT_EQ(calculix_quantity(CalculixKind::stresses, of_27).values.size(), 27u);
  EXPECT_THAT([&] { calculix_quantity(CalculixKind::strains, of_27); },
              ThrowsMessage<UnsupportedError>(HasSubstr("strains of hex20 cells with this integration")));
}

} // namespace io_calculix_output
