#pragma once

/// \file
/// The scalar form -div(sigma grad u) + lambda u = f, and heat conduction as its lambda = 0 case.

#include <tessera/core/cell.hpp>
#include <tessera/core/coefficient.hpp>

#include <Kokkos_Core.hpp>

#include <optional>
#include <string>
#include <type_traits>

namespace tessera {

/// A constant symmetric positive definite tensor coefficient, by rows.
template <int Dimension>
struct SymmetricTensor {
  double entry[Dimension][Dimension];
};

/// A constant tensor coefficient that need not be symmetric (advection-like rotated conduction): the matrix
/// that it gives is not symmetric, and strategies that rely on symmetry refuse it.
template <int Dimension>
struct GeneralTensor {
  double entry[Dimension][Dimension];
};

template <class T>
inline constexpr int tensor_dimension_v = 0;
template <int Dimension>
inline constexpr int tensor_dimension_v<SymmetricTensor<Dimension>> = Dimension;
template <int Dimension>
inline constexpr int tensor_dimension_v<GeneralTensor<Dimension>> = Dimension;

template <int Dimension>
SymmetricTensor<Dimension> coefficient_kernel(const SymmetricTensor<Dimension>& t) {
  return t;
}
template <int Dimension>
GeneralTensor<Dimension> coefficient_kernel(const GeneralTensor<Dimension>& t) {
  return t;
}

/// Pointwise part of `Helmholtz` as kernels use it. Template parameters are the coefficients' device twins.
template <class Sigma, class Lambda, class Source>
struct HelmholtzKernel {
  Sigma sigma;
  Lambda lambda;
  Source source;

  static constexpr int components = 1;
  static constexpr bool symmetric = !std::is_same_v<Sigma, GeneralTensor<tensor_dimension_v<Sigma>>>;
  static constexpr bool cell_constant =
      is_field_kernel_v<Sigma> && is_field_kernel_v<Lambda> && is_field_kernel_v<Source>;

  /// The kernel for coefficients that are numbers, if they all are.
  auto uniform() const
    requires std::is_same_v<Sigma, CellFieldKernel> && cell_constant
  {
    using Uniform = HelmholtzKernel<UniformFieldKernel, UniformFieldKernel, UniformFieldKernel>;
    const bool known = !varies(sigma) && !varies(lambda) && !varies(source);
    return known ? std::optional(Uniform{{sigma.constant}, {lambda.constant}, {source.constant}})
                 : std::nullopt;
  }

  /// The coefficients, those that vary most often first, for strategies that fetch their values themselves.
  static constexpr int fields = 3;
  KOKKOS_FORCEINLINE_FUNCTION const CellFieldKernel& field(int i) const
    requires std::is_same_v<Sigma, CellFieldKernel> && cell_constant
  {
    return i == 0 ? sigma : i == 1 ? lambda : source;
  }
  /// The kernel for fetched values of the first coefficients; the others are constant.
  template <class Real, int Count>
    requires std::is_same_v<Sigma, CellFieldKernel> && cell_constant
  KOKKOS_FORCEINLINE_FUNCTION auto fetched(const Real (&value)[Count]) const {
    using Field = FetchedFieldKernel<Real>;
    const auto known = [&](int i) {
      return i < Count ? value[i] : Real(value_type_t<Real>(field(i).constant));
    };
    return HelmholtzKernel<Field, Field, Field>{{known(0)}, {known(1)}, {known(2)}};
  }

  /// Exact for constant coefficients on affine elements: the mass term has twice the element's order.
  template <class Element>
  static constexpr int degree = 2 * Element::order;

  /// The integrand at one quadrature point, its coefficients evaluated.
  template <class Point>
  struct Integrand {
    using Real = typename Point::real_type;
    const Point& point;
    Real lambda, source;
    std::conditional_t<tensor_dimension_v<Sigma> == 0, Real, const Sigma*> sigma;

