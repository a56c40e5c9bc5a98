// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/elements/elements.hpp>
#include <tessera/core/error.hpp>
#include <tessera/distributed/mesh/box.hpp>

#include <gmock/gmock.h>

#include "distributed/rows.hpp"
#include <algorithm>
#include <string>
#include <vector>

namespace tessera::test {
namespace distributed_box {

constexpr auto removed = ConstraintTreatment::removed, zeroed = ConstraintTreatment::zeroed;

/// Blocks of every kind for this number of ranks.
std::vector<distributed::BoxBlocks> divisions(int dimension) {
  const int ranks = size_of_world();
  std::vector<distributed::BoxBlocks> all{{0, 0, 0}, {ranks, 1, 1}, {1, ranks, 1}};
  if (dimension == 3) all.push_back({1, 1, ranks});
  if (ranks == 4) all.push_back({2, 2, 1});
  return all;
}

template <class Element>
void expect_part_of_whole(const distributed::Mesh<Element, Space>& mesh,
                          const tessera::Mesh<Element, Space>& whole) {
  EXPECT_EQ(mesh.num_global_nodes(), whole.num_nodes());
  EXPECT_EQ(mesh.num_global_elements(), whole.num_elements());
  EXPECT_EQ(sum_over_ranks(mesh.owned_nodes()), whole.num_nodes());
  EXPECT_EQ(sum_over_ranks(mesh.owned_elements()), whole.num_elements());
  const auto x = on_host(mesh.local().coordinates()), expected_x = on_host(whole.coordinates());
  const auto nodes = on_host(mesh.local().connectivity()), expected_nodes = on_host(whole.connectivity());
  const auto& global = mesh.global_nodes();
  std::int64_t wrong = 0;
  for (std::size_t n = 0; n < global.extent(0); ++n)
    for (int d = 0; d < Element::dimension; ++d) wrong += x(n, d) != expected_x(global(n), d) ? 1 : 0;
  EXPECT_EQ(wrong, 0) << "coordinates";
  for (std::size_t e = 0; e < nodes.extent(0); ++e) {
    bool touches = false;
    for (int n = 0; n < Element::nodes; ++n) {
      touches = touches || nodes(e, n) < mesh.owned_nodes();
      wrong += global(nodes(e, n)) != expected_nodes(mesh.global_elements()(e), n) ? 1 : 0;
    }
    wrong += touches ? 0 : 1;
    wrong += e > 0 && mesh.global_elements()(e) <= mesh.global_elements()(e - 1) ? 1 : 0;
  }
  EXPECT_EQ(wrong, 0) << "elements";
}

/// Ghosts lie by owner, ascending within each, and the owners own them: import their global numbers.
template <class Element>
void expect_sorted_ghosts(const distributed::Mesh<Element, Space>& mesh) {
  const auto& global = mesh.global_nodes();
  const auto& owners = mesh.ghost_owners();
  for (std::size_t i = 1; i < owners.extent(0); ++i) {
    const auto node = to_size(mesh.owned_nodes()) + i;
    EXPECT_TRUE(owners(i) > owners(i - 1) || (owners(i) == owners(i - 1) && global(node) > global(node - 1)));
  }
  const Kokkos::View<std::int64_t*, Space> numbers("numbers", global.extent(0));
  Kokkos::deep_copy(Kokkos::subview(numbers, std::make_pair(0, mesh.owned_nodes())),
                    Kokkos::subview(global, std::make_pair(0, mesh.owned_nodes())));
  distributed::NodeExchange<std::int64_t, Space> exchange(Space(), mesh.import(), 1);
  exchange.begin(Space(), numbers);
  exchange.end(Space(), numbers);
  const auto imported = on_host(numbers);
  for (std::size_t n = 0; n < global.extent(0); ++n) EXPECT_EQ(imported(n), global(n));
}

template <class Element>
void expect_box_of_ranks(const io::Box& box) {
  const auto whole = io::box_mesh<Element, Space>(box);
  for (const auto& blocks : divisions(Element::dimension)) {
    const auto mesh = distributed::box_mesh<Element>(Space(), MPI_COMM_WORLD, box, blocks);
    expect_part_of_whole(mesh, whole);
    expect_sorted_ghosts(mesh);
  }
}

TEST(Box, IsThatOfOneRank) {
  expect_box_of_ranks<Tet<1>>({{5, 4, 3}, {1.0, 2.0, 3.0}});
  expect_box_of_ranks<Tet<2>>({{3, 4, 3}, {1.0, 2.0, 3.0}});
  expect_box_of_ranks<Hex<1>>({{5, 4, 3}, {1.0, 2.0, 3.0}});
  expect_box_of_ranks<Pyramid<1>>({{5, 4, 3}, {1.0, 2.0, 3.0}}); // cells with odd numbers are mirrored
  expect_box_of_ranks<Tri<1>>({{5, 7}, {1.0, 2.0}});
  expect_box_of_ranks<Quad<2>>({{5, 4}, {1.0, 2.0}});
}

/// The rows that a rank owns, assembled without a message, against one rank's.
template <class Element>
void expect_rows(const io::Box& box, int components, const std::vector<std::string>& strategies) {
  const auto whole = io::box_mesh<Element, Space>(box);
  std::vector<distributed::Mesh<Element, Space>> meshes;
  for (const auto& blocks : divisions(Element::dimension))
    meshes.push_back(distributed::box_mesh<Element>(Space(), MPI_COMM_WORLD, box, blocks));
  for (const auto treatment : {removed, zeroed})
    for (const auto& strategy : strategies) {
      const auto expected = all_rows(whole, components, treatment, strategy);
      for (const auto& mesh : meshes)
        expect_rows_of_whole(owned_rows(mesh, components, treatment, strategy), expected,
                             strategy != "ElementAtomic",
                             strategy + (treatment == removed ? ", removed" : ", zeroed"));
    }
}

TEST(Box, OwnedRowsAreThoseOfOneRank) {
  expect_rows<Tet<1>>({{5, 4, 3}, {1.0, 2.0, 3.0}}, 1, {"RowOwner", "ElementAtomic"});
  expect_rows<Tet<1>>({{4, 3, 3}, {1.0, 2.0, 3.0}}, 3, {"RowOwner", "ElementAtomic"});
  expect_rows<Hex<1>>({{5, 4, 3}, {1.0, 2.0, 3.0}}, 1, {"RowOwner", "ElementAtomic"});
  expect_rows<Hex<1>>({{4, 3, 3}, {1.0, 2.0, 3.0}}, 3, {"RowOwner", "ElementAtomic"});
  expect_rows<Tet<2>>({{2, 3, 2}, {1.0, 2.0, 3.0}}, 1, {"RowOwner"});
  expect_rows<Quad<1>>({{5, 4}, {1.0, 2.0}}, 2, {"RowOwner"});
}

TEST(Box, RanksMayBeWithoutCells) {
  const io::Box box{{1, 2, 1}, {1.0, 2.0, 3.0}};
  const auto whole = io::box_mesh<Hex<1>, Space>(box);
  const auto mesh = distributed::box_mesh<Hex<1>>(Space(), MPI_COMM_WORLD, box, {1, size_of_world(), 1});
  expect_part_of_whole(mesh, whole);
  expect_sorted_ghosts(mesh);
  EXPECT_EQ(mesh.local().num_nodes() == 0, mesh.local().num_elements() == 0);
  EXPECT_EQ(sum_over_ranks(mesh.local().num_nodes() == 0 ? 1 : 0), std::max(size_of_world() - 2, 0));
  for (const auto* strategy : {"RowOwner", "ElementAtomic"})
    expect_rows_of_whole(owned_rows(mesh, 3, removed, strategy), all_rows(whole, 3, removed, strategy), false,
                         strategy);
}

TEST(Box, RefusesWhatDoesNotFitOnEveryRank) {
  const auto message = [](const io::Box& box, const distributed::BoxBlocks& blocks) -> std::string {
    try {
      distributed::box_mesh<Hex<1>>(Space(), MPI_COMM_WORLD, box, blocks);
    } catch (const ArgumentError& error) {
      return error.what();
    }
    return "nothing";
  };
  EXPECT_THAT(message({{2, 2, 2}, {1, 1, 1}}, {5, 1, 1}),
              ::testing::StartsWith("rank 0: box: 5 x 1 x 1 blocks for " + std::to_string(size_of_world())));
  EXPECT_THAT(message({{2, 2, 2}, {1, 1, 1}}, {-1, -1, 1}), ::testing::HasSubstr("box: -1 blocks"));
  EXPECT_EQ(message({{0, 2, 2}, {1, 1, 1}}, {0, 0, 0}),
            "rank 0: box: cells and lengths along each axis must be positive");
  EXPECT_THAT(message({{2000000, 2000000, 2}, {1, 1, 1}}, {0, 0, 0}),
              ::testing::HasSubstr("one process holds"));
  if (size_of_world() > 1)
    EXPECT_EQ(message({{2 + rank_of_world(), 2, 2}, {1, 1, 1}}, {0, 0, 0}),
              "rank 1: box: the number of cells along x is 3, on rank 0 it is 2");
}

} // namespace distributed_box
} // namespace tessera::test
