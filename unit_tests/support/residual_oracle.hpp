// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <tessera/core/space/function_space.hpp>
#include <tessera/core/system/reference_assembly.hpp>

#include <cmath>
#include <functional>
#include <vector>

namespace tessera::test {

/// A point as the oracle sees it: plain numbers, gradients by (component, axis).
struct OraclePoint {
  std::vector<double> u, grad_u, x;
  std::vector<std::vector<double>> a, grad_a;
};

/// Writes f0 (component) and f1 (component, axis); what it leaves alone is zero.
using OraclePhysics =
    std::function<void(const OraclePoint&, std::vector<double>& f0, std::vector<double>& f1)>;

/// An auxiliary field: by node, by element, or by position.
struct OracleField {
  int components = 1;
  std::vector<double> nodal, by_element;
  std::function<double(const std::vector<double>&)> function;
};

/// A residual over all degrees of freedom, and the sum of the sizes of what was added up in its largest
/// entry.
struct OracleResidual {
  std::vector<double> values;
  double scale = 0;
};

/// Direct summation on one host thread in double precision, without loads and constraints.
template <int Degree, class Element, class ExecutionSpace>
OracleResidual oracle_residual(const Mesh<Element, ExecutionSpace>& mesh, int components,
                               const std::vector<double>& u, const std::vector<OracleField>& fields,
                               const OraclePhysics& physics) {
  constexpr int d = Element::dimension, nodes = Element::nodes;
  const auto coordinates = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mesh.coordinates());
  const auto connectivity = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mesh.connectivity());
  OracleResidual r{std::vector<double>(u.size(), 0.0)};
  std::vector<double> sizes(u.size(), 0.0), x(nodes * d);
  for (Ordinal e = 0; e < mesh.num_elements(); ++e) {
    for (int n = 0; n < nodes; ++n)
      for (int a = 0; a < d; ++a)
        x[n * d + a] = coordinates(connectivity(e, n), a) - coordinates(connectivity(e, 0), a);
    for (const auto& q : tessera::detail::reference_points<Element, Degree>(x)) {
      const auto interpolate = [&](int size, const std::vector<double>& nodal, std::vector<double>& value,
                                   std::vector<double>& gradient) {
        value.assign(size, 0.0);
        gradient.assign(size * d, 0.0);
        for (int n = 0; n < nodes; ++n)
          for (int c = 0; c < size; ++c) {
            const double nodal_value = nodal[connectivity(e, n) * size + c];
            value[c] += nodal_value * q.value[n];
            for (int a = 0; a < d; ++a) gradient[c * d + a] += nodal_value * q.gradient[n][a];
          }
      };
      OraclePoint p;
      interpolate(components, u, p.u, p.grad_u);
      p.x.assign(d, 0.0);
      for (int n = 0; n < nodes; ++n)
        for (int a = 0; a < d; ++a) p.x[a] += coordinates(connectivity(e, n), a) * q.value[n];
      p.a.resize(fields.size());
      p.grad_a.resize(fields.size());
      for (std::size_t k = 0; k < fields.size(); ++k)
        if (!fields[k].nodal.empty())
          interpolate(fields[k].components, fields[k].nodal, p.a[k], p.grad_a[k]);
        else
          p.a[k] = {fields[k].function ? fields[k].function(p.x) : fields[k].by_element[e]};
      std::vector<double> f0(components, 0.0), f1(components * d, 0.0);
      physics(p, f0, f1);
      for (int n = 0; n < nodes; ++n)
        for (int c = 0; c < components; ++c) {
          const std::size_t dof = connectivity(e, n) * components + c;
          double sum = q.value[n] * f0[c], size = std::abs(sum);
          for (int a = 0; a < d; ++a) {
            sum += q.gradient[n][a] * f1[c * d + a];
            size += std::abs(q.gradient[n][a] * f1[c * d + a]);
          }
          r.values[dof] += q.weight * sum;
          sizes[dof] += q.weight * size;
        }
    }
  }
  for (double size : sizes) r.scale = std::max(r.scale, size);
  return r;
}

} // namespace tessera::test
