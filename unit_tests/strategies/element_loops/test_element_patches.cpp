// SPDX-License-Identifier: BSD-3-Clause
// Pairs of elements, and the lists by which patches sum in scratch memory.

#include <tessera/core/elements/elements.hpp>
#include <tessera/strategies/element_loops/element_patches.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/meshes/test_meshes.hpp"
#include "support/on_host.hpp"
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace strategies_element_loops_element_patches {

using namespace tessera;
using test::on_host;

/// The orders of an element's corners that keep its orientation.
template <class Element>
std::set<std::vector<Ordinal>> turned(const std::vector<Ordinal>& e) {
  std::set<std::vector<Ordinal>> turns;
  if constexpr (Element::shape == Shape::tetrahedron && Element::order == 1) {
    std::vector<int> order{0, 1, 2, 3};
    do {
      int inversions = 0;
      for (int i = 0; i < 4; ++i)
        for (int j = i + 1; j < 4; ++j) inversions += order[i] > order[j];
      if (inversions % 2 == 0) turns.insert({e[order[0]], e[order[1]], e[order[2]], e[order[3]]});
    } while (std::next_permutation(order.begin(), order.end()));
  } else if constexpr (ElementPair<Element>::elements == 2) {
    std::vector<Ordinal> turn = e;
    for (std::size_t n = 0; n < e.size(); ++n) {
      turns.insert(turn);
      std::rotate(turn.begin(), turn.begin() + 1, turn.end());
    }
  } else
    turns.insert(e);
  return turns;
}

/// How many numbers of a half-warp's accesses lie in the fullest pair of banks, summed over half-warps, and
/// how many half-warps there are.
struct Conflicts {
  double wavefronts = 0, half_warps = 0;

  void add(const std::vector<int>& places) {
    for (std::size_t first = 0; first < places.size(); first += bank_pairs) {
      std::map<int, std::set<int>> banks;
      std::size_t most = 0;
      for (std::size_t i = first; i < std::min(first + bank_pairs, places.size()); ++i) {
        auto& bank = banks[places[i] % bank_pairs];
        bank.insert(places[i]);
        most = std::max(most, bank.size());
      }
      wavefronts += static_cast<double>(most);
      ++half_warps;
    }
  }
  double degree() const { return wavefronts / half_warps; }
};

template <class ExecutionSpace>
class Patches : public ::testing::Test {
public:
  template <class Element>
  using MeshType = Mesh<Element, ExecutionSpace>;

  /// Every element in one cell, its corners in an order of its orientation; how many elements have a partner.
  template <class Element>
  static double expect_pairs(const MeshType<Element>& mesh) {
    SCOPED_TRACE(Element::name);
    using Pair = ElementPair<Element>;
    const ExecutionSpace exec;
    const auto order = hilbert_order(exec, element_centroids(exec, mesh.coordinates(), mesh.connectivity()));
    const auto paired = pair_elements(exec, mesh, order.new_to_old);
    const auto cells = on_host(paired.cells);
    const auto numbers = on_host(paired.numbers);
    const auto connectivity = on_host(mesh.connectivity());
    std::vector<int> met(mesh.num_elements(), 0);
    int partners = 0;
    for (std::size_t k = 0; k < cells.extent(0); ++k) {
      std::vector<Ordinal> cell(Pair::nodes);
      for (int n = 0; n < Pair::nodes; ++n) cell[n] = cells(k, n);
      const bool pair = Pair::is_pair(cell);
      partners += pair ? 2 : 0;
      for (int i = 0; i < (pair ? 2 : 1); ++i) {
        const Ordinal e = numbers(k * Pair::elements + i);
        ++met[e];
        std::vector<Ordinal> element(Element::nodes), seen(Element::nodes);
        for (int n = 0; n < Element::nodes; ++n) {
          element[n] = connectivity(e, n);
          seen[n] = cell[Pair::node(i, n)];
        }
        EXPECT_EQ(turned<Element>(element).count(seen), 1u) << "element " << e;
      }
    }
    EXPECT_EQ(std::count(met.begin(), met.end(), 1), mesh.num_elements());
    return static_cast<double>(partners) / mesh.num_elements();
  }

  /// What the lists promise, for patches of `size` cells.
  template <class Element>
  static void expect_lists(const MeshType<Element>& mesh, int size) {
    SCOPED_TRACE(std::string(Element::name) + ", patches of " + std::to_string(size));
    using Lists = ElementPatches<Element, ExecutionSpace>;
    using Pair = ElementPair<Element>;
    const ExecutionSpace exec;
    const auto p = element_patches(exec, mesh, size);
    const auto order = hilbert_order(exec, element_centroids(exec, mesh.coordinates(), mesh.connectivity()));
    const auto cells = on_host(pair_elements(exec, mesh, order.new_to_old).cells);
    const auto places = on_host(p.places);
    const auto offsets = on_host(p.offsets), nodes = on_host(p.nodes);
    const auto slots = on_host(p.slots);
    ASSERT_EQ(places.extent(0), cells.extent(0));
    std::map<Ordinal, std::vector<Ordinal>> entries; // of a node
    for (Ordinal patch = 0; patch < p.patches; ++patch) {
      const Ordinal begin = offsets(patch), end = offsets(patch + 1);
      std::set<Ordinal> own;
      std::map<int, Ordinal> node_of_slot;
      for (Ordinal i = begin; i < end; ++i) {
        own.insert(nodes(i));
        entries[nodes(i)].push_back(i);
        for (int slot = slots(i).first; slot < slots(i).first + slots(i).count; ++slot) {
          EXPECT_LT(slot, Lists::slots_of(size));
          EXPECT_TRUE(node_of_slot.emplace(slot, nodes(i)).second) << "slot of two nodes";
        }
      }
      EXPECT_EQ(own.size(), static_cast<std::size_t>(end - begin)) << "a node twice in patch " << patch;
      EXPECT_LE(end - begin, p.most_nodes);
      std::set<int> written;
      const auto last = std::min<std::size_t>((patch + 1) * size, cells.extent(0));
      for (std::size_t k = patch * size; k < last; ++k)
        for (int n = 0; n < Pair::nodes; ++n) {
          ASSERT_LT(places(k).node[n], end - begin);
          EXPECT_EQ(nodes(begin + places(k).node[n]), cells(k, n));
          EXPECT_TRUE(written.insert(places(k).slot[n]).second) << "a slot of two results";
          EXPECT_EQ(node_of_slot.at(places(k).slot[n]), cells(k, n));
        }
      EXPECT_EQ(written.size(), node_of_slot.size()) << "a slot without a result";
    }
    expect_sums(mesh.num_nodes(), p, entries);
  }

  /// A node is inside its only patch, or shared: its patches' sums follow each other.
  template <class Element>
  static void expect_sums(Ordinal num_nodes, const ElementPatches<Element, ExecutionSpace>& p,
                          const std::map<Ordinal, std::vector<Ordinal>>& entries) {
    const auto shared = on_host(p.shared_nodes), offsets = on_host(p.sum_offsets), sums = on_host(p.sums);
    std::map<Ordinal, std::vector<Ordinal>> listed;
    for (std::size_t i = 0; i < shared.extent(0); ++i) {
      auto& places = listed[shared(i)];
      for (Ordinal k = offsets(i); k < offsets(i + 1); ++k) places.push_back(k);
    }
    for (Ordinal node = 0; node < num_nodes; ++node) {
      const auto found = entries.find(node);
      std::vector<Ordinal> places;
      if (found != entries.end())
        for (const Ordinal entry : found->second) places.push_back(sums(entry));
      if (places.size() == 1) {
        EXPECT_EQ(places[0], -1) << "node " << node;
        EXPECT_EQ(listed.count(node), 0u) << "node " << node;
      } else
        EXPECT_EQ(listed.at(node), places) << "node " << node;
    }
    EXPECT_EQ(offsets(shared.extent(0)), p.num_sums);
  }

  /// Of reading a cell's nodes, as placed and in the order of their numbers; of walking along the slots.
  template <class Element>
  static std::array<double, 3> conflicts(const MeshType<Element>& mesh) {
    using Lists = ElementPatches<Element, ExecutionSpace>;
    const auto p = element_patches(ExecutionSpace(), mesh, Lists::most_cells);
    const auto places = on_host(p.places);
    const auto offsets = on_host(p.offsets), nodes = on_host(p.nodes);
    const auto slots = on_host(p.slots);
    Conflicts placed, ascending, sums;
    for (Ordinal patch = 0; patch < p.patches; ++patch) {
      const Ordinal begin = offsets(patch), end = offsets(patch + 1);
      std::vector<Ordinal> sorted;
      for (Ordinal i = begin; i < end; ++i) sorted.push_back(nodes(i));
      std::sort(sorted.begin(), sorted.end());
      const auto last = std::min<std::size_t>((patch + 1) * p.size, places.extent(0));
      for (int n = 0; n < ElementPair<Element>::nodes; ++n) {
        std::vector<int> at, rank;
        for (std::size_t k = patch * p.size; k < last; ++k) {
          at.push_back(places(k).node[n]);
          const Ordinal node = nodes(begin + at.back());
          rank.push_back(
              static_cast<int>(std::lower_bound(sorted.begin(), sorted.end(), node) - sorted.begin()));
        }
        placed.add(at);
        ascending.add(rank);
      }
      for (Ordinal i = begin; i < end; i += bank_pairs) { // the first step of 16 lanes
        std::vector<int> at;
        for (Ordinal k = i; k < std::min<Ordinal>(i + bank_pairs, end); ++k) at.push_back(slots(k).first);
        sums.add(at);
      }
    }
    return {placed.degree(), ascending.degree(), sums.degree()};
  }
};
TYPED_TEST_SUITE(Patches, test::ExecutionSpaceTypes, test::ExecutionSpaceName);

TYPED_TEST(Patches, PairElementsWithACommonSide) {
  EXPECT_GT((TestFixture::template expect_pairs<Tri<1>>(
                test::distorted_box<Tri<1>, TypeParam>({{9, 7, 1}, {1, 1, 1}}))),
            0.7);
  EXPECT_GT((TestFixture::template expect_pairs<Quad<1>>(
                test::distorted_box<Quad<1>, TypeParam>({{9, 7, 1}, {1, 1, 1}}))),
            0.7);
  EXPECT_GT((TestFixture::template expect_pairs<Tet<1>>(
                test::distorted_box<Tet<1>, TypeParam>({{4, 3, 5}, {1, 1, 1}}))),
            0.7);
  EXPECT_EQ((TestFixture::template expect_pairs<Hex<1>>(
                test::distorted_box<Hex<1>, TypeParam>({{4, 3, 2}, {1, 1, 1}}))),
            0);
}

TEST(ElementPair, TakesTwoElementsThatSeeTheirSideFromItsOwnEnds) {
  const Ordinal e[] = {5, 7, 2}, beyond[] = {9, 2, 7}, folded[] = {9, 7, 2}, corner[] = {9, 2, 8};
  Ordinal cell[4];
  EXPECT_TRUE(ElementPair<Tri<1>>::set_pair(e, beyond, cell));
  EXPECT_EQ(std::vector<Ordinal>(cell, cell + 4), (std::vector<Ordinal>{7, 2, 5, 9}));
  EXPECT_FALSE(ElementPair<Tri<1>>::set_pair(e, folded, cell)) << "both lie on one side of 7-2";
  EXPECT_FALSE(ElementPair<Tri<1>>::set_pair(e, corner, cell));
  ElementPair<Tri<1>>::set_single(e, cell);
  EXPECT_FALSE(ElementPair<Tri<1>>::is_pair(cell));
}

TYPED_TEST(Patches, GiveEveryResultASlotOfItsNode) {
  const auto tets = test::distorted_box<Tet<1>, TypeParam>({{5, 4, 3}, {1, 1, 1}});
  const auto quads = test::distorted_box<Quad<1>, TypeParam>({{17, 13, 1}, {1, 1, 1}});
  for (const int size : {1, 3, 32}) {
    TestFixture::template expect_lists<Tet<1>>(tets, size);
    TestFixture::template expect_lists<Quad<1>>(quads, size);
  }
  TestFixture::template expect_lists<Tet<1>>(tets, ElementPatches<Tet<1>, TypeParam>::most_cells);
  TestFixture::template expect_lists<Tri<1>>(test::distorted_box<Tri<1>, TypeParam>({{15, 13, 1}, {1, 1, 1}}),
                                             ElementPatches<Tri<1>, TypeParam>::most_cells);
  TestFixture::template expect_lists<Hex<2>>(test::distorted_box<Hex<2>, TypeParam>({{4, 3, 3}, {1, 1, 1}}),
                                             ElementPatches<Hex<2>, TypeParam>::most_cells);
}

TYPED_TEST(Patches, KeepTheLanesOfAHalfWarpInDifferentBanks) {
  const auto tets =
      TestFixture::template conflicts<Tet<1>>(io::box_mesh<Tet<1>, TypeParam>({{12, 11, 10}, {1, 1, 1}}));
  const auto quads =
      TestFixture::template conflicts<Quad<1>>(io::box_mesh<Quad<1>, TypeParam>({{50, 40, 1}, {1, 1, 1}}));
  EXPECT_LT(tets[0], 1.3);
  EXPECT_GT(tets[1], 1.6) << "the bound says nothing";
  EXPECT_LT(quads[0], 1.6);
  EXPECT_GT(quads[1], 2.0) << "the bound says nothing";
  EXPECT_LT(tets[2], 1.2);
  EXPECT_LT(quads[2], 1.2);
}

} // namespace strategies_element_loops_element_patches
