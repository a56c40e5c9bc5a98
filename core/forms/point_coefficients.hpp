// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// What a form is at a quadrature point, whatever the basis: the coefficients of its functions' values and
/// derivatives.
///
/// A linear form's integrand is sum_kl D(k, l) d_k phi_i d_l phi_j, where d_k is the derivative along axis k
/// and, for k = dimension, the value (PETSc's g0 to g3 as one matrix). D is evaluated once a point and pulled
/// back to the reference element there, so that an entry costs dimension + 1 multiply-adds whatever the
/// physics, by tables that all elements share.

#include <tessera/core/arithmetic/small_matrix.hpp>
#include <tessera/core/elements/basis_rows.hpp>
#include <tessera/core/elements/cell.hpp>
#include <tessera/core/elements/linear_basis.hpp>
#include <tessera/core/unroll.hpp>

#include <Kokkos_Core.hpp>

#include <utility>

namespace tessera {

/// Coefficients of a form at a point.
/// \tparam WithValues whether the matrix has terms of basis functions' values; false: of derivatives alone
template <class Real, int Components, int Dimension, bool WithValues = true>
struct PointCoefficients {
  static constexpr int components = Components, functions = WithValues ? Dimension + 1 : Dimension;
  Matrix<Real, Components> stiffness[functions][functions]; ///< of the test function's, the trial function's
  Vector<Real, Components> load[Dimension + 1];
};

namespace detail {

/// The coordinates that a cell has itself.
template <class Element, class Real>
struct OwnCoordinates {
  const Cell<Element, Real>& cell;
  KOKKOS_FORCEINLINE_FUNCTION const Real& operator()(int n, int d) const { return cell.coordinates[n][d]; }
};

/// A quadrature point with dimension + 1 functions more than the element has: number nodes + k has the unit
/// vector of axis k as its gradient and no value, number nodes + dimension has the value one and no gradient.
/// An integrand's entries of these are its coefficients.
/// \tparam Coordinates `(n, d)`: coordinate d of node n, relative to node 0; a cell's own, or elsewhere
template <class Element, int Degree, class Real, class Coordinates = OwnCoordinates<Element, Real>>
class ProbingPoint {
public:
  using real_type = Real;
  using element_type = Element;
  using table = Tabulation<Element, Degree>;
  static constexpr int dimension = Element::dimension;

  KOKKOS_FORCEINLINE_FUNCTION ProbingPoint(const Cell<Element, Real>& cell, const Coordinates& coordinates,
                                           int q)
      : ProbingPoint(cell, coordinates, q, jacobian_at(coordinates, q)) {}
  /// \param jacobian (d, e): derivative of coordinate d along reference axis e
  KOKKOS_FORCEINLINE_FUNCTION ProbingPoint(const Cell<Element, Real>& cell, const Coordinates& coordinates,
                                           int q, const Matrix<Real, dimension>& jacobian)
      : cell_(cell), coordinates_(coordinates), q_(q) {
    using Value = value_type_t<Real>;
    const Real det = determinant(jacobian);
    const Matrix<Real, dimension> adj = adjugate(jacobian);
    const Real inverse_det = Real(Value(1)) / det;
    weight_ = det * table::template weight<Value>(q);
    for (int k = 0; k < dimension * dimension; ++k) inverse_.entry[k] = adj.entry[k] * inverse_det;
  }

  KOKKOS_FORCEINLINE_FUNCTION const Real& weight() const { return weight_; }
  KOKKOS_FORCEINLINE_FUNCTION value_type_t<Real> value(int n) const {
    using Value = value_type_t<Real>;
    return n < Element::nodes ? table::template value<Value>(q_, n) : Value(n == Element::nodes + dimension);
  }
  KOKKOS_FORCEINLINE_FUNCTION Real gradient(int n, int d) const {
    using Value = value_type_t<Real>;
    if (n >= Element::nodes) return Real(Value(n == Element::nodes + d));
    Real sum = inverse_(0, d) * table::template gradient<Value>(q_, n, 0);
    for (int e = 1; e < dimension; ++e) sum += inverse_(e, d) * table::template gradient<Value>(q_, n, e);
    return sum;
  }
  KOKKOS_FORCEINLINE_FUNCTION Real position(int d) const {
    Real x = cell_.origin[d];
    for (int n = 0; n < Element::nodes; ++n) x += coordinates_(n, d) * value(n);
    return x;
  }
  KOKKOS_FORCEINLINE_FUNCTION const Cell<Element, Real>& cell() const { return cell_; }
  KOKKOS_FORCEINLINE_FUNCTION int number() const { return q_; }

