// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#ifdef TESSERA_HAVE_VTK

#include <tessera/core/elements/elements.hpp>
#include <tessera/core/error.hpp>
#include <tessera/io/generate/box.hpp>
#include <tessera/io/vtk/writer.hpp>

#include <gmock/gmock.h>
#include <vtkCell.h>
#include <vtkCellData.h>
#include <vtkDataArray.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkUnstructuredGrid.h>
#include <vtkXMLUnstructuredGridReader.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <map>
#include <string>
#include <support/files.hpp>
#include <support/meshes/test_meshes.hpp>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace io_vtk_writer {

using namespace tessera;
using namespace tessera::io;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

std::size_t files_in(const test::TemporaryFolder& folder) {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.path())) ++count;
  return count;
}

template <class Element>
class VtkWriter : public ::testing::Test {};

using Elements =
    ::testing::Types<Tri<1>, Tri<2>, Tri<3>, Tri<4>, Tri<5>, Quad<1>, Quad<2>, Tet<1>, Tet<2>, Tet<3>, Hex<1>,
                     Hex<2>, Quad8, Hex20, Wedge<1>, Pyramid<1>, Wedge<2>, Wedge15, Pyramid13>;
TYPED_TEST_SUITE(VtkWriter, Elements);

// By VTK's own faces, whose normals pictures and filters take.
TYPED_TEST(VtkWriter, FacesPointOutwards) {
  if constexpr (TypeParam::dimension == 3) {
    const test::TemporaryFolder folder;
    write_vtu(folder / "a.vtu", box_mesh<TypeParam>({{1, 1, 1}}));
    vtkNew<vtkXMLUnstructuredGridReader> reader;
    reader->SetFileName((folder / "a.vtu").c_str());
    reader->Update();
    for (vtkIdType e = 0; e < reader->GetOutput()->GetNumberOfCells(); ++e) {
      vtkCell* cell = reader->GetOutput()->GetCell(e);
      std::array<double, 3> middle{};
      for (int n = 0; n < TypeParam::vertices; ++n)
        for (std::size_t d = 0; d < 3; ++d)
          middle[d] += cell->GetPoints()->GetPoint(n)[d] / TypeParam::vertices;
      for (int f = 0; f < cell->GetNumberOfFaces(); ++f) {
        std::array<std::array<double, 3>, 3> x;
        for (std::size_t n = 0; n < 3; ++n)
          cell->GetFace(f)->GetPoints()->GetPoint(static_cast<vtkIdType>(n), x[n].data());
        double volume = 0;
        for (std::size_t d = 0; d < 3; ++d) {
          const auto a = [&](std::size_t k) { return x[1][k % 3] - x[0][k % 3]; };
          const auto b = [&](std::size_t k) { return x[2][k % 3] - x[0][k % 3]; };
          volume += (x[0][d] - middle[d]) * (a(d + 1) * b(d + 2) - a(d + 2) * b(d + 1));
        }
        EXPECT_GT(volume, 0) << "cell " << e << " face " << f;
      }
    }
  }
}

