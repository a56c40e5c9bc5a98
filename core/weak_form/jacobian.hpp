// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The derivative of a weak form at one state, as a form that every strategy can assemble or apply.

#include <tessera/core/elements/linear_basis.hpp>
#include <tessera/core/forms/form_kernel.hpp>
#include <tessera/core/forms/point_coefficients.hpp>
#include <tessera/core/space/function_space.hpp>
#include <tessera/core/weak_form/element_residual.hpp>
#include <tessera/core/weak_form/linearisation.hpp>

#include <Kokkos_Core.hpp>

#include <tuple>
#include <type_traits>
#include <utility>

namespace tessera {

namespace detail {

/// The integrand of a weak form's Jacobian at one point.
template <class Kernel, class Point>
struct WeakIntegrand {
  using Real = typename Point::real_type;
  static constexpr int c = Kernel::components, d = Point::dimension;
  using Linear = Linearisation<Kernel, Point>;
  using Basis = ComponentBasis<Kernel, typename Point::element_type>;

  const Point& point;
  WeakBlocks<Real, c, d> g; ///< f is what `load` tests, not the residual

  KOKKOS_FORCEINLINE_FUNCTION Matrix<Real, c> stiffness(int i, int j) const {
    Matrix<Real, c> k;
    for (int a = 0; a < c; ++a) {
      for (int b = 0; b < c; ++b) {
        Real value = number<Real>(0); // tested by phi_i, then by its gradient
        if constexpr (Linear::has_f0)
          value = trial(b, j, g.g0(a, b), &g.g1(a, b * d)) * Basis::value(point, a, i);
        if constexpr (Linear::has_f1)
          for (int axis = 0; axis < d; ++axis) {
            const int r = a * d + axis;
            value += trial(b, j, g.g2(r, b), &g.g3(r, b * d)) * Basis::gradient(point, a, i, axis);
          }
        k(a, b) = value;
      }
    }
    return k;
  }

  KOKKOS_FORCEINLINE_FUNCTION Vector<Real, c> load(int i) const {
    Vector<Real, c> f;
    for (int a = 0; a < c; ++a) {
      if constexpr (Linear::has_f0) f(a) += g.f.f0(a) * Basis::value(point, a, i);
      if constexpr (Linear::has_f1)
        for (int axis = 0; axis < d; ++axis) f(a) += g.f.f1(a, axis) * Basis::gradient(point, a, i, axis);
    }
    return f;
  }

  /// For components that have the element's own functions alone.
  KOKKOS_FORCEINLINE_FUNCTION auto coefficients() const
    requires(Kernel::linear_components == 0)
  {
    constexpr bool with_values = Linear::has_f0 || Linear::uses_value;
    PointCoefficients<Real, c, d, with_values> at;
    for (int a = 0; a < c; ++a) {
      for (int b = 0; b < c; ++b) {
        if constexpr (Linear::has_f0 && Linear::uses_value) at.stiffness[d][d](a, b) = g.g0(a, b);
        for (int l = 0; l < d; ++l) {
          if constexpr (Linear::has_f0) at.stiffness[d][l](a, b) = g.g1(a, b * d + l);
          if constexpr (Linear::has_f1 && Linear::uses_value) at.stiffness[l][d](a, b) = g.g2(a * d + l, b);
          if constexpr (Linear::has_f1)
            for (int k = 0; k < d; ++k) at.stiffness[k][l](a, b) = g.g3(a * d + k, b * d + l);
        }
      }
      if constexpr (Linear::has_f0) at.load[d](a) = g.f.f0(a);
      if constexpr (Linear::has_f1)
        for (int k = 0; k < d; ++k) at.load[k](a) = g.f.f1(a, k);
    }
    return at;
  }

private:
  /// Derivatives times the value and the gradient of trial function j of component b.
  KOKKOS_FORCEINLINE_FUNCTION Real trial(int b, int j, const Real& of_value, const Real* of_gradient) const {
    Real sum = of_gradient[0] * Basis::gradient(point, b, j, 0);
    for (int axis = 1; axis < d; ++axis) sum += of_gradient[axis] * Basis::gradient(point, b, j, axis);
    if constexpr (Linear::uses_value) sum += of_value * Basis::value(point, b, j);
    return sum;
  }
};

/// The same for a physics that gives its `tangent`.
template <class Kernel, class Point>
struct TangentIntegrand {
  using Real = typename Point::real_type;
  using Linear = Linearisation<Kernel, Point>;
  using Tangent = decltype(std::declval<const typename Linear::Physics&>().tangent(
      std::declval<const typename Linear::Argument&>()));
  static constexpr int c = Kernel::components, d = Point::dimension;

