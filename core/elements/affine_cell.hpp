// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Elements that are the image of the reference element under an affine map: straight-sided simplices of any
/// order, parallelograms and parallelepipeds, wedges and pyramids with parallel edges.

#include <tessera/core/arithmetic/reciprocal.hpp>
#include <tessera/core/arithmetic/small_matrix.hpp>
#include <tessera/core/elements/cell.hpp>
#include <tessera/core/elements/reference_tensors.hpp>

#include <Kokkos_Core.hpp>

namespace tessera {

namespace detail {

// Constants of the element, not of the functions that read them: compilers evaluate them once.

/// Reference coordinates of the nodes from those of node 0, in units of the reference element's extent.
template <class Element>
struct NodeSteps {
  double entries[Element::nodes][Element::dimension];
};
template <class Element>
inline constexpr NodeSteps<Element> node_steps = [] {
  const auto nodes = Element::node_coordinates();
  NodeSteps<Element> steps{};
  for (int n = 0; n < Element::nodes; ++n)
    for (int d = 0; d < Element::dimension; ++d)
      steps.entries[n][d] = (nodes[n][d] - nodes[0][d]) / reference_extent(Element::shape, d);
  return steps;
}();

/// The node at the other end of the reference element's axis that begins at node 0.
template <class Element>
constexpr int end_of_axis(int direction) {
  for (int n = 0; n < Element::nodes; ++n) {
    bool is_end = true;
    for (int d = 0; d < Element::dimension; ++d)
      is_end = is_end && node_steps<Element>.entries[n][d] == (d == direction ? 1 : 0);
    if (is_end) return n;
  }
  return -1;
}

template <class Element>
struct AxisEnds {
  int nodes[Element::dimension];
};
template <class Element>
inline constexpr AxisEnds<Element> axis_ends = [] {
  AxisEnds<Element> ends{};
  for (int d = 0; d < Element::dimension; ++d) ends.nodes[d] = end_of_axis<Element>(d);
  return ends;
}();

/// The nodes 1, 2, ... of an element.
template <class Element>
struct NodesBesideTheFirst {
  int nodes[Element::nodes - 1];
};
template <class Element>
constexpr NodesBesideTheFirst<Element> nodes_beside_the_first() {
  NodesBesideTheFirst<Element> others{};
  for (int n = 1; n < Element::nodes; ++n) others.nodes[n - 1] = n;
  return others;
}

} // namespace detail

/// Whether every lane's element is affine but for the rounding of its coordinates: no node is farther than
/// eight units in the last place, of the largest coordinate, from where the edges at node 0 put it. Integrals
/// over such an element differ from those over its affine image by as much as rounding its nodes once more
/// would change them.
template <class Element, class Real>
KOKKOS_FORCEINLINE_FUNCTION bool is_affine(const Cell<Element, Real>& cell) {
  using Value = value_type_t<Real>;
  static constexpr auto steps = detail::node_steps<Element>;
  static constexpr auto ends = detail::axis_ends<Element>;
  constexpr int dimension = Element::dimension;
  constexpr double units = 8;
  bool affine = true;
  for (int lane = 0; lane < lanes_v<Real>; ++lane) {
    Value extent = 0, offset = 0, bend = 0;
    for (int d = 0; d < dimension; ++d) {
      const Value first = lane_of(cell.coordinates[0][d], lane);
      offset = Kokkos::max(offset, Kokkos::abs(lane_of(cell.origin[d], lane)));
      for (int n = 1; n < Element::nodes; ++n) {
        const Value x = lane_of(cell.coordinates[n][d], lane);
        Value expected = first;
        for (int e = 0; e < dimension; ++e)
          expected +=
              (lane_of(cell.coordinates[ends.nodes[e]][d], lane) - first) * Value(steps.entries[n][e]);
        bend = Kokkos::max(bend, Kokkos::abs(x - expected));
        extent = Kokkos::max(extent, Kokkos::abs(x));
      }
    }
    // Coordinates are rounded in double where the mesh keeps them, and once more, relative to node 0, in
    // `Value`.
    const Value rounding = Value(units) * (Kokkos::Experimental::epsilon_v<Value> * extent +
                                           Value(Kokkos::Experimental::epsilon_v<double>) * offset);
    affine = affine && bend <= rounding;
  }
  return affine;
}

/// The geometry of an affine cell: x = x_0 + J (xi - xi_0) with one Jacobian J.
template <class Element, class Real>
class AffineGeometry {
public:
  using tensors = ReferenceTensors<Element>;
  static constexpr int dimension = Element::dimension;

