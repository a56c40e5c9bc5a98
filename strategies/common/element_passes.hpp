// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// A block's elements in passes that fit into scratch.

#include <tessera/strategies/common/block_lists.hpp>
#include <tessera/strategies/common/blocks.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <vector>

namespace tessera {

/// A block's elements in passes of at most `size` elements. Groups number the passes of all blocks.
template <class ExecutionSpace>
struct ElementPasses {
  Ordinal size = 1;
  Ordinal groups = 0;
  Kokkos::View<Ordinal*, ExecutionSpace> first_group; ///< block (+1)
  Kokkos::View<Ordinal*, ExecutionSpace> block_of_group;

  std::size_t bytes() const { return bytes_of(first_group) + bytes_of(block_of_group); }
  /// Position of a group's first element in its block's list.
  KOKKOS_FORCEINLINE_FUNCTION Ordinal begin(Ordinal group) const {
    return (group - first_group(block_of_group(group))) * size;
  }
};

/// Cuts each block's elements into passes.
template <class ExecutionSpace>
ElementPasses<ExecutionSpace> element_passes(const ExecutionSpace& exec,
                                             const BlockLists<ExecutionSpace>& elements, Ordinal size) {
  const auto offsets = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), elements.offsets);
  const auto blocks = static_cast<Ordinal>(offsets.extent(0)) - 1;
  std::vector<Ordinal> first{0}, block_of_group;
  for (Ordinal block = 0; block < blocks; ++block) {
    const auto count = static_cast<Ordinal>(offsets(block + 1) - offsets(block));
    // Nodes without elements have a right-hand side to write, so that every block has a pass.
    block_of_group.insert(block_of_group.end(), std::max(1, (count + size - 1) / size), block);
    first.push_back(static_cast<Ordinal>(block_of_group.size()));
  }
  return {size, static_cast<Ordinal>(block_of_group.size()), detail::to_device(exec, "first_group", first),
          detail::to_device(exec, "block_of_group", block_of_group)};
}

/// Numbers of the elements of one pass of a block; the `local` of `reduction_array`.
template <class ExecutionSpace>
struct ElementOfGroup {
  BlockLists<ExecutionSpace> elements;
  ElementPasses<ExecutionSpace> passes;

  KOKKOS_FUNCTION Ordinal operator()(Ordinal group, Ordinal e) const {
    const Ordinal position = elements.find(passes.block_of_group(group), e);
    const Ordinal number = position - passes.begin(group);
    return position >= 0 && number >= 0 && number < passes.size ? number : -1;
  }
};

} // namespace tessera
