// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// One element inside a kernel: its nodes' coordinates, and the geometry at a quadrature point.

#include <tessera/core/arithmetic/real.hpp>
#include <tessera/core/arithmetic/reciprocal.hpp>
#include <tessera/core/arithmetic/small_matrix.hpp>
#include <tessera/core/elements/element.hpp>
#include <tessera/core/elements/tabulation.hpp>
#include <tessera/core/unroll.hpp>

#include <Kokkos_Core.hpp>

namespace tessera {

/// An element (one per lane of `Real`) as a kernel sees it.
///
/// Coordinates are kept relative to the first node, subtracted in double before they are rounded to `Real`,
/// so that single-precision Jacobians do not lose the digits that a mesh far from the origin takes.
template <class Element, class Real>
struct Cell {
  Real coordinates[Element::nodes][Element::dimension];
  Real origin[Element::dimension];
  Ordinal element[lanes_v<Real>];
  Ordinal material[lanes_v<Real>];
  /// Numbers of the nodes, node * lanes + lane, where a strategy has them in another order than the mesh.
  const Ordinal* nodes = nullptr;

  /// Number of node n of a lane's element: forms that look up values by nodes ask here, not the connectivity.
  /// \param connectivity the mesh's, (element, node)
  template <class Connectivity>
  KOKKOS_FORCEINLINE_FUNCTION Ordinal node(const Connectivity& connectivity, int lane, int n) const {
    return nodes == nullptr ? connectivity(element[lane], n) : nodes[n * lanes_v<Real> + lane];
  }
};

/// Geometry and basis at one quadrature point of a cell: what a form's integrand may ask for.
/// `Degree` selects the quadrature and with it the tables.
template <class Element, int Degree, class Real>
class QuadraturePoint {
public:
  using real_type = Real;
  using element_type = Element;
  using table = Tabulation<Element, Degree>;
  static constexpr int dimension = Element::dimension;

  /// Evaluates the Jacobian x_{d,e} = sum_n x_n,d dphi_n/dxi_e, its inverse, and the physical gradients.
  KOKKOS_FORCEINLINE_FUNCTION QuadraturePoint(const Cell<Element, Real>& cell, int q) : cell_(cell), q_(q) {
    using Value = value_type_t<Real>;
    Matrix<Real, dimension> jacobian;
    TESSERA_UNROLL_ON_GPUS(unroll_nodes<Element::nodes>)
    for (int n = 0; n < Element::nodes; ++n)
      for (int e = 0; e < dimension; ++e) {
        const Value derivative = table::template gradient<Value>(q, n, e);
        for (int d = 0; d < dimension; ++d) jacobian(d, e) += cell.coordinates[n][d] * derivative;
      }
    const Real det = determinant(jacobian);
    const Matrix<Real, dimension> adj = adjugate(jacobian);
    const Real inverse_det = Real(Value(1)) / det;
    weight_ = det * table::template weight<Value>(q);
    TESSERA_UNROLL_ON_GPUS(unroll_nodes<Element::nodes>)
    for (int n = 0; n < Element::nodes; ++n)
      for (int d = 0; d < dimension; ++d) {
        Real sum = adj(0, d) * table::template gradient<Value>(q, n, 0);
        for (int e = 1; e < dimension; ++e) sum += adj(e, d) * table::template gradient<Value>(q, n, e);
        gradient_[n][d] = sum * inverse_det;
      }
  }

