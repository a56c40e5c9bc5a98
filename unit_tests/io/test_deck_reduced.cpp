// SPDX-License-Identifier: BSD-3-Clause
// Decks whose elements have reduced integration.

#include <tessera/core/elements/elements.hpp>
#include <tessera/core/system/linear_system.hpp>
#include <tessera/io/abaqus/calculix_results.hpp>
#include <tessera/io/deck_problem.hpp>
#include <tessera/solvers/solve.hpp>
#include <tessera/strategies/assembly/element_atomic.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <support/files.hpp>

namespace io_deck_reduced {

using namespace tessera;
using namespace tessera::io;
using ::testing::ThrowsMessage;

/// All displacements of CalculiX's own deck of 32 C3D20R.
TEST(DeckWithReducedIntegration, Beampset) {
  const std::string deck = "/usr/share/doc/calculix-ccx-test/examples/test/beampset";
  if (!std::filesystem::exists(deck + ".inp")) GTEST_SKIP() << "calculix-ccx-test is not installed";
  const auto problem = deck_problem<Hex20, Kokkos::DefaultExecutionSpace, ReducedElasticity<3>>(
      read_abaqus_deck(deck + ".inp"));
  const LinearSystem<double> system(problem.space);
  assembly::ElementAtomic{}.plan(problem.space, system.graph()).assemble(problem.form, system);
  const Kokkos::View<double*> x("Tessera::Test::x", system.num_rows());
  solvers::cg(system, x, {.relative_tolerance = 1e-13, .max_iterations = 20000});
  const auto u = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), problem.space.expand(x));
  NodalDisplacements found;
  for (Ordinal node = 0; node < problem.mesh.num_nodes(); ++node)
    for (int d = 0; d < 3; ++d)
      found[problem.node_ids.id(node)][static_cast<std::size_t>(d)] = u(3 * node + d);
  const auto difference = compare(found, read_calculix_displacements(deck + ".dat.ref"));
  EXPECT_EQ(difference.nodes, 261u);
  EXPECT_GE(difference.digits(), 6.5);
}

/// A square of side 2 around the origin, one element.
std::string square(const std::string& type) {
  return "*NODE\n1,-1,-1\n2,1,-1\n3,1,1\n4,-1,1\n5,0,-1\n6,1,0\n7,0,1\n8,-1,0\n*ELEMENT,TYPE=" + type +
         ",ELSET=E\n1,1,2,3,4,5,6,7,8\n*MATERIAL,NAME=M\n*ELASTIC\n1.,0.25\n*SOLID SECTION,ELSET=E,"
         "MATERIAL=M\n1.\n*BOUNDARY\n1,1,2,0.\n*STEP\n*STATIC\n*CLOAD\n2,1,1.\n*END STEP\n";
}

/// Energy that the square's motion (x (1 - 3 y^2), -y (1 - 3 x^2)) has, whose strains are zero at the four
/// Gauss points; two of its unknowns are held.
template <class Form>
double energy_of_hourglass(const std::string& type) {
  const test::TemporaryFolder folder;
  AbaqusDeck deck = read_abaqus_deck(folder.write("a.inp", square(type)));
  deck.constraints.clear();
  const auto problem = deck_problem<Quad8, Kokkos::DefaultExecutionSpace, Form>(std::move(deck));
  const LinearSystem<double> system(problem.space);
  assembly::ElementAtomic{}.plan(problem.space, system.graph()).assemble(problem.form, system);
  const Kokkos::View<double*> u("Tessera::Test::u", 16), force("Tessera::Test::force", 16);
  const auto x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), problem.mesh.coordinates());
  const auto values = Kokkos::create_mirror_view(u);
  for (std::size_t n = 0; n < 8; ++n) {
    values(2 * n) = x(n, 0) * (1 - 3 * x(n, 1) * x(n, 1));
    values(2 * n + 1) = -x(n, 1) * (1 - 3 * x(n, 0) * x(n, 0));
  }
  Kokkos::deep_copy(u, values);
  const auto graph = system.graph();
  solvers::CrsOperator<double>({}, graph.row_map, graph.columns, system.values()).apply({}, u, force);
  const auto forces = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), force);
  double energy = 0;
  for (std::size_t k = 0; k < 16; ++k) energy += values(k) * forces(k) / 2;
  return energy;
}