    KOKKOS_FORCEINLINE_FUNCTION Matrix<Real, 1> stiffness(int i, int j) const {
      using Value = value_type_t<Real>;
      Matrix<Real, 1> k;
      if constexpr (tensor_dimension_v<Sigma> == 0) {
        k(0, 0) = sigma * gradient_product(point, i, j);
      } else {
        static_assert(tensor_dimension_v<Sigma> == Point::dimension,
                      "Helmholtz: tensor of another dimension");
        for (int a = 0; a < Point::dimension; ++a)
          for (int b = 0; b < Point::dimension; ++b)
            k(0, 0) += point.gradient(i, a) * point.gradient(j, b) * Value(sigma->entry[a][b]);
      }
      k(0, 0) += lambda * Value(point.value(i) * point.value(j));
      return k;
    }

    KOKKOS_FORCEINLINE_FUNCTION Vector<Real, 1> load(int i) const {
      Vector<Real, 1> f;
      f(0) = source * point.value(i);
      return f;
    }
  };

  template <class Point>
  KOKKOS_FORCEINLINE_FUNCTION Integrand<Point> at(const Point& point) const {
    if constexpr (tensor_dimension_v<Sigma> == 0)
      return {point, coefficient_at(lambda, point), coefficient_at(source, point),
              coefficient_at(sigma, point)};
    else
      return {point, coefficient_at(lambda, point), coefficient_at(source, point), &sigma};
  }

  /// False if the term without derivatives is known to vanish, so that operators need no values.
  KOKKOS_FORCEINLINE_FUNCTION bool reacts() const {
    if constexpr (std::is_same_v<Lambda, CellFieldKernel>)
      return lambda.kind != CellField::Kind::constant || lambda.constant != 0;
    else
      return true;
  }

  /// What the form makes of a function's gradient and value in an element with constant coefficients.
  template <class Real>
  struct Action {
    Real sigma, lambda;
    template <int Dimension>
    KOKKOS_FORCEINLINE_FUNCTION Matrix<Real, 1, Dimension>
    flux(const Matrix<Real, 1, Dimension>& gradient) const {
      Matrix<Real, 1, Dimension> flux;
      for (int d = 0; d < Dimension; ++d) flux(0, d) = sigma * gradient(0, d);
      return flux;
    }
    KOKKOS_FORCEINLINE_FUNCTION Vector<Real, 1> reaction(const Vector<Real, 1>& value) const {
      Vector<Real, 1> reaction;
      reaction(0) = lambda * value(0);
      return reaction;
    }
  };

  template <class Element, class Real>
    requires cell_constant
  KOKKOS_FORCEINLINE_FUNCTION Action<Real> action(const Cell<Element, Real>& cell) const {
    return {sigma.template in<Real>(cell), lambda.template in<Real>(cell)};
  }

  /// Integrals over a straight-sided linear simplex in closed form (e.g. Zienkiewicz & Taylor, "The Finite
  /// Element Method", vol. 1: the mass matrix is V (1 + delta_ij) / ((d+1)(d+2))).
  template <class Element, class Real>
  struct SimplexIntegral {
    const Simplex<Element, Real>& simplex;
    Real scale; ///< sigma times the volume over the determinant's square
    Real mass, nodal_load;

    KOKKOS_FORCEINLINE_FUNCTION Matrix<Real, 1> stiffness(int i, int j) const {
      Matrix<Real, 1> k;
      k(0, 0) = scale * simplex.normal_product(i, j) + (i == j ? mass + mass : mass);
      return k;
    }
    /// The sum of `stiffness(i, j)` over j: gradients add up to zero.
    KOKKOS_FORCEINLINE_FUNCTION Matrix<Real, 1> row_sum(int) const {
      Matrix<Real, 1> sum;
      sum(0, 0) = mass * value_type_t<Real>(Element::nodes + 1);
      return sum;
    }
    KOKKOS_FORCEINLINE_FUNCTION Vector<Real, 1> load(int) const {
      Vector<Real, 1> f;
      f(0) = nodal_load;
      return f;
    }
  };

