// What Gmsh 2 and other programs write beside version 2.2.

#include <tessera/io/gmsh/reader.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <support/files.hpp>

namespace {

using namespace tessera;
using namespace tessera::io;

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
  for (const char* version : {"2", "2.0", "2.1", "2.200000"}) {
    const MeshData found =
        read_gmsh(folder.write("b.msh", changed(plate, "2.2 0 8", version + std::string(" 0 8"))));
    EXPECT_EQ(found.contents(), expected.contents()) << version;
    EXPECT_EQ(found.node_sets, expected.node_sets) << version;
    EXPECT_EQ(found.material_names, expected.material_names) << version;
  }
  const auto names = [&](const std::string& from, const std::string& to) {
    return read_gmsh(folder.write("c.msh", changed(plate, from, to))).material_names.at(7);
  };
  EXPECT_EQ(names("2 7 \"part\"", "7 \"part\""), "part");
  EXPECT_EQ(names("2 7 \"part\"", "\n 2 7 a part "), "a part");
  EXPECT_EQ(names("2 7 \"part\"", "7 12"), "12");
  EXPECT_EQ(names("2 7 \"part\"", "2 7 12"), "12");
  EXPECT_EQ(names("$MeshFormat", "$Comments\nof $Nodes\n$EndComments\n$Version\n$EndVersion\n$MeshFormat"),
            "part");
}

} // namespace
