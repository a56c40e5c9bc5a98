// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What sides of several blocks must not be, if loads on them are to mean one thing.

#include <tessera/core/blocks/mixed_mesh.hpp>
#include <tessera/core/blocks/mixed_sides.hpp>
#include <tessera/core/space/detail/loaded_sides.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace tessera::detail {

template <class List, class ExecutionSpace>
class LoadedBlocks;
/// The sides of a set by their corners, those of one block after those of the one before.
template <class... Elements, class ExecutionSpace>
class LoadedBlocks<Blocks<Elements...>, ExecutionSpace> {
  using Mixed = MixedMesh<Blocks<Elements...>, ExecutionSpace>;

public:
  /// \throws ArgumentError, which begins with `who`, for sides that a block does not have
  LoadedBlocks(std::string who, const Mixed& mesh, const typename Mixed::SideSet& sides)
      : who_(std::move(who)), mesh_(mesh) {
    corners_.reserve(sides.count());
    mesh.for_each_block([&]<class Element>(const Mesh<Element, ExecutionSpace>& block) {
      enter(block, sides.template block<Element>());
    });
  }

  /// \throws ArgumentError if a face stands twice, of one block or of two
  void check_faces() const { check_faces_differ(who_, corners_); }
  /// \throws ArgumentError for neighbours inside the mesh that a pressure would push in opposite directions
  void check_turns() const { check_turned_alike(who_, mesh_, corners_); }

private:
  template <class Element, class Set>
  void enter(const Mesh<Element, ExecutionSpace>& block, const Set& sides) {
    if (sides.extent(0) == 0) return;
    if (const auto wrong = first_wrong_side(default_instance<ExecutionSpace>(), block, sides); !wrong.empty())
      throw ArgumentError(who_ + "sides of " + Element::name + ": " + wrong);
    constexpr auto side_nodes = Element::side_nodes();
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), sides);
    const auto nodes = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), block.connectivity());
    for (std::size_t s = 0; s < host.extent(0); ++s) {
      auto& corners = corners_.emplace_back();
      corners.fill(-1);
      for (int n = 0; n < side_corners_of<Element>(host(s, 1)); ++n)
        corners[to_size(n)] = nodes(host(s, 0), side_nodes[to_size(host(s, 1))][to_size(n)]);
    }
  }

  std::string who_;
  const Mixed& mesh_;
  std::vector<std::array<Ordinal, most_side_corners<Elements...>>> corners_;
};
template <class List, class ExecutionSpace>
LoadedBlocks(const char*, const MixedMesh<List, ExecutionSpace>&, const MixedSides<List, ExecutionSpace>&)
    -> LoadedBlocks<List, ExecutionSpace>;

} // namespace tessera::detail
