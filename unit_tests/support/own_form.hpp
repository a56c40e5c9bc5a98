// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// An application's own form, not symmetric, in every assembly strategy: against the oracle, and again and
// again.

#include <tessera/core/system/linear_system.hpp>
#include <tessera/core/system/reference_assembly.hpp>
#include <tessera/core/system/system_error.hpp>
#include <tessera/strategies/catalogue/any_assembly.hpp>
#include <tessera/strategies/catalogue/catalogue.hpp>

#include <gtest/gtest.h>

#include "support/meshes/test_meshes.hpp"
#include <algorithm>
#include <cmath>
#include <iostream>
#include <string>
#include <vector>

namespace tessera::test {

/// -div((1 + x) grad u) + (1, 2) . grad u + 3 u = y.
struct DiffusionAdvectionReaction {
  static constexpr int components = 1;
  static constexpr bool symmetric = false;
  template <class Element>
  static constexpr int degree = 2 * Element::order + 1;

  template <class Point>
  struct Integrand {
    using Real = typename Point::real_type;
    const Point& point;
    Real diffusion, source;

    KOKKOS_FUNCTION Matrix<Real, 1> stiffness(int i, int j) const {
      using Value = value_type_t<Real>;
      Matrix<Real, 1> k;
      const Real advection = point.gradient(j, 0) + point.gradient(j, 1) + point.gradient(j, 1);
      k(0, 0) = diffusion * gradient_product(point, i, j) +
                (advection + Real(Value(3)) * point.value(j)) * point.value(i);
      return k;
    }
    KOKKOS_FUNCTION Vector<Real, 1> load(int i) const {
      Vector<Real, 1> f;
      f(0) = source * point.value(i);
      return f;
    }
  };
  template <class Point>
  KOKKOS_FUNCTION Integrand<Point> at(const Point& point) const {
    using Value = value_type_t<typename Point::real_type>;
    return {point, point.position(0) + Value(1), point.position(1)};
  }
  DiffusionAdvectionReaction kernel() const { return *this; }
};

/// Every strategy assembles the form as the oracle does, and repeats bitwise where it says so.
template <class Element, class ExecutionSpace>
void expect_own_form(const Mesh<Element, ExecutionSpace>& mesh) {
  const DiffusionAdvectionReaction form;
  const std::vector<StrategyInfo> known = assembly_strategies();
  for (const auto treatment : {ConstraintTreatment::removed, ConstraintTreatment::zeroed}) {
    FunctionSpace<Element, ExecutionSpace> space(mesh, 1, treatment);
    constrain(space);
    const LinearSystem<double, ExecutionSpace> system(space);
    const ReferenceSystem reference = reference_assembly(form, space, system.graph());
    int assembled = 0;
    for_each_strategy<AssemblyCatalogue>([&](const auto& variant) {
      SCOPED_TRACE(variant.name);
      auto strategy = variant.strategy;
      if constexpr (requires { strategy.symmetric; }) strategy.symmetric = false;
      const auto info = std::find_if(known.begin(), known.end(),
                                     [&](const StrategyInfo& other) { return other.name == variant.name; });
      ASSERT_NE(info, known.end());
      const bool repeats = info->deterministic || ExecutionSpace().concurrency() == 1;
      try {
        auto plan = strategy.plan(space, system.graph());
        std::vector<double> first;
        // Threads and devices change their order; one thread finds what the time before has left.
        const int repetitions = ExecutionSpace().concurrency() == 1 ? 2 : 4;
        for (int repetition = 0; repetition < repetitions; ++repetition) {
          Kokkos::deep_copy(system.values(), NAN);
          Kokkos::deep_copy(system.rhs(), NAN);
          plan.assemble(form, system);
          EXPECT_LE(system_error<double>(system, reference).max(), 1e-13);
          auto values = tessera::detail::host_vector<double>(system.values());
          const auto rhs = tessera::detail::host_vector<double>(system.rhs());
          values.insert(values.end(), rhs.begin(), rhs.end());
          if (repetition == 0) first = values;
          if (repeats) {
            EXPECT_EQ(values, first) << "repetition " << repetition;
          }
        }
        ++assembled;
      } catch (const UnsupportedError& error) { // of a device
        std::cout << variant.name << ": " << error.what() << '\n';
      }
    });
    EXPECT_GE(assembled, static_cast<int>(known.size()) / 2);
  }
}
template <class Element, class ExecutionSpace>
void expect_own_form() {
  expect_own_form(distorted_box<Element, ExecutionSpace>({{5, 4, 3}, {1.3, 1.0, 0.8}}));
}

} // namespace tessera::test
