// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The unknown's rate in time: a nodal field whose derivatives by the unknown are known, as implicit steppers
/// need it. The convention is that of PETSc's TS and Trilinos' Tempus: F(u, u_t) has the Jacobian
/// shift * dF/du_t + dF/du (S. Abhyankar et al., "PETSc/TS", 2018).

#include <tessera/core/arithmetic/dual.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/weak_form/fields.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstddef>
#include <string>
#include <tuple>
#include <type_traits>

namespace tessera {

/// What a rate's nodal values are.
enum class RateValues {
  rates, ///< u_t itself
  known  ///< what it is measured from, u_t = shift * (u - known): it follows the unknown
};

/// The rate of a physics' unknown, in the same functions, and its derivative by the unknown;
/// `WeakForm::with_rate` and `with_rate_from` make it.
/// \tparam Physics whose unknown it is
template <class Physics, RateValues Kind, class ExecutionSpace, class Scalar = double>
struct RateField {
  Kokkos::View<const Scalar*, ExecutionSpace> values; ///< node * components + component
  double shift;                                       ///< du_t/du, 1/time

  /// The same for another physics of this unknown.
  template <class Other>
  RateField<Other, Kind, ExecutionSpace, Scalar> of() const {
    return {values, shift};
  }
};

namespace detail {

/// Value and gradient of nodal values at a point.
template <class Physics, class Point>
struct RateAtPoint {
  using Real = typename Point::real_type;
  Vector<Real, Physics::components> value;
  Matrix<Real, Physics::components, Point::dimension> gradient;
};

/// \tparam Values called with a degree of freedom
template <class Physics, RateValues Kind, class Connectivity, class Values>
struct RateKernel {
  Connectivity connectivity;
  Values values;
  double shift;

  /// What it interpolates, linear components from the corners.
  template <class Point>
  KOKKOS_FORCEINLINE_FUNCTION RateAtPoint<Physics, Point> at(const Point& point) const {
    RateAtPoint<Physics, Point> field;
    interpolate_unknown<Physics>(point, connectivity, values, field.value, field.gradient);
    return field;
  }
  /// The rate from what was interpolated, with `shift` times the derivatives of the unknown.
  template <class Real, class Number>
  KOKKOS_FORCEINLINE_FUNCTION Number of(const Real& value, const Number& unknown) const {
    const Real factor = number<Real>(shift);
    if constexpr (Kind == RateValues::known)
      return (unknown - value) * factor;
    else if constexpr (std::is_same_v<Real, Number>)
      return value;
    else
      return DerivativeTraits<Number>::chain(value, factor, unknown);
  }
};

template <class T>
inline constexpr bool is_rate = false;
template <class Physics, RateValues Kind, class ExecutionSpace, class Scalar>
inline constexpr bool is_rate<RateField<Physics, Kind, ExecutionSpace, Scalar>> = true;
template <class Physics, RateValues Kind, class Connectivity, class Values>
inline constexpr bool is_rate<RateKernel<Physics, Kind, Connectivity, Values>> = true;

/// Whether a list's last kernel is a rate's.
template <class Fields>
inline constexpr bool has_rate = false;
template <class First, class... Rest>
inline constexpr bool has_rate<FieldList<First, Rest...>> =
    sizeof...(Rest) == 0 ? is_rate<First> : has_rate<FieldList<Rest...>>;

/// A list of fields, and behind it the rate that another list ends with, if it does, for another physics of
/// the same unknown.
template <class Physics, class... Fields, class... Others>
auto with_rate_of(const std::tuple<Others...>& others, const std::tuple<Fields...>& fields) {
  if constexpr ((is_rate<Others> || ...)) {
    const auto& rate = std::get<sizeof...(Others) - 1>(others);
    return std::tuple_cat(fields, std::tuple(rate.template of<Physics>()));
  } else {
    return fields;
  }
}

template <class Physics, RateValues Kind, class Scalar, class Element, class ExecutionSpace>
auto field_kernel(const RateField<Physics, Kind, ExecutionSpace, Scalar>& field,
                  const MeshKernel<Element, ExecutionSpace>& mesh) {
  return RateKernel<Physics, Kind, typename MeshKernel<Element, ExecutionSpace>::Connectivity,
                    Kokkos::View<const Scalar*, ExecutionSpace>>{mesh.connectivity, field.values,
                                                                 field.shift};
}

template <class Physics, RateValues Kind, class FieldSpace, class Scalar, class Element, class ExecutionSpace>
void check_field(const RateField<Physics, Kind, FieldSpace, Scalar>& field, const std::string&,
                 const Mesh<Element, ExecutionSpace>& mesh, int) {
  static_assert(std::is_same_v<FieldSpace, ExecutionSpace>,
                "tessera::WeakForm: the rate u_t and the mesh must have the same execution space");
  check_field_length(field.values.extent(0), static_cast<std::size_t>(mesh.num_nodes()) * Physics::components,
                     Kind == RateValues::known ? "WeakForm: what the rate u_t is measured from"
                                               : "WeakForm: the rate u_t",
                     "the nodes");
  if (!std::isfinite(field.shift))
    throw FormError("WeakForm: the shift of the rate u_t must be finite, got " + std::to_string(field.shift));
}

} // namespace detail
} // namespace tessera
