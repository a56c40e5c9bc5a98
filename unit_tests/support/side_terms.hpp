// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Weak forms with functions on sides, and what they are compared by.

#include <tessera/core/mesh/side_sets.hpp>
#include <tessera/core/system/linear_system.hpp>
#include <tessera/core/weak_form/weak_form.hpp>
#include <tessera/strategies/residual/recomputing_residual.hpp>

#include <gtest/gtest.h>

#include "support/matrices.hpp"
#include "support/meshes/test_meshes.hpp"
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace tessera::test::sides {

using ExecutionSpace = Kokkos::DefaultExecutionSpace;
using Values = std::vector<double>;

template <int unknowns = 1>
struct Nothing {
  static constexpr int components = unknowns;
  template <class Point>
  KOKKOS_FUNCTION auto f1(const Point& p) const {
    return 0.0 * p.grad_u;
  }
};

struct Wave {
  template <class X>
  KOKKOS_FUNCTION double operator()(const X& x) const {
    return 1.5 + Kokkos::sin(3 * x(0)) * x(1);
  }
};

/// Looks at all that there is on a side: two unknowns, their gradients, the normal, the position, fields.
template <bool TestsGradient>
struct OnSide {
  static constexpr int components = 2;
  template <class Element>
  static constexpr int degree = 2 * Element::order + 1;

  template <class Point>
  KOKKOS_FUNCTION auto f0(const Point& p) const {
    auto f = p.u;
    f(0) = p.u(0) * p.u(0) * p.u(1) * p.template a<0>() + p.position(0);
    f(1) = p.template a<1>();
    for (int d = 0; d < Point::dimension; ++d) f(1) += p.grad_u(0, d) * p.normal(d) * p.u(1);
    return f;
  }
  template <class Point>
    requires(TestsGradient && Point::dimension > 0)
  KOKKOS_FUNCTION auto f1(const Point& p) const {
    auto f = p.grad_u;
    for (int d = 0; d < Point::dimension; ++d) {
      f(0, d) = p.u(1) * p.normal(d) * p.template a<2>();
      f(1, d) = p.grad_u(0, d) * p.u(0);
    }
    return f;
  }
};

/// Two unknowns inside, coupled.
struct Inside {
  static constexpr int components = 2;
  template <class Point>
  KOKKOS_FUNCTION auto f0(const Point& p) const {
    auto f = p.u;
    f(0) = p.u(0) * p.u(1);
    return f;
  }
  template <class Point>
  KOKKOS_FUNCTION auto f1(const Point& p) const {
    return (1.0 + p.u(0) * p.u(0)) * p.grad_u;
  }
};

struct Radiation {
  double ambient = 0;
  static constexpr int components = 1;
  static constexpr bool symmetric = true;
  template <class Element>
  static constexpr int degree = 5 * Element::order;
  template <class Point>
  KOKKOS_FUNCTION auto f0(const Point& p) const {
    const auto square = p.u * p.u;
    return p.template a<0>() * (square * square - ambient);
  }
};

/// h (u - g) with g a field.
struct Film {
  double h = 2.5;
  static constexpr int components = 1;
  template <class Point>
  KOKKOS_FUNCTION auto f0(const Point& p) const {
    return h * (p.u - p.template a<0>());
  }
};

/// A mesh, a state and fields that show what is mixed up.
template <class ElementType>
struct Problem {
  using Element = ElementType;
  using MeshType = Mesh<Element, ExecutionSpace>;
  using Space = FunctionSpace<Element, ExecutionSpace>;
  using View = Kokkos::View<double*, ExecutionSpace>;
  static constexpr int d = Element::dimension;

  MeshType mesh = test::distorted_box<Element, ExecutionSpace>({{3, 2, 2}, {1, 1, 1}});
  typename MeshType::SideSet sides = boundary_sides(mesh);
  Values nodal = waves(mesh.num_nodes(), 2), by_element = waves(mesh.num_elements(), 3);

  static Values waves(Ordinal count, int seed) {
    Values values(to_size(count));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::sin(static_cast<double>(7 * i) + seed);
    return values;
  }
  Values state() const { return waves(2 * mesh.num_nodes(), 1); }

  template <bool TestsGradient>
  auto form() const {
    return weak_form(Inside{}).on_sides(
        sides, OnSide<TestsGradient>{}, CellField::per_element(test::to_device<ExecutionSpace>(by_element)),
        NodalField<1, ExecutionSpace>{test::to_device<ExecutionSpace>(nodal)}, Wave{});
  }

  template <class Form>
  Values residual(const Space& space, const Form& form, const Values& u) const {
    const View r("Tessera::Test::r", u.size());
    auto plan = tessera::residual::RecomputingResidual{}.plan(space);
    plan.integrate(form, test::to_device<ExecutionSpace>(u), r);
    return test::to_host(r);
  }
};

inline double largest(const Values& values) {
  double most = 0;
  for (const double value : values) most = std::max(most, std::abs(value));
  return most;
}

inline void expect_near(const Values& found, const Values& expected, double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  const double scale = largest(expected);
  for (std::size_t i = 0; i < found.size(); ++i)
    ASSERT_NEAR(found[i], expected[i], tolerance * scale) << "entry " << i;
}

/// A system as a full matrix on the host.
struct Dense {
  std::size_t rows;
  Values values, rhs;
  double operator()(std::size_t i, std::size_t j) const { return values[i * rows + j]; }

  explicit Dense(const LinearSystem<double, ExecutionSpace>& system)
      : rows(to_size(system.num_rows())), values(rows * rows, 0.0), rhs(test::to_host(system.rhs())) {
    const auto row_map = test::to_host(system.graph().row_map);
    const auto columns = test::to_host(system.graph().columns);
    const auto entries = test::to_host(system.values());
    for (std::size_t i = 0; i < rows; ++i)
      for (Offset k = row_map[i]; k < row_map[i + 1]; ++k)
        values[i * rows + to_size(columns[k])] = entries[k];
  }
  Values operator*(const Values& x) const {
    Values y(rows, 0.0);
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < rows; ++j) y[i] += (*this)(i, j) * x[j];
    return y;
  }
};

template <class Strategy, class Space, class Form>
Dense assembled(const Strategy& strategy, const Space& space, const Form& form) {
  const LinearSystem<double, ExecutionSpace> system(space);
  strategy.plan(space, system.graph()).assemble(form, system);
  return Dense(system);
}

} // namespace tessera::test::sides
