// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Pairs of elements with a common side, whose common nodes a thread reads and sums once.

#include <tessera/core/allocate.hpp>
#include <tessera/core/elements/element.hpp>
#include <tessera/core/mesh/mesh.hpp>
#include <tessera/core/types.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace tessera {

/// Two elements that meet in a side, as one cell: first the nodes of one, then those that only the other has.
/// Linear simplices and bilinear quadrilaterals make pairs, for any side of theirs can be turned to lie first
/// without a change of orientation; a cell of all others is one element. An element without a partner is a
/// cell whose second element is its mirror image and does not count.
template <class Element>
struct ElementPair {
  static constexpr bool quadrilateral = Element::shape == Shape::quadrilateral && Element::order == 1;
  static constexpr int elements = Element::affine_simplex || quadrilateral ? 2 : 1;
  static constexpr int apart = elements == 1 ? 0 : quadrilateral ? 2 : 1; ///< nodes that one of two has alone
  static constexpr int nodes = Element::nodes + apart;

  /// The cell's node that is node n of its element i.
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int node(int i, int n) {
    if (i == 0) return n;
    if constexpr (quadrilateral)
      return n == 0 ? 1 : n == 3 ? 2 : n + 3;
    else
      return n < 2 ? 1 - n : n == Element::dimension ? n + 1 : n;
  }

  /// Whether a cell has two elements.
  template <class Nodes>
  KOKKOS_FORCEINLINE_FUNCTION static bool is_pair(const Nodes& cell) {
    return elements == 2 && cell[nodes - 1] != cell[Element::nodes - 1];
  }

  KOKKOS_FUNCTION static void set_single(const Ordinal (&e)[Element::nodes], Ordinal (&cell)[nodes]) {
    for (int n = 0; n < Element::nodes; ++n) cell[n] = e[n];
    for (int n = 0; n < apart; ++n)
      cell[Element::nodes + n] = e[quadrilateral && n == 0 ? 0 : Element::nodes - 1];
  }

  /// Makes a cell of two elements; false if they do not meet in one side, each seeing it from its own.
  KOKKOS_FUNCTION static bool set_pair(const Ordinal (&e)[Element::nodes], const Ordinal (&f)[Element::nodes],
                                       Ordinal (&cell)[nodes]) {
    int common = 0;
    for (int n = 0; n < Element::nodes; ++n)
      for (int m = 0; m < Element::nodes; ++m) common += e[n] == f[m] ? 1 : 0;
    if (common != Element::nodes - apart) return false;
    for (int s = 0; s < turns; s += turns_of_side) {
      for (int n = 0; n < Element::nodes; ++n) cell[n] = e[turned(s, n)];
      for (int t = 0; t < turns; ++t) {
        bool meets = true;
        for (int n = 0; n < Element::nodes; ++n) {
          const Ordinal corner = f[turned(t, n)];
          if (node(1, n) < Element::nodes)
            meets = meets && corner == cell[node(1, n)];
          else
            cell[node(1, n)] = corner;
        }
        if (meets) return true;
      }
    }
    return false;
  }

  static constexpr int turns_of_side = Element::shape == Shape::tetrahedron ? 3 : 1;
  static constexpr int turns = Element::nodes * turns_of_side; ///< orders that keep the orientation

  /// Corner n of an element in one of these orders.
  KOKKOS_FUNCTION static constexpr int turned(int turn, int n) {
    if constexpr (Element::shape == Shape::tetrahedron)
      return (n < 3 ? (n + turn) % 3 : 3) ^ (turn / 3); // exchanging two pairs of corners is even
    else
      return (n + turn) % Element::nodes;
  }
};

/// Cells of one or two elements.
template <class Element, class ExecutionSpace>
struct PairedElements {
  Kokkos::View<Ordinal * [ElementPair<Element>::nodes], ExecutionSpace> cells; ///< (cell, node)
  Kokkos::View<Ordinal*, ExecutionSpace> numbers; ///< cell * elements + i: the mesh's number of its element i
};

namespace detail {

/// Looks for partners among the elements of a block of an order, each element in turn for the next free one.
template <class Element, class ExecutionSpace>
struct PairElements {
  using Pair = ElementPair<Element>;
  using Connectivity = typename MeshKernel<Element, ExecutionSpace>::Connectivity;
  static constexpr int block = 64;

