// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/elements/elements.hpp>
#include <tessera/core/error.hpp>
#include <tessera/io/generate/box.hpp>
#include <tessera/io/vtk/pieces.hpp>
#include <tessera/io/vtk/writer.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vtkCellData.h>
#include <vtkDataArray.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkUnstructuredGrid.h>
#include <vtkXMLPUnstructuredGridReader.h>

#include "support/files.hpp"
#include <string>
#include <vector>

namespace tessera::test {
namespace io_vtk_pieces {

using Host = Kokkos::DefaultHostExecutionSpace;

/// x, y of each node.
io::Field positions(const Mesh<Tri<1>, Host>& mesh) {
  std::vector<double> values;
  for (Ordinal n = 0; n < mesh.num_nodes(); ++n)
    for (int d = 0; d < 2; ++d) values.push_back(mesh.coordinates()(n, d));
  return {"position <of> a node", std::move(values)};
}

TEST(Pieces, AreReadAsOneMesh) {
  const TemporaryFolder folder;
  const std::string path = folder / "box.pvtu";
  const auto mesh = io::box_mesh<Tri<1>, Host>({{3, 2, 0}, {3.0, 2.0, 0.0}});
  const io::HostArrays arrays(mesh);
  const io::Field field = positions(mesh);
  const std::vector<std::vector<Ordinal>> cells{{0, 1, 2, 5}, {3, 4, 6, 7, 8, 9, 10, 11}};
  const std::vector<int> numbers{0, 3};
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const io::MeshPiece piece(arrays.arrays(), cells[i]);
    const std::vector<io::Field> fields{piece.on_nodes(field)};
    const std::vector<io::Field> by_cell{
        {"rank", std::vector<double>(cells[i].size(), static_cast<double>(i))}};
    io::write_vtu(io::piece_path(path, numbers[i]), piece.arrays(), fields, by_cell);
    io::write_pvtu(path, numbers, piece.arrays(), fields, by_cell);
  }
  vtkNew<vtkXMLPUnstructuredGridReader> reader;
  reader->SetFileName(path.c_str());
  reader->Update();
  vtkUnstructuredGrid* grid = reader->GetOutput();
  ASSERT_EQ(grid->GetNumberOfCells(), 12);
  vtkDataArray* values = grid->GetPointData()->GetArray(field.name.c_str());
  ASSERT_NE(values, nullptr);
  for (vtkIdType n = 0; n < grid->GetNumberOfPoints(); ++n)
    for (int d = 0; d < 3; ++d) EXPECT_EQ(values->GetComponent(n, d), grid->GetPoint(n)[d]);
  EXPECT_EQ(grid->GetCellData()->GetArray("rank")->GetComponent(11, 0), 1.0);
}

TEST(Pieces, SayWhatIsWrong) {
  EXPECT_THAT(
      [] { io::piece_path("box.vtu", 1); },
      ::testing::ThrowsMessage<ArgumentError>("'box.vtu': the name of a mesh in pieces must end in .pvtu"));
  EXPECT_THROW(io::piece_path("folder/.pvtu", 1), ArgumentError);
  const auto mesh = io::box_mesh<Tri<1>, Host>({{1, 1, 0}, {1.0, 1.0, 0.0}});
  const io::HostArrays arrays(mesh);
  const std::vector<Ordinal> cells{0};
  const io::MeshPiece piece(arrays.arrays(), cells);
  EXPECT_THAT([&] { piece.on_nodes({"u", {1, 2, 3}}); },
              ::testing::ThrowsMessage<ArgumentError>(
                  "MeshPiece: the field 'u' has 3 values, not a multiple of the 4 nodes"));
}

} // namespace io_vtk_pieces
} // namespace tessera::test
