// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Taylor and Hood's pair by the book: a classical assembly with numbers, Jacobians and bases of its own.

#include <tessera/core/arithmetic/small_matrix.hpp>
#include <tessera/core/elements/quadrature.hpp>
#include <tessera/core/forms/stokes.hpp>
#include <tessera/core/mesh/mesh.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <vector>

namespace tessera::test {

/// Stokes' equations over all degrees of freedom, node * (d + 1) + component, without constraints: entries of
/// pressures at nodes that are no corners are zero.
template <class Element>
struct TaylorHood {
  static constexpr int d = Element::dimension, c = d + 1;
  using Linear = typename Element::template of_order<1>;
  std::size_t size;
  std::vector<double> k, f;

  template <class ExecutionSpace>
  TaylorHood(const Mesh<Element, ExecutionSpace>& mesh, const Stokes<d>& form)
      : size(static_cast<std::size_t>(mesh.num_nodes()) * c), k(size * size, 0.0), f(size, 0.0) {
    const auto nodes = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mesh.connectivity());
    const auto x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mesh.coordinates());
    using Rule = Quadrature<Element::shape, 2 * Element::order>;
    for (Ordinal e = 0; e < mesh.num_elements(); ++e)
      for (int q = 0; q < Rule::points; ++q) {
        const auto value = Element::values(Rule::coordinates[q]);
        const auto gradient = Element::gradients(Rule::coordinates[q]);
        const auto pressure = Linear::values(Rule::coordinates[q]);
        Matrix<double, d> jacobian;
        for (int n = 0; n < Element::nodes; ++n)
          for (int a = 0; a < d; ++a)
            for (int b = 0; b < d; ++b) jacobian(a, b) += x(nodes(e, n), a) * gradient[n][b];
        const auto adjoint = adjugate(jacobian);
        const double determinant = tessera::determinant(jacobian), weight = determinant * Rule::weights[q];
        const auto slope = [&](int n, int a) {
          double sum = 0;
          for (int b = 0; b < d; ++b) sum += adjoint(b, a) * gradient[n][b] / determinant;
          return sum;
        };
        const auto dof = [&](int n, int a) { return static_cast<std::size_t>(nodes(e, n)) * c + a; };
        for (int i = 0; i < Element::nodes; ++i) {
          for (int j = 0; j < Element::nodes; ++j) {
            double product = 0;
            for (int a = 0; a < d; ++a) product += slope(i, a) * slope(j, a);
            for (int a = 0; a < d; ++a) k[dof(i, a) * size + dof(j, a)] += weight * form.viscosity * product;
          }
          for (int m = 0; m < Linear::nodes; ++m)
            for (int a = 0; a < d; ++a) {
              k[dof(i, a) * size + dof(m, d)] -= weight * slope(i, a) * pressure[m];
              k[dof(m, d) * size + dof(i, a)] -= weight * slope(i, a) * pressure[m];
            }
          for (int a = 0; a < d; ++a) f[dof(i, a)] += weight * form.body_force[a] * value[i];
        }
      }
  }
};

} // namespace tessera::test
