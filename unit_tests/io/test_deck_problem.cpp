// SPDX-License-Identifier: BSD-3-Clause
// CalculiX's linear static decks, solved, against the displacements of its own reference files.

#include <tessera/core/elements/elements.hpp>
#include <tessera/core/system/linear_system.hpp>
#include <tessera/io/deck_problem.hpp>
#include <tessera/solvers/solve.hpp>
#include <tessera/strategies/assembly/element_atomic.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <support/files.hpp>
#include <vector>

namespace io_deck_problem {

using namespace tessera;
using namespace tessera::io;
using ::testing::ThrowsMessage;

const std::filesystem::path decks = "/usr/share/doc/calculix-ccx-test/examples/test";

using Displacements = std::map<long, std::array<double, 3>>; ///< by the deck's number of the node

/// The first table of displacements in a CalculiX .dat file.
Displacements read_reference(const std::filesystem::path& path) {
  Displacements found;
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line) && line.find("displacements (vx,vy,vz)") == std::string::npos) {
  }
  while (std::getline(file, line)) {
    std::istringstream words(line);
    long node = 0;
    std::array<double, 3> u{};
    if (words >> node >> u[0] >> u[1] >> u[2])
      found[node] = u;
    else if (!found.empty())
      break;
  }
  return found;
}

template <class Element>
Displacements solve(const std::string& path, ConstraintTreatment treatment = ConstraintTreatment::removed) {
  const auto problem = deck_problem<Element>(read_abaqus_deck(path), treatment);
  const LinearSystem<double> system(problem.space);
  assembly::ElementAtomic{}.plan(problem.space, system.graph()).assemble(problem.form, system);
  const Kokkos::View<double*> x("Tessera::Test::x", system.num_rows());
  const auto result = solvers::cg(system, x, {.relative_tolerance = 1e-13, .max_iterations = 20000});
  EXPECT_NE(result.reason, solvers::StopReason::max_iterations); // to the tolerance or to rounding
  const auto u = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), problem.space.expand(x));
  Displacements found;
  for (Ordinal node = 0; node < problem.mesh.num_nodes(); ++node)
    for (int d = 0; d < Element::dimension; ++d)
      found[problem.node_ids.id(node)][static_cast<std::size_t>(d)] = u(Element::dimension * node + d);
  return found;
}

/// Equal to all but the last of the seven printed digits.
void expect_same(const Displacements& found, const Displacements& reference) {
  ASSERT_EQ(found.size(), reference.size());
  double largest = 0.0;
  for (const auto& [node, u] : reference)
    for (const double value : u) largest = std::max(largest, std::abs(value));
  for (const auto& [node, u] : reference)
    for (std::size_t d = 0; d < 3; ++d) {
      const double place = u[d] == 0.0 ? 0.0 : std::pow(10.0, std::floor(std::log10(std::abs(u[d]))));
      // Where the answer is zero both programs leave rounding errors.
      EXPECT_NEAR(found.at(node)[d], u[d], std::max(1e-6 * 5 * place, 1e-11 * largest))
          << "node " << node << " axis " << d;
    }
}

class DeckProblems : public ::testing::Test {
protected:
  void SetUp() override {
    if (!std::filesystem::exists(decks)) GTEST_SKIP() << "calculix-ccx-test is not installed";
  }
};

TEST_F(DeckProblems, Beam10p) {
  const Displacements reference = read_reference(decks / "beam10p.dat.ref");
  ASSERT_EQ(reference.size(), 90u);
  expect_same(solve<Tet<2>>((decks / "beam10p.inp").string()), reference);
  expect_same(solve<Tet<2>>((decks / "beam10p.inp").string(), ConstraintTreatment::zeroed), reference);
}

TEST_F(DeckProblems, Planestrain) {
  // One element under uniform stress; CalculiX's own element is another one, but both are exact here.
  const Displacements reference = read_reference(decks / "planestrain.dat.ref");
  ASSERT_EQ(reference.size(), 4u);
  expect_same(solve<Quad<1>>((decks / "planestrain.inp").string()), reference);
}

