// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The sum of the element matrices of all blocks, dense and over all degrees of freedom, on the host.

#include <tessera/core/blocks/by_block.hpp>
#include <tessera/core/blocks/mixed_space.hpp>
#include <tessera/core/system/detail/reference_element.hpp>
#include <tessera/core/system/deviation.hpp>
#include <tessera/core/system/linear_system.hpp>

#include <Kokkos_Core.hpp>

#include "support/matrices.hpp"
#include "support/on_host.hpp"
#include <algorithm>
#include <cmath>
#include <vector>

namespace tessera::test {

class MixedOracle {
public:
  /// Nothing yet.
  template <class Space>
  explicit MixedOracle(const Space& space)
      : n_(to_size(space.num_dofs())), components_(to_size(space.components())), k_(n_ * n_), f_(n_) {}
  /// The elements.
  template <class Space, class Form>
  MixedOracle(const Space& space, const Form& form) : MixedOracle(space) {
    space.mesh().for_each_block(
        [&](const auto& mesh) { add(mesh, tessera::detail::form_of_block(form, mesh)); });
  }

  std::size_t size() const { return n_; }
  double k(std::size_t row, std::size_t column) const { return k_[row * n_ + column]; }
  /// The space's loads and Robin sides.
  template <class Space>
  void add_natural_terms(const Space& space) {
    const auto loads = space.nodal_loads();
    const auto dofs = to_host(loads.dofs);
    const auto values = to_host(loads.values);
    for (std::size_t i = 0; i < dofs.size(); ++i) f_[to_size(dofs[i])] += values[i];
    const auto robin = space.robin(typename Space::execution_space());
    const auto nodes = to_host(robin.nodes), offsets = to_host(robin.offsets),
               neighbors = to_host(robin.neighbors);
    const auto products = on_host(robin.products), robin_loads = on_host(robin.loads);
    for (std::size_t i = 0; i < nodes.size(); ++i)
      for (std::size_t c = 0; c < components_; ++c) {
        const std::size_t row = to_size(nodes[i]) * components_ + c;
        f_[row] += robin_loads(i, c);
        for (Ordinal p = offsets[i]; p < offsets[i + 1]; ++p)
          k_[row * n_ + to_size(neighbors[to_size(p)]) * components_ + c] += products(p, c);
      }
  }

  /// K u.
  std::vector<double> product(const std::vector<double>& u) const {
    std::vector<double> y(n_);
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t j = 0; j < n_; ++j) y[i] += k(i, j) * u[j];
    return y;
  }
  double load(std::size_t dof) const { return f_[dof]; }

  double largest() const {
    double most = 0;
    for (const double value : k_) most = std::max(most, std::abs(value));
    return most;
  }

  /// max |difference| of a system's matrix and right-hand side under a space's constraints, relative to the
  /// largest entry of K; entries that the graph lacks count as zeros.
  template <class Space, class System>
  double deviation(const Space& space, const System& system) const {
    const auto equations = space.equations();
    const auto held = held_dofs(space);
    const auto row_map = to_host(system.graph().row_map);
    const auto columns = to_host(system.graph().columns);
    const auto values = to_host(system.values()), rhs = to_host(system.rhs());
    const auto prescribed = prescribed_values(space);
    std::vector<std::size_t> dof_of;
    for (std::size_t dof = 0; dof < n_; ++dof)
      if (!held[dof] || !equations.removed) dof_of.push_back(dof);
    double worst = dof_of.size() == rhs.size() ? 0 : Kokkos::Experimental::infinity_v<double>;
    for (std::size_t row = 0; row < std::min(rhs.size(), dof_of.size()); ++row) {
      const std::size_t dof = dof_of[row];
      std::vector<double> expected(n_);
      double load = held[dof] ? prescribed[dof] : f_[dof];
      for (std::size_t other = 0; other < n_; ++other) {
        if (held[dof] || held[other])
          expected[other] = dof == other ? 1 : 0;
        else
          expected[other] = k(dof, other);
        if (!held[dof] && held[other]) load -= k(dof, other) * prescribed[other];
      }
      for (Offset p = row_map[row]; p < row_map[row + 1]; ++p) {
        const std::size_t other = dof_of[to_size(columns[p])];
        worst = worse_of(worst, std::abs(values[p] - expected[other]));
        expected[other] = 0;
      }
      for (std::size_t other = 0; other < n_; ++other)
        if (!(held[other] && equations.removed)) worst = worse_of(worst, std::abs(expected[other]));
      worst = worse_of(worst, std::abs(rhs[row] - load));
    }
    return worst / largest();
  }

  /// Whether each degree of freedom is constrained.
  template <class Space>
  static std::vector<bool> held_dofs(const Space& space) {
    const auto equations = space.equations();
    std::vector<bool> held(to_size(space.num_dofs()), false);
    if (!equations.constrained) return held;
    const auto mask = on_host(equations.mask);
    const auto components = to_size(space.components());
    for (std::size_t dof = 0; dof < held.size(); ++dof)
      held[dof] = ((mask(dof / components) >> (dof % components)) & 1) != 0;
    return held;
  }
  template <class Space>
  static std::vector<double> prescribed_values(const Space& space) {
    const auto equations = space.equations();
    std::vector<double> values(to_size(space.num_dofs()), 0.0);
    if (!equations.constrained) return values;
    const auto host = on_host(equations.prescribed);
    std::copy(host.data(), host.data() + host.extent(0), values.begin());
    return values;
  }

private:
  template <class Element, class ExecutionSpace, class Form>
  void add(const Mesh<Element, ExecutionSpace>& mesh, const Form& form) {
    constexpr std::size_t nodes = Element::nodes, d = Element::dimension, c = Form::components;
    const tessera::detail::ReferenceElement<Element, Form> element(form);
    const auto x = on_host(mesh.coordinates());
    const auto connectivity = on_host(mesh.connectivity());
    const auto materials = on_host(mesh.materials());
    for (Ordinal e = 0; e < mesh.num_elements(); ++e) {
      double origin[3] = {};
      std::vector<double> corners;
      for (std::size_t n = 0; n < nodes; ++n)
        for (std::size_t a = 0; a < d; ++a) {
          if (n == 0) origin[a] = x(connectivity(e, 0), a);
          corners.push_back(x(connectivity(e, n), a) - origin[a]);
        }
      tessera::detail::ReferenceEntries entries(nodes * c);
      element(e, materials.extent(0) == 0 ? 0 : materials(e), corners, origin, entries);
      const auto dof = [&](std::size_t i) { return to_size(connectivity(e, i / c)) * c + i % c; };
      for (std::size_t i = 0; i < nodes * c; ++i) {
        f_[dof(i)] += entries.f[i];
        for (std::size_t j = 0; j < nodes * c; ++j) k_[dof(i) * n_ + dof(j)] += entries.k[i * nodes * c + j];
      }
    }
  }

  std::size_t n_, components_;
  std::vector<double> k_, f_;
};

} // namespace tessera::test
