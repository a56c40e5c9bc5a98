// SPDX-License-Identifier: BSD-3-Clause
// Damaged copies of files of every format: each is refused with an exception of the library or read to a mesh
// that holds together, in bounded memory and time.

#include <tessera/core/error.hpp>
#include <tessera/io/abaqus/deck.hpp>
#include <tessera/io/read.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <malloc.h>
#include <new>
#include <random>
#include <string>
#include <support/damage.hpp>
#include <support/files.hpp>
#include <support/meshes/mesh_samples.hpp>
#include <support/meshes/whole_mesh.hpp>
#include <vector>

namespace io_damaged_files {

std::atomic<std::size_t> live_bytes{0};
std::atomic<std::size_t> peak_bytes{0};

} // namespace io_damaged_files

#ifndef __CUDA_ARCH__ // where nvcc would take these for the device's

// Count what the program holds; over-aligned memory, which the readers do not use, is left alone. Not
// inlined, so that the compiler does not take the pair for a mismatched one.
[[gnu::noinline]] void* operator new(std::size_t size) {
  void* memory = std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  const std::size_t live = io_damaged_files::live_bytes += ::malloc_usable_size(memory);
  if (live > io_damaged_files::peak_bytes) io_damaged_files::peak_bytes = live;
  return memory;
}

[[gnu::noinline]] void operator delete(void* memory) noexcept {
  io_damaged_files::live_bytes -= ::malloc_usable_size(memory);
  std::free(memory);
}

[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }

#endif

namespace io_damaged_files {

using namespace tessera;
using namespace tessera::io;

/// A file to damage, with the others that it needs beside it.
struct Sample {
  std::string name;
  std::string content;
  std::vector<std::pair<std::string, std::string>> others;
};

class DamagedFiles : public ::testing::Test {
protected:
  /// Reads a damaged copy; returns whether it was refused.
  bool read(const Sample& sample, const std::string& content) {
    const std::string path = folder_.write(sample.name, content);
    const std::size_t before = live_bytes;
    peak_bytes = before;
    const auto start = std::chrono::steady_clock::now();
    bool refused = false;
    try {
      EXPECT_EQ(test::flaw_of(read_mesh_data(path)), "");
      if (path.ends_with(".inp")) {
        EXPECT_EQ(test::flaw_of(read_abaqus_deck(path).mesh), "");
      }
    } catch (const Error&) {
      refused = true;
    }
    EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), 10.0);
    // The buffer of a reader, a mesh of the file's size, and what it takes to find sides and numbers.
    EXPECT_LT(peak_bytes - before, (std::size_t{4} << 20) + 64 * content.size());
    return refused;
  }

  void damage(const Sample& sample) {
    SCOPED_TRACE(sample.name);
    for (const auto& [name, content] : sample.others) folder_.write(name, content);
    ASSERT_FALSE(read(sample, sample.content)) << "the sound file";
    truncate(sample);
    read_copies(sample, test::flipped, 1000);
    read_copies(sample, test::overwritten, 500);
    if (sample.content.find('\0') == std::string::npos) read_copies(sample, test::with_another_number, 600);
  }

private:
  /// Every tenth, and 60 places more. A deck cut between two lines before its step is the mesh so far, also
  /// without the end of the last line where that is whole by its own count.
  void truncate(const Sample& sample) {
    std::mt19937 random(12);
    const std::size_t step = sample.name.ends_with(".inp") ? sample.content.find("*STEP") : 0;
    for (std::size_t i = 0; i < 70; ++i) {
      const std::size_t size =
          i < 10 ? sample.content.size() * i / 10 : random() % (sample.content.size() - 16);
      const std::string cut = sample.content.substr(0, size);
      EXPECT_TRUE(read(sample, cut) ||
                  (size <= step && (cut.ends_with('\n') || sample.content[size] == '\n')))
          << cut.substr(size - std::min<std::size_t>(size, 99));
    }
  }

  /// Reads so many copies that are damaged in a way of <support/damage.hpp>.
  void read_copies(const Sample& sample, std::string (*damaged)(std::string, std::mt19937&), int copies) {
    std::mt19937 random(11);
    for (int i = 0; i < copies; ++i) {
      read(sample, damaged(sample.content, random));
      if (HasFailure()) FAIL() << "copy " << i;
    }
  }

protected:
  test::TemporaryFolder folder_;
};

TEST_F(DamagedFiles, AbaqusDeck) { damage({"a.inp", test::abaqus_sample, {}}); }

TEST_F(DamagedFiles, AbaqusParts) { damage({"a.inp", test::abaqus_parts_sample, {}}); }

TEST_F(DamagedFiles, AbaqusGenerated) { damage({"a.inp", test::abaqus_generated_sample, {}}); }

TEST_F(DamagedFiles, Ucd) { damage({"a.ucd", test::ucd_sample, {}}); }

TEST_F(DamagedFiles, TetgenNodes) {
  damage({"a.node", test::tetgen_nodes, {{"a.ele", test::tetgen_tetrahedra}}});
}

TEST_F(DamagedFiles, TetgenTetrahedra) {
  damage({"a.ele", test::tetgen_tetrahedra, {{"a.node", test::tetgen_nodes}}});
}

TEST_F(DamagedFiles, TetgenFaces) {
  // The mesh is asked for by its tetrahedra, the damage is in the faces beside them.
  folder_.write("a.node", test::tetgen_nodes);
  const Sample sample{"a.ele", test::tetgen_tetrahedra, {}};
  std::mt19937 random(14);
  for (int i = 0; i < 500; ++i) {
    folder_.write("a.face", test::flipped(test::tetgen_faces, random));
    read(sample, sample.content);
  }
}

TEST_F(DamagedFiles, GmshInEveryEncoding) {
  if (!test::has_program("gmsh")) GTEST_SKIP() << "gmsh is not installed";
  for (const auto& [format, content] : test::gmsh_samples(folder_)) {
    SCOPED_TRACE(format);
    damage({"a.msh", content, {}});
  }
}

TEST_F(DamagedFiles, OtherByteOrder) {
  if (!test::has_program("gmsh")) GTEST_SKIP() << "gmsh is not installed";
  folder_.write("part.geo", "SetFactory(\"OpenCASCADE\");\nBox(1) = {0, 0, 0, 1, 1, 1};\n");
  for (const char* format : {"-bin -format msh22", "-bin -format msh41"}) {
    ASSERT_EQ(test::run_in(folder_, std::string("gmsh -3 -clscale 20 part.geo -o part.msh ") + format), 0);
    std::string content = test::read_file(folder_ / "part.msh");
    // The mark alone turned round: every number that follows is read the wrong way round.
    const std::size_t mark = content.find('\n', content.find(" 1 8")) + 1;
    std::swap(content[mark], content[mark + 3]);
    EXPECT_TRUE(read({"a.msh", content, {}}, content));
  }
}

} // namespace io_damaged_files