/// planestress3 as CalculiX solves it: each CPS4 of thickness 0.1 one C3D8, with half of the force above and
/// below.
std::string planestress3_expanded() {
  std::string nodes, elements, fixed;
  for (int n = 1; n <= 9; ++n) {
    const std::string x = std::to_string(10 * ((n - 1) % 3)), y = std::to_string(5 * ((n - 1) / 3));
    nodes += std::to_string(n) + "," + x + "," + y + ",-.05\n" + std::to_string(n + 100) + "," + x + "," + y +
             ",.05\n";
    if (n != 5) fixed += std::to_string(n) + ",1,2\n" + std::to_string(n + 100) + ",1,2\n";
  }
  for (const int corner : {1, 2, 4, 5}) {
    elements += std::to_string(corner);
    for (const int level : {0, 100})
      for (const int step : {0, 1, 4, 3}) elements += "," + std::to_string(corner + step + level);
    elements += "\n";
  }
  return "*NODE\n" + nodes + "*ELEMENT,TYPE=C3D8,ELSET=E\n" + elements +
         "*MATERIAL,NAME=EL\n*ELASTIC\n9.1e3,.3\n*SOLID SECTION,ELSET=E,MATERIAL=EL\n*BOUNDARY\n" + fixed +
         "1,3\n*STEP\n*STATIC\n*CLOAD\n5,1,43.30127019\n105,1,43.30127019\n5,2,25.\n105,2,25.\n*END STEP\n";
}

TEST_F(DeckProblems, Planestress3Expanded) {
  const Displacements reference = read_reference(decks / "planestress3.dat.ref");
  ASSERT_EQ(reference.size(), 9u);
  const test::TemporaryFolder folder;
  const Displacements found = solve<Hex<1>>(folder.write("expanded.inp", planestress3_expanded()));
  for (const auto& [node, u] : reference)
    for (std::size_t d = 0; d < 2; ++d)
      EXPECT_NEAR(found.at(node)[d], u[d], 5e-9) << "node " << node << " axis " << d;
}

/// A unit cube of first-order hexahedra, its lower faces held as planes of symmetry.
const std::string cube = R"(*NODE
1, 0, 0, 0
2, 1, 0, 0
3, 1, 1, 0
4, 0, 1, 0
5, 0, 0, 1
6, 1, 0, 1
7, 1, 1, 1
8, 0, 1, 1
*ELEMENT, TYPE=C3D8, ELSET=E
1, 1, 2, 3, 4, 5, 6, 7, 8
*MATERIAL, NAME=M
*ELASTIC
1000., 0.25
*DENSITY
2.
*SOLID SECTION, ELSET=E, MATERIAL=M
*BOUNDARY
1, 1, 3
2, 2, 3
3, 3, 3
4, 1
4, 3
5, 1, 2
6, 2
8, 1
*STEP
*STATIC
*DLOAD
E, P2, 10.
*END STEP
)";

TEST(DeckProblem, PressureActsTowardsTheElement) {
  const test::TemporaryFolder folder;
  const Displacements found = solve<Hex<1>>(folder.write("cube.inp", cube));
  EXPECT_NEAR(found.at(7)[2], -0.01, 1e-13);
  EXPECT_NEAR(found.at(7)[0], 0.0025, 1e-13);
  EXPECT_NEAR(found.at(5)[2], -0.01, 1e-13);
}

// Lines of loads add up, also of the same pressure.
TEST(DeckProblem, PressuresAddUp) {
  const test::TemporaryFolder folder;
  std::string text = cube;
  text.replace(text.find("E, P2, 10.\n"), 11, "E, P2, 10.\nE, P2, 5.\n1, P2, 10.\n");
  EXPECT_NEAR(solve<Hex<1>>(folder.write("cube.inp", text)).at(7)[2], -0.025, 1e-13);
}

