// SPDX-License-Identifier: BSD-3-Clause
// Meshes that Gmsh itself writes of its own examples, in every encoding, against a second, plain reading.

#include <tessera/core/elements/element.hpp>
#include <tessera/core/error.hpp>
#include <tessera/io/gmsh/reader.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <support/files.hpp>
#include <vector>

namespace io_gmsh_files {

using namespace tessera;
using namespace tessera::io;

const std::string tutorials = "/usr/share/doc/gmsh-doc/doc/gmsh/tutorials";

struct Example {
  const char* name;
  int dimension;
  int order;
  const char* options;
  const char* contents; ///< what MeshData::contents must say without its numbers
};

std::string title(const ::testing::TestParamInfo<Example>& info) {
  std::string text = std::string(info.param.name) + "_" + std::to_string(info.param.dimension) + "d_order" +
                     std::to_string(info.param.order);
  return *info.param.options == 0 ? text : text + "_" + std::to_string(info.index);
}

/// A mesh as the plain words of Gmsh's text format 2.2 tell it, by the file's own numbers.
struct PlainMesh {
  std::map<long, std::array<double, 3>> nodes;
  std::map<int, std::set<std::multiset<long>>> cells;        ///< by Gmsh's type
  std::map<std::pair<int, int>, std::set<long>> group_nodes; ///< by type and physical tag
  std::map<std::pair<int, int>, std::set<std::multiset<long>>> group_cells;
};

PlainMesh read_plainly(const std::string& path) {
  PlainMesh mesh;
  std::ifstream file(path);
  std::string line;
  std::size_t count = 0;
  while (std::getline(file, line) && line != "$Nodes") {
  }
  file >> count;
  for (std::size_t i = 0; i < count; ++i) {
    long id = 0;
    file >> id;
    for (double& x : mesh.nodes[id]) file >> x;
  }
  while (std::getline(file, line) && line != "$Elements") {
  }
  file >> count;
  std::getline(file, line);
  for (std::size_t i = 0; i < count; ++i) {
    std::getline(file, line);
    std::istringstream words(line);
    long id = 0, tag = 0, node = 0;
    int type = 0, tags = 0, group = 0;
    words >> id >> type >> tags;
    for (int t = 0; t < tags; ++t) {
      words >> tag;
      if (t == 0) group = static_cast<int>(tag);
    }
    std::multiset<long> cell;
    while (words >> node) cell.insert(node);
    mesh.cells[type].insert(cell);
    if (group == 0) continue;
    mesh.group_nodes[{type, group}].insert(cell.begin(), cell.end());
    mesh.group_cells[{type, group}].insert(cell);
  }
  return mesh;
}

std::multiset<long> ids_of_cell(const MeshData& data, const CellBlock& block, Ordinal cell) {
  std::multiset<long> ids;
  const auto nodes = static_cast<std::size_t>(block.type.nodes());
  for (std::size_t n = 0; n < nodes; ++n)
    ids.insert(data.node_ids.id(block.nodes[static_cast<std::size_t>(cell) * nodes + n]));
  return ids;
}

constexpr std::pair<int, CellType> gmsh_numbers[] = {{15, vertex_type},
                                                     {1, {Shape::line, 1}},
                                                     {8, {Shape::line, 2}},
                                                     {26, {Shape::line, 3}},
                                                     {27, {Shape::line, 4}},
                                                     {28, {Shape::line, 5}},
                                                     {2, {Shape::triangle, 1}},
                                                     {9, {Shape::triangle, 2}},
                                                     {21, {Shape::triangle, 3}},
                                                     {23, {Shape::triangle, 4}},
                                                     {25, {Shape::triangle, 5}},
                                                     {3, {Shape::quadrilateral, 1}},
                                                     {10, {Shape::quadrilateral, 2}},
                                                     {4, {Shape::tetrahedron, 1}},
                                                     {11, {Shape::tetrahedron, 2}},
                                                     {29, {Shape::tetrahedron, 3}},
                                                     {5, {Shape::hexahedron, 1}},
                                                     {12, {Shape::hexahedron, 2}},
                                                     {16, {Shape::quadrilateral, 2, true}},
                                                     {17, {Shape::hexahedron, 2, true}},
                                                     {6, {Shape::wedge, 1}},
                                                     {13, {Shape::wedge, 2}},
                                                     {18, {Shape::wedge, 2, true}},
                                                     {7, {Shape::pyramid, 1}},
                                                     {19, {Shape::pyramid, 2, true}}};

CellType type_of(int number) {
  for (const auto& [gmsh, type] : gmsh_numbers)
    if (gmsh == number) return type;
  throw std::runtime_error("unknown type " + std::to_string(number));
}

/// Same nodes, same cells, same groups.
void expect_same(const MeshData& data, const PlainMesh& plain) {
  ASSERT_EQ(static_cast<std::size_t>(data.nodes()), plain.nodes.size());
  for (const auto& [id, point] : plain.nodes) {
    const Ordinal node = data.node_ids.find(id);
    ASSERT_GE(node, 0) << "node " << id;
    for (std::size_t d = 0; d < 3; ++d)
      ASSERT_EQ(data.points[3 * static_cast<std::size_t>(node) + d], point[d]) << "node " << id;
  }
  ASSERT_EQ(data.blocks.size(), plain.cells.size()) << data.contents();
  for (const auto& [number, cells] : plain.cells) {
    const CellBlock* block = data.find(type_of(number));
    ASSERT_NE(block, nullptr) << number;
    ASSERT_EQ(static_cast<std::size_t>(block->cells()), cells.size()) << block->type.name();
    for (Ordinal cell = 0; cell < block->cells(); ++cell)
      ASSERT_TRUE(cells.contains(ids_of_cell(data, *block, cell))) << block->type.name() << " " << cell;
  }
  // Names of the groups do not stand in the elements, so they are looked up by what they hold.
  const int dimension = data.dimension();
  for (const auto& [key, nodes] : plain.group_nodes) {
    const CellType type = type_of(key.first);
    if (type.dimension() == dimension) {
      const std::string name = data.material_names.at(key.second);
      const CellBlock& block = *data.find(type);
      const CellSet& set = block.cell_sets.at(name);
      const auto& cells = plain.group_cells.at(key);
      ASSERT_EQ(static_cast<std::size_t>(size(set)), cells.size()) << name;
      for (const CellRange& range : set)
        for (Ordinal cell = range.first; cell < range.first + range.count; ++cell)
          ASSERT_TRUE(cells.contains(ids_of_cell(data, block, cell))) << name;
      continue;
    }
    bool found = false;
    for (const auto& [name, set] : data.node_sets) {
      std::set<long> ids;
      for (const Ordinal node : set) ids.insert(data.node_ids.id(node));
      found = found || ids == nodes;
    }
    EXPECT_TRUE(found) << "group " << key.second << " of " << type.name();
  }
}

/// Every node of every cell lies where the (straight or multilinear) cell through its corners has it.
template <class E, class Linear>
void expect_numbered(const MeshData& data) {
  const CellBlock* block = data.find(cell_type_of<E>());
  if (block == nullptr) return;
  constexpr auto reference = E::node_coordinates();
  double size = 0.0;
  for (const double x : data.points) size = std::max(size, std::abs(x));
  for (std::size_t cell = 0; cell < static_cast<std::size_t>(block->cells()); ++cell) {
    const Ordinal* nodes = block->nodes.data() + cell * E::nodes;
    for (std::size_t n = 0; n < E::nodes; ++n) {
      const auto weights = Linear::values(reference[n]);
      for (std::size_t d = 0; d < 3; ++d) {
        double expected = 0.0;
        for (std::size_t corner = 0; corner < Linear::nodes; ++corner)
          expected += weights[corner] * data.points[3 * static_cast<std::size_t>(nodes[corner]) + d];
        ASSERT_NEAR(data.points[3 * static_cast<std::size_t>(nodes[n]) + d], expected, 1e-6 * size)
            << E::name << " cell " << cell << " node " << n;
      }
    }
  }
}

void expect_numbered_as_vtk(const MeshData& data) {
  expect_numbered<Line<2>, Line<1>>(data);
  expect_numbered<Line<3>, Line<1>>(data);
  expect_numbered<Line<4>, Line<1>>(data);
  expect_numbered<Line<5>, Line<1>>(data);
  expect_numbered<Tri<2>, Tri<1>>(data);
  expect_numbered<Tri<3>, Tri<1>>(data);
  expect_numbered<Tri<4>, Tri<1>>(data);
  expect_numbered<Tri<5>, Tri<1>>(data);
  expect_numbered<Quad<2>, Quad<1>>(data);
  expect_numbered<Tet<2>, Tet<1>>(data);
  expect_numbered<Tet<3>, Tet<1>>(data);
  expect_numbered<Hex<2>, Hex<1>>(data);
  expect_numbered<Wedge<1>, Wedge<1>>(data);
  expect_numbered<Wedge<2>, Wedge<1>>(data);
  expect_numbered<Wedge15, Wedge<1>>(data);
  expect_numbered<Pyramid<1>, Pyramid<1>>(data);
  expect_numbered<Quad8, Quad<1>>(data);
  expect_numbered<Hex20, Hex<1>>(data);
}

/// The corners of every side in a side set are nodes of the node set of the same name.
void expect_sides_on_their_nodes(const MeshData& data) {
  for (const CellBlock& block : data.blocks)
    for (const auto& [name, sides] : block.side_sets) {
      const std::vector<Ordinal>& nodes = data.node_sets.at(name);
      for (const Side& side : sides)
        for (const int corner : block.type.side_corners(side.side)) {
          const std::size_t at =
              static_cast<std::size_t>(side.cell) * static_cast<std::size_t>(block.type.nodes()) +
              static_cast<std::size_t>(corner);
          ASSERT_TRUE(std::binary_search(nodes.begin(), nodes.end(), block.nodes[at])) << name;
        }
    }
}

class GmshFiles : public ::testing::TestWithParam<Example> {
protected:
  void SetUp() override {
    if (!has_program()) GTEST_SKIP() << "gmsh or its examples are not installed";
  }

