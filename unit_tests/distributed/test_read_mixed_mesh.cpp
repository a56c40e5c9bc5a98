// SPDX-License-Identifier: BSD-3-Clause
// Files with several element types over ranks.

#include <tessera/core/error.hpp>
#include <tessera/distributed/mesh/read_mesh.hpp>
#include <tessera/io/read_mixed_mesh.hpp>

#include <gmock/gmock.h>

#include "distributed/mixed_problem.hpp"
#include "distributed/shared_folder.hpp"
#include <algorithm>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace tessera::test {
namespace distributed_read_mixed_mesh {

using Host = Kokkos::DefaultHostExecutionSpace;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

/// Whether a rank's file has an element: its type's place in the list, and its number in the block.
using Keep = std::function<bool(std::size_t, Ordinal)>;

/// A line of an element of Gmsh's format 2.2, with nodes numbered 2, 4, ...
template <class Nodes>
std::string gmsh_line(int number, int type, int group, const Nodes& nodes) {
  std::ostringstream line;
  line << number << ' ' << type << " 2 " << group << " 1";
  for (const Ordinal node : nodes) line << ' ' << 2 * node + 2;
  return line.str() + '\n';
}

template <class Element>
int gmsh_type() {
  static constexpr int types[] = {5, 6, 7, 4};
  return types[Solids::number<Element>];
}

/// `solids` in Gmsh's format 2.2, elements of all types by turns: two materials, and the boundary in two
/// groups, of which one is held. \param keep the elements that are written, with their nodes and sides
template <class List = Solids>
std::string gmsh_solids(const Keep& keep = [](std::size_t, Ordinal) { return true; }) {
  const auto mesh = MixedBox(cells<List>).mesh<Host>();
  const auto boundary = boundary_sides(mesh);
  const auto x = mesh.coordinates();
  std::vector<bool> used(to_size(mesh.num_nodes()), false);
  std::map<int, std::string> lines; // by the elements' numbers
  mesh.for_each_block([&]<class Element>(const tessera::Mesh<Element, Host>& block) {
    constexpr std::size_t type = Solids::number<Element>;
    const auto nodes = block.connectivity();
    for (Ordinal e = 0; e < block.num_elements(); ++e) {
      if (!keep(type, e)) continue;
      std::vector<Ordinal> own;
      for (int n = 0; n < Element::nodes; ++n) {
        own.push_back(nodes(e, n));
        used[to_size(own.back())] = true;
      }
      const int number = 100000 + 4 * e + static_cast<int>(type);
      lines[number] = gmsh_line(number, gmsh_type<Element>(), 5 + block.materials()(e), own);
    }
    const auto& sides = boundary.template block<Element>();
    for (std::size_t s = 0; s < sides.extent(0); ++s) {
      if (!keep(type, sides(s, 0))) continue;
      std::vector<Ordinal> own;
      bool held = true;
      for (int n = 0; n < tessera::detail::side_corners_of<Element>(sides(s, 1)); ++n) {
        own.push_back(nodes(sides(s, 0), Element::side_nodes()[to_size(sides(s, 1))][to_size(n)]));
        held = held && x(own.back(), 0) < 0.4;
      }
      const int number = 1 + static_cast<int>(4 * s + type);
      lines[number] = gmsh_line(number, own.size() == 3 ? 2 : 3, held ? 1 : 2, own);
    }
  });
  std::ostringstream file;
  file.precision(17);
  file << "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n4\n2 1 \"held\"\n2 2 \"boundary\"\n"
          "3 5 \"steel\"\n3 6 \"rubber\"\n$EndPhysicalNames\n$Nodes\n"
       << std::count(used.begin(), used.end(), true) << '\n';
  for (Ordinal n = 0; n < mesh.num_nodes(); ++n)
    if (used[to_size(n)]) file << 2 * n + 2 << ' ' << x(n, 0) << ' ' << x(n, 1) << ' ' << x(n, 2) << '\n';
  file << "$EndNodes\n$Elements\n" << lines.size() << '\n';
  for (const auto& [number, line] : lines) file << line;
  return file.str() + "$EndElements\n";
}

TEST(ReadMixedMesh, RowsAreThoseOfOneRank) {
  const SharedFolder folder;
  const std::string path = folder.write("solids.msh", gmsh_solids());
  for (const bool hilbert : {false, true}) {
    auto whole = io::read_mixed_mesh<Solids, Space>(path);
    if (hilbert) whole = hilbert_renumbered(Space(), whole);
    const auto mesh = distributed::read_mesh<Solids>(Space(), MPI_COMM_WORLD, path, {.hilbert = hilbert});
    expect_rows_of_all_ranks(whole, mesh, hilbert ? "along the curve" : "as in the file");
    EXPECT_EQ(whole.num_materials(), 2);
    if (mesh.local().num_materials() == 2) EXPECT_EQ(mesh.local().material_labels(), whole.material_labels());
  }
}

TEST(ReadMixedMesh, ElevatesWhereTheListAsksForIt) {
  const SharedFolder folder;
  const std::string path = folder.write("solids.msh", gmsh_solids<OnEdges>());
  expect_rows_of_all_ranks(io::read_mixed_mesh<OnEdges, Space>(path),
                           distributed::read_mesh<OnEdges>(MPI_COMM_WORLD, path), "elevated");
}

TEST(ReadMixedMesh, RefusesOtherCellsOnEveryRank) {
  const SharedFolder folder;
  const std::string path = folder.write("solids.msh", gmsh_solids());
  EXPECT_THAT([&] { (distributed::read_mesh<Blocks<Hex<1>, Wedge<1>>>(MPI_COMM_WORLD, path)); },
              ThrowsMessage<MeshError>(::testing::AllOf(HasSubstr(path), HasSubstr("tet1"))));
}

/// Each rank's elements in a file of its own.
template <class List>
distributed::Mesh<List, Space> mesh_of_parts(const Keep& is_mine) {
  const TemporaryFolder folder; // each rank has its own
  return distributed::read_parts<List>(Space(), MPI_COMM_WORLD,
                                       folder.write("part.msh", gmsh_solids<List>(is_mine)));
}

template <class List>
MixedMesh<List, Space> whole_of_parts() {
  const TemporaryFolder folder;
  return io::read_mixed_mesh<List, Space>(folder.write("solids.msh", gmsh_solids<List>()));
}

/// Scattered elements.
bool is_scattered_here(std::size_t, Ordinal e) {
  return (5 * e + e / 4) % size_of_world() == rank_of_world();
}
/// Types are dealt out, so that no file has all of them where there is more than one.
bool is_type_of_rank(std::size_t type, Ordinal) {
  return static_cast<int>(type) % size_of_world() == rank_of_world();
}

TEST(ReadMixedParts, RowsAreThoseOfOneRank) {
  const auto whole = whole_of_parts<Solids>();
  expect_rows_of_all_ranks(whole, mesh_of_parts<Solids>(is_scattered_here), "scattered");
  const auto mesh = mesh_of_parts<Solids>(is_type_of_rank);
  expect_rows_of_all_ranks(whole, mesh, "by type");
  std::size_t e = 0; // elements keep the files' numbers
  mesh.local().for_each_block([&]<class Element>(const tessera::Mesh<Element, Space>& block) {
    const auto materials = on_host(block.materials());
    for (Ordinal i = 0; i < block.num_elements(); ++i, ++e) {
      const GlobalOrdinal number = mesh.global_elements()(e) - 100000;
      EXPECT_EQ(number % 4, static_cast<GlobalOrdinal>(Solids::number<Element>));
      EXPECT_EQ(materials(i), number / 4 % 2);
    }
  });
}

TEST(ReadMixedParts, AreElevated) {
  const auto whole = whole_of_parts<OnEdges>();
  expect_rows_of_all_ranks(whole, mesh_of_parts<OnEdges>(is_scattered_here), "scattered");
  expect_rows_of_all_ranks(whole, mesh_of_parts<OnEdges>(is_type_of_rank), "by type");
}

TEST(ReadMixedParts, RanksWithoutCells) {
  const auto mesh = mesh_of_parts<Solids>([](std::size_t, Ordinal) { return rank_of_world() == 0; });
  expect_rows_of_all_ranks(whole_of_parts<Solids>(), mesh, "all on rank 0");
  EXPECT_THAT([] { mesh_of_parts<Solids>([](std::size_t, Ordinal) { return false; }); },
              ThrowsMessage<MeshError>(HasSubstr("no cells")));
}

} // namespace distributed_read_mixed_mesh
} // namespace tessera::test