  /// Derivative of the reference coordinate e along physical axis d.
  KOKKOS_FORCEINLINE_FUNCTION const Real& inverse(int e, int d) const { return inverse_(e, d); }

private:
  KOKKOS_FORCEINLINE_FUNCTION static Matrix<Real, dimension> jacobian_at(const Coordinates& coordinates,
                                                                         int q) {
    using Value = value_type_t<Real>;
    Matrix<Real, dimension> jacobian;
    // A few at once hide what reading them takes; registers are for the sums over points.
    TESSERA_UNROLL_ON_GPUS(5)
    for (int n = 0; n < Element::nodes; ++n) {
      const auto& row = BasisRows<Element, Degree>::template at<Value>(q, n);
      for (int e = 0; e < dimension; ++e)
        for (int d = 0; d < dimension; ++d) jacobian(d, e) += coordinates(n, d) * row.entry[e];
    }
    return jacobian;
  }

  const Cell<Element, Real>& cell_;
  Coordinates coordinates_;
  int q_;
  Real weight_;
  Matrix<Real, dimension> inverse_;
};

template <class Integrand>
concept StatesCoefficients = requires(const Integrand& integrand) { integrand.coefficients(); };

template <class Kernel, class Point>
using integrand_t = decltype(std::declval<const Kernel&>().at(std::declval<const Point&>()));

template <class Kernel, class Element, class Real>
using probing_point_t = ProbingPoint<Element, Kernel::template degree<Element>, Real>;

/// Whether a form's kernel says that its integrand looks at the numbers of nodes themselves.
template <class Kernel>
inline constexpr bool is_pairwise = requires { requires Kernel::pairwise; };

template <class Kernel, class Element, class Real>
constexpr bool has_point_coefficients() {
  if constexpr (is_pairwise<Kernel> || !requires { Kernel::template degree<Element>; })
    return false;
  else
    return linear_components_of<Kernel>() == 0 ||
           StatesCoefficients<integrand_t<Kernel, probing_point_t<Kernel, Element, Real>>>;
}

/// Forms whose coefficients are known: those whose components all have the element's functions, which are
/// asked for them by functions that have them as entries, and those whose integrand states them
/// (`coefficients()`). Not those that state `pairwise`.
template <class Kernel, class Element, class Real>
concept HasPointCoefficients = has_point_coefficients<Kernel, Element, Real>();

/// Those of them that are asked.
template <class Kernel, class Element, class Real>
concept IsProbed = HasPointCoefficients<Kernel, Element, Real> &&
                   !StatesCoefficients<integrand_t<Kernel, probing_point_t<Kernel, Element, Real>>>;

/// The coefficients of a form at a point.
template <class Kernel, class Point>
KOKKOS_FORCEINLINE_FUNCTION auto point_coefficients(const Kernel& kernel, const Point& point) {
  const auto integrand = kernel.at(point);
  if constexpr (StatesCoefficients<integrand_t<Kernel, Point>>) {
    return integrand.coefficients();
  } else {
    constexpr int nodes = Point::element_type::nodes, functions = Point::dimension + 1;
    PointCoefficients<typename Point::real_type, Kernel::components, Point::dimension> at;
    for_constants<functions>([&](auto k) TESSERA_INLINED {
      for_constants<functions>([&](auto l) TESSERA_INLINED {
        if (!Kernel::symmetric || l <= k) at.stiffness[k][l] = integrand.stiffness(nodes + k, nodes + l);
      });
      at.load[k] = integrand.load(nodes + k);
    });
    return at;
  }
}

/// Coefficients of the reference element's functions, the point's weight in them. Numbers of a function and a
/// component: function * components + component; of a symmetric form the lower half is kept.
template <class Real, int Components, int Dimension, int Functions, bool Symmetric>
struct ReferenceCoefficients {
  static constexpr int components = Components, functions = Functions, dimension = Dimension;
  static constexpr bool symmetric = Symmetric;
  static constexpr int rows = Functions * Components;
  static constexpr int matrix_entries = Symmetric ? rows * (rows + 1) / 2 : rows * rows;
  static constexpr int entries = matrix_entries + (Dimension + 1) * Components; ///< the load's at the end

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int place(int r, int s) {
    return !Symmetric ? r * rows + s : r >= s ? r * (r + 1) / 2 + s : s * (s + 1) / 2 + r;
  }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int load_place(int r) { return matrix_entries + r; }

