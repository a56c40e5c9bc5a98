// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Residuals and Jacobians of a weak form's functions on sides. A thread integrates a side into memory of its
// own; then a thread for each node adds up what the sides around it have for its rows, in their order: the
// same bits for any number of threads.

#include <tessera/core/elements/linear_basis.hpp>
#include <tessera/core/graphs/ascending_list.hpp>
#include <tessera/core/space/equations.hpp>
#include <tessera/core/weak_form/detail/side_rows.hpp>
#include <tessera/core/weak_form/jacobian.hpp>
#include <tessera/core/weak_form/side_point.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace tessera::detail {

/// What a term's integrals over sides of one kind are made of, and how they lie in memory.
/// \tparam Weak the kernel of its weak form
template <class ElementType, int Kind, int Degree, class WeakKernel>
struct SideIntegral {
  using Element = ElementType;
  using Weak = WeakKernel;
  using Point = SidePoint<Element, Kind, Degree>;
  static constexpr int kind = Kind, components = Weak::components;
  static constexpr bool tests_value = Weak::template has_f0<double, Point>,
                        tests_gradient = Weak::template has_f1<double, Point>;
  using Tested = TestedOnSide<Element, Kind, tests_gradient>;

  /// Of a residual: part x component.
  static constexpr int vector_size = components;
  /// Of a Jacobian: part x component x (node of the element * components + component, and behind them what
  /// the right-hand side gets).
  static constexpr int columns = Element::nodes * components, row_size = columns + 1,
                       matrix_size = components * row_size;
};

/// What a side has for the residual at u: tested function × component. Returns the sum.
/// \param weak as the integral's, perhaps with a rate of other values
template <class Integral, class Element, class Connectivity, class Weak, class Values>
KOKKOS_FUNCTION double side_residual(const Cell<Element, double>& cell, int side,
                                     const Connectivity& connectivity, const Weak& weak, const Values& u,
                                     double* parts) {
  constexpr int c = Integral::components, d = Element::dimension, tested = Integral::Tested::count;
  using Point = typename Integral::Point;
  using Basis = ComponentBasis<Weak, Element>;
  double all = 0;
  for (int i = 0; i < tested * c; ++i) parts[i] = 0;
  for (int q = 0; q < Point::table::points; ++q) {
    const Point point(cell, side, q);
    Vector<double, c> value;
    Matrix<double, c, d> gradient;
    interpolate_unknown<Weak>(point, connectivity, u, value, gradient);
    const auto f = weak(value, gradient, point);
    for (int t = 0; t < tested; ++t)
      for (int a = 0; a < c; ++a) {
        const int node = Integral::Tested::node(side, t);
        double sum = 0;
        if constexpr (Integral::tests_value) sum += f.f0(a) * Basis::value(point, a, node);
        if constexpr (Integral::tests_gradient)
          for (int axis = 0; axis < d; ++axis) sum += f.f1(a, axis) * Basis::gradient(point, a, node, axis);
        parts[t * c + a] += point.weight() * sum;
        all += point.weight() * sum;
      }
  }
  return all;
}

/// Residuals of sides: side × tested function × component.
template <class Integral, class ExecutionSpace, class Scalar, class Status>
struct IntegrateSideResidual {
  MeshKernel<typename Integral::Element, ExecutionSpace> mesh;
  Kokkos::View<const Ordinal* [2], Kokkos::LayoutRight, ExecutionSpace> sides;
  typename Integral::Weak weak;
  Kokkos::View<const Scalar*, ExecutionSpace> u;
  Kokkos::View<double*, ExecutionSpace> result;
  Status status;

  KOKKOS_FUNCTION void operator()(Ordinal s) const {
    const auto cell = mesh.template cell<double>(sides(s, 0));
    double* const parts = result.data() + to_size(s) * Integral::Tested::count * Integral::components;
    if (!Kokkos::isfinite(side_residual<Integral>(cell, sides(s, 1), mesh.connectivity, weak, u, parts)))
      status.fail(cell.element[0]);
  }
};

/// r += what the sides have, over all degrees of freedom.
template <class Integral, class ExecutionSpace, class Scalar>
struct AddSideResidual {
  SideRows<ExecutionSpace> rows;
  Kokkos::View<const double*, ExecutionSpace> parts;
  Kokkos::View<Scalar*, ExecutionSpace> r;

