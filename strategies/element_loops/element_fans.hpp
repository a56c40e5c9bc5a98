// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Fans of tetrahedra around a common edge, for threads that take several elements in a row.

#include <tessera/core/allocate.hpp>
#include <tessera/core/mesh/mesh.hpp>
#include <tessera/core/types.hpp>
#include <tessera/strategies/element_loops/element_pairs.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace tessera {

/// Up to six linear tetrahedra that share an edge, the hub, each with a side in common with the next. Nodes:
/// the hub's, then the rim's; element i has the hub, rim node i and rim node i + 1, in an order that keeps
/// its orientation. A fan of fewer turns back and forth over its last element: beyond its end, rim node i + 1
/// is rim node i - 1.
template <class Element>
struct ElementFan {
  static_assert(Element::affine_simplex && Element::dimension == 3, "ElementFan: linear tetrahedra");
  static constexpr int most = 6; ///< a cube's tetrahedra around its diagonal
  static constexpr int hub = 2, rim = most + 1, nodes = hub + rim;

  /// Whether a fan with these nodes has an element i.
  template <class Nodes>
  KOKKOS_FORCEINLINE_FUNCTION static bool has(const Nodes& node, int i) {
    return i == 0 || node[hub + i + 1] != node[hub + i - 1];
  }
  /// The fan's node that is node n of its element i.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int node(int i, int n) { return n < hub ? n : n + i; }

  /// Elements of the mesh's order among which a fan is sought; cubes of 5 or 6 tetrahedra are not torn.
  static constexpr int block = 60;

  /// The mesh's numbers of a fan's elements in one word, a third of what they take one by one: places in the
  /// block, and above them the block.
  struct Members {
    static constexpr int bits = 6;
    static_assert(block <= 1 << bits && most * bits + 26 <= 64, "a block's number has 26 bits");
    std::uint64_t word = 0;

    KOKKOS_FORCEINLINE_FUNCTION Ordinal operator()(int i) const {
      return static_cast<Ordinal>(word >> most * bits) * block +
             static_cast<Ordinal>(word >> i * bits & ((1 << bits) - 1));
    }
  };
};

/// All elements of a mesh as fans, in the mesh's order as far as it can be kept. Entries of neighbouring fans
/// lie side by side.
template <class Element, class ExecutionSpace>
struct ElementFans {
  using Fan = ElementFan<Element>;
  using Nodes = Kokkos::View<Ordinal * [Fan::nodes], Kokkos::LayoutLeft, ExecutionSpace>;
  using Members = Kokkos::View<typename Fan::Members*, ExecutionSpace>;

  Nodes nodes;
  Members elements; ///< `elements(fan)(i)`: the number of element i; beyond the fan's end the last one's

  Ordinal count() const { return static_cast<Ordinal>(nodes.extent(0)); }
  std::size_t bytes() const { return bytes_of(nodes) + bytes_of(elements); }
};

namespace detail {

/// Looks for fans among the elements of a block of the mesh's order: each element that is left starts one
/// around the hub that gives the longest.
template <class Element, class ExecutionSpace>
struct BuildFans {
  using Fan = ElementFan<Element>;
  using Pair = ElementPair<Element>;
  using Connectivity = typename MeshKernel<Element, ExecutionSpace>::Connectivity;
  static constexpr int block = Fan::block;

  Connectivity connectivity;
  Kokkos::View<Ordinal*, ExecutionSpace> first; ///< block (+1): its fans, then its first fan
  ElementFans<Element, ExecutionSpace> fans;

  struct Count {};
  struct Scan {};
  struct Fill {};

  /// A fan that grows at both ends.
  struct Growing {
    Ordinal hub[Fan::hub] = {}, rim[2 * Fan::most + 2];
    int element[2 * Fan::most + 2]; ///< position in the block
    int begin = Fan::most, length = 0;
    std::uint64_t members = 0;
  };

  KOKKOS_FUNCTION void operator()(Count, Ordinal b) const {
    Ordinal count = 0;
    for_each_fan(b, [&](const Growing&) { ++count; });
    first(b) = count;
  }
  KOKKOS_FUNCTION void operator()(Scan, Ordinal b, Ordinal& sum, bool final) const {
    const Ordinal count = b + 1 < static_cast<Ordinal>(first.extent(0)) ? first(b) : 0;
    if (final) first(b) = sum;
    sum += count;
  }
  KOKKOS_FUNCTION void operator()(Fill, Ordinal b) const {
    Ordinal at = first(b);
    for_each_fan(b, [&](const Growing& fan) {
      for (int n = 0; n < Fan::hub; ++n) fans.nodes(at, n) = fan.hub[n];
      for (int i = 0; i < Fan::rim; ++i)
        fans.nodes(at, Fan::hub + i) =
            fan.rim[fan.begin + (i <= fan.length ? i : fan.length - (i - fan.length) % 2)];
      auto word = static_cast<std::uint64_t>(b);
      for (int i = Fan::most - 1; i >= 0; --i)
        word = word << Fan::Members::bits | fan.element[fan.begin + (i < fan.length ? i : fan.length - 1)];
      fans.elements(at).word = word;
      ++at;
    });
  }

private:
  template <class Visit>
  KOKKOS_FUNCTION void for_each_fan(Ordinal b, const Visit& visit) const {
    const Ordinal left = static_cast<Ordinal>(connectivity.extent(0)) - b * block;
    const int count = left < block ? left : block;
    std::uint64_t taken = 0;
    for (int i = 0; i < count; ++i) {
      if (taken >> i & 1) continue;
      Growing best;
      for (int turn = 0; turn < Pair::turns && best.length < Fan::most; ++turn) {
        if (Pair::turned(turn, 0) > Pair::turned(turn, 1)) continue; // the same, backwards
        const Growing fan = grown(b, count, taken, i, turn);
        if (fan.length > best.length) best = fan;
      }
      taken |= best.members;
      visit(best);
    }
  }

