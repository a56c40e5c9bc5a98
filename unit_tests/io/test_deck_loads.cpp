// SPDX-License-Identifier: BSD-3-Clause
// Loads on the volume of a deck's elements: temperatures, gravity and rotation, against closed forms.

#include <tessera/core/elements/elements.hpp>
#include <tessera/core/system/linear_system.hpp>
#include <tessera/io/deck_problem.hpp>
#include <tessera/solvers/solve.hpp>
#include <tessera/strategies/assembly/element_atomic.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <string>
#include <support/files.hpp>

namespace io_deck_loads {

using namespace tessera;
using namespace tessera::io;
using ::testing::ThrowsMessage;

using Displacements = std::map<long, std::array<double, 3>>; ///< by the deck's number of the node

template <class Element>
Displacements solve(const std::string& text) {
  const test::TemporaryFolder folder;
  const auto problem = deck_problem<Element>(read_abaqus_deck(folder.write("a.inp", text)));
  const LinearSystem<double> system(problem.space);
  assembly::ElementAtomic{}.plan(problem.space, system.graph()).assemble(problem.form, system);
  const Kokkos::View<double*> x("Tessera::Test::x", system.num_rows());
  solvers::cg(system, x, {.relative_tolerance = 1e-14, .max_iterations = 1000});
  const auto u = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), problem.space.expand(x));
  Displacements found;
  for (Ordinal node = 0; node < problem.mesh.num_nodes(); ++node)
    for (int d = 0; d < Element::dimension; ++d)
      found[problem.node_ids.id(node)][static_cast<std::size_t>(d)] = u(Element::dimension * node + d);
  return found;
}

/// Two cubes of side 1, one on the other along z, of two materials, on the planes x = 0, y = 0 and z = 0.
/// \param properties of both materials, and of the first and the second one
std::string cubes(const std::string& both, const std::string& first, const std::string& second,
                  const std::string& model, const std::string& loads) {
  return "*NODE, NSET=ALL\n1, 0, 0, 0\n2, 1, 0, 0\n3, 1, 1, 0\n4, 0, 1, 0\n5, 0, 0, 1\n6, 1, 0, 1\n7, 1, 1, "
         "1\n"
         "8, 0, 1, 1\n11, 0, 0, 2\n12, 1, 0, 2\n13, 1, 1, 2\n14, 0, 1, 2\n*ELEMENT, TYPE=C3D8, ELSET=E\n"
         "1, 1, 2, 3, 4, 5, 6, 7, 8\n2, 5, 6, 7, 8, 11, 12, 13, 14\n*ELSET, ELSET=LOW\n1\n*ELSET, "
         "ELSET=HIGH\n2\n"
         "*NSET, NSET=BASE\n1, 2, 3, 4\n*NSET, NSET=TOP\n11, 12, 13, 14\n*NSET, NSET=MIDDLE\n5, 6, 7, 8\n"
         "*NSET, NSET=X0\n1, 4, 5, 8, 11, 14\n*NSET, NSET=Y0\n1, 2, 5, 6, 11, 12\n*MATERIAL, NAME=M\n" +
         both + first + "*MATERIAL, NAME=N\n" + both + second +
         "*SOLID SECTION, ELSET=LOW, MATERIAL=M\n*SOLID SECTION, ELSET=HIGH, MATERIAL=N\n*BOUNDARY\nBASE, 3\n"
         "X0, 1\nY0, 2\n" +
         model + "*STEP\n*STATIC\n" + loads + "*END STEP\n";
}

const std::string elastic = "*ELASTIC\n1000., 0.25\n", bars = "*ELASTIC\n1000., 0.\n";
const std::string cold = "*INITIAL CONDITIONS, TYPE=TEMPERATURE\nALL, 20.\n";
const std::string expansion = "*EXPANSION, ZERO=7.\n1e-5, 20.\n";

TEST(DeckTemperatures, AFreeBodyExpands) {
  const Displacements found =
      solve<Hex<1>>(cubes(elastic, expansion, expansion, cold, "*TEMPERATURE\nALL, 500.\nALL, 120.\n"));
  for (std::size_t d = 0; d < 3; ++d) EXPECT_NEAR(found.at(13)[d], (d == 2 ? 2 : 1) * 1e-3, 1e-15);
  const std::string orthotropic = "*EXPANSION, TYPE=ORTHO\n1e-5, 2e-5, -3e-5\n";
  const Displacements other =
      solve<Hex<1>>(cubes(elastic, orthotropic, orthotropic, cold, "*TEMPERATURE\nALL, 120.\n"));
  EXPECT_NEAR(other.at(13)[0], 1e-3, 1e-15);
  EXPECT_NEAR(other.at(13)[1], 2e-3, 1e-15);
  EXPECT_NEAR(other.at(13)[2], -6e-3, 1e-15);
}

