// SPDX-License-Identifier: BSD-3-Clause
// What ReadOptions::allow_partial and leaves_out_others leave out of files, with what their sets lose, and
// what is said of it.

#include <tessera/core/elements/elements.hpp>
#include <tessera/core/error.hpp>
#include <tessera/io/abaqus/reader.hpp>
#include <tessera/io/gmsh/reader.hpp>
#include <tessera/io/read_mesh.hpp>
#include <tessera/io/tetgen/reader.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <support/files.hpp>
#include <support/on_host.hpp>
#include <vector>

namespace io_left_out {

using namespace tessera;
using namespace tessera::io;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

/// Options that keep what is said.
struct Heard {
  std::vector<std::string> sentences;
  ReadOptions options{.allow_partial = true,
                      .left_out = [this](const std::string& what) { sentences.push_back(what); }};

  Heard() = default;
  Heard(const Heard&) = delete;
  Heard& operator=(const Heard&) = delete;
};

const std::string nodes = "1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 0 0 1\n6 1 0 1\n7 1 1 1\n8 0 1 1\n";

// Two triangles of 9 nodes, which are not known, around a tetrahedron.
TEST(LeftOut, GmshElementsOfUnknownTypesInEachVersion) {
  const test::TemporaryFolder folder;
  const std::string two =
      "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n8\n" + nodes +
      "$EndNodes\n$Elements\n3\n1 20 2 3 1 1 2 3 4 5 6 7 8 1\n2 20 2 3 1 1 2 3 4 5 6 7 8 2\n"
      "3 4 2 5 1 1 2 4 5\n$EndElements\n";
  const std::string one = "$NOD\n8\n" + nodes +
                          "$ENDNOD\n$ELM\n3\n1 20 3 1 9 1 2 3 4 5 6 7 8 1\n2 20 3 1 9 1 2 3 4 5 6 7 8 2\n"
                          "3 4 5 1 4 1 2 4 5\n$ENDELM\n";
  std::string numbers, points;
  for (int node = 1; node <= 8; ++node) {
    numbers += std::to_string(node) + "\n";
    points += nodes.substr(static_cast<std::size_t>(8 * (node - 1) + 2), 6);
  }
  const std::string four =
      "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 8 1 8\n3 1 0 8\n" + numbers + points +
      "$EndNodes\n$Elements\n2 3 1 3\n2 1 20 2\n1 1 2 3 4 5 6 7 8 1\n2 1 2 3 4 5 6 7 8 2\n"
      "3 1 4 1\n3 1 2 4 5\n$EndElements\n";
  for (const std::string& text : {one, two, four}) {
    const std::string path = folder.write("a.msh", text);
    Heard heard;
    const MeshData data = read_gmsh(path, heard.options);
    EXPECT_EQ(data.contents(), "1 tet1 cells");
    EXPECT_EQ(data.blocks[0].ids.id(0), 3);
    EXPECT_THAT(heard.sentences,
                ElementsAre(path + ": left out are 2 elements of type 20 (9-node triangle)"));
    EXPECT_THROW(read_gmsh(path), FileError);
  }
  // Of types that are not known at all the length is not known either, and a mesh of nothing is none.
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = two;
    return folder.write("b.msh", text.replace(text.find(from), from.size(), to));
  };
  Heard heard;
  std::string path = with("1 20 2", "1 34 2");
  EXPECT_THAT(
      [&] { read_gmsh(path, heard.options); },
      ThrowsMessage<FileError>(StartsWith(path + ":17: elements of Gmsh's type 34 are not supported")));
  path = with("3 4 2 5 1 1 2 4 5", "3 20 2 5 1 1 2 4 5 6 7 8 3 1");
  EXPECT_THAT([&] { read_gmsh(path, heard.options); },
              ThrowsMessage<FileError>(path +
                                       ": has no elements but 3 elements of type 20 (9-node triangle), "
                                       "which are not supported"));
}

std::string deck(const std::string& more) {
  std::string text = nodes;
  std::replace(text.begin(), text.end(), ' ', ',');
  return "*NODE\n" + text + "*ELEMENT, TYPE=C3D4, ELSET=ALL\n1,1,2,4,5\n" + more;
}

