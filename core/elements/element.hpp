// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The Lagrange elements `Line<P>`, `Tri<P>`, `Quad<P>`, `Tet<P>`, `Hex<P>`, `Wedge<P>`, the pyramid
/// `Pyramid<1>`, and the elements of second order with nodes at corners and edges alone, `Quad8`, `Hex20`,
/// `Wedge15`, `Pyramid13`: topology and basis, known at compile time.
///
/// Nodes are equispaced and numbered as VTK numbers its Lagrange cells (core/elements/detail/lattice.hpp).
/// The basis is given by the product formulas, for simplices in barycentric coordinates (P. Silvester,
/// "High-order polynomial triangular finite elements for potential problems", Int. J. Engng. Sci. 7, 1969; O.
/// C. Zienkiewicz, R. L. Taylor, "The Finite Element Method", volume 1, "Standard and hierarchical element
/// shape functions").
///
/// The functions here are for the host and the compiler; kernels read basis values at quadrature points from
/// core/elements/tabulation.hpp.

#include <tessera/core/elements/detail/lagrange.hpp>
#include <tessera/core/elements/detail/pyramid.hpp>
#include <tessera/core/elements/detail/serendipity.hpp>
#include <tessera/core/elements/detail/side_kinds.hpp>
#include <tessera/core/elements/shape.hpp>

#include <array>
#include <concepts>
#include <type_traits>

namespace tessera {

/// Line of order 1 to 5; reference domain [-1,1]. The side of plane elements.
template <int Order>
struct Line : detail::LagrangeElement<Shape::line, Order> {
  static_assert(Order <= 5, "Line<Order> is available for orders 1 to 5");
  template <int P>
  using of_order = Line<P>;
  static constexpr const char* name = detail::ElementName<Shape::line, Order>::characters.data();
};

/// Triangle of order 1 to 5; reference domain x, y >= 0, x + y <= 1.
template <int Order>
struct Tri : detail::LagrangeElement<Shape::triangle, Order> {
  static_assert(Order <= 5, "Tri<Order> is available for orders 1 to 5");
  template <int P>
  using of_order = Tri<P>;
  using Side = Line<Order>;
  static constexpr const char* name = detail::ElementName<Shape::triangle, Order>::characters.data();

  /// Local nodes of the sides 0-1, 1-2, 2-0, [side][node of Side]: counter-clockwise, the outside on the
  /// right.
  static constexpr std::array<std::array<int, Side::nodes>, 3> side_nodes() {
    return detail::make_side_nodes<Tri, Side>({{0, 1}, {1, 2}, {2, 0}});
  }
};

/// Quadrilateral of order 1 to 5; reference domain [-1,1]^2.
template <int Order>
struct Quad : detail::LagrangeElement<Shape::quadrilateral, Order> {
  static_assert(Order <= 5, "Quad<Order> is available for orders 1 to 5");
  template <int P>
  using of_order = Quad<P>;
  using Side = Line<Order>;
  static constexpr const char* name = detail::ElementName<Shape::quadrilateral, Order>::characters.data();

  /// Local nodes of the sides 0-1, 1-2, 2-3, 3-0, [side][node of Side]: counter-clockwise, the outside on the
  /// right.
  static constexpr std::array<std::array<int, Side::nodes>, 4> side_nodes() {
    return detail::make_side_nodes<Quad, Side>({{0, 1}, {1, 2}, {2, 3}, {3, 0}});
  }
};

/// Tetrahedron of order 1 to 3; reference domain x, y, z >= 0, x + y + z <= 1.
template <int Order>
struct Tet : detail::LagrangeElement<Shape::tetrahedron, Order> {
  static_assert(Order <= 3, "Tet<Order> is available for orders 1 to 3");
  template <int P>
  using of_order = Tet<P>;
  using Side = Tri<Order>;
  static constexpr const char* name = detail::ElementName<Shape::tetrahedron, Order>::characters.data();

