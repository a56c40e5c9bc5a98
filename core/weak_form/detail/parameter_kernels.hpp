// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Kernels that differentiate a weak form's residual by one of its auxiliary fields.

#include <tessera/core/graphs/incidence.hpp>
#include <tessera/core/weak_form/detail/varied_fields.hpp>
#include <tessera/core/weak_form/element_residual.hpp>

#include <Kokkos_Core.hpp>

namespace tessera::detail {

/// The sums lambda . dr/da of each element, by the element's entries of the parameter field a.
/// \tparam Weak the form's own kernel
/// \tparam Varied the same with `FieldVariables`
template <class Element, class ExecutionSpace, ValuesOf values_of, int Components, class Weak, class Varied>
struct ElementGradients {
  static constexpr int c = Weak::components, d = Element::dimension, degree = Weak::template degree<Element>;
  using Point = QuadraturePoint<Element, degree, double>;
  static constexpr int points = Point::table::points;
  static constexpr int directions = Components * (values_of == ValuesOf::nodes ? 1 + d : 1);
  /// of an element
  static constexpr int entries = Components * (values_of == ValuesOf::nodes    ? Element::nodes
                                               : values_of == ValuesOf::points ? points
                                                                               : 1);

  MeshKernel<Element, ExecutionSpace> mesh;
  Varied varied;
  Kokkos::View<const double*, ExecutionSpace> u, lambda;
  Kokkos::View<double*, ExecutionSpace> sums; ///< element * entries + entry

  /// Computes an element's; whether they are not finite.
  KOKKOS_FUNCTION bool operator()(Ordinal e) const {
    const auto cell = mesh.template cell<double>(e);
    double* const sum = sums.data() + static_cast<Offset>(e) * entries;
    for (int i = 0; i < entries; ++i) sum[i] = 0;
    for (int q = 0; q < points; ++q) {
      const Point point(cell, q);
      double slope[directions];
      differentiate(point, slope);
      add(point, slope, sum);
    }
    bool finite = true;
    for (int i = 0; i < entries; ++i) finite = finite && Kokkos::isfinite(sum[i]);
    return !finite;
  }

private:
  /// Weighted derivatives of lambda . f0 + grad lambda : f1.
  KOKKOS_FUNCTION void differentiate(const Point& point, double (&slope)[directions]) const {
    Vector<double, c> value, test;
    Matrix<double, c, d> gradient, test_gradient;
    interpolate_unknown<Weak>(point, mesh.connectivity, u, value, gradient);
    interpolate_unknown<Weak>(point, mesh.connectivity, lambda, test, test_gradient);
    const auto f = at_constant_unknown<directions>(varied, value, gradient, point);
    for (int k = 0; k < directions; ++k) {
      double sum = 0;
      if constexpr (Weak::template tests_value<Element>)
        for (int a = 0; a < c; ++a) sum += test(a) * f.f0(a).derivative[k];
      if constexpr (Weak::template tests_gradient<Element>)
        for (int i = 0; i < c * d; ++i) sum += test_gradient.entry[i] * f.f1.entry[i].derivative[k];
      slope[k] = sum * point.weight();
    }
  }
  KOKKOS_FUNCTION static void add(const Point& point, const double (&slope)[directions], double* sum) {
    for (int b = 0; b < Components; ++b)
      if constexpr (values_of == ValuesOf::nodes)
        for (int n = 0; n < Element::nodes; ++n) {
          sum[n * Components + b] += slope[b] * point.value(n);
          for (int axis = 0; axis < d; ++axis)
            sum[n * Components + b] += slope[Components + b * d + axis] * point.gradient(n, axis);
        }
      else if constexpr (values_of == ValuesOf::points)
        sum[point.number() * Components + b] = slope[b];
      else
        sum[b] += slope[b];
  }
};

/// The derivative of a weak form's functions along a change of a field, as `element_residual` takes it.
/// \tparam Weak the form's own kernel
/// \tparam Varied the same with a `FieldAlong`
template <class Weak, class Varied>
struct DerivativeAlong : IntegratedAs<Weak> {
  using IntegratedAs<Weak>::components;
  Varied varied;

