// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Auxiliary fields of weak forms (paper 3, section 4): what they are on the host, and how kernels evaluate
/// them at a quadrature point.

#include <tessera/core/elements/linear_basis.hpp>
#include <tessera/core/fields/coefficient.hpp>
#include <tessera/core/mesh/mesh.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <concepts>
#include <string>

namespace tessera {

/// A field in the finite element space of the mesh's own nodes, with any number of components.
/// \tparam Scalar of its values; float, which halves what kernels read, suits runs in float
template <int Components, class ExecutionSpace = Kokkos::DefaultExecutionSpace, class Scalar = double>
struct NodalField {
  static constexpr int components = Components;
  Kokkos::View<const Scalar*, ExecutionSpace> values; ///< node * Components + component
};

/// The same where every element has a copy of its nodes' values: the paper's layout (section 4).
template <int Components, class ExecutionSpace = Kokkos::DefaultExecutionSpace, class Scalar = double>
struct ElementField {
  static constexpr int components = Components;
  Kokkos::View<const Scalar*, ExecutionSpace> values; ///< (element * nodes + node) * Components + component
};

/// A field constant in every element, in a scalar of its own; a `CellField` by element has doubles.
template <class ExecutionSpace = Kokkos::DefaultExecutionSpace, class Scalar = double>
struct PiecewiseConstantField {
  Kokkos::View<const Scalar*, ExecutionSpace> values; ///< by element
};

/// Callables that kernels can evaluate at a position and get a number.
template <class Callable, int Dimension>
concept PositionFunction = requires(const Callable& f, const Vector<double, Dimension>& x) {
  { f(x) } -> std::convertible_to<double>;
};

namespace detail {

/// Scalars instead of vectors of one component.
template <class Real, int Components>
using components_t = std::conditional_t<Components == 1, Real, Vector<Real, Components>>;

/// Vectors instead of matrices of one row.
template <class Real, int Components, int Dimension>
using gradients_t =
    std::conditional_t<Components == 1, Vector<Real, Dimension>, Matrix<Real, Components, Dimension>>;

/// Sum of the nodes' values times `shape(node)`.
/// \param value `value(lane, node)`
template <class Real, int Nodes, class NodeValue, class Shape>
KOKKOS_FORCEINLINE_FUNCTION Real interpolate(const NodeValue& value, const Shape& shape) {
  Real sum = Real(value_type_t<Real>(0));
  for (int n = 0; n < Nodes; ++n)
    sum += from_lanes<Real>([&](int lane) { return value_type_t<Real>(value(lane, n)); }) * shape(n);
  return sum;
}

/// Value and gradient at a point of nodal values, node * components + component; both are zero on entry.
/// \tparam Form whose components they are
template <class Form, class Point, class Connectivity, class Values, class Real, int Components>
KOKKOS_FORCEINLINE_FUNCTION void interpolate_unknown(const Point& point, const Connectivity& connectivity,
                                                     const Values& u, Vector<Real, Components>& value,
                                                     Matrix<Real, Components, Point::dimension>& gradient) {
  using Basis = ComponentBasis<Form, typename Point::element_type>;
  for (int n = 0; n < Point::element_type::nodes; ++n)
    for (int a = 0; a < Components; ++a) {
      const Real nodal = from_lanes<Real>([&](int lane) {
        return static_cast<value_type_t<Real>>(
            u(static_cast<Offset>(point.cell().node(connectivity, lane, n)) * Components + a));
      });
      value(a) += nodal * Basis::value(point, a, n);
      for (int b = 0; b < Point::dimension; ++b) gradient(a, b) += nodal * Basis::gradient(point, a, n, b);
    }
}

/// Fields by nodes; `Index(cell, lane, node)` says which entry of `values` begins a node's components.
template <int Components, class Index, class ExecutionSpace, class Scalar>
struct NodalFieldKernel {
  Kokkos::View<const Scalar*, ExecutionSpace> values;
  Index index;

