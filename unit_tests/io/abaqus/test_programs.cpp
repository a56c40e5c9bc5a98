// SPDX-License-Identifier: BSD-3-Clause
// What programs write that is sound, though unusual: numbers beyond 32 bits, a last line without end, formats
// of other programs under the names of decks, and properties that linear statics has no use for.

#include <tessera/core/error.hpp>
#include <tessera/io/abaqus/deck.hpp>
#include <tessera/io/abaqus/reader.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <support/files.hpp>

namespace io_abaqus_programs {

using namespace tessera;
using namespace tessera::io;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

const std::string nodes = "*NODE\n1,0,0,0\n2,1,0,0\n3,0,1,0\n4,0,0,1\n";

TEST(AbaqusPrograms, NumbersBeyond32Bits) {
  const test::TemporaryFolder folder;
  const MeshData data = read_abaqus(folder.write(
      "a.inp",
      "*NODE\n3000000001,0,0,0\n3000000002,1,0,0\n3000000003,0,1,0\n4611686018427387904,0,0,1\n*ELEMENT, "
      "TYPE=C3D4, ELSET=E\n4000000000000000000,3000000001,3000000002,3000000003,4611686018427387904\n"
      "*NSET, NSET=ALL, GENERATE\n1, 4611686018427387904, 4611686018427387903\n"
      "*NSET, NSET=LOW, GENERATE\n3000000001, 3000000003\n"));
  EXPECT_EQ(data.node_ids.id(3), 4611686018427387904);
  EXPECT_EQ(data.blocks[0].ids.id(0), 4000000000000000000);
  EXPECT_THAT(data.node_sets.at("ALL"), ElementsAre(3));
  EXPECT_THAT(data.node_sets.at("LOW"), ElementsAre(0, 1, 2));
}

TEST(AbaqusPrograms, ByteOrderMarksAndLineEndsOfWindows) {
  const test::TemporaryFolder folder;
  std::string text = "\xef\xbb\xbf" + nodes + "*ELEMENT, TYPE=C3D4\n1,1,2,3,4\n";
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2) text.insert(at, "\r");
  EXPECT_EQ(read_abaqus(folder.write("a.inp", text)).contents(), "1 tet1 cells");
}

// The number of the last node cannot be the beginning of another one's.
TEST(AbaqusPrograms, LastLinesOfElementsNeedNoEnd) {
  const test::TemporaryFolder folder;
  const auto contents = [&](const std::string& text) {
    return read_abaqus(folder.write("a.inp", text)).contents();
  };
  EXPECT_EQ(contents(nodes + "*ELEMENT, TYPE=C3D4\n1,1,2,3,4"), "1 tet1 cells");
  EXPECT_EQ(contents(nodes + "*ELEMENT, TYPE=C3D4\n1,1,2,\n3,4"), "1 tet1 cells");
  for (const char* text :
       {"41,1,1,1\n*ELEMENT, TYPE=C3D4\n1,1,2,3,4", "*ELEMENT, TYPE=C3D4\n1,1,2,3,4\n*NSET, NSET=A\n1",
        "*ELEMENT, TYPE=C3D4\n1,1,2,3,4,7", "*ELEMENT, TYPE=C3D4"})
    EXPECT_THAT([&] { contents(nodes + text); },
                ThrowsMessage<FileError>(HasSubstr("the file ends in the middle of a line")))
        << text;
}

TEST(AbaqusPrograms, FilesOfUcdAreNamed) {
  const test::TemporaryFolder folder;
  const std::string path = folder.write("a.inp", "3 1 0 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n1 1 tri 1 2 3\n");
  const auto refusal =
      ThrowsMessage<FileError>(path + ":1: is a file of AVS UCD and no deck of Abaqus or CalculiX");
  EXPECT_THAT([&] { read_abaqus(path); }, refusal);
  EXPECT_THAT([&] { read_abaqus_deck(path); }, refusal);
}

// Without temperatures and rates these have no effect; with temperatures the deck is refused for these.
TEST(AbaqusPrograms, PropertiesWithoutEffectArePassedOver) {
  const test::TemporaryFolder folder;
  const auto deck = [&](const std::string& properties, const std::string& before = {}) {
    return read_abaqus_deck(folder.write(
        "a.inp", nodes + "*ELEMENT, TYPE=C3D4, ELSET=E\n1,1,2,3,4\n*MATERIAL, NAME=M\n*ELASTIC\n1000,0.3\n" +
                     properties + "*SOLID SECTION, ELSET=E, MATERIAL=M\n" + before +
                     "*STEP\n*STATIC\n*CLOAD\n4,3,1\n*END STEP\n"));
  };
  const std::string all =
      "*EXPANSION, ZERO=20\n1.2e-5\n*CONDUCTIVITY\n50., 20.\n40., 100.\n*SPECIFIC HEAT\n460\n"
      "*DAMPING, ALPHA=1.\n";
  const AbaqusDeck found =
      deck(all, "*PHYSICAL CONSTANTS, ABSOLUTE ZERO=-273.15\n*AMPLITUDE, NAME=A\n0., 0., 1., 1.\n");
  EXPECT_THAT(found.others, IsEmpty());
  EXPECT_NO_THROW(require_linear_static(found));
  const AbaqusDeck pressed = deck(all, "*INITIAL CONDITIONS, TYPE=STRESS\n1, 1, 100., 0.\n");
  EXPECT_THAT(
      [&] { require_linear_static(pressed); },
      ThrowsMessage<UnsupportedError>(HasSubstr("*INITIAL CONDITIONS, TYPE=STRESS is not supported")));
  EXPECT_THAT([&] { deck("*CONDUCTIVITY\nsteel\n"); },
              ThrowsMessage<FileError>(
                  HasSubstr("*CONDUCTIVITY lists numbers, but the line has 'steel'; is a keyword missing?")));
}

} // namespace io_abaqus_programs