  template <class Element, class Real>
    requires cell_constant
  KOKKOS_FORCEINLINE_FUNCTION SimplexIntegral<Element, Real>
  over(const Simplex<Element, Real>& simplex) const {
    using Value = value_type_t<Real>;
    constexpr double volume = Simplex<Element, Real>::reference_volume;
    constexpr int n = Element::nodes;
    const auto& cell = simplex.cell();
    return {simplex, sigma.template in<Real>(cell) * Value(volume) * simplex.inverse_determinant(),
            lambda.template in<Real>(cell) * Value(volume / (n * (n + 1))) * simplex.determinant(),
            source.template in<Real>(cell) * Value(volume / n) * simplex.determinant()};
  }
};

/// -div(sigma grad u) + lambda u = f with one unknown per node.
///
/// sigma: a number, `CellField` (per material or element), `SymmetricTensor`, `GeneralTensor`, or a callable
/// of the position; lambda >= 0 and f: a number, `CellField` or callable. Natural boundary data is the flux
/// n . sigma grad u.
template <class Sigma = CellField, class Lambda = CellField, class Source = CellField>
struct Helmholtz {
  Sigma sigma = default_coefficient<Sigma>(1.0);
  Lambda lambda = default_coefficient<Lambda>(0.0);
  Source source = default_coefficient<Source>(0.0);

  static constexpr int components = 1;

  /// The pointwise part for device kernels.
  auto kernel() const {
    using Kernel = HelmholtzKernel<decltype(coefficient_kernel(sigma)), decltype(coefficient_kernel(lambda)),
                                   decltype(coefficient_kernel(source))>;
    return Kernel{coefficient_kernel(sigma), coefficient_kernel(lambda), coefficient_kernel(source)};
  }

  /// \throws FormError for sigma <= 0, a tensor that is not positive definite, lambda < 0, or values that are
  ///   not finite; ArgumentError for values in memory that `ExecutionSpace` cannot read or too few of them.
  template <class ExecutionSpace>
  void check(std::size_t materials, std::size_t elements) const {
    check_coefficient<ExecutionSpace>(sigma, "Helmholtz::sigma", materials, elements, "positive",
                                      [](double s) { return s > 0; });
    check_coefficient<ExecutionSpace>(lambda, "Helmholtz::lambda", materials, elements, "at least 0",
                                      [](double l) { return l >= 0; });
    check_coefficient<ExecutionSpace>(source, "Helmholtz::source", materials, elements, "finite",
                                      [](double) { return true; });
  }

private:
  template <class ExecutionSpace, class Coefficient, class Admissible>
  static void check_coefficient(const Coefficient& c, const std::string& name, std::size_t materials,
                                std::size_t elements, const std::string& requirement,
                                const Admissible& admissible) {
    if constexpr (is_cell_constant_v<Coefficient>)
      check_cell_field<ExecutionSpace>(c, name, materials, elements, requirement, admissible);
    else if constexpr (tensor_dimension_v<Coefficient> != 0)
      check_tensor(c, name);
  }

  /// Positive definiteness of the symmetric part by its leading minors (Sylvester's criterion).
  template <class Tensor>
  static void check_tensor(const Tensor& t, const std::string& name) {
    constexpr int d = tensor_dimension_v<Tensor>;
    Matrix<double, d> s;
    for (int a = 0; a < d; ++a)
      for (int b = 0; b < d; ++b) {
        if (std::is_same_v<Tensor, SymmetricTensor<d>> && t.entry[a][b] != t.entry[b][a])
          throw FormError(name + ": a SymmetricTensor must be symmetric");
        s(a, b) = 0.5 * (t.entry[a][b] + t.entry[b][a]);
      }
    const bool definite = s(0, 0) > 0 && s(0, 0) * s(1, 1) - s(0, 1) * s(1, 0) > 0 && determinant(s) > 0;
    if (!definite) throw FormError(name + " must be positive definite");
  }
};

/// Heat conduction, the lambda = 0 case of `Helmholtz`: conductivity sigma, heat source f.
using Heat = Helmholtz<>;

} // namespace tessera
