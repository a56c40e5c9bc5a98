// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/error.hpp>
#include <tessera/io/abaqus/deck.hpp>
#include <tessera/io/abaqus/reader.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <support/files.hpp>

namespace io_abaqus_deck {

using namespace tessera;
using namespace tessera::io;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

/// Two cubes one on the other, with every kind of load; node 99 belongs to nothing.
const std::string deck = R"(*NODE, NSET=ALL
1, 0, 0, 0
2, 1, 0, 0
3, 1, 1, 0
4, 0, 1, 0
5, 0, 0, 1
6, 1, 0, 1
7, 1, 1, 1
8, 0, 1, 1
11, 0, 0, 2
12, 1, 0, 2
13, 1, 1, 2
14, 0, 1, 2
99, 5, 5, 5
*ELEMENT, TYPE=C3D8, ELSET=E
1, 1, 2, 3, 4, 5, 6, 7, 8
2, 5, 6, 7, 8, 11, 12, 13, 14
*SURFACE, NAME=TOP
2, S2
*MATERIAL, NAME=STEEL
*ELASTIC
2.1E11, 0.3
*DENSITY
7800.
*SOLID SECTION, ELSET=E, MATERIAL=STEEL
*NSET, NSET=BASE
1, 2, 3, 4
*BOUNDARY
BASE, 1, 3
99, 1
*STEP
*STATIC
*BOUNDARY
11, 2, 2, 0.5
*CLOAD
12, 3, -4.5
*DLOAD
E, P6, 2.
E, GRAV, 9.81, 0., 0., -2.
*DSLOAD
TOP, P, 3.
*NODE PRINT, NSET=ALL
U
*END STEP
)";

AbaqusDeck read(const std::string& text) {
  const test::TemporaryFolder folder;
  return read_abaqus_deck(folder.write("a.inp", text));
}

