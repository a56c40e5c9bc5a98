// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Auxiliary fields as parameters: their values become dual numbers, the unknown stays a constant.

#include <tessera/core/arithmetic/dual.hpp>
#include <tessera/core/fields/coefficient.hpp>
#include <tessera/core/weak_form/kernel.hpp>
#include <tessera/core/weak_form/point_field.hpp>

#include <Kokkos_Core.hpp>

#include <type_traits>

namespace tessera::detail {

/// What the values of a field belong to, as an element sees them.
enum class ValuesOf { element, nodes, points };

/// Fields whose values are parameters; a callable has none.
template <class Field>
struct Parameter {
  static_assert(sizeof(Field) == 0, "tessera: a derivative is by a number, a CellField, a NodalField, an "
                                    "ElementField, a PiecewiseConstantField or a PointField");
};
template <>
struct Parameter<CellField> {
  static constexpr ValuesOf values_of = ValuesOf::element;
  static constexpr int components = 1;
};
template <class ExecutionSpace, class Scalar>
struct Parameter<PiecewiseConstantField<ExecutionSpace, Scalar>> : Parameter<CellField> {};
template <int Components, class ExecutionSpace, class Scalar>
struct Parameter<NodalField<Components, ExecutionSpace, Scalar>> {
  static constexpr ValuesOf values_of = ValuesOf::nodes;
  static constexpr int components = Components;
};
template <int Components, class ExecutionSpace, class Scalar>
struct Parameter<ElementField<Components, ExecutionSpace, Scalar>> {
  static constexpr ValuesOf values_of = ValuesOf::nodes;
  static constexpr int components = Components;
};
template <int Components, class ExecutionSpace>
struct Parameter<PointField<Components, ExecutionSpace>> {
  static constexpr ValuesOf values_of = ValuesOf::points;
  static constexpr int components = Components;
};

/// \name Independent variables from `first` on.
///@{
template <int Directions, class Real>
KOKKOS_FORCEINLINE_FUNCTION Dual<Real, Directions> variables(const Real& x, int first) {
  return {x, first};
}
template <int Directions, class Real, int Size>
KOKKOS_FORCEINLINE_FUNCTION Vector<Dual<Real, Directions>, Size> variables(const Vector<Real, Size>& x,
                                                                           int first) {
  Vector<Dual<Real, Directions>, Size> result;
  for (int k = 0; k < Size; ++k) result(k) = {x(k), first + k};
  return result;
}
template <int Directions, class Real, int Rows, int Columns>
KOKKOS_FORCEINLINE_FUNCTION Matrix<Dual<Real, Directions>, Rows, Columns>
variables(const Matrix<Real, Rows, Columns>& x, int first) {
  Matrix<Dual<Real, Directions>, Rows, Columns> result;
  for (int k = 0; k < Rows * Columns; ++k) result.entry[k] = {x.entry[k], first + k};
  return result;
}
///@}

/// \name Numbers that change along a direction.
///@{
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION Dual<Real, 1> along(const Real& x, const Real& change) {
  Dual<Real, 1> result(x);
  result.derivative[0] = change;
  return result;
}
template <class Real, int Size>
KOKKOS_FORCEINLINE_FUNCTION Vector<Dual<Real, 1>, Size> along(const Vector<Real, Size>& x,
                                                              const Vector<Real, Size>& change) {
  Vector<Dual<Real, 1>, Size> result;
  for (int k = 0; k < Size; ++k) result(k) = along(x(k), change(k));
  return result;
}
template <class Real, int Rows, int Columns>
KOKKOS_FORCEINLINE_FUNCTION Matrix<Dual<Real, 1>, Rows, Columns>
along(const Matrix<Real, Rows, Columns>& x, const Matrix<Real, Rows, Columns>& change) {
  Matrix<Dual<Real, 1>, Rows, Columns> result;
  for (int k = 0; k < Rows * Columns; ++k) result.entry[k] = along(x.entry[k], change.entry[k]);
  return result;
}
///@}

/// A field's kernel with its values at a point, and behind them the entries of its gradient if it has one, as
/// independent variables.
template <class Field, int Components, bool HasGradient>
struct FieldVariables {
  Field field;
  template <class Point>
  static constexpr int directions = Components * (HasGradient ? 1 + Point::dimension : 1);

  template <class Point>
  KOKKOS_FORCEINLINE_FUNCTION auto value(const Point& point) const {
    return variables<directions<Point>>(field.value(point), 0);
  }
  template <class Point>
  KOKKOS_FORCEINLINE_FUNCTION auto gradient(const Point& point) const {
    if constexpr (HasGradient)
      return variables<directions<Point>>(field.gradient(point), Components);
    else
      return field.gradient(point);
  }
};

/// A field's kernel that changes along another field.
template <class Field, class Change>
struct FieldAlong {
  Field field;
  Change change;

  template <class Point>
  KOKKOS_FORCEINLINE_FUNCTION auto value(const Point& point) const {
    return along(field.value(point), change.value(point));
  }
  template <class Point>
  KOKKOS_FORCEINLINE_FUNCTION auto gradient(const Point& point) const {
    return along(field.gradient(point), change.gradient(point));
  }
};

/// A weak form's kernel with another one in the place of field K.
template <int K, class Physics, class Fields, class Field>
auto with_field(const WeakFormKernel<Physics, Fields>& weak, const Field& field) {
  const auto fields = replaced<K>(weak.fields, field);
  return WeakFormKernel<Physics, std::remove_const_t<decltype(fields)>>{weak.physics, fields};
}

/// f0 and f1 at a point whose fields, not the unknown, have `Directions` derivatives.
template <int Directions, class Weak, class Real, int Components, class Point>
KOKKOS_FORCEINLINE_FUNCTION auto
at_constant_unknown(const Weak& weak, const Vector<Real, Components>& value,
                    const Matrix<Real, Components, Point::dimension>& gradient, const Point& point) {
  using Number = Dual<Real, Directions>;
  Vector<Number, Components> u;
  Matrix<Number, Components, Point::dimension> grad_u;
  for (int a = 0; a < Components; ++a) u(a) = value(a);
  for (int k = 0; k < Components * Point::dimension; ++k) grad_u.entry[k] = gradient.entry[k];
  return weak(u, grad_u, point);
}

} // namespace tessera::detail
