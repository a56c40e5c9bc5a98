// SPDX-License-Identifier: BSD-3-Clause
// Meshes of several element types over ranks: the rows of all ranks are those of one with the whole mesh.

#include <tessera/distributed/equations.hpp>
#include <tessera/distributed/mesh/free_parts.hpp>
#include <tessera/distributed/mesh/make_mesh.hpp>

#include <gmock/gmock.h>

#include "distributed/mixed_problem.hpp"
#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

namespace tessera::test {
namespace distributed_mixed_mesh {

using Host = Kokkos::DefaultHostExecutionSpace;

TEST(DistributedMixedMesh, RowsAreThoseOfTheWholeMesh) {
  const auto mesh = divided<Solids>(solids<Host>());
  expect_rows_of_all_ranks(solids<Space>(), mesh, "divided");
  if (mesh.ranks().size() > 1) EXPECT_LT(mesh.local().num_nodes(), mesh.num_global_nodes());
}

TEST(DistributedMixedMesh, RowsOfElevatedOnes) {
  expect_rows_of_all_ranks(elevated<OnEdges>(solids<Space>(cells<OnEdges>)),
                           divided<OnEdges>(elevated<OnEdges>(solids<Host>(cells<OnEdges>))),
                           "elevated, then divided");
}

TEST(DistributedMixedMesh, EquationsAreNumberedOverAllRanks) {
  const auto mesh = divided<Solids>(solids<Host>());
  MixedSpace space(mesh.local(), 3, ConstraintTreatment::removed);
  space.constrain(mesh.local().node_set("held"), 0, 0.0);
  const auto equations = distributed::global_equations(Space(), mesh, space);
  EXPECT_EQ(sum_over_ranks(equations.owned), equations.total);
  EXPECT_LT(equations.total, 3 * mesh.num_global_nodes());
  EXPECT_TRUE(equations.contiguous);
  // A ghost that is held where its owner is not.
  if (mesh.ghost_nodes() > 0) space.constrain(mesh.owned_nodes(), 1, 1.0);
  if (sum_over_ranks(mesh.ghost_nodes()) > 0) {
    EXPECT_THROW(distributed::global_equations(Space(), mesh, space), MeshError);
    distributed::share_constraints(mesh, space);
  }
  EXPECT_EQ(distributed::global_equations(Space(), mesh, space).total, equations.total);
}

TEST(DistributedMixedMesh, PartsThatNothingHolds) {
  const auto mesh = divided<Solids>(solids<Host>());
  MixedSpace space(mesh.local(), 3);
  const auto free = distributed::free_parts(Space(), mesh, space, solvers::Unseen::rigid_motions);
  ASSERT_EQ(free.size(), 1u);
  EXPECT_EQ(free[0].elements, mesh.num_global_elements());
  EXPECT_EQ(free[0].motions, 6);
  space.constrain(mesh.local().node_set("held"), 0, 0.0);
  const auto sliding = distributed::free_parts(Space(), mesh, space, solvers::Unseen::rigid_motions);
  ASSERT_EQ(sliding.size(), 1u);
  EXPECT_LT(sliding[0].motions, 6);
  space.constrain(mesh.local().node_set("held"), {0.0, 0.0, 0.0});
  EXPECT_TRUE(distributed::free_parts(Space(), mesh, space, solvers::Unseen::rigid_motions).empty());
}

/// A rank's elements of a mixed mesh, which are numbered by turns of the types, and their nodes in an order
/// of the rank's own.
struct OwnSolids {
  std::vector<GlobalOrdinal> nodes, elements;
  MixedMesh<Solids, Space> piece;

  explicit OwnSolids(const MixedMesh<Solids, Space>& whole)
      : nodes(nodes_of(whole)), piece(on_device(whole), cells<Hex<1>>(whole), cells<Wedge<1>>(whole),
                                      cells<Pyramid<1>>(whole), cells<Tet<1>>(whole)) {
    const auto held = on_host(whole.node_set("held"));
    std::vector<Ordinal> mine;
    for (std::size_t i = 0; i < held.extent(0); ++i)
      if (const Ordinal node = local(held(i)); node < piece.num_nodes()) mine.push_back(node);
    piece.add_node_set("held", copy_of<MixedMesh<Solids, Space>::NodeSet>(mine));
    add_sides<Hex<1>>(whole);
    add_sides<Wedge<1>>(whole);
    add_sides<Pyramid<1>>(whole);
    add_sides<Tet<1>>(whole);
    piece.for_each_block([&]<class Element>(const tessera::Mesh<Element, Space>&) {
      for (const Ordinal e : own_of<Element>(whole)) elements.push_back(number<Element>(e));
    });
  }