  static bool has_program() { return test::has_program("gmsh") && std::filesystem::exists(tutorials); }

  /// Unpacks the tutorials, runs Gmsh on one of them and converts its mesh to another encoding.
  void make(const std::string& name, const std::string& options, const std::string& output) const {
    ASSERT_EQ(test::run_in(folder_, "cp " + tutorials + "/* . 2> /dev/null; gunzip -qf *.gz; gmsh " +
                                        options + " " + name + ".geo -o " + output),
              0)
        << test::read_file(folder_ / "log");
  }

  test::TemporaryFolder folder_;
};

TEST_P(GmshFiles, EveryEncodingGivesTheSameMesh) {
  const Example& example = GetParam();
  const std::string options = "-" + std::to_string(example.dimension) + " -order " +
                              std::to_string(example.order) + " -setnumber Mesh.SecondOrderLinear 1 " +
                              example.options;
  make(example.name, options + " -format msh41", "text41.msh");
  ASSERT_EQ(test::run_in(folder_, "gmsh text41.msh -save -format msh22 -o text22.msh && "
                                  "gmsh text41.msh -save -bin -format msh22 -o binary22.msh && "
                                  "gmsh text41.msh -save -bin -format msh41 -o binary41.msh"),
            0)
      << test::read_file(folder_ / "log");
  const PlainMesh plain = read_plainly(folder_ / "text22.msh");
  for (const char* file : {"text22.msh", "text41.msh", "binary22.msh", "binary41.msh"}) {
    SCOPED_TRACE(file);
    const MeshData data = read_gmsh(folder_ / file);
    std::string contents = data.contents();
    std::erase_if(contents, [&, previous = ' '](char c) mutable {
      const bool count = c >= '0' && c <= '9' && (previous == ' ' || previous == '#');
      previous = count ? '#' : c;
      return count;
    });
    EXPECT_EQ(contents, example.contents);
    expect_same(data, plain);
    expect_numbered_as_vtk(data);
    expect_sides_on_their_nodes(data);
  }
}

// Meshes that need not be fine.
INSTANTIATE_TEST_SUITE_P(
    Examples, GmshFiles,
    ::testing::Values(
        Example{"t1", 2, 1, "", " line1 and  tri1 cells"}, Example{"t1", 2, 2, "", " line2 and  tri2 cells"},
        Example{"t1", 2, 3, "", " line3 and  tri3 cells"}, Example{"t1", 2, 4, "", " line4 and  tri4 cells"},
        Example{"t1", 2, 5, "", " line5 and  tri5 cells"},
        Example{"t4", 2, 2, "", " vertex,  line2 and  tri2 cells"},
        Example{"t6", 2, 1, "", " vertex,  line1,  tri1 and  quad1 cells"},
        Example{"t11", 2, 2, "", " vertex,  line2 and  quad2 cells"},
        Example{"t2", 3, 1, "", " line1,  tri1 and  tet1 cells"},
        Example{"t5", 3, 1, "-clscale 4", " tet1 cells"}, Example{"t5", 3, 2, "-clscale 4", " tet2 cells"},
        Example{"t5", 3, 3, "-clscale 4", " tet3 cells"},
        Example{"t16", 3, 2, "-clscale 3", " tri2 and  tet2 cells"},
        Example{"t16", 3, 1, "-setnumber Mesh.SubdivisionAlgorithm 2 -clscale 5", " quad1 and  hex1 cells"},
        Example{"t16", 3, 2, "-setnumber Mesh.SubdivisionAlgorithm 2 -clscale 5", " quad2 and  hex2 cells"},
        Example{"t11", 2, 2, "-setnumber Mesh.SecondOrderIncomplete 1", " vertex,  line2 and  quad8 cells"},
        Example{"t16", 3, 2,
                "-setnumber Mesh.SecondOrderIncomplete 1 -setnumber Mesh.SubdivisionAlgorithm 2 -clscale 5",
                " quad8 and  hex20 cells"},
        Example{"t3", 3, 1, "-clscale 3", " line1,  tri1,  tet1 and  wedge1 cells"},
        Example{"t3", 3, 2, "-clscale 3", " line2,  tri2,  tet2 and  wedge2 cells"},
        Example{"t3", 3, 2, "-setnumber Mesh.SecondOrderIncomplete 1 -clscale 3",
                " line2,  tri2,  tet2 and  wedge15 cells"},
        Example{"t21", 2, 1, "", " tri1 cells"}),
    title);

class GmshOthers : public GmshFiles {};

TEST_P(GmshOthers, WhatIsNotReadIsRefusedByNameAndLine) {
  make("t11", "-2 -order 3 -format msh22", "quadrangles.msh");
  const std::string path = folder_ / "quadrangles.msh";
  // The line by a plain search: an element's second word is its type.
  std::ifstream file(path);
  std::string line;
  std::size_t number = 0;
  bool elements = false;
  while (std::getline(file, line)) {
    ++number;
    elements = elements || line == "$Elements";
    std::istringstream words(line);
    long id = 0, type = 0;
    if (elements && words >> id >> type && type == 36) break;
  }
  EXPECT_THAT([&] { read_gmsh(path); },
              ::testing::ThrowsMessage<FileError>(::testing::StartsWith(
                  path + ":" + std::to_string(number) +
                  ": elements of Gmsh's type 36 (16-node quadrangle) are not supported")));
}

INSTANTIATE_TEST_SUITE_P(Examples, GmshOthers, ::testing::Values(Example{"t11", 2, 3, "", ""}), title);

} // namespace io_gmsh_files