  const Point& point;
  Tangent tangent;
  Matrix<Real, c, d> flux; ///< what `load` tests

  KOKKOS_FORCEINLINE_FUNCTION static TangentIntegrand
  at(const Kernel& kernel, const Matrix<Real, c, d>& gradient, const Point& point) {
    typename Linear::Argument p(point, kernel.fields);
    typename Linear::Direction u;
    for (int k = 0; k < c * d; ++k) p.grad_u.entry[k] = u.grad_u.entry[k] = gradient.entry[k];
    const auto f1 = kernel.physics.f1(p), along_u = kernel.physics.df1(p, u);
    TangentIntegrand integrand{point, kernel.physics.tangent(p), {}};
    for (int k = 0; k < c * d; ++k) integrand.flux.entry[k] = Real(along_u.entry[k] - f1.entry[k]);
    return integrand;
  }

  KOKKOS_FORCEINLINE_FUNCTION Matrix<Real, c> stiffness(int i, int j) const {
    return tangent(gradient(i), gradient(j));
  }
  KOKKOS_FORCEINLINE_FUNCTION Vector<Real, c> load(int i) const { return flux * gradient(i); }

private:
  KOKKOS_FORCEINLINE_FUNCTION Vector<Real, d> gradient(int i) const {
    Vector<Real, d> g;
    for (int axis = 0; axis < d; ++axis) g(axis) = point.gradient(i, axis);
    return g;
  }
};

/// The derivative of a weak form at a state as a function of the direction, which `element_residual` takes.
template <class Kernel, class Element, class Real>
struct WeakDerivative : IntegratedAs<Kernel> {
  using IntegratedAs<Kernel>::components;
  const Kernel& weak;
  Real state[Element::nodes * components]; ///< node * components + component

  template <class Point>
  KOKKOS_FORCEINLINE_FUNCTION auto operator()(const Vector<Real, components>& value,
                                              const Matrix<Real, components, Point::dimension>& gradient,
                                              const Point& point) const {
    Vector<Real, components> u;
    Matrix<Real, components, Point::dimension> grad_u;
    point.interpolate(state, u, grad_u);
    return Linearisation<Kernel, Point>::along(weak, u, grad_u, value, gradient, point);
  }
};

} // namespace detail

/// Pointwise part of `WeakJacobian`.
template <class Kernel, class Element, class ExecutionSpace>
struct WeakJacobianKernel {
  Kernel weak;
  typename MeshKernel<Element, ExecutionSpace>::Connectivity connectivity;
  Kokkos::View<const double*, ExecutionSpace> u; ///< node * components + component

  static constexpr int components = Kernel::components, linear_components = Kernel::linear_components;
  static constexpr bool symmetric = Kernel::symmetric;
  template <class AnyElement>
  static constexpr int degree = Kernel::template degree<AnyElement>;

  template <class Point>
  KOKKOS_FORCEINLINE_FUNCTION auto at(const Point& point) const {
    using Real = typename Point::real_type;
    constexpr int c = components, d = Point::dimension;
    Vector<Real, c> value;
    Matrix<Real, c, d> gradient;
    detail::interpolate_unknown<Kernel>(point, connectivity, u, value, gradient);
    using Linear = detail::Linearisation<Kernel, Point>;
    if constexpr (Linear::has_tangent) {
      static_assert(linear_components == 0,
                    "tessera::WeakForm: `tangent(p)` is for forms without linear components");
      return detail::TangentIntegrand<Kernel, Point>::at(weak, gradient, point);
    } else {
      detail::WeakIntegrand<Kernel, Point> integrand{point, Linear::at(weak, value, gradient, point)};
      // K u - r: the matrix times the next iterate
      auto& g = integrand.g;
      for (int a = 0; a < c; ++a) {
        if constexpr (Linear::has_f0) g.f.f0(a) = applied(value, gradient, g.g0, g.g1, a) - g.f.f0(a);
        if constexpr (Linear::has_f1)
          for (int b = 0; b < d; ++b)
            g.f.f1(a, b) = applied(value, gradient, g.g2, g.g3, a * d + b) - g.f.f1(a, b);
      }
      return integrand;
    }
  }