TEST(LeftOut, AbaqusElementsOfUnknownTypesWithTheirSets) {
  const test::TemporaryFolder folder;
  const std::string path =
      folder.write("a.inp", deck("*ELEMENT, TYPE=COH3D8, ELSET=ALL\n2,1,2,3,4,1,2,\n3,4\n3,5,6,7,8,5,6,7,8\n"
                                 "*ELSET, ELSET=SOME\n1,3\n*ELSET, ELSET=GLUE, GENERATE\n2,3\n"
                                 "*SURFACE, NAME=S\nALL,S1\n2,S3\nALL,SPOS\n*NSET, NSET=N\n1,8\n"));
  EXPECT_THAT([&] { read_abaqus(path); },
              ThrowsMessage<FileError>(StartsWith(
                  path + ":12: element type 'COH3D8' (a cohesive layer) is not supported; read are")));
  Heard heard;
  const MeshData data = read_abaqus(path, heard.options);
  EXPECT_EQ(data.contents(), "1 tet1 cells");
  EXPECT_THAT(heard.sentences,
              ElementsAre(path + ": left out are 2 elements of element set 'ALL', 2 elements of element set "
                                 "'GLUE', 1 elements of element set 'SOME', 3 elements of surface 'S', 2 "
                                 "elements of type COH3D8, 1 faces SPOS of elements in surface 'S'"));
  EXPECT_THAT(data.blocks[0].cell_sets.at("SOME"), ElementsAre(CellRange{0, 1}));
  EXPECT_THAT(data.blocks[0].side_sets.at("S"), ElementsAre(Side{0, 3}));
  EXPECT_FALSE(data.blocks[0].cell_sets.contains("GLUE"));
  // What is not there at all is still missed.
  const std::string missing = folder.write("b.inp", deck("*ELSET, ELSET=SOME\n1,3\n"));
  EXPECT_THAT([&] { read_abaqus(missing, heard.options); },
              ThrowsMessage<FileError>(missing +
                                       ":13: element set 'SOME' holds element 3, which the deck does "
                                       "not define"));
  const std::string none = folder.write("c.inp", "*NODE\n1,0,0,0\n*ELEMENT, TYPE=MASS\n1,1\n");
  EXPECT_THAT([&] { read_abaqus(none, heard.options); },
              ThrowsMessage<FileError>(none + ": has no elements but 1 elements of type MASS, which are not "
                                              "supported"));
}

TEST(LeftOut, FacesThatShellsDoNotHave) {
  const test::TemporaryFolder folder;
  const std::string path = folder.write(
      "a.inp", deck("*ELEMENT, TYPE=S3, ELSET=SKIN\n2,1,4,2\n*SURFACE, NAME=S\nALL,S2\nSKIN,S1\n"));
  EXPECT_THROW(read_abaqus(path), FileError);
  Heard heard;
  const MeshData data = read_abaqus(path, heard.options);
  EXPECT_THAT(heard.sentences, ElementsAre(path + ": left out are 1 elements of surface 'S'"));
  EXPECT_THAT(data.find(*cell_type("tet1"))->side_sets.at("S"), ElementsAre(Side{0, 0}));
}

// What is no part of a mesh needs no leave where the caller hears of it; unknown cells and faces do.
TEST(LeftOut, WhatStandsBesideTheCellsOfADeck) {
  const test::TemporaryFolder folder;
  const std::string path = folder.write(
      "a.inp", deck("*SYSTEM\n*ELEMENT, TYPE=S3, ELSET=SKIN\n2,1,4,2\n3,6,7,8\n*ELEMENT, TYPE=SPRINGA, "
                    "ELSET=ALL\n4,1,8\n*ELEMENT, TYPE=D, ELSET=PIPES\n5,0,1,0\n*SURFACE, NAME=S\n"
                    "ALL,S2\nSKIN,S1\nSKIN,SPOS\nSKIN,E1\n*ELSET, ELSET=SOME\n1,5\n"));
  EXPECT_THAT([&] { read_abaqus(path); },
              ThrowsMessage<FileError>(StartsWith(path + ":16: element type 'SPRINGA' (a spring) is not")));
  Heard heard;
  heard.options.allow_partial = false;
  const MeshData data = read_abaqus(path, heard.options);
  EXPECT_EQ(data.contents(), "2 tri1 and 1 tet1 cells");
  EXPECT_THAT(heard.sentences,
              ElementsAre(path + ": left out are 1 elements of element set 'ALL', 1 elements of element set "
                                 "'PIPES', 1 elements of element set 'SOME', 3 elements of surface 'S', 1 "
                                 "elements of type D, 1 elements of type SPRINGA, 1 faces E1 of elements in "
                                 "surface 'S', 1 faces SPOS of elements in surface 'S'",
                          path + ": left out are 2 sides of group 'SKIN', a set of nodes alone, as 1 are "
                                 "sides of no cell"));
  EXPECT_THAT(data.find(*cell_type("tet1"))->side_sets.at("S"), ElementsAre(Side{0, 0}));
  for (const char* more : {"*ELEMENT, TYPE=COH3D8\n2,1,2,3,4,5,6,7,8\n", "*ELEMENT, TYPE=U1\n2,1,2\n",
                           "*SURFACE, NAME=S\nALL,S7\n", "*SURFACE, NAME=S\nALL,S5\n", "*SYSTEM\n0,0,1\n"})
    EXPECT_THROW(read_abaqus(folder.write("b.inp", deck(more)), heard.options), FileError) << more;
}

