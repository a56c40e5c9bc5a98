// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/elements/elements.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/mesh/elevate.hpp>
#include <tessera/distributed/mesh/make_mesh.hpp>

#include <gmock/gmock.h>

#include "distributed/own_views.hpp"
#include "distributed/rows.hpp"
#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace tessera::test {
namespace distributed_make_mesh {

/// Parts that hang together nowhere.
int scattered(Ordinal element) { return static_cast<int>((element * 7919u >> 3) % to_size(size_of_world())); }

template <class Element>
void expect_mesh_of_ranks(const OwnViews<Element>& views, int components) {
  const auto mesh = views.mesh();
  EXPECT_EQ(mesh.num_global_nodes(), views.whole.num_nodes());
  EXPECT_EQ(mesh.num_global_elements(), views.whole.num_elements());
  std::int64_t wrong = 0;
  const auto materials = on_host(mesh.local().materials());
  for (std::size_t e = 0; e < mesh.global_elements().extent(0); ++e)
    wrong += materials(e) != mesh.global_elements()(e) % 3 ? 1 : 0;
  EXPECT_EQ(wrong, 0) << "materials";
  for (const auto treatment : {ConstraintTreatment::removed, ConstraintTreatment::zeroed})
    for (const auto* strategy : {"RowOwner", "ElementAtomic"})
      expect_rows_of_whole(owned_rows(mesh, components, treatment, strategy),
                           all_rows(views.whole, components, treatment, strategy),
                           strategy != std::string("ElementAtomic"), strategy);
}

TEST(MakeMesh, RowsOfOwnViewsAreThoseOfOneRank) {
  const auto tets = whole_box<Tet<1>>({{5, 4, 3}, {1.0, 2.0, 3.0}});
  const auto in_blocks = [](const auto& mesh) {
    return [n = mesh.num_elements()](Ordinal e) { return block_of(e, n); };
  };
  expect_mesh_of_ranks(OwnViews(tets, in_blocks(tets)), 1);
  expect_mesh_of_ranks(OwnViews(tets, scattered), 3);
  const auto hexes = whole_box<Hex<1>>({{5, 4, 3}, {1.0, 2.0, 3.0}});
  expect_mesh_of_ranks(OwnViews(hexes, in_blocks(hexes)), 3);
  expect_mesh_of_ranks(OwnViews(hexes, scattered), 1);
  const auto quads = whole_box<Quad<1>>({{7, 6}, {1.0, 2.0}});
  expect_mesh_of_ranks(OwnViews(quads, in_blocks(quads)), 2);
}

TEST(MakeMesh, OwnedNodesStandInTheOrderOfThePiece) {
  const auto whole = whole_box<Tet<1>>({{4, 3, 3}, {1.0, 2.0, 3.0}});
  const OwnViews views(whole, scattered);
  const auto mesh = views.mesh();
  std::vector<GlobalOrdinal> owned(mesh.global_nodes().data(),
                                   mesh.global_nodes().data() + mesh.owned_nodes());
  std::vector<GlobalOrdinal> expected;
  for (const GlobalOrdinal node : views.nodes)
    if (std::find(owned.begin(), owned.end(), node) != owned.end()) expected.push_back(node);
  EXPECT_EQ(owned, expected);
}

TEST(MakeMesh, ARankMayHaveNoElementsAndOwnNodesOfOthers) {
  const auto whole = whole_box<Hex<1>>({{5, 4, 3}, {1.0, 2.0, 3.0}});
  // The last rank has no elements, but every fifth node, all of whose elements are ghosts then.
  const int last = size_of_world() - 1;
  OwnViews views(whole, [last](Ordinal e) { return e % std::max(last, 1); });
  for (const GlobalOrdinal node : views.nodes)
    views.owners.push_back(node % 5 == 0 ? last : static_cast<int>(node % std::max(last, 1)));
  expect_mesh_of_ranks(views, 3);
  const auto mesh = views.mesh();
  if (rank_of_world() == last) {
    EXPECT_GE(mesh.owned_nodes(), (whole.num_nodes() + 4) / 5);
  }
  // A rank that nothing is left for.
  OwnViews first_alone(whole, [](Ordinal) { return 0; });
  expect_mesh_of_ranks(first_alone, 1);
}

TEST(MakeMesh, CompletesSets) {
  const auto whole = whole_box<Tet<1>>({{4, 3, 3}, {1.0, 2.0, 3.0}});
  const auto mesh = OwnViews(whole, scattered).mesh();
  // Of each rank's own nodes alone.
  std::vector<Ordinal> own, all;
  for (Ordinal n = 0; n < mesh.local().num_nodes(); ++n)
    if (mesh.global_nodes()(n) % 4 == 1) {
      all.push_back(n);
      if (n < mesh.owned_nodes()) own.push_back(n);
    }
  const auto set = filled_on_host<Kokkos::View<Ordinal*, Space>>(
      "App::set", own.size(), [&](const auto& to) { std::copy(own.begin(), own.end(), to.data()); });
  const auto completed = on_host(mesh.with_ghosts(set));
  EXPECT_EQ(std::vector<Ordinal>(completed.data(), completed.data() + completed.extent(0)), all);
}

/// What every rank throws; "nothing" where it does not.
template <class Element>
std::string message(const OwnViews<Element>& views) {
  std::string text = "nothing";
  try {
    views.mesh();
  } catch (const Error& error) {
    text = error.what();
  }
  // All ranks have the same.
  std::string first = text;
  auto length = static_cast<int>(first.size());
  MPI_Bcast(&length, 1, MPI_INT, 0, MPI_COMM_WORLD);
  first.resize(to_size(length));
  MPI_Bcast(first.data(), length, MPI_CHAR, 0, MPI_COMM_WORLD);
  EXPECT_EQ(text, first);
  return text;
}

class BadViews : public ::testing::Test {
protected:
  tessera::Mesh<Hex<1>, Space> whole = whole_box<Hex<1>>({{4, 3, 2}, {1.0, 2.0, 3.0}});
  OwnViews<Hex<1>> views{whole, [n = whole.num_elements()](Ordinal e) { return block_of(e, n); }};
  int last = size_of_world() - 1;
  std::string on_last = "rank " + std::to_string(last);
  bool is_last = rank_of_world() == last;
};

TEST_F(BadViews, NumbersOfElements) {
  if (is_last) views.elements.pop_back();
  // The piece keeps its element, which lacks a number.
  const auto piece =
      OwnViews(whole, [n = whole.num_elements()](Ordinal e) { return block_of(e, n); }).piece();
  try {
    distributed::make_mesh(Space(), MPI_COMM_WORLD, piece, views.view_of(views.nodes),
                           views.view_of(views.elements));
    ADD_FAILURE();
  } catch (const ArgumentError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("global numbers of elements for a piece of"));
    EXPECT_THAT(error.what(), ::testing::StartsWith(on_last));
  }
}

