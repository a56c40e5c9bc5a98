// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Auxiliary fields of weak forms by quadrature points.

#include <tessera/core/weak_form/fields.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <string>
#include <type_traits>

namespace tessera {

/// A field by its values at quadrature points: history variables of a material, what was measured, what
/// another code computes. It has no gradient. The points are those of the form's own rule on the mesh's
/// element, in the order of `Quadrature`; `state_at_points` writes such values.
template <int Components, class ExecutionSpace = Kokkos::DefaultExecutionSpace>
struct PointField {
  static constexpr int components = Components;
  Kokkos::View<const double*, ExecutionSpace> values; ///< (element * points + point) * Components + component
};

namespace detail {

/// Fields by quadrature points.
template <int Components, class Element, class ExecutionSpace>
struct PointFieldKernel {
  Kokkos::View<const double*, ExecutionSpace> values;
  typename MeshKernel<Element, ExecutionSpace>::Connectivity connectivity;
  int points; ///< of the form's rule

  /// NaN at the points of another rule, as of a sum of forms: kernels report the element.
  template <class Point>
  KOKKOS_FORCEINLINE_FUNCTION auto value(const Point& point) const {
    using Real = typename Point::real_type;
    components_t<Real, Components> result;
    for (int c = 0; c < Components; ++c) {
      const Real entry = from_lanes<Real>([&](int lane) {
        if (Point::table::points != points) return Kokkos::Experimental::quiet_NaN_v<double>;
        const Offset at = static_cast<Offset>(point.cell().element[lane]) * points + number(point, lane);
        return values(at * Components + c);
      });
      if constexpr (Components == 1)
        result = entry;
      else
        result(c) = entry;
    }
    return result;
  }
  template <class Point>
  KOKKOS_FORCEINLINE_FUNCTION auto gradient(const Point&) const {
    static_assert(sizeof(Point) == 0, "tessera::WeakForm: a PointField has no gradient; use a NodalField");
  }

private:
  /// Number of the point in the mesh's order of the element's nodes. Strategies that take nodes in another
  /// order do so with linear simplices, whose rules are symmetric: the point is another one of the rule.
  template <class Point>
  KOKKOS_FORCEINLINE_FUNCTION int number(const Point& point, int lane) const {
    if constexpr (Element::affine_simplex) {
      const auto& cell = point.cell();
      if (cell.nodes == nullptr) return point.number();
      using Table = typename Point::table;
      constexpr int d = Element::dimension;
      double weight[Element::nodes]; // barycentric coordinates, in the mesh's order
      for (int n = 0; n < Element::nodes; ++n)
        for (int m = 0; m < Element::nodes; ++m)
          if (connectivity(cell.element[lane], m) == cell.node(connectivity, lane, n))
            weight[m] = Table::template value<double>(point.number(), n);
      for (int q = 0; q < Table::points; ++q) {
        double distance = 0;
        for (int e = 0; e < d; ++e)
          distance += Kokkos::abs(Table::template coordinate<double>(q, e) - weight[e + 1]);
        if (distance < 1e-6) return q;
      }
    }
    return point.number();
  }
};

template <int Components, class Element, class ExecutionSpace>
auto field_kernel(const PointField<Components, ExecutionSpace>& field,
                  const MeshKernel<Element, ExecutionSpace>& mesh) {
  const std::size_t elements = mesh.connectivity.extent(0);
  const std::size_t points = elements == 0 ? 0 : field.values.extent(0) / (elements * Components);
  return PointFieldKernel<Components, Element, ExecutionSpace>{field.values, mesh.connectivity,
                                                               static_cast<int>(points)};
}

template <int Components, class FieldSpace, class Element, class ExecutionSpace>
void check_field(const PointField<Components, FieldSpace>& field, const std::string& name,
                 const Mesh<Element, ExecutionSpace>& mesh, int points) {
  static_assert(std::is_same_v<FieldSpace, ExecutionSpace>,
                "tessera::WeakForm: an auxiliary field and the mesh must have the same execution space");
  check_field_length(field.values.extent(0),
                     static_cast<std::size_t>(mesh.num_elements()) * points * Components, name,
                     "the elements' quadrature points");
}

} // namespace detail
} // namespace tessera
