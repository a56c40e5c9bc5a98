// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Element matrices of the oracle, `reference_assembly.hpp`: by quadrature on the host in double precision,
/// written for clarity and, for the library's forms, independent of the element kernels.

#include <tessera/core/elements/cell.hpp>
#include <tessera/core/forms/form_kernel.hpp>
#include <tessera/core/forms/helmholtz.hpp>
#include <tessera/core/forms/linear_elasticity.hpp>
#include <tessera/core/system/deviation.hpp>
#include <tessera/core/types.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace tessera::detail {

/// Matrix and load of one element, row by row, (node * components + component) squared, and the sum of the
/// absolute values of the products that each entry is made of: what its rounding is measured against.
struct ReferenceEntries {
  std::vector<double> k, f, k_scale, f_scale;

  explicit ReferenceEntries(std::size_t dofs)
      : k(dofs * dofs), f(dofs), k_scale(dofs * dofs), f_scale(dofs) {}
  void set_zero() {
    for (auto* list : {&k, &f, &k_scale, &f_scale}) std::fill(list->begin(), list->end(), 0.0);
  }
};

/// Basis at one quadrature point of a physical element. The bounds are sums of absolute products, equal to
/// what they bound but for the cancellation in the Jacobian's minors, which is what a sliver is.
template <class Element>
struct ReferencePoint {
  double weight, weight_bound;
  std::array<double, Element::nodes> value;
  std::array<std::array<double, Element::dimension>, Element::nodes> gradient;
  std::array<double, Element::nodes> gradient_bound; // of the gradient's length
};

/// The sum of the absolute products of a determinant, and of each entry of an adjugate.
template <int Size>
struct AbsoluteMinors {
  double determinant = 0;
  Matrix<double, Size> adjugate;

  explicit AbsoluteMinors(const Matrix<double, Size>& m) {
    const auto a = [&](int i, int j) { return std::abs(m(i % Size, j % Size)); };
    for (int i = 0; i < Size; ++i)
      for (int j = 0; j < Size; ++j)
        adjugate(j, i) = Size == 2 ? a(i + 1, j + 1)
                                   : a(i + 1, j + 1) * a(i + 2, j + 2) + a(i + 1, j + 2) * a(i + 2, j + 1);
    for (int j = 0; j < Size; ++j) determinant += a(0, j) * adjugate(j, 0);
  }
};

/// The points of a rule on the reference element.
template <class Element, int Degree>
std::vector<ReferencePoint<Element>> rule_points() {
  using Rule = Quadrature<Element::shape, Degree>;
  std::vector<ReferencePoint<Element>> points(Rule::points);
  for (int q = 0; q < Rule::points; ++q)
    points[q] = {Rule::weights[q],
                 Rule::weights[q],
                 Element::values(Rule::coordinates[q]),
                 Element::gradients(Rule::coordinates[q]),
                 {}};
  return points;
}

template <class Element, int Degree>
std::vector<ReferencePoint<Element>> reference_points(const std::vector<double>& x) {
  constexpr int d = Element::dimension;
  static const auto tables = rule_points<Element, Degree>();
  std::vector<ReferencePoint<Element>> points = tables;
  for (auto& point : points) {
    Matrix<double, d> jacobian;
    for (int n = 0; n < Element::nodes; ++n)
      for (int i = 0; i < d; ++i)
        for (int j = 0; j < d; ++j) jacobian(i, j) += x[n * d + i] * point.gradient[n][j];
    const double det = determinant(jacobian);
    const Matrix<double, d> adj = adjugate(jacobian);
    const AbsoluteMinors<d> bound(jacobian);
    point.weight *= det;
    point.weight_bound = std::abs(point.weight_bound) * bound.determinant;
    for (int n = 0; n < Element::nodes; ++n) {
      const auto reference = point.gradient[n];
      double length = 0;
      for (int i = 0; i < d; ++i) {
        double component = 0;
        point.gradient[n][i] = 0;
        for (int j = 0; j < d; ++j) {
          point.gradient[n][i] += adj(j, i) / det * reference[j];
          component += bound.adjugate(j, i) / std::abs(det) * std::abs(reference[j]);
        }
        length += component * component;
      }
      point.gradient_bound[n] = std::sqrt(length);
    }
  }
  return points;
}

