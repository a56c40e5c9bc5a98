// SPDX-License-Identifier: BSD-3-Clause
// Damaged copies of the files that VTK reads for this library: truncated, with a flipped bit, with wrong and
// huge counts, in the wrong order of bytes. Each is refused with an exception of the library or read to a
// mesh that holds together; nothing crashes, hangs, or takes memory without bound.

#include <gtest/gtest.h>

#ifdef TESSERA_HAVE_VTK

#include <tessera/core/elements/elements.hpp>
#include <tessera/core/error.hpp>
#include <tessera/io/generate/box.hpp>
#include <tessera/io/read.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <random>
#include <string>
#include <support/damage.hpp>
#include <support/files.hpp>
#include <support/meshes/test_meshes.hpp>
#include <support/meshes/whole_mesh.hpp>
#include <support/vtk_samples.hpp>
#include <sys/resource.h>

namespace io_vtk_damaged_files {

using namespace tessera;
using namespace tessera::io;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

/// The lists of a file are short, so that damage at random places meets all parts of it.
class DamagedVtkFiles : public ::testing::Test {
protected:
  void TearDown() override {
    struct rusage children{};
    ASSERT_EQ(::getrusage(RUSAGE_CHILDREN, &children), 0);
    EXPECT_LT(children.ru_maxrss, 3L << 20) << "KiB that a process which reads may hold";
  }

  /// Reads a damaged copy; the mesh, or nothing if it was refused.
  std::optional<MeshData> read(const std::string& name, const std::string& content) {
    const auto start = std::chrono::steady_clock::now();
    std::optional<MeshData> data;
    try {
      data = read_mesh_data(folder_.write(name, content));
      EXPECT_EQ(test::flaw_of(*data), "");
    } catch (const Error&) {
    }
    EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), 60.0);
    return data;
  }

  /// Every tenth of the file, 50 places more and the last bytes. Without some of these, which close what is
  /// open, a reader may have read everything.
  void truncate(const std::string& name, const std::string& content, const MeshData& sound) {
    std::mt19937 random(15);
    for (std::size_t i = 0; i < 80; ++i) {
      const std::size_t size = i < 10   ? content.size() * i / 10
                               : i < 60 ? random() % content.size()
                                        : content.size() - (i - 59) * 4;
      expect_refused_or_same(name, content, size, sound);
    }
  }

  /// A legacy file without any fields is whole too.
  void expect_refused_or_same(const std::string& name, const std::string& content, std::size_t size,
                              const MeshData& sound) {
    const std::size_t fields = name.ends_with(".vtk") ? content.find("CELL_DATA") : content.size();
    if (size <= fields && size + 1 >= fields) return;
    const std::optional<MeshData> data = read(name, content.substr(0, size));
    EXPECT_TRUE(!data || test::same(*data, sound)) << "the first " << size << " bytes";
  }

  /// Reads so many copies that are damaged in a way of <support/damage.hpp>.
  void read_copies(const std::string& name, const std::string& content,
                   std::string (*damaged)(std::string, std::mt19937&), int copies) {
    std::mt19937 random(17);
    for (int i = 0; i < copies; ++i) {
      read(name, damaged(content, random));
      if (HasFailure()) FAIL() << "copy " << i;
    }
  }

  /// Damages the file `sound` in every way.
  void damage(const std::string& sound) {
    const std::string content = test::read_file(folder_ / sound);
    const std::string name = "damaged" + sound.substr(sound.rfind('.'));
    const std::optional<MeshData> whole = read(name, content);
    ASSERT_TRUE(whole) << "the sound file";
    truncate(name, content, *whole);
    read_copies(name, content, test::flipped, 1000);
    read_copies(name, content, test::overwritten, 100);
    // The text at the start of .vtk and .vtu files holds their counts, whatever follows.
    if (!sound.ends_with(".e")) read_copies(name, content, test::with_another_number, 100);
  }

  test::TemporaryFolder folder_;
  vtkNew<vtkXMLUnstructuredGridReader> reader_ = test::vtk_grid_of(folder_, mesh());

private:
  static Mesh<Tet<2>> mesh() {
    test::HostMesh<Tet<2>, Kokkos::DefaultExecutionSpace> host(
        box_mesh<Tet<2>>({{2, 1, 1}, {1.0, 1.0, 1.0}}));
    for (std::size_t e = 0; e < host.connectivity.extent(0); ++e)
      host.materials.push_back(static_cast<Ordinal>(1 + e % 3));
    return host.mesh();
  }
};