std::string changed(const std::string& from, const std::string& to) {
  std::string text = deck;
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

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

TEST(AbaqusDeck, BadEquationsAndAxesAreRefused) {
  const auto refused = [](const std::string& lines, const std::string& message) {
    const test::TemporaryFolder folder;
    const std::string path = folder.write("bad.inp", changed("*STEP\n", lines + "*STEP\n"));
    EXPECT_THAT([&] { read_abaqus_deck(path); }, ThrowsMessage<Error>(path + message));
  };
  refused("*EQUATION\n0\n", ":32: an equation with 0 terms");
  refused("*EQUATION\n2\n5, 1, 1.\n", ":32: the equation has 2 terms, but only 1 follow");
  refused("*EQUATION\n1\n5, 1, 1., 6, 1, 1.\n", ":33: the equation has 1 terms, but more follow");
  refused("*EQUATION\n1\n5, 4, 1.\n", ":33: *EQUATION, component 4 is not supported in a linear static deck");
  refused("*EQUATION\n1\n77, 1, 1.\n", ":32: there is no node 77");
  refused("*EQUATION\n2\n5, 1, 1., BASE, 1, 1.\n",
          ":32: a set of nodes in an equation's term after the first");
  refused("*TRANSFORM\n1, 0, 0, 0, 1, 0\n", ":31: *TRANSFORM needs the parameter NSET=name");
  refused("*TRANSFORM, NSET=BASE, TYPE=S\n1, 0, 0, 0, 1, 0\n", ":31: *TRANSFORM, TYPE=S; expected R or C");
  refused("*TRANSFORM, NSET=BASE\n1, 0, 0, 2, 0, 0\n",
          ":31: the two points give no axes: their directions are zero or parallel");
  refused("*TRANSFORM, NSET=BASE, TYPE=C\n1, 0, 0, 1, 0, 1\n",
          ":31: node 2 lies on the axis of cylindrical coordinates");
  EXPECT_EQ(read(changed("*CLOAD\n", "*EQUATION, REMOVE\n1\n*CLOAD\n")).others.at(0).what, "*EQUATION");
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
  refused("*COUPLING, REF NODE=99, SURFACE=LOWER\n*DISTRIBUTING, CYCLIC SYMMETRY\n",
          ":39: *DISTRIBUTING, CYCLICSYMMETRY is not supported in a linear static deck");
  refused("*COUPLING, REF NODE=99, SURFACE=LOWER\n*DISTRIBUTING\n1, 7\n",
          ":39: *DISTRIBUTING, components 1 to 7 is not supported in a linear static deck");
  refused(coupled + "\n*KINEMATIC\n4, 6\n",
          ":39: *KINEMATIC, axes 4 to 6 is not supported in a linear static deck");
  refused(coupled + ", ORIENTATION=P\n*KINEMATIC\n1, 3\n", ":38: there is no orientation 'P'");
  refused("*COUPLING, REF NODE=99\n*KINEMATIC\n1\n",
          ":38: *COUPLING needs the parameters REF NODE=node and SURFACE=name");
  refused("*MPC\nBEAM, 1, 2\n", ":38: *MPC is not supported in a linear static deck");
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

/// A deck that is cut short is no deck that asks for less, wherever the cut is.
TEST(AbaqusDeck, CutDecksAreRefused) {
  const test::TemporaryFolder folder;
  const std::size_t end = deck.find("*END STEP") + 9;
  for (std::size_t size = 0; size < end; ++size) {
    const std::string path = folder.write("cut.inp", deck.substr(0, size));
    EXPECT_THROW(require_linear_static(read_abaqus_deck(path)), Error) << deck.substr(0, size);
  }
  const std::string whole = folder.write("whole.inp", deck.substr(0, end));
  EXPECT_NO_THROW(require_linear_static(read_abaqus_deck(whole)));

  const auto refused = [&](const std::string& text, const std::string& message) {
    const std::string path = folder.write("a.inp", text);
    EXPECT_THAT([&] { read_abaqus_deck(path); }, ThrowsMessage<FileError>(path + message));
    EXPECT_THAT([&] { read_abaqus(path); }, ThrowsMessage<FileError>(path + message));
  };
  refused(changed("*END STEP\n", ""), ":31: the step has no *END STEP: the deck may be cut short");
  refused(changed("*CLOAD\n", "*STEP\n*CLOAD\n"),
          ":35: a step inside that of line 31, which has no *END STEP");
  refused(changed("*STEP\n", "*END STEP\n"), ":31: *END STEP without *STEP");
  refused(deck.substr(0, deck.find("4, 0, 1, 0") + 8),
          ":5: the file ends in the middle of a line: it may be cut short; if it is not, end the line");
}

void expect_file_error(const std::string& from, const std::string& to, const std::string& message) {
  const test::TemporaryFolder folder;
  const std::string path = folder.write("bad.inp", changed(from, to));
  EXPECT_THAT([&] { read_abaqus_deck(path); }, ThrowsMessage<FileError>(path + message));
}

TEST(AbaqusDeck, BadLoadsAndConstraintsAreRefused) {
  expect_file_error("99, 1\n", "98, 1\n", ":30: there is no node 98");
  expect_file_error("BASE, 1, 3", "BASIS, 1, 3",
                    ":29: there is no node set 'BASIS' above this line; there are ALL, BASE");
  expect_file_error("BASE, 1, 3", "BASE, 3, 1", ":29: the last component, 1, is less than the first, 3");
  expect_file_error("BASE, 1, 3", "BASE",
                    ":29: expected the first component that is held, but the line ends");
  expect_file_error("BASE, 1, 3", "BASE, ENCASTRE",
                    ":29: expected the first component that is held, an integer, but found 'ENCASTRE'");
  expect_file_error("11, 2, 2, 0.5", "11, 2, 2, half",
                    ":34: expected the value of a constraint, a finite number, but found 'half'");
  expect_file_error("12, 3, -4.5", "12, 3", ":36: expected the value of a force, but the line ends");
  expect_file_error("E, P6, 2.", "E, P6", ":38: expected a pressure, but the line ends");
  expect_file_error("E, P6, 2.", "EE, P6, 2.",
                    ":38: there is no element set 'EE' above this line; there are E");
  expect_file_error("0., 0., -2.", "0., 0., 0.", ":39: the direction of gravity is zero");
  expect_file_error("TOP, P, 3.", "TIP, P, 3.", ":41: there is no surface 'TIP'");
  expect_file_error("*STEP\n", "", ":31: *STATIC outside a step");
  expect_file_error("*STEP\n*STATIC\n", "*CLOAD\n1, 1, 1.\n*STEP\n*STATIC\n", ":32: a load outside a step");
  expect_file_error("2.1E11, 0.3", "2.1E11", ":22: expected Poisson's ratio, but the line ends");
  expect_file_error("2.1E11, 0.3\n", "", ":21: *ELASTIC has no data line");
  expect_file_error("*CLOAD", "*CLOAD, AMPLITUDE=A1", ":36: there is no amplitude 'A1'");
  expect_file_error("*CLOAD", "*AMPLITUDE, NAME=A1\n0., 1., 2.\n*CLOAD, AMPLITUDE=A1",
                    ":35: *AMPLITUDE needs pairs of a time and a factor");
  expect_file_error("*CLOAD", "*AMPLITUDE, NAME=A1\n1., 1., 1., 2.\n*CLOAD, AMPLITUDE=A1",
                    ":35: the times of *AMPLITUDE do not ascend");
  expect_file_error("*MATERIAL, NAME=STEEL\n", "", ":20: *ELASTIC outside a material");
  expect_file_error("*SOLID SECTION", "*MATERIAL, NAME=steel\n*SOLID SECTION",
                    ":25: material 'STEEL' is defined twice");
}

/// A load whose keyword got lost is a data line of what stands above it.
TEST(AbaqusDeck, DataLinesBelongToTheirKeyword) {
  const std::string increments =
      "*STATIC has at most a first increment, the step's time, and the least and the largest "
      "increment; is a keyword missing?";
  for (const char* lost : {"12, 3, -4.5", "12, 3, 4.5", "TOP, 3, 4.5", "1, 1, 1, 1, 1"})
    expect_file_error("*BOUNDARY\n11, 2, 2, 0.5\n*CLOAD\n12, 3, -4.5", lost, ":33: " + increments);
  expect_file_error("*STATIC\n", "*STATIC\n1., 1.\n3, 3, 1.\n",
                    ":34: *STATIC has one data line; is a keyword missing?");
  for (const char* times : {"1.,1.", ".05, 1.", "1., 1., 1e-05, 1.", "0.01,1.,,0.1"})
    EXPECT_NO_THROW(read(changed("*STATIC\n", "*STATIC\n" + std::string(times) + "\n"))) << times;
  expect_file_error("U\n*END", "U\nALL, 3, 1.\n*END",
                    ":44: *NODE PRINT lists names, but the line has the number '3'; is a keyword missing?");
  expect_file_error("*STEP\n", "*STEP\n12, 3, -4.5\n",
                    ":32: *STEP takes a title, but in the line the number '3' follows a comma; is a keyword "
                    "missing?");
  expect_file_error("*NODE, NSET", "*HEADING\nTOP, P, 3.\n*NODE, NSET",
                    ":2: *HEADING takes a title, but in the line the number '3.' follows a comma; is a "
                    "keyword missing?");
  for (const char* keyword : {"*RESTART, WRITE", "*PREPRINT, ECHO=NO", "*OUTPUT, FIELD"})
    expect_file_error("*BOUNDARY\n11", std::string(keyword) + "\n11",
                      ":34: " + std::string(keyword).substr(0, std::string(keyword).find(',')) +
                          " has no data lines; is a keyword missing?");
  expect_file_error("*BOUNDARY\n11", "*TIME POINTS, NAME=T\n11",
                    ":34: *TIME POINTS lists times that ascend, but '2' follows 11; is a keyword missing?");
  EXPECT_NO_THROW(read(changed("*STEP\n", "*TIME POINTS, NAME=T\n1., 2.\n2.5\n*STEP\nPull, then push\n")));
  expect_file_error("MATERIAL=STEEL\n", "MATERIAL=STEEL\n99, 1\n",
                    ":26: *SOLID SECTION takes 1 field a line here, but the line goes on with '1'; is a "
                    "keyword missing?");
  expect_file_error("MATERIAL=STEEL\n", "MATERIAL=STEEL\n1.\n99\n",
                    ":27: *SOLID SECTION has one data line; is a keyword missing?");
  expect_file_error("MATERIAL=STEEL\n", "MATERIAL=STEEL\n-1.\n",
                    ":26: a section's thickness is -1, which must be positive");
  expect_file_error("12, 3, -4.5\n", "12, 3, -4.5\n11, 2, 2, 0.5\n",
                    ":37: *CLOAD takes 3 fields a line here, but the line goes on with '0.5'; is a keyword "
                    "missing?");
  expect_file_error("*DENSITY\n7800.\n", "*ELASTIC\n1., 0.\n", ":23: material 'STEEL' has a second *ELASTIC");
  expect_file_error("*MATERIAL, NAME=STEEL\n", "*MATERIAL, NAME=STEEL\n7800.\n",
                    ":21: *MATERIAL has no data lines; is a keyword missing?");
  expect_file_error("*END STEP\n", "*END STEP\n12, 3, 1.\n",
                    ":45: *END STEP has no data lines; is a keyword missing?");
}

TEST(AbaqusDeck, ForcesActOnDistinctNodes) {
  const test::TemporaryFolder folder;
  const std::string path =
      folder.write("a.inp", changed("*CLOAD\n12,", "*NSET, NSET=PAIR\n11, 12, 11\n*CLOAD\nPAIR,"));
  EXPECT_THAT([&] { read_abaqus_deck(path); },
              ThrowsMessage<FileError>(
                  path + ":38: node 11 stands twice in node set 'PAIR', and would be loaded once or "
                         "twice; name it once"));
  EXPECT_THAT(read_abaqus(path).node_sets.at("PAIR"), ElementsAre(8, 9));
}

// CalculiX adds the load of an element up as often as a set names it.
TEST(AbaqusDeck, LoadsActOnDistinctElementsAndFaces) {
  const test::TemporaryFolder folder;
  const auto twice = [&](const std::string& from, const std::string& to, const std::string& message) {
    const std::string path = folder.write("a.inp", changed(from, to));
    EXPECT_THAT(
        [&] { read_abaqus_deck(path); },
        ThrowsMessage<FileError>(path + message + ", and would be loaded once or twice; name it once"));
    EXPECT_NO_THROW(read_abaqus(path));
  };
  twice("*STEP\n", "*ELSET, ELSET=TW\n2, 1, 2\n*STEP\n*DLOAD\nTW, P6, 2.\n",
        ":35: element 2 stands twice in element set 'TW'");
  twice("E, GRAV,", "1, P1, 1.\n*ELSET, ELSET=TW\nE, E\n*DLOAD\nTW, GRAV,",
        ":43: element 1 stands twice in element set 'TW'");
  twice("2, S2\n", "2, S2\nE, S2\n", ":42: a face of element 2 stands twice in surface 'TOP'");
  // A set within two sets of one.
  twice("*STEP\n", "*ELSET, ELSET=A\nE\n*ELSET, ELSET=B\nA, E\n*STEP\n*DLOAD\nB, P6, 2.\n",
        ":37: element 1 stands twice in element set 'B'");
}

template <class Exception>
void expect_not_linear_static(const std::string& from, const std::string& to, const std::string& message) {
  const test::TemporaryFolder folder;
  const std::string path = folder.write("bad.inp", changed(from, to));
  const AbaqusDeck found = read_abaqus_deck(path);
  EXPECT_THAT([&] { require_linear_static(found); }, ThrowsMessage<Exception>(path + message));
}

TEST(AbaqusDeck, OnlyOneLinearStaticStepPasses) {
  const std::string tail = " is not supported in a linear static deck";
  expect_not_linear_static<UnsupportedError>("*STEP", "*STEP, NLGEOM", ":31: *STEP, NLGEOM" + tail);
  expect_not_linear_static<UnsupportedError>("*DENSITY", "*PLASTIC", ":23: *PLASTIC" + tail);
  expect_not_linear_static<UnsupportedError>("*ELASTIC", "*ELASTIC, TYPE=SHEAR",
                                             ":21: *ELASTIC, TYPE=SHEAR" + tail);
  expect_not_linear_static<FormError>(
      "2.1E11, 0.3\n", "2.1E11, 0.3, 20.\n-2.E11, .3, 90.\n",
      ":20: material 'STEEL' has Young's modulus -2e+11, which must be positive");
  expect_not_linear_static<UnsupportedError>("E, P6, 2.", "E, CORIO, 2., 0., 0., 0., 1., 0., 0.",
                                             ":37: *DLOAD, CORIO" + tail);
  expect_not_linear_static<UnsupportedError>("BASE, 1, 3", "BASE, 11, 11",
                                             ":28: *BOUNDARY, components 11 to 11" + tail);
  expect_not_linear_static<UnsupportedError>("BASE, 1, 3", "BASE, 0, 3",
                                             ":28: *BOUNDARY, components 0 to 3" + tail);
  expect_not_linear_static<UnsupportedError>("12, 3, -4.5", "12, 7, -4.5", ":35: *CLOAD, component 7" + tail);
  expect_not_linear_static<UnsupportedError>("*END STEP\n", "*END STEP\n*STEP\n*END STEP\n",
                                             ":45: the step is not *STATIC");
  expect_not_linear_static<UnsupportedError>("*CLOAD", "*CLOAD, OP=OLD", ":35: *CLOAD, OP=OLD" + tail);
  expect_not_linear_static<UnsupportedError>("*BOUNDARY\nBASE", "*BOUNDARY, OP=NEW\nBASE",
                                             ":28: *BOUNDARY, OP=NEW" + tail); // above the steps
  expect_not_linear_static<UnsupportedError>("*STATIC\n", "", ":31: the step is not *STATIC");
  expect_not_linear_static<FormError>("*ELASTIC\n2.1E11, 0.3\n", "", ":20: material 'STEEL' is not *ELASTIC");
  expect_not_linear_static<FormError>("2.1E11", "-1.",
                                      ":20: material 'STEEL' has Young's modulus -1, which must be positive");
  expect_not_linear_static<FormError>(
      "2.1E11, 0.3", "2.1E11, 0.5",
      ":20: material 'STEEL' has Poisson's ratio 0.5, which must lie between -1 and 0.5");
  expect_not_linear_static<FormError>(
      "*DENSITY\n7800.\n", "", ":20: material 'STEEL' has no *DENSITY, which gravity and rotation need");
  expect_not_linear_static<UnsupportedError>("TYPE=C3D8", "TYPE=DC3D8",
                                             ": element 1 is a DC3D8, which has no displacements");
  expect_not_linear_static<UnsupportedError>(
      "TYPE=C3D8", "TYPE=C3D8I",
      ": element 1 is a C3D8I, which has incompatible modes besides its nodes, as hex1 has not");
  expect_not_linear_static<UnsupportedError>(
      "TYPE=C3D8", "TYPE=C3D8R", ": element 1 is a C3D8R, which is integrated at one point, hex1 at eight");
  expect_not_linear_static<FormError>("*SURFACE", "*ELEMENT, TYPE=C3D8\n5, 1, 2, 3, 4, 5, 6, 7, 8\n*SURFACE",
                                      ": element 5 has no *SOLID SECTION");
}

} // namespace io_abaqus_deck