/// Values of a cell field on the host.
inline double reference_value(const CellField& field, const std::vector<double>& values, Ordinal element,
                              Ordinal material) {
  switch (field.kind()) {
  case CellField::Kind::per_material:
    return values[to_size(material)];
  case CellField::Kind::per_element:
    return values[to_size(element)];
  default:
    return values[0];
  }
}

/// Element matrices of a form: adds to the entries. For a form of an application, its own integrand at the
/// points of its own degree; an entry is measured against the largest of its element.
template <class Element, class Form>
class ReferenceElement {
  using Kernel = decltype(form_kernel(std::declval<const Form&>()));

public:
  explicit ReferenceElement(const Form& form) : kernel_(form_kernel(form)) {}

  void operator()(Ordinal e, Ordinal material, const std::vector<double>& x, const double* origin,
                  ReferenceEntries& sum) const {
    constexpr int nodes = Element::nodes, d = Element::dimension, c = Form::components;
    constexpr int degree = Kernel::template degree<Element>;
    Cell<Element, double> cell;
    cell.element[0] = e;
    cell.material[0] = material;
    for (int a = 0; a < d; ++a) cell.origin[a] = origin[a];
    for (int n = 0; n < nodes; ++n)
      for (int a = 0; a < d; ++a) cell.coordinates[n][a] = x[n * d + a];
    for (int q = 0; q < Tabulation<Element, degree>::points; ++q) {
      const QuadraturePoint<Element, degree, double> point(cell, q);
      const auto integrand = kernel_.at(point);
      for (int i = 0; i < nodes; ++i) {
        const auto load = integrand.load(i);
        for (int a = 0; a < c; ++a) sum.f[i * c + a] += point.weight() * load(a);
        for (int j = 0; j < nodes; ++j) {
          const auto block = integrand.stiffness(i, j);
          for (int a = 0; a < c; ++a)
            for (int b = 0; b < c; ++b)
              sum.k[((i * c + a) * nodes + j) * c + b] += point.weight() * block(a, b);
        }
      }
    }
    const auto largest = [](const std::vector<double>& list) {
      double most = 0;
      for (const double value : list) most = worse_of(most, std::abs(value));
      return most;
    };
    std::fill(sum.k_scale.begin(), sum.k_scale.end(), largest(sum.k));
    std::fill(sum.f_scale.begin(), sum.f_scale.end(), largest(sum.f));
  }

private:
  Kernel kernel_;
};

template <class Element>
class ReferenceElement<Element, Helmholtz<>> {
public:
  static constexpr int degree = 2 * Element::order;
  explicit ReferenceElement(const Helmholtz<>& form)
      : form_(form), sigma_(form.sigma.host_values()), lambda_(form.lambda.host_values()),
        source_(form.source.host_values()) {}

  void operator()(Ordinal e, Ordinal material, const std::vector<double>& x, const double* /*origin*/,
                  ReferenceEntries& sum) const {
    const double sigma = reference_value(form_.sigma, sigma_, e, material);
    const double lambda = reference_value(form_.lambda, lambda_, e, material);
    const double source = reference_value(form_.source, source_, e, material);
    for (const auto& p : reference_points<Element, degree>(x))
      for (int i = 0; i < Element::nodes; ++i) {
        for (int j = 0; j < Element::nodes; ++j) {
          double product = 0;
          for (int d = 0; d < Element::dimension; ++d) product += p.gradient[i][d] * p.gradient[j][d];
          const double mass = lambda * p.value[i] * p.value[j];
          sum.k[i * Element::nodes + j] += p.weight * (sigma * product + mass);
          sum.k_scale[i * Element::nodes + j] +=
              p.weight_bound * (std::abs(sigma) * p.gradient_bound[i] * p.gradient_bound[j] + std::abs(mass));
        }
        sum.f[i] += p.weight * source * p.value[i];
        sum.f_scale[i] += p.weight_bound * std::abs(source * p.value[i]);
      }
  }

private:
  const Helmholtz<>& form_;
  std::vector<double> sigma_, lambda_, source_;
};