TEST_F(DamagedVtkFiles, WrittenHere) { damage("grid.vtu"); }

TEST_F(DamagedVtkFiles, XmlText) {
  test::write_xml(folder_ / "a.vtu", reader_->GetOutput(), vtkXMLWriter::Ascii);
  damage("a.vtu");
}

TEST_F(DamagedVtkFiles, XmlBinary) {
  test::write_xml(folder_ / "a.vtu", reader_->GetOutput(), vtkXMLWriter::Binary);
  damage("a.vtu");
}

TEST_F(DamagedVtkFiles, XmlAppended) {
  test::write_xml(folder_ / "a.vtu", reader_->GetOutput(), vtkXMLWriter::Appended);
  damage("a.vtu");
}

TEST_F(DamagedVtkFiles, LegacyText) {
  test::write_legacy(folder_ / "a.vtk", reader_->GetOutput(), false);
  damage("a.vtk");
}

TEST_F(DamagedVtkFiles, LegacyBinary) {
  test::write_legacy(folder_ / "a.vtk", reader_->GetOutput(), true);
  damage("a.vtk");
}

TEST_F(DamagedVtkFiles, Exodus) {
  test::write_exodus(folder_ / "a.e", reader_->GetOutput());
  damage("a.e");
}

/// VTK only warns where an array of a legacy file ends too early, and leaves the rest of it as the memory
/// was.
TEST_F(DamagedVtkFiles, LegacyCutInItsFields) {
  for (const bool binary : {false, true}) {
    test::write_legacy(folder_ / "a.vtk", reader_->GetOutput(), binary);
    const std::string content = test::read_file(folder_ / "a.vtk");
    const std::optional<MeshData> sound = read("a.vtk", content);
    ASSERT_TRUE(sound);
    const std::size_t fields = content.find("CELL_DATA");
    ASSERT_NE(fields, std::string::npos);
    for (std::size_t size = fields + 1; size < content.size(); ++size)
      expect_refused_or_same("cut.vtk", content, size, *sound);
  }
}

/// VTK reads so many points and cells as a piece announces, and says nothing of the others in its arrays.
TEST_F(DamagedVtkFiles, XmlWithMoreThanItAnnounces) {
  for (const int mode : {vtkXMLWriter::Ascii, vtkXMLWriter::Binary, vtkXMLWriter::Appended})
    for (const std::string count : {"NumberOfCells=\"", "NumberOfPoints=\""}) {
      test::write_xml(folder_ / "a.vtu", reader_->GetOutput(), mode);
      std::string content = test::read_file(folder_ / "a.vtu");
      const std::size_t number = content.find(count) + count.size();
      const std::size_t end = content.find('"', number);
      const int announced = std::stoi(content.substr(number, end - number)) - 1;
      const std::string path =
          folder_.write("short.vtu", content.replace(number, end - number, std::to_string(announced)));
      EXPECT_THAT(
          [&] { read_mesh_data(path); },
          ThrowsMessage<FileError>(AllOf(StartsWith(path + ": array '"), HasSubstr("has more than the"))))
          << mode << ' ' << count;
    }
}

TEST_F(DamagedVtkFiles, XmlInTheOtherByteOrder) {
  for (const int mode : {vtkXMLWriter::Binary, vtkXMLWriter::Appended}) {
    test::write_xml(folder_ / "a.vtu", reader_->GetOutput(), mode);
    std::string content = test::read_file(folder_ / "a.vtu");
    const std::string order = "LittleEndian", other = "BigEndian";
    ASSERT_NE(content.find(order), std::string::npos);
    EXPECT_FALSE(read("damaged.vtu", content.replace(content.find(order), order.size(), other))) << mode;
  }
}

TEST_F(DamagedVtkFiles, LegacyInTheOtherByteOrder) {
  test::write_legacy(folder_ / "a.vtk", reader_->GetOutput(), true);
  std::string content = test::read_file(folder_ / "a.vtk");
  const std::string head = "CONNECTIVITY vtktypeint64\n";
  const std::size_t list = content.find(head) + head.size();
  ASSERT_GE(list, head.size());
  const auto node =
      content.begin() + static_cast<std::ptrdiff_t>(list) + 8; // the first is 0, the same both ways
  std::reverse(node, node + 8);
  EXPECT_FALSE(read("damaged.vtk", content));
}

} // namespace io_vtk_damaged_files

#else

TEST(DamagedVtkFiles, WrittenHere) { GTEST_SKIP() << "built without VTK"; }

#endif
