// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Nodes of an element that a symmetry of its shape takes to one another: corners, midpoints of edges, ...

#include <tessera/core/elements/affine_cell.hpp>
#include <tessera/core/elements/element.hpp>
#include <tessera/core/elements/reference_tensors.hpp>

#include <utility>

namespace tessera {

/// The kinds of an element's nodes. Every mesh node is of one kind in all elements around it, and the row of
/// a node of kind k in an affine element is the row of node `first[k]` in the same element numbered
/// otherwise.
template <ReferenceElement Element>
struct NodeKinds {
  static constexpr int nodes = Element::nodes;
  int count = 0;         ///< of kinds
  int kind[nodes] = {};  ///< of each node
  int first[nodes] = {}; ///< of each kind: its node whose row has the fewest terms
  /// image[n][k]: where the symmetry that takes the first node of n's kind to n takes node k
  int image[nodes][nodes] = {};
  bool mirrored[nodes] = {}; ///< whether that symmetry turns the element inside out
};

namespace detail {

/// Positions of an element's nodes in the lattice of their spacing, on the axes at node 0, and the nodes at
/// these.
template <class Element>
struct LatticePositions {
  static constexpr int width = Element::order + 1;
  int at[Element::nodes][Element::dimension];
  /// Of the place of a position, or -1.
  int node[Element::dimension == 2 ? width * width : width * width * width];

  static constexpr int place(const int (&position)[Element::dimension]) {
    int place = 0;
    for (const int x : position) place = place * width + x;
    return place;
  }
};
template <class Element>
inline constexpr LatticePositions<Element> lattice_positions = [] {
  LatticePositions<Element> positions{};
  for (int& node : positions.node) node = -1;
  for (int n = 0; n < Element::nodes; ++n) {
    for (int d = 0; d < Element::dimension; ++d)
      positions.at[n][d] =
          static_cast<int>((2 * node_steps<Element>.entries[n][d] * Element::order + 1) / 2); // the nearest
    positions.node[positions.place(positions.at[n])] = n;
  }
  return positions;
}();

/// An affine map of the reference element to itself, given by the corners to which it takes node 0 and the
/// ends of the axes there.
template <class Element>
struct Symmetry {
  static constexpr int dimension = Element::dimension;
  int corners[dimension + 1] = {};

