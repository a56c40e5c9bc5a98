#pragma once

/// \file
/// The oracle: direct stiffness assembly on one host thread in double precision (paper 1, Algorithm 1),
/// written for clarity and independent of the element kernels. Tests and comparisons measure against it.

#include <tessera/core/forms/helmholtz.hpp>
#include <tessera/core/forms/linear_elasticity.hpp>
#include <tessera/core/sparsity_graph.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace tessera {

/// A linear system on the host; rows and values as in the graph that it was assembled for.
struct ReferenceSystem {
  std::vector<Offset> row_map;
  std::vector<Ordinal> columns;
  std::vector<double> values;
  std::vector<double> rhs;
};

namespace detail {

/// Basis at one quadrature point of a physical element.
template <class Element>
struct ReferencePoint {
  double weight;
  std::array<double, Element::nodes> value;
  std::array<std::array<double, Element::dimension>, Element::nodes> gradient;
};

template <class Element, int Degree>
std::vector<ReferencePoint<Element>> reference_points(const std::vector<double>& x) {
  using Rule = Quadrature<Element::shape, Degree>;
  constexpr int d = Element::dimension;
  static const auto tables = [] {
    std::vector<ReferencePoint<Element>> points(Rule::points);
    for (int q = 0; q < Rule::points; ++q)
      points[q] = {Rule::weights[q], Element::values(Rule::coordinates[q]),
                   Element::gradients(Rule::coordinates[q])};
    return points;
  }();
  std::vector<ReferencePoint<Element>> points = tables;
  for (auto& point : points) {
    Matrix<double, d> jacobian;
    for (int n = 0; n < Element::nodes; ++n)
      for (int i = 0; i < d; ++i)
        for (int j = 0; j < d; ++j) jacobian(i, j) += x[n * d + i] * point.gradient[n][j];
    const double det = determinant(jacobian);
    const Matrix<double, d> adj = adjugate(jacobian);
    point.weight *= det;
    for (int n = 0; n < Element::nodes; ++n) {
      const auto reference = point.gradient[n];
      for (int i = 0; i < d; ++i) {
        point.gradient[n][i] = 0;
        for (int j = 0; j < d; ++j) point.gradient[n][i] += adj(j, i) / det * reference[j];
      }
    }
  }
  return points;
}

/// Values of a cell field on the host.
inline double reference_value(const CellField& field, const std::vector<double>& values, Ordinal element,
                              Ordinal material) {
  switch (field.kind()) {
  case CellField::Kind::per_material:
    return values[material];
  case CellField::Kind::per_element:
    return values[element];
  default:
    return values[0];
  }
}

/// Element matrices of a form, row by row: (node * components + component) squared.
template <class Element, class Form>
class ReferenceElement;

template <class Element>
class ReferenceElement<Element, Helmholtz<>> {
public:
  static constexpr int degree = 2 * Element::order;
  explicit ReferenceElement(const Helmholtz<>& form)
      : form_(form), sigma_(form.sigma.host_values()), lambda_(form.lambda.host_values()),
        source_(form.source.host_values()) {}