TEST(DeckWithReducedIntegration, DoesNotSeeHourglasses) {
  EXPECT_NEAR(energy_of_hourglass<ReducedElasticity<2>>("CPS8R"), 0.0, 1e-14);
  EXPECT_GT(energy_of_hourglass<LinearElasticity<2>>("CPS8"), 0.1);
}

TEST(DeckWithReducedIntegration, IntegrationIsTheDecks) {
  const test::TemporaryFolder folder;
  const auto refused = [&](const std::string& text, const std::string& message) {
    const std::string path = folder.write("a.inp", text);
    EXPECT_THAT(([&] {
                  deck_problem<Quad8, Kokkos::DefaultExecutionSpace, ReducedElasticity<2>>(
                      read_abaqus_deck(path));
                }),
                ThrowsMessage<UnsupportedError>(path + message));
  };
  const std::string reduced = folder.write("b.inp", square("CPE8R"));
  EXPECT_THAT([&] { deck_problem<Quad8>(read_abaqus_deck(reduced)); },
              ThrowsMessage<UnsupportedError>(
                  reduced + ": element 1 is a CPE8R, which is integrated at four points, quad8 at nine"));
  const std::string second = "11,3,-1\n12,3,1\n13,2,-1\n14,3,0\n15,2,1\n";
  const std::string element = "2,2,11,12,3,13,14,15,6\n";
  std::string mixed = square("CPE8R");
  mixed.insert(mixed.find("*ELEMENT"), second + "*ELEMENT,TYPE=CPE8,ELSET=E\n" + element);
  EXPECT_EQ(integration_of(read_abaqus_deck(folder.write("a.inp", mixed))), Integration::reduced);
  refused(mixed, ": element 2 is a CPE8, which is integrated fully, beside elements that are not");
  EXPECT_EQ(integration_of(read_abaqus_deck(folder.write("a.inp", square("CPE8")))), Integration::full);
}

TEST(DeckWithReducedIntegration, PressuresActOnStraightEdges) {
  const auto cube_with = [](const std::string& node9) {
    return "*NODE\n1,0,0,0\n2,2,0,0\n3,2,2,0\n4,0,2,0\n5,0,0,2\n6,2,0,2\n7,2,2,2\n8,0,2,2\n9," + node9 +
           "\n10,2,1,0\n11,1,2,0\n12,0,1,0\n13,1,0,2\n14,2,1,2\n15,1,2,2\n16,0,1,2\n17,0,0,1\n18,2,0,1\n"
           "19,2,2,1\n20,0,2,1\n*ELEMENT,TYPE=C3D20R,ELSET=E\n1,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,\n16,17,"
           "18,19,20\n*MATERIAL,NAME=M\n*ELASTIC\n1.,0.25\n*SOLID SECTION,ELSET=E,MATERIAL=M\n*BOUNDARY\n"
           "1,1,3\n*STEP\n*STATIC\n*DLOAD\nE,P1,1.\n*END STEP\n";
  };
  const test::TemporaryFolder folder;
  const auto problem = [&](const std::string& text) {
    return deck_problem<Hex20, Kokkos::DefaultExecutionSpace, ReducedElasticity<3>>(
        read_abaqus_deck(folder.write("a.inp", text)));
  };
  EXPECT_NO_THROW(problem(cube_with("1,0,0")));
  EXPECT_THAT([&] { problem(cube_with("1,-0.1,0")); },
              ThrowsMessage<UnsupportedError>(folder / "a.inp" +
                                              ":34: a pressure on element 1, which has curved edges and "
                                              "reduced integration"));
}

} // namespace io_deck_reduced
