// Damaged copies of files of every format: each is refused with an exception of the library or read to a mesh
// that holds together, in bounded memory and time.

#include <tessera/core/error.hpp>
#include <tessera/io/abaqus_deck.hpp>
#include <tessera/io/read.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <malloc.h>
#include <new>
#include <random>
#include <string>
#include <support/files.hpp>
#include <vector>

namespace {

std::atomic<std::size_t> live_bytes{0};
std::atomic<std::size_t> peak_bytes{0};

} // namespace

#ifndef __CUDA_ARCH__ // where nvcc would take these for the device's

// Count what the program holds; over-aligned memory, which the readers do not use, is left alone. Not
// inlined, so that the compiler does not take the pair for a mismatched one.
[[gnu::noinline]] void* operator new(std::size_t size) {
  void* memory = std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  const std::size_t live = live_bytes += ::malloc_usable_size(memory);
  if (live > peak_bytes) peak_bytes = live;
  return memory;
}

[[gnu::noinline]] void operator delete(void* memory) noexcept {
  live_bytes -= ::malloc_usable_size(memory);
  std::free(memory);
}

[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }

#endif

namespace {

using namespace tessera;
using namespace tessera::io;

void expect_whole(const MeshData& data) {
  ASSERT_EQ(data.points.size(), 3 * static_cast<std::size_t>(data.node_ids.size()));
  for (const double x : data.points) ASSERT_TRUE(std::isfinite(x));
  for (const auto& [name, set] : data.node_sets)
    for (const Ordinal node : set) ASSERT_TRUE(node >= 0 && node < data.nodes()) << name;
  for (const CellBlock& block : data.blocks) {
    ASSERT_EQ(block.nodes.size(),
              static_cast<std::size_t>(block.cells()) * static_cast<std::size_t>(block.type.nodes()));
    ASSERT_EQ(block.ids.size(), block.cells());
    for (const Ordinal node : block.nodes) ASSERT_TRUE(node >= 0 && node < data.nodes());
    for (const auto& [name, set] : block.cell_sets)
      for (const CellRange& range : set)
        ASSERT_TRUE(range.first >= 0 && range.count > 0 && range.first + range.count <= block.cells())
            << name;
    for (const auto& [name, set] : block.side_sets)
      for (const Side& side : set)
        ASSERT_TRUE(side.cell >= 0 && side.cell < block.cells() && side.side >= 0 &&
                    side.side < block.type.sides())
            << name;
  }
}

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
      expect_whole(read_mesh_data(path));
      if (path.ends_with(".inp")) {
        const AbaqusDeck deck = read_abaqus_deck(path);
        expect_whole(deck.mesh);
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
    flip(sample);
    overwrite(sample);
    if (sample.content.find('\0') == std::string::npos) change_numbers(sample);
  }

private:
  void truncate(const Sample& sample) {
    for (std::size_t tenth = 0; tenth < 10; ++tenth)
      // A deck cut after its mesh is still a mesh.
      EXPECT_TRUE(read(sample, sample.content.substr(0, sample.content.size() * tenth / 10)) ||
                  sample.name.ends_with(".inp"))
          << tenth << " tenths";
  }

  void flip(const Sample& sample) {
    std::mt19937 random(11);
    for (int i = 0; i < 1000; ++i) {
      std::string content = sample.content;
      char& byte = content[random() % content.size()];
      byte = static_cast<char>(byte ^ 1 << random() % 8);
      read(sample, content);
      if (HasFailure()) FAIL() << "flip " << i;
    }
  }

  /// Puts extreme numbers in the place of four or eight bytes.
  void overwrite(const Sample& sample) {
    std::mt19937 random(12);
    const std::int64_t values[] = {-1,
                                   0,
                                   1,
                                   0x7fffffff,
                                   0x80000000,
                                   0x7fffffffffffffff,
                                   std::int64_t{1} << 40,
                                   std::numeric_limits<std::int64_t>::min()};
    for (int i = 0; i < 500; ++i) {
      std::string content = sample.content;
      const std::size_t length = i % 2 == 0 ? 4 : 8;
      std::memcpy(&content[random() % (content.size() - length)], &values[random() % std::size(values)],
                  length);
      read(sample, content);
      if (HasFailure()) FAIL() << "overwriting " << i;
    }
  }

