// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Where the nodes and elements of a box lie.

#include <tessera/core/elements/element.hpp>
#include <tessera/core/types.hpp>

#include <Kokkos_Core.hpp>

namespace tessera::io::detail {

/// Nodes lie on a lattice that is `order` times finer than the cells, numbered x fastest. Where elements have
/// nodes at corners and edges alone, points with two coordinates between corners have none, and no number.
template <class Element>
struct BoxLattice {
  static constexpr int dimension = Element::dimension;
  static constexpr bool edges_alone =
      Element::nodes < tessera::detail::lattice_size(Element::shape, Element::order);
  /// Directions, the first ones, of which a cell's square or cube is cut.
  static constexpr int cut = [] {
    int directions = 0;
    for (int d = 0; d < dimension; ++d) directions += is_interval(Element::shape, d) ? 0 : 1;
    return directions;
  }();
  static constexpr int parts = Element::shape == Shape::pyramid ? 3 : cut == 3 ? 6 : cut == 2 ? 2 : 1;
  Ordinal cells[dimension];
  double spacing[dimension];
  Ordinal first_cell[dimension] = {}; ///< its number in the larger box that this may be a part of

  KOKKOS_FUNCTION Ordinal points(int d) const { return cells[d] * Element::order + 1; }

  KOKKOS_FUNCTION Ordinal node(const Ordinal (&at)[dimension]) const {
    if constexpr (edges_alone) return node_of_edges(at);
    Ordinal index = at[dimension - 1];
    for (int d = dimension - 2; d >= 0; --d) index = index * points(d) + at[d];
    return index;
  }
  KOKKOS_FUNCTION void lattice_point(Ordinal node, Ordinal (&at)[dimension]) const {
    if constexpr (edges_alone) return point_of_edges(node, at);
    for (int d = 0; d < dimension; ++d) {
      at[d] = node % points(d);
      node /= points(d);
    }
  }
  KOKKOS_FUNCTION void cell(Ordinal index, Ordinal (&at)[dimension]) const {
    for (int d = 0; d < dimension; ++d) {
      at[d] = index % cells[d];
      index /= cells[d];
    }
  }

  /// \name Elements of order two without inner nodes.
  /// Nodes of a row along x with corners, of a plane of rows in turn with and without, and on the edges along
  /// z between two planes.
  ///@{
  KOKKOS_FUNCTION Ordinal row() const { return 2 * cells[0] + 1; }
  KOKKOS_FUNCTION Ordinal plane() const { return (cells[1] + 1) * row() + cells[1] * (cells[0] + 1); }
  KOKKOS_FUNCTION Ordinal edges_along_z() const { return (cells[0] + 1) * (cells[1] + 1); }
  KOKKOS_FUNCTION Ordinal node_of_edges(const Ordinal (&at)[dimension]) const {
    const Ordinal in_plane =
        at[1] / 2 * (row() + cells[0] + 1) + (at[1] % 2 == 0 ? at[0] : row() + at[0] / 2);
    if constexpr (dimension == 2) return in_plane;
    const Ordinal below = at[dimension - 1] / 2 * (plane() + edges_along_z());
    if (at[dimension - 1] % 2 == 0) return below + in_plane;
    return below + plane() + at[1] / 2 * (cells[0] + 1) + at[0] / 2;
  }
  KOKKOS_FUNCTION void point_of_edges(Ordinal node, Ordinal (&at)[dimension]) const {
    if constexpr (dimension == 3) {
      at[2] = node / (plane() + edges_along_z()) * 2;
      node %= plane() + edges_along_z();
      if (node >= plane()) {
        node -= plane();
        at[0] = node % (cells[0] + 1) * 2;
        at[1] = node / (cells[0] + 1) * 2;
        ++at[2];
        return;
      }
    }
    const Ordinal two_rows = row() + cells[0] + 1;
    at[1] = node / two_rows * 2;
    at[0] = node % two_rows;
    if (at[0] < row()) return;
    at[0] = (at[0] - row()) * 2;
    ++at[1];
  }
  ///@}

  struct References {
    int entry[Element::nodes][dimension];
  };
  static constexpr References references() {
    References table{};
    const auto points = Element::node_coordinates();
    for (int n = 0; n < Element::nodes; ++n)
      for (int d = 0; d < dimension; ++d) {
        const double unit = is_interval(Element::shape, d) ? (points[n][d] + 1) / 2 : points[n][d];
        table.entry[n][d] = static_cast<int>(unit * Element::order + 0.5);
      }
    return table;
  }

  /// Reference coordinates of the element's nodes times the order, as integers from 0 to order.
  KOKKOS_FUNCTION static int reference(int n, int d) {
    static constexpr References table = references();
    return table.entry[n][d];
  }

  /// Lattice point of node n of an element.
  KOKKOS_FUNCTION void element_point(Ordinal element, int n, Ordinal (&at)[dimension]) const {
    cell(element / parts, at);
    int offset[dimension] = {};
    for (int d = cut; d < dimension; ++d) offset[d] = reference(n, d);
    if constexpr (Element::shape == Shape::pyramid)
      pyramid_offset(static_cast<int>(element % parts), n, at, offset);
    else if constexpr (cut > 0)
      simplex_offset(element % parts, n, offset);
    for (int d = 0; d < dimension; ++d) at[d] = at[d] * Element::order + offset[d];
  }

  /// The pyramid over the face that lies along axis `part` from the apex that all three have. In cells with
  /// odd numbers along an axis everything is mirrored; the base's axes change places so that none is inside
  /// out.
  KOKKOS_FUNCTION void pyramid_offset(int part, int n, const Ordinal (&cell)[dimension],
                                      int (&offset)[dimension]) const {
    bool odd[dimension], swapped = true;
    for (int d = 0; d < dimension; ++d) {
      odd[d] = (first_cell[d] + cell[d]) % 2 != 0;
      swapped = swapped != odd[d];
    }
    const int next = (part + 1) % dimension, last = (part + 2) % dimension;
    offset[swapped ? last : next] = reference(n, 0);
    offset[swapped ? next : last] = reference(n, 1);
    offset[part] = 1 - reference(n, 2);
    for (int d = 0; d < dimension; ++d)
      if (odd[d]) offset[d] = 1 - offset[d];
  }

  /// Kuhn's simplex of permutation pi walks from corner 0 along axes pi_0, pi_1, ...: vertex k has the first
  /// k of them. Odd permutations swap their last two vertices to keep the orientation.
  KOKKOS_FUNCTION static void simplex_offset(int part, int n, int (&offset)[dimension]) {
    constexpr int axes3[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {1, 0, 2}, {2, 1, 0}};
    constexpr int axes2[2][2] = {{0, 1}, {1, 0}};
    const bool odd = cut == 3 ? part >= 3 : part == 1;
    for (int vertex = 1; vertex <= cut; ++vertex) {
      const int weight = reference(n, vertex - 1);
      int walked = vertex;
      if (odd && vertex == cut - 1)
        walked = cut;
      else if (odd && vertex == cut)
        walked = cut - 1;
      for (int step = 0; step < walked; ++step)
        offset[cut == 3 ? axes3[part][step] : axes2[part % 2][step % 2]] += weight;
    }
  }
};

} // namespace tessera::io::detail
