// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/error.hpp>
#include <tessera/io/abaqus/deck.hpp>
#include <tessera/io/abaqus/reader.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "two_cubes.hpp"
#include <cstddef>
#include <string>
#include <support/files.hpp>

namespace io_abaqus_refused_decks {

using namespace tessera;
using namespace tessera::io;
using namespace tessera::test::two_cubes;
using ::testing::ElementsAre;
using ::testing::ThrowsMessage;

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
  refused("*TRANSFORM, NSET=BASE, TYPE=C\n1, 0, 0, 1, 0, 0\n",
          ":31: the two points give no axis of cylindrical coordinates");
  EXPECT_EQ(read(changed("*CLOAD\n", "*EQUATION, REMOVE\n1\n*CLOAD\n")).others.at(0).what, "*EQUATION");
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
  expect_file_error("*CLOAD", "*TEMPERATURE, LINTEMP\n0, 0, 0, 1, 20, 2, 30\n*CLOAD",
                    ":36: the direction of *TEMPERATURE is zero");
  expect_file_error("*CLOAD", "*TEMPERATURE, LINTEMP\n0, 0, 1, 2, 20, 2, 30\n*CLOAD",
                    ":36: the two places of *TEMPERATURE are one");
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
  expect_not_linear_static<UnsupportedError>(
      "2, 5, 6, 7, 8, 11, 12, 13, 14", "2, 5, 6, 7, 7, 11, 12, 13, 13",
      ": element 2, a hex1, names node 7 twice; collapsed elements are read in meshes (--mesh), as what they "
      "are, and not solved in decks, where their integration differs from that of wedges, pyramids and "
      "tetrahedra");
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

} // namespace io_abaqus_refused_decks
