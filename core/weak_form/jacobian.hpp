#pragma once

/// \file
/// The derivative of a weak form at one state, as a form that every strategy can assemble or apply.

#include <tessera/core/dual.hpp>
#include <tessera/core/function_space.hpp>
#include <tessera/core/weak_form/kernel.hpp>

#include <Kokkos_Core.hpp>

#include <utility>

namespace tessera {

/// A change of the unknown: the second argument of `df0(p, direction)` and `df1(p, direction)`, by which a
/// form may give its derivatives itself.
template <class Number, int Components, int Dimension, bool HasValue>
struct WeakDirection : detail::UnknownValue<Number, Components, HasValue> {
  detail::gradients_t<Number, Components, Dimension> grad_u;
};

namespace detail {

/// The four blocks of derivatives at a point, in PETSc's numbering: g0 = df0/du, g1 = df0/dgrad_u,
/// g2 = df1/du, g3 = df1/dgrad_u, components and axes of gradients as component * dimension + axis; and f0,
/// f1.
template <class Real, int Components, int Dimension>
struct WeakBlocks {
  static constexpr int gradients = Components * Dimension;
  WeakValues<Real, Components, Dimension> f;
  Matrix<Real, Components> g0;
  Matrix<Real, Components, gradients> g1;
  Matrix<Real, gradients, Components> g2;
  Matrix<Real, gradients, gradients> g3;
};

/// Differentiates a weak form at a quadrature point, in all directions at once, or takes the form's own word.
template <class Kernel, class Point>
struct Linearisation {
  using Real = typename Point::real_type;
  static constexpr int c = Kernel::components, d = Point::dimension;
  static constexpr bool uses_value = Kernel::uses_value;
  static constexpr int values = uses_value ? c : 0, directions = values + c * d;
  using Blocks = WeakBlocks<Real, c, d>;
  using Number = Dual<Real, directions>;
  using Argument = typename Kernel::template PointOf<Real, Point>;
  using Direction = WeakDirection<Real, c, d, uses_value>;
  using Physics = decltype(Kernel::physics);

  static constexpr bool has_f0 = Kernel::template has_f0<Number, Point>;
  static constexpr bool has_f1 = Kernel::template has_f1<Number, Point>;
  static constexpr bool by_hand =
      (!has_f0 || requires(const Physics& f, const Argument& p, const Direction& w) { f.df0(p, w); }) &&
      (!has_f1 || requires(const Physics& f, const Argument& p, const Direction& w) { f.df1(p, w); });
  static constexpr bool has_tangent = requires(const Physics& f, const Argument& p, const Direction& w) {
    f.tangent(p);
    f.df1(p, w);
  };
  static_assert(!has_tangent || (!has_f0 && !uses_value),
                "tessera::WeakForm: `tangent(p)` is for forms of f1 alone that state `uses_value = false`");

  KOKKOS_FORCEINLINE_FUNCTION static Blocks at(const Kernel& kernel, const Vector<Real, c>& u,
                                               const Matrix<Real, c, d>& grad_u, const Point& point) {
    if constexpr (by_hand)
      return evaluate(kernel, u, grad_u, point);
    else
      return differentiate(kernel, u, grad_u, point);
  }

