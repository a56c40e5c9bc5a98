// SPDX-License-Identifier: BSD-3-Clause
// Side sets of Exodus II files with plane elements, whose edges begin at 1 or, behind the faces of shells,
// at 3.

#include <gtest/gtest.h>

#ifdef TESSERA_HAVE_VTK

#include <tessera/core/elements/elements.hpp>
#include <tessera/core/error.hpp>
#include <tessera/io/read_mesh.hpp>
#include <tessera/io/vtk/exodus_reader.hpp>

#include <gmock/gmock.h>
#include <vtk_exodusII.h>

#include <string>
#include <support/files.hpp>
#include <vector>

namespace io_vtk_exodus_sides {

using namespace tessera;
using namespace tessera::io;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

void require(int status) { ASSERT_GE(status, 0) << ex_strerror(status); }

struct Block {
  const char* name;
  int nodes;
  std::vector<int> connectivity;
};

/// Blocks of one element each, on the corners of the unit cube (nodes 1 to 8) and, with 9 as the middle of
/// its bottom, those of the bottom's edges (10 to 13); side set `walls`.
void write(const std::string& path, int dimensions, const std::vector<Block>& blocks,
           const std::vector<int>& elements, const std::vector<int>& sides) {
  const std::vector<double> x{0, 1, 1, 0, 0, 1, 1, 0, .5, .5, 1, .5, 0},
      y{0, 0, 1, 1, 0, 0, 1, 1, .5, 0, .5, 1, .5}, z{0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0};
  int double_bytes = 8, stored_bytes = 8;
  const int file = ex_create(path.c_str(), EX_CLOBBER, &double_bytes, &stored_bytes);
  require(file);
  const auto count = static_cast<int>(blocks.size());
  require(ex_put_init(file, "sides", dimensions, 13, count, count, 0, 1));
  require(ex_put_coord(file, x.data(), y.data(), z.data()));
  for (int b = 0; b < count; ++b) {
    const Block& block = blocks[static_cast<std::size_t>(b)];
    require(ex_put_block(file, EX_ELEM_BLOCK, b + 1, block.name, 1, block.nodes, 0, 0, 0));
    require(ex_put_conn(file, EX_ELEM_BLOCK, b + 1, block.connectivity.data(), nullptr, nullptr));
  }
  require(ex_put_set_param(file, EX_SIDE_SET, 5, static_cast<int>(elements.size()), 0));
  require(ex_put_set(file, EX_SIDE_SET, 5, elements.data(), sides.data()));
  require(ex_put_name(file, EX_SIDE_SET, 5, "walls"));
  require(ex_close(file));
}

const Block shell4{"SHELL4", 4, {1, 2, 3, 4}}, quad4{"QUAD4", 4, {1, 2, 3, 4}}, tri3{"TRI3", 3, {1, 2, 3}},
    shell9{"SHELL9", 9, {1, 2, 3, 4, 10, 11, 12, 13, 9}}, trishell3{"TRISHELL3", 3, {1, 2, 3}},
    hex8{"hex8", 8, {1, 2, 3, 4, 5, 6, 7, 8}};

/// The set `walls` of the only cell that has it.
std::vector<Side> walls(const MeshData& data) {
  std::vector<Side> found;
  for (const CellBlock& block : data.blocks)
    if (const auto set = block.side_sets.find("walls"); set != block.side_sets.end()) {
      EXPECT_THAT(found, IsEmpty());
      found = set->second;
    }
  return found;
}

TEST(ExodusSides, EdgesOfShellsBeginAtThree) {
  const test::TemporaryFolder folder;
  const std::string path = folder / "a.e";
  for (const int dimensions : {2, 3})
    for (const Block& shell : {shell4, shell9}) {
      write(path, dimensions, {shell}, {1, 1}, {3, 6});
      EXPECT_THAT(walls(read_exodus(path)), ElementsAre(Side{0, 0}, Side{0, 3})) << shell.name << dimensions;
    }
  write(path, 3, {tri3}, {1, 1}, {3, 5});
  EXPECT_THAT(walls(read_exodus(path)), ElementsAre(Side{0, 0}, Side{0, 2}));
  for (const Block& plane : {quad4, tri3}) {
    write(path, 2, {plane}, {1, 1}, {1, 3});
    EXPECT_THAT(walls(read_exodus(path)), ElementsAre(Side{0, 0}, Side{0, 2})) << plane.name;
  }
}

// Programs differ, so that only a number that no edge can have from 1 on says which it is.
TEST(ExodusSides, NumbersThatProgramsReadDifferently) {
  const test::TemporaryFolder folder;
  const std::string path = folder / "a.e";
  write(path, 3, {quad4}, {1, 1}, {3, 6});
  EXPECT_THAT(walls(read_exodus(path)), ElementsAre(Side{0, 0}, Side{0, 3}));
  write(path, 2, {trishell3}, {1, 1}, {4, 5});
  EXPECT_THAT(walls(read_exodus(path)), ElementsAre(Side{0, 1}, Side{0, 2}));
  for (const auto& [dimensions, block] : {std::pair(3, quad4), std::pair(2, trishell3)}) {
    write(path, dimensions, {block}, {1}, {3});
    EXPECT_THAT([&] { read_exodus(path); },
                ThrowsMessage<FileError>(HasSubstr(
                    "side set 'walls' has side 3 of a " + std::string(block.nodes == 4 ? "quad1" : "tri1") +
                    " element, which some programs take for an edge and others, that count its two faces "
                    "first, for another one or a face; call the block's elements SHELL")));
    std::vector<std::string> heard;
    const MeshData data = read_exodus(path, {.left_out = [&](const auto& what) { heard.push_back(what); }});
    EXPECT_THAT(walls(data), IsEmpty());
    EXPECT_THAT(heard, ElementsAre(path + ": left out are 1 sides, all of side set 'walls', as some programs "
                                          "take numbers of sides of such elements for edges and others, that "
                                          "count the two faces first, for other edges or faces"));
  }
}

TEST(ExodusSides, FacesOfShellsAreThoseOfSolids) {
  const test::TemporaryFolder folder;
  const std::string path = folder / "a.e";
  for (const int face : {1, 2}) {
    write(path, 3, {hex8, shell4}, {1, 2}, {6, face});
    const MeshData data = read_exodus(path);
    EXPECT_THAT(data.find({Shape::hexahedron, 1})->side_sets.at("walls"),
                ElementsAre(Side{0, 4}, Side{0, 5}));
    EXPECT_EQ((read_mesh<Hex<1>>(path).side_set("walls").extent(0)), 2u);
  }
}

// The elements of a block of a kind that is not known, and sides of theirs, which come first here.
TEST(ExodusSides, OfElementsThatAreLeftOut) {
  const test::TemporaryFolder folder;
  const std::string path = folder / "a.e";
  const Block unknown{"WEDGE", 9, {1, 2, 3, 4, 5, 6, 7, 8, 9}};
  write(path, 3, {unknown, hex8}, {1, 2, 1}, {2, 6, 7});
  EXPECT_THAT([&] { read_exodus(path); }, ThrowsMessage<FileError>(HasSubstr(
                                              "has 1 elements 'WEDGE' of 9 nodes, which are not supported")));
  std::vector<std::string> heard;
  const MeshData data = read_exodus(
      path, {.allow_partial = true, .left_out = [&](const auto& what) { heard.push_back(what); }});
  EXPECT_EQ(data.contents(), "1 hex1 cells");
  EXPECT_THAT(walls(data), ElementsAre(Side{0, 5}));
  EXPECT_THAT(heard, ElementsAre(path + ": left out are 1 elements 'WEDGE' of 9 nodes in block 'block1'",
                                 path + ": left out are 2 sides of side set 'walls'"));
  write(path, 3, {unknown}, {1}, {2});
  EXPECT_THAT([&] { read_exodus(path, {.allow_partial = true}); },
              ThrowsMessage<FileError>(path + ": has no elements but 1 elements 'WEDGE' of 9 nodes in block "
                                              "'block1', which are not supported"));
}

// Which neighbour has it depends on the way round that the neighbours' nodes go.
TEST(ExodusSides, AFaceBetweenSolidsLiesBehindItsShellWhereOneIsTurned) {
  const test::TemporaryFolder folder;
  const std::string path = folder / "a.e";
  const Block first{"TETRA4", 4, {1, 2, 3, 6}}, second{"TETRA4", 4, {1, 3, 8, 6}},
      turned{"TETRA4", 4, {3, 1, 8, 6}}, shell{"TRISHELL3", 3, {1, 3, 6}};
  for (const int face : {1, 2})
    for (const Block& other : {second, turned}) {
      write(path, 3, {first, other, shell}, {3}, {face});
      const std::vector<Side> found = walls(read_exodus(path, {.turned = [](const std::string&) {}}));
      ASSERT_EQ(found.size(), 1U);
      EXPECT_EQ(found.front().cell, face == 1 ? 1 : 0);
    }
}

TEST(ExodusSides, FacesOfShellsOnNoSolidAreRefusedUnlessAllowed) {
  const test::TemporaryFolder folder;
  const std::string path = folder / "a.e";
  const Block across{"SHELL4", 4, {1, 2, 7, 8}};
  write(path, 3, {hex8, across}, {1, 2}, {6, 1});
  EXPECT_THAT([&] { read_exodus(path); },
              ThrowsMessage<FileError>(path + ": side set 'walls' has 1 faces of shells that are sides of no "
                                              "solid; do without the set by ReadOptions::allow_partial "
                                              "(--allow-partial)"));
  EXPECT_THAT(walls(read_exodus(path, {.allow_partial = true})), IsEmpty());
  std::vector<std::string> heard;
  EXPECT_THAT(walls(read_exodus(path, {.left_out = [&](const auto& what) { heard.push_back(what); }})),
              IsEmpty());
  EXPECT_THAT(heard, ElementsAre(path + ": left out are 2 sides, all of side set 'walls', as 1 are faces of "
                                        "shells and sides of no solid"));
  write(path, 2, {shell4}, {1}, {2});
  EXPECT_THAT([&] { read_exodus(path); },
              ThrowsMessage<FileError>(HasSubstr("has 1 faces of shells that are sides of no solid")));
  for (const int none : {0, 7, -1}) {
    write(path, 2, {shell4}, {1}, {none});
    EXPECT_THAT([&] { read_exodus(path); },
                ThrowsMessage<FileError>(HasSubstr("has side " + std::to_string(none) + " of a quad1")));
  }
}

} // namespace io_vtk_exodus_sides

#else

TEST(ExodusSides, EdgesOfShellsBeginAtThree) { GTEST_SKIP() << "built without VTK"; }

#endif