  static constexpr int at(int node, int direction) { return lattice_positions<Element>.at[node][direction]; }
  /// Of the image of an axis, in units of the lattice: -1, 0 or 1.
  constexpr int edge(int axis, int direction) const {
    return (at(corners[axis + 1], direction) - at(corners[0], direction)) / Element::order;
  }
  /// Whether the corner can be the image of an axis' end beside those of the axes before: of a simplex any,
  /// of an interval the end of an edge along one. Of a pyramid, `keeps_corners` decides.
  constexpr bool can_have(int axis) const {
    int directions = 0;
    const bool interval = is_interval(Element::shape, axis);
    for (int d = 0; d < dimension; ++d) {
      if (edge(axis, d) == 0) continue;
      if (is_interval(Element::shape, d) != interval) return false;
      ++directions;
    }
    if (directions == 0 || (interval && directions > 1)) return false;
    for (int before = 0; before < axis; ++before)
      if (corners[axis + 1] == corners[before + 1]) return false;
    return true;
  }
  constexpr bool mirrors() const {
    if constexpr (dimension == 2) return edge(0, 0) * edge(1, 1) < edge(0, 1) * edge(1, 0);
    int determinant = 0;
    for (int d = 0; d < dimension; ++d)
      determinant += edge(0, d) * (edge(1, (d + 1) % dimension) * edge(2, (d + 2) % dimension) -
                                   edge(1, (d + 2) % dimension) * edge(2, (d + 1) % dimension));
    return determinant < 0;
  }
  /// The node that a node is taken to; -1 where none is, which no symmetry does.
  constexpr int image(int node) const {
    int x[dimension] = {};
    for (int d = 0; d < dimension; ++d) {
      x[d] = at(corners[0], d);
      for (int a = 0; a < dimension; ++a) x[d] += at(node, a) * edge(a, d);
      if (x[d] < 0 || x[d] > Element::order) return -1;
    }
    return lattice_positions<Element>.node[LatticePositions<Element>::place(x)];
  }
};

/// Whether a map takes corners to corners, each to another.
template <class Element>
constexpr bool keeps_corners(const Symmetry<Element>& map) {
  bool taken[Element::vertices] = {};
  for (int corner = 0; corner < Element::vertices; ++corner) {
    const int image = map.image(corner);
    if (image < 0 || image >= Element::vertices || taken[image]) return false;
    taken[image] = true;
  }
  return true;
}

template <class Element>
struct Symmetries {
  static constexpr int most = 48; // of a cube
  int count = 0;
  Symmetry<Element> list[most] = {};
};

/// Adds the symmetries that take node 0 and the axes before `axis` as `symmetry` does.
template <class Element>
constexpr void add_symmetries(Symmetry<Element> symmetry, int axis, Symmetries<Element>& found) {
  if (axis == Element::dimension) {
    if (Element::shape == Shape::pyramid && !keeps_corners(symmetry)) return;
    found.list[found.count++] = symmetry;
    return;
  }
  for (int corner = 0; corner < Element::vertices; ++corner) {
    symmetry.corners[axis + 1] = corner;
    if (symmetry.can_have(axis)) add_symmetries(symmetry, axis + 1, found);
  }
}

/// All symmetries of an element. A constant of its own: compilers limit the steps that they take for one.
template <class Element>
inline constexpr Symmetries<Element> symmetries = [] {
  Symmetries<Element> found{};
  for (int corner = 0; corner < Element::vertices; ++corner)
    add_symmetries(Symmetry<Element>{{corner}}, 0, found);
  return found;
}();

/// Of each node's row: the reference tensors' entries that do not vanish. Of a simplex, nodes away from node
/// 0 have fewer, as directions are measured along the axes there: tet2 19 in place of 63.
template <class Element>
struct RowTerms {
  int count[Element::nodes] = {};
};
template <class Element>
inline constexpr RowTerms<Element> row_terms = [] {
  RowTerms<Element> terms{};
  const auto add = [&](const PairTable<Element::nodes>& pairs) {
    for (int i = 0; i < Element::nodes; ++i)
      for (const double entry : pairs.entries[i]) terms.count[i] += entry != 0 ? 1 : 0;
  };
  constexpr int d = Element::dimension;
  [&]<int... ab>(std::integer_sequence<int, ab...>) {
    (add(derivative_products<Element, ab / d, ab % d>), ...);
  }(std::make_integer_sequence<int, d * d>());
  return terms;
}();

/// The node that symmetries can take `node` to with the fewest terms, of these the one with the smallest
/// number.
template <class Element>
constexpr int simplest_image(int node) {
  int best = node;
  for (int s = 0; s < symmetries<Element>.count; ++s) {
    const int image = symmetries<Element>.list[s].image(node);
    const int gain = row_terms<Element>.count[best] - row_terms<Element>.count[image];
    if (gain > 0 || (gain == 0 && image < best)) best = image;
  }
  return best;
}

template <class Element>
constexpr NodeKinds<Element> find_node_kinds() {
  NodeKinds<Element> kinds;
  bool known[Element::nodes] = {};
  for (int n = 0; n < Element::nodes; ++n) {
    if (known[n]) continue;
    const int first = simplest_image<Element>(n), kind = kinds.count++;
    kinds.first[kind] = first;
    for (int s = 0; s < symmetries<Element>.count; ++s) {
      const Symmetry<Element>& symmetry = symmetries<Element>.list[s];
      const int node = symmetry.image(first);
      const bool mirrors = symmetry.mirrors();
      if (known[node] && (mirrors || !kinds.mirrored[node])) continue;
      known[node] = true;
      kinds.kind[node] = kind;
      kinds.mirrored[node] = mirrors;
      for (int k = 0; k < Element::nodes; ++k) kinds.image[node][k] = symmetry.image(k);
    }
  }
  return kinds;
}

} // namespace detail

template <ReferenceElement Element>
inline constexpr NodeKinds<Element> node_kinds = detail::find_node_kinds<Element>();

} // namespace tessera