  void operator()(Ordinal e, Ordinal material, const std::vector<double>& x, std::vector<double>& k,
                  std::vector<double>& f) const {
    const double sigma = reference_value(form_.sigma, sigma_, e, material);
    const double lambda = reference_value(form_.lambda, lambda_, e, material);
    const double source = reference_value(form_.source, source_, e, material);
    for (const auto& p : reference_points<Element, degree>(x))
      for (int i = 0; i < Element::nodes; ++i) {
        for (int j = 0; j < Element::nodes; ++j) {
          double product = 0;
          for (int d = 0; d < Element::dimension; ++d) product += p.gradient[i][d] * p.gradient[j][d];
          k[i * Element::nodes + j] += p.weight * (sigma * product + lambda * p.value[i] * p.value[j]);
        }
        f[i] += p.weight * source * p.value[i];
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

  void operator()(Ordinal e, Ordinal material, const std::vector<double>& x, std::vector<double>& k,
                  std::vector<double>& f) const {
    const auto d = elasticity_matrix(reference_value(form_.young, young_, e, material),
                                     reference_value(form_.poisson, poisson_, e, material));
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
          double* const row = &k[(i * Dimension + a) * Element::nodes * Dimension];
          for (int j = 0; j < Element::nodes; ++j)
            for (int c = 0; c < Dimension; ++c) {
              double sum = 0;
              for (int s = 0; s < strains; ++s) sum += b[i][s][a] * db[j][s][c];
              row[j * Dimension + c] += p.weight * sum;
            }
          f[i * Dimension + a] += p.weight * form_.body_force[a] * p.value[i];
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

template <class T, class View>
std::vector<T> host_vector(const View& view) {
  std::vector<T> host(view.extent(0));
  Kokkos::deep_copy(Kokkos::View<T*, Kokkos::HostSpace>(host.data(), host.size()), view);
  return host;
}

} // namespace detail

/// Assembles `form` over `space` on the host. The graph is only read for its sparsity.
/// Essential constraints and natural loads are treated as the assembly plans do.
template <class Element, class ExecutionSpace, class Form>
ReferenceSystem reference_assembly(const Form& form, const FunctionSpace<Element, ExecutionSpace>& space,
                                   const SparsityGraph<ExecutionSpace>& graph) {
  constexpr int components = Form::components, dofs = Element::nodes * components, d = Element::dimension;
  ReferenceSystem system{
      detail::host_vector<Offset>(graph.row_map), detail::host_vector<Ordinal>(graph.columns),
      std::vector<double>(graph.num_entries(), 0.0), std::vector<double>(graph.num_rows(), 0.0)};
  const auto& mesh = space.mesh();
  const auto coordinates = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mesh.coordinates());
  const auto connectivity = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mesh.connectivity());
  const auto materials = detail::host_vector<Ordinal>(mesh.materials());
  const Equations<ExecutionSpace> device = space.equations();
  const auto mask = detail::host_vector<std::uint8_t>(device.mask);
  const auto prescribed = detail::host_vector<double>(device.prescribed);
  const auto first = detail::host_vector<Ordinal>(device.first);

  const auto constrained = [&](Ordinal dof) {
    return !mask.empty() && ((mask[dof / components] >> (dof % components)) & 1) != 0;
  };
  const auto equation = [&](Ordinal dof) {
    if (!device.removed) return dof;
    Ordinal row = first[dof / components];
    for (int c = 0; c < dof % components; ++c) row += constrained(dof - dof % components + c) ? 0 : 1;
    return row;
  };
  const auto entry = [&](Ordinal row, Ordinal column) -> double& {
    const auto begin = system.columns.begin() + system.row_map[row],
               end = system.columns.begin() + system.row_map[row + 1];
    return system.values[std::lower_bound(begin, end, column) - system.columns.begin()];
  };

  const detail::ReferenceElement<Element, Form> element_matrix(form);
  std::vector<double> x(Element::nodes * d), k(dofs * dofs), f(dofs);
  for (Ordinal e = 0; e < mesh.num_elements(); ++e) {
    for (int n = 0; n < Element::nodes; ++n)
      for (int c = 0; c < d; ++c) // relative to the first node, so that no digits are lost to the position
        x[n * d + c] = coordinates(connectivity(e, n), c) - coordinates(connectivity(e, 0), c);
    std::fill(k.begin(), k.end(), 0.0);
    std::fill(f.begin(), f.end(), 0.0);
    element_matrix(e, materials.empty() ? 0 : materials[e], x, k, f);
    for (int r = 0; r < dofs; ++r) {
      const Ordinal row_dof = connectivity(e, r / components) * components + r % components;
      if (constrained(row_dof)) continue;
      const Ordinal row = equation(row_dof);
      system.rhs[row] += f[r];
      for (int s = 0; s < dofs; ++s) {
        const Ordinal column_dof = connectivity(e, s / components) * components + s % components;
        if (constrained(column_dof))
          system.rhs[row] -= k[r * dofs + s] * prescribed[column_dof];
        else
          entry(row, equation(column_dof)) += k[r * dofs + s];
      }
    }
  }
  const auto loads = space.nodal_loads();
  const auto load_dofs = detail::host_vector<Ordinal>(loads.dofs);
  const auto load_values = detail::host_vector<double>(loads.values);
  for (std::size_t i = 0; i < load_dofs.size(); ++i)
    if (!constrained(load_dofs[i])) system.rhs[equation(load_dofs[i])] += load_values[i];
  if (device.constrained && !device.removed)
    for (Ordinal dof = 0; dof < space.num_dofs(); ++dof)
      if (constrained(dof)) {
        entry(dof, dof) = 1;
        system.rhs[dof] = prescribed[dof];
      }
  return system;
}

/// Largest difference between a system and the reference, each relative to the scale of its row: the largest
/// entry of the reference's matrix row, or for the right-hand side the larger of that and the largest entry
/// of the reference's right-hand side.
struct SystemError {
  double matrix = 0;
  double rhs = 0;
  double max() const { return std::max(matrix, rhs); }
};

/// Measures the error of an assembled system. NaN anywhere gives infinity.
template <class Scalar, class System>
SystemError system_error(const System& system, const ReferenceSystem& reference) {
  const auto values = detail::host_vector<Scalar>(system.values());
  const auto rhs = detail::host_vector<Scalar>(system.rhs());
  const auto worse = [](double& worst, double error) {
    if (!(error <= worst)) worst = std::isnan(error) ? INFINITY : error;
  };
  double rhs_scale = 0;
  for (double f : reference.rhs) rhs_scale = std::max(rhs_scale, std::abs(f));
  SystemError error;
  for (std::size_t row = 0; row + 1 < reference.row_map.size(); ++row) {
    double scale = 0;
    for (Offset k = reference.row_map[row]; k < reference.row_map[row + 1]; ++k)
      scale = std::max(scale, std::abs(reference.values[k]));
    for (Offset k = reference.row_map[row]; k < reference.row_map[row + 1]; ++k)
      worse(error.matrix, std::abs(values[k] - reference.values[k]) / scale);
    if (const double difference = std::abs(rhs[row] - reference.rhs[row]); difference != 0)
      worse(error.rhs, difference / rhs_scale);
  }
  return error;
}

} // namespace tessera