  KOKKOS_FORCEINLINE_FUNCTION static Blocks differentiate(const Kernel& kernel, const Vector<Real, c>& u,
                                                          const Matrix<Real, c, d>& grad_u,
                                                          const Point& point) {
    Vector<Number, c> value;
    Matrix<Number, c, d> gradient;
    if constexpr (uses_value)
      for (int a = 0; a < c; ++a) value(a) = Number(u(a), a);
    for (int k = 0; k < c * d; ++k) gradient.entry[k] = Number(grad_u.entry[k], values + k);
    const auto f = kernel(value, gradient, point);
    Blocks blocks;
    if constexpr (has_f0)
      for (int a = 0; a < c; ++a) {
        blocks.f.f0(a) = f.f0(a).value;
        if constexpr (uses_value)
          for (int b = 0; b < c; ++b) blocks.g0(a, b) = f.f0(a).derivative[b];
        for (int k = 0; k < c * d; ++k) blocks.g1(a, k) = f.f0(a).derivative[values + k];
      }
    if constexpr (has_f1)
      for (int i = 0; i < c * d; ++i) {
        blocks.f.f1.entry[i] = f.f1.entry[i].value;
        if constexpr (uses_value)
          for (int b = 0; b < c; ++b) blocks.g2(i, b) = f.f1.entry[i].derivative[b];
        for (int k = 0; k < c * d; ++k) blocks.g3(i, k) = f.f1.entry[i].derivative[values + k];
      }
    return blocks;
  }

private:
  KOKKOS_FORCEINLINE_FUNCTION static Blocks evaluate(const Kernel& kernel, const Vector<Real, c>& u,
                                                     const Matrix<Real, c, d>& grad_u, const Point& point) {
    Blocks blocks;
    blocks.f = kernel(u, grad_u, point);
    Argument p(point, kernel.fields);
    if constexpr (uses_value) p.u = entries<components_t<Real, c>>(u);
    for (int k = 0; k < c * d; ++k) p.grad_u.entry[k] = grad_u.entry[k];
    if constexpr (uses_value)
      for (int b = 0; b < c; ++b) {
        Direction w;
        Vector<Real, c> unit;
        unit(b) = number<Real>(1);
        w.u = entries<components_t<Real, c>>(unit);
        for (int k = 0; k < c * d; ++k) w.grad_u.entry[k] = number<Real>(0);
        along(
            kernel.physics, p, w, [&](int a, const Real& x) { blocks.g0(a, b) = x; },
            [&](int i, const Real& x) { blocks.g2(i, b) = x; });
      }
    for (int k = 0; k < c * d; ++k) {
      Direction w;
      if constexpr (uses_value) w.u = entries<components_t<Real, c>>(Vector<Real, c>());
      for (int i = 0; i < c * d; ++i) w.grad_u.entry[i] = number<Real>(i == k ? 1 : 0);
      along(
          kernel.physics, p, w, [&](int a, const Real& x) { blocks.g1(a, k) = x; },
          [&](int i, const Real& x) { blocks.g3(i, k) = x; });
    }
    return blocks;
  }

  template <class Value>
  KOKKOS_FORCEINLINE_FUNCTION static Value entries(const Vector<Real, c>& u) {
    if constexpr (c == 1)
      return u(0);
    else
      return u;
  }

  template <class SetF0, class SetF1>
  KOKKOS_FORCEINLINE_FUNCTION static void along(const Physics& physics, const Argument& p, const Direction& w,
                                                const SetF0& set_f0, const SetF1& set_f1) {
    if constexpr (has_f0) {
      const auto f0 = physics.df0(p, w);
      if constexpr (c == 1)
        set_f0(0, Real(f0));
      else
        for (int a = 0; a < c; ++a) set_f0(a, Real(f0(a)));
    }
    if constexpr (has_f1) {
      const auto f1 = physics.df1(p, w);
      for (int i = 0; i < c * d; ++i) set_f1(i, Real(f1.entry[i]));
    }
  }
};

/// The integrand of a weak form's Jacobian at one point.
template <class Kernel, class Point>
struct WeakIntegrand {
  using Real = typename Point::real_type;
  static constexpr int c = Kernel::components, d = Point::dimension;
  using Linear = Linearisation<Kernel, Point>;

  const Point& point;
  WeakBlocks<Real, c, d> g; ///< f is what `load` tests, not the residual

