// SPDX-License-Identifier: BSD-3-Clause
// What Gmsh 2 and other programs write beside version 2.2.

#include <tessera/core/elements/elements.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/mesh/side_points.hpp>
#include <tessera/core/mesh/side_sets.hpp>
#include <tessera/io/gmsh/reader.hpp>
#include <tessera/io/read_mesh.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <support/files.hpp>
#include <support/on_host.hpp>
#include <utility>

namespace io_gmsh_versions {

using namespace tessera;
using namespace tessera::io;
using ::testing::ElementsAre;
using ::testing::Pair;
using ::testing::ThrowsMessage;

const std::string plate = R"($MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
1
2 7 "part"
$EndPhysicalNames
$Nodes
4
1 0 0 0
2 1 0 0
3 1 1 0
4 0 1 0
$EndNodes
$Elements
2
1 2 2 7 1 1 2 3
2 2 2 7 1 1 3 4
$EndElements
)";

std::string changed(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

// What Gmsh 2 wrote before version 2.2 differs in the names alone, and programs write the number in many
// ways.
TEST(GmshVersions, Between2And22) {
  const test::TemporaryFolder folder;
  const MeshData expected = read_gmsh(folder.write("a.msh", plate));
  for (const char* version : {"2", "2.0", "2.1", "2.200000", "3", "3.0"}) {
    const MeshData found =
        read_gmsh(folder.write("b.msh", changed(plate, "2.2 0 8", version + std::string(" 0 8"))));
    EXPECT_EQ(found.contents(), expected.contents()) << version;
    EXPECT_EQ(found.node_sets, expected.node_sets) << version;
    EXPECT_EQ(found.material_names, expected.material_names) << version;
  }
  const auto of_four_bytes = read_gmsh(folder.write("b.msh", changed(plate, "2.2 0 8", "2.2 0 4")));
  EXPECT_EQ(of_four_bytes.contents(), expected.contents());
  // What Gmsh itself wrote as version 3 has other nodes and elements.
  const std::string third = folder.write("d.msh", changed(changed(plate, "2.2 0 8", "3 0 8"), "$Nodes",
                                                          "$Entities\n0 0 0 0\n$EndEntities\n$Nodes"));
  EXPECT_THAT([&] { read_gmsh(third); },
              ThrowsMessage<FileError>(third +
                                       ":8: section $Entities of Gmsh's own format 3 is not supported "
                                       "(gmsh -format msh41 -save)"));
  const auto names = [&](const std::string& from, const std::string& to) {
    return read_gmsh(folder.write("c.msh", changed(plate, from, to))).material_names.at(7);
  };
  EXPECT_EQ(names("2 7 \"part\"", "7 \"part\""), "part");
  EXPECT_EQ(names("2 7 \"part\"", "\n 2 7 a part "), "a part");
  EXPECT_EQ(names("2 7 \"part\"", "2 7\"part\""), "part");
  EXPECT_EQ(names("1\n2 7 \"part\"", "2\n2 0 \"of no group\"\n2 7 \"part\""), "part");
  EXPECT_EQ(names("2 7 \"part\"", "7 12"), "12");
  EXPECT_EQ(names("2 7 \"part\"", "2 7 12"), "12");
  EXPECT_EQ(names("$MeshFormat", "$Comments\nof $Nodes\n$EndComments\n$Version\n$EndVersion\n$MeshFormat"),
            "part");
}

/// The plate in version 1, with its left edge as group 5.
const std::string plate1 = R"($NOD
4
1 0 0 0
2 1 0 0
3 1 1 0
4 0 1 0
$ENDNOD
$ELM
3
1 1 5 4 2 4 1
2 2 7 1 3 1 2 3
3 2 7 1 3 1 3 4
$ENDELM
)";

/// The same as version 4.0 orders it: numbers before dimensions, a node's number before its place.
const std::string plate40 = R"($MeshFormat
4 0 8
$EndMeshFormat
$Entities
1 1 1 0
1 0 0 0 0 0 0 0
4 0 0 0 0 1 0 1 5 2 4 -1
1 0 0 0 1 1 0 1 7 0
$EndEntities
$Nodes
2 4
4 1 0 2
4 0 1 0
1 0 0 0
1 2 1 2
2 1 0 0 1 0
3 1 1 0 1 1
$EndNodes
$Elements
2 3
4 1 1 1
1 4 1
1 2 2 2
2 1 2 3
3 1 3 4
$EndElements
)";

TEST(GmshVersions, Versions1And40) {
  const test::TemporaryFolder folder;
  for (const std::string& text : {plate1, plate40, "$Comments\n$NOD\n$EndComments\n" + plate1}) {
    const std::string path = folder.write("a.msh", text);
    const MeshData data = read_gmsh(path);
    EXPECT_EQ(data.contents(), "1 line1 and 2 tri1 cells");
    EXPECT_THAT(data.material_names, ElementsAre(Pair(7, "surface7")));
    const auto mesh = read_mesh<Tri<1>>(path);
    EXPECT_EQ(mesh.num_nodes(), 4);
    for (const auto& [set, x] : {std::pair("curve5", -1.0), std::pair("", 0.0)}) {
      const auto sides = *set == '\0' ? boundary_sides(mesh) : mesh.side_set(set);
      const auto normal = test::on_host(side_points(Kokkos::DefaultExecutionSpace(), mesh, sides).normal);
      double sum = 0;
      for (std::size_t s = 0; s < normal.extent(0); ++s)
        for (std::size_t q = 0; q < normal.extent(1); ++q) sum += normal(s, q, 0);
      EXPECT_NEAR(sum, x, 1e-15);
    }
  }
  const auto refused = [&](const std::string& text, const std::string& message) {
    const std::string path = folder.write("b.msh", text);
    EXPECT_THAT([&] { read_gmsh(path); }, ThrowsMessage<FileError>(path + message));
  };
  refused(changed(plate1, "3 1 2 3", "4 1 2 3"), ":11: element 2 is a tri1 with 4 nodes");
  refused(changed(plate1, "$ENDELM\n", ""), ":13: expected $ENDELM, but found the end of the file");
  refused(plate1 + "$NOD\n", ":14: expected the end of the file, but found '$NOD'");
  refused(changed(plate1, "$ELM", "$ELEMENTS"), ":8: expected $ELM, but found '$ELEMENTS'");
}

} // namespace io_gmsh_versions