  /// Quadrature weight times the Jacobian's determinant.
  KOKKOS_FORCEINLINE_FUNCTION const Real& weight() const { return weight_; }
  /// Basis function of node n.
  KOKKOS_FORCEINLINE_FUNCTION value_type_t<Real> value(int n) const {
    return table::template value<value_type_t<Real>>(q_, n);
  }
  /// Derivative of node n's basis function along physical axis d.
  KOKKOS_FORCEINLINE_FUNCTION const Real& gradient(int n, int d) const { return gradient_[n][d]; }
  /// Physical coordinate d of the point.
  KOKKOS_FORCEINLINE_FUNCTION Real position(int d) const {
    Real x = cell_.origin[d];
    for (int n = 0; n < Element::nodes; ++n) x += cell_.coordinates[n][d] * value(n);
    return x;
  }
  /// The element that the point lies in.
  KOKKOS_FORCEINLINE_FUNCTION const Cell<Element, Real>& cell() const { return cell_; }
  /// Number of the point in the rule.
  KOKKOS_FORCEINLINE_FUNCTION int number() const { return q_; }

private:
  const Cell<Element, Real>& cell_;
  int q_;
  Real weight_;
  Real gradient_[Element::nodes][dimension];
};

/// A straight-sided linear simplex: constant gradients and the volume, for forms that know their integrals in
/// closed form.
template <class Element, class Real>
class Simplex {
  static_assert(Element::affine_simplex, "Simplex: linear triangles and tetrahedra");

public:
  using real_type = Real;
  using element_type = Element;
  static constexpr int dimension = Element::dimension;

  KOKKOS_FORCEINLINE_FUNCTION explicit Simplex(const Cell<Element, Real>& cell) : cell_(cell) {
    Matrix<Real, dimension> jacobian; // columns: edges from node 0, which is the origin
    for (int e = 0; e < dimension; ++e)
      for (int d = 0; d < dimension; ++d)
        jacobian(d, e) = cell.coordinates[e + 1][d] - cell.coordinates[0][d];
    const Matrix<Real, dimension> adj = adjugate(jacobian);
    det_ = adj(0, 0) * jacobian(0, 0);
    for (int d = 1; d < dimension; ++d) det_ += adj(0, d) * jacobian(d, 0);
    inverse_det_ = reciprocal(det_);
    for (int d = 0; d < dimension; ++d) {
      normal_[0][d] = -adj(0, d);
      normal_[1][d] = adj(0, d);
      for (int e = 1; e < dimension; ++e) {
        normal_[e + 1][d] = adj(e, d);
        normal_[0][d] -= adj(e, d);
      }
    }
  }

  /// The Jacobian's determinant: 2 times the area of a triangle, 6 times the volume of a tetrahedron;
  /// negative if the element is inverted.
  KOKKOS_FORCEINLINE_FUNCTION const Real& determinant() const { return det_; }
  KOKKOS_FORCEINLINE_FUNCTION const Real& inverse_determinant() const { return inverse_det_; }
  /// Area of a triangle, volume of a tetrahedron.
  KOKKOS_FORCEINLINE_FUNCTION Real volume() const { return det_ * value_type_t<Real>(reference_volume); }
  static constexpr double reference_volume = dimension == 2 ? 1.0 / 2.0 : 1.0 / 6.0;
  /// Derivative of node n's basis function along physical axis d.
  KOKKOS_FORCEINLINE_FUNCTION Real gradient(int n, int d) const { return normal_[n][d] * inverse_det_; }
  /// The element.
  KOKKOS_FORCEINLINE_FUNCTION const Cell<Element, Real>& cell() const { return cell_; }

  /// Scalar product of the gradients of nodes i and j times the determinant's square: forms scale the product
  /// once, not gradient by gradient.
  KOKKOS_FORCEINLINE_FUNCTION Real normal_product(int i, int j) const {
    Real sum = normal_[i][0] * normal_[j][0];
    for (int d = 1; d < dimension; ++d) sum += normal_[i][d] * normal_[j][d];
    return sum;
  }

private:
  const Cell<Element, Real>& cell_;
  Real det_, inverse_det_;
  Real normal_[Element::nodes][dimension]; // gradient times determinant
};

/// Scalar product of the gradients of nodes i and j.
template <class Point>
KOKKOS_FORCEINLINE_FUNCTION typename Point::real_type gradient_product(const Point& point, int i, int j) {
  typename Point::real_type sum = point.gradient(i, 0) * point.gradient(j, 0);
  for (int d = 1; d < Point::dimension; ++d) sum += point.gradient(i, d) * point.gradient(j, d);
  return sum;
}

} // namespace tessera