  KOKKOS_FUNCTION void operator()(Ordinal i) const {
    constexpr int c = Integral::components;
    for (int a = 0; a < c; ++a) {
      double sum = 0;
      for (Ordinal k = rows.offsets(i); k < rows.offsets(i + 1); ++k)
        sum += parts(to_size(rows.parts(k)) * c + to_size(a));
      r(rows.nodes(i) * c + a) += Scalar(sum);
    }
  }
};

/// Jacobians of sides: side × tested function × row of `SideIntegral::matrix_size` numbers.
template <class Integral, class ExecutionSpace, class Status>
struct IntegrateSideJacobian {
  using Element = typename Integral::Element;
  MeshKernel<Element, ExecutionSpace> mesh;
  Kokkos::View<const Ordinal* [2], Kokkos::LayoutRight, ExecutionSpace> sides;
  WeakJacobianKernel<typename Integral::Weak, Element, ExecutionSpace> jacobian;
  Kokkos::View<double*, ExecutionSpace> result;
  Status status;

  KOKKOS_FUNCTION void operator()(Ordinal s) const {
    constexpr int tested = Integral::Tested::count, size = Integral::matrix_size;
    using Point = typename Integral::Point;
    const auto cell = mesh.template cell<double>(sides(s, 0));
    const int side = sides(s, 1);
    double* const parts = result.data() + to_size(s) * tested * size;
    double all = 0;
    for (int i = 0; i < tested * size; ++i) parts[i] = 0;
    for (int q = 0; q < Point::table::points; ++q) {
      const Point point(cell, side, q);
      const auto integrand = jacobian.at(point);
      for (int t = 0; t < tested; ++t)
        all += add(integrand, point.weight(), Integral::Tested::node(side, t), parts + t * size);
    }
    if (!Kokkos::isfinite(all)) status.fail(cell.element[0]);
  }

private:
  /// Adds the rows of a test function; returns the sum of what was added.
  template <class Integrand>
  KOKKOS_FUNCTION static double add(const Integrand& integrand, double weight, int node, double* rows) {
    constexpr int c = Integral::components, row_size = Integral::row_size;
    double all = 0;
    const auto add_to = [&](double& entry, double value) {
      entry += weight * value;
      all += weight * value;
    };
    const Vector<double, c> load = integrand.load(node);
    for (int a = 0; a < c; ++a) add_to(rows[a * row_size + Integral::columns], load(a));
    for (int j = 0; j < Element::nodes; ++j) {
      const Matrix<double, c> k = integrand.stiffness(node, j);
      for (int a = 0; a < c; ++a)
        for (int b = 0; b < c; ++b) add_to(rows[a * row_size + j * c + b], k(a, b));
    }
    return all;
  }
};

/// The Jacobians of the sides of one kind, and what each node's rows have of them.
template <class ElementType, class ExecutionSpace, int Components>
struct SideMatrices {
  using Element = ElementType;
  static constexpr int components = Components, columns = Element::nodes * components, row_size = columns + 1;

  SideRows<ExecutionSpace> rows;
  typename MeshKernel<Element, ExecutionSpace>::Connectivity connectivity;
  Kokkos::View<const double*, ExecutionSpace> parts; ///< as of `IntegrateSideJacobian`
  int tested;                                        ///< functions of a side

  std::size_t bytes() const { return rows.bytes() + parts.span() * sizeof(double); }

  /// `visit(node, component, entry)` for the entries of row a of the i-th of `rows.nodes`, in their order.
  /// Returns what the right-hand side gets.
  template <class Visit>
  KOKKOS_FUNCTION double visit_row(Ordinal i, int a, const Visit& visit) const {
    double load = 0;
    for (Ordinal k = rows.offsets(i); k < rows.offsets(i + 1); ++k) {
      const Ordinal part = rows.parts(k), element = rows.sides(part / tested, 0);
      const double* const row = parts.data() + (to_size(part) * components + to_size(a)) * row_size;
      for (int j = 0; j < Element::nodes; ++j)
        for (int b = 0; b < components; ++b) visit(connectivity(element, j), b, row[j * components + b]);
      load += row[columns];
    }
    return load;
  }
};

/// Adds what the sides have to a system; columns of constrained degrees of freedom go to the right-hand side.
template <class Matrices, class ExecutionSpace, class Scalar>
struct AddSideJacobian {
  Matrices sides;
  Equations<ExecutionSpace> equations;
  Kokkos::View<const Offset*, ExecutionSpace> row_map;
  Kokkos::View<const Ordinal*, ExecutionSpace> columns;
  Kokkos::View<Scalar*, ExecutionSpace> values;
  Kokkos::View<Scalar*, ExecutionSpace> rhs;