  /// Local nodes of the sides, [side][node of Side]. Side s is face s of vtkTetra: 0-1-3, 1-2-3, 2-0-3,
  /// 0-2-1; the cross product of the side's first and second tangent points outwards.
  static constexpr std::array<std::array<int, Side::nodes>, 4> side_nodes() {
    return detail::make_side_nodes<Tet, Side>({{0, 1, 3}, {1, 2, 3}, {2, 0, 3}, {0, 2, 1}});
  }
};

/// Hexahedron of order 1 to 3; reference domain [-1,1]^3.
template <int Order>
struct Hex : detail::LagrangeElement<Shape::hexahedron, Order> {
  static_assert(Order <= 3, "Hex<Order> is available for orders 1 to 3");
  template <int P>
  using of_order = Hex<P>;
  using Side = Quad<Order>;
  static constexpr const char* name = detail::ElementName<Shape::hexahedron, Order>::characters.data();

  /// Local nodes of the sides, [side][node of Side]. Side s is face s of vtkHexahedron: 0-4-7-3, 1-2-6-5,
  /// 0-1-5-4, 3-7-6-2, 0-3-2-1, 4-5-6-7; the cross product of the side's first and second tangent points
  /// outwards.
  static constexpr std::array<std::array<int, Side::nodes>, 6> side_nodes() {
    return detail::make_side_nodes<Hex, Side>(
        {{0, 4, 3}, {1, 2, 5}, {0, 1, 4}, {3, 7, 2}, {0, 3, 1}, {4, 5, 7}});
  }
};

/// Quadrilateral of eight nodes, corners and middles of edges, in the order of `Quad<2>`.
struct Quad8 : detail::SerendipityElement<Shape::quadrilateral> {
  template <int P>
  using of_order = std::conditional_t<P == 1, Quad<1>, Quad8>;
  using Side = Line<2>;
  static constexpr const char* name = "quad8";

  /// As those of `Quad`.
  static constexpr auto side_nodes() { return Quad<2>::side_nodes(); }
};

/// Hexahedron of twenty nodes, corners and middles of edges, in the order of `Hex<2>`.
struct Hex20 : detail::SerendipityElement<Shape::hexahedron> {
  template <int P>
  using of_order = std::conditional_t<P == 1, Hex<1>, Hex20>;
  using Side = Quad8;
  static constexpr const char* name = "hex20";

  /// As those of `Hex`.
  static constexpr std::array<std::array<int, Side::nodes>, 6> side_nodes() {
    constexpr auto all = Hex<2>::side_nodes();
    std::array<std::array<int, Side::nodes>, 6> sides{};
    for (std::size_t s = 0; s < sides.size(); ++s) sides[s] = detail::first_nodes<Side::shape>(all[s]);
    return sides;
  }
};

namespace detail {

/// Those of wedges and pyramids, kind after kind.
template <class ElementType>
constexpr auto wedge_side_nodes() {
  using Sides = typename ElementType::Sides;
  return Sides::rows(
      make_side_nodes<ElementType, typename Sides::template Side<0>>({{0, 2, 1}, {3, 4, 5}}),
      make_side_nodes<ElementType, typename Sides::template Side<1>>({{0, 1, 3}, {1, 2, 4}, {2, 0, 5}}));
}
template <class ElementType>
constexpr auto pyramid_side_nodes() {
  using Sides = typename ElementType::Sides;
  return Sides::rows(make_side_nodes<ElementType, typename Sides::template Side<0>>({{0, 3, 1}}),
                     make_side_nodes<ElementType, typename Sides::template Side<1>>(
                         {{0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 0, 4}}));
}

} // namespace detail

/// Wedge of order 1 or 2; reference domain the triangle x, y >= 0, x + y <= 1 times [-1,1]. The Jacobian is
/// positive where 3-4-5 lies on the side of 0-1-2 that the right-hand rule points to, as in Gmsh, Abaqus and
/// Exodus.
template <int Order>
struct Wedge : detail::LagrangeElement<Shape::wedge, Order> {
  static_assert(Order <= 2, "Wedge<Order> is available for orders 1 and 2");
  template <int P>
  using of_order = Wedge<P>;
  using Sides = SideKinds<Tri<Order>, Quad<Order>>;
  static constexpr const char* name = detail::ElementName<Shape::wedge, Order>::characters.data();

