// Truncated copies of the files that VTK reads for this library, and copies of Exodus files with a flipped
// bit (VTK's own readers do not survive those of .vtk and .vtu files): each is refused with an exception of
// the library or read to a mesh that holds together, and nothing crashes.

#include <gtest/gtest.h>

#ifdef TESSERA_HAVE_VTK

#include <tessera/core/elements.hpp>
#include <tessera/core/error.hpp>
#include <tessera/io/box.hpp>
#include <tessera/io/read.hpp>
#include <tessera/io/vtk_writer.hpp>

#include <vtkExodusIIWriter.h>
#include <vtkNew.h>
#include <vtkUnstructuredGrid.h>
#include <vtkUnstructuredGridWriter.h>
#include <vtkXMLUnstructuredGridReader.h>
#include <vtkXMLUnstructuredGridWriter.h>

#include <cmath>
#include <random>
#include <string>
#include <support/files.hpp>

namespace {

using namespace tessera;
using namespace tessera::io;

void expect_whole(const MeshData& data) {
  ASSERT_EQ(data.points.size(), 3 * static_cast<std::size_t>(data.node_ids.size()));
  for (const double x : data.points) ASSERT_TRUE(std::isfinite(x));
  for (const CellBlock& block : data.blocks) {
    ASSERT_EQ(block.nodes.size(),
              static_cast<std::size_t>(block.cells()) * static_cast<std::size_t>(block.type.nodes()));
    for (const Ordinal node : block.nodes) ASSERT_TRUE(node >= 0 && node < data.nodes());
  }
}

class DamagedVtkFiles : public ::testing::Test {
protected:
  void SetUp() override {
    write_vtu(folder_ / "grid.vtu", box_mesh<Tet<2>>({{2, 2, 2}, {1.0, 1.0, 1.0}}));
    reader_->SetFileName((folder_ / "grid.vtu").c_str());
    reader_->Update();
  }

  /// Reads a damaged copy; returns whether it was refused.
  bool read(const std::string& name, const std::string& content) {
    try {
      expect_whole(read_mesh_data(folder_.write(name, content)));
      return false;
    } catch (const Error&) {
      return true;
    }
  }

  /// Every tenth of the file and 50 places more, up to `needed` of it: what is behind a reader may not ask
  /// for.
  void truncate(const std::string& name, const std::string& content, double needed) {
    ASSERT_FALSE(read(name, content)) << "the sound file";
    std::mt19937 random(15);
    for (int i = 0; i < 60; ++i) {
      const std::size_t size =
          i < 10 ? content.size() * static_cast<std::size_t>(i) / 10 : random() % content.size();
      const bool refused = read(name, content.substr(0, size));
      EXPECT_TRUE(refused || static_cast<double>(size) > needed * static_cast<double>(content.size()))
          << size << " of " << content.size() << " bytes";
      if (HasFailure()) FAIL() << "truncation " << i;
    }
  }

  void flip(const std::string& name, const std::string& content) {
    std::mt19937 random(17);
    for (int i = 0; i < 300; ++i) {
      std::string damaged = content;
      char& byte = damaged[random() % damaged.size()];
      byte = static_cast<char>(byte ^ 1 << random() % 8);
      read(name, damaged);
      if (HasFailure()) FAIL() << "flip " << i;
    }
  }

  test::TemporaryFolder folder_;
  vtkNew<vtkXMLUnstructuredGridReader> reader_;
};

TEST_F(DamagedVtkFiles, WrittenHere) { truncate("a.vtu", test::read_file(folder_ / "grid.vtu"), 0.99); }

TEST_F(DamagedVtkFiles, XmlInEveryEncoding) {
  for (const int mode : {vtkXMLWriter::Ascii, vtkXMLWriter::Binary, vtkXMLWriter::Appended}) {
    SCOPED_TRACE(mode);
    vtkNew<vtkXMLUnstructuredGridWriter> writer;
    writer->SetFileName((folder_ / "sound.vtu").c_str());
    writer->SetInputData(reader_->GetOutput());
    writer->SetDataMode(mode);
    ASSERT_EQ(writer->Write(), 1);
    truncate("a.vtu", test::read_file(folder_ / "sound.vtu"), 0.99);
  }
}

TEST_F(DamagedVtkFiles, Legacy) {
  for (const bool binary : {false, true}) {
    SCOPED_TRACE(binary);
    vtkNew<vtkUnstructuredGridWriter> writer;
    writer->SetFileName((folder_ / "sound.vtk").c_str());
    writer->SetInputData(reader_->GetOutput());
    binary ? writer->SetFileTypeToBinary() : writer->SetFileTypeToASCII();
    ASSERT_EQ(writer->Write(), 1);
    truncate("a.vtk", test::read_file(folder_ / "sound.vtk"), 0.99);
  }
}

TEST_F(DamagedVtkFiles, Exodus) {
  vtkNew<vtkExodusIIWriter> writer;
  writer->SetFileName((folder_ / "sound.e").c_str());
  writer->SetInputData(reader_->GetOutput());
  ASSERT_EQ(writer->Write(), 1);
  const std::string sound = test::read_file(folder_ / "sound.e");
  truncate("a.e", sound, 0.99);
  flip("a.e", sound);
}

} // namespace

#else

TEST(DamagedVtkFiles, WrittenHere) { GTEST_SKIP() << "built without VTK"; }

#endif
