// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <tessera/core/types.hpp>
#include <tessera/strategies/assembly/detail/reduction/reduction_array.hpp>

#include <gtest/gtest.h>

#include "support/on_host.hpp"
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tessera::test {

/// A list as the kernels read it: sources, then one target or two.
struct ReductionList {
  std::vector<std::uint32_t> sources;
  std::vector<Ordinal> targets;
};

template <class ExecutionSpace>
std::vector<ReductionList> read_lists(const assembly::detail::ReductionArray<ExecutionSpace>& array,
                                      Ordinal group) {
  const auto offsets = on_host(array.offsets);
  const auto entries = on_host(array.entries);
  EXPECT_EQ((offsets(group + 1) - offsets(group)) % array.bins, 0u);
  std::vector<ReductionList> lists;
  for (Ordinal bin = 0; bin < array.bins; ++bin) {
    ReductionList list;
    bool ended = false, padding = false;
    for (Offset at = offsets(group) + bin; at < offsets(group + 1); at += array.bins) {
      const auto code = entries(at);
      if (code > 0 && ended) {
        lists.push_back(list);
        list = {};
        ended = false;
      }
      EXPECT_FALSE(padding && code != 0) << "zeros end a bin";
      padding = code == 0;
      if (code > 0) list.sources.push_back(static_cast<std::uint32_t>(code - 1));
      if (code < 0) {
        list.targets.push_back(-code - 1);
        ended = true;
      }
    }
    EXPECT_EQ(ended, !list.sources.empty()) << "every list ends with a target";
    if (ended) lists.push_back(list);
  }
  return lists;
}

/// Longest list and average load bound the height of greedy dealing (Graham 1969).
template <class ExecutionSpace>
void expect_dealt(const assembly::detail::ReductionArray<ExecutionSpace>& array, Ordinal group,
                  const std::vector<ReductionList>& lists) {
  const auto offsets = on_host(array.offsets);
  std::size_t longest = 0, sum = 0;
  for (const ReductionList& list : lists) {
    longest = std::max(longest, list.sources.size() + list.targets.size());
    sum += list.sources.size() + list.targets.size();
  }
  const double height = static_cast<double>(offsets(group + 1) - offsets(group)) / array.bins;
  EXPECT_LE(height, static_cast<double>(sum) / array.bins + longest * (1.0 - 1.0 / array.bins) + 1e-9);
}

} // namespace tessera::test
