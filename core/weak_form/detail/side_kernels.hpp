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

/// Residuals of sides: side × tested function × component.
template <class Integral, class ExecutionSpace, class Scalar, class Status>
struct IntegrateSideResidual {
  using Element = typename Integral::Element;
  MeshKernel<Element, ExecutionSpace> mesh;
  Kokkos::View<const Ordinal* [2], Kokkos::LayoutRight, ExecutionSpace> sides;
  typename Integral::Weak weak;
  Kokkos::View<const Scalar*, ExecutionSpace> u;
  Kokkos::View<double*, ExecutionSpace> result;
  Status status;

  KOKKOS_FUNCTION void operator()(Ordinal s) const {
    constexpr int c = Integral::components, d = Element::dimension, tested = Integral::Tested::count;
    using Point = typename Integral::Point;
    using Basis = ComponentBasis<typename Integral::Weak, Element>;
    const auto cell = mesh.template cell<double>(sides(s, 0));
    const int side = sides(s, 1);
    double* const parts = result.data() + to_size(s) * tested * c;
    double all = 0;
    for (int i = 0; i < tested * c; ++i) parts[i] = 0;
    for (int q = 0; q < Point::table::points; ++q) {
      const Point point(cell, side, q);
      Vector<double, c> value;
      Matrix<double, c, d> gradient;
      interpolate_unknown<typename Integral::Weak>(point, mesh.connectivity, u, value, gradient);
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
    if (!Kokkos::isfinite(all)) status.fail(cell.element[0]);
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

/// Adds what the sides have to a system; columns of constrained degrees of freedom go to the right-hand side.
template <class Integral, class ExecutionSpace, class Scalar>
struct AddSideJacobian {
  SideRows<ExecutionSpace> rows;
  typename MeshKernel<typename Integral::Element, ExecutionSpace>::Connectivity connectivity;
  Kokkos::View<const double*, ExecutionSpace> parts;
  Equations<ExecutionSpace> equations;
  Kokkos::View<const Offset*, ExecutionSpace> row_map;
  Kokkos::View<const Ordinal*, ExecutionSpace> columns;
  Kokkos::View<Scalar*, ExecutionSpace> values;
  Kokkos::View<Scalar*, ExecutionSpace> rhs;

  KOKKOS_FUNCTION void operator()(Ordinal i) const {
    for (int a = 0; a < Integral::components; ++a)
      if (!equations.is_constrained(rows.nodes(i), a)) add_row(i, a);
  }

private:
  KOKKOS_FUNCTION void add_row(Ordinal i, int a) const {
    const Ordinal row = equations.equation(rows.nodes(i), a);
    double load = 0;
    for (Ordinal k = rows.offsets(i); k < rows.offsets(i + 1); ++k) {
      const Ordinal part = rows.parts(k), element = rows.sides(part / Integral::Tested::count, 0);
      const double* const entries =
          parts.data() + to_size(part) * Integral::matrix_size + to_size(a * Integral::row_size);
      load += entries[Integral::columns] - add_entries(row, element, entries);
    }
    rhs(row) += Scalar(load);
  }
  /// Returns the sum of those in constrained columns times prescribed values.
  KOKKOS_FUNCTION double add_entries(Ordinal row, Ordinal element, const double* entries) const {
    constexpr int c = Integral::components;
    const Offset begin = row_map(row);
    const auto length = static_cast<Ordinal>(row_map(row + 1) - begin);
    double prescribed = 0;
    for (int j = 0; j < Integral::Element::nodes; ++j) {
      const Ordinal node = connectivity(element, j);
      for (int b = 0; b < c; ++b) {
        const double entry = entries[j * c + b];
        if (equations.is_constrained(node, b))
          prescribed += entry * equations.prescribed(node * c + b);
        else
          values(begin + to_size(place_in(columns.data() + begin, length, equations.equation(node, b)))) +=
              Scalar(entry);
      }
    }
    return prescribed;
  }
};

} // namespace tessera::detail
