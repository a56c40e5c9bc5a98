// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The order of a patch's elements in which the lanes of a warp add evenly and seldom to one place.

#include <tessera/core/allocate.hpp>
#include <tessera/core/graphs/detail/counting_sort.hpp>
#include <tessera/strategies/assembly/detail/patch/patch_lists.hpp>

#include <Kokkos_Core.hpp>

#include <bit>
#include <cstdint>
#include <string>

namespace TESSERA_KERNELS::assembly::detail {

/// Deals the elements of patches to hands of lanes that add to scratch together, node after node and pair
/// after pair.
///
/// Lanes without anything to add wait for the others: elements that have the same of their nodes in the patch
/// follow each other, those with all of them first. Lanes that add to one place take turns: a hand has no two
/// elements with the same node at the same position as long as the next ones of the patch allow it.
template <class Element, class ExecutionSpace>
struct DealElements {
  using Lists = PatchLists<Element, ExecutionSpace>;
  using Numbers = typename Lists::Numbers;

  static constexpr Ordinal hand = warp_lanes; ///< lanes
  static constexpr Ordinal window = 256;      ///< elements that are looked at for a hand
  static constexpr int told_apart = 8; ///< nodes of elements that are told apart; of others they are counted

  Lists lists;
  Kokkos::View<std::uint64_t*, ExecutionSpace> keys; ///< of slots
  Numbers sorted;                                    ///< slots by patch and by which nodes are the patch's
  Numbers next;                                      ///< place in `sorted`: that of the next one that is left
  Numbers holder; ///< position in `nodes` × node of an element: first slot of the hand that has it there
  Numbers dealt;  ///< slot: the one whose element it gets

  struct SetKeys {};
  struct Deal {};

  static constexpr std::uint64_t kinds = std::uint64_t{1} << told_apart;
  static_assert(Element::nodes < 256);
  /// 0 for elements all of whose nodes are the patch's.
  KOKKOS_FUNCTION std::uint64_t kind(Ordinal slot) const {
    std::uint64_t kind = 0;
    for (int n = 0; n < Element::nodes; ++n)
      if (lists.codes(slot, n) < 0) kind += Element::nodes <= told_apart ? std::uint64_t{1} << n : 1;
    return kind;
  }

  /// Keys of the slots of a patch.
  KOKKOS_FUNCTION void operator()(SetKeys, Ordinal patch) const {
    for (Ordinal slot = lists.element_offsets(patch); slot < lists.element_offsets(patch + 1); ++slot)
      keys(slot) = patch * kinds + kind(slot);
  }

  KOKKOS_FUNCTION void operator()(Deal, Ordinal patch) const {
    const Ordinal begin = lists.element_offsets(patch), end = lists.element_offsets(patch + 1);
    for (Ordinal k = begin; k < end; ++k) next(k) = k + 1;
    for (Offset k = first_place(lists.node_offsets(patch)); k < first_place(lists.node_offsets(patch + 1));
         ++k)
      holder(k) = -1;
    Ordinal head = begin;
    for (Ordinal slot = begin; slot < end;) {
      const Ordinal first = slot, stop = Kokkos::min(end, slot + hand);
      Ordinal before = -1, at = head;
      for (Ordinal looked = 0; looked < window && at < end && slot < stop; ++looked) {
        const Ordinal after = next(at);
        if (take(patch, sorted(at), first)) {
          dealt(slot++) = sorted(at);
          (before < 0 ? head : next(before)) = after;
        } else {
          before = at;
        }
        at = after;
      }
      for (; slot < stop; head = next(head)) dealt(slot++) = sorted(head);
    }
  }

  KOKKOS_FUNCTION static Offset first_place(Ordinal position) {
    return static_cast<Offset>(position) * Element::nodes;
  }

  /// Whether no element of the hand that begins at slot `first` has a node where this one has it; then the
  /// hand has it.
  KOKKOS_FUNCTION bool take(Ordinal patch, Ordinal slot, Ordinal first) const {
    const auto place = [&](int n) {
      return first_place(lists.node_offsets(patch) + lists.codes(slot, n)) + n;
    };
    for (int n = 0; n < Element::nodes; ++n)
      if (lists.codes(slot, n) >= 0 && holder(place(n)) == first) return false;
    for (int n = 0; n < Element::nodes; ++n)
      if (lists.codes(slot, n) >= 0) holder(place(n)) = first;
    return true;
  }
};

/// The lists with the elements of each patch dealt to hands.
/// \throws OutOfMemoryError
template <class Element, class ExecutionSpace>
PatchLists<Element, ExecutionSpace> deal_elements(const ExecutionSpace& exec,
                                                  const PatchLists<Element, ExecutionSpace>& lists) {
  using Dealer = DealElements<Element, ExecutionSpace>;
  using Numbers = typename Dealer::Numbers;
  const auto over = [&]<class Phase>(Phase) {
    return Kokkos::RangePolicy<ExecutionSpace, Phase>(exec, 0, lists.patches);
  };
  const auto numbers = [&](const char* what, std::size_t extent) {
    return allocate<Numbers>(exec, std::string("Tessera::DealElements::") + what, extent);
  };
  const auto slots = static_cast<Ordinal>(lists.elements.extent(0));
  Dealer dealer{lists,
                allocate<decltype(Dealer::keys)>(exec, "Tessera::DealElements::keys", slots),
                {},
                numbers("next", slots),
                numbers("holder", lists.nodes.extent(0) * Element::nodes),
                numbers("dealt", slots)};
  Kokkos::parallel_for("Tessera::DealElements::keys", over(typename Dealer::SetKeys()), dealer);
  dealer.sorted =
      tessera::detail::radix_sort(exec, dealer.keys, std::bit_width(lists.patches * Dealer::kinds));
  Kokkos::parallel_for("Tessera::DealElements::deal", over(typename Dealer::Deal()), dealer);
  auto result = lists;
  result.elements = numbers("elements", slots);
  result.codes = allocate<decltype(result.codes)>(exec, "Tessera::DealElements::codes", slots);
  const auto dealt = dealer.dealt;
  const auto elements = result.elements;
  const auto codes = result.codes;
  Kokkos::parallel_for(
      "Tessera::DealElements::move", Kokkos::RangePolicy<ExecutionSpace>(exec, 0, slots),
      KOKKOS_LAMBDA(const Ordinal slot) {
        elements(slot) = lists.elements(dealt(slot));
        for (int n = 0; n < Element::nodes; ++n) codes(slot, n) = lists.codes(dealt(slot), n);
      });
  exec.fence("Tessera::DealElements::move");
  return result;
}

} // namespace TESSERA_KERNELS::assembly::detail