  /// The triangles are the first two sides.
  static constexpr int side_kind(int side) { return side < 2 ? 0 : 1; }
  /// Local nodes of the sides 0-2-1, 3-4-5, 0-1-4-3, 1-2-5-4, 2-0-3-5, [side][node]; the cross product of the
  /// side's first and second tangent points outwards.
  static constexpr auto side_nodes() { return detail::wedge_side_nodes<Wedge>(); }
};

/// Pyramid of five nodes; reference domain x, y, z >= 0, x + z <= 1, y + z <= 1: the apex lies above node 0.
/// The base 0-1-2-3 goes round as the right-hand rule for the way to the apex says, as in VTK, Gmsh, Abaqus
/// and Exodus.
template <int Order>
struct Pyramid : detail::PyramidElement {
  static_assert(Order == 1, "Pyramid<Order> is available for order 1");
  template <int P>
  using of_order = Pyramid<P>;
  using Sides = SideKinds<Quad<Order>, Tri<Order>>;
  static constexpr const char* name = detail::ElementName<Shape::pyramid, Order>::characters.data();

  /// The base is the first side.
  static constexpr int side_kind(int side) { return side == 0 ? 0 : 1; }
  /// Local nodes of the sides, [side][node]: side s is face s of vtkPyramid; the cross product of the side's
  /// first and second tangent points outwards.
  static constexpr auto side_nodes() { return detail::pyramid_side_nodes<Pyramid>(); }
};

/// Wedge of fifteen nodes, corners and middles of edges, in the order of `Wedge<2>`.
struct Wedge15 : detail::SerendipityElement<Shape::wedge> {
  template <int P>
  using of_order = std::conditional_t<P == 1, Wedge<1>, Wedge15>;
  using Sides = SideKinds<Tri<2>, Quad8>;
  static constexpr const char* name = "wedge15";

  static constexpr int side_kind(int side) { return Wedge<1>::side_kind(side); }
  /// As those of `Wedge`.
  static constexpr auto side_nodes() { return detail::wedge_side_nodes<Wedge15>(); }
};

/// Pyramid of thirteen nodes, corners and middles of edges; those round the base come first, then those up to
/// the apex.
struct Pyramid13 : detail::SerendipityElement<Shape::pyramid> {
  template <int P>
  using of_order = std::conditional_t<P == 1, Pyramid<1>, Pyramid13>;
  using Sides = SideKinds<Quad8, Tri<2>>;
  static constexpr const char* name = "pyramid13";

  static constexpr int side_kind(int side) { return Pyramid<1>::side_kind(side); }
  /// As those of `Pyramid`.
  static constexpr auto side_nodes() { return detail::pyramid_side_nodes<Pyramid13>(); }
};

/// A type with the compile-time facts and the basis of an element; `Line` is one, but has no sides of its
/// own.
template <class T>
concept ReferenceElement = requires(typename T::Point xi) {
  { T::shape } -> std::convertible_to<Shape>;
  { T::dimension } -> std::convertible_to<int>;
  { T::order } -> std::convertible_to<int>;
  { T::nodes } -> std::convertible_to<int>;
  { T::vertices } -> std::convertible_to<int>;
  { T::sides } -> std::convertible_to<int>;
  { T::name } -> std::convertible_to<const char*>;
  { T::affine_simplex } -> std::convertible_to<bool>;
  typename T::template of_order<1>;
  { T::node_coordinates() } -> std::same_as<std::array<std::array<double, T::dimension>, T::nodes>>;
  { T::values(xi) } -> std::same_as<std::array<double, T::nodes>>;
  { T::gradients(xi) } -> std::same_as<std::array<std::array<double, T::dimension>, T::nodes>>;
};

/// An element that a mesh can be made of: `Tri`, `Quad`, `Tet`, `Hex`, `Quad8`, `Hex20`, `Wedge`, `Wedge15`,
/// `Pyramid`, `Pyramid13`.
template <class T>
concept Element = ReferenceElement<T> && requires {
  { T::side_nodes() } -> std::same_as<std::array<std::array<int, detail::SidesOf<T>::most_nodes>, T::sides>>;
};

} // namespace tessera