TYPED_TEST(VtkWriter, VtkReadsBackWhatWasWritten) {
  using Element = TypeParam;
  constexpr int dimension = Element::dimension;
  test::HostMesh<Element, Kokkos::DefaultExecutionSpace> host(
      box_mesh<Element>({{3, 2, 2}, {1.5, 1.0, 0.7}}));
  for (std::size_t e = 0; e < host.connectivity.extent(0); ++e)
    host.materials.push_back(static_cast<Ordinal>(e % 3));
  const auto mesh = host.mesh();

  Kokkos::View<double*> scalar("Tessera::Test::scalar", mesh.num_nodes());
  Kokkos::View<float**, Kokkos::LayoutLeft> vector("Tessera::Test::vector", mesh.num_nodes(), dimension);
  for (Ordinal n = 0; n < mesh.num_nodes(); ++n) {
    scalar(n) = 0.1 * n - 1e-200;
    for (int d = 0; d < dimension; ++d) vector(n, d) = static_cast<float>(n) / 3 + static_cast<float>(d);
  }
  std::vector<double> tensor(static_cast<std::size_t>(6 * mesh.num_elements()));
  for (std::size_t i = 0; i < tensor.size(); ++i) tensor[i] = static_cast<double>(i) * 1e100;

  const test::TemporaryFolder folder;
  write_vtu(folder / "a.vtu", mesh, {{"temperature", scalar}, {"displacement", vector}},
            {{"stress", tensor}});
  EXPECT_EQ(files_in(folder), 1u);

  vtkNew<vtkXMLUnstructuredGridReader> reader;
  reader->SetFileName((folder / "a.vtu").c_str());
  reader->Update();
  vtkUnstructuredGrid* grid = reader->GetOutput();
  ASSERT_EQ(grid->GetNumberOfPoints(), mesh.num_nodes());
  ASSERT_EQ(grid->GetNumberOfCells(), mesh.num_elements());
  vtkDataArray* temperature = grid->GetPointData()->GetArray("temperature");
  vtkDataArray* displacement = grid->GetPointData()->GetArray("displacement");
  vtkDataArray* stress = grid->GetCellData()->GetArray("stress");
  vtkDataArray* material = grid->GetCellData()->GetArray("material");
  ASSERT_NE(temperature, nullptr);
  ASSERT_NE(displacement, nullptr);
  ASSERT_NE(stress, nullptr);
  ASSERT_NE(material, nullptr);
  EXPECT_EQ(grid->GetPointData()->GetNumberOfArrays(), 2);
  EXPECT_EQ(grid->GetCellData()->GetNumberOfArrays(), 2);
  ASSERT_EQ(displacement->GetNumberOfComponents(), 3);
  ASSERT_EQ(stress->GetNumberOfComponents(), 6);
  for (Ordinal n = 0; n < mesh.num_nodes(); ++n) {
    ASSERT_EQ(temperature->GetComponent(n, 0), scalar(n));
    for (int d = 0; d < 3; ++d) {
      ASSERT_EQ(grid->GetPoint(n)[d], d < dimension ? mesh.coordinates()(n, d) : 0.0);
      ASSERT_EQ(displacement->GetComponent(n, d), d < dimension ? vector(n, d) : 0.0);
    }
  }
  for (Ordinal e = 0; e < mesh.num_elements(); ++e) {
    vtkCell* cell = grid->GetCell(e);
    ASSERT_EQ(cell->GetNumberOfPoints(), Element::nodes);
    ASSERT_EQ(cell->GetCellDimension(), dimension);
    const auto place = [](int n) { // VTK's linear wedge is turned over
      constexpr int wedge[] = {0, 2, 1, 3, 5, 4};
      return std::is_same_v<Element, Wedge<1>> ? wedge[n % 6] : n;
    };
    for (int n = 0; n < Element::nodes; ++n) ASSERT_EQ(cell->GetPointId(place(n)), mesh.connectivity()(e, n));
    ASSERT_EQ(material->GetComponent(e, 0), e % 3);
    for (int c = 0; c < 6; ++c)
      ASSERT_EQ(stress->GetComponent(e, c), tensor[static_cast<std::size_t>(6 * e + c)]);
    // VTK's own nodes of the cell, in its own coordinates, are where the mesh has them.
    const double* parametric = cell->GetParametricCoords();
    ASSERT_NE(parametric, nullptr);
    std::vector<double> weights(Element::nodes);
    for (int n = 0; n < Element::nodes; ++n) {
      double point[3];
      int sub = 0;
      cell->EvaluateLocation(sub, parametric + 3 * n, point, weights.data());
      for (int d = 0; d < dimension; ++d)
        ASSERT_NEAR(point[d], mesh.coordinates()(mesh.connectivity()(e, place(n)), d), 1e-14);
    }
  }
}

const std::vector<double> square = {0, 0, 1, 0, 1, 1, 0, 1};
const std::vector<Ordinal> two_triangles = {0, 1, 2, 0, 2, 3};
const MeshArrays plate{{Shape::triangle, 1}, 2, square, two_triangles, {}};

TEST(VtkWriterErrors, NoElementsIsAFileToo) {
  const test::TemporaryFolder folder;
  write_vtu(folder / "a.vtu", {{Shape::hexahedron, 2}, 3, {}, {}, {}});
  vtkNew<vtkXMLUnstructuredGridReader> reader;
  reader->SetFileName((folder / "a.vtu").c_str());
  reader->Update();
  EXPECT_EQ(reader->GetOutput()->GetNumberOfCells(), 0);
}

TEST(VtkWriterErrors, ReplacesWhatWasThere) {
  const test::TemporaryFolder folder;
  folder.write("a.vtu", "old");
  write_vtu(folder / "a.vtu", plate);
  EXPECT_THAT(test::read_file(folder / "a.vtu"), StartsWith("<VTKFile"));
  EXPECT_EQ(files_in(folder), 1u);
}

/// VTK itself escapes nothing, and XML that is not well-formed cannot be read by anybody.
TEST(VtkWriterErrors, NamesOfAnyKindLeaveTheFileReadable) {
  const test::TemporaryFolder folder;
  const std::map<std::string, std::string> names = {
      {"<a> & \"b\"", "<a> & \"b\""},
      {"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"},
      {"latin \xe4", "latin ?"},
      {"cut \xe2\x82", "cut ??"},
      {"surrogate \xed\xa0\x80", "surrogate ???"},
      {"tab\tand\x01", "tab?and?"}};
  for (const auto& [name, expected] : names) {
    write_vtu(folder / "a.vtu", plate, {{name, std::vector<double>(4)}});
    vtkNew<vtkXMLUnstructuredGridReader> reader;
    reader->SetFileName((folder / "a.vtu").c_str());
    reader->Update();
    EXPECT_NE(reader->GetOutput()->GetPointData()->GetArray(expected.c_str()), nullptr) << expected;
  }
}