/// Along z alone, so that cubes of several expansions stay boxes.
std::string upwards(const std::string& expansion) {
  return "*EXPANSION, TYPE=ORTHO\n0., 0., " + expansion + ", 20.\n";
}

// Between walls the softer expansion gives way: u = (a1 - a2) dT l / 2.
TEST(DeckTemperatures, TwoMaterialsBetweenWalls) {
  const Displacements found = solve<Hex<1>>(cubes(bars, upwards("1e-5"), upwards("3e-5"),
                                                  "*BOUNDARY\nTOP, 3\n" + cold, "*TEMPERATURE\nALL, 120.\n"));
  EXPECT_NEAR(found.at(7)[2], (1e-5 - 3e-5) * 100 / 2, 1e-15);
  EXPECT_NEAR(found.at(7)[0], 0.0, 1e-15);
}

// The second cube has the mean of its nodes' temperatures; the first has no expansion, and stays as it is.
TEST(DeckTemperatures, CubesHaveTheMeanOfTheirNodes) {
  const Displacements found = solve<Hex<1>>(
      cubes(bars, "", upwards("1e-5"), cold, "*TEMPERATURE\nMIDDLE, 120.\nTOP, 420.\n11, 20.\n"));
  EXPECT_NEAR(found.at(13)[2], 1e-5 * (4 * 100 + 3 * 400) / 8, 1e-15);
  EXPECT_NEAR(found.at(7)[2], 0.0, 1e-15);
  const Displacements still = solve<Hex<1>>(cubes(bars, expansion, expansion, cold, "*CLOAD\nTOP, 3, 0.\n"));
  EXPECT_EQ(still.at(13)[2], 0.0);
}

// The second cube does not expand, and nobody says how warm it is.
TEST(DeckTemperatures, WhatDoesNotExpandNeedsNone) {
  const Displacements found = solve<Hex<1>>(
      cubes(bars, upwards("1e-5"), "", "*INITIAL CONDITIONS, TYPE=TEMPERATURE\nBASE, 20.\nMIDDLE, 20.\n",
            "*TEMPERATURE\nBASE, 120.\nMIDDLE, 120.\n"));
  EXPECT_NEAR(found.at(7)[2], 1e-3, 1e-15);
  EXPECT_NEAR(found.at(13)[2], 1e-3, 1e-15);
}

// alpha(T) (T - T_zero) - alpha(T_0) (T_0 - T_zero) with T_0 = 20, between rows and beyond the last.
TEST(DeckTemperatures, ExpansionThatDependsOnThem) {
  const auto strain = [](const std::string& temperature) {
    const std::string variable = "*EXPANSION, ZERO=10.\n1e-5, 0.\n2e-5, 100.\n4e-5, 200.\n";
    return solve<Hex<1>>(cubes(elastic, variable, variable, cold, "*TEMPERATURE\nALL, " + temperature + "\n"))
        .at(7)[2];
  };
  const double initial = 1.2e-5 * 10;
  EXPECT_NEAR(strain("150."), 3e-5 * 140 - initial, 1e-14);
  EXPECT_NEAR(strain("300."), 4e-5 * 290 - initial, 1e-14);
  EXPECT_NEAR(strain("20."), 0.0, 1e-15);
}

/// Weights of an affine field's values at the nodes give it at the points; all of a constant one.
template <class Element, int Degree>
void expect_affine_fields_at_points(bool mean) {
  const io::detail::PointWeights weights = io::detail::point_weights<Element, Degree>();
  std::vector<double> field;
  std::vector<Ordinal> nodes;
  const auto at = [](const auto& x) { return 1 + 2 * x[0] - 3 * x[1]; };
  for (int n = 0; n < Element::nodes; ++n) {
    nodes.push_back(n);
    field.push_back(at(Element::node_coordinates()[static_cast<std::size_t>(n)]));
  }
  using Rule = Quadrature<Element::shape, Degree>;
  ASSERT_EQ(weights.points, static_cast<std::size_t>(Rule::points));
  for (std::size_t q = 0; q < weights.points; ++q)
    EXPECT_NEAR(weights.at(q, nodes.data(), field), mean ? 1.0 : at(Rule::coordinates[q]), 1e-14);
}

TEST(DeckTemperatures, InsideElements) {
  expect_affine_fields_at_points<Quad<1>, 2>(true);
  expect_affine_fields_at_points<Quad8, 3>(false);
  expect_affine_fields_at_points<Quad8, 4>(false);
  expect_affine_fields_at_points<Hex20, 4>(false);
  expect_affine_fields_at_points<Wedge15, wedge_degree(2, 4)>(false);
}