// The cube as a part with two instances, of which the second is shifted, turned about z and loaded twice as
// much.
TEST(DeckProblem, InstancesOfAPartAreSolved) {
  const std::size_t material = cube.find("*MATERIAL"), section = cube.find("*SOLID");
  const std::size_t supports = cube.find("*BOUNDARY"), step = cube.find("*STEP");
  std::string text = "*PART, NAME=CUBE\n" + cube.substr(0, material) +
                     cube.substr(section, supports - section) +
                     "*END PART\n*ASSEMBLY, NAME=A\n*INSTANCE, NAME=C-1, PART=CUBE\n*END INSTANCE\n"
                     "*INSTANCE, NAME=C-2, PART=CUBE\n3, 0, 0\n3, 0, 0, 3, 0, 1, 90\n*END INSTANCE\n"
                     "*END ASSEMBLY\n" +
                     cube.substr(material, section - material) + "*BOUNDARY\n";
  std::istringstream lines(cube.substr(supports + 10, step - supports - 10));
  for (std::string line; std::getline(lines, line);) text += "C-1." + line + "\n";
  text += "C-2.1, 1, 3\nC-2.2, 1\nC-2.2, 3\nC-2.3, 3\nC-2.4, 2, 3\nC-2.5, 1, 2\n"
          "*STEP, NLGEOM=NO\n*STATIC\n*DLOAD\nC-1.E, P2, 10.\nC-2.1, P2, 20.\n*END STEP\n";
  const test::TemporaryFolder folder;
  const Displacements found = solve<Hex<1>>(folder.write("cubes.inp", text));
  ASSERT_EQ(found.size(), 16u);
  EXPECT_NEAR(found.at(7)[2], -0.01, 1e-13);
  EXPECT_NEAR(found.at(7)[0], 0.0025, 1e-13);
  const std::array<double, 3>& second = std::next(found.begin(), 8 + 6)->second; // node 7 of C-2
  EXPECT_NEAR(second[2], -0.02, 1e-13);
  EXPECT_NEAR(second[0], -0.005, 1e-13); // at (2, 1, 1), towards -x and +y from the axis
  EXPECT_NEAR(second[1], 0.005, 1e-13);
}

TEST(DeckProblem, GravityIsDensityTimesAcceleration) {
  const test::TemporaryFolder folder;
  std::string text = cube;
  // nu = 0: the column's own weight rho g shortens it by rho g / (2 E) on average; a linear element has its
  // end displacement exactly.
  text.replace(text.find("0.25"), 4, "0.");
  text.replace(text.find("E, P2, 10."), 10, "E, GRAV, 5., 0., 0., -3.");
  const Displacements found = solve<Hex<1>>(folder.write("cube.inp", text));
  EXPECT_NEAR(found.at(7)[2], -2.0 * 5.0 / (2 * 1000.0), 1e-13);
}

TEST(DeckProblem, PlaneElementsHaveTheirThickness) {
  const std::string plate =
      "*NODE\n1,0,0\n2,1,0\n3,1,1\n4,0,1\n*ELEMENT,TYPE=CPS4,ELSET=E\n1,1,2,3,4\n*MATERIAL,NAME=M\n"
      "*ELASTIC\n100.,0.25\n*SOLID SECTION,ELSET=E,MATERIAL=M\n0.1\n*BOUNDARY\n1,1,2\n4,1\n2,2\n"
      "*STEP\n*STATIC\n*CLOAD\n2,1,1.\n3,1,1.\n*DLOAD\nE,P3,5.\n*END STEP\n";
  const test::TemporaryFolder folder;
  // Stresses: 2 / 0.1 along x, -5 along y.
  const Displacements found = solve<Quad<1>>(folder.write("plate.inp", plate));
  EXPECT_NEAR(found.at(3)[0], (20.0 + 0.25 * 5.0) / 100, 1e-13);
  EXPECT_NEAR(found.at(3)[1], (-5.0 - 0.25 * 20.0) / 100, 1e-13);
}

template <class Element = Hex<1>>
void expect_refused(const std::string& text, const std::string& message) {
  const test::TemporaryFolder folder;
  const std::string path = folder.write("a.inp", text);
  EXPECT_THAT([&] { deck_problem<Element>(read_abaqus_deck(path)); },
              ThrowsMessage<UnsupportedError>(path + message));
}