  Connectivity connectivity;
  Kokkos::View<const Ordinal*, ExecutionSpace> order;
  Kokkos::View<Ordinal*, ExecutionSpace> partners; ///< position in the order; an element's own if it has none
  PairedElements<Element, ExecutionSpace> paired;  ///< empty while cells are counted

  struct Match {};
  struct Number {};

  KOKKOS_FUNCTION void read(Ordinal position, Ordinal (&e)[Element::nodes]) const {
    for (int n = 0; n < Element::nodes; ++n) e[n] = connectivity(order(position), n);
  }

  KOKKOS_FUNCTION void operator()(Match, Ordinal b) const {
    const Ordinal begin = b * block, all = static_cast<Ordinal>(order.extent(0)),
                  end = all - begin < block ? all : begin + block;
    std::uint64_t taken = 0;
    for (Ordinal i = begin; i < end; ++i) {
      if (taken >> (i - begin) & 1) continue;
      partners(i) = i;
      Ordinal e[Element::nodes], f[Element::nodes], cell[Pair::nodes];
      read(i, e);
      for (Ordinal j = i + 1; j < end && partners(i) == i; ++j) {
        if (taken >> (j - begin) & 1) continue;
        read(j, f);
        if (!Pair::set_pair(e, f, cell)) continue;
        partners(i) = j;
        partners(j) = i;
        taken |= std::uint64_t(1) << (j - begin);
      }
    }
  }
  KOKKOS_FUNCTION void operator()(Number, Ordinal position, Ordinal& cells, bool final) const {
    const Ordinal partner = Pair::elements == 2 ? partners(position) : position;
    if (partner < position) return;
    if (final && paired.numbers.extent(0) > 0) {
      Ordinal e[Element::nodes], f[Element::nodes], cell[Pair::nodes];
      read(position, e);
      read(partner, f);
      if (partner == position || !Pair::set_pair(e, f, cell)) Pair::set_single(e, cell);
      for (int n = 0; n < Pair::nodes; ++n) paired.cells(cells, n) = cell[n];
      paired.numbers(cells * Pair::elements) = order(position);
      if constexpr (Pair::elements == 2) paired.numbers(cells * Pair::elements + 1) = order(partner);
    }
    ++cells;
  }
};

} // namespace detail

/// Pairs elements that meet in a side, neighbours in an order, on the device.
/// \param order the mesh's number of the element at each position
/// \throws OutOfMemoryError
template <class Element, class ExecutionSpace>
PairedElements<Element, ExecutionSpace> pair_elements(const ExecutionSpace& exec,
                                                      const Mesh<Element, ExecutionSpace>& mesh,
                                                      const Kokkos::View<Ordinal*, ExecutionSpace>& order) {
  using Pairing = detail::PairElements<Element, ExecutionSpace>;
  using Pair = ElementPair<Element>;
  using Numbers = Kokkos::View<Ordinal*, ExecutionSpace>;
  const auto elements = static_cast<Ordinal>(order.extent(0));
  Pairing pairing{mesh.connectivity(), order, {}, {}};
  if constexpr (Pair::elements == 2) {
    pairing.partners = allocate<Numbers>(exec, "Tessera::PairedElements::partners", elements);
    Kokkos::parallel_for("Tessera::PairedElements::match",
                         Kokkos::RangePolicy<ExecutionSpace, typename Pairing::Match>(
                             exec, 0, (elements + Pairing::block - 1) / Pairing::block),
                         pairing);
  }
  const Kokkos::RangePolicy<ExecutionSpace, typename Pairing::Number> all(exec, 0, elements);
  Ordinal cells = 0;
  Kokkos::parallel_scan("Tessera::PairedElements::count", all, pairing, cells);
  pairing.paired.cells =
      allocate<decltype(pairing.paired.cells)>(exec, "Tessera::PairedElements::cells", cells);
  pairing.paired.numbers =
      allocate<Numbers>(exec, "Tessera::PairedElements::numbers", Offset(cells) * Pair::elements);
  Kokkos::parallel_scan("Tessera::PairedElements::number", all, pairing, cells);
  return pairing.paired;
}

} // namespace tessera