TEST(VtkWriterErrors, WrongSizesAndNames) {
  const test::TemporaryFolder folder;
  const std::string path = folder / "a.vtu";
  const auto refused = [&](const MeshArrays& mesh, std::vector<Field> nodes, std::vector<Field> cells,
                           const std::string& message) {
    EXPECT_THAT([&] { write_vtu(path, mesh, nodes, cells); }, ThrowsMessage<ArgumentError>(message));
  };
  refused(plate, {{"u", std::vector<double>(5)}}, {},
          "write_vtu: node field 'u' has 5 values, not a multiple of the 4 nodes");
  refused(plate, {}, {{"k", std::vector<double>(3)}},
          "write_vtu: cell field 'k' has 3 values, not a multiple of the 2 cells");
  refused(plate, {{"u", std::vector<double>()}}, {},
          "write_vtu: node field 'u' has 0 values, not a multiple of the 4 nodes");
  refused(plate, {{"u", std::vector<double>(4)}, {"u", std::vector<double>(8)}}, {},
          "write_vtu: two node fields are called 'u'");
  const std::vector<Ordinal> out_of_range = {0, 1, 2, 0, 2, 4};
  refused({{Shape::triangle, 1}, 2, square, out_of_range, {}}, {}, {},
          "write_vtu: cell 1 has node 4, but there are 4 nodes");
  refused({{Shape::quadrilateral, 1}, 2, square, two_triangles, {}}, {}, {},
          "write_vtu: a connectivity of 6 entries is not a multiple of the 4 nodes of quad1");
  refused({{Shape::triangle, 1}, 3, square, two_triangles, {}}, {}, {},
          "write_vtu: 8 coordinates are not a multiple of 3");
  const std::vector<Ordinal> one(1);
  refused({{Shape::triangle, 1}, 2, square, two_triangles, one}, {}, {},
          "write_vtu: 1 materials for 2 cells");
  EXPECT_EQ(files_in(folder), 0u);
}

TEST(VtkWriterErrors, UnwritablePlaces) {
  const test::TemporaryFolder folder;
  const std::string nowhere = folder / "none/a.vtu";
  EXPECT_THAT([&] { write_vtu(nowhere, plate); },
              ThrowsMessage<FileError>(nowhere + ": cannot be written: No such file or directory"));
  std::filesystem::create_directory(folder.path() / "taken.vtu");
  const std::string taken = folder / "taken.vtu";
  EXPECT_THAT([&] { write_vtu(taken, plate); },
              ThrowsMessage<FileError>(taken + ": cannot be written: Is a directory"));
  EXPECT_EQ(files_in(folder), 1u);
  if (::geteuid() == 0) return; // who may write everywhere
  ::chmod(folder.path().c_str(), 0500);
  EXPECT_THAT([&] { write_vtu(folder / "a.vtu", plate); },
              ThrowsMessage<FileError>(HasSubstr("Permission denied")));
  ::chmod(folder.path().c_str(), 0700);
}

/// Lets files grow to a size at most, as a full disk does.
class FileSizeLimit {
public:
  explicit FileSizeLimit(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &old_);
    const rlimit limit{bytes, old_.rlim_max};
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &old_);
    std::signal(SIGXFSZ, handler_);
  }

private:
  rlimit old_{};
  void (*handler_)(int) = nullptr;
};

TEST(VtkWriterErrors, FullDisk) {
  const test::TemporaryFolder folder;
  const std::string path = folder.write("a.vtu", "old");
  // Random numbers, which no compression makes small; limits in the first, in a middle and in the last
  // buffer.
  const auto mesh = box_mesh<Hex<1>>({{20, 20, 20}});
  std::vector<double> noise(static_cast<std::size_t>(mesh.num_nodes()));
  std::uint64_t state = 1;
  for (double& x : noise)
    x = static_cast<double>(state = state * 6364136223846793005u + 1442695040888963407u);
  write_vtu(folder / "whole.vtu", mesh, {{"noise", noise}});
  const auto whole = std::filesystem::file_size(folder / "whole.vtu");
  std::filesystem::remove(folder / "whole.vtu");
  for (const std::uintmax_t limit : {std::uintmax_t{0}, std::uintmax_t{100}, whole / 2, whole - 1}) {
    SCOPED_TRACE(limit);
    bool refused = false;
    std::string message;
    {
      const FileSizeLimit full(limit);
      try {
        write_vtu(path, mesh, {{"noise", noise}});
      } catch (const FileError& error) {
        refused = true;
        message = error.what();
      }
    }
    EXPECT_TRUE(refused);
    EXPECT_THAT(message, StartsWith(path + ": cannot be written: "));
    EXPECT_EQ(test::read_file(path), "old");
    EXPECT_EQ(files_in(folder), 1u);
  }
}

} // namespace io_vtk_writer

#else

TEST(VtkWriter, VtkReadsBackWhatWasWritten) { GTEST_SKIP() << "built without VTK"; }

#endif
