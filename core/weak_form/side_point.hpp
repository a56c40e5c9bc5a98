// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// What a weak form sees at a quadrature point of an element's side.

#include <tessera/core/elements/cell.hpp>
#include <tessera/core/elements/side_tabulation.hpp>
#include <tessera/core/mesh/side_points.hpp>

#include <Kokkos_Core.hpp>

namespace tessera {

/// Geometry and basis at a quadrature point of a side, as `QuadraturePoint` has them inside an element:
/// functions and gradients are those of the whole element behind the side.
/// \tparam Kind of the side, of elements that have several
template <class Element, int Kind, int Degree>
class SidePoint {
public:
  using real_type = double;
  using element_type = Element;
  using table = SideTabulation<Element, Kind, Degree>;
  static constexpr int dimension = Element::dimension;

  /// \param side its number within the element, of the kind
  KOKKOS_FUNCTION SidePoint(const Cell<Element, double>& cell, int side, int q)
      : cell_(cell), side_(side), q_(q) {
    set_gradients();
    set_normal();
  }

  /// Quadrature weight times the area element (length in two dimensions).
  KOKKOS_FORCEINLINE_FUNCTION double weight() const { return weight_; }
  /// The unit outward normal.
  KOKKOS_FORCEINLINE_FUNCTION const Vector<double, dimension>& normal() const { return normal_; }
  /// Basis function of the element's node n.
  KOKKOS_FORCEINLINE_FUNCTION double value(int n) const { return table::value(side_, q_, n); }
  /// Its derivative along physical axis d.
  KOKKOS_FORCEINLINE_FUNCTION double gradient(int n, int d) const { return gradient_[n][d]; }
  /// Physical coordinate d of the point.
  KOKKOS_FORCEINLINE_FUNCTION double position(int d) const {
    double x = cell_.origin[d];
    for (int n = 0; n < Element::nodes; ++n) x += cell_.coordinates[n][d] * value(n);
    return x;
  }
  /// The element behind the side.
  KOKKOS_FORCEINLINE_FUNCTION const Cell<Element, double>& cell() const { return cell_; }

private:
  KOKKOS_FUNCTION void set_gradients() {
    Matrix<double, dimension> jacobian;
    for (int n = 0; n < Element::nodes; ++n)
      for (int e = 0; e < dimension; ++e)
        for (int d = 0; d < dimension; ++d)
          jacobian(d, e) += cell_.coordinates[n][d] * table::gradient(side_, q_, n, e);
    const Matrix<double, dimension> adj = adjugate(jacobian);
    const double inverse_det = 1.0 / determinant(jacobian);
    for (int n = 0; n < Element::nodes; ++n)
      for (int d = 0; d < dimension; ++d) {
        double sum = 0;
        for (int e = 0; e < dimension; ++e) sum += adj(e, d) * table::gradient(side_, q_, n, e);
        gradient_[n][d] = sum * inverse_det;
      }
  }
  KOKKOS_FUNCTION void set_normal() {
    double x[table::Side::nodes][dimension];
    for (int a = 0; a < table::Side::nodes; ++a)
      for (int d = 0; d < dimension; ++d)
        x[a][d] = cell_.coordinates[detail::SideNodes<Element>::local_node(side_, a)][d];
    normal_ = detail::weighted_normal<typename table::OnSide>(x, q_);
    weight_ = detail::norm_2(normal_);
    for (int d = 0; d < dimension; ++d) normal_(d) /= weight_;
  }

  const Cell<Element, double>& cell_;
  int side_, q_;
  double weight_;
  Vector<double, dimension> normal_;
  double gradient_[Element::nodes][dimension];
};

} // namespace tessera
