// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/elements/element.hpp>
#include <tessera/core/error.hpp>
#include <tessera/io/mesh_data.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace io_mesh_data {

using namespace tessera;
using namespace tessera::io;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

/// Two triangles and one quadrilateral in a row, and a node 40 that nothing uses; numbers 10, 20, ...
MeshData plate() {
  MeshData data;
  data.source = "plate";
  data.points = {0, 0, 5, 1, 0, 5, 1, 1, 5, 9, 9, 9, 0, 1, 5, 2, 0, 5, 2, 1, 5};
  for (std::int64_t id = 10; id <= 70; id += 10) data.node_ids.append(id);
  EXPECT_FALSE(data.node_ids.build_index());
  CellBlock& triangles = data.block({Shape::triangle, 1});
  triangles.nodes = {0, 1, 2, 0, 2, 4};
  triangles.material = {1, 2};
  triangles.ids.append_range(1, 2);
  triangles.side_sets["left"] = {{1, 2}};
  CellBlock& quads = data.block({Shape::quadrilateral, 1});
  quads.nodes = {1, 5, 6, 2};
  quads.material = {3};
  quads.ids.append(3);
  data.node_sets["left"] = {0, 4};
  data.node_sets["right"] = {5, 6};
  data.node_sets["all"] = {0, 1, 2, 3, 4, 5, 6};
  return data;
}

TEST(CellSet, MergesRanges) {
  CellSet set;
  append(set, {5, 2});
  append(set, {7, 1});
  append(set, {0, 2});
  append(set, {4, 0});
  append(set, {1, 3});
  EXPECT_THAT(set, ElementsAre(CellRange{5, 3}, CellRange{0, 2}, CellRange{1, 3}));
  normalize(set);
  EXPECT_THAT(set, ElementsAre(CellRange{0, 4}, CellRange{5, 3}));
  EXPECT_EQ(size(set), 7);
}

TEST(CellType, NamesAndCounts) {
  EXPECT_EQ(cell_type("tet3"), (CellType{Shape::tetrahedron, 3}));
  EXPECT_EQ(cell_type("vertex"), vertex_type);
  EXPECT_EQ(cell_type("tet9"), std::nullopt);
  EXPECT_EQ(vertex_type.dimension(), 0);
  EXPECT_EQ(vertex_type.nodes(), 1);
  EXPECT_EQ((CellType{Shape::hexahedron, 2}).nodes(), 27);
  EXPECT_EQ((CellType{Shape::hexahedron, 2, true}).nodes(), 20);
  for (const CellType& type : cell_types()) {
    EXPECT_EQ(cell_type(type.name()), type);
    for (int side = 0; side < type.sides(); ++side)
      for (const int corner : type.side_corners(side)) EXPECT_LT(corner, type.corners()) << type.name();
  }
  EXPECT_EQ((cell_type_of<Quad<2>>()), (CellType{Shape::quadrilateral, 2}));
  EXPECT_EQ(cell_type_of<Wedge<1>>(), cell_type("wedge1"));
  EXPECT_EQ(cell_type_of<Pyramid<1>>(), cell_type("pyramid1"));
  EXPECT_EQ(cell_type_of<Hex20>(), cell_type("hex20"));
  EXPECT_EQ(cell_type_of<Wedge<2>>(), cell_type("wedge2"));
  EXPECT_EQ(cell_type_of<Wedge15>(), cell_type("wedge15"));
  EXPECT_EQ(cell_type_of<Pyramid13>(), cell_type("pyramid13"));
}