  /// \param cell  of which only node 0 and the ends of the axes there are looked at
  KOKKOS_FORCEINLINE_FUNCTION explicit AffineGeometry(const Cell<Element, Real>& cell) {
    static constexpr auto ends = detail::axis_ends<Element>;
    Matrix<Real, dimension> jacobian;
    for (int e = 0; e < dimension; ++e)
      for (int d = 0; d < dimension; ++d)
        jacobian(d, e) = (cell.coordinates[ends.nodes[e]][d] - cell.coordinates[0][d]) *
                         value_type_t<Real>(1 / reference_extent(Element::shape, e));
    adjugate_ = adjugate(jacobian);
    determinant_ = adjugate_(0, 0) * jacobian(0, 0);
    for (int d = 1; d < dimension; ++d) determinant_ += adjugate_(0, d) * jacobian(d, 0);
    inverse_determinant_ = reciprocal(determinant_);
  }

  /// det J; negative if the element is inverted.
  KOKKOS_FORCEINLINE_FUNCTION const Real& determinant() const { return determinant_; }

  /// det J times the scalar product of the gradients of xi_a and xi_b.
  KOKKOS_FORCEINLINE_FUNCTION Real metric(int a, int b) const {
    Real sum = adjugate_(a, 0) * adjugate_(b, 0);
    for (int d = 1; d < dimension; ++d) sum += adjugate_(a, d) * adjugate_(b, d);
    return sum * inverse_determinant_;
  }

  /// [p, q]: det J times d xi_a / d x_p times d xi_b / d x_q.
  KOKKOS_FORCEINLINE_FUNCTION Matrix<Real, dimension> gradient_products(int a, int b) const {
    Matrix<Real, dimension> products;
    for (int p = 0; p < dimension; ++p)
      for (int q = 0; q < dimension; ++q)
        products(p, q) = adjugate_(a, p) * adjugate_(b, q) * inverse_determinant_;
    return products;
  }

  /// The moments G[p, q] of nodes i and j: the integral of d phi_i / d x_p times d phi_j / d x_q.
  KOKKOS_FORCEINLINE_FUNCTION Matrix<Real, dimension> moments(int i, int j) const {
    using Value = value_type_t<Real>;
    Matrix<Real, dimension> half; // [a, q]: the integral of d phi_i / d xi_a times det J d phi_j / d x_q
    for (int a = 0; a < dimension; ++a)
      for (int q = 0; q < dimension; ++q) {
        half(a, q) = adjugate_(0, q) * tensors::template derivatives<Value>(i, j, a, 0);
        for (int b = 1; b < dimension; ++b)
          half(a, q) += adjugate_(b, q) * tensors::template derivatives<Value>(i, j, a, b);
      }
    Matrix<Real, dimension> moments;
    for (int p = 0; p < dimension; ++p)
      for (int q = 0; q < dimension; ++q) {
        Real sum = adjugate_(0, p) * half(0, q);
        for (int a = 1; a < dimension; ++a) sum += adjugate_(a, p) * half(a, q);
        moments(p, q) = sum * inverse_determinant_;
      }
    return moments;
  }

  /// The integral of phi_i.
  KOKKOS_FORCEINLINE_FUNCTION Real basis_integral(int i) const {
    return determinant_ * tensors::template value<value_type_t<Real>>(i);
  }

private:
  Matrix<Real, dimension> adjugate_;
  Real determinant_, inverse_determinant_;
};

/// An affine cell as forms see it: `over(cell)` of a form's kernel returns its integrals, which have
/// `stiffness(i, j)` and `load(i)` and can be copied. `cell` has the coordinates of node 0 and of the ends of
/// the axes there; those of other nodes may be missing.
template <class Element, class Real>
struct AffineCell {
  using real_type = Real;
  using element_type = Element;
  const Cell<Element, Real>& cell;
  AffineGeometry<Element, Real> geometry;

  KOKKOS_FORCEINLINE_FUNCTION explicit AffineCell(const Cell<Element, Real>& c) : cell(c), geometry(c) {}
};

} // namespace tessera
