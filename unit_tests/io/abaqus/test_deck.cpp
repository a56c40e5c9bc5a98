// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/error.hpp>
#include <tessera/io/abaqus/deck.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "two_cubes.hpp"
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <support/files.hpp>
#include <vector>

namespace io_abaqus_deck {

using namespace tessera;
using namespace tessera::io;
using namespace tessera::test::two_cubes;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

TEST(AbaqusDeck, MaterialsConstraintsAndLoads) {
  const AbaqusDeck found = read(deck);
  EXPECT_THAT(found.others, IsEmpty());
  EXPECT_NO_THROW(require_linear_static(found));
  ASSERT_EQ(found.materials.size(), 1u);
  EXPECT_EQ(found.materials[0].young, 2.1e11);
  EXPECT_EQ(found.materials[0].poisson, 0.3);
  EXPECT_EQ(found.materials[0].density, 7800.0);
  ASSERT_EQ(found.constraints.size(), 2u);
  EXPECT_THAT(found.constraints[0].nodes, ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(found.constraints[1].last, 1);
  ASSERT_EQ(found.steps.size(), 1u);
  const AbaqusStep& step = found.steps[0];
  EXPECT_TRUE(step.is_static);
  ASSERT_EQ(step.constraints.size(), 1u);
  EXPECT_THAT(step.constraints[0].nodes, ElementsAre(8));
  EXPECT_EQ(step.constraints[0].value, 0.5);
  ASSERT_EQ(step.nodal_loads.size(), 1u);
  EXPECT_EQ(step.nodal_loads[0].component, 3);
  EXPECT_EQ(step.nodal_loads[0].value, -4.5);
  ASSERT_EQ(step.pressures.size(), 2u);
  EXPECT_THAT(step.pressures[0].sides, ElementsAre(Side{0, 0}, Side{1, 0}));
  EXPECT_EQ(step.pressures[0].value, 2.0);
  EXPECT_THAT(step.pressures[1].sides, ElementsAre(Side{1, 5}));
  ASSERT_EQ(step.gravities.size(), 1u);
  EXPECT_THAT(step.gravities[0].cells, ElementsAre(CellRange{0, 2}));
  EXPECT_THAT(step.gravities[0].acceleration, ElementsAre(0.0, 0.0, -9.81));
  EXPECT_EQ(step.gravities[0].place.line, 39u);
}

TEST(AbaqusDeck, SelectRenumbersConstraintsAndLoads) {
  const CellType hex{Shape::hexahedron, 1};
  // The unused node comes first.
  AbaqusDeck found = select(read(changed("1, 0, 0, 0\n", "50, 9, 9, 9\n1, 0, 0, 0\n")), hex);
  EXPECT_EQ(found.mesh.nodes(), 12);
  EXPECT_THAT(found.constraints[0].nodes, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(found.constraints[1].nodes, IsEmpty());
  EXPECT_THAT(found.steps[0].nodal_loads[0].nodes, ElementsAre(9));
  const test::TemporaryFolder folder;
  const std::string path = folder.write("a.inp", changed("12, 3, -4.5", "99, 3, -4.5"));
  EXPECT_THAT([&] { select(read_abaqus_deck(path), hex); },
              ThrowsMessage<UnsupportedError>(path + ":36: a force acts on a node which no hex1 cell uses"));
  const std::string mixed =
      folder.write("b.inp", changed("*SURFACE", "*ELEMENT, TYPE=C3D4, ELSET=T\n3, 11, 12, 13, 99\n*SURFACE"));
  EXPECT_THAT(
      [&] { select(read_abaqus_deck(mixed), {Shape::tetrahedron, 1}, true); },
      ThrowsMessage<UnsupportedError>(mixed + ":40: a load acts on hex1 cells beside the tet1 cells"));
}

TEST(AbaqusDeck, EquationsAndAxes) {
  const std::string equations = "*EQUATION\n5\nBASE, 1, 1., 5, 2, -.5, 6, 3, 2., 7, 1, 4.\n99, 1, -1.\n"
                                "2\n8, 2, 1., 99, 3, 1.\n*TRANSFORM, NSET=TOP5, TYPE=C\n0, 1, 0, 0, 1, 3\n"
                                "*TRANSFORM, NSET=TWELVE\n0, 2, 0, -1, 5, 0\n*STEP\n";
  const std::string text = changed("*STEP\n", "*NSET, NSET=TOP5\n13\n*NSET, NSET=TWELVE\n12\n" + equations);
  const AbaqusDeck whole = read(text);
  EXPECT_THAT(whole.others, IsEmpty());
  ASSERT_EQ(whole.equations.size(), 5u); // one for each node of BASE
  ASSERT_EQ(whole.equations[3].terms.size(), 5u);
  EXPECT_EQ(whole.equations[3].terms[0].node, 3);
  EXPECT_EQ(whole.equations[3].terms[1].factor, -0.5);
  EXPECT_EQ(whole.equations[3].terms[4].node, 12);
  EXPECT_EQ(whole.equations[3].place.line, 36u);
  // Node 13 lies at (1, 1, 2), above (1, 1, 0) beside the axis through (0, 1, z).
  ASSERT_EQ(whole.axes.size(), 2u);
  EXPECT_THAT(whole.axes.at(10)[0], ElementsAre(1.0, 0.0, 0.0));
  EXPECT_THAT(whole.axes.at(10)[1], ElementsAre(0.0, 1.0, 0.0));
  EXPECT_THAT(whole.axes.at(10)[2], ElementsAre(0.0, 0.0, 1.0));
  EXPECT_THAT(whole.axes.at(9)[0], ElementsAre(0.0, 1.0, 0.0));
  EXPECT_THAT(whole.axes.at(9)[1], ElementsAre(-1.0, 0.0, 0.0));
  // The node without elements comes after the others, with its support.
  const AbaqusDeck found = select(read(text), {Shape::hexahedron, 1});
  EXPECT_THAT(found.nodes_beyond, ElementsAre(99));
  EXPECT_EQ(found.equations[0].terms[4].node, 12);
  EXPECT_THAT(found.constraints[1].nodes, ElementsAre(12));
}

/// Faces of the cubes that lie on each other, and nodes beside them.
TEST(AbaqusDeck, TiesCouplingsAndBodies) {
  // Node 21 is over the lower cube's face at (1/4, 1/2), a tenth beside it, and node 99 at (5, 5, 5).
  const auto with = [](const std::string& lines) {
    std::string text = changed("99, 5, 5, 5\n", "99, 5, 5, 5\n21, .25, .5, 1.1\n");
    return text.replace(
        text.find("*STEP\n"), 6,
        "*NSET, NSET=N\n21\n*SURFACE, NAME=LOWER\n1, S2\n*SURFACE, NAME=NODES, TYPE=NODE\nN\n" + lines +
            "*STEP\n");
  };
  const std::string tie = "*TIE, NAME=T, POSITION TOLERANCE=.2";
  const AbaqusDeck tied = read(with(tie + ", ADJUST=NO\nNODES, LOWER\n"));
  EXPECT_THAT(tied.others, IsEmpty());
  ASSERT_EQ(tied.equations.size(), 3u);
  std::map<Ordinal, double> factors;
  for (const AbaqusEquation::Term& term : tied.equations[1].terms) {
    EXPECT_EQ(term.component, 2);
    factors[term.node] = term.factor;
  }
  ASSERT_EQ(factors.size(), 5u);
  EXPECT_EQ(factors.at(13), 1.0);
  EXPECT_NEAR(factors.at(4), -0.75 * 0.5, 1e-14); // nodes 5 and 6, at x = 0 and x = 1
  EXPECT_NEAR(factors.at(5), -0.25 * 0.5, 1e-14);
  EXPECT_EQ(tied.mesh.points[3 * 13 + 2], 1.1);
  EXPECT_NEAR(read(with(tie + "\nNODES, LOWER\n")).mesh.points[3 * 13 + 2], 1.0, 1e-14);

  const AbaqusDeck body = read(with("*RIGID BODY, NSET=N, REF NODE=12, ROT NODE=99\n"));
  ASSERT_EQ(body.equations.size(), 3u);        // the arm is (-3/4, 1/2, -9/10) from (1, 0, 2)
  const auto& terms = body.equations[0].terms; // u = u_r + w_y a_z - w_z a_y
  ASSERT_EQ(terms.size(), 4u);
  EXPECT_EQ(terms[1].node, 9);
  EXPECT_EQ(terms[1].factor, -1.0);
  EXPECT_EQ(terms[2].component, 2);
  EXPECT_NEAR(terms[2].factor, 0.9, 1e-14);
  EXPECT_EQ(terms[3].component, 3);
  EXPECT_NEAR(terms[3].factor, 0.5, 1e-14);

  // Radial and axial displacements go with node 99; an equation is e . (u - u_r) - w . (a x e) = 0.
  const AbaqusDeck coupling = read(
      with("*ORIENTATION, NAME=O, SYSTEM=CYLINDRICAL\n.25, 0, 0, .25, 0, 1\n"
           "*COUPLING, REF NODE=99, SURFACE=NODES, ORIENTATION=O, CONSTRAINT NAME=C\n*KINEMATIC\n1\n3, 3\n"));
  EXPECT_THAT(coupling.others, IsEmpty());
  ASSERT_EQ(coupling.equations.size(), 2u);
  factors.clear();
  for (const AbaqusEquation::Term& term : coupling.equations[0].terms)
    factors[(term.node == 12 ? 10 : 0) + term.component] = term.factor; // node 99 comes before 21
  ASSERT_EQ(factors.size(), 4u); // e = (0, 1, 0), a = (-4.75, -4.5, -3.9), a x e = (3.9, 0, -4.75)
  EXPECT_NEAR(factors.at(2), 1.0, 1e-14);
  EXPECT_NEAR(factors.at(12), -1.0, 1e-14);
  EXPECT_NEAR(factors.at(14), -3.9, 1e-14);
  EXPECT_NEAR(factors.at(16), 4.75, 1e-14);
  for (const AbaqusEquation::Term& term : coupling.equations[1].terms)
    if (term.node == 13) EXPECT_EQ(term.component, 3);

  const auto refused = [&](const std::string& lines, const std::string& message) {
    const test::TemporaryFolder folder;
    const std::string path = folder.write("bad.inp", with(lines));
    EXPECT_THAT([&] { require_linear_static(read_abaqus_deck(path)); }, ThrowsMessage<Error>(path + message));
  };
  refused("*TIE\nNODES, LOWER\n",
          ":39: node 21 lies 0.1 from the surface that it is tied to, which is too far");
  refused("*TIE\nNODES\n", ":39: expected the names of two surfaces");
  refused("*TIE\nNODES, UPPER\n", ":39: there is no surface 'UPPER'");
  refused("*TIE\nNODS, LOWER\n", ":39: there is no surface 'NODS'");
  refused("*TIE, POSITION TOLERANCE=0\nNODES, LOWER\n",
          ":38: *TIE: expected a POSITION TOLERANCE above zero");
  const std::string cyclic = "*TIE, CYCLIC SYMMETRY\nNODES, LOWER\n*CYCLIC SYMMETRY MODEL, N=";
  refused(
      "*TIE, CYCLIC SYMMETRY\nNODES, LOWER\n",
      ":39: *TIE, CYCLIC SYMMETRY, and 0 *CYCLIC SYMMETRY MODEL without parameters but N and NGRAPH, is not "
      "supported in a linear static deck");
  refused(cyclic + "4, TIE=T\n0, 0, 0, 0, 0, 1\n",
          ":40: *CYCLIC SYMMETRY MODEL, TIE=T is not supported in a linear static deck");
  refused(cyclic + "1\n0, 0, 0, 0, 0, 1\n",
          ":40: *CYCLIC SYMMETRY MODEL needs N, a number of sectors above one");
  refused(cyclic + "4\n0, 0, 1, 0, 0, 1\n", ":41: the two points of the axis are one");
  refused("*RIGID BODY, NSET=N, REF NODE=12\n",
          ":38: *RIGID BODY, without ROTNODE is not supported in a linear static deck");
  refused("*RIGID BODY, NSET=N, REF NODE=BASE, ROT NODE=99\n", ":38: expected one node, but BASE has 4");
  const std::string coupled = "*COUPLING, REF NODE=99, SURFACE=NODES";
  refused("*COUPLING, REF NODE=99, SURFACE=LOWER\n*DISTRIBUTING, WEIGHT=LINEAR\n",
          ":39: *DISTRIBUTING, WEIGHT=LINEAR is not supported in a linear static deck");
  refused("*COUPLING, REF NODE=99, SURFACE=LOWER\n*DISTRIBUTING\n1, 7\n",
          ":39: *DISTRIBUTING, components 1 to 7 is not supported in a linear static deck");
  refused(coupled + "\n*KINEMATIC\n4, 6\n",
          ":39: *KINEMATIC, axes 4 to 6 is not supported in a linear static deck");
  refused(coupled + ", ORIENTATION=P\n*KINEMATIC\n1, 3\n", ":38: there is no orientation 'P'");
  refused("*COUPLING, REF NODE=99\n*KINEMATIC\n1\n",
          ":38: *COUPLING needs the parameters REF NODE=node and SURFACE=name");
  refused("*MPC\nBEAM, 1, 2\n", ":38: *MPC is not supported in a linear static deck");
}

/// Any direction across the axis is radial; these are CalculiX's.
TEST(AbaqusDeck, CylindricalAxesOfNodesOnTheAxis) {
  const auto axes = [](const std::string& points) {
    return read(changed("*STEP\n",
                        "*NSET, NSET=ONE\n1\n*TRANSFORM, NSET=ONE, TYPE=C\n" + points + "\n*STEP\n"))
        .axes.at(0);
  };
  using Directions = std::array<std::array<double, 3>, 3>;
  EXPECT_EQ(axes("0, 0, -1, 0, 0, 1"), (Directions{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}));
  EXPECT_EQ(axes("0, 0, 0, 0, 2, 0"), (Directions{{{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}}));
  EXPECT_EQ(axes("0, 0, 0, 3, 0, 0"), (Directions{{{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}}));
}

/// With cyclic symmetry the arms begin at the reference node, (5, 5, 5).
TEST(AbaqusDeck, DistributingCouplingOfASector) {
  const auto equations = [](const std::string& parameter) {
    return read(changed("*STEP\n", "*COUPLING, REF NODE=99, SURFACE=TOP, CONSTRAINT NAME=C\n*DISTRIBUTING" +
                                       parameter + "\n*STEP\n"));
  };
  // Left hand side of an equation when everything turns about the reference node, or moves.
  const auto residual = [](const AbaqusDeck& found, std::size_t number, bool turns) {
    double sum = 0.0;
    for (const AbaqusEquation::Term& term : found.equations.at(number).terms) {
      const double* x = &found.mesh.points[3 * static_cast<std::size_t>(term.node)];
      const double u[] = {turns ? x[1] - 5 : 1.0, turns ? 5 - x[0] : 1.0, turns ? 0.0 : 1.0, 0.0, 0.0,
                          turns ? -1.0 : 0.0};
      sum += term.factor * u[term.component - 1];
    }
    return sum;
  };
  const AbaqusDeck whole = equations(""), sector = equations(", CYCLIC SYMMETRY");
  EXPECT_THAT(sector.others, IsEmpty());
  ASSERT_EQ(sector.equations.size(), 6u); // of a mean and a turn, three times
  for (std::size_t number = 0; number < 6; ++number) {
    for (const bool turns : {false, true}) EXPECT_NEAR(residual(whole, number, turns), 0.0, 1e-13) << number;
    if (number % 2 == 0) EXPECT_NEAR(residual(sector, number, false), 0.0, 1e-13) << number;
    if (number % 2 == 1) EXPECT_NEAR(residual(sector, number, true), 0.0, 1e-13) << number;
  }
  EXPECT_EQ(sector.equations[0].terms.size(), 5u);    // the reference node's displacement, no turn of it
  EXPECT_NEAR(residual(sector, 0, true), 4.5, 1e-13); // of the middle of the face, (0.5, 0.5, 2)
  EXPECT_GT(std::abs(residual(sector, 1, false)), 0.01);
}

/// Twice 10 degrees at z = 0.5 to 20 at z = 1; then twice 30 to 40 between two planes across (0, 1, 1).
TEST(AbaqusDeck, LinearTemperatures) {
  const AbaqusDeck found = read(changed(
      "*CLOAD\n", "*AMPLITUDE, NAME=A\n0., 2.\n*TEMPERATURE, LINTEMP, AMPLITUDE=A\n0, 0, 2, 1., 20, .5, 10\n"
                  "0, 1, 1, 2., 30, 2.8284272, 40\n*CLOAD\n"));
  EXPECT_THAT(found.others, IsEmpty());
  std::map<Ordinal, double> last;
  for (const AbaqusTemperature& line : found.steps[0].temperatures) last[line.nodes.at(0)] = line.value;
  ASSERT_EQ(last.size(), 6u); // nodes 5 to 8; 13 and 14, with y + z = 3
  for (const Ordinal node : {4, 5}) EXPECT_NEAR(last.at(node), 40.0, 1e-12) << node;
  EXPECT_NEAR(last.at(10), 2 * (30 + 10 * (3 / std::sqrt(2.0) - 2) / 0.8284272), 1e-9);
}

/// The lower cube gets nodes of its own below the upper one.
TEST(AbaqusDeck, PretensionSection) {
  const std::string temperatures =
      "*INITIAL CONDITIONS, TYPE=TEMPERATURE\nALL, 20.\n*SURFACE, NAME=CUT\n1, S2\n";
  const auto with = [&](const std::string& lines) {
    std::string text = changed("*CLOAD\n", "*TEMPERATURE\nBASE, 10.\n5, 30.\n*CLOAD\n");
    return text.replace(text.find("*STEP\n"), 6, temperatures + lines + "*STEP\n");
  };
  const AbaqusDeck found = read(with("*PRE-TENSION SECTION, SURFACE=CUT, NODE=99\n0., 0., 4.\n"));
  EXPECT_THAT(found.others, IsEmpty());
  ASSERT_EQ(found.mesh.nodes(), 17); // 5, 6, 7 and 8 have been doubled, as 100 to 103
  EXPECT_EQ(found.mesh.node_ids.id(13), 100);
  EXPECT_EQ(found.mesh.node_ids.find(103), 16);
  EXPECT_THAT(
      std::vector<Ordinal>(found.mesh.blocks[0].nodes.begin(), found.mesh.blocks[0].nodes.begin() + 12),
      ElementsAre(0, 1, 2, 3, 13, 14, 15, 16, 4, 5, 6, 7));
  for (std::size_t d = 0; d < 3; ++d)
    EXPECT_EQ(found.mesh.points[3 * 14 + d], found.mesh.points[3 * 5 + d]) << d;
  ASSERT_EQ(found.equations.size(), 12u);
  std::map<Ordinal, double> factors; // of u_z at node 6 and its double
  for (const AbaqusEquation::Term& term : found.equations[5].terms) {
    EXPECT_EQ(term.component, term.node == 12 ? 1 : 3);
    factors[term.node] = term.factor;
  }
  EXPECT_EQ(factors, (std::map<Ordinal, double>{{5, -1.0}, {12, -1.0}, {14, 1.0}}));
  EXPECT_EQ(found.equations[4].terms.size(), 2u);
  EXPECT_THAT(found.initial_temperatures.at(0).nodes, ::testing::SizeIs(17));
  EXPECT_THAT(found.steps[0].temperatures.at(0).nodes, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(found.steps[0].temperatures.at(1).nodes, ElementsAre(4, 13));
  EXPECT_THAT(found.mesh.node_sets.at("ALL"), ::testing::SizeIs(13));

  const auto refused = [&](const std::string& lines, const std::string& message) {
    const test::TemporaryFolder folder;
    const std::string path = folder.write("bad.inp", with(lines));
    EXPECT_THAT([&] { require_linear_static(read_abaqus_deck(path)); }, ThrowsMessage<Error>(path + message));
  };
  const std::string keyword = "*PRE-TENSION SECTION, SURFACE=CUT, NODE=99";
  refused(keyword + "\n", ":35: *PRE-TENSION SECTION without a direction");
  refused(keyword + "\n0, 0, 0\n", ":36: the direction of *PRE-TENSION SECTION is zero");
  refused(keyword + "\n0, 0, 1\n0, 0, 1\n",
          ":37: *PRE-TENSION SECTION has one data line; is a keyword missing?");
  refused("*PRE-TENSION SECTION, SURFACE=CUT\n0, 0, 1\n",
          ":35: *PRE-TENSION SECTION needs the parameters SURFACE=name and NODE=node");
  refused("*PRE-TENSION SECTION, SURFACE=CUTS, NODE=99\n0, 0, 1\n", ":35: there is no surface 'CUTS'");
  refused("*PRE-TENSION SECTION, SURFACE=CUT, NODE=6\n0, 0, 1\n",
          ":35: node 6 of *PRE-TENSION SECTION lies on its surface");
  refused("*PRE-TENSION SECTION, ELEMENT=1, NODE=99\n0, 0, 1\n",
          ":35: *PRE-TENSION SECTION, ELEMENT=1 is not supported in a linear static deck");
}

/// The second step takes the place of the first one's loads and supports of the same nodes and faces, and
/// adds to the others; with OP=NEW it begins anew.
TEST(AbaqusDeck, LoadsAtTheEndOfSteps) {
  const auto second = [](const std::string& op, const std::string& lines) {
    std::string text = deck + "*STEP\n*STATIC\n" + lines + "*END STEP\n";
    for (std::size_t at = text.find("+"); at != std::string::npos; at = text.find("+"))
      text.replace(at, 1, op);
    return read(text);
  };
  const std::string lines = "*BOUNDARY+\n11, 1, 2\n*CLOAD+\n12, 3, 7.\n13, 1, 8.\n*DSLOAD+\nTOP, P, 5.\n";
  AbaqusDeck both = second(", OP=MOD", lines);
  EXPECT_NO_THROW(require_linear_static(both));
  both = at_end_of_steps(std::move(both));
  ASSERT_EQ(both.steps.size(), 1u);
  const AbaqusStep& step = both.steps[0];
  const auto force = [&](Ordinal node, int component) {
    double sum = 0.0;
    for (const AbaqusNodalLoad& load : step.nodal_loads)
      for (const Ordinal other : load.nodes)
        sum += other == node && load.component == component ? load.value : 0;
    return sum;
  };
  EXPECT_EQ(force(9, 3), 7.0);
  EXPECT_EQ(force(10, 1), 8.0);
  const auto pressure = [&](Side side) {
    double sum = 0.0;
    for (const AbaqusPressure& load : step.pressures)
      for (const Side& other : load.sides) sum += other == side ? load.value : 0;
    return sum;
  };
  EXPECT_EQ(pressure({1, 5}), 5.0);
  EXPECT_EQ(pressure({0, 0}), 2.0);
  ASSERT_EQ(step.gravities.size(), 1u);
  double held = -1.0;
  for (const AbaqusConstraint& line : step.constraints)
    if (line.first <= 2 && line.last >= 2) held = line.value;
  EXPECT_EQ(held, 0.0); // of node 11, which was 0.5
  EXPECT_EQ(both.constraints.size(), 2u);

  const AbaqusDeck anew = at_end_of_steps(second(", OP=NEW", lines));
  EXPECT_TRUE(anew.constraints.empty());
  EXPECT_EQ(anew.steps[0].nodal_loads.size(), 2u);
  EXPECT_EQ(anew.steps[0].pressures.size(), 1u);
  EXPECT_TRUE(anew.steps[0].gravities.empty());
  EXPECT_EQ(at_end_of_steps(second("", "*CLOAD, OP=NEW\n")).steps[0].nodal_loads.size(), 0u);
  EXPECT_THROW(at_end_of_steps(second("", "*DLOAD\nE, GRAV, 1., 0., 0., 1.\n")), UnsupportedError);
  EXPECT_EQ(
      at_end_of_steps(second("", "*DLOAD, OP=NEW\nE, GRAV, 1., 0., 0., 1.\n")).steps[0].gravities.size(), 1u);
}

TEST(AbaqusDeck, StepsThatAreNotRegardedMayHoldAnything) {
  const std::string text = changed("*STEP\n", "*DESIGNVARIABLES, TYPE=COORDINATE\nBASE\n*STEP\n") +
                           "*STEP\n*SENSITIVITY\n*DESIGN RESPONSE, NAME=R\nMASS\n*END STEP\n";
  EXPECT_THROW(require_linear_static(read(text)), UnsupportedError);
  const AbaqusDeck first = first_steps(read(text), 1);
  EXPECT_NO_THROW(require_linear_static(first));
  EXPECT_EQ(first.steps.size(), 1u);
  EXPECT_THROW(require_linear_static(first_steps(read(changed("*CLOAD\n", "*VISCO\n*CLOAD\n")), 1)),
               UnsupportedError);
  EXPECT_THROW(first_steps(read(text), 3), ArgumentError);
  EXPECT_THROW(first_steps(read(text), 0), ArgumentError);
}

} // namespace io_abaqus_deck