  template <class T>
  static Kokkos::View<const T*, Kokkos::HostSpace> view_of(const std::vector<T>& list) {
    return Kokkos::View<const T*, Kokkos::HostSpace>(list.data(), list.size());
  }

private:
  /// Types by turns, with gaps.
  template <class Element>
  static GlobalOrdinal number(Ordinal e) {
    return 4 * GlobalOrdinal{e} + static_cast<GlobalOrdinal>(Solids::number<Element>);
  }
  template <class Element>
  static std::vector<Ordinal> own_of(const MixedMesh<Solids, Space>& whole) {
    std::vector<Ordinal> own;
    for (Ordinal e = 0; e < whole.block<Element>().num_elements(); ++e)
      if ((5 * e + e / 4) % size_of_world() == rank_of_world()) own.push_back(e);
    return own;
  }
  static std::vector<GlobalOrdinal> nodes_of(const MixedMesh<Solids, Space>& whole) {
    std::vector<GlobalOrdinal> list;
    whole.for_each_block([&]<class Element>(const tessera::Mesh<Element, Space>& block) {
      const auto all = on_host(block.connectivity());
      for (const Ordinal e : own_of<Element>(whole))
        for (int n = 0; n < Element::nodes; ++n) list.push_back(all(e, n));
    });
    std::sort(list.begin(), list.end(), [](auto a, auto b) { // no ascending order
      return std::pair(a % 7, a) < std::pair(b % 7, b);
    });
    list.erase(std::unique(list.begin(), list.end()), list.end());
    return list;
  }
  Ordinal local(GlobalOrdinal node) const {
    return static_cast<Ordinal>(std::find(nodes.begin(), nodes.end(), node) - nodes.begin());
  }
  template <class View, class T>
  static View copy_of(const std::vector<T>& list) {
    return filled_on_host<View>("App::list", list.size(),
                                [&](const auto& to) { std::copy(list.begin(), list.end(), to.data()); });
  }
  MixedMesh<Solids, Space>::Coordinates on_device(const MixedMesh<Solids, Space>& whole) const {
    const auto x = on_host(whole.coordinates());
    return filled_on_host<MixedMesh<Solids, Space>::Coordinates>(
        "App::coordinates", nodes.size(), [&](const auto& to) {
          for (std::size_t i = 0; i < nodes.size(); ++i)
            for (int d = 0; d < 3; ++d) to(i, d) = x(nodes[i], d);
        });
  }
  template <class Element>
  MixedMesh<Solids, Space>::Cells<Element> cells(const MixedMesh<Solids, Space>& whole) const {
    using Block = tessera::Mesh<Element, Space>;
    const auto all = on_host(whole.block<Element>().connectivity());
    const auto materials = on_host(whole.block<Element>().materials());
    const auto own = own_of<Element>(whole);
    return {filled_on_host<typename Block::Connectivity>("App::connectivity", own.size(),
                                                         [&](const auto& to) {
                                                           for (std::size_t i = 0; i < own.size(); ++i)
                                                             for (int n = 0; n < Element::nodes; ++n)
                                                               to(i, n) = local(all(own[i], n));
                                                         }),
            filled_on_host<typename Block::Materials>("App::materials", own.size(), [&](const auto& to) {
              for (std::size_t i = 0; i < own.size(); ++i) to(i) = materials(own[i]);
            })};
  }
  template <class Element>
  void add_sides(const MixedMesh<Solids, Space>& whole) {
    const auto own = own_of<Element>(whole);
    const auto sides = on_host(whole.block<Element>().side_sets().at("boundary"));
    std::vector<std::pair<Ordinal, Ordinal>> mine;
    for (std::size_t i = 0; i < sides.extent(0); ++i)
      if (const auto e = std::lower_bound(own.begin(), own.end(), sides(i, 0));
          e != own.end() && *e == sides(i, 0))
        mine.emplace_back(static_cast<Ordinal>(e - own.begin()), sides(i, 1));
    piece.block<Element>().add_side_set("boundary",
                                        filled_on_host<typename tessera::Mesh<Element, Space>::SideSet>(
                                            "App::sides", mine.size(), [&](const auto& to) {
                                              for (std::size_t i = 0; i < mine.size(); ++i)
                                                std::tie(to(i, 0), to(i, 1)) = mine[i];
                                            }));
  }
};

TEST(MakeMixedMesh, HasTheRowsOfOneRank) {
  const auto whole = solids<Space>();
  const OwnSolids own(whole);
  const auto mesh = distributed::make_mesh(Space(), MPI_COMM_WORLD, own.piece, OwnSolids::view_of(own.nodes),
                                           OwnSolids::view_of(own.elements));
  expect_rows_of_all_ranks(whole, mesh, "own views");
  // Numbers that the application gave, those of a block one after the other.
  const auto& numbers = mesh.global_elements();
  std::size_t e = 0;
  mesh.local().for_each_block([&]<class Element>(const tessera::Mesh<Element, Space>& block) {
    for (Ordinal i = 0; i < block.num_elements(); ++i, ++e) {
      EXPECT_EQ(numbers(e) % 4, static_cast<GlobalOrdinal>(Solids::number<Element>));
      if (i > 0) EXPECT_LT(numbers(e - 1), numbers(e));
    }
  });
}

TEST(MakeMixedMesh, ElevatesOverRanks) {
  const auto whole = solids<Space>(cells<OnEdges>);
  const OwnSolids own(whole);
  const auto mesh = distributed::make_elevated_mesh<OnEdges>(
      Space(), MPI_COMM_WORLD, own.piece, OwnSolids::view_of(own.nodes), OwnSolids::view_of(own.elements));
  expect_rows_of_all_ranks(elevated<OnEdges>(whole), mesh, "elevated");
}

TEST(MakeMixedMesh, NamesAnElementOfTwoRanks) {
  const OwnSolids own(solids<Space>());
  auto numbers = own.elements;
  numbers.front() = 3; // a tetrahedron's
  EXPECT_THAT(
      [&] {
        distributed::make_mesh(Space(), MPI_COMM_WORLD, own.piece, OwnSolids::view_of(own.nodes),
                               OwnSolids::view_of(numbers));
      },
      ::testing::ThrowsMessage<MeshError>(::testing::HasSubstr("element 3")));
  const std::vector<GlobalOrdinal> few(own.elements.begin(), own.elements.end() - 1);
  EXPECT_THAT(
      [&] {
        distributed::make_mesh(Space(), MPI_COMM_WORLD, own.piece, OwnSolids::view_of(own.nodes),
                               OwnSolids::view_of(few));
      },
      ::testing::ThrowsMessage<ArgumentError>(::testing::HasSubstr("global numbers of elements")));
}

} // namespace distributed_mixed_mesh
} // namespace tessera::test