std::string changed(const std::string& text, const std::string& from, const std::string& to) {
  EXPECT_NE(text.find(from), std::string::npos) << from;
  std::string result = text;
  return result.replace(text.find(from), from.size(), to);
}

TEST(DeckProblem, WhatIsNotSupportedIsRefused) {
  expect_refused(changed(cube, "*STATIC", "*DYNAMIC"),
                 ":28: *DYNAMIC is not supported in a linear static deck");
  const std::string plate = "*NODE\n1,0,0\n2,1,0\n3,1,1\n4,0,1\n*ELEMENT,TYPE=CPS3,ELSET=E\n1,1,2,3\n"
                            "*ELEMENT,TYPE=CPE3,ELSET=F\n2,1,3,4\n*MATERIAL,NAME=M\n*ELASTIC\n100.,0.25\n"
                            "*SOLID SECTION,ELSET=E,MATERIAL=M\n0.1\n*SOLID SECTION,ELSET=F,MATERIAL=M\n0.1\n"
                            "*STEP\n*STATIC\n*CLOAD\n2,1,1.\n*END STEP\n";
  expect_refused<Tri<1>>(plate, ": has elements of plane stress and of plane strain");
  expect_refused<Tri<1>>(changed(plate, "ELSET=F,MATERIAL=M\n0.1", "ELSET=F,MATERIAL=M\n0.2"),
                         ":15: material 'M' with a second thickness");
  expect_refused<Tri<1>>(changed(changed(plate, "CPE3", "CPS3"), "2,1,1.", "2,3,1."),
                         ":20: a force across the plane of the elements");
  expect_refused<Tri<1>>(changed(changed(plate, "CPE3", "CPS3"), "*STEP\n", "*BOUNDARY\n1,1,6\n*STEP\n"),
                         ":18: rotations are held at nodes of plane elements");
}

TEST(DeckProblem, RotationsAndMomentsOfSolidsAreRefused) {
  expect_refused(changed(cube, "8, 1\n", "8, 1\n7, 4, 6, 0.5\n"),
                 ":27: a rotation of 0.5 at node 7, which elements have");
  expect_refused(changed(cube, "*DLOAD\n", "*CLOAD\n7, 5, 1.\n*DLOAD\n"),
                 ":30: component 5 at node 7, which has 3");
}

TEST(DeckProblem, RotationsOfSolidsHoldNothing) {
  const test::TemporaryFolder folder;
  const std::string held = changed(cube, "1, 1, 3\n", "1, 1, 6\n7, 4, 6\n7, 5\n");
  EXPECT_EQ(solve<Hex<1>>(folder.write("a.inp", held)), solve<Hex<1>>(folder.write("b.inp", cube)));
}

TEST(DeckProblem, SupportsThatContradictEachOtherAreRefused) {
  const test::TemporaryFolder folder;
  const auto read = [&](const std::string& text) {
    return deck_problem<Hex<1>>(read_abaqus_deck(folder.write("a.inp", text)));
  };
  const std::string path = folder / "a.inp";
  EXPECT_THAT([&] { read(changed(cube, "8, 1\n", "8, 1\n3, 1, 3, 0.5\n")); },
              ThrowsMessage<FileError>(path +
                                       ":27: node 3 gets the displacement 0.5 along axis 3, and 0 in line "
                                       "21 of " +
                                       path));
  EXPECT_NO_THROW(read(changed(cube, "8, 1\n", "8, 1\n3, 3, 3, 0.\n")));
  // A step may move what the lines above it hold.
  const auto moved = read(changed(cube, "*DLOAD\n", "*BOUNDARY\n3, 3, 3, 0.5\n*DLOAD\n"));
  const auto values = Kokkos::create_mirror_view_and_copy(
      Kokkos::HostSpace(), moved.space.expand(Kokkos::View<double*>("x", moved.space.equations().count)));
  EXPECT_EQ(values(3 * 2 + 2), 0.5);
}

} // namespace io_deck_problem
