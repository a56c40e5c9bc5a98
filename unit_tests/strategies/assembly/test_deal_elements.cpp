// SPDX-License-Identifier: BSD-3-Clause
// The order of a patch's elements for the lanes of warps.

#include <tessera/core/execution_spaces.hpp>
#include <tessera/strategies/assembly/detail/patch/deal_elements.hpp>
#include <tessera/strategies/assembly/patch.hpp>

#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/meshes/test_meshes.hpp"
#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace strategies_assembly_deal_elements {

using namespace tessera;
using namespace tessera::test;
using assembly::Patch;
using assembly::PatchMethod;

/// How often an element of a hand has a node where one before it in the hand has it, and how many kinds of
/// elements, by which of their nodes are the patch's, the hands have.
template <class Lists>
std::pair<int, int> meetings_and_kinds(const Lists& lists) {
  const auto offsets = to_host(lists.element_offsets);
  const auto codes = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), lists.codes);
  std::pair<int, int> found;
  for (Ordinal p = 0; p < lists.patches; ++p)
    for (Ordinal begin = offsets[p]; begin < offsets[p + 1]; begin += 32) {
      std::set<std::pair<int, Ordinal>> held;
      std::set<int> kinds;
      for (Ordinal slot = begin; slot < std::min(begin + 32, offsets[p + 1]); ++slot) {
        int kind = 0;
        bool meets = false;
        for (int n = 0; n < 4; ++n)
          if (codes(slot, n) >= 0) {
            kind += 1 << n;
            meets = !held.emplace(n, codes(slot, n)).second || meets;
          }
        kinds.insert(kind);
        found.first += meets ? 1 : 0;
      }
      found.second += static_cast<int>(kinds.size());
    }
  return found;
}

template <class ExecutionSpace>
class DealElements : public ::testing::Test {};
TYPED_TEST_SUITE(DealElements, ExecutionSpaceTypes, ExecutionSpaceName);

TYPED_TEST(DealElements, DealsElementsToHandsThatAddEvenlyAndSeldomMeet) {
  const FunctionSpace<Tet<1>, TypeParam> space(
      distorted_box<Tet<1>, TypeParam>({{12, 12, 12}, {1.3, 1.0, 0.8}}), 1);
  const auto graph = sparsity_graph(TypeParam(), space);
  const auto plan = Patch{.method = PatchMethod::recomputed, .scratch_bytes = 32000}.plan(space, graph);
  const auto& lists = plan.lists();
  const auto dealt = assembly::detail::deal_elements(TypeParam(), lists);
  const auto offsets = to_host(lists.element_offsets);
  EXPECT_EQ(to_host(dealt.element_offsets), offsets);
  const auto elements = to_host(lists.elements), moved = to_host(dealt.elements);
  const auto codes = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), lists.codes);
  const auto moved_codes = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), dealt.codes);
  for (Ordinal p = 0; p < lists.patches; ++p) {
    std::map<Ordinal, Ordinal> slot_of;
    for (Ordinal slot = offsets[p]; slot < offsets[p + 1]; ++slot) slot_of[elements[slot]] = slot;
    std::set<Ordinal> seen;
    for (Ordinal slot = offsets[p]; slot < offsets[p + 1]; ++slot) {
      ASSERT_TRUE(slot_of.contains(moved[slot]));
      EXPECT_TRUE(seen.insert(moved[slot]).second);
      for (int n = 0; n < 4; ++n) EXPECT_EQ(moved_codes(slot, n), codes(slot_of[moved[slot]], n));
    }
  }
  const auto before = meetings_and_kinds(lists), after = meetings_and_kinds(dealt);
  EXPECT_LT(2 * after.first, before.first);
  EXPECT_LT(2 * after.second, before.second);
}

} // namespace strategies_assembly_deal_elements
