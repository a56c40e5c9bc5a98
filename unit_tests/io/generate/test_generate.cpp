// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/elements/elements.hpp>
#include <tessera/core/error.hpp>
#include <tessera/io/generate/generate.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace io_generate_generate {

using namespace tessera;
using namespace tessera::io;
using ::testing::ElementsAre;
using ::testing::ThrowsMessage;

/// Elements and nodes of a box of first-order elements.
struct Counts {
  long elements;
  long nodes;
  friend bool operator==(const Counts&, const Counts&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Counts& c) {
    return out << c.elements << " elements, " << c.nodes << " nodes";
  }
};

Counts counts(const std::string& name, Shape shape) {
  const Box box = named_box(name, shape);
  Counts result{shape == Shape::tetrahedron ? 6 : shape == Shape::triangle ? 2 : 1, 1};
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimension_of(shape)); ++d) {
    result.elements *= box.cells[d];
    result.nodes *= box.cells[d] + 1;
  }
  return result;
}

TEST(Generate, PapersTables) {
  // Paper 2, Table 3.
  EXPECT_EQ(counts("cantilever2:1", Shape::hexahedron), (Counts{110592, 120625}));
  EXPECT_EQ(counts("cantilever2:2", Shape::hexahedron), (Counts{262144, 279873}));
  EXPECT_EQ(counts("cantilever2:3", Shape::hexahedron), (Counts{1000000, 1043001}));
  EXPECT_EQ(counts("cantilever2:4", Shape::hexahedron), (Counts{2097152, 2167425}));
  EXPECT_THAT(named_box("cantilever2:4", Shape::hexahedron).lengths, ElementsAre(16.0, 2.0, 2.0));
  // Paper 4, Section 6: the initial mesh, and Table 1's after three subdivisions.
  EXPECT_EQ(counts("regular4:0", Shape::tetrahedron), (Counts{3072, 729}));
  EXPECT_EQ(counts("regular4", Shape::tetrahedron), (Counts{1572864, 274625}));
  EXPECT_EQ(counts("regular4:3", Shape::tetrahedron), (Counts{1572864, 274625}));
  EXPECT_THAT(named_box("regular4", Shape::tetrahedron).lengths, ElementsAre(4.0, 4.0, 4.0));
  // Paper 5, Table 1.
  EXPECT_EQ(counts("cantilever5:C1", Shape::quadrilateral), (Counts{100000, 101101}));
  EXPECT_EQ(counts("cantilever5:C2", Shape::quadrilateral), (Counts{400000, 402201}));
  EXPECT_EQ(counts("cantilever5:C3", Shape::quadrilateral), (Counts{900000, 903301}));
  EXPECT_EQ(counts("cantilever5:C4", Shape::quadrilateral), (Counts{1600000, 1604401}));
  EXPECT_EQ(counts("cantilever5:C5", Shape::quadrilateral), (Counts{2500000, 5011002 / 2}));
}

TEST(Generate, BoxesByName) {
  EXPECT_THAT(named_box("box:7", Shape::hexahedron).cells, ElementsAre(7, 7, 7));
  EXPECT_THAT(named_box("box:4x3x2", Shape::tetrahedron).cells, ElementsAre(4, 3, 2));
  EXPECT_THAT(named_box("box:4x3x2", Shape::tetrahedron).lengths, ElementsAre(1.0, 1.0, 1.0));
  EXPECT_THAT(named_box("box:8x1x1@16x2x2.5", Shape::hexahedron).lengths, ElementsAre(16.0, 2.0, 2.5));
  EXPECT_EQ(named_box("box:8x2@1e-3x4", Shape::triangle).lengths[0], 1e-3);
  const auto mesh = generate<Quad<2>>("box:3x2@3x1");
  EXPECT_EQ(mesh.num_elements(), 6);
  EXPECT_EQ(mesh.num_nodes(), 7 * 5);
  EXPECT_EQ(mesh.node_set("xmax").extent(0), 5u);
  EXPECT_EQ(mesh.side_set("ymin").extent(0), 3u);
}

void expect_refused(const std::string& name, Shape shape, const std::string& why) {
  EXPECT_THAT([&] { named_box(name, shape); },
              ThrowsMessage<ArgumentError>("generate: mesh '" + name + "': " + why +
                                           "; the valid meshes are " + generator_names()));
}

TEST(Generate, UnknownNamesAndSizesAreRefused) {
  expect_refused("", Shape::triangle, "there is no such mesh");
  expect_refused("sphere:3", Shape::triangle, "there is no such mesh");
  for (const char* name : {"box", "box:", "box:x", "box:2x2", "box:2x2x2x2", "box:2,2,2", "box:2.5"})
    expect_refused(name, Shape::hexahedron, "expected one number of cells or 3 of them separated by 'x'");
  expect_refused("box:2x2x2", Shape::quadrilateral,
                 "expected one number of cells or 2 of them separated by 'x'");
  expect_refused("box:0", Shape::hexahedron, "expected a number of cells from 1 to 2147483647");
  expect_refused("box:-3", Shape::hexahedron, "expected a number of cells from 1 to 2147483647");
  expect_refused("box:3000000000", Shape::hexahedron, "expected a number of cells from 1 to 2147483647");
  expect_refused("box:2@3", Shape::hexahedron, "expected 3 lengths separated by 'x' after '@'");
  expect_refused("box:2@1x1xnan", Shape::hexahedron, "expected 3 lengths separated by 'x' after '@'");
  expect_refused("box:2@1x1x0", Shape::hexahedron, "expected positive lengths");
  expect_refused("box:2", Shape::line, "has no line elements");
  expect_refused("cantilever2", Shape::hexahedron, "expected a size from 1 to 4");
  expect_refused("cantilever2:5", Shape::hexahedron, "expected a size from 1 to 4");
  expect_refused("cantilever2:1", Shape::quadrilateral, "has no quad elements");
  expect_refused("regular4:4", Shape::tetrahedron, "expected a size from 0 to 3");
  expect_refused("regular4:1", Shape::hexahedron, "has no hex elements");
  expect_refused("cantilever5:1", Shape::quadrilateral, "expected a size from C1 to C5");
  expect_refused("cantilever5:C6", Shape::quadrilateral, "expected a size from 1 to 5");
  expect_refused("cantilever5:C1", Shape::tetrahedron, "has no tet elements");
}

} // namespace io_generate_generate