  KOKKOS_FORCEINLINE_FUNCTION Matrix<Real, c> stiffness(int i, int j) const {
    Matrix<Real, c> k;
    for (int a = 0; a < c; ++a) {
      for (int b = 0; b < c; ++b) {
        Real value = number<Real>(0); // tested by phi_i, then by its gradient
        if constexpr (Linear::has_f0) value = trial(j, g.g0(a, b), &g.g1(a, b * d)) * point.value(i);
        if constexpr (Linear::has_f1)
          for (int axis = 0; axis < d; ++axis) {
            const int r = a * d + axis;
            value += trial(j, g.g2(r, b), &g.g3(r, b * d)) * point.gradient(i, axis);
          }
        k(a, b) = value;
      }
    }
    return k;
  }

  KOKKOS_FORCEINLINE_FUNCTION Vector<Real, c> load(int i) const {
    Vector<Real, c> f;
    for (int a = 0; a < c; ++a) {
      if constexpr (Linear::has_f0) f(a) += g.f.f0(a) * point.value(i);
      if constexpr (Linear::has_f1)
        for (int axis = 0; axis < d; ++axis) f(a) += g.f.f1(a, axis) * point.gradient(i, axis);
    }
    return f;
  }

private:
  /// Derivatives times the value and the gradient of trial function j.
  KOKKOS_FORCEINLINE_FUNCTION Real trial(int j, const Real& of_value, const Real* of_gradient) const {
    Real sum = of_gradient[0] * point.gradient(j, 0);
    for (int axis = 1; axis < d; ++axis) sum += of_gradient[axis] * point.gradient(j, axis);
    if constexpr (Linear::uses_value) sum += of_value * point.value(j);
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

} // namespace detail

/// Pointwise part of `WeakJacobian`.
template <class Kernel, class Element, class ExecutionSpace>
struct WeakJacobianKernel {
  Kernel weak;
  typename MeshKernel<Element, ExecutionSpace>::Connectivity connectivity;
  Kokkos::View<const double*, ExecutionSpace> u; ///< node * components + component

  static constexpr int components = Kernel::components;
  static constexpr bool symmetric = Kernel::symmetric;
  template <class AnyElement>
  static constexpr int degree = Kernel::template degree<AnyElement>;

  template <class Point>
  KOKKOS_FORCEINLINE_FUNCTION auto at(const Point& point) const {
    using Real = typename Point::real_type;
    constexpr int c = components, d = Point::dimension;
    Vector<Real, c> value;
    Matrix<Real, c, d> gradient;
    for (int n = 0; n < Element::nodes; ++n)
      for (int a = 0; a < c; ++a) {
        const Real nodal = from_lanes<Real>([&](int lane) {
          return static_cast<value_type_t<Real>>(
              u(static_cast<Offset>(point.cell().node(connectivity, lane, n)) * c + a));
        });
        value(a) += nodal * point.value(n);
        for (int b = 0; b < d; ++b) gradient(a, b) += nodal * point.gradient(n, b);
      }
    using Linear = detail::Linearisation<Kernel, Point>;
    if constexpr (Linear::has_tangent) {
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

/// The Jacobian of a weak form at the nodal values u: a `Form`, so that every strategy assembles it, or
/// applies it without a matrix. Its load is K(u) u - r(u), tested by every function: the solution of the
/// assembled system under the space's constraints and natural loads is Newton's next iterate, and for a
/// linear weak form the solution.
///
/// u is shared, not copied: a plan's system follows what the application writes into it.
template <class Weak, class Element, class ExecutionSpace>
class WeakJacobian {
public:
  static constexpr int components = Weak::components;

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

  /// \throws ArgumentError, FormError as `WeakForm::check`; ArgumentError for a space on another mesh
  template <class AnySpace>
  void check(std::size_t, std::size_t elements) const {
    if (elements != 1 && elements != static_cast<std::size_t>(mesh_.num_elements()))
      throw ArgumentError("WeakJacobian: made for a mesh of " + std::to_string(mesh_.num_elements()) +
                          " elements, the space has " + std::to_string(elements));
    weak_.check(mesh_);
  }

private:
  Weak weak_;
  Mesh<Element, ExecutionSpace> mesh_;
  Kokkos::View<const double*, ExecutionSpace> u_;
};

} // namespace tessera