  /// Puts wrong and huge numbers in the place of numbers of a text, more often near its start.
  void change_numbers(const Sample& sample) {
    std::mt19937 random(13);
    const char* values[] = {"0",
                            "-1",
                            "2147483647",
                            "2147483648",
                            "1000000000",
                            "4294967297",
                            "9223372036854775807",
                            "99999999999999999999999",
                            "1e308",
                            "1e309",
                            "nan",
                            "1.5",
                            ""};
    std::vector<std::pair<std::size_t, std::size_t>> numbers; // first character, length
    const std::string& text = sample.content;
    for (std::size_t i = 0; i < text.size();) {
      std::size_t end = i;
      while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
      if (end > i) numbers.emplace_back(i, end - i);
      i = std::max(end, i + 1);
    }
    for (std::size_t i = 0; i < 600; ++i) {
      const std::size_t among = i % 2 == 0 ? std::min<std::size_t>(numbers.size(), 40) : numbers.size();
      const auto [at, length] = numbers[random() % among];
      std::string content = text;
      content.replace(at, length, values[random() % std::size(values)]);
      read(sample, content);
      if (HasFailure()) FAIL() << "number " << i;
    }
  }

protected:
  test::TemporaryFolder folder_;
};

const std::string deck = R"(*NODE, NSET=ALL
1, 0., 0., 0.
2, 1., 0., 0.
3, 1., 1., 0.
4, 0., 1., 0.
5, 0., 0., 1.
6, 1., 0., 1.
7, 1., 1., 1.
8, 0., 1., 1.
9, .5, .5, 2.
*ELEMENT, TYPE=C3D8, ELSET=E
1, 1, 2, 3, 4, 5,
6, 7, 8
*ELEMENT, TYPE=C3D4, ELSET=T
2, 5, 6, 7, 9
*NSET, NSET=A, GENERATE
1, 9, 2
*ELSET, ELSET=B
E, 2
*SURFACE, NAME=S
E, S1
2, S2
*MATERIAL, NAME=M
*ELASTIC
1., .3
*SOLID SECTION, ELSET=B, MATERIAL=M
*BOUNDARY
A, 1, 3
*STEP
*STATIC
*CLOAD
9, 3, 1.
*DLOAD
T, P4, 2.
B, GRAV, 9.81, 0, 0, -1
*END STEP
)";

const std::string nodes = "4 3 1 1\n0 0 0 0 0 1\n1 1 0 0 0 2\n2 0 1 0 0 1\n3 0 0 1 0 1\n";
const std::string tetrahedra = "1 4 1\n0 0 1 2 3 5\n";
const std::string faces = "1 1\n0 0 1 2 9\n";

TEST_F(DamagedFiles, AbaqusDeck) { damage({"a.inp", deck, {}}); }

TEST_F(DamagedFiles, TetgenNodes) { damage({"a.node", nodes, {{"a.ele", tetrahedra}}}); }

TEST_F(DamagedFiles, TetgenTetrahedra) { damage({"a.ele", tetrahedra, {{"a.node", nodes}}}); }

TEST_F(DamagedFiles, TetgenFaces) {
  // The mesh is asked for by its tetrahedra, the damage is in the faces beside them.
  folder_.write("a.node", nodes);
  const Sample sample{"a.ele", tetrahedra, {}};
  std::mt19937 random(14);
  for (int i = 0; i < 500; ++i) {
    std::string content = faces;
    char& byte = content[random() % content.size()];
    byte = static_cast<char>(byte ^ 1 << random() % 8);
    folder_.write("a.face", content);
    read(sample, tetrahedra);
  }
}

TEST_F(DamagedFiles, GmshInEveryEncoding) {
  if (!test::has_program("gmsh")) GTEST_SKIP() << "gmsh is not installed";
  folder_.write("part.geo",
                "SetFactory(\"OpenCASCADE\");\nBox(1) = {0, 0, 0, 1, 1, 1};\nBox(2) = {1, 0, 0, 1, 1, 1};\n"
                "BooleanFragments{ Volume{1}; Delete; }{ Volume{2}; Delete; }\n"
                "Physical Volume(\"left\") = {1};\nPhysical Volume(\"both\") = {1, 2};\n"
                "Physical Surface(\"wall\") = {1, 2};\nPhysical Point(\"corner\") = {1};\n");
  for (const char* format : {"-format msh22", "-format msh41", "-bin -format msh22", "-bin -format msh41"}) {
    SCOPED_TRACE(format);
    ASSERT_EQ(test::run_in(folder_, std::string("gmsh -3 -clscale 20 part.geo -o part.msh ") + format), 0)
        << test::read_file(folder_ / "log");
    damage({"a.msh", test::read_file(folder_ / "part.msh"), {}});
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

} // namespace