TEST(MeshData, DropsNodesThatTheSelectedCellsDoNotUse) {
  std::vector<Ordinal> renumbered;
  const MeshData data = select(plate(), {Shape::triangle, 1}, true, &renumbered);
  ASSERT_EQ(data.blocks.size(), 1u);
  EXPECT_THAT(data.blocks[0].nodes, ElementsAre(0, 1, 2, 0, 2, 3));
  EXPECT_THAT(data.blocks[0].material, ElementsAre(1, 2));
  EXPECT_THAT(data.blocks[0].side_sets.at("left"), ElementsAre(Side{1, 2}));
  EXPECT_THAT(data.points, ElementsAre(0, 0, 5, 1, 0, 5, 1, 1, 5, 0, 1, 5));
  EXPECT_THAT(data.node_sets.at("left"), ElementsAre(0, 3));
  EXPECT_THAT(data.node_sets.at("right"), IsEmpty());
  EXPECT_THAT(data.node_sets.at("all"), ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(data.node_ids.id(3), 50);
  EXPECT_EQ(data.node_ids.find(50), 3);
  EXPECT_EQ(data.node_ids.find(60), -1);
  EXPECT_THAT(renumbered, ElementsAre(0, 1, 2, -1, 3, -1, -1));
  EXPECT_THAT(coordinates(data, 2), ElementsAre(0, 0, 1, 0, 1, 1, 0, 1));
}

TEST(MeshData, KeepsAllWhereEveryNodeIsUsed) {
  MeshData data = select(plate(), {Shape::triangle, 1}, true);
  const double* points = data.points.data();
  std::vector<Ordinal> renumbered{7};
  data = select(std::move(data), {Shape::triangle, 1}, false, &renumbered);
  EXPECT_EQ(data.points.data(), points) << "copied";
  EXPECT_THAT(renumbered, IsEmpty());
}

TEST(MeshData, MessagesListWhatIsInside) {
  EXPECT_EQ(plate().contents(), "2 tri1 and 1 quad1 cells");
  EXPECT_EQ(MeshData().contents(), "no cells");
  EXPECT_THAT([] { select(plate(), {Shape::tetrahedron, 2}); },
              ThrowsMessage<MeshError>("plate: has no tet2 cells, but 2 tri1 and 1 quad1 cells"));
  EXPECT_THAT([] { single_type(plate()); },
              ThrowsMessage<MeshError>(
                  "plate: has cells of several types (2 tri1 and 1 quad1 cells); ask for the mesh "
                  "of one of them"));
  EXPECT_THAT([] { single_type(MeshData()); }, ThrowsMessage<MeshError>(HasSubstr("but no cells")));
  EXPECT_EQ(single_type(select(plate(), {Shape::quadrilateral, 1}, true)),
            (CellType{Shape::quadrilateral, 1}));
}

TEST(MeshData, NothingIsDroppedInSilence) {
  EXPECT_THAT(
      [] { select(plate(), {Shape::quadrilateral, 1}); },
      ThrowsMessage<MeshError>(
          "plate: a mesh of its quad1 cells alone would lack 2 tri1 cells, 1 sides of side set 'left'; "
          "accept that with ReadOptions::allow_partial (--allow-partial)"));
  MeshData data = plate();
  data.blocks.pop_back();
  CellBlock& edges = data.block({Shape::line, 1}); // sides
  edges.nodes = {0, 4};
  edges.material = {0};
  edges.ids.append(9);
  EXPECT_EQ(select(std::move(data), {Shape::triangle, 1}).contents(), "2 tri1 cells");
}

TEST(MeshData, MaterialsAreThoseOfTheFile) {
  CellBlock block;
  block.material = {7, 7, -2, 7, 30, -2};
  EXPECT_THAT(number_materials(block, {{7, "steel"}, {30, "air"}, {31, "none"}}),
              ElementsAre(MaterialLabel{-2, ""}, MaterialLabel{7, "steel"}, MaterialLabel{30, "air"}));
  EXPECT_THAT(block.material, ElementsAre(1, 1, 0, 1, 2, 0));
  block.material = {0, 0};
  EXPECT_THAT(number_materials(block, {}), IsEmpty());
  EXPECT_THAT(number_materials(block, {{0, "all"}}), ElementsAre(MaterialLabel{0, "all"}));
}

TEST(MeshData, PlaneCellsMustLieInAPlane) {
  MeshData data = plate();
  data.points[3 * 4 + 2] = 5.5;
  EXPECT_THAT(
      [&] { select(std::move(data), {Shape::triangle, 1}, true); },
      ThrowsMessage<MeshError>("plate: tri1 cells must lie in a plane z = constant, but z goes from 5 to 5.5 "
                               "at node 50"));
}

} // namespace io_mesh_data