  KOKKOS_FUNCTION void operator()(Ordinal i) const {
    constexpr int c = Matrices::components;
    for (int a = 0; a < c; ++a) {
      if (equations.is_constrained(sides.rows.nodes(i), a)) continue;
      const Ordinal row = equations.equation(sides.rows.nodes(i), a);
      const Offset begin = row_map(row);
      const auto length = static_cast<Ordinal>(row_map(row + 1) - begin);
      double prescribed = 0;
      const double load = sides.visit_row(i, a, [&](Ordinal node, int b, double entry) {
        if (equations.is_constrained(node, b))
          prescribed += entry * equations.prescribed(node * c + b);
        else
          values(begin + to_size(place_in(columns.data() + begin, length, equations.equation(node, b)))) +=
              Scalar(entry);
      });
      rhs(row) += Scalar(load - prescribed);
    }
  }
};

/// y += K x over the equations.
template <class Matrices, class ExecutionSpace, class Scalar>
struct AddSideProduct {
  Matrices sides;
  Equations<ExecutionSpace> equations;
  Kokkos::View<const Scalar*, ExecutionSpace> x;
  Kokkos::View<Scalar*, ExecutionSpace> y;

  KOKKOS_FUNCTION void operator()(Ordinal i) const {
    for (int a = 0; a < Matrices::components; ++a) {
      if (equations.is_constrained(sides.rows.nodes(i), a)) continue;
      double sum = 0;
      sides.visit_row(i, a, [&](Ordinal node, int b, double entry) {
        if (!equations.is_constrained(node, b)) sum += entry * double(x(equations.equation(node, b)));
      });
      y(equations.equation(sides.rows.nodes(i), a)) += Scalar(sum);
    }
  }
};

/// Adds to the right-hand side what the sides have, less constrained columns times prescribed values.
template <class Matrices, class ExecutionSpace, class Scalar>
struct AddSideLoads {
  Matrices sides;
  Equations<ExecutionSpace> equations;
  Kokkos::View<Scalar*, ExecutionSpace> rhs;

  KOKKOS_FUNCTION void operator()(Ordinal i) const {
    constexpr int c = Matrices::components;
    for (int a = 0; a < c; ++a) {
      if (equations.is_constrained(sides.rows.nodes(i), a)) continue;
      double prescribed = 0;
      const double load = sides.visit_row(i, a, [&](Ordinal node, int b, double entry) {
        if (equations.is_constrained(node, b)) prescribed += entry * equations.prescribed(node * c + b);
      });
      rhs(equations.equation(sides.rows.nodes(i), a)) += Scalar(load - prescribed);
    }
  }
};

/// Adds to the diagonal blocks of nodes, but for rows and columns of constrained components.
template <class Matrices, class ExecutionSpace, class Blocks>
struct AddSideBlocks {
  Matrices sides;
  Equations<ExecutionSpace> equations;
  Blocks blocks; ///< node x row x column

  KOKKOS_FUNCTION void operator()(Ordinal i) const {
    using Scalar = typename Blocks::non_const_value_type;
    const Ordinal own = sides.rows.nodes(i);
    for (int a = 0; a < Matrices::components; ++a)
      if (!equations.is_constrained(own, a))
        sides.visit_row(i, a, [&](Ordinal node, int b, double entry) {
          if (node == own && !equations.is_constrained(node, b)) blocks(node, a, b) += Scalar(entry);
        });
  }
};

/// r += K u - loads over the constrained degrees of freedom.
template <class Matrices, class ExecutionSpace>
struct AddSideReactions {
  Matrices sides;
  Equations<ExecutionSpace> equations;
  Kokkos::View<const double*, ExecutionSpace> u;
  Kokkos::View<double*, ExecutionSpace> r;

  KOKKOS_FUNCTION void operator()(Ordinal i) const {
    constexpr int c = Matrices::components;
    for (int a = 0; a < c; ++a) {
      if (!equations.is_constrained(sides.rows.nodes(i), a)) continue;
      double sum = 0;
      const double load =
          sides.visit_row(i, a, [&](Ordinal node, int b, double entry) { sum += entry * u(node * c + b); });
      r(sides.rows.nodes(i) * c + a) += sum - load;
    }
  }
};

} // namespace tessera::detail