  /// The longest fan of free elements around the first corners of element i, turned.
  KOKKOS_FUNCTION Growing grown(Ordinal b, int count, std::uint64_t taken, int i, int turn) const {
    constexpr int last = Element::nodes - 1;
    Growing fan;
    for (int n = 0; n < Fan::hub; ++n) fan.hub[n] = corner(b, i, turn, n);
    fan.rim[fan.begin] = corner(b, i, turn, last - 1);
    fan.rim[fan.begin + 1] = corner(b, i, turn, last);
    fan.element[fan.begin] = i;
    fan.length = 1;
    fan.members = std::uint64_t(1) << i;
    grow(b, count, taken, true, fan);
    grow(b, count, taken, false, fan);
    return fan;
  }
  KOKKOS_FUNCTION void grow(Ordinal b, int count, std::uint64_t taken, bool forward, Growing& fan) const {
    for (bool found = true; found && fan.length < Fan::most;) {
      found = false;
      for (int j = 0; j < count && !found; ++j)
        if (((taken | fan.members) >> j & 1) == 0) found = joins(b, j, forward, fan);
    }
  }
  /// Whether element j meets the fan's end in a side; it is then the fan's.
  KOKKOS_FUNCTION bool joins(Ordinal b, int j, bool forward, Growing& fan) const {
    constexpr int last = Element::nodes - 1;
    const Ordinal end = fan.rim[forward ? fan.begin + fan.length : fan.begin];
    for (int turn = 0; turn < Pair::turns; ++turn) {
      bool meets = corner(b, j, turn, forward ? last - 1 : last) == end;
      for (int n = 0; n < Fan::hub; ++n) meets = meets && corner(b, j, turn, n) == fan.hub[n];
      if (!meets) continue;
      if (!forward) --fan.begin;
      ++fan.length;
      fan.element[forward ? fan.begin + fan.length - 1 : fan.begin] = j;
      fan.rim[forward ? fan.begin + fan.length : fan.begin] = corner(b, j, turn, forward ? last : last - 1);
      fan.members |= std::uint64_t(1) << j;
      return true;
    }
    return false;
  }
  KOKKOS_FUNCTION Ordinal corner(Ordinal b, int i, int turn, int n) const {
    return connectivity(b * block + i, Pair::turned(turn, n));
  }
};

} // namespace detail

/// Makes fans of elements, on the device.
/// \param mesh its connectivity, in the order that gives the elements their numbers
/// \throws OutOfMemoryError
template <class Element, class ExecutionSpace>
ElementFans<Element, ExecutionSpace> element_fans(const ExecutionSpace& exec,
                                                  const MeshKernel<Element, ExecutionSpace>& mesh) {
  using Builder = detail::BuildFans<Element, ExecutionSpace>;
  using Fans = ElementFans<Element, ExecutionSpace>;
  const auto elements = static_cast<Ordinal>(mesh.connectivity.extent(0));
  const Ordinal blocks = (elements + Builder::block - 1) / Builder::block;
  Builder b{mesh.connectivity,
            allocate<Kokkos::View<Ordinal*, ExecutionSpace>>(exec, "Tessera::ElementFans::first", blocks + 1),
            {}};
  const auto over = [&](auto tag, Ordinal count) {
    return Kokkos::RangePolicy<ExecutionSpace, decltype(tag)>(exec, 0, count);
  };
  Ordinal count = 0;
  Kokkos::parallel_for("Tessera::ElementFans::count", over(typename Builder::Count(), blocks), b);
  Kokkos::parallel_scan("Tessera::ElementFans::scan", over(typename Builder::Scan(), blocks + 1), b, count);
  b.fans.nodes = allocate<typename Fans::Nodes>(exec, "Tessera::ElementFans::nodes", count);
  b.fans.elements = allocate<typename Fans::Members>(exec, "Tessera::ElementFans::elements", count);
  Kokkos::parallel_for("Tessera::ElementFans::fill", over(typename Builder::Fill(), blocks), b);
  return b.fans;
}

} // namespace tessera
