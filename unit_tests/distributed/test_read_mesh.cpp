// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/elements/elements.hpp>
#include <tessera/core/error.hpp>
#include <tessera/distributed/mesh/read_mesh.hpp>
#include <tessera/io/generate/box.hpp>

#include <gmock/gmock.h>

#include "distributed/rows.hpp"
#include "distributed/shared_folder.hpp"
#include "support/files.hpp"
#include <algorithm>
#include <cstdint>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

namespace tessera::test {
namespace distributed_read_mesh {

/// A box in Gmsh's format 2.2: two materials, and the four upright faces. Nodes have the numbers 2, 4, ...
/// \param keep the elements that are written, with their nodes and sides
std::string
gmsh_box(const io::Box& box, const std::function<bool(Ordinal)>& keep = [](Ordinal) { return true; }) {
  const auto mesh = io::box_mesh<Hex<1>, Kokkos::DefaultHostExecutionSpace>(box);
  std::vector<bool> used(to_size(mesh.num_nodes()), false);
  for (Ordinal e = 0; e < mesh.num_elements(); ++e)
    for (int n = 0; keep(e) && n < 8; ++n) used[to_size(mesh.connectivity()(e, n))] = true;
  std::ostringstream file;
  file
      << "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n6\n2 1 \"xmin\"\n2 2 \"xmax\"\n2 3 \"ymin\"\n"
         "2 4 \"ymax\"\n3 5 \"steel\"\n3 6 \"rubber\"\n$EndPhysicalNames\n$Nodes\n"
      << std::count(used.begin(), used.end(), true) << '\n';
  file.precision(17);
  const auto x = mesh.coordinates();
  for (Ordinal n = 0; n < mesh.num_nodes(); ++n)
    if (used[to_size(n)]) file << 2 * n + 2 << ' ' << x(n, 0) << ' ' << x(n, 1) << ' ' << x(n, 2) << '\n';
  file << "$EndNodes\n$Elements\n";
  std::ostringstream elements;
  int count = 0, number = 0;
  const char* const names[] = {"xmin", "xmax", "ymin", "ymax"};
  for (int face = 0; face < 4; ++face) {
    const auto sides = mesh.side_set(names[face]);
    for (std::size_t i = 0; i < sides.extent(0); ++i) {
      ++number;
      if (!keep(sides(i, 0))) continue;
      ++count;
      elements << number << " 3 2 " << face + 1 << ' ' << face + 1;
      for (int a = 0; a < 4; ++a)
        elements << ' '
                 << mesh.connectivity()(sides(i, 0),
                                        tessera::detail::SideNodes<Hex<1>>::local_node(sides(i, 1), a)) *
                            2 +
                        2;
      elements << '\n';
    }
  }
  for (Ordinal e = 0; e < mesh.num_elements(); ++e) {
    ++number;
    if (!keep(e)) continue;
    ++count;
    elements << number << " 5 2 " << (e % 4 == 0 ? 6 : 5) << " 1";
    for (int n = 0; n < 8; ++n) elements << ' ' << mesh.connectivity()(e, n) * 2 + 2;
    elements << '\n';
  }
  file << count << '\n' << elements.str() << "$EndElements\n";
  return file.str();
}

template <class Element>
void expect_mesh_of_file(const std::string& path, bool hilbert) {
  const auto mesh = distributed::read_mesh<Element>(Space(), MPI_COMM_WORLD, path, {.hilbert = hilbert});
  auto whole = io::read_mesh<Element, Space>(path);
  if (hilbert) whole = hilbert_renumbered(Space(), whole);
  EXPECT_EQ(mesh.num_global_nodes(), whole.num_nodes());
  EXPECT_EQ(mesh.num_global_elements(), whole.num_elements());
  ASSERT_EQ(whole.num_materials(), 2);
  const auto materials = on_host(whole.materials()), mine = on_host(mesh.local().materials());
  for (std::size_t e = 0; e < mine.extent(0); ++e) EXPECT_EQ(mine(e), materials(mesh.global_elements()(e)));
  if (mesh.local().num_materials() == 2) {
    EXPECT_EQ(mesh.local().material("rubber"), whole.material("rubber"));
  }
  // Sides ascend on ranks, which those of a mesh that has been renumbered do not: Robin terms add up
  // otherwise.
  for (const auto treatment : {ConstraintTreatment::removed, ConstraintTreatment::zeroed})
    expect_rows_of_whole(owned_rows(mesh, 3, treatment, "RowOwner"),
                         all_rows(whole, 3, treatment, "RowOwner"), !hilbert, "RowOwner");
}

TEST(ReadMesh, OwnedRowsAreThoseOfOneRank) {
  const SharedFolder folder;
  const std::string path = folder.write("box.msh", gmsh_box({{5, 4, 3}, {1.0, 2.0, 3.0}}));
  expect_mesh_of_file<Hex<1>>(path, false);
  expect_mesh_of_file<Hex<1>>(path, true);
}

TEST(ReadMesh, OfHigherOrder) {
  const SharedFolder folder;
  expect_mesh_of_file<Hex<2>>(folder.write("box.msh", gmsh_box({{3, 2, 2}, {1.0, 2.0, 3.0}})), false);
}

TEST(ReadParts, OwnedRowsAreThoseOfOneRank) {
  const io::Box box{{5, 4, 3}, {1.0, 2.0, 3.0}};
  const Ordinal elements = 60, ranks = size_of_world();
  // The last rank has rubber alone, which it numbers 0.
  const auto rank_of = [&](Ordinal e) {
    return e % 4 == 0 ? ranks - 1 : e * std::max(ranks - 1, 1) / elements;
  };
  const TemporaryFolder folder; // each rank has its own
  const auto mesh = distributed::read_parts<Hex<1>>(
      Space(), MPI_COMM_WORLD,
      folder.write("part.msh", gmsh_box(box, [&](Ordinal e) { return rank_of(e) == rank_of_world(); })));
  const auto whole = io::read_mesh<Hex<1>, Space>(folder.write("box.msh", gmsh_box(box)));
  EXPECT_EQ(mesh.num_global_nodes(), whole.num_nodes());
  EXPECT_EQ(mesh.num_global_elements(), elements);
  const auto materials = on_host(whole.materials()), mine = on_host(mesh.local().materials());
  const GlobalOrdinal first = 2 * 3 * (5 + 4) + 1; // number of the first element, after those of the sides
  for (std::size_t e = 0; e < mine.extent(0); ++e)
    EXPECT_EQ(mine(e), materials(mesh.global_elements()(e) - first));
  expect_rows_of_whole(owned_rows(mesh, 3, ConstraintTreatment::removed, "RowOwner"),
                       all_rows(whole, 3, ConstraintTreatment::removed, "RowOwner"), true, "RowOwner");
}

/// Nodes of a set, each counted once.
template <class Element>
std::size_t owned_of_set(const distributed::Mesh<Element, Space>& mesh, const std::string& name) {
  const auto set = on_host(mesh.local().node_set(name));
  std::int64_t owned = 0;
  for (std::size_t i = 0; i < set.extent(0); ++i) owned += set(i) < mesh.owned_nodes() ? 1 : 0;
  return static_cast<std::size_t>(sum_over_ranks(owned));
}

TEST(ReadParts, FilesThatGmshDivides) {
  const int ranks = size_of_world();
  if (!has_program("gmsh") || ranks == 1) GTEST_SKIP() << "gmsh is not installed, or there is one rank";
  const TemporaryFolder folder; // each rank has its own, and gmsh writes the same files into all
  folder.write("box.geo", "SetFactory(\"OpenCASCADE\");\nBox(1) = {0, 0, 0, 1, 1, 1};\n"
                          "Physical Volume(\"steel\") = {1};\nPhysical Surface(\"left\") = {1};\n"
                          "Mesh.MeshSizeMax = 0.3;\n");
  // It has been built with MPI perhaps, and must not take itself for a rank.
  ASSERT_EQ(
      run_in(folder, "env -i PATH=\"$PATH\" gmsh -3 box.geo -o whole.msh && env -i PATH=\"$PATH\" gmsh -3 "
                     "box.geo -part " +
                         std::to_string(ranks) + " -part_split -o box.msh"),
      0)
      << read_file(folder / "log");
  const auto mesh = distributed::read_parts<Tet<1>>(
      Space(), MPI_COMM_WORLD, folder / ("box_" + std::to_string(rank_of_world() + 1) + ".msh"));
  const auto whole = io::read_mesh<Tet<1>, Space>(folder / "whole.msh");
  EXPECT_EQ(mesh.num_global_nodes(), whole.num_nodes());
  EXPECT_EQ(mesh.num_global_elements(), whole.num_elements());
  const auto cubic = distributed::read_parts<Tet<3>>(
      Space(), MPI_COMM_WORLD, folder / ("box_" + std::to_string(rank_of_world() + 1) + ".msh"));
  const auto whole_cubic = io::read_mesh<Tet<3>, Space>(folder / "whole.msh");
  EXPECT_EQ(cubic.num_global_nodes(), whole_cubic.num_nodes());
  EXPECT_EQ(owned_of_set(cubic, "left"), whole_cubic.node_set("left").extent(0));
  EXPECT_EQ(owned_of_set(mesh, "left"), whole.node_set("left").extent(0));
  std::int64_t owned = 0;
  const auto sides = on_host(mesh.local().side_set("left"));
  const auto owners = on_host(mesh.element_owners());
  for (std::size_t i = 0; i < sides.extent(0); ++i) owned += owners(sides(i, 0)) == rank_of_world() ? 1 : 0;
  EXPECT_EQ(sum_over_ranks(owned), static_cast<std::int64_t>(whole.side_set("left").extent(0)));
}

TEST(ReadParts, AreElevated) {
  const io::Box box{{3, 2, 2}, {1.0, 2.0, 3.0}};
  const auto is_mine = [](Ordinal e) { return 5 * e % 7 % size_of_world() == rank_of_world(); };
  const TemporaryFolder folder; // each rank has its own
  const auto mesh = distributed::read_parts<Hex<2>>(Space(), MPI_COMM_WORLD,
                                                    folder.write("part.msh", gmsh_box(box, is_mine)));
  const auto whole = io::read_mesh<Hex<2>, Space>(folder.write("box.msh", gmsh_box(box)));
  EXPECT_EQ(mesh.num_global_nodes(), whole.num_nodes());
  expect_rows_of_whole(owned_rows(mesh, 3, ConstraintTreatment::removed, "RowOwner"),
                       all_rows(whole, 3, ConstraintTreatment::removed, "RowOwner"), false, "RowOwner");
}

template <class Element>
void expect_parts_on_rank_0(const io::Box& box) {
  const TemporaryFolder folder; // each rank has its own
  const auto mesh = distributed::read_parts<Element>(
      Space(), MPI_COMM_WORLD,
      folder.write("part.msh", gmsh_box(box, [](Ordinal) { return rank_of_world() == 0; })));
  const auto whole = io::read_mesh<Element, Space>(folder.write("box.msh", gmsh_box(box)));
  EXPECT_EQ(mesh.num_global_nodes(), whole.num_nodes());
  EXPECT_EQ(mesh.num_global_elements(), whole.num_elements());
  EXPECT_EQ(owned_of_set(mesh, "xmin"), whole.node_set("xmin").extent(0));
}

TEST(ReadParts, RanksWithoutCells) {
  const io::Box box{{3, 2, 2}, {1.0, 2.0, 3.0}};
  expect_parts_on_rank_0<Hex<1>>(box);
  expect_parts_on_rank_0<Hex<2>>(box);
  const TemporaryFolder folder;
  const std::string path = folder.write("part.msh", gmsh_box(box, [](Ordinal) { return false; }));
  EXPECT_THAT([&] { distributed::read_parts<Hex<1>>(Space(), MPI_COMM_WORLD, path); },
              ::testing::ThrowsMessage<MeshError>(::testing::HasSubstr("has no hex1 cells, but no cells")));
}

TEST(ReadMesh, FewerElementsThanRanks) {
  const SharedFolder folder;
  const std::string path = folder.write("box.msh", gmsh_box({{2, 1, 1}, {1.0, 2.0, 3.0}}));
  const auto mesh = distributed::read_mesh<Hex<1>>(Space(), MPI_COMM_WORLD, path);
  EXPECT_EQ(mesh.num_global_elements(), 2);
  EXPECT_EQ(mesh.num_global_nodes(), 12);
}

TEST(ReadMesh, ErrorsAreThoseOfEveryRank) {
  const SharedFolder folder;
  const auto message = [&](const std::string& path) -> std::string {
    try {
      distributed::read_mesh<Hex<1>>(Space(), MPI_COMM_WORLD, path);
    } catch (const Error& error) {
      return error.what();
    }
    return "nothing";
  };
  EXPECT_THAT(message("/nowhere/box.msh"), ::testing::StartsWith("rank 0: /nowhere/box.msh"));
  std::string damaged = gmsh_box({{2, 1, 1}, {1.0, 2.0, 3.0}});
  damaged.resize(damaged.size() / 2);
  const std::string path = folder.write("damaged.msh", damaged);
  EXPECT_THAT(message(path), ::testing::StartsWith("rank 0: " + path + ":"));
}

} // namespace distributed_read_mesh
} // namespace tessera::test