TEST(LeftOut, SideSetsOfWhichSomeSidesAreOfNoCell) {
  const test::TemporaryFolder folder;
  const std::string gmsh = folder.write(
      "a.msh",
      "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n8\n" + nodes +
          "$EndNodes\n$Elements\n3\n1 2 2 3 1 1 2 4\n2 2 2 3 1 6 7 8\n3 4 2 5 1 1 2 4 5\n$EndElements\n");
  Heard heard;
  const MeshData data = read_gmsh(gmsh, heard.options);
  EXPECT_THAT(heard.sentences,
              ElementsAre(gmsh + ": left out are 2 sides of group 'surface3', a set of nodes alone, as 1 are "
                                 "sides of no cell"));
  EXPECT_FALSE(data.find(*cell_type("tet1"))->side_sets.contains("surface3"));
  EXPECT_THAT(data.node_sets.at("surface3"), ElementsAre(0, 1, 3, 5, 6, 7));

  folder.write("t.node", "5 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n");
  const std::string tetgen = folder.write("t.ele", "1 4 0\n1 1 2 3 4\n");
  const std::string faces = folder.write("t.face", "2 1\n1 1 2 3 8\n2 2 3 5 8\n");
  EXPECT_THAT([&] { read_tetgen(tetgen); },
              ThrowsMessage<FileError>(faces + ": 1 faces with marker 8 are faces of no tetrahedron"));
  heard.sentences.clear();
  const MeshData tets = read_tetgen(tetgen, heard.options);
  EXPECT_THAT(heard.sentences,
              ElementsAre(tetgen + ": left out are 2 faces of side set 'marker8', a set of nodes alone, as 1 "
                                   "faces with marker 8 are faces of no tetrahedron"));
  EXPECT_THAT(tets.blocks[0].side_sets, IsEmpty());
  EXPECT_THAT(tets.node_sets.at("marker8"), ElementsAre(0, 1, 2, 4));
}

TEST(LeftOut, CellsOfTypesThatAreNotAskedForWithWhatSetsLose) {
  const test::TemporaryFolder folder;
  const std::string path =
      folder.write("a.inp", deck("*ELEMENT, TYPE=C3D6, ELSET=ALL\n2,1,2,3,5,6,7\n*NSET, NSET=N\n1,3,5,6\n"
                                 "*SURFACE, NAME=S\n1,S1\n2,S2\n"));
  Heard heard;
  const auto mesh = read_mesh<Tet<1>>(path, heard.options);
  EXPECT_EQ(mesh.num_elements(), 1);
  EXPECT_THAT(heard.sentences,
              ElementsAre(path +
                          ": left out are 1 wedge1 cells, 1 cells of cell set 'ALL', 1 sides of side set "
                          "'S', 2 nodes of node set 'N'"));
  EXPECT_EQ(test::on_host(mesh.node_set("N")).extent(0), 2u);
  EXPECT_THAT([&] { read_mesh<Tet<1>>(path); },
              ThrowsMessage<MeshError>(path +
                                       ": a mesh of its tet1 cells alone would lack 1 wedge1 cells, 1 cells "
                                       "of cell set 'ALL', 1 sides of side set 'S'; accept that with "
                                       "ReadOptions::allow_partial (--allow-partial)"));
}

} // namespace io_left_out