  template <class Real, class Point>
  KOKKOS_FORCEINLINE_FUNCTION WeakValues<Real, components, Point::dimension>
  operator()(const Vector<Real, components>& u, const Matrix<Real, components, Point::dimension>& grad_u,
             const Point& point) const {
    const auto f = at_constant_unknown<1>(varied, u, grad_u, point);
    WeakValues<Real, components, Point::dimension> result;
    for (int a = 0; a < components; ++a) result.f0(a) = f.f0(a).derivative[0];
    for (int k = 0; k < components * Point::dimension; ++k) result.f1.entry[k] = f.f1.entry[k].derivative[0];
    return result;
  }
};

/// The residuals of the elements, each by itself.
/// \tparam Kernel as `element_residual` takes it
template <class Element, class ExecutionSpace, class Kernel>
struct ElementResiduals {
  static constexpr int entries = Element::nodes * Kernel::components;

  MeshKernel<Element, ExecutionSpace> mesh;
  Kernel kernel;
  Kokkos::View<const double*, ExecutionSpace> u;
  Kokkos::View<double*, ExecutionSpace> sums; ///< element * entries + node * components + component

  /// Computes an element's; whether they are not finite.
  KOKKOS_FUNCTION bool operator()(Ordinal e) const {
    double local[entries], r[entries];
    for (int i = 0; i < entries; ++i)
      local[i] = u(static_cast<Offset>(mesh.connectivity(e, i / Kernel::components)) * Kernel::components +
                   i % Kernel::components);
    element_residual(kernel, mesh.template cell<double>(e), local, r);
    bool finite = true;
    for (int i = 0; i < entries; ++i) {
      sums(static_cast<Offset>(e) * entries + i) = r[i];
      finite = finite && Kokkos::isfinite(r[i]);
    }
    return !finite;
  }
};

/// Sums of what the elements around each node have for it, in their order.
template <class ExecutionSpace>
struct SumAroundNodes {
  NodeToElement<ExecutionSpace> incidence;
  int nodes, components; ///< of an element, of a node
  /// (element * nodes + node) * components + component
  Kokkos::View<const double*, ExecutionSpace> of_elements;
  Kokkos::View<double*, ExecutionSpace> sums; ///< node * components + component

  KOKKOS_FUNCTION void operator()(Ordinal node) const {
    for (int b = 0; b < components; ++b) {
      double sum = 0;
      for (Offset k = incidence.offsets(node); k < incidence.offsets(node + 1); ++k)
        sum += of_elements(
            (static_cast<Offset>(incidence.elements(k)) * nodes + incidence.local_nodes(k)) * components + b);
      sums(static_cast<Offset>(node) * components + b) = sum;
    }
  }
};

/// Sums over the elements of each material, in two stages whose order depends on no number of threads: parts
/// of the elements, then the parts.
template <class ExecutionSpace>
struct SumMaterials {
  static constexpr Ordinal parts = 256;
  struct OfPart {};
  struct OfParts {};

  Kokkos::View<const double*, ExecutionSpace> of_elements;
  Kokkos::View<const Ordinal*, ExecutionSpace> materials; ///< of the elements; empty: all are 0
  Kokkos::View<double*, ExecutionSpace> partial;          ///< part * materials + material; zero on entry
  Kokkos::View<double*, ExecutionSpace> sums;             ///< material

  KOKKOS_FUNCTION void operator()(OfPart, Ordinal part) const {
    const auto elements = static_cast<Offset>(of_elements.extent(0));
    double* const sum = partial.data() + static_cast<Offset>(part) * sums.extent(0);
    const auto at = static_cast<Offset>(part);
    for (Offset e = elements * at / parts; e < elements * (at + 1) / parts; ++e)
      sum[materials.extent(0) == 0 ? 0 : materials(e)] += of_elements(e);
  }
  KOKKOS_FUNCTION void operator()(OfParts, Ordinal material) const {
    double sum = 0;
    for (Ordinal part = 0; part < parts; ++part)
      sum += partial(static_cast<Offset>(part) * sums.extent(0) + material);
    sums(material) = sum;
  }
};

} // namespace tessera::detail