TEST_F(BadViews, ElementOnTwoRanks) {
  if (size_of_world() == 1) return;
  OwnViews<Hex<1>> twice(
      whole, [&](Ordinal e) { return e == 0 && is_last ? last : block_of(e, whole.num_elements()); });
  EXPECT_THAT(message(twice),
              ::testing::HasSubstr("element 0 is on rank 0 and on rank " + std::to_string(last)));
}

TEST_F(BadViews, ElementOnTwoRanksUnderTwoNumbers) {
  if (size_of_world() == 1) return;
  OwnViews<Hex<1>> twice(
      whole, [&](Ordinal e) { return e == 0 && is_last ? last : block_of(e, whole.num_elements()); });
  const auto piece = twice.piece();
  if (is_last) *std::find(twice.elements.begin(), twice.elements.end(), 0) = 99;
  try {
    distributed::make_mesh(Space(), MPI_COMM_WORLD, piece, twice.view_of(twice.nodes),
                           twice.view_of(twice.elements));
    ADD_FAILURE();
  } catch (const MeshError& error) {
    EXPECT_STREQ(error.what(),
                 "rank 0: element 99 repeats element 0: its corners are the same, and both would "
                 "count; keep one of them");
  }
}

TEST_F(BadViews, NodesWithAGap) {
  const GlobalOrdinal largest = whole.num_nodes() - 1;
  for (GlobalOrdinal& node : views.nodes) node += node == largest ? 5 : 0;
  const auto piece =
      OwnViews(whole, [n = whole.num_elements()](Ordinal e) { return block_of(e, n); }).piece();
  std::string text;
  try {
    distributed::make_mesh(Space(), MPI_COMM_WORLD, piece, views.view_of(views.nodes),
                           views.view_of(views.elements));
  } catch (const MeshError& error) {
    text = error.what();
  }
  EXPECT_THAT(text, ::testing::HasSubstr("no rank has node " + std::to_string(largest) +
                                         ", though there is one of number " + std::to_string(largest + 5)));
}

TEST_F(BadViews, NegativeAndRepeatedNumbers) {
  const auto piece = views.piece();
  const auto thrown = [&](const std::vector<GlobalOrdinal>& nodes) -> std::string {
    try {
      distributed::make_mesh(Space(), MPI_COMM_WORLD, piece, views.view_of(nodes),
                             views.view_of(views.elements));
    } catch (const MeshError& error) {
      return error.what();
    }
    return "nothing";
  };
  auto nodes = views.nodes;
  if (is_last) nodes[1] = -3;
  EXPECT_EQ(thrown(nodes), on_last + ": node -3: numbers begin at 0");
  nodes = views.nodes;
  if (is_last) nodes[1] = nodes[0];
  EXPECT_EQ(thrown(nodes), on_last + ": node " + std::to_string(sum_over_ranks(is_last ? nodes[0] : 0)) +
                               " stands twice in the rank's list");
}

TEST_F(BadViews, CollidingNumbers) {
  if (size_of_world() == 1) return;
  // The upper ranks place shared nodes elsewhere: another node of theirs has the number.
  if (rank_of_world() > 0)
    for (double& shift : views.shift) shift = 0.5;
  EXPECT_THAT(message(views), ::testing::AllOf(::testing::HasSubstr("lies at ("),
                                               ::testing::HasSubstr("two nodes have the same number")));
}

TEST_F(BadViews, Owners) {
  views.owners.assign(views.nodes.size(), 0);
  if (is_last) views.owners[2] = size_of_world();
  const std::string wrong = std::to_string(sum_over_ranks(is_last ? views.nodes[2] : 0));
  EXPECT_EQ(message(views), on_last + ": node " + wrong + " is rank " + std::to_string(size_of_world()) +
                                "'s: ranks are 0 to " + std::to_string(last));
  if (size_of_world() == 1) return;
  views.owners.assign(views.nodes.size(), rank_of_world() == 0 ? 0 : 1);
  EXPECT_THAT(message(views), ::testing::HasSubstr("is rank 0's by rank 0 and rank 1's by rank 1"));
  views.owners.clear();
  if (!is_last) views.owners.assign(views.nodes.size(), 0);
  EXPECT_EQ(message(views), on_last + ": make_mesh: no owners of nodes are given, on other ranks they are");
}

} // namespace distributed_make_mesh
} // namespace tessera::test