TEST(DeckTemperatures, PlanesOfStressAndStrain) {
  for (const bool stress : {true, false}) {
    const std::string type = stress ? "CPS4" : "CPE4";
    const Displacements found =
        solve<Quad<1>>("*NODE, NSET=ALL\n1,0,0\n2,1,0\n3,1,1\n4,0,1\n*ELEMENT,TYPE=" + type +
                       ",ELSET=E\n1,1,2,3,4\n*MATERIAL,NAME=M\n" + elastic + expansion +
                       "*SOLID SECTION,ELSET=E,MATERIAL=M\n0.1\n*BOUNDARY\n1,1,2\n4,1\n2,2\n" + cold +
                       "*STEP\n*STATIC\n*TEMPERATURE\nALL, 120.\n*END STEP\n");
    for (std::size_t d = 0; d < 2; ++d) EXPECT_NEAR(found.at(3)[d], stress ? 1e-3 : 1.25e-3, 1e-15);
  }
}

// The weight of each cube by its own density; one of them alone has the second acceleration.
TEST(DeckLoads, GravityOfTwoMaterials) {
  const Displacements found =
      solve<Hex<1>>(cubes(bars, "*DENSITY\n2.\n", "*DENSITY\n3.\n", "",
                          "*DLOAD\nE, GRAV, 5., 0., 0., -3.\nHIGH, GRAV, 1., 0., 0., 1.\n"));
  const double low = -2.0 * 5.0, high = -3.0 * 4.0;
  EXPECT_NEAR(found.at(7)[2], (low / 2 + high) / 1000, 1e-13);
  EXPECT_NEAR(found.at(13)[2], (low / 2 + high + high / 2) / 1000, 1e-13);
}

// Cubes with nu = 0 about the line x = 0, y = -1: a rod from the axis to its end at x = 1 grows by
// rho w^2 / (3 E), one from y = 0, whose force is rho w^2 (1 + y), by rho w^2 (1 / 2 + 1 / 3) / E.
TEST(DeckLoads, Rotation) {
  const std::string density = "*DENSITY\n2.\n";
  const Displacements found =
      solve<Hex<1>>(cubes(bars, density, density, "", "*DLOAD\nE, CENTRIF, 50., 0., -1., 7., 0., 0., -2.\n"));
  for (const long node : {3, 7, 13}) {
    EXPECT_NEAR(found.at(node)[0], 2.0 * 50 / 3000, 1e-13);
    EXPECT_NEAR(found.at(node)[1], 2.0 * 50 * 5 / 6000, 1e-13);
    EXPECT_NEAR(found.at(node)[2], 0.0, 1e-15);
  }
}

template <class Element = Hex<1>, class Exception = UnsupportedError>
void expect_refused(const std::string& text, const std::string& message) {
  const test::TemporaryFolder folder;
  const std::string path = folder.write("a.inp", text);
  EXPECT_THAT([&] { deck_problem<Element>(read_abaqus_deck(path)); },
              ThrowsMessage<Exception>(path + message));
}

TEST(DeckLoads, WhatIsNotSupportedIsRefused) {
  const std::string warm = "*TEMPERATURE\nALL, 120.\n", none;
  expect_refused<Hex<1>, FileError>(cubes(elastic, "*EXPANSION\n1e-5, 100.\n2e-5, 0.\n", none, cold, warm),
                                    ":36: the temperatures of *EXPANSION do not ascend");
  expect_refused<Hex<1>, FormError>(cubes(elastic, expansion, none, none, warm),
                                    ":48: node 1 has no initial temperature");
  EXPECT_NO_THROW(solve<Hex<1>>(cubes(elastic, none, none, none, warm))); // nothing expands
  expect_refused(cubes(elastic, "*EXPANSION, TYPE=ANISO\n1, 1, 1, 0, 0, 0\n", none, cold, warm),
                 ":34: *EXPANSION, TYPE=ANISO is not supported in a linear static deck");
  expect_refused(cubes(elastic, none, none, "*INITIAL CONDITIONS, TYPE=STRESS\n1, 1, 0, 0, 0\n", none),
                 ":43: *INITIAL CONDITIONS, TYPE=STRESS is not supported in a linear static deck");
  expect_refused(cubes(elastic, none, none, none, "*TEMPERATURE, FILE=a.frd\n"),
                 ":45: *TEMPERATURE, FILE=a.frd is not supported in a linear static deck");
  expect_refused<Hex<1>, FileError>(
      cubes(elastic, none, none, none, "*DLOAD\nE, CENTRIF, 1., 0, 0, 0, 0, 0, 0\n"),
      ":46: the axis of rotation has no direction");
}

} // namespace io_deck_loads
