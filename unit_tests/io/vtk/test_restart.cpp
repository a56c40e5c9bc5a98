// SPDX-License-Identifier: BSD-3-Clause
// Fields and sets that write_vtu writes come back; files that VTK warns of without need.

#include <gtest/gtest.h>

#ifdef TESSERA_HAVE_VTK

#include <tessera/core/elements/elements.hpp>
#include <tessera/core/error.hpp>
#include <tessera/io/generate/box.hpp>
#include <tessera/io/read_mesh.hpp>
#include <tessera/io/vtk/reader.hpp>
#include <tessera/io/vtk/writer.hpp>

#include <gmock/gmock.h>

#include <string>
#include <support/files.hpp>
#include <support/meshes/test_meshes.hpp>
#include <support/on_host.hpp>
#include <vector>

namespace io_vtk_restart {

using namespace tessera;
using namespace tessera::io;
using test::on_host;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

template <class Set>
std::vector<Ordinal> entries(const Set& set) {
  const auto host = on_host(set);
  std::vector<Ordinal> list;
  for (std::size_t i = 0; i < host.extent(0); ++i)
    if constexpr (Set::rank() == 1)
      list.push_back(host(i));
    else
      for (std::size_t j = 0; j < host.extent(1); ++j) list.push_back(host(i, j));
  return list;
}

template <class Element>
class Restart : public ::testing::Test {};
using Elements = ::testing::Types<Tri<2>, Quad<1>, Tet<1>, Hex<2>>;
TYPED_TEST_SUITE(Restart, Elements);

TYPED_TEST(Restart, FieldsAndSetsComeBack) {
  auto mesh = test::distorted_box<TypeParam, Kokkos::DefaultExecutionSpace>({{3, 2, 2}});
  using MeshType = decltype(mesh);
  const typename MeshType::NodeSet two("Tessera::Test::two", 2);
  two(0) = 5;
  two(1) = 2;
  mesh.add_node_set("two \"<nodes>\"", two); // looks like a number and a dimension
  mesh.add_node_set("none", typename MeshType::NodeSet("Tessera::Test::none", 0));
  mesh.add_side_set("no sides", typename MeshType::SideSet("Tessera::Test::none", 0));
  mesh.add_side_set("wall", boundary_sides(mesh));
  std::vector<double> u, stress, heat;
  for (Ordinal n = 0; n < mesh.num_nodes(); ++n) {
    heat.push_back(1.0 / (n + 1));
    for (int d = 0; d < TypeParam::dimension; ++d) u.push_back(0.1 * n - d / 3.0);
  }
  for (Ordinal e = 0; e < mesh.num_elements(); ++e)
    for (int c = 0; c < 6; ++c) stress.push_back(e + 0.1 * c);
  const test::TemporaryFolder folder;
  write_vtu(folder / "a.vtu", mesh, {{"u", u}, {"heat", heat}}, {{"stress", stress}});

  const MeshData data = read_mesh_data(folder / "a.vtu");
  EXPECT_EQ(find_field(data.node_fields, "u").values, u);
  EXPECT_EQ(find_field(data.node_fields, "heat").values, heat);
  ASSERT_EQ(data.blocks.size(), 1u);
  ASSERT_EQ(data.blocks[0].fields.size(), 1u) << "materials are no field";
  EXPECT_EQ(find_field(data.blocks[0].fields, "stress").values, stress);
  EXPECT_THAT([&] { find_field(data.node_fields, "v"); },
              ThrowsMessage<ArgumentError>("there is no field 'v'; there are u, heat"));
  EXPECT_THAT([&] { find_field({}, "v"); },
              ThrowsMessage<ArgumentError>("there is no field 'v'; there are none"));

  const auto found = to_mesh<TypeParam>(data);
  EXPECT_EQ(entries(found.node_set("two \"<nodes>\"")), (std::vector<Ordinal>{2, 5}));
  EXPECT_EQ(entries(found.node_set("none")), std::vector<Ordinal>());
  EXPECT_EQ(entries(found.side_set("no sides")), std::vector<Ordinal>());
  EXPECT_EQ(entries(found.side_set("wall")), entries(mesh.side_set("wall")));
  EXPECT_EQ(found.node_sets().size(), 2u);
  EXPECT_EQ(found.side_sets().size(), 2u);
  EXPECT_EQ(found.material_labels().size(), 2u);
}

TEST(Restart, FieldsGoWithTheNodesThatAreUsed) {
  const test::TemporaryFolder folder;
  const std::vector<double> points{0, 0, 9, 9, 1, 0, 0, 1}, u{1, 2, 3, 4, 5, 6, 7, 8};
  const std::vector<Ordinal> triangle{0, 2, 3};
  write_vtu(folder / "a.vtu", {{Shape::triangle, 1}, 2, points, triangle, {}}, {{"u", u}});
  const MeshData data = select(read_vtu(folder / "a.vtu"), {Shape::triangle, 1});
  EXPECT_THAT(find_field(data.node_fields, "u").values, ElementsAre(1, 2, 5, 6, 7, 8));
}

/// A tetrahedron in VTK's XML format, with something in its point data, on its points and among the file's
/// arrays.
std::string xml(const std::string& point_data, const std::string& key, const std::string& arrays) {
  return "<VTKFile type=\"UnstructuredGrid\" version=\"0.1\" "
         "byte_order=\"LittleEndian\"><UnstructuredGrid><FieldData>" +
         arrays + "</FieldData><Piece NumberOfPoints=\"4\" NumberOfCells=\"1\"><PointData>" + point_data +
         "</PointData><Points><DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">0 0 0 1 "
         "0 "
         "0 0 1 0 0 0 1" +
         key +
         "</DataArray></Points><Cells><DataArray type=\"Int64\" Name=\"connectivity\" "
         "format=\"ascii\">0 1 2 3</DataArray><DataArray type=\"Int64\" Name=\"offsets\" "
         "format=\"ascii\">4</DataArray>"
         "<DataArray type=\"UInt8\" Name=\"types\" "
         "format=\"ascii\">10</DataArray></Cells></Piece></UnstructuredGrid></VTKFile>";
}

TEST(VtkWarnings, ThatLeaveTheMeshWholePass) {
  const test::TemporaryFolder folder;
  const auto contents = [&](const std::string& name, const std::string& text) {
    return read_mesh_data(folder.write(name, text)).contents();
  };
  const std::string u = "<DataArray type=\"Float64\" Name=\"u\" format=\"ascii\">1 2 3 4</DataArray>";
  EXPECT_EQ(contents("twice.vtu", xml(u + u, "", "")), "1 tet1 cells");
  EXPECT_EQ(
      contents("key.vtu", xml(u,
                              "<InformationKey name=\"KIND\" location=\"vtkNobody\" length=\"1\"><Value "
                              "index=\"0\">1</Value></InformationKey>",
                              "")),
      "1 tet1 cells");
  EXPECT_THAT(
      [&] {
        contents("short.vtu",
                 xml("<DataArray type=\"Float64\" Name=\"u\" format=\"ascii\">1 2</DataArray>", "", ""));
      },
      ThrowsMessage<FileError>(HasSubstr("VTK cannot read it")));
}

TEST(VtkSets, ThatNameWhatIsNotThereAreRefused) {
  const test::TemporaryFolder folder;
  const auto set = [](const std::string& name, int components, const std::string& values, int tuples) {
    return "<DataArray type=\"Int32\" Name=\"" + name + "\" NumberOfComponents=\"" +
           std::to_string(components) + "\" NumberOfTuples=\"" + std::to_string(tuples) +
           "\" format=\"ascii\">" + values + "</DataArray>";
  };
  const auto read = [&](const std::string& arrays) {
    return read_vtu(folder.write("a.vtu", xml("", "", arrays)));
  };
  const MeshData data = read(set("node_set:a", 1, "3 1 3", 3) + set("side_set:b", 2, "0 3 0 1", 2));
  EXPECT_THAT(data.node_sets.at("a"), ElementsAre(1, 3));
  EXPECT_THAT(data.blocks[0].side_sets.at("b"), ElementsAre(Side{0, 1}, Side{0, 3}));
  for (const std::string& arrays :
       {set("node_set:a", 1, "0 4", 2), set("node_set:a", 1, "-1", 1), set("side_set:a", 2, "0 4", 1),
        set("side_set:a", 2, "1 0", 1), set("side_set:a", 1, "0 1", 2)})
    EXPECT_THAT([&] { read(arrays); }, ThrowsMessage<FileError>(HasSubstr(
                                           "_set:a' does not name nodes or sides of cells in entry ")))
        << arrays;
}

const std::string legacy =
    "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 double\n0 0 0 1 0 0 0 1 0 "
    "0 0 1\nCELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10";

TEST(LegacyEnd, WholeFilesNeedNoLastLineEnd) {
  const test::TemporaryFolder folder;
  const auto contents = [&](const std::string& name, const std::string& text) {
    return read_mesh_data(folder.write(name, text)).contents();
  };
  EXPECT_EQ(contents("a.vtk", legacy), "1 tet1 cells");
  EXPECT_EQ(contents("a.vtu", legacy), "1 tet1 cells") << "by its first line";
  EXPECT_EQ(contents("b.vtk", legacy + "\nCELL_DATA 1\nFIELD FieldData 0\n"), "1 tet1 cells");
  EXPECT_EQ(contents("c.vtk", legacy + "\nCELL_DATA 1\nFIELD FieldData 0 \r\n"), "1 tet1 cells");
  const std::string materials = "\nCELL_DATA 1\nSCALARS material int 1\nLOOKUP_TABLE default\n7";
  EXPECT_THAT([&] { contents("d.vtk", legacy + materials); },
              ThrowsMessage<FileError>(HasSubstr("ends in the middle of a line")));
  EXPECT_THAT([&] { contents("e.vtk", legacy + "\nCELL_DATA 1\nFIELD FieldData 10\n"); },
              ::testing::Throws<FileError>());
  EXPECT_THAT([&] { contents("f.vtk", legacy.substr(0, legacy.size() - 1)); },
              ::testing::Throws<FileError>());
}

} // namespace io_vtk_restart

#else

TEST(Restart, FieldsAndSetsComeBack) { GTEST_SKIP() << "built without VTK"; }

#endif