  template <class Point>
  KOKKOS_FORCEINLINE_FUNCTION auto value(const Point& point) const {
    using Real = typename Point::real_type;
    components_t<Real, Components> result;
    for (int c = 0; c < Components; ++c) {
      const Real sum = component<Point>(point, c, [&](int n) { return point.value(n); });
      if constexpr (Components == 1)
        result = sum;
      else
        result(c) = sum;
    }
    return result;
  }
  template <class Point>
  KOKKOS_FORCEINLINE_FUNCTION auto gradient(const Point& point) const {
    using Real = typename Point::real_type;
    gradients_t<Real, Components, Point::dimension> result;
    for (int c = 0; c < Components; ++c)
      for (int d = 0; d < Point::dimension; ++d)
        result.entry[c * Point::dimension + d] =
            component<Point>(point, c, [&](int n) { return point.gradient(n, d); });
    return result;
  }

private:
  template <class Point, class Shape>
  KOKKOS_FORCEINLINE_FUNCTION auto component(const Point& point, int c, const Shape& shape) const {
    constexpr int nodes = Point::element_type::nodes;
    return interpolate<typename Point::real_type, nodes>(
        [&](int lane, int n) { return values(index(point.cell(), lane, n) + c); }, shape);
  }
};

template <int Components, class Element, class ExecutionSpace>
struct MeshNodeIndex {
  typename MeshKernel<Element, ExecutionSpace>::Connectivity connectivity;
  template <class AnyCell>
  KOKKOS_FORCEINLINE_FUNCTION Offset operator()(const AnyCell& cell, int lane, int n) const {
    return static_cast<Offset>(cell.node(connectivity, lane, n)) * Components;
  }
};
template <int Components, class Element, class ExecutionSpace>
struct ElementNodeIndex {
  typename MeshKernel<Element, ExecutionSpace>::Connectivity connectivity;
  template <class AnyCell>
  KOKKOS_FORCEINLINE_FUNCTION Offset operator()(const AnyCell& cell, int lane, int n) const {
    const Ordinal element = cell.element[lane];
    int own = n; // where the cell's order is another than the mesh's, a node is known by its number alone
    if (cell.nodes != nullptr)
      for (int m = 0; m < Element::nodes; ++m)
        if (connectivity(element, m) == cell.node(connectivity, lane, n)) own = m;
    return (static_cast<Offset>(element) * Element::nodes + own) * Components;
  }
};

/// Fields constant in every element: no gradient.
struct PiecewiseConstantKernel {
  CellFieldKernel field;
  template <class Point>
  KOKKOS_FORCEINLINE_FUNCTION auto value(const Point& point) const {
    return field.template in<typename Point::real_type>(point.cell());
  }
  template <class Point>
  KOKKOS_FORCEINLINE_FUNCTION auto gradient(const Point&) const {
    return Vector<typename Point::real_type, Point::dimension>();
  }
};

/// The same from values by element.
template <class ExecutionSpace, class Scalar>
struct ElementConstantKernel {
  Kokkos::View<const Scalar*, ExecutionSpace> values;
  template <class Point>
  KOKKOS_FORCEINLINE_FUNCTION auto value(const Point& point) const {
    using Real = typename Point::real_type;
    return from_lanes<Real>([&](int lane) { return value_type_t<Real>(values(point.cell().element[lane])); });
  }
  template <class Point>
  KOKKOS_FORCEINLINE_FUNCTION auto gradient(const Point&) const {
    return Vector<typename Point::real_type, Point::dimension>();
  }
};

/// Fields given by their values anywhere.
template <class Callable>
struct CallableFieldKernel {
  Callable callable;
  template <class Point>
  KOKKOS_FORCEINLINE_FUNCTION auto value(const Point& point) const {
    return coefficient_at(callable, point);
  }
  template <class Point>
  KOKKOS_FORCEINLINE_FUNCTION auto gradient(const Point&) const {
    static_assert(sizeof(Point) == 0,
                  "tessera::WeakForm: a callable auxiliary field has no gradient; use a NodalField");
  }
};

/// \name The kernel of a field on a mesh.
///@{
template <class Element, class ExecutionSpace>
PiecewiseConstantKernel field_kernel(const CellField& field, const MeshKernel<Element, ExecutionSpace>&) {
  return {coefficient_kernel(field)};
}
template <int Components, class Scalar, class Element, class ExecutionSpace>
auto field_kernel(const NodalField<Components, ExecutionSpace, Scalar>& field,
                  const MeshKernel<Element, ExecutionSpace>& mesh) {
  using Index = MeshNodeIndex<Components, Element, ExecutionSpace>;
  return NodalFieldKernel<Components, Index, ExecutionSpace, Scalar>{field.values, {mesh.connectivity}};
}
template <int Components, class Scalar, class Element, class ExecutionSpace>
auto field_kernel(const ElementField<Components, ExecutionSpace, Scalar>& field,
                  const MeshKernel<Element, ExecutionSpace>& mesh) {
  using Index = ElementNodeIndex<Components, Element, ExecutionSpace>;
  return NodalFieldKernel<Components, Index, ExecutionSpace, Scalar>{field.values, {mesh.connectivity}};
}
template <class Scalar, class Element, class ExecutionSpace>
ElementConstantKernel<ExecutionSpace, Scalar>
field_kernel(const PiecewiseConstantField<ExecutionSpace, Scalar>& field,
             const MeshKernel<Element, ExecutionSpace>&) {
  return {field.values};
}
template <class Callable, class Element, class ExecutionSpace>
auto field_kernel(const Callable& callable, const MeshKernel<Element, ExecutionSpace>&) {
  static_assert(
      PositionFunction<Callable, Element::dimension>,
      "tessera::WeakForm: an auxiliary field is a number, a CellField, a NodalField, an ElementField, a "
      "PiecewiseConstantField, a PointField, or a callable `double f(const tessera::Vector<double, "
      "dimension>&) const` that is marked "
      "KOKKOS_FUNCTION (a lambda: KOKKOS_LAMBDA)");
  return CallableFieldKernel<Callable>{callable};
}
///@}

/// \name Checks a field on the host; `points` are those of the form's rule on an element. \throws
/// ArgumentError with both lengths, or naming the memory; FormError
///@{
template <class Element, class ExecutionSpace>
void check_field(const CellField& field, const std::string& name, const Mesh<Element, ExecutionSpace>& mesh,
                 int) {
  check_cell_field<ExecutionSpace>(field, name, mesh.num_materials(), mesh.num_elements(), "finite",
                                   [](double) { return true; });
}
inline void check_field_length(std::size_t length, std::size_t wanted, const std::string& name,
                               const char* what) {
  if (length != wanted)
    throw ArgumentError(name + " has " + std::to_string(length) + " values, " + what + " of this mesh have " +
                        std::to_string(wanted) + ": is it a field of another mesh?");
}
template <int Components, class FieldSpace, class Scalar, class Element, class ExecutionSpace>
void check_field(const NodalField<Components, FieldSpace, Scalar>& field, const std::string& name,
                 const Mesh<Element, ExecutionSpace>& mesh, int) {
  static_assert(std::is_same_v<FieldSpace, ExecutionSpace>,
                "tessera::WeakForm: an auxiliary field and the mesh must have the same execution space");
  check_field_length(field.values.extent(0), static_cast<std::size_t>(mesh.num_nodes()) * Components, name,
                     "the nodes");
}
template <class FieldSpace, class Scalar, class Element, class ExecutionSpace>
void check_field(const PiecewiseConstantField<FieldSpace, Scalar>& field, const std::string& name,
                 const Mesh<Element, ExecutionSpace>& mesh, int) {
  static_assert(std::is_same_v<FieldSpace, ExecutionSpace>,
                "tessera::WeakForm: an auxiliary field and the mesh must have the same execution space");
  check_field_length(field.values.extent(0), mesh.num_elements(), name, "the elements");
}
template <int Components, class FieldSpace, class Scalar, class Element, class ExecutionSpace>
void check_field(const ElementField<Components, FieldSpace, Scalar>& field, const std::string& name,
                 const Mesh<Element, ExecutionSpace>& mesh, int) {
  static_assert(std::is_same_v<FieldSpace, ExecutionSpace>,
                "tessera::WeakForm: an auxiliary field and the mesh must have the same execution space");
  check_field_length(field.values.extent(0),
                     static_cast<std::size_t>(mesh.num_elements()) * Element::nodes * Components, name,
                     "the elements' nodes");
}
template <class Callable, class Element, class ExecutionSpace>
void check_field(const Callable&, const std::string&, const Mesh<Element, ExecutionSpace>&, int) {}
///@}

/// Several kernels in one object that devices can copy.
template <class... Kernels>
struct FieldList {
  static constexpr int size = 0;
};
template <class First, class... Rest>
struct FieldList<First, Rest...> {
  static constexpr int size = 1 + sizeof...(Rest);
  First first;
  FieldList<Rest...> rest;

  template <int K>
  KOKKOS_FORCEINLINE_FUNCTION const auto& get() const {
    static_assert(K >= 0 && K < size, "tessera::WeakForm: no auxiliary field has this number");
    if constexpr (K == 0)
      return first;
    else
      return rest.template get<K - 1>();
  }
};
template <class First, class... Rest>
KOKKOS_INLINE_FUNCTION FieldList<First, Rest...> prepended(const First& first,
                                                           const FieldList<Rest...>& rest) {
  return {first, rest};
}
inline FieldList<> field_list() { return {}; }
template <class First, class... Rest>
FieldList<First, Rest...> field_list(const First& first, const Rest&... rest) {
  return prepended(first, field_list(rest...));
}

/// The list with another kernel in the place of number K.
template <int K, class Kernel, class First, class... Rest>
KOKKOS_INLINE_FUNCTION auto replaced(const FieldList<First, Rest...>& list, const Kernel& kernel) {
  if constexpr (K == 0)
    return prepended(kernel, list.rest);
  else
    return prepended(list.first, replaced<K - 1>(list.rest, kernel));
}

} // namespace detail
} // namespace tessera