  Real entry[entries];
};

template <class Kernel, class Element, class Real>
using point_coefficients_t = decltype(point_coefficients(
    std::declval<const Kernel&>(), std::declval<const probing_point_t<Kernel, Element, Real>&>()));
template <class Kernel, class Element, class Real>
using reference_coefficients_t =
    ReferenceCoefficients<Real, Kernel::components, Element::dimension,
                          point_coefficients_t<Kernel, Element, Real>::functions, Kernel::symmetric>;

/// Pulls coefficients back: with A(e, k) = d xi_e / d x_k they become weight A D A^T, the value's as they
/// are.
template <bool Symmetric, class Point, class Coefficients>
KOKKOS_FORCEINLINE_FUNCTION auto pull_back(const Point& point, const Coefficients& at) {
  using Real = typename Point::real_type;
  constexpr int c = Coefficients::components, functions = Coefficients::functions, d = Point::dimension;
  using Result = ReferenceCoefficients<Real, c, d, functions, Symmetric>;
  Result result;
  // sum over k of A(e, k) times what `of` says of k; the value is the same in both.
  const auto pulled = [&](int e, const auto& of) TESSERA_INLINED {
    if (e == d) return of(d);
    Real sum = point.inverse(e, 0) * of(0);
    for (int k = 1; k < d; ++k) sum += point.inverse(e, k) * of(k);
    return sum;
  };
  for_constants<c>([&](auto a) TESSERA_INLINED {
    for_constants<c>([&](auto b) TESSERA_INLINED {
      if (Symmetric && b > a) return;
      // Of a symmetric form's D(k, l)(a, b) = D(l, k)(b, a) those with l <= k are given.
      const auto given = [&](int k, int l) TESSERA_INLINED {
        return !Symmetric || l <= k ? at.stiffness[k][l](a, b) : at.stiffness[l][k](b, a);
      };
      Real half[functions][functions]; // D A^T
      for_constants<functions>([&](auto k) TESSERA_INLINED {
        for_constants<functions>([&](auto f) TESSERA_INLINED {
          half[k][f] = point.weight() * pulled(f, [&](int l) TESSERA_INLINED { return given(k, l); });
        });
      });
      for_constants<functions>([&](auto e) TESSERA_INLINED {
        for_constants<functions>([&](auto f) TESSERA_INLINED {
          if (Symmetric && a == b && f > e) return;
          result.entry[Result::place(e * c + a, f * c + b)] =
              pulled(e, [&](int k) TESSERA_INLINED { return half[k][f]; });
        });
      });
    });
    for_constants<d + 1>([&](auto e) TESSERA_INLINED {
      result.entry[Result::load_place(e * c + a)] =
          point.weight() * pulled(e, [&](int k) TESSERA_INLINED { return at.load[k](a); });
    });
  });
  return result;
}

/// The pulled-back coefficients of a form at point q of a cell.
/// \param coordinates the cell's, see `ProbingPoint` \param[out] positive see `integrate`
template <class Kernel, class Element, class Real, class Coordinates>
KOKKOS_FORCEINLINE_FUNCTION auto coefficients_at(const Kernel& kernel, const Cell<Element, Real>& cell,
                                                 const Coordinates& coordinates, int q, bool& positive) {
  const ProbingPoint<Element, Kernel::template degree<Element>, Real, Coordinates> point(cell, coordinates,
                                                                                         q);
  positive = positive && all_positive(point.weight());
  return pull_back<Kernel::symmetric>(point, point_coefficients(kernel, point));
}

} // namespace detail

} // namespace tessera