/// Elasticity by strain-displacement matrices, K = sum_q w B^T D B, in Voigt's notation.
template <class Element, int Dimension, class BodyForce>
class ReferenceElement<Element, LinearElasticity<Dimension, BodyForce>> {
  static constexpr int strains = Dimension == 2 ? 3 : 6;
  using Strain = std::array<std::array<double, Dimension>, strains>; // B of one node, or D B

public:
  static constexpr int degree =
      decltype(LinearElasticity<Dimension, BodyForce>{}.kernel())::template degree<Element>;
  explicit ReferenceElement(const LinearElasticity<Dimension, BodyForce>& form)
      : form_(form), young_(form.young.host_values()), poisson_(form.poisson.host_values()) {}

  void operator()(Ordinal e, Ordinal material, const std::vector<double>& x, const double* /*origin*/,
                  ReferenceEntries& sum) const {
    const auto d = elasticity_matrix(reference_value(form_.young, young_, e, material),
                                     reference_value(form_.poisson, poisson_, e, material));
    const double stiffest = d[0][0]; // the largest entry, lambda + 2 mu in space
    std::array<Strain, Element::nodes> b, db;
    for (const auto& p : reference_points<Element, degree>(x)) {
      for (int n = 0; n < Element::nodes; ++n) {
        b[n] = strain_displacement(p.gradient[n]);
        for (int s = 0; s < strains; ++s)
          for (int c = 0; c < Dimension; ++c) {
            db[n][s][c] = 0;
            for (int t = 0; t < strains; ++t) db[n][s][c] += d[s][t] * b[n][t][c];
          }
      }
      for (int i = 0; i < Element::nodes; ++i)
        for (int a = 0; a < Dimension; ++a) {
          const int row = (i * Dimension + a) * Element::nodes * Dimension;
          for (int j = 0; j < Element::nodes; ++j)
            for (int c = 0; c < Dimension; ++c) {
              double product = 0;
              for (int s = 0; s < strains; ++s) product += b[i][s][a] * db[j][s][c];
              sum.k[row + j * Dimension + c] += p.weight * product;
              sum.k_scale[row + j * Dimension + c] +=
                  p.weight_bound * std::abs(stiffest) * p.gradient_bound[i] * p.gradient_bound[j];
            }
          sum.f[i * Dimension + a] += p.weight * form_.body_force[a] * p.value[i];
          sum.f_scale[i * Dimension + a] += p.weight_bound * std::abs(form_.body_force[a] * p.value[i]);
        }
    }
  }

private:
  std::array<std::array<double, strains>, strains> elasticity_matrix(double young, double nu) const {
    std::array<std::array<double, strains>, strains> d{};
    const bool plane_stress = Dimension == 2 && form_.plane == Plane::stress;
    const double scale = plane_stress ? young / (1 - nu * nu) : young / ((1 + nu) * (1 - 2 * nu));
    for (int a = 0; a < Dimension; ++a)
      for (int b = 0; b < Dimension; ++b) d[a][b] = scale * (a == b ? (plane_stress ? 1 : 1 - nu) : nu);
    for (int s = Dimension; s < strains; ++s) d[s][s] = young / (2 * (1 + nu));
    return d;
  }

  static Strain strain_displacement(const std::array<double, Dimension>& g) {
    Strain b{};
    for (int a = 0; a < Dimension; ++a) b[a][a] = g[a];
    if constexpr (Dimension == 2) {
      b[2] = {g[1], g[0]};
    } else {
      b[3] = {g[1], g[0], 0};
      b[4] = {0, g[2], g[1]};
      b[5] = {g[2], 0, g[0]};
    }
    return b;
  }

  const LinearElasticity<Dimension, BodyForce>& form_;
  std::vector<double> young_, poisson_;
};

} // namespace tessera::detail