  /// v = K w in an element, by one derivative along w at each point.
  template <class Real>
    requires(linear_components == 0)
  KOKKOS_FORCEINLINE_FUNCTION void act_on(const Cell<Element, Real>& cell,
                                          const Real (&w)[Element::nodes * components],
                                          Real (&v)[Element::nodes * components]) const {
    detail::WeakDerivative<Kernel, Element, Real> derivative{{}, weak, {}};
    for (int n = 0; n < Element::nodes; ++n)
      for (int a = 0; a < components; ++a)
        derivative.state[n * components + a] = from_lanes<Real>([&](int lane) {
          return static_cast<value_type_t<Real>>(
              u(static_cast<Offset>(cell.node(connectivity, lane, n)) * components + a));
        });
    element_residual(derivative, cell, w, v);
  }

private:
  template <class Value, class Gradient, class OfValue, class OfGradient>
  KOKKOS_FORCEINLINE_FUNCTION static auto applied(const Value& value, const Gradient& gradient,
                                                  const OfValue& of_value, const OfGradient& of_gradient,
                                                  int row) {
    auto sum = of_gradient(row, 0) * gradient.entry[0];
    for (int k = 1; k < components * Element::dimension; ++k) sum += of_gradient(row, k) * gradient.entry[k];
    if constexpr (Kernel::uses_value)
      for (int b = 0; b < components; ++b) sum += of_value(row, b) * value(b);
    return sum;
  }
};

namespace detail {

/// Functions on sides, and the state that their Jacobian is taken at.
template <class Term, class ExecutionSpace>
struct SideTermAt : Term {
  Kokkos::View<const double*, ExecutionSpace> state; ///< node * components + component
};

} // namespace detail

/// The Jacobian of a weak form at the nodal values u: a `Form`, so that every strategy assembles it, or
/// applies it without a matrix. Its load is K(u) u - r(u), tested by every function: the solution of the
/// assembled system under the space's constraints and natural loads is Newton's next iterate, and for a
/// linear weak form the solution.
///
/// u is shared, not copied: a plan's system follows what the application writes into it.
template <class Weak, class Element, class ExecutionSpace>
class WeakJacobian {
public:
  static constexpr int components = Weak::components, linear_components = Weak::linear_components;

  /// \param u all degrees of freedom, node * components + component, constrained ones included
  /// \throws ArgumentError for a view of another length
  WeakJacobian(const Weak& weak, const Mesh<Element, ExecutionSpace>& mesh,
               const Kokkos::View<const double*, ExecutionSpace>& u)
      : weak_(weak), mesh_(mesh), u_(u) {
    detail::check_field_length(u.extent(0), static_cast<std::size_t>(mesh.num_nodes()) * components,
                               "WeakJacobian: u", "the nodes");
  }

  /// The pointwise part for device kernels.
  auto kernel() const {
    const auto mesh = mesh_.kernel();
    const auto weak = weak_.kernel(mesh);
    return WeakJacobianKernel<std::remove_const_t<decltype(weak)>, Element, ExecutionSpace>{
        weak, mesh.connectivity, u_};
  }

  /// The weak form's parts on sides, whose Jacobians are parts of this one.
  auto side_terms() const
    requires detail::HasSideTerms<Weak>
  {
    return std::apply(
        [&](const auto&... term) {
          return std::make_tuple(
              detail::SideTermAt<std::remove_cvref_t<decltype(term)>, ExecutionSpace>{term, u_}...);
        },
        weak_.side_terms());
  }

  /// \throws ArgumentError, FormError as `WeakForm::check`; ArgumentError for a space on another mesh
  template <class AnyMesh>
  void check(const AnyMesh& mesh) const {
    if (mesh.id() != mesh_.id())
      throw ArgumentError("WeakJacobian: made for another mesh, of " + std::to_string(mesh_.num_nodes()) +
                          " nodes and " + std::to_string(mesh_.num_elements()) +
                          " elements, than the space's, of " + std::to_string(mesh.num_nodes()) + " and " +
                          std::to_string(mesh.num_elements()) + "; make it of the space's mesh");
    weak_.check(mesh_);
  }

private:
  Weak weak_;
  Mesh<Element, ExecutionSpace> mesh_;
  Kokkos::View<const double*, ExecutionSpace> u_;
};

} // namespace tessera
